// Races: every two accesses to the same memory, one of them a write, must be ordered, in all calls that follow each
// other, and so must those of the callers before they enter and after they leave.
#pragma once

#include "verify/queues.h"

namespace stepccl::prover {

// `order` as from run_queues, complete; `queues` of own_queue_per_lane.
void check_races(const Program& program, const Queues& queues, std::span<const uint32_t> order, const Options& options,
                 Findings& findings);

}  // namespace stepccl::prover
