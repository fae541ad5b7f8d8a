// Reduce-scatter on a ring: blocks are reduced on their way, in the order in which they meet the ranks. In place as in reduce_scatter_direct.
// Steps: n - 1. Every rank sends n - 1 blocks, all to the rank after it.

#include <algorithm>

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void reduce_scatter_ring(Builder& b) {
    Ring ring{b.copy_lane(), b.reduce_lane(), b.scratch(b.n() - 1), b.flag()};
    uint32_t ready = b.flag_once();
    b.epochs(std::max(b.n() - 1, 1u));
    b.order(Order::by_step);
    Operand own = b.out(b.rank(), b.rank());
    Operand result = b.in_place() ? b.scratch(b.rank(), b.scratch(1), b.rank()) : own;
    enter_ring(b, ring.copy_lane, ready);
    ring_reduce_scatter(b, ring, result);
    if (b.in_place()) b.copy(ring.copy_lane, own, result, Repeat::last);
}

}  // namespace stepccl::algo
