// Small data in real memory for execute.h: every element shows what was folded into it, in which order and how
// bracketed.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "coll/layout.h"
#include "coll/placement.h"
#include "sched/schedule.h"

namespace stepccl::sample {

struct Element {
    uint64_t factor = 0, shift = 0;  // the map x -> factor x + shift: composing maps does not commute
    uint64_t sum = 0;                // commutes
    uint64_t tree = 0;               // neither commutes nor associates
    bool operator==(const Element&) const = default;
};

// Never the same twice: `stamp` tells who wrote it.
Element garbage(uint64_t stamp);
Element input(uint32_t call, uint32_t rank, uint32_t block, uint64_t index);
Element combine(std::span<const Element> elements);

using Region = std::span<Element>;

// The buffers of all ranks, laid out as a call with uneven blocks would have them.
class Memory {
  public:
    Memory(const Schedule& any, std::mt19937& random);

    bool exists(const Operand& operand) const;
    // Asked only of what exists.
    Region region(const Operand& operand, uint32_t part);
    Region block(uint32_t rank, Space space, uint32_t block) { return region({rank, space, 0, block}, kWhole); }

    // All that a caller owns on `rank`, and the scratch that the library owns there.
    std::vector<Region> caller(uint32_t rank);
    Region scratch(uint32_t rank) { return buffers_[rank].scratch; }

  private:
    struct Buffers {
        std::vector<Element> in, out, scratch;
        Layout in_layout, out_layout, sizes;  // sizes: of the blocks that may come into scratch here
    };
    uint64_t size(uint32_t from, uint32_t block) const;
    Layout layout(uint32_t rank, Space space) const;
    void allocate(uint32_t rank);

    Problem problem_;
    uint32_t blocks_, parts_, slots_;
    std::vector<uint64_t> sizes_;  // of alltoall by (sender, receiver), else by block
    uint64_t largest_ = 0;
    std::vector<Buffers> buffers_;
};

}  // namespace stepccl::sample
