// Exclusive scan along the chain of ranks: each keeps what the rank before it hands on, and hands on that with its own vector added.
// Steps: n - 1. Every rank but the last sends S.

#include "algo/builders.h"

namespace stepccl::algo {

void exscan_chain(Builder& b) {
    uint32_t lane = b.copy_lane(), reduce = b.reduce_lane(), ready = b.flag_once(), sent = b.flag();
    uint32_t before = b.scratch(1), with_own = b.scratch(1), r = b.rank();
    bool first = r == 0, last = r == b.n() - 1;
    if (!first) b.signal(lane, r - 1, ready, Repeat::first);
    if (!last) b.wait(lane, r + 1, ready, Repeat::first);
    Operand arrived = b.scratch(r, before, 0), handed_on = first ? b.in(r, 0) : b.scratch(r, with_own, 0);
    if (!first) {
        b.wait(reduce, r - 1, sent);
        if (!last) b.reduce(reduce, handed_on, {arrived, b.in(r, 0)});
        b.reduce(reduce, b.out(r, 0), {arrived});
    }
    if (last) return;
    b.copy(lane, b.scratch(r + 1, before, 0), handed_on);
    b.signal(lane, r + 1, sent);
}

}  // namespace stepccl::algo
