// All-reduce in two hops: rank b gets block b of every rank, reduces it in rank order, and copies it into the buffers of all. The second hop has a
// lane of its own, so that the first hop of the next part does not wait for a reduction.
// Steps: 2. Every rank sends 2 (n - 1) S / n.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void allreduce_two_shot(Builder& b) {
    uint32_t scatter = b.copy_lane(), reduce = b.reduce_lane(), spread = b.copy_lane();
    uint32_t ready = b.flag_once(), scattered = b.flag(), gathered = b.flag();
    uint32_t slots = b.scratch(b.n());
    Operand own = b.out(b.rank(), b.rank());
    enter_all(b, scatter, ready);
    scatter_inputs(b, scatter, slots, scattered);
    wait_all(b, reduce, scattered);
    b.reduce(reduce, own, ranked_sources(b, slots, b.rank()));
    for (uint32_t d = 1; d < b.n(); ++d) b.copy(spread, b.out(b.ahead(d), b.rank()), own);
    signal_all(b, spread, gathered);
    wait_all(b, spread, gathered, Repeat::last);
}

}  // namespace stepccl::algo
