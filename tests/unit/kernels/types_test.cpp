// The 16-bit floats against a conversion by frexp and ldexp.
#include "engine/cuda/kernels/types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "oracle.h"

namespace stepccl::kernels {
namespace {

uint16_t encoded(Datatype type, float value) {
    if (type == Datatype::float16) {
        Float16 result;
        from_float(value, result);
        return result.bits;
    }
    BFloat16 result;
    from_float(value, result);
    return result.bits;
}

float decoded(Datatype type, uint16_t bits) {
    return type == Datatype::float16 ? to_float(Float16{bits}) : to_float(BFloat16{bits});
}

uint32_t bits_of(float value) {
    return same_bits<uint32_t>(value);
}

class Float16Test : public testing::TestWithParam<Datatype> {};

TEST_P(Float16Test, EveryPatternHasItsValue) {
    for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
        const auto bits = static_cast<uint16_t>(pattern);
        const float value = decoded(GetParam(), bits);
        const double expected = oracle::decode16(GetParam(), bits);
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(value)) << pattern;
        } else {
            ASSERT_EQ(bits_of(value), bits_of(static_cast<float>(expected))) << pattern;
        }
    }
}

TEST_P(Float16Test, EveryPatternComesBack) {
    for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
        const auto bits = static_cast<uint16_t>(pattern);
        const bool nan = std::isnan(oracle::decode16(GetParam(), bits));
        ASSERT_EQ(encoded(GetParam(), decoded(GetParam(), bits)), nan ? 0x7fff : bits) << pattern;
    }
}

// Halfway between two neighbours, and a float's last bit to either side of it.
TEST_P(Float16Test, RoundsToNearestEven) {
    for (uint32_t pattern = 0; pattern < 0xffff; ++pattern) {
        const double low = oracle::decode16(GetParam(), static_cast<uint16_t>(pattern));
        const double high = oracle::decode16(GetParam(), static_cast<uint16_t>(pattern + 1));
        if (!std::isfinite(low) || !std::isfinite(high)) continue;
        const auto middle = static_cast<float>((low + high) / 2);
        for (float value : {middle, std::nextafterf(middle, INFINITY), std::nextafterf(middle, -INFINITY)}) {
            ASSERT_EQ(encoded(GetParam(), value), oracle::encode16(GetParam(), value)) << value;
        }
    }
}

TEST_P(Float16Test, RandomFloatsRoundAsTheOracleDoes) {
    std::mt19937 random(16);
    for (int i = 0; i < 2000000; ++i) {
        const auto value = same_bits<float>(static_cast<uint32_t>(random()));
        const uint16_t expected = std::isnan(value) ? uint16_t{0x7fff} : oracle::encode16(GetParam(), value);
        ASSERT_EQ(encoded(GetParam(), value), expected) << value;
    }
}

TEST_P(Float16Test, OverflowGoesToInfinity) {
    const uint16_t infinity = GetParam() == Datatype::float16 ? 0x7c00 : 0x7f80;
    const double largest = oracle::decode16(GetParam(), static_cast<uint16_t>(infinity - 1));
    const double previous = oracle::decode16(GetParam(), static_cast<uint16_t>(infinity - 2));
    const auto halfway = static_cast<float>(largest + (largest - previous) / 2);
    EXPECT_EQ(encoded(GetParam(), halfway), infinity);
    EXPECT_EQ(encoded(GetParam(), std::nextafterf(halfway, 0)), infinity - 1);
    EXPECT_EQ(encoded(GetParam(), -INFINITY), infinity | 0x8000);
}

INSTANTIATE_TEST_SUITE_P(Types, Float16Test, testing::Values(Datatype::float16, Datatype::bfloat16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// MPI's layout of a pair: the value first, the index at the next multiple of four bytes.
TEST(Pair, HasTheLayoutOfMpi) {
    EXPECT_EQ(offsetof(Pair<float>, index), 4u);
    EXPECT_EQ(offsetof(Pair<double>, index), 8u);
    EXPECT_EQ(offsetof(Pair<int64_t>, index), 8u);
    EXPECT_EQ(offsetof(Pair<int32_t>, index), 4u);
    EXPECT_EQ(offsetof(Pair<int16_t>, index), 4u);
    EXPECT_EQ(sizeof(Pair<double>), 16u);
    EXPECT_EQ(sizeof(Pair<int16_t>), 8u);
}

}  // namespace
}  // namespace stepccl::kernels
