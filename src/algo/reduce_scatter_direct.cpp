// Reduce-scatter in one hop: rank b gets block b of every rank and reduces it in rank order. In place the result lies across the input's blocks, so
// it is put aside and copied when the whole input has been used.
// Steps: 1. Every rank sends n - 1 blocks.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {

void reduce_scatter_direct(Builder& b) {
    uint32_t lane = b.copy_lane(), reduce = b.reduce_lane(), ready = b.flag_once(), sent = b.flag();
    uint32_t slots = b.scratch(b.n());
    Operand own = b.out(b.rank(), b.rank());
    Operand result = b.in_place() ? b.scratch(b.rank(), b.scratch(1), b.rank()) : own;
    enter_all(b, lane, ready);
    scatter_inputs(b, lane, slots, sent);
    wait_all(b, reduce, sent);
    b.reduce(reduce, result, ranked_sources(b, slots, b.rank()));
    if (b.in_place()) b.copy(lane, own, result, Repeat::last);
}

}  // namespace stepccl::algo
