// What each operation of operations.def computes, one functor a row with the row's name, generic over the element type.
//
// A functor has Element, Accumulator, load (Element -> Accumulator), combine (what was folded so far, the next value)
// and store. The same source runs on the GPU and on the host; it must be compiled without contraction of a * b + c, so
// that both give the same bits.
#pragma once

#include <type_traits>

#include "engine/cuda/kernels/types.h"

namespace stepccl::kernels {

// How an element is held while it is folded: as itself, or as something wider.
template <typename T>
struct Same {
    using Element = T;
    using Accumulator = T;
    static STEPCCL_HD T load(T element) { return element; }
    static STEPCCL_HD T store(T value) { return value; }
};

template <typename T>
struct Widened {
    using Element = T;
    using Accumulator = float;
    static STEPCCL_HD float load(T element) { return to_float(element); }
    static STEPCCL_HD T store(float value) {
        T element;
        from_float(value, element);
        return element;
    }
};

struct Truth {
    using Element = Bool8;
    using Accumulator = bool;
    static STEPCCL_HD bool load(Bool8 element) { return element.value != 0; }
    static STEPCCL_HD Bool8 store(bool value) { return Bool8{static_cast<uint8_t>(value)}; }
};

template <typename T>
struct Held : Same<T> {};
template <>
struct Held<Float16> : Widened<Float16> {};
template <>
struct Held<BFloat16> : Widened<BFloat16> {};
template <>
struct Held<Bool8> : Truth {};

// Integers are computed unsigned, in 32 bits at least, because overflow of the signed ones is undefined (that of
// uint16_t too, which C promotes to int).
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

template <typename T>
STEPCCL_HD T add(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    } else {
        return a + b;
    }
}

template <typename T>
STEPCCL_HD Complex<T> add(Complex<T> a, Complex<T> b) {
    return {a.real + b.real, a.imag + b.imag};
}

template <typename T>
STEPCCL_HD T multiply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    } else {
        return a * b;
    }
}

// The textbook product, without C's recovery of infinities from NaN.
template <typename T>
STEPCCL_HD Complex<T> multiply(Complex<T> a, Complex<T> b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

namespace op {

template <typename T>
struct sum : Held<T> {
    using A = typename Held<T>::Accumulator;
    static STEPCCL_HD A combine(A so_far, A next) { return add(so_far, next); }
};

template <typename T>
struct prod : Held<T> {
    using A = typename Held<T>::Accumulator;
    static STEPCCL_HD A combine(A so_far, A next) { return multiply(so_far, next); }
};

// As MPI implementations compare: when one of the two is NaN, `next` is taken.
template <typename T>
struct min : Held<T> {
    using A = typename Held<T>::Accumulator;
    static STEPCCL_HD A combine(A so_far, A next) { return so_far < next ? so_far : next; }
};

template <typename T>
struct max : Held<T> {
    using A = typename Held<T>::Accumulator;
    static STEPCCL_HD A combine(A so_far, A next) { return so_far > next ? so_far : next; }
};

template <typename T>
struct land : Held<T> {
    using A = typename Held<T>::Accumulator;
    static STEPCCL_HD A combine(A so_far, A next) { return static_cast<A>((so_far != 0) & (next != 0)); }
};

template <typename T>
struct lor : Held<T> {
    using A = typename Held<T>::Accumulator;
    static STEPCCL_HD A combine(A so_far, A next) { return static_cast<A>((so_far != 0) | (next != 0)); }
};

template <typename T>
struct lxor : Held<T> {
    using A = typename Held<T>::Accumulator;
    static STEPCCL_HD A combine(A so_far, A next) { return static_cast<A>((so_far != 0) != (next != 0)); }
};

template <typename T>
struct band : Held<T> {
    static STEPCCL_HD T combine(T so_far, T next) { return static_cast<T>(so_far & next); }
};

template <typename T>
struct bor : Held<T> {
    static STEPCCL_HD T combine(T so_far, T next) { return static_cast<T>(so_far | next); }
};

template <typename T>
struct bxor : Held<T> {
    static STEPCCL_HD T combine(T so_far, T next) { return static_cast<T>(so_far ^ next); }
};

// Of equal values the pair with the lower index. A NaN wins or loses as in min and max.
template <typename T>
struct minloc : Held<T> {
    static STEPCCL_HD T combine(T so_far, T next) {
        const bool keep = so_far.value < next.value || (so_far.value == next.value && so_far.index < next.index);
        return keep ? so_far : next;
    }
};

template <typename T>
struct maxloc : Held<T> {
    static STEPCCL_HD T combine(T so_far, T next) {
        const bool keep = so_far.value > next.value || (so_far.value == next.value && so_far.index < next.index);
        return keep ? so_far : next;
    }
};

}  // namespace op

}  // namespace stepccl::kernels
