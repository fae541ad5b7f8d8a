// The data of a call: what every rank brings, and what it must have in the end.
#pragma once

#include <cstdint>
#include <vector>

#include "base/datatype.h"
#include "coll/problem.h"

namespace stepccl::tools {

struct PerfCase {
    Problem problem;
    Datatype type = Datatype::float32;
    Operation op = Operation::sum;
    uint64_t count = 0;  // of the vector, or of a block
    uint64_t seed = 1;
};

// Bytes of the whole message, as nccl-tests counts.
uint64_t whole_bytes(const PerfCase& c);

// Images of a rank's two buffers, each with a guard behind it that no call may touch.
struct Images {
    std::vector<unsigned char> send, recv;
};
inline constexpr size_t kGuardBytes = 64;

// Before the call: inputs are functions of (seed, rank, element), all else is poison.
Images before(const PerfCase& c, uint32_t rank);

// How many elements of the outputs are not what they must be, and how many of all else have changed.
uint64_t wrong_elements(const PerfCase& c, uint32_t rank, const Images& before, const Images& after);

}  // namespace stepccl::tools
