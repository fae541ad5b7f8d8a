// Reduce as a reduce-scatter and a gather: rank b gets block b of every rank, reduces it in rank order and copies it to the root.
// Steps: 2. A rank sends n S / n: its blocks to the others and its result to the root.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void reduce_scatter_gather(Builder& b) {
    uint32_t scatter = b.copy_lane(), reduce = b.reduce_lane(), gather = b.copy_lane();
    uint32_t ready = b.flag_once(), scattered = b.flag(), gathered = b.flag();
    uint32_t slots = b.scratch(b.n()), result = b.scratch(1);
    Operand own = b.is_root() ? b.out(b.rank(), b.rank()) : b.scratch(b.rank(), result, b.rank());
    enter_all(b, scatter, ready);
    scatter_inputs(b, scatter, slots, scattered);
    wait_all(b, reduce, scattered);
    b.reduce(reduce, own, ranked_sources(b, slots, b.rank()));
    if (b.is_root()) return wait_all(b, gather, gathered, Repeat::last);
    b.copy(gather, b.out(b.root(), b.rank()), own);
    b.signal(gather, b.root(), gathered);
}

}  // namespace stepccl::algo
