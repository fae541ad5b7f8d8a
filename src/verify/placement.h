// What the outputs hold in the end, against what MPI asks (coll/placement.h).
#pragma once

#include "verify/findings.h"
#include "verify/program.h"

namespace stepccl::prover {

// Runs the steps once, in `order`; any order gives the same, once there are no races. Also fills what the report says
// of hops and blocks sent.
void check_placement(const Program& program, std::span<const uint32_t> order, const Options& options, Report& report,
                     Findings& findings);

}  // namespace stepccl::prover
