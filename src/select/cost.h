// What a call costs: a formula over an algorithm's row and a handful of constants, the same for all algorithms.
//
//   T(parts) = call + hops * hop + rounds * reduce_start         what is there however small the message is
//            + B + (P - B) / parts                               P: everything one after the other; B: the busiest
//            resource alone
//            + parts * posting                                   what each further part costs the host
//
// The wire of the busiest rank, its reductions and its local copy are the resources.
#pragma once

#include <cstdint>
#include <optional>

#include "algo/registry.h"
#include "topo/machine.h"

namespace stepccl {

// One call, as far as all ranks know it alike. What only one rank knows must not get in here.
struct CallShape {
    Kind kind = Kind::barrier;
    uint32_t n = 1;
    // Of the whole message: the vector, or n blocks, as nccl-tests counts. Nothing where a rank knows its own share
    // alone.
    std::optional<uint64_t> bytes;
    uint32_t element_bytes = 1;
    bool commutative = true;  // the operation, of kinds that reduce
    bool in_place = false;
};

// Constants as measured on two H200 with 18 NVLinks between them, CUDA 13.0, in a virtual machine.
struct CostModel {
    double call_us = 3.8;                 // host flag, stream, host flag
    double hop_us = 6.4;                  // half a ping-pong of stream memory operations: 12.8
    double reduce_start_us = 4.31;        // a write and the wait for it inside one GPU: from copy lane to reduce lane
    double post_batch_us = 0.92;          // one copy costs 1.42 to post, 64 in one batch 32.3: so much for the batch,
    double post_copy_us = 0.50;           // and so much for each copy in it
    double post_signal_us = 0.74;         // a remote cuStreamWriteValue32
    double post_kernel_us = 1.42;         // not measured: taken for that of a copy
    double payload_share = 0.882;         // 397 GB/s come through 18 links rated 450; pinned host copies: 55 of 63
    double local_bytes_per_us = 2.06e6;   // a copy inside the GPU
    double reduce_bytes_per_us = 1.39e6;  // read and written by 16 CTAs: 464 GB/s of output from two inputs
    double unlinked_bytes_per_us = 12e3;  // between GPUs that nothing is known to link: a guess, through host memory
};

// The constants for a budget of `reduce_ctas`: each brings 87 GB/s, up to 4.2 TB/s with 132 of them.
CostModel h200_costs(uint32_t reduce_ctas);

inline constexpr uint32_t kMostParts = 64;

// The most parts that make sense: no more than elements in a block.
uint32_t most_parts(const Algorithm& algorithm, const CallShape& call);

double predict_us(const Algorithm& algorithm, const CallShape& call, const Link& link, const CostModel& model,
                  uint32_t parts);

}  // namespace stepccl
