// All-to-all by pushing: every rank copies block d into the buffer of rank d, the rank after it first. In place the blocks are
// put aside before anybody may overwrite them.
// Steps: 1. Every rank sends n - 1 blocks.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void alltoall_direct(Builder& b) {
    uint32_t lane = b.copy_lane(), ready = b.flag_once(), sent = b.flag();
    uint32_t slots = b.in_place() ? b.scratch(b.n()) : 0;
    auto source = [&](uint32_t peer) { return b.in_place() ? b.scratch(b.rank(), slots + peer, peer) : b.in(b.rank(), peer); };
    for (uint32_t d = 1; b.in_place() && d < b.n(); ++d) {
        b.copy(lane, source(b.ahead(d)), b.in(b.rank(), b.ahead(d)), Repeat::first);
    }
    enter_all(b, lane, ready);
    for (uint32_t d = 1; d < b.n(); ++d) b.copy(lane, b.out(b.ahead(d), b.rank()), source(b.ahead(d)));
    signal_all(b, lane, sent);
    if (!b.in_place()) b.copy(lane, b.out(b.rank(), b.rank()), b.in(b.rank(), b.rank()));
    wait_all(b, lane, sent, Repeat::last);
}

}  // namespace stepccl::algo
