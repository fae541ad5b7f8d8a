// Broadcast as a scatter and an all-gather: the root deals block i to rank i, every rank copies its block to the others, and
// the root does so with the block that is its own.
// Steps: 2. The root sends 2 (n - 1) S / n, every other rank (n - 2) S / n. Van de Geijn et al.

#include "algo/builders.h"
#include "algo/phases.h"

namespace stepccl::algo {
namespace {

void deal_blocks(Builder& b, uint32_t lane, uint32_t dealt) {
    for (uint32_t d = 1; d < b.n(); ++d) b.copy(lane, b.out(b.ahead(d), b.ahead(d)), b.in(b.rank(), b.ahead(d)));
    signal_all(b, lane, dealt);
    for (uint32_t d = 1; d < b.n(); ++d) b.copy(lane, b.out(b.ahead(d), b.rank()), b.in(b.rank(), b.rank()));
    signal_all(b, lane, dealt);
}

// `visit(peer)` for every rank but this one and the root, nearest first.
template <typename Visit>
void for_others(const Builder& b, Visit visit) {
    for (uint32_t d = 1; d < b.n(); ++d) {
        if (b.ahead(d) != b.root()) visit(b.ahead(d));
    }
}

}  // namespace

void bcast_scatter_allgather(Builder& b) {
    uint32_t lane = b.copy_lane(), collect = b.copy_lane(), ready = b.flag_once(), dealt = b.flag(), spread = b.flag();
    b.epochs(2);
    enter_all(b, lane, ready);
    if (b.is_root()) return deal_blocks(b, lane, dealt);
    b.wait(lane, b.root(), dealt);
    for_others(b, [&](uint32_t peer) { b.copy(lane, b.out(peer, b.rank()), b.out(b.rank(), b.rank())); });
    for_others(b, [&](uint32_t peer) { b.signal(lane, peer, spread); });
    for_others(b, [&](uint32_t peer) { b.wait(collect, peer, spread, Repeat::last); });
    b.wait(collect, b.root(), dealt, Repeat::last);
}

}  // namespace stepccl::algo
