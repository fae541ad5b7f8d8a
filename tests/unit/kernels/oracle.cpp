#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace stepccl::oracle {
namespace {

using Sources = std::span<const void* const>;

template <typename T>
T get(const void* from, size_t at = 0) {
    T value;
    std::memcpy(&value, static_cast<const char*>(from) + at, sizeof value);
    return value;
}

template <typename T>
void put(T value, void* to, size_t at = 0) {
    std::memcpy(static_cast<char*>(to) + at, &value, sizeof value);
}

struct Format16 {
    int fraction_bits;
    int bias;  // of the exponent
};

Format16 format16(Datatype type) {
    return type == Datatype::float16 ? Format16{10, 15} : Format16{7, 127};
}

// ---- integers: in 128 bits, of which the lowest are the value modulo a power of two

template <typename T>
__int128 combine(Operation op, T so_far, T next) {
    const __int128 a = so_far, b = next;
    switch (op) {
        case Operation::sum:
            return a + b;
        case Operation::prod:
            return static_cast<__int128>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
        case Operation::min:
            return b > a ? a : b;
        case Operation::max:
            return b > a ? b : a;
        case Operation::land:
            return a == 0 ? 0 : b == 0 ? 0 : 1;
        case Operation::lor:
            return a != 0 ? 1 : b != 0 ? 1 : 0;
        case Operation::lxor:
            return (a == 0 ? 0 : 1) + (b == 0 ? 0 : 1) == 1 ? 1 : 0;
        case Operation::band:
            return ~(~a | ~b);
        case Operation::bor:
            return ~(~a & ~b);
        case Operation::bxor:
            return (a | b) - (a & b);
        default:
            std::abort();
    }
}

template <typename T>
void fold_integers(Operation op, Sources sources, void* result) {
    T so_far = get<T>(sources[0]);
    for (const void* next : sources.subspan(1)) so_far = static_cast<T>(combine(op, so_far, get<T>(next)));
    put(so_far, result);
}

// ---- floating point: double is wide enough to round the sum or product of two floats right

template <typename T>
T rounded(Operation op, T a, T b) {
    const double x = a, y = b;
    const volatile double result = op == Operation::sum ? x + y : x * y;
    return static_cast<T>(result);
}

template <typename T>
T fold_values(Operation op, const std::vector<T>& values) {
    T so_far = values[0];
    for (size_t i = 1; i < values.size(); ++i) {
        const T next = values[i];
        if (op == Operation::sum || op == Operation::prod) {
            so_far = rounded(op, so_far, next);
        } else if (op == Operation::min ? next <= so_far : next >= so_far) {
            so_far = next;
        }
    }
    return so_far;
}

template <typename T>
void fold_floats(Operation op, Sources sources, void* result) {
    std::vector<T> values;
    for (const void* source : sources) values.push_back(get<T>(source));
    put(fold_values(op, values), result);
}

void fold_16(Datatype type, Operation op, Sources sources, void* result) {
    std::vector<float> values;
    for (const void* source : sources) values.push_back(static_cast<float>(decode16(type, get<uint16_t>(source))));
    put(encode16(type, fold_values(op, values)), result);
}

template <typename T>
void fold_complex(Operation op, Sources sources, void* result) {
    T real = get<T>(sources[0]), imag = get<T>(sources[0], sizeof(T));
    for (const void* source : sources.subspan(1)) {
        const T x = get<T>(source), y = get<T>(source, sizeof(T));
        if (op == Operation::sum) {
            real = rounded(Operation::sum, real, x);
            imag = rounded(Operation::sum, imag, y);
        } else {
            const T rx = rounded(op, real, x), iy = rounded(op, imag, y);
            const T ry = rounded(op, real, y), ix = rounded(op, imag, x);
            real = rounded(Operation::sum, rx, -iy);
            imag = rounded(Operation::sum, ry, ix);
        }
    }
    put(real, result);
    put(imag, result, sizeof(T));
}

// ---- logical and pairs

void fold_truth(Operation op, Sources sources, void* result) {
    size_t trues = 0;
    for (const void* source : sources) trues += get<uint8_t>(source) != 0 ? 1 : 0;
    const bool value = op == Operation::land  ? trues == sources.size()
                       : op == Operation::lor ? trues > 0
                                              : trues % 2 == 1;
    put(static_cast<uint8_t>(value), result);
}

template <typename T>
constexpr size_t index_at() {
    return sizeof(T) < 4 ? 4 : sizeof(T);
}

template <typename T>
void fold_pairs(Operation op, Sources sources, void* result) {
    T best = get<T>(sources[0]);
    for (const void* source : sources) {
        const T value = get<T>(source);
        if (op == Operation::minloc ? value < best : value > best) best = value;
    }
    bool found = false;
    for (const void* source : sources) {
        if (get<T>(source) != best) continue;
        const auto index = get<int32_t>(source, index_at<T>());
        if (found && get<int32_t>(result, index_at<T>()) < index) continue;
        put(get<T>(source), result);
        put(index, result, index_at<T>());
        found = true;
    }
}

template <typename T>
bool same_floats(const void* a, const void* b, size_t at = 0) {
    return (std::isnan(get<T>(a, at)) && std::isnan(get<T>(b, at))) ||
           std::memcmp(static_cast<const char*>(a) + at, static_cast<const char*>(b) + at, sizeof(T)) == 0;
}

template <typename T>
bool same_pairs(const void* a, const void* b) {
    return std::memcmp(a, b, sizeof(T)) == 0 && get<int32_t>(a, index_at<T>()) == get<int32_t>(b, index_at<T>());
}

// ---- data

template <typename T>
T integer(std::mt19937& random) {
    using Limits = std::numeric_limits<T>;
    const uint64_t bits = uint64_t{random()} << 32 | random();
    switch (random() % 8) {
        case 0:
            return Limits::max();
        case 1:
            return Limits::min();
        case 2:
            return 0;
        case 3:
            return static_cast<T>(bits % 5 - 2);
        default:
            return static_cast<T>(bits);
    }
}

template <typename T>
T real(std::mt19937& random) {
    using Limits = std::numeric_limits<T>;
    const T small = static_cast<T>(static_cast<int>(random() % 9) - 4);
    switch (random() % 32) {
        case 0:
            return Limits::infinity();
        case 1:
            return -Limits::max();
        case 2:
            return Limits::denorm_min() * small;
        case 3:
            return -T{0};
        case 4:
            return T{0};
        case 5:
        case 6:
        case 7:
            return small;
        default:
            return static_cast<T>(std::ldexp(static_cast<double>(integer<int32_t>(random)), -30));
    }
}

uint16_t real16(Datatype type, std::mt19937& random) {
    const auto bits = static_cast<uint16_t>(random());
    if (random() % 4 != 0) return encode16(type, std::ldexp(static_cast<double>(bits) - 32768, -14));
    return std::isnan(decode16(type, bits)) ? uint16_t{0x3c00} : bits;
}

}  // namespace

double decode16(Datatype type, uint16_t bits) {
    const auto [fraction_bits, bias] = format16(type);
    const int exponent = (bits & 0x7fff) >> fraction_bits;
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 2 * bias + 1) {
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    }
    const double significand = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
    return sign * std::ldexp(significand, (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
}

uint16_t encode16(Datatype type, double value) {
    const auto [fraction_bits, bias] = format16(type);
    const auto infinity = static_cast<uint16_t>((2 * bias + 1) << fraction_bits);
    if (std::isnan(value)) return static_cast<uint16_t>(infinity | 1u << (fraction_bits - 1));
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    if (value == 0) return sign;
    if (std::isinf(value)) return static_cast<uint16_t>(sign | infinity);
    int exponent = 0;  // |value| = f * 2^exponent with f in [0.5, 1)
    std::frexp(value, &exponent);
    const int unit = std::max(exponent - 1, 1 - bias) - fraction_bits;  // the last bit is worth 2^unit
    const double units = std::nearbyint(std::ldexp(std::fabs(value), -unit));
    // Counting in units from 0, the bit patterns of the finite values and infinity follow each other.
    const double pattern = units + std::ldexp(unit + fraction_bits + bias - 1, fraction_bits);
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::min<double>(pattern, infinity)));
}

void fold(Datatype type, Operation op, Sources sources, void* result) {
    switch (type) {
        case Datatype::int8:
            return fold_integers<int8_t>(op, sources, result);
        case Datatype::uint8:
            return fold_integers<uint8_t>(op, sources, result);
        case Datatype::int16:
            return fold_integers<int16_t>(op, sources, result);
        case Datatype::uint16:
            return fold_integers<uint16_t>(op, sources, result);
        case Datatype::int32:
            return fold_integers<int32_t>(op, sources, result);
        case Datatype::uint32:
            return fold_integers<uint32_t>(op, sources, result);
        case Datatype::int64:
            return fold_integers<int64_t>(op, sources, result);
        case Datatype::uint64:
            return fold_integers<uint64_t>(op, sources, result);
        case Datatype::float16:
        case Datatype::bfloat16:
            return fold_16(type, op, sources, result);
        case Datatype::float32:
            return fold_floats<float>(op, sources, result);
        case Datatype::float64:
            return fold_floats<double>(op, sources, result);
        case Datatype::complex64:
            return fold_complex<float>(op, sources, result);
        case Datatype::complex128:
            return fold_complex<double>(op, sources, result);
        case Datatype::bool8:
            return fold_truth(op, sources, result);
        case Datatype::float_int:
            return fold_pairs<float>(op, sources, result);
        case Datatype::double_int:
            return fold_pairs<double>(op, sources, result);
        case Datatype::long_int:
            return fold_pairs<int64_t>(op, sources, result);
        case Datatype::int_int:
            return fold_pairs<int32_t>(op, sources, result);
        case Datatype::short_int:
            return fold_pairs<int16_t>(op, sources, result);
    }
    std::abort();
}

bool same(Datatype type, const void* a, const void* b) {
    switch (type) {
        case Datatype::float16:
        case Datatype::bfloat16:
            return get<uint16_t>(a) == get<uint16_t>(b) ||
                   (std::isnan(decode16(type, get<uint16_t>(a))) && std::isnan(decode16(type, get<uint16_t>(b))));
        case Datatype::float32:
            return same_floats<float>(a, b);
        case Datatype::float64:
            return same_floats<double>(a, b);
        case Datatype::complex64:
            return same_floats<float>(a, b) && same_floats<float>(a, b, 4);
        case Datatype::complex128:
            return same_floats<double>(a, b) && same_floats<double>(a, b, 8);
        case Datatype::float_int:
            return same_pairs<float>(a, b);
        case Datatype::double_int:
            return same_pairs<double>(a, b);
        case Datatype::long_int:
            return same_pairs<int64_t>(a, b);
        case Datatype::int_int:
            return same_pairs<int32_t>(a, b);
        case Datatype::short_int:
            return same_pairs<int16_t>(a, b);
        default:
            return std::memcmp(a, b, size_of(type)) == 0;
    }
}

namespace {

template <typename T>
void fill_pair(std::mt19937& random, void* element) {
    if constexpr (std::is_floating_point_v<T>) {
        put(real<T>(random), element);
    } else {
        put(integer<T>(random), element);
    }
    put(static_cast<int32_t>(random() % 7) - 3, element, index_at<T>());
}

void fill_one(Datatype type, std::mt19937& random, void* element) {
    switch (type) {
        case Datatype::int8:
        case Datatype::uint8:
            return put(integer<uint8_t>(random), element);
        case Datatype::int16:
        case Datatype::uint16:
            return put(integer<uint16_t>(random), element);
        case Datatype::int32:
        case Datatype::uint32:
            return put(integer<uint32_t>(random), element);
        case Datatype::int64:
            return put(integer<int64_t>(random), element);
        case Datatype::uint64:
            return put(integer<uint64_t>(random), element);
        case Datatype::float16:
        case Datatype::bfloat16:
            return put(real16(type, random), element);
        case Datatype::float32:
            return put(real<float>(random), element);
        case Datatype::float64:
            return put(real<double>(random), element);
        case Datatype::complex64:
            put(real<float>(random), element);
            return put(real<float>(random), element, 4);
        case Datatype::complex128:
            put(real<double>(random), element);
            return put(real<double>(random), element, 8);
        case Datatype::bool8:
            return put(static_cast<uint8_t>(random() % 3), element);
        case Datatype::float_int:
            return fill_pair<float>(random, element);
        case Datatype::double_int:
            return fill_pair<double>(random, element);
        case Datatype::long_int:
            return fill_pair<int64_t>(random, element);
        case Datatype::int_int:
            return fill_pair<int32_t>(random, element);
        case Datatype::short_int:
            return fill_pair<int16_t>(random, element);
    }
}

}  // namespace

void fill(Datatype type, std::mt19937& random, void* elements, size_t count) {
    std::memset(elements, 0, count * size_of(type));
    for (size_t i = 0; i < count; ++i) fill_one(type, random, static_cast<char*>(elements) + i * size_of(type));
}

}  // namespace stepccl::oracle
