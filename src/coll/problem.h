// What is to be done, as far as an algorithm may know: no counts, no addresses, no types.
#pragma once

#include <cstdint>

#include "coll/kind.h"

namespace stepccl {

struct Problem {
    Kind kind = Kind::barrier;
    uint32_t n = 1;     // ranks
    uint32_t root = 0;  // of rooted kinds
    // The input is where the result goes (see Alias); for gather, scatter and reduce at the root only.
    bool in_place = false;

    bool operator==(const Problem&) const = default;
};

}  // namespace stepccl
