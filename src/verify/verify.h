// The prover: takes the schedules of all ranks as they would run, after every pass, and says what is wrong with them.
// What it accepts is right for every count, type and address, since schedules know none. It shares no code with Builder
// or the passes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sched/schedule.h"

namespace stepccl {

enum class Fault : uint8_t {
    malformed,      // breaks a rule that one look at the schedules can check
    deadlock,       // steps that can never run
    race,           // two accesses to the same memory, at least one a write, in no order
    placement,      // an output that does not hold what MPI asks
    order,          // a reduction of the right ranks in the wrong order
    not_same_bits,  // an allreduce whose ranks fold in different ways, and so may differ in the last bits
};
const char* name_of(Fault fault) noexcept;

// How an engine puts the lanes of a rank on hardware queues. Queues are FIFOs in program order.
enum class LaneMap : uint8_t { own_queue_per_lane, one_queue_per_kind, one_queue };

struct Options {
    // Deadlock is looked for under this map and with a queue per lane; races under the latter, which orders least.
    LaneMap lane_map = LaneMap::one_queue;
    // The algorithm may fold in another order than that of the ranks.
    bool reorders = false;
    // Calls back to back, without a barrier in between. Two are enough: what is ordered between call k and k+1 is
    // ordered between all later ones.
    uint32_t calls = 2;
    // Prove it for calls of different schedules back to back as well: all use of a rank's scratch, by whomever, must
    // lie between that rank's entry and exit, as all use of the caller's memory must.
    bool any_sequence = true;
    // Texts kept; more are only counted.
    size_t texts = 8;
};

struct Finding {
    Fault fault;
    std::string text;
};

struct Report {
    std::vector<Finding> findings;
    uint64_t found = 0;  // findings, including those without a text
    uint64_t steps = 0;  // of all ranks, in one call
    uint32_t hops = 0;   // longest chain of copies between ranks that hand one value on; for barrier of signals
    double sent = 0;     // blocks that left the busiest rank
    bool ok() const noexcept { return found == 0; }
    bool has(Fault fault) const noexcept;
};

// `ranks[r]` is rank r's schedule.
Report verify(std::span<const Schedule> ranks, const Options& options);

}  // namespace stepccl
