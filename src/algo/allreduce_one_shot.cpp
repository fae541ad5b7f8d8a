// All-reduce in one hop: every rank copies its vector into a slot of every other rank; each reduces all of them in rank order, so that all get
// the same bits.
// Steps: 1. Every rank sends (n - 1) S. For small vectors.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void allreduce_one_shot(Builder& b) {
    uint32_t lane = b.copy_lane(), reduce = b.reduce_lane(), ready = b.flag_once(), sent = b.flag();
    uint32_t slots = b.scratch(b.n());
    enter_all(b, lane, ready);
    for (uint32_t d = 1; d < b.n(); ++d) {
        b.copy(lane, b.scratch(b.ahead(d), slots + b.rank(), 0), b.in(b.rank(), 0));
    }
    signal_all(b, lane, sent);
    wait_all(b, reduce, sent);
    b.reduce(reduce, b.out(b.rank(), 0), ranked_sources(b, slots, 0));
}

}  // namespace stepccl::algo
