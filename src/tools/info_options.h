// The command line of stepccl_info.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "coll/kind.h"

namespace stepccl::tools {

struct InfoOptions {
    // Sections. All of them when none is named.
    bool build = false;
    bool params = false;
    bool driver = false;
    bool topology = false;
    bool algorithms = false;
    bool types = false;
    std::optional<Kind> choose;
    // For choose.
    uint64_t bytes = uint64_t{1} << 20;
    uint32_t ranks = 0;  // 0: as many as there are GPUs
    bool in_place = false;
    std::string xml;  // a recorded machine instead of this one
    bool json = false;
    bool help = false;
    bool version = false;
};

Result<InfoOptions> parse_info_options(int argc, const char* const* argv);
std::string info_usage();

}  // namespace stepccl::tools
