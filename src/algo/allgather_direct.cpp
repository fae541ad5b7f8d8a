// All-gather by pushing: every rank copies its block into the buffers of all others, beginning with the rank after it, so that no
// two ranks write to the same one at a time.
// Steps: 1. Every rank sends n - 1 blocks.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void allgather_direct(Builder& b) {
    uint32_t lane = b.copy_lane(), ready = b.flag_once(), sent = b.flag();
    Operand own = b.in(b.rank(), b.rank());
    enter_all(b, lane, ready);
    for (uint32_t d = 1; d < b.n(); ++d) b.copy(lane, b.out(b.ahead(d), b.rank()), own);
    signal_all(b, lane, sent);
    if (!b.in_place()) b.copy(lane, b.out(b.rank(), b.rank()), own);
    wait_all(b, lane, sent, Repeat::last);
}

}  // namespace stepccl::algo
