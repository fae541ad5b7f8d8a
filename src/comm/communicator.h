// A communicator: agrees with the other ranks on the way of each call, and does the native ones.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "algo/registry.h"
#include "comm/call.h"
#include "comm/counters.h"
#include "comm/mapping.h"
#include "comm/local_group.h"
#include "engine/cuda/executor.h"
#include "select/choose.h"

namespace stepccl {

enum class Path : uint8_t { native, staged, host };

// What a communicator needs of the process: outlives it.
struct Surroundings {
    Params params;
    Log log;
    Counters* counters = nullptr;
    // Loads the driver when first asked; the same answer ever after.
    std::function<Result<std::shared_ptr<const cuda::Driver>>()> driver;
    // Whether a driver is in this process at all; while not, every buffer is host memory.
    std::function<bool()> driver_is_loaded;
};

class Communicator {
  public:
    static Result<std::unique_ptr<Communicator>> create(Bootstrap bootstrap, Surroundings surroundings);
    ~Communicator();

    uint32_t rank() const noexcept { return rank_; }
    uint32_t n() const noexcept { return n_; }
    bool native() const noexcept { return group_ != nullptr && native_; }
    const std::string& description() const noexcept { return description_; }

    // See stepccl_run, stepccl_pass, stepccl_decline, stepccl_enqueue, stepccl_comm_sync.
    Status run(const Call& call, Path& path);
    void pass();
    void decline();
    Status enqueue(const Call& call, cuda::Stream* stream);
    Status sync();

    // The epoch that the next call begins with, for tests of its wrap-around. The same on all ranks, with nothing under way.
    void set_epoch_for_test(uint32_t epoch);

  private:
    enum class Brings : uint8_t { device, host, nothing, mixed };
    struct Chosen {
        const Algorithm* algorithm = nullptr;
        const Schedule* schedule = nullptr;
        uint64_t slot_bytes = 0;
        uint32_t rounds = 1;
    };
    // One buffer of this rank in a call: where it is, and where the others reach it.
    struct OwnBuffer {
        void* user = nullptr;
        uint64_t bytes = 0;
        cuda::DevicePtr address = 0;  // the user's, or that of a bounce buffer
        ExportedBuffer exported;
        bool bounced = false;
    };
    struct Prepared {
        Call call;
        Chosen chosen;
        OwnBuffer in, out;
        std::vector<cuda::DevicePtr> peer_out, peer_scratch, peer_pad;  // by rank, as this process reaches them
    };

    void abandon();

    explicit Communicator(Surroundings surroundings) : env_(std::move(surroundings)) {}

    // agree.cpp: who brings what.
    Brings classify(const Buffers& buffers, int& device) const;
    Status check(const Call& call) const;
    Status come_together(const Call& call, Prepared& prepared, Path& path);
    void publish(const Prepared& prepared);
    Status meet(Prepared& prepared, Path& path);
    Status compare() const;
    void stage(Path& path);

    Status read_choices();

    // prepare.cpp: what this rank makes ready before it says that it comes.
    Status open_gpu(int device);
    Status prepare(const Call& call, const Buffers& buffers, Prepared& out);
    Chosen choose(const Call& call);
    const Schedule& schedule(const Algorithm& algorithm, const Problem& problem, uint32_t parts);
    Status size_scratch(const Call& call, Chosen& chosen);
    Status share(cuda::DeviceMemory& memory, uint64_t bytes, ExportedBuffer& exported);
    Status prepare_out(const Call& call, const Buffers& buffers, Prepared& out);

    // native.cpp: what it does when all have come.
    Status reach_peers(Prepared& prepared);
    Status probe(const Status& reached, Path& path);
    Status start(Prepared& prepared);
    Status start_round(const Prepared& prepared, uint32_t round);
    Result<cuda::Plan> plan(const Prepared& prepared, uint32_t round);
    Status bounce(const OwnBuffer& buffer, bool before);
    Status renew_flags(uint32_t span);
    Status wait_until_done(const std::string& doing);
    void count(const cuda::Plan& plan);

    // failure.cpp: how it ends when something goes wrong.
    Status give_up(const Status& status, const Prepared& prepared);
    std::string where_stuck(const Schedule& schedule);
    void drain();

    Surroundings env_;
    uint32_t rank_ = 0, n_ = 1;
    std::unique_ptr<LocalGroup> group_;
    bool native_ = false;  // as far as known; agreed on all ranks
    bool probed_ = false;
    bool broken_ = false;
    std::string description_;
    Link link_;          // what calls are priced with, the same on all ranks
    CostModel costs_;
    Override override_;
    uint64_t call_ = 0;     // number of the latest call
    uint32_t records_ = 0;  // written so far
    uint32_t epoch_ = 0;
    uint32_t round_epoch_ = 0;  // with which the latest round was started
    bool other_processes_ = false;
    bool warned_ = false;

    std::shared_ptr<cuda::Gpu> gpu_;
    std::unique_ptr<Exporter> exporter_;
    std::unique_ptr<Importer> importer_;
    ExportedBuffer pad_exported_, scratch_exported_, bounce_exported_;
    cuda::DeviceMemory scratch_, bounce_;
    std::map<std::tuple<const Algorithm*, uint32_t, bool, uint32_t>, Schedule> schedules_;  // by algorithm, root, in place, parts
    std::unique_ptr<cuda::Executor> executor_;  // goes first: what it works on outlives it
    std::string mismatch_;
};

}  // namespace stepccl
