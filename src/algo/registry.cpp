#include "algo/registry.h"

#include <bit>

#include "algo/builders.h"
#include "sched/passes.h"

namespace stepccl {
namespace {

[[maybe_unused]] uint32_t log2_ceil(uint32_t n) { return static_cast<uint32_t>(std::bit_width(n - 1)); }

constexpr Algorithm kRows[] = {
#define STEPCCL_ALGORITHM(kind, name, reorders, blocks, steps, sent, help)                            \
    {Kind::kind,                                                                                      \
     #name,                                                                                           \
     reorders,                                                                                        \
     []([[maybe_unused]] uint32_t n) -> uint32_t { return blocks; },                                  \
     []([[maybe_unused]] uint32_t n) -> uint32_t { return steps; },                                   \
     []([[maybe_unused]] uint32_t n) -> uint32_t { return sent; },                                    \
     help,                                                                                            \
     algo::kind##_##name},
#include "algo/algorithms.def"
#undef STEPCCL_ALGORITHM
};

}  // namespace

std::span<const Algorithm> algorithms() noexcept { return kRows; }

const Algorithm* find_algorithm(Kind kind, std::string_view name) noexcept {
    for (const Algorithm& row : kRows) {
        if (row.kind == kind && name == row.name) return &row;
    }
    return nullptr;
}

Schedule build(const Algorithm& algorithm, const Problem& problem, uint32_t rank, uint32_t parts) {
    Builder builder(problem, rank, algorithm.blocks(problem.n));
    algorithm.build(builder);
    Schedule schedule = chunk(std::move(builder).finish(), parts);
    schedule.algorithm = algorithm.name;
    return schedule;
}

}  // namespace stepccl
