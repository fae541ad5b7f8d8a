#include "algo/phases.h"

namespace stepccl::algo {

void enter_all(Builder& b, uint32_t lane, uint32_t ready) {
    signal_all(b, lane, ready, Repeat::first);
    wait_all(b, lane, ready, Repeat::first);
}

void enter_root_writes(Builder& b, uint32_t lane, uint32_t ready) {
    if (b.is_root()) {
        wait_all(b, lane, ready, Repeat::first);
    } else {
        b.signal(lane, b.root(), ready, Repeat::first);
    }
}

void enter_root_is_written(Builder& b, uint32_t lane, uint32_t ready) {
    if (b.is_root()) {
        signal_all(b, lane, ready, Repeat::first);
    } else {
        b.wait(lane, b.root(), ready, Repeat::first);
    }
}

void signal_all(Builder& b, uint32_t lane, uint32_t flag, Repeat repeat) {
    for (uint32_t d = 1; d < b.n(); ++d) b.signal(lane, b.ahead(d), flag, repeat);
}

void wait_all(Builder& b, uint32_t lane, uint32_t flag, Repeat repeat) {
    for (uint32_t d = 1; d < b.n(); ++d) b.wait(lane, b.behind(d), flag, repeat);
}

void scatter_inputs(Builder& b, uint32_t lane, uint32_t first_slot, uint32_t sent) {
    for (uint32_t d = 1; d < b.n(); ++d) {
        uint32_t peer = b.ahead(d);
        b.copy(lane, b.scratch(peer, first_slot + b.rank(), peer), b.in(b.rank(), peer));
    }
    signal_all(b, lane, sent);
}

std::vector<Operand> ranked_sources(const Builder& b, uint32_t first_slot, uint32_t block) {
    std::vector<Operand> sources;
    for (uint32_t rank = 0; rank < b.n(); ++rank) {
        sources.push_back(rank == b.rank() ? b.in(rank, block) : b.scratch(b.rank(), first_slot + rank, block));
    }
    return sources;
}

void ring_reduce_scatter(Builder& b, const Ring& ring, Operand result) {
    if (b.n() == 1) return b.reduce(ring.reduce_lane, result, {b.in(0, 0)});
    uint32_t next = b.ahead(1), last = b.n() - 2;
    Operand partial = b.in(b.rank(), b.behind(1));
    for (uint32_t step = 0; step <= last; ++step) {
        // Block behind(step + 1) goes on; the block behind it comes in and takes this rank's input along.
        b.copy(ring.copy_lane, b.scratch(next, ring.first_slot + step, b.behind(step + 1)), partial);
        b.signal(ring.copy_lane, next, ring.arrived);
        b.wait(ring.reduce_lane, b.behind(1), ring.arrived);
        uint32_t block = b.behind(step + 2);
        Operand arrived = b.scratch(b.rank(), ring.first_slot + step, block);
        partial = step == last ? result : arrived;
        b.reduce(ring.reduce_lane, partial, {arrived, b.in(b.rank(), block)});
    }
}

void ring_allgather(Builder& b, uint32_t lane, Operand own, uint32_t arrived) {
    uint32_t next = b.ahead(1);
    Operand block = own;
    for (uint32_t step = 0; step + 1 < b.n(); ++step) {
        b.copy(lane, b.out(next, b.behind(step)), block);
        b.signal(lane, next, arrived);
        b.wait(lane, b.behind(1), arrived);
        block = b.out(b.rank(), b.behind(step + 1));
    }
}

void enter_ring(Builder& b, uint32_t lane, uint32_t ready) {
    if (b.n() == 1) return;
    b.signal(lane, b.behind(1), ready, Repeat::first);
    b.wait(lane, b.ahead(1), ready, Repeat::first);
}

}  // namespace stepccl::algo
