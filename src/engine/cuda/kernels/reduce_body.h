// The fold of a ReduceEntry, shared by the GPU kernels and their emulation: which elements are touched, and in what
// order.
#pragma once

#include "engine/cuda/kernels/types.h"

#if defined(__CUDA_ARCH__)
#define STEPCCL_UNROLL _Pragma("unroll")
#else
#define STEPCCL_UNROLL
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
    for (uint32_t s = 0; s < operands.nsrc; ++s) differing |= dst ^ operands.srcs[s];
    const uint64_t bytes = (16 - dst % 16) % 16;
    if (differing % 16 != 0 || bytes % sizeof(Element) != 0) return count;
    const uint64_t elements = bytes / sizeof(Element);
    return elements < count ? elements : count;
}

// Consecutive elements, read one by one: right for any address that is aligned for the element's C type.
struct ByElement {
    template <unsigned N, typename Element>
    static STEPCCL_HD void read(const Element* from, Element (&to)[N]) {
        STEPCCL_UNROLL
        for (unsigned i = 0; i < N; ++i) to[i] = from[i];
    }
    template <unsigned N, typename Element>
    static STEPCCL_HD void write(const Element (&from)[N], Element* to) {
        STEPCCL_UNROLL
        for (unsigned i = 0; i < N; ++i) to[i] = from[i];
    }
};

// Folds N consecutive elements at each of U places that are `stride` elements apart: element i of all sources from
// left to right. All reads come before the first write, so dst may be a source, and many loads are under way at once.
template <typename Functor, typename Access, unsigned U, unsigned N>
STEPCCL_HD void fold(const Operands<typename Functor::Element>& operands, uint64_t at, uint64_t stride) {
    using Element = typename Functor::Element;
    Element first[U][N];
    STEPCCL_UNROLL
    for (unsigned u = 0; u < U; ++u) Access::read(operands.first + at + u * stride, first[u]);
    if (operands.nsrc > 1) {
        Element next[U][N];
        typename Functor::Accumulator so_far[U][N];
        STEPCCL_UNROLL
        for (unsigned u = 0; u < U; ++u) Access::read(operands.second + at + u * stride, next[u]);
        STEPCCL_UNROLL
        for (unsigned u = 0; u < U; ++u) {
            STEPCCL_UNROLL
            for (unsigned i = 0; i < N; ++i) {
                so_far[u][i] = Functor::combine(Functor::load(first[u][i]), Functor::load(next[u][i]));
            }
        }
        for (uint32_t s = 2; s < operands.nsrc; ++s) {
            const Element* source = operands.source(operands.srcs[s]) + at;
            STEPCCL_UNROLL
            for (unsigned u = 0; u < U; ++u) Access::read(source + u * stride, next[u]);
            STEPCCL_UNROLL
            for (unsigned u = 0; u < U; ++u) {
                STEPCCL_UNROLL
                for (unsigned i = 0; i < N; ++i) {
                    so_far[u][i] = Functor::combine(so_far[u][i], Functor::load(next[u][i]));
                }
            }
        }
        STEPCCL_UNROLL
        for (unsigned u = 0; u < U; ++u) {
            STEPCCL_UNROLL
            for (unsigned i = 0; i < N; ++i) first[u][i] = Functor::store(so_far[u][i]);
        }
    }
    STEPCCL_UNROLL
    for (unsigned u = 0; u < U; ++u) Access::write(first[u], operands.dst + at + u * stride);
}

}  // namespace stepccl::kernels
