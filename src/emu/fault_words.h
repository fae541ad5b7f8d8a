// The grammar of STEPCCL_EMU_FAULTS.
#pragma once

#include <string_view>

#include "emu/config.h"

namespace stepccl::emu {

// Strict: any word that is unknown or malformed is an error. With `rank=R` the faults are those of rank R alone:
// another `own_rank` gets none.
Result<Faults> parse_faults(std::string_view text, std::string_view own_rank);

}  // namespace stepccl::emu
