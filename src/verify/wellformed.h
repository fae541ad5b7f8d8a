// What one look at the schedules can check: that they fit together, and that every step is one that can be.
#pragma once

#include <span>

#include "verify/findings.h"

namespace stepccl::prover {

void check_form(std::span<const Schedule> ranks, Findings& findings);

}  // namespace stepccl::prover
