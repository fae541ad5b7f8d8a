// All-reduce on a ring: on the first lap blocks are reduced on their way, on the second the results are spread. Every block is folded in the order
// in which it meets the ranks, so this reorders; the bits are the same on all ranks, since each block is reduced once.
// Steps: 2 (n - 1). Every rank sends 2 (n - 1) S / n, all to the rank after it. Patarasuk, Yuan 2009.

#include <algorithm>

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void allreduce_ring(Builder& b) {
    Ring ring{b.copy_lane(), b.reduce_lane(), b.scratch(b.n() - 1), b.flag()};
    uint32_t ready = b.flag_once(), spread = b.flag();
    b.epochs(std::max(b.n() - 1, 1u));
    b.order(Order::by_step);
    enter_ring(b, ring.copy_lane, ready);
    ring_reduce_scatter(b, ring, b.out(b.rank(), b.rank()));
    ring_allgather(b, ring.copy_lane, b.out(b.rank(), b.rank()), spread);
}

}  // namespace stepccl::algo
