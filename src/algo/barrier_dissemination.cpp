// Barrier by dissemination. In round k every rank signals the rank 2^k ahead and waits for the one 2^k behind.
// Steps: ceil(log2 n) signals one after the other. No data. Hensgen, Finkel, Manber 1988.

#include "algo/builders.h"

namespace stepccl::algo {

void barrier_dissemination(Builder& b) {
    uint32_t lane = b.copy_lane(), come = b.flag_once();
    for (uint32_t distance = 1; distance < b.n(); distance *= 2) {
        b.signal(lane, b.ahead(distance), come, Repeat::first);
        b.wait(lane, b.behind(distance), come, Repeat::first);
    }
}

}  // namespace stepccl::algo
