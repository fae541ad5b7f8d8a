#include "tools/perf_values.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace stepccl::tools {
namespace {

template <typename Codec>
typename Codec::Value from_bits(uint64_t bits) {
    unsigned char raw[8];
    std::memcpy(raw, &bits, sizeof(raw));
    return Codec::load(raw);
}

TEST(FloatCodec, ReadsHalfPrecision) {
    EXPECT_EQ(from_bits<Float16Codec>(0x3c00), 1.0);
    EXPECT_EQ(from_bits<Float16Codec>(0xc000), -2.0);
    EXPECT_EQ(from_bits<Float16Codec>(0x7bff), 65504.0);
    EXPECT_EQ(from_bits<Float16Codec>(0x0001), std::ldexp(1.0, -24));
    EXPECT_EQ(from_bits<Float16Codec>(0x3555), 0.333251953125);
    EXPECT_TRUE(std::isinf(from_bits<Float16Codec>(0x7c00)));
    EXPECT_TRUE(std::isnan(from_bits<Float16Codec>(0x7e00)));
}

TEST(FloatCodec, ReadsBfloat16) {
    EXPECT_EQ(from_bits<BFloat16Codec>(0x3f80), 1.0);
    EXPECT_EQ(from_bits<BFloat16Codec>(0xc040), -3.0);
    EXPECT_EQ(from_bits<BFloat16Codec>(0x3eab), 0.333984375);
    EXPECT_TRUE(std::isinf(from_bits<BFloat16Codec>(0xff80)));
}

TEST(FloatCodec, ReadsAndWritesWhatTheMachineDoes) {
    for (float x : {0.0f, 1.5f, -3.25e10f, 1e-40f}) {
        EXPECT_EQ(Float32Codec::load(reinterpret_cast<const unsigned char*>(&x)), x);
        float back = -1;
        Float32Codec::store(reinterpret_cast<unsigned char*>(&back), x);
        EXPECT_EQ(back, x);
    }
}

template <typename Codec>
void expect_random_values_survive() {
    std::set<long double> seen;
    for (Operation op : {Operation::sum, Operation::prod}) {
        for (uint64_t i = 0; i < 1000; ++i) {
            auto value = Codec::random(random_bits(7, 0, i), op);
            unsigned char raw[8] = {};
            Codec::store(raw, value);
            ASSERT_EQ(Codec::load(raw), value) << i;
            ASSERT_LE(std::fabs(value), 2);
            if (op == Operation::prod) {
                ASSERT_NEAR(static_cast<double>(value), 1, 0.1251);
            }
            seen.insert(value);
        }
    }
    EXPECT_GT(seen.size(), 100u);
}

TEST(FloatCodec, RandomValuesAreExact) {
    expect_random_values_survive<Float16Codec>();
    expect_random_values_survive<BFloat16Codec>();
    expect_random_values_survive<Float32Codec>();
    expect_random_values_survive<Float64Codec>();
}

TEST(FloatCodec, AllowsOnlyRounding) {
    Folded<double> sum{1.0, 4.0};
    double eps = std::ldexp(1.0, -23);
    EXPECT_TRUE(Float32Codec::close(sum, 1 + 8 * eps, Operation::sum, 4));
    EXPECT_FALSE(Float32Codec::close(sum, 1 + 17 * eps, Operation::sum, 4));
    EXPECT_FALSE(Float32Codec::close(sum, 1 + eps, Operation::sum, 1)) << "a copy is exact";
    EXPECT_FALSE(Float32Codec::close(sum, 1 + eps, Operation::max, 4)) << "so is a maximum";
    EXPECT_FALSE(Float32Codec::close(sum, std::nan(""), Operation::sum, 4));
    EXPECT_FALSE(Float32Codec::close(sum, INFINITY, Operation::sum, 4));
}

TEST(FloatCodec, AcceptsAnOverflowThatHadToBe) {
    Folded<double> large{1e5, 1e5};
    EXPECT_TRUE(Float16Codec::close(large, INFINITY, Operation::prod, 99));
    EXPECT_FALSE(Float16Codec::close(large, -INFINITY, Operation::prod, 99));
}

TEST(IntCodec, Wraps) {
    EXPECT_EQ(IntCodec<int8_t>::fold(Operation::sum, 100, 100), -56);
    EXPECT_EQ(IntCodec<int8_t>::fold(Operation::prod, -128, -1), -128);
    EXPECT_EQ(IntCodec<uint64_t>::fold(Operation::sum, UINT64_MAX, 2), 1u);
    EXPECT_EQ(IntCodec<int64_t>::fold(Operation::prod, INT64_MIN, -1), INT64_MIN);
}

TEST(IntCodec, KnowsEveryOperation) {
    using Codec = IntCodec<int32_t>;
    EXPECT_EQ(Codec::fold(Operation::min, -5, 3), -5);
    EXPECT_EQ(Codec::fold(Operation::max, -5, 3), 3);
    EXPECT_EQ(Codec::fold(Operation::land, 6, 0), 0);
    EXPECT_EQ(Codec::fold(Operation::land, 6, 8), 1);
    EXPECT_EQ(Codec::fold(Operation::lor, 0, 8), 1);
    EXPECT_EQ(Codec::fold(Operation::lxor, 6, 8), 0);
    EXPECT_EQ(Codec::fold(Operation::band, 6, 12), 4);
    EXPECT_EQ(Codec::fold(Operation::bor, 6, 12), 14);
    EXPECT_EQ(Codec::fold(Operation::bxor, 6, 12), 10);
}

// Data on which an operation always gives the same would check nothing.
TEST(IntCodec, RandomTruthValuesDiffer) {
    for (Operation op : {Operation::land, Operation::lor, Operation::lxor}) {
        std::set<int> ints, bools;
        for (uint64_t i = 0; i < 200; ++i) {
            int folded = 0, folded_bool = 0;
            for (uint64_t rank = 0; rank < 4; ++rank) {
                int32_t x = IntCodec<int32_t>::random(random_bits(1, rank, i), op);
                uint8_t y = BoolCodec::random(random_bits(1, rank, i), op);
                ASSERT_LE(y, 1);
                folded = rank == 0 ? x != 0 : IntCodec<int32_t>::fold(op, folded, x);
                folded_bool = rank == 0 ? y : BoolCodec::fold(op, static_cast<uint8_t>(folded_bool), y);
            }
            ints.insert(folded);
            bools.insert(folded_bool);
        }
        EXPECT_EQ(ints.size(), 2u) << name_of(op);
        EXPECT_EQ(bools.size(), 2u) << name_of(op);
    }
}

TEST(ComplexCodec, MultipliesAsComplexNumbersDo) {
    using Codec = ComplexCodec<Float32Codec>;
    auto product = Codec::fold(Operation::prod, {1, 2}, {3, -4});
    EXPECT_EQ(product.re, 11);
    EXPECT_EQ(product.im, 2);
    auto sum = Codec::fold(Operation::sum, {1, 2}, {3, -4});
    EXPECT_EQ(sum.re, 4);
    EXPECT_EQ(sum.im, -2);
}

TEST(PairCodec, TakesTheLowerIndexOfEqualValues) {
    using Codec = PairCodec<Float64Codec, 16>;
    EXPECT_EQ(Codec::fold(Operation::minloc, {1, 7}, {1, 3}).index, 3);
    EXPECT_EQ(Codec::fold(Operation::maxloc, {1, 3}, {1, 7}).index, 3);
    EXPECT_EQ(Codec::fold(Operation::minloc, {1, 7}, {2, 3}).index, 7);
    EXPECT_EQ(Codec::fold(Operation::maxloc, {1, 7}, {2, 3}).index, 3);
}

TEST(PairCodec, LiesAsInC) {
    struct Pair {
        short value;
        int index;
    } pair = {-3, 99};
    auto got = PairCodec<IntCodec<int16_t>, 8>::load(reinterpret_cast<const unsigned char*>(&pair));
    EXPECT_EQ(got.first, -3);
    EXPECT_EQ(got.index, 99);
}

TEST(WithCodec, FitsEveryType) {
    for (size_t i = 0; i < kDatatypes; ++i) {
        auto type = static_cast<Datatype>(i);
        EXPECT_EQ(with_codec(type, []<typename Codec>() { return Codec::kBytes; }), size_of(type)) << name_of(type);
    }
}

TEST(RandomBits, DependOnEveryArgument) {
    std::set<uint64_t> seen;
    for (uint64_t seed = 0; seed < 8; ++seed) {
        for (uint64_t rank = 0; rank < 8; ++rank) {
            for (uint64_t element = 0; element < 64; ++element) seen.insert(random_bits(seed, rank, element));
        }
    }
    EXPECT_EQ(seen.size(), 8u * 8 * 64);
}

}  // namespace
}  // namespace stepccl::tools
