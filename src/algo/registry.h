// The algorithms; the rows are in algorithms.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sched/builder.h"

namespace stepccl {

struct Algorithm {
    Kind kind;
    const char* name;
    bool reorders;                  // folds in another order than that of the ranks: for commutative operations only
    uint32_t (*blocks)(uint32_t n); // Schedule::blocks
    uint32_t (*steps)(uint32_t n);  // hops of data one after the other (of signals, for barrier), for n >= 3; no more below
    uint32_t (*sent)(uint32_t n);   // blocks that the busiest rank sends to others, for n >= 3; no more below
    const char* help;
    void (*build)(Builder& builder);
};

// All of them, in the order of algorithms.def: by kind, the most general first.
std::span<const Algorithm> algorithms() noexcept;
// Null when there is none of that name.
const Algorithm* find_algorithm(Kind kind, std::string_view name) noexcept;

// One rank's schedule, in `parts` parts.
Schedule build(const Algorithm& algorithm, const Problem& problem, uint32_t rank, uint32_t parts);

}  // namespace stepccl
