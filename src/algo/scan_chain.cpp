// Scan along the chain of ranks: each adds its vector to what the rank before it hands on, and hands on the result. Parts follow one another along
// the chain.
// Steps: n - 1. Every rank but the last sends S.

#include "algo/builders.h"

namespace stepccl::algo {

void scan_chain(Builder& b) {
    uint32_t lane = b.copy_lane(), reduce = b.reduce_lane(), ready = b.flag_once(), sent = b.flag();
    uint32_t before = b.scratch(1), r = b.rank();
    bool first = r == 0, last = r == b.n() - 1;
    if (!first) b.signal(lane, r - 1, ready, Repeat::first);
    if (!last) b.wait(lane, r + 1, ready, Repeat::first);
    if (!first) {
        b.wait(reduce, r - 1, sent);
        b.reduce(reduce, b.out(r, 0), {b.scratch(r, before, 0), b.in(r, 0)});
    } else if (!b.in_place()) {
        b.copy(lane, b.out(r, 0), b.in(r, 0));
    }
    if (last) return;
    b.copy(lane, b.scratch(r + 1, before, 0), first ? b.in(r, 0) : b.out(r, 0));
    b.signal(lane, r + 1, sent);
}

}  // namespace stepccl::algo
