// One call as one rank makes it, and what follows from it: the problem, the buffers, the layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/datatype.h"
#include "base/status.h"
#include "coll/layout.h"
#include "coll/problem.h"

namespace stepccl {

// As stepccl_call_t, checked. Lists are empty or have n entries.
struct Call {
    Kind kind = Kind::barrier;
    const void* send = nullptr;
    void* recv = nullptr;
    uint64_t count = 0;
    std::vector<uint64_t> send_counts, send_displs, recv_counts, recv_displs;
    Datatype type = Datatype::uint8;
    Operation op = Operation::sum;
    uint32_t root = 0;
    bool in_place = false;
};

// Where a rank's symbolic buffers begin: null for one that it does not have.
struct Buffers {
    void* in = nullptr;
    void* out = nullptr;
    uint64_t in_bytes = 0;   // up to the end of the last block; 0 when nothing is read
    uint64_t out_bytes = 0;
};

Problem problem_of(const Call& call, uint32_t n);

// The layouts of the calling rank's own buffers. `blocks` is Schedule::blocks.
Layout in_layout(const Call& call, uint32_t rank, uint32_t n, uint32_t blocks);
Layout out_layout(const Call& call, uint32_t rank, uint32_t n, uint32_t blocks);
// Sizes of blocks in scratch slots, the same on all ranks as far as they matter to others.
Layout scratch_layout(const Call& call, uint32_t rank, uint32_t n, uint32_t blocks);

Buffers buffers_of(const Call& call, uint32_t rank, uint32_t n);

// Bytes of the whole message as every rank knows it; nothing where a rank knows its own share alone.
std::optional<uint64_t> common_bytes(const Call& call, uint32_t n);
// Whether MPI makes `count` equal on all ranks.
bool count_is_common(const Call& call);

// Whether other ranks write into a rank's output buffer, so that it must be shared with them.
bool out_is_shared(Kind kind);

// "allreduce of 5 float32 by sum"
std::string describe(const Call& call);

}  // namespace stepccl
