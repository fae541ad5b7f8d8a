// Gather: every rank copies its block into the root's buffer.
// Steps: 1. Every rank but the root sends one block.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void gather_direct(Builder& b) {
    uint32_t lane = b.copy_lane(), ready = b.flag_once(), sent = b.flag();
    enter_root_is_written(b, lane, ready);
    if (!b.is_root() || !b.in_place()) b.copy(lane, b.out(b.root(), b.rank()), b.in(b.rank(), b.rank()));
    if (b.is_root()) return wait_all(b, lane, sent, Repeat::last);
    b.signal(lane, b.root(), sent);
}

}  // namespace stepccl::algo
