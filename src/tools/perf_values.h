// Elements on the host: how they are stored, how random ones are made, and what an operation makes of them. Written for
// the data check alone, in wider arithmetic than the kernels', and shares nothing with them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/datatype.h"

namespace stepccl::tools {

// A random number that is a function of its arguments.
constexpr uint64_t random_bits(uint64_t seed, uint64_t rank, uint64_t element) noexcept {
    uint64_t x =
        seed * 0x9e3779b97f4a7c15u + rank * 0xd1b54a32d192ed03u + element * 0x8cb92ba72f3d8dd7u + 0x2545f4914f6cdd1du;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Folds of any length: the value, and the size of what went in, from which the error bound of rounded results follows.
template <typename Value>
struct Folded {
    Value value;
    long double magnitude;
};

// A codec names its Value and has random(), load(), store(), magnitude(), fold() and close().

template <typename Int>
struct IntCodec {
    using Value = Int;
    static constexpr size_t kBytes = sizeof(Int);

    // So that each operation can tell its operands apart: no zero for products, and truth values that are neither all
    // true nor all false.
    static Value random(uint64_t bits, Operation op) {
        uint64_t more = random_bits(bits, 1, 2), rare = bits & 7;
        switch (op) {
            case Operation::prod:
                return static_cast<Value>(more | 1);
            case Operation::land:
                return static_cast<Value>(rare != 0 ? more | 1 : 0);
            case Operation::lor:
                return static_cast<Value>(rare == 0 ? more | 1 : 0);
            case Operation::lxor:
                return static_cast<Value>(rare < 4 ? more | 1 : 0);
            case Operation::band:
                return static_cast<Value>(bits | more | random_bits(bits, 3, 4));
            case Operation::bor:
                return static_cast<Value>(bits & more & random_bits(bits, 3, 4));
            default:
                return static_cast<Value>(more);
        }
    }
    static Value load(const unsigned char* at) {
        Value out;
        std::memcpy(&out, at, sizeof(out));
        return out;
    }
    static void store(unsigned char* at, Value value) { std::memcpy(at, &value, sizeof(value)); }
    static long double magnitude(Value) { return 0; }
    static Value fold(Operation op, Value a, Value b) {
        auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
        switch (op) {
            case Operation::sum:
                return static_cast<Value>(x + y);
            case Operation::prod:
                return static_cast<Value>(x * y);
            case Operation::min:
                return b < a ? b : a;
            case Operation::max:
                return a < b ? b : a;
            case Operation::land:
                return static_cast<Value>(x != 0 && y != 0);
            case Operation::lor:
                return static_cast<Value>(x != 0 || y != 0);
            case Operation::lxor:
                return static_cast<Value>((x != 0) != (y != 0));
            case Operation::band:
                return static_cast<Value>(x & y);
            case Operation::bor:
                return static_cast<Value>(x | y);
            default:
                return static_cast<Value>(x ^ y);
        }
    }
    static bool close(const Folded<Value>& expected, Value got, Operation, uint32_t) { return expected.value == got; }
};

// Truth values; a byte other than 0 and 1 is wrong, so it is kept as it is.
struct BoolCodec : IntCodec<uint8_t> {
    static Value random(uint64_t bits, Operation op) {
        uint64_t rare = bits & 7;
        return op == Operation::land ? rare != 0 : op == Operation::lor ? rare == 0 : rare < 4;
    }
};

// Formats with a sign, an exponent and `kMantissa` bits behind the point, in this order.
template <typename Bits, int kExponent, int kMantissa>
struct FloatCodec {
    using Value = std::conditional_t<(kMantissa > 24), long double, double>;
    static constexpr size_t kBytes = sizeof(Bits);
    static constexpr int kBias = (1 << (kExponent - 1)) - 1;

    // Half the values fill the mantissa. Products stay near 1.
    static Value random(uint64_t bits, Operation op) {
        auto signed_bits = static_cast<int64_t>(bits);
        constexpr Value kUlp = Value{1} / static_cast<Value>(uint64_t{1} << kMantissa);
        if (op == Operation::prod) return 1 + static_cast<Value>(signed_bits >> (66 - kMantissa)) * kUlp;
        return static_cast<Value>(signed_bits >> (62 - kMantissa)) * kUlp;
    }
    static Value load(const unsigned char* at) {
        Bits bits;
        std::memcpy(&bits, at, sizeof(bits));
        if constexpr (kMantissa == 23) return std::bit_cast<float>(bits);
        if constexpr (kMantissa == 52) return std::bit_cast<double>(bits);
        auto raw = static_cast<uint64_t>(bits);
        int exponent = static_cast<int>(raw >> kMantissa & ((1u << kExponent) - 1));
        auto mantissa = static_cast<Value>(raw & ((uint64_t{1} << kMantissa) - 1));
        Value out = std::ldexp(mantissa, 1 - kBias - kMantissa);
        if (exponent == (1 << kExponent) - 1) {
            out = mantissa == 0 ? std::numeric_limits<Value>::infinity() : std::numeric_limits<Value>::quiet_NaN();
        } else if (exponent != 0) {
            out = std::ldexp(mantissa + std::ldexp(Value{1}, kMantissa), exponent - kBias - kMantissa);
        }
        return raw >> (kMantissa + kExponent) != 0 ? -out : out;
    }
    // Of values that the format holds exactly and that are not below its normal range, as random() makes them.
    static void store(unsigned char* at, Value value) {
        if constexpr (kMantissa == 23) return store_bits(at, std::bit_cast<Bits>(static_cast<float>(value)));
        if constexpr (kMantissa == 52) return store_bits(at, std::bit_cast<Bits>(static_cast<double>(value)));
        uint64_t raw = value < 0 ? uint64_t{1} << (kMantissa + kExponent) : 0;
        if (value != 0) {
            int exponent = 0;
            Value fraction = std::frexp(std::fabs(value), &exponent);  // 0.5 <= fraction < 1
            raw |= static_cast<uint64_t>(exponent - 1 + kBias) << kMantissa;
            raw |= static_cast<uint64_t>(std::ldexp(fraction, kMantissa + 1)) & ((uint64_t{1} << kMantissa) - 1);
        }
        store_bits(at, static_cast<Bits>(raw));
    }
    static void store_bits(unsigned char* at, Bits bits) { std::memcpy(at, &bits, sizeof(bits)); }
    static long double magnitude(Value value) { return std::fabs(value); }
    static Value fold(Operation op, Value a, Value b) {
        switch (op) {
            case Operation::prod:
                return a * b;
            case Operation::min:
                return b < a ? b : a;
            case Operation::max:
                return a < b ? b : a;
            default:
                return a + b;
        }
    }
    static long double bound(long double magnitude, uint32_t terms) {
        return std::ldexp(static_cast<long double>(terms) * magnitude, -kMantissa);
    }
    static bool near(Value expected, Value got, long double allowed) {
        long double largest = std::ldexp(2.0L, kBias);
        if (std::isinf(got))
            return std::fabs(expected) + allowed >= largest && std::signbit(got) == std::signbit(expected);
        return std::fabs(static_cast<long double>(got) - static_cast<long double>(expected)) <= allowed;
    }
    static bool close(const Folded<Value>& expected, Value got, Operation op, uint32_t terms) {
        bool rounds = terms > 1 && (op == Operation::sum || op == Operation::prod);
        return near(expected.value, got, rounds ? bound(expected.magnitude, terms) : 0);
    }
};

using Float16Codec = FloatCodec<uint16_t, 5, 10>;
using BFloat16Codec = FloatCodec<uint16_t, 8, 7>;
using Float32Codec = FloatCodec<uint32_t, 8, 23>;
using Float64Codec = FloatCodec<uint64_t, 11, 52>;

template <typename Part>
struct ComplexCodec {
    struct Value {
        typename Part::Value re, im;
    };
    static constexpr size_t kBytes = 2 * Part::kBytes;

    static Value random(uint64_t bits, Operation op) {
        auto im = Part::random(random_bits(bits, 1, 2), op);
        return {Part::random(bits, op), op == Operation::prod ? im - 1 : im};
    }
    static Value load(const unsigned char* at) { return {Part::load(at), Part::load(at + Part::kBytes)}; }
    static void store(unsigned char* at, Value value) {
        Part::store(at, value.re);
        Part::store(at + Part::kBytes, value.im);
    }
    static long double magnitude(Value value) {
        return std::hypot(static_cast<long double>(value.re), static_cast<long double>(value.im));
    }
    static Value fold(Operation op, Value a, Value b) {
        if (op == Operation::prod) return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
        return {a.re + b.re, a.im + b.im};
    }
    // A complex product rounds three times.
    static bool close(const Folded<Value>& expected, Value got, Operation op, uint32_t terms) {
        long double allowed =
            terms > 1 ? Part::bound(expected.magnitude, op == Operation::prod ? 3 * terms : terms) : 0;
        return Part::near(expected.value.re, got.re, allowed) && Part::near(expected.value.im, got.im, allowed);
    }
};

// MPI's pairs: the value, and the index at the next multiple of four bytes.
template <typename First, size_t kSize>
struct PairCodec {
    struct Value {
        typename First::Value first;
        int32_t index;
    };
    static constexpr size_t kBytes = kSize;
    static constexpr size_t kIndexAt = First::kBytes < 4 ? 4 : First::kBytes;

    // Few different values, so that equal ones meet.
    static Value random(uint64_t bits, Operation) {
        return {static_cast<typename First::Value>(static_cast<int>(bits & 15) - 8),
                static_cast<int32_t>(bits >> 8 & 1023)};
    }
    static Value load(const unsigned char* at) { return {First::load(at), IntCodec<int32_t>::load(at + kIndexAt)}; }
    static void store(unsigned char* at, Value value) {
        First::store(at, value.first);
        IntCodec<int32_t>::store(at + kIndexAt, value.index);
    }
    static long double magnitude(Value) { return 0; }
    static Value fold(Operation op, Value a, Value b) {
        if (a.first == b.first) return a.index <= b.index ? a : b;
        return (a.first < b.first) == (op == Operation::minloc) ? a : b;
    }
    static bool close(const Folded<Value>& expected, Value got, Operation, uint32_t) {
        return expected.value.first == got.first && expected.value.index == got.index;
    }
};

// Calls visit.template operator()<Codec>() with the codec of `type`.
template <typename Visit>
auto with_codec(Datatype type, Visit visit) {
    switch (type) {
        case Datatype::int8:
            return visit.template operator()<IntCodec<int8_t>>();
        case Datatype::uint8:
            return visit.template operator()<IntCodec<uint8_t>>();
        case Datatype::int16:
            return visit.template operator()<IntCodec<int16_t>>();
        case Datatype::uint16:
            return visit.template operator()<IntCodec<uint16_t>>();
        case Datatype::int32:
            return visit.template operator()<IntCodec<int32_t>>();
        case Datatype::uint32:
            return visit.template operator()<IntCodec<uint32_t>>();
        case Datatype::int64:
            return visit.template operator()<IntCodec<int64_t>>();
        case Datatype::uint64:
            return visit.template operator()<IntCodec<uint64_t>>();
        case Datatype::float16:
            return visit.template operator()<Float16Codec>();
        case Datatype::bfloat16:
            return visit.template operator()<BFloat16Codec>();
        case Datatype::float32:
            return visit.template operator()<Float32Codec>();
        case Datatype::float64:
            return visit.template operator()<Float64Codec>();
        case Datatype::complex64:
            return visit.template operator()<ComplexCodec<Float32Codec>>();
        case Datatype::complex128:
            return visit.template operator()<ComplexCodec<Float64Codec>>();
        case Datatype::bool8:
            return visit.template operator()<BoolCodec>();
        case Datatype::float_int:
            return visit.template operator()<PairCodec<Float32Codec, 8>>();
        case Datatype::double_int:
            return visit.template operator()<PairCodec<Float64Codec, 16>>();
        case Datatype::long_int:
            return visit.template operator()<PairCodec<IntCodec<int64_t>, 16>>();
        case Datatype::int_int:
            return visit.template operator()<PairCodec<IntCodec<int32_t>, 8>>();
        case Datatype::short_int:
            break;
    }
    return visit.template operator()<PairCodec<IntCodec<int16_t>, 8>>();
}

}  // namespace stepccl::tools
