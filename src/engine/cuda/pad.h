// A signal pad: the device memory of a rank in which the flags lie that others raise for it, its own flags between lanes, and the counters
// of its reduction kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepccl::cuda {

class PadLayout {
  public:
    static constexpr uint32_t kFlagsPerPair = 8;
    static constexpr uint32_t kLanes = 8;
    static constexpr uint32_t kArrivals = 16384;  // entries of one kernel launch

    explicit constexpr PadLayout(uint32_t n) : n_(n) {}

    // Byte offsets. A flag is a uint32_t with one writer.
    constexpr uint64_t flag(uint32_t writer, uint32_t index) const { return 4 * (uint64_t{writer} * kFlagsPerPair + index); }
    constexpr uint64_t lane_flag(uint32_t lane) const { return flag(n_, 0) + 4 * lane; }
    constexpr uint64_t arrivals() const { return lane_flag(kLanes); }
    constexpr size_t bytes() const { return arrivals() + 4 * kArrivals; }
    // All flags, others' and own, are the words in front of the counters.
    constexpr size_t flag_words() const { return arrivals() / 4; }

  private:
    uint32_t n_;
};

}  // namespace stepccl::cuda
