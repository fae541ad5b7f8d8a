// Really runs the schedules of all ranks on small data in a random interleaving, several calls back to back, and says
// whether every rank got what MPI asks. Shares nothing with the prover: it is what the prover's verdicts on mutants are
// judged by.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "verify/verify.h"

namespace stepccl {

// Empty when all went well; otherwise what went wrong first, in words. Accesses out of range are found as well.
std::string execute(std::span<const Schedule> ranks, const Options& options, std::mt19937& random);

// Up to `times` runs, until one goes wrong.
std::string execute_often(std::span<const Schedule> ranks, const Options& options, std::mt19937& random,
                          uint32_t times);

}  // namespace stepccl
