// The element types of datatypes.def that C lacks, for the GPU kernels, their emulation and the tests.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define STEPCCL_HD __host__ __device__ __forceinline__
#else
#define STEPCCL_HD inline
#endif

namespace stepccl::kernels {

// The same bits as another type of the same size.
template <typename To, typename From>
STEPCCL_HD To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// IEEE binary16: 5 bits of exponent (bias 15), 10 of fraction.
STEPCCL_HD float float_from_half(uint16_t half) {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) return same_bits<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    // A shift puts exponent and fraction in place; the product corrects the bias, and is exact for subnormals too.
    return same_bits<float>(sign | same_bits<uint32_t>(same_bits<float>(magnitude << 13) * 0x1p112f));
}

// Rounds to nearest even. Every NaN becomes 0x7fff, as the GPU's own conversion has it.
STEPCCL_HD uint16_t half_from_float(float value) {
    const uint32_t bits = same_bits<uint32_t>(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7fffu;
    if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to 2^16 or more
    if (magnitude < 0x38800000u) {  // subnormal: a sum whose last bit is worth 2^-24 rounds for us
        const float shifted = same_bits<float>(magnitude) + 0.5f;
        return static_cast<uint16_t>(sign | (same_bits<uint32_t>(shifted) - 0x3f000000u));
    }
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

// bfloat16: the upper half of a float.
STEPCCL_HD float float_from_bfloat(uint16_t bfloat) {
    return same_bits<float>(static_cast<uint32_t>(bfloat) << 16);
}

STEPCCL_HD uint16_t bfloat_from_float(float value) {
    const uint32_t bits = same_bits<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

struct Float16 {
    uint16_t bits;
};

struct BFloat16 {
    uint16_t bits;
};

// On the GPU one instruction does what the functions above do, with the same result for every value but NaN payloads.
STEPCCL_HD float to_float(Float16 value) {
#if defined(__CUDA_ARCH__)
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
#else
    return float_from_half(value.bits);
#endif
}

STEPCCL_HD float to_float(BFloat16 value) {
    return float_from_bfloat(value.bits);
}

STEPCCL_HD void from_float(float value, Float16& result) {
#if defined(__CUDA_ARCH__)
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
#else
    result.bits = half_from_float(value);
#endif
}

STEPCCL_HD void from_float(float value, BFloat16& result) {
#if defined(__CUDA_ARCH__)
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
#else
    result.bits = bfloat_from_float(value);
#endif
}

template <typename T>
struct Complex {
    T real, imag;
};

// Any value but 0 counts as true; results are 0 or 1.
struct Bool8 {
    uint8_t value;
};

// A value and its index, with MPI's layout. Padding, where there is some, has unspecified contents in results.
template <typename T>
struct Pair {
    T value;
    int32_t index;
};

static_assert(offsetof(Pair<int16_t>, index) == 4 && offsetof(Pair<double>, index) == 8);

// element::float32 and so on: the C type of each row.
namespace element {
#define STEPCCL_DATATYPE(name, ctype, bytes, type_class, help) \
    using name = ctype;                                        \
    static_assert(sizeof(name) == bytes);
#include "stepccl/datatypes.def"
#undef STEPCCL_DATATYPE
}  // namespace element

}  // namespace stepccl::kernels
