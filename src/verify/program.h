// The steps of all ranks, numbered through as nodes, and which signal releases which wait.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/verify.h"

namespace stepccl::prover {

inline constexpr uint32_t kNone = UINT32_MAX;

// Of well-formed schedules only.
class Program {
  public:
    explicit Program(std::span<const Schedule> ranks);

    uint32_t n() const noexcept { return static_cast<uint32_t>(ranks_.size()); }
    uint32_t nodes() const noexcept { return first_.back(); }
    const Schedule& schedule(uint32_t rank) const { return ranks_[rank]; }
    const Problem& problem() const { return ranks_[0].problem; }
    uint32_t node(uint32_t rank, uint32_t step) const { return first_[rank] + step; }
    uint32_t rank(uint32_t node) const { return rank_[node]; }
    const Step& step(uint32_t node) const { return schedule(rank(node)).steps[node - first_[rank(node)]]; }

    // Of a wait: the signal that first raises the flag far enough, or kNone. Of a signal: the one of the same flag with
    // the next lower value, or kNone. Within one call: values of another call never lie between those of this one.
    uint32_t partner(uint32_t node) const { return partner_[node]; }

    // "rank 1, step 3 (lane 0  copy out[3]@2 <- in[3]@1)"
    std::string text(uint32_t node) const;

  private:
    struct Raise {
        uint32_t value;
        uint32_t node;
    };
    size_t key(const Flag& flag) const;
    void list_signals();
    void pair_flags();

    std::span<const Schedule> ranks_;
    std::vector<uint32_t> first_;        // node of each rank's step 0, and the end
    std::vector<uint32_t> rank_;         // by node
    std::vector<uint32_t> partner_;      // by node
    std::vector<uint32_t> first_raise_;  // by flag key
    std::vector<Raise> raises_;          // by flag, in the order of their values
};

}  // namespace stepccl::prover
