// The algorithms and problems that stepccl_sched works through.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algo/registry.h"
#include "base/status.h"
#include "verify/verify.h"

namespace stepccl::tools {

struct Case {
    const Algorithm* algorithm = nullptr;
    Problem problem;
    uint32_t parts = 1;
};

// "allreduce ring n=8 in-place parts=2"
std::string to_text(const Case& one);
std::vector<Schedule> build_all(const Case& one);
Options options_for(const Case& one);

// Every case of an algorithm with n ranks: each root up to 16 ranks and three beyond, out of place and, if that
// differs, in place.
std::vector<Case> cases_of(const Algorithm& algorithm, uint32_t n, const std::vector<uint32_t>& parts);

// With a hint when there is none of that name.
Result<const Algorithm*> algorithm_named(std::string_view kind, std::string_view name);
// All algorithms of a kind.
Result<std::vector<const Algorithm*>> algorithms_of(std::string_view kind);

}  // namespace stepccl::tools
