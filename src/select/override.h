// What a user wants instead of the cost model's choice:
//   KIND[:LOW-HIGH[:RANKS]]@ALGORITHM[,parts=N], rules separated by ';', the first that fits counts.
// Sizes are bytes of the whole message, with K, M, G; either end may be left out. RANKS is n or n-m.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "select/cost.h"

namespace stepccl {

struct Rule {
    std::string text;
    const Algorithm* algorithm = nullptr;  // tells the kind
    uint64_t low = 0;
    uint64_t high = UINT64_MAX;
    uint32_t fewest_ranks = 1;
    uint32_t most_ranks = UINT32_MAX;
    uint32_t parts = 0;  // 0: the cost model decides
};

struct Override {
    std::vector<Rule> rules;
    uint32_t parts = 0;  // for calls without a rule that says; 0: the cost model decides
};

// ERR_PARAMETER with a hint.
Result<Override> parse_override(std::string_view text);

// Whether `rule` speaks of this call. One whose size not all ranks know fits only a rule for all sizes.
bool fits(const Rule& rule, const CallShape& call) noexcept;

}  // namespace stepccl
