// Reduce by the root alone: every rank copies its vector into a slot of the root, which reduces them in rank order.
// Steps: 1. Every rank but the root sends S; the root receives (n - 1) S. For small vectors.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void reduce_direct(Builder& b) {
    uint32_t lane = b.copy_lane(), reduce = b.reduce_lane(), ready = b.flag_once(), sent = b.flag();
    uint32_t slots = b.scratch(b.n());
    enter_root_is_written(b, lane, ready);
    if (b.is_root()) {
        wait_all(b, reduce, sent);
        return b.reduce(reduce, b.out(b.rank(), 0), ranked_sources(b, slots, 0));
    }
    b.copy(lane, b.scratch(b.root(), slots + b.rank(), 0), b.in(b.rank(), 0));
    b.signal(lane, b.root(), sent);
}

}  // namespace stepccl::algo
