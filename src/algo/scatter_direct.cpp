// Scatter: the root copies every rank its block.
// Steps: 1. The root sends n - 1 blocks.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void scatter_direct(Builder& b) {
    uint32_t lane = b.copy_lane(), ready = b.flag_once(), sent = b.flag();
    enter_root_writes(b, lane, ready);
    if (!b.is_root()) return b.wait(lane, b.root(), sent, Repeat::last);
    for (uint32_t d = 1; d < b.n(); ++d) b.copy(lane, b.out(b.ahead(d), b.ahead(d)), b.in(b.rank(), b.ahead(d)));
    signal_all(b, lane, sent);
    if (!b.in_place()) b.copy(lane, b.out(b.rank(), b.rank()), b.in(b.rank(), b.rank()));
}

}  // namespace stepccl::algo
