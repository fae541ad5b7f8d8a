// Collects what the reduce lane does into the entries of one kernel launch.
#pragma once

#include <vector>

#include "engine/cuda/plan.h"

namespace stepccl::cuda {

struct Range {
    DevicePtr address = 0;
    uint64_t bytes = 0;
    bool overlaps(const Range& other) const {
        return address < other.address + other.bytes && other.address < address + bytes;
    }
};

class KernelBuilder {
  public:
    bool empty() const noexcept { return entries_.empty(); }

    // Waits hold the next reduction, signals follow the last one.
    void wait(const FlagOp& op);
    void signal(const FlagOp& op);
    // All ranges have the same size. Returns the reduction's number, from 1 on.
    uint32_t reduce(const Range& dst, const std::vector<Range>& srcs, uint64_t count);
    // The lane's own flag shall be raised to `number` when that reduction is done, since somebody waits for it.
    void announce(uint32_t number) { entries_[entry_of_[number - 1]].announced = number; }
    uint32_t reductions() const noexcept { return static_cast<uint32_t>(entry_of_.size()); }

    // `lane_flag` is where the lane's own flag lies.
    KernelWork finish(DevicePtr lane_flag) &&;

  private:
    struct Entry {
        Range dst;
        std::vector<Range> srcs;
        uint64_t count = 0;
        std::vector<FlagOp> waits, signals;
        std::vector<uint32_t> after;  // numbers of reductions of this launch
        uint32_t announced = 0;
    };

    Entry& open();
    void keep_in_order(Entry& entry);
    static void append(KernelWork& work, const FlagOp& op);

    std::vector<Entry> entries_;
    std::vector<uint32_t> entry_of_;  // by number - 1
};

}  // namespace stepccl::cuda
