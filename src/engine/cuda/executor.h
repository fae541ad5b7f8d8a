// Puts plans on the GPU's streams. One executor a rank and communicator; calls follow one another.
#pragma once

#include <memory>
#include <vector>

#include "base/params.h"
#include "engine/cuda/pad.h"
#include "engine/cuda/plan.h"
#include "engine/cuda/resources.h"

namespace stepccl::cuda {

class Executor {
  public:
    // For a communicator of n ranks. Allocates the pad, cleared, and the completion word; no stream yet.
    static Result<std::unique_ptr<Executor>> create(std::shared_ptr<Gpu> gpu, uint32_t n, uint32_t reduce_ctas);
    ~Executor();

    const std::shared_ptr<Gpu>& gpu() const noexcept { return gpu_; }
    DevicePtr pad() const noexcept { return pad_.address(); }
    const PadLayout& pads() const noexcept { return layout_; }

    // Enqueues the plan behind everything started before. `epoch` is what epoch-relative flag values are added to.
    Status start(const Plan& plan, uint32_t epoch);
    // What is started from now on waits for all work that is in `stream` at present.
    Status follow(Stream* stream);
    // Work put into `stream` from now on waits for everything started.
    Status lead(Stream* stream);
    // A copy on a copy lane, behind everything started before; what is started later waits for it.
    Status copy(DevicePtr dst, DevicePtr src, uint64_t bytes);

    // Whether everything started is complete. A read of host memory, no call of the driver.
    bool done() const noexcept;
    // An error that the driver reports for work that is under way.
    Status query();

    // For failures. The words of the pad, read while lanes may be stuck in waits; and all its flags at once raised, so
    // that no wait of this rank holds any more: `epoch` and beyond for those of others.
    Status read_flags(std::vector<uint32_t>& words);
    Status release_waits(uint32_t epoch);
    // All flags of the pad to `epoch`. Only while nothing is under way on any rank.
    Status reset_flags(uint32_t epoch);

  private:
    // The arrays of one launch. Free for another when `free_at` is complete.
    struct WorkArea {
        PinnedMemory memory;
        uint32_t free_at = 0;
    };

    Executor(std::shared_ptr<Gpu> gpu, uint32_t n, uint32_t reduce_ctas) : gpu_(std::move(gpu)), layout_(n), reduce_ctas_(reduce_ctas) {}
    const Driver& driver() const noexcept { return gpu_->driver(); }
    Status prepare_lanes(uint32_t lanes);
    Status prepare_events(uint32_t events);
    Status begin(uint32_t lanes);
    Status issue(const Plan& plan, const Command& command, uint32_t epoch);
    Status issue_flags(const Plan& plan, const Command& command, uint32_t epoch);
    Status issue_copies(const Plan& plan, const Command& command);
    Status launch(const Plan& plan, Stream* stream, uint32_t epoch);
    Result<WorkArea*> work_area(size_t bytes);
    Status join(uint32_t lanes);
    Status fill_flags(uint32_t first, uint32_t count, uint32_t value);
    bool complete(uint32_t ticket) const noexcept;

    std::shared_ptr<Gpu> gpu_;
    PadLayout layout_;
    uint32_t reduce_ctas_;
    DeviceMemory pad_;
    PinnedMemory completion_;
    uint32_t started_ = 0;     // tickets: the completion word grows to it
    uint32_t lane_base_ = 0;
    std::vector<StreamHandle> lanes_;
    std::vector<EventHandle> joins_;  // by lane: its end, for the join
    std::vector<EventHandle> events_;
    EventHandle joined_, followed_;
    bool any_joined_ = false;
    StreamHandle rescue_;
    std::vector<std::unique_ptr<WorkArea>> areas_;
};

}  // namespace stepccl::cuda
