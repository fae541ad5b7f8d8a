// All-gather on a ring: every rank hands on the block that it got last.
// Steps: n - 1. Every rank sends n - 1 blocks, all to the rank after it.

#include <algorithm>

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void allgather_ring(Builder& b) {
    uint32_t lane = b.copy_lane(), local = b.copy_lane(), ready = b.flag_once(), arrived = b.flag();
    b.epochs(std::max(b.n() - 1, 1u));
    b.order(Order::by_step);
    Operand own = b.in(b.rank(), b.rank());
    if (!b.in_place()) b.copy(local, b.out(b.rank(), b.rank()), own);
    enter_ring(b, lane, ready);
    ring_allgather(b, lane, own, arrived);
}

}  // namespace stepccl::algo
