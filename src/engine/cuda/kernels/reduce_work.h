// What one launch of a reduction kernel is told: plain data, shared by the host, the GPU kernel and its emulation.
#pragma once

#include <stdint.h>

namespace stepccl::kernels {

// A flag in some rank's signal pad. Waits compare cyclically: (int32_t)(*word - value) >= 0.
struct FlagRef {
    uint64_t address;  // of a uint32_t that this device can reach
    uint32_t value;
    uint32_t reserved;
};

// dst[i] = src[0][i] op src[1][i] op ... in this order, for i < count. dst may be one of the sources.
// nsrc == 1 copies. Begins when every wait holds; then every signal is written, after the data is visible to all.
struct ReduceEntry {
    uint64_t dst;
    uint64_t count;                   // elements
    uint32_t first_src, nsrc;         // into ReduceWork::srcs
    uint32_t first_wait, nwaits;      // into ReduceWork::flags
    uint32_t first_signal, nsignals;  // into ReduceWork::flags
};

// The argument of a kernel, passed by value. The arrays live in memory that host and device both reach.
// Entries are done in order by every CTA; an entry that needs the result of an earlier one says so by a wait.
struct ReduceWork {
    uint64_t entries;   // ReduceEntry[nentries]
    uint64_t srcs;      // uint64_t[]
    uint64_t flags;     // FlagRef[]
    uint64_t arrivals;  // uint32_t[nentries], zero at launch, zero again at the end: CTAs that finished the entry
    uint32_t nentries;
    uint32_t reserved;
};

}  // namespace stepccl::kernels
