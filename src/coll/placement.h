// What a collective means: which blocks a rank has, which memory they share, and what must be where in the end. The one
// source for the verifier, the tests and the data check of stepccl_perf.
//
// Blocks are named by what they hold. With B blocks in a schedule (B is n for kinds of shape blocks):
//   bcast            in: blocks 0..B-1 at the root        out: blocks 0..B-1 elsewhere (the root has no out)
//   gather           in: block r on rank r                out: blocks 0..n-1 at the root
//   scatter          in: blocks 0..n-1 at the root        out: block r on rank r
//   allgather        in: block r on rank r                out: blocks 0..n-1
//   alltoall         in: block d goes to rank d           out: block s came from rank s
//   allreduce, scan, exscan   in, out: blocks 0..B-1
//   reduce           in: blocks 0..B-1                    out: blocks 0..B-1 at the root
//   reduce_scatter   in: blocks 0..n-1                    out: block r on rank r
#pragma once

#include <cstdint>

#include "coll/problem.h"

namespace stepccl {

// How the memory of `in` and `out` is shared on one rank.
enum class Alias : uint8_t {
    none,
    same,   // block b of in is block b of out, as far as both exist
    front,  // out lies at the beginning of in, across its blocks (reduce_scatter in place)
};
Alias alias(const Problem& problem, uint32_t rank) noexcept;

// Whether `rank` has block `block` in its input or output buffer.
bool has_in(const Problem& problem, uint32_t rank, uint32_t block) noexcept;
bool has_out(const Problem& problem, uint32_t rank, uint32_t block) noexcept;

// What block `block` of a rank's output must hold when the call is complete.
struct Expected {
    enum class What : uint8_t {
        unchanged,  // what it held before (exscan's rank 0)
        copy,       // input block `block` of rank `first`
        reduction,  // input blocks `block` of ranks first..last, folded in rank order unless the operation commutes
    } what = What::unchanged;
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t block = 0;
};
// Asked only where has_out().
Expected expected(const Problem& problem, uint32_t rank, uint32_t block) noexcept;

}  // namespace stepccl
