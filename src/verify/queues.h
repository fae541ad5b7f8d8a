// Steps on hardware queues, run until all are done or none can go on.
#pragma once

#include <span>
#include <vector>

#include "verify/findings.h"
#include "verify/program.h"

namespace stepccl::prover {

class Queues {
  public:
    Queues(const Program& program, LaneMap map);

    // Queues of all ranks; those of one rank stand together.
    uint32_t count() const noexcept { return static_cast<uint32_t>(first_.size()) - 1; }
    uint32_t first_of_rank(uint32_t rank) const { return first_of_rank_[rank]; }
    uint32_t queue(uint32_t node) const { return queue_[node]; }
    std::span<const uint32_t> nodes(uint32_t queue) const {
        return {list_.data() + first_[queue], first_[queue + 1] - first_[queue]};
    }

  private:
    std::vector<uint32_t> first_of_rank_;  // queue, by rank, and the end
    std::vector<uint32_t> queue_;          // by node
    std::vector<uint32_t> first_;          // position in list_, by queue, and the end
    std::vector<uint32_t> list_;           // nodes, queue by queue, in program order
};

// The nodes in an order in which they can run. When some cannot, a finding says who waits for whom, and the order is
// partial. What can run does not depend on who goes first, since waiting takes nothing away: one order proves it for
// all.
std::vector<uint32_t> run_queues(const Program& program, const Queues& queues, LaneMap map, Findings& findings);

}  // namespace stepccl::prover
