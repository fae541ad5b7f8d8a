// One launch of a reduction kernel on the GPU: flags, the CTA's share of each entry, and who signals.
#pragma once

#include "engine/cuda/kernels/functors.h"
#include "engine/cuda/kernels/reduce_body.h"
#include "engine/cuda/kernels/reduce_work.h"

namespace stepccl::kernels {

__device__ __forceinline__ uint32_t load_acquire_system(uint64_t address) {
    uint32_t value;
    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

__device__ __forceinline__ void store_release_system(uint64_t address, uint32_t value) {
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

// Sleeps longer the longer it lasts, so that a CTA that waits leaves its SM's issue slots to the application.
__device__ __forceinline__ void wait_for(FlagRef flag) {
    unsigned sleep_ns = 16;
    while (static_cast<int32_t>(load_acquire_system(flag.address) - flag.value) < 0) {
        __nanosleep(sleep_ns);
        if (sleep_ns < 256) sleep_ns *= 2;
    }
}

// Runs of N elements read one by one: right for any address that is aligned for the element's C type.
struct ByElement {
    template <unsigned N, typename Element>
    static __device__ __forceinline__ void read(const Element* from, Element (&to)[N]) {
#pragma unroll
        for (unsigned i = 0; i < N; ++i) to[i] = from[i];
    }
    template <unsigned N, typename Element>
    static __device__ __forceinline__ void write(const Element (&from)[N], Element* to) {
#pragma unroll
        for (unsigned i = 0; i < N; ++i) to[i] = from[i];
    }
};

// Runs of 16 bytes at a 16-byte boundary, by one instruction.
struct ByVector {
    template <unsigned N, typename Element>
    static __device__ __forceinline__ void read(const Element* from, Element (&to)[N]) {
        static_assert(sizeof to == sizeof(uint4));
        const uint4 vector = *reinterpret_cast<const uint4*>(from);
        __builtin_memcpy(&to, &vector, sizeof vector);
    }
    template <unsigned N, typename Element>
    static __device__ __forceinline__ void write(const Element (&from)[N], Element* to) {
        uint4 vector;
        __builtin_memcpy(&vector, &from, sizeof vector);
        *reinterpret_cast<uint4*>(to) = vector;
    }
};

// Folds this CTA's tiles of the `runs` runs of N elements that begin at element `begin`.
template <typename Functor, typename Access, unsigned U, unsigned N>
__device__ __forceinline__ void fold_tiles(const Operands<typename Functor::Element>& operands, uint64_t begin,
                                           uint64_t runs) {
    const unsigned tile = U * blockDim.x;
#pragma unroll 1
    for (uint64_t run = uint64_t{blockIdx.x} * tile; run < runs; run += uint64_t{gridDim.x} * tile) {
        uint64_t mine = run + threadIdx.x;
        if (run + tile <= runs) {
            fold<Functor, Access, U, N>(operands, begin + mine * N, blockDim.x * N);
        } else {
#pragma unroll 1
            for (; mine < runs; mine += blockDim.x) fold<Functor, Access, 1, N>(operands, begin + mine * N, 0);
        }
    }
}

// How many runs a thread has under way: 2, or 1 where 2 would not leave a thread within 32 registers. A one-warp CTA
// of 32 registers still finds room on an SM beside a GEMM that takes all but 1024 of them.
template <typename Functor, unsigned N>
__device__ constexpr unsigned runs_at_once() {
    constexpr size_t value = sizeof(typename Functor::Accumulator) < 4 ? 4 : sizeof(typename Functor::Accumulator);
    return N * value > 32 ? 1 : 2;
}

// This CTA's share of an entry's elements. Another way to move them (bulk copies through shared memory, say) would be
// chosen here.
template <typename Functor>
__device__ __forceinline__ void fold_share(const Operands<typename Functor::Element>& operands, uint64_t count) {
    constexpr unsigned N = 16 / sizeof(typename Functor::Element);
    const uint64_t head = elements_to_boundary(operands, count);
    const uint64_t vectors = (count - head) / N;
    fold_tiles<Functor, ByVector, runs_at_once<Functor, N>(), N>(operands, head, vectors);
    // What is left: [0, head), then [rest, count). One body for both keeps the code small.
    const uint64_t rest = head + vectors * N;
#pragma unroll 1
    for (unsigned part = 0; part < 2; ++part) {
        fold_tiles<Functor, ByElement, runs_at_once<Functor, 1>(), 1>(operands, part == 0 ? 0 : rest,
                                                                      part == 0 ? head : count - rest);
    }
}

// Called by one thread of each CTA once the CTA has finished the entry; the last one tells those who wait. The fences
// around the counter order every CTA's writes before the signals, for whoever sees these.
__device__ __forceinline__ void finish(const ReduceWork& work, const ReduceEntry& entry, uint32_t index) {
    uint32_t* arrivals = reinterpret_cast<uint32_t*>(work.arrivals) + index;
    __threadfence_system();
    if (atomicAdd(arrivals, 1) != gridDim.x - 1) return;
    __threadfence_system();
    *arrivals = 0;
    const FlagRef* signals = reinterpret_cast<const FlagRef*>(work.flags) + entry.first_signal;
#pragma unroll 1
    for (uint32_t i = 0; i < entry.nsignals; ++i) store_release_system(signals[i].address, signals[i].value);
}

template <typename Functor>
__device__ __forceinline__ void reduce_entries(const ReduceWork& work) {
    const ReduceEntry* entries = reinterpret_cast<const ReduceEntry*>(work.entries);
    const FlagRef* flags = reinterpret_cast<const FlagRef*>(work.flags);
#pragma unroll 1
    for (uint32_t e = 0; e < work.nentries; ++e) {
        const ReduceEntry& entry = entries[e];
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (uint32_t i = 0; i < entry.nwaits; ++i) wait_for(flags[entry.first_wait + i]);
        }
        __syncthreads();
        if (entry.count > 0) {
            const uint64_t* srcs = reinterpret_cast<const uint64_t*>(work.srcs) + entry.first_src;
            fold_share<Functor>(Operands<typename Functor::Element>(entry.dst, srcs, entry.nsrc), entry.count);
        }
        __syncthreads();
        if (threadIdx.x == 0) finish(work, entry, e);
    }
}

}  // namespace stepccl::kernels
