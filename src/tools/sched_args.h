// The command line of stepccl_sched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace stepccl::tools {

struct SchedArgs {
    std::string command;             // one of the rows in sched_args.cpp
    std::vector<std::string> words;  // what stands after it without dashes
    std::optional<uint32_t> n, max_n;
    uint32_t rank = 0, root = 0;
    bool in_place = false;
    std::vector<uint32_t> parts;  // empty when not given
    bool all = false, json = false;
    uint32_t seed = 1, count = 2000, runs = 200;
    bool help = false, version = false;
};

// An ERR_INVALID_ARGUMENT says what was wrong and, for a misspelt word, which was probably meant.
Result<SchedArgs> parse_sched_args(int argc, const char* const* argv);
std::string sched_usage();

}  // namespace stepccl::tools
