// The memory that steps touch, as numbered cells: one a rank, buffer, block (or scratch slot) and part.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "coll/placement.h"
#include "sched/text.h"

namespace stepccl::prover {

class Memory {
  public:
    explicit Memory(const Schedule& any) : blocks_(any.blocks), parts_(any.parts), slots_(any.scratch_slots) {
        for (uint32_t rank = 0; rank < any.problem.n; ++rank) alias_.push_back(alias(any.problem, rank));
    }

    uint32_t parts() const noexcept { return parts_; }
    uint32_t slots() const noexcept { return slots_; }
    uint32_t cells() const noexcept { return static_cast<uint32_t>(alias_.size()) * stride(); }
    Alias alias_of(uint32_t rank) const { return alias_[rank]; }

    // The cell of part 0; the other parts follow. Under Alias::same, in and out are the same cells.
    uint32_t cell(const Operand& operand) const {
        uint32_t base = operand.rank * stride();
        switch (operand.space) {
            case Space::in:
                if (alias_[operand.rank] != Alias::same) return base + operand.block * parts_;
                [[fallthrough]];
            case Space::out:
                return base + (blocks_ + operand.block) * parts_;
            case Space::scratch:
                return base + (2 * blocks_ + operand.slot) * parts_;
        }
        return base;
    }
    // A number for each scratch slot of each rank.
    uint32_t slot(const Operand& operand) const { return operand.rank * slots_ + operand.slot; }
    uint32_t all_slots() const noexcept { return static_cast<uint32_t>(alias_.size()) * slots_; }

    // First and one past the last part that a step touches.
    std::pair<uint32_t, uint32_t> range(uint32_t part) const {
        return part == kWhole ? std::pair(0U, parts_) : std::pair(part, part + 1);
    }

    // Whether two operands of one step share memory, and whether they are exactly the same memory.
    bool overlap(const Operand& a, const Operand& b) const {
        if (a.rank != b.rank) return false;
        bool in_out = a.space != b.space && a.space != Space::scratch && b.space != Space::scratch;
        return cell(a) == cell(b) || (in_out && alias_[a.rank] == Alias::front);
    }
    bool same(const Operand& a, const Operand& b) const { return cell(a) == cell(b) && a.block == b.block; }

    std::string text(const Operand& operand, uint32_t part) const {
        return parts_ == 1 ? to_text(operand) : cat(to_text(operand), " part ", part);
    }

  private:
    uint32_t stride() const noexcept { return (2 * blocks_ + slots_) * parts_; }

    uint32_t blocks_, parts_, slots_;
    std::vector<Alias> alias_;
};

}  // namespace stepccl::prover
