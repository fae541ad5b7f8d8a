#include "elements.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace test {
namespace {

bool is_loc(OpCode op) {
    return op == OpCode::minloc || op == OpCode::maxloc;
}
bool is_sum_or_product(OpCode op) {
    return op == OpCode::sum || op == OpCode::prod;
}

// Each element class makes a random value, says which operations it knows, and judges a result.
template <typename T>
struct Integer {
    using Value = T;
    using Unsigned = std::make_unsigned_t<T>;
    static T make(Random& random) {
        uint64_t bits = random.next();
        return (bits & 7) == 0 ? T{0} : static_cast<T>(bits >> 8);  // zeros, for the logical operations
    }
    static bool applies(OpCode op) { return !is_loc(op); }

    static T apply(OpCode op, T a, T b) {
        // 64 bits and then back: no promotion to a signed type that could overflow.
        uint64_t x = static_cast<Unsigned>(a), y = static_cast<Unsigned>(b);
        switch (op) {
            case OpCode::sum:
                return static_cast<T>(static_cast<Unsigned>(x + y));
            case OpCode::prod:
                return static_cast<T>(static_cast<Unsigned>(x * y));
            case OpCode::min:
                return std::min(a, b);
            case OpCode::max:
                return std::max(a, b);
            case OpCode::land:
                return T{a != 0 && b != 0};
            case OpCode::lor:
                return T{a != 0 || b != 0};
            case OpCode::lxor:
                return T{(a != 0) != (b != 0)};
            case OpCode::band:
                return static_cast<T>(a & b);
            case OpCode::bor:
                return static_cast<T>(a | b);
            default:
                return static_cast<T>(a ^ b);
        }
    }
    static bool accept(OpCode op, std::span<const T> values, T got) {
        T want = values[0];
        for (size_t r = 1; r < values.size(); ++r) want = apply(op, want, values[r]);
        return got == want;
    }
};

template <typename T>
long double rounding(size_t n) {
    return static_cast<long double>(n) * static_cast<long double>(std::numeric_limits<T>::epsilon());
}

template <typename T>
struct Float {
    using Value = T;
    static T make(Random& random) {  // 0.5 to 2, either sign
        uint64_t bits = random.next();
        T magnitude = std::ldexp(static_cast<T>(bits >> 40) / static_cast<T>(1 << 24) + 1, (bits & 2) != 0 ? 0 : -1);
        return (bits & 1) != 0 ? -magnitude : magnitude;
    }
    static bool applies(OpCode op) { return is_sum_or_product(op) || op == OpCode::min || op == OpCode::max; }
    static bool accept(OpCode op, std::span<const T> values, T got) {
        if (op == OpCode::min) return got == *std::min_element(values.begin(), values.end());
        if (op == OpCode::max) return got == *std::max_element(values.begin(), values.end());
        long double want = op == OpCode::sum ? 0 : 1, magnitude = want;
        for (T value : values) {
            op == OpCode::sum ? want += value : want *= value;
            op == OpCode::sum ? magnitude += std::abs(value) : magnitude *= std::abs(value);
        }
        return std::abs(want - got) <= rounding<T>(values.size()) * magnitude;
    }
};

template <typename T>
struct Complex {
    using Value = std::complex<T>;
    static Value make(Random& random) {
        T real = Float<T>::make(random);
        return {real, Float<T>::make(random)};
    }
    static bool applies(OpCode op) { return is_sum_or_product(op); }
    static bool accept(OpCode op, std::span<const Value> values, Value got) {
        using Long = std::complex<long double>;
        Long want = op == OpCode::sum ? 0 : 1;
        long double magnitude = std::abs(want);
        for (Value value : values) {
            Long wide(value.real(), value.imag());
            op == OpCode::sum ? want += wide : want *= wide;
            op == OpCode::sum ? magnitude += std::abs(wide) : magnitude *= std::abs(wide);
        }
        // A complex product rounds four products and two sums.
        long double bound = rounding<T>(values.size()) * magnitude * (op == OpCode::sum ? 1 : 3);
        return std::abs(want - Long(got.real(), got.imag())) <= bound;
    }
};

template <typename T>
struct PairOf {
    T value;
    int index;
};

template <typename T>
struct Pair {
    using Value = PairOf<T>;
    static Value make(Random& random) {  // few values, so that there are ties
        uint64_t bits = random.next();
        Value out;
        std::memset(static_cast<void*>(&out), 0, sizeof(out));
        out.value = static_cast<T>(bits % 4);
        out.index = static_cast<int>((bits >> 8) % 1000);
        return out;
    }
    static bool applies(OpCode op) { return is_loc(op); }
    static bool accept(OpCode op, std::span<const Value> values, Value got) {
        Value want = values[0];
        for (const Value& v : values) {
            bool better = op == OpCode::minloc ? v.value < want.value : v.value > want.value;
            if (better || (v.value == want.value && v.index < want.index)) want = v;
        }
        return got.value == want.value && got.index == want.index;
    }
};

template <typename Element>
Bytes random_elements(size_t count, uint64_t key) {
    using Value = typename Element::Value;
    Random random(key);
    Bytes out(count * sizeof(Value));
    for (size_t i = 0; i < count; ++i) {
        Value value = Element::make(random);
        std::memcpy(out.data() + i * sizeof(Value), &value, sizeof(Value));
    }
    return out;
}

template <typename Value>
Value value_at(const std::byte* data, size_t i) {
    Value out;
    std::memcpy(&out, data + i * sizeof(Value), sizeof(Value));
    return out;
}

template <typename Element>
std::string compare_elements(OpCode op, std::span<const Bytes> inputs, size_t count, const std::byte* result) {
    using Value = typename Element::Value;
    std::vector<Value> values(inputs.size());
    for (size_t i = 0; i < count; ++i) {
        for (size_t r = 0; r < inputs.size(); ++r) values[r] = value_at<Value>(inputs[r].data(), i);
        if (!Element::accept(op, values, value_at<Value>(result, i)))
            return "element " + std::to_string(i) + " is wrong";
    }
    return {};
}

template <typename Element>
Type type_row(const char* name, MPI_Datatype mpi) {
    return {name,
            mpi,
            sizeof(typename Element::Value),
            random_elements<Element>,
            Element::applies,
            compare_elements<Element>};
}

}  // namespace

std::vector<Op> all_ops() {
    return {{"sum", MPI_SUM, OpCode::sum},          {"prod", MPI_PROD, OpCode::prod},
            {"min", MPI_MIN, OpCode::min},          {"max", MPI_MAX, OpCode::max},
            {"land", MPI_LAND, OpCode::land},       {"lor", MPI_LOR, OpCode::lor},
            {"lxor", MPI_LXOR, OpCode::lxor},       {"band", MPI_BAND, OpCode::band},
            {"bor", MPI_BOR, OpCode::bor},          {"bxor", MPI_BXOR, OpCode::bxor},
            {"minloc", MPI_MINLOC, OpCode::minloc}, {"maxloc", MPI_MAXLOC, OpCode::maxloc}};
}

std::vector<Type> all_types() {
    return {type_row<Float<float>>("float", MPI_FLOAT),
            type_row<Float<double>>("double", MPI_DOUBLE),
            type_row<Integer<int32_t>>("int32", MPI_INT32_T),
            type_row<Integer<int64_t>>("int64", MPI_INT64_T),
            type_row<Integer<uint8_t>>("uint8", MPI_UINT8_T),
            type_row<Complex<float>>("complex64", MPI_C_FLOAT_COMPLEX),
            type_row<Pair<float>>("float_int", MPI_FLOAT_INT),
            type_row<Pair<double>>("double_int", MPI_DOUBLE_INT),
            type_row<Pair<int>>("2int", MPI_2INT)};
}

}  // namespace test
