// What several algorithms have in common. Ranks, blocks and flags as in Builder.
#pragma once

#include "sched/builder.h"

namespace stepccl::algo {

// This rank's buffers may be written from now on: tells every other rank, and waits until all have told the same. Waiting for
// all before the first copy leaves the copies in one run, which the engine posts as a batch.
void enter_all(Builder& b, uint32_t lane, uint32_t ready);

// The same between a root that writes and the others that are written to, and the other way round.
void enter_root_writes(Builder& b, uint32_t lane, uint32_t ready);
void enter_root_is_written(Builder& b, uint32_t lane, uint32_t ready);

// Signals `flag` to every other rank, nearest first; waits for it from every other rank.
void signal_all(Builder& b, uint32_t lane, uint32_t flag, Repeat repeat = Repeat::each);
void wait_all(Builder& b, uint32_t lane, uint32_t flag, Repeat repeat = Repeat::each);

// Copies input block d into scratch slot (first_slot + own rank) of rank d, for all d but this rank, and says so by `sent`.
void scatter_inputs(Builder& b, uint32_t lane, uint32_t first_slot, uint32_t sent);

// The sources of a reduction of `block` in rank order: own input, the others' from their slots.
std::vector<Operand> ranked_sources(const Builder& b, uint32_t first_slot, uint32_t block);

// One lap of the ring of ranks in which blocks are reduced on their way: rank r ends with block r, in `result`. A rank uses
// n - 1 slots from first_slot on.
struct Ring {
    uint32_t copy_lane, reduce_lane;
    uint32_t first_slot;
    uint32_t arrived;  // flag: what the rank before sent is here
};
void ring_reduce_scatter(Builder& b, const Ring& ring, Operand result);

// One lap in which block r, in `own`, reaches every rank's output.
void ring_allgather(Builder& b, uint32_t lane, Operand own, uint32_t arrived);

// The rank behind may write here; waits until the rank ahead may be written to.
void enter_ring(Builder& b, uint32_t lane, uint32_t ready);

}  // namespace stepccl::algo
