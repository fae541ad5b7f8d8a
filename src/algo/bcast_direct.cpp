// Broadcast by the root alone: it copies the vector into every rank's buffer.
// Steps: 1. The root sends (n - 1) S, every other rank nothing.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void bcast_direct(Builder& b) {
    uint32_t lane = b.copy_lane(), ready = b.flag_once(), sent = b.flag();
    enter_root_writes(b, lane, ready);
    if (!b.is_root()) return b.wait(lane, b.root(), sent, Repeat::last);
    for (uint32_t d = 1; d < b.n(); ++d) b.copy(lane, b.out(b.ahead(d), 0), b.in(b.rank(), 0));
    signal_all(b, lane, sent);
}

}  // namespace stepccl::algo
