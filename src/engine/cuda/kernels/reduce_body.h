// The fold of a ReduceEntry, shared by the GPU kernels and their emulation: which elements are touched, and in what
// order.
#pragma once

#include "engine/cuda/kernels/types.h"

#if defined(__CUDA_ARCH__)
#define STEPCCL_UNROLL _Pragma("unroll")
#define STEPCCL_ROLLED _Pragma("unroll 1")  // the compiler would unroll these too, for twice the registers
#else
#define STEPCCL_UNROLL
#define STEPCCL_ROLLED
#endif

namespace stepccl::kernels {

// Where an entry reads and writes. `first` and `second` repeat srcs[0] and srcs[1] to save the common case a look-up.
template <typename Element>
struct Operands {
    Element* dst;
    const Element* first;
    const Element* second;
    const uint64_t* srcs;
    uint32_t nsrc;

    STEPCCL_HD Operands(uint64_t dst_address, const uint64_t* sources, uint32_t count)
        : dst(reinterpret_cast<Element*>(dst_address)),
          first(source(sources[0])),
          second(count > 1 ? source(sources[1]) : nullptr),
          srcs(sources),
          nsrc(count) {}

    static STEPCCL_HD const Element* source(uint64_t address) { return reinterpret_cast<const Element*>(address); }
};

// Elements that lie before the first 16-byte boundary, if dst and all sources come to one after the same number of
// elements; otherwise, or when count ends before, count.
template <typename Element>
STEPCCL_HD uint64_t elements_to_boundary(const Operands<Element>& operands, uint64_t count) {
    const uint64_t dst = reinterpret_cast<uint64_t>(operands.dst);
    uint64_t differing = 0;
    STEPCCL_ROLLED
    for (uint32_t s = 0; s < operands.nsrc; ++s) differing |= dst ^ operands.srcs[s];
    const uint64_t bytes = (16 - dst % 16) % 16;
    if (differing % 16 != 0 || bytes % sizeof(Element) != 0) return count;
    const uint64_t elements = bytes / sizeof(Element);
    return elements < count ? elements : count;
}

// N consecutive elements at each of U places, as they are in memory. Access says how a run of N is read and written.
template <typename Element, typename Access, unsigned U, unsigned N>
struct Batch {
    Element elements[U][N];

    STEPCCL_HD void read(const Element* from, uint64_t stride) {
        STEPCCL_UNROLL
        for (unsigned u = 0; u < U; ++u) Access::read(from + u * stride, elements[u]);
    }
    STEPCCL_HD void write(Element* to, uint64_t stride) const {
        STEPCCL_UNROLL
        for (unsigned u = 0; u < U; ++u) Access::write(elements[u], to + u * stride);
    }
};

// What a Batch's elements have been folded to so far.
template <typename Functor, unsigned U, unsigned N>
struct Accumulators {
    typename Functor::Accumulator values[U][N];

    template <typename B>
    STEPCCL_HD void start(const B& first, const B& second) {
        STEPCCL_UNROLL
        for (unsigned k = 0; k < U * N; ++k) {
            values[k / N][k % N] = Functor::combine(Functor::load(first.elements[k / N][k % N]),
                                                    Functor::load(second.elements[k / N][k % N]));
        }
    }
    template <typename B>
    STEPCCL_HD void add(const B& next) {
        STEPCCL_UNROLL
        for (unsigned k = 0; k < U * N; ++k) {
            values[k / N][k % N] = Functor::combine(values[k / N][k % N], Functor::load(next.elements[k / N][k % N]));
        }
    }
    template <typename B>
    STEPCCL_HD void store(B& result) const {
        STEPCCL_UNROLL
        for (unsigned k = 0; k < U * N; ++k) {
            result.elements[k / N][k % N] = Functor::store(values[k / N][k % N]);
        }
    }
};

// Folds N consecutive elements at each of U places that are `stride` elements apart: element i of all sources from
// left to right. All reads come before the first write, so dst may be a source. The reads of the first two sources do
// not wait for each other, which is what keeps few threads busy.
template <typename Functor, typename Access, unsigned U, unsigned N>
STEPCCL_HD void fold(const Operands<typename Functor::Element>& operands, uint64_t at, uint64_t stride) {
    Batch<typename Functor::Element, Access, U, N> first;
    first.read(operands.first + at, stride);
    if (operands.nsrc > 1) {
        Batch<typename Functor::Element, Access, U, N> next;
        next.read(operands.second + at, stride);
        Accumulators<Functor, U, N> so_far;
        so_far.start(first, next);
        STEPCCL_ROLLED
        for (uint32_t s = 2; s < operands.nsrc; ++s) {
            next.read(operands.source(operands.srcs[s]) + at, stride);
            so_far.add(next);
        }
        so_far.store(first);
    }
    first.write(operands.dst + at, stride);
}

}  // namespace stepccl::kernels
