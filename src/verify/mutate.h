// Breaks schedules at random, to see that the prover objects.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sched/schedule.h"

namespace stepccl {

// Changes one thing of one rank and says what: a step is deleted, doubled or changes place with another, a dependency
// is dropped, a wait asks for less, or a flag, part or block is another. Empty when the schedules have nothing to
// change.
std::string mutate(std::vector<Schedule>& ranks, std::mt19937& random);

}  // namespace stepccl
