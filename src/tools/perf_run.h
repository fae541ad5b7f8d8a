// Runs one case: times it, counts what the engines did, checks the result.
#pragma once

#include "base/status.h"
#include "tools/perf_ranks.h"
#include "tools/perf_report.h"

namespace stepccl::tools {

struct PerfSession {
    PerfOptions options;
    Ranks* ranks = nullptr;
    stepccl_comm_t* comm = nullptr;  // with --via api
};

// Collective. The row is the same on every rank.
Result<PerfRow> run_case(PerfSession& session, const PerfCase& which);

}  // namespace stepccl::tools
