// Every operation on every type it is defined on, through host_kernel(), against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/cuda/kernels/kernel_name.h"
#include "engine/cuda/kernels/types.h"
#include "launch.h"
#include "oracle.h"

namespace stepccl::kernels {
namespace {

struct Case {
    Datatype type;
    Operation op;
};

std::vector<Case> every_case() {
    std::vector<Case> cases;
    for (size_t t = 0; t < kDatatypes; ++t) {
        for (size_t o = 0; o < kOperations; ++o) {
            const Case one{static_cast<Datatype>(t), static_cast<Operation>(o)};
            if (applies(one.op, one.type)) cases.push_back(one);
        }
    }
    return cases;
}

constexpr uint8_t kGuard = 0xa5;
constexpr size_t kGuardBytes = 128;

// An array at a chosen distance from a 64-byte boundary, between guard bytes.
class Buffer {
  public:
    Buffer(size_t bytes, size_t offset) : bytes_(bytes), memory_(bytes + 2 * kGuardBytes + 128, kGuard) {
        uint8_t* begin = memory_.data() + kGuardBytes;
        data_ = begin + (64 - address_of(begin) % 64) + offset;
    }
    uint8_t* data() const { return data_; }
    bool guards_hold() const {
        const auto is_guard = [](uint8_t byte) { return byte == kGuard; };
        return std::all_of<const uint8_t*>(memory_.data(), data_, is_guard) &&
               std::all_of<const uint8_t*>(data_ + bytes_, memory_.data() + memory_.size(), is_guard);
    }

  private:
    size_t bytes_;
    std::vector<uint8_t> memory_;
    uint8_t* data_;
};

class ReduceTest : public testing::TestWithParam<Case> {
  protected:
    const Datatype type_ = GetParam().type;
    const Operation op_ = GetParam().op;
    const size_t size_ = size_of(type_);
    const HostKernel kernel_ = host_kernel(kernel_name(type_, op_));
    std::mt19937 random_{static_cast<unsigned>(type_) * 100 + static_cast<unsigned>(op_)};

    // Folds nsrc random sources, source s at offsets[s % size] bytes, into a buffer of its own or into source `into`.
    void check(size_t count, const std::vector<size_t>& offsets, size_t nsrc, size_t dst_offset, int into = -1) {
        std::vector<Buffer> sources;
        for (size_t s = 0; s < nsrc; ++s) {
            sources.emplace_back(count * size_, offsets[s % offsets.size()]);
            oracle::fill(type_, random_, sources.back().data(), count);
        }
        std::vector<std::vector<uint8_t>> before;
        for (Buffer& source : sources) before.emplace_back(source.data(), source.data() + count * size_);
        Buffer apart(count * size_, dst_offset);
        Buffer& dst = into < 0 ? apart : sources[static_cast<size_t>(into)];
        std::vector<const void*> pointers;
        for (Buffer& source : sources) pointers.push_back(source.data());
        Work work;
        work.add(dst.data(), count, pointers);
        ASSERT_TRUE(Driver().launch(kernel_, work));
        compare(dst, before, count);
        ASSERT_TRUE(dst.guards_hold());
        for (size_t s = 0; s < nsrc; ++s) {
            if (static_cast<int>(s) == into) continue;
            ASSERT_TRUE(std::equal(before[s].begin(), before[s].end(), sources[s].data())) << "source " << s;
        }
    }

  private:
    void compare(Buffer& dst, const std::vector<std::vector<uint8_t>>& before, size_t count) {
        std::vector<const void*> elements(before.size());
        for (size_t i = 0; i < count; ++i) {
            for (size_t s = 0; s < before.size(); ++s) elements[s] = before[s].data() + i * size_;
            uint8_t expected[16];
            oracle::fold(type_, op_, elements, expected);
            // One source is a copy, bit by bit.
            const void* wanted = before.size() == 1 ? elements[0] : expected;
            ASSERT_TRUE(before.size() == 1 ? std::memcmp(dst.data() + i * size_, wanted, size_) == 0
                                           : oracle::same(type_, dst.data() + i * size_, wanted))
                << "element " << i << " of " << count << ", " << before.size() << " sources";
        }
    }
};

TEST_P(ReduceTest, FoldsAnyCountOfAnyNumberOfSources) {
    ASSERT_NE(kernel_, nullptr);
    for (size_t count : {0u, 1u, 3u, 31u, 1000u, 65537u}) {
        for (size_t nsrc = 1; nsrc <= 9; ++nsrc) {
            if (count == 65537 && nsrc % 4 != 1) continue;
            ASSERT_NO_FATAL_FAILURE(check(count, {0}, nsrc, 0)) << count << " elements, " << nsrc << " sources";
        }
    }
}

TEST_P(ReduceTest, FoldsAtAnyOffset) {
    for (size_t offset = 0; offset < 64; offset += size_) {
        for (size_t count : {1u, 3u, 31u, 100u}) {
            ASSERT_NO_FATAL_FAILURE(check(count, {offset}, 3, offset)) << offset;
            ASSERT_NO_FATAL_FAILURE(check(count, {offset, 0, 64 - size_}, 3, (offset * 3) % 64)) << offset;
        }
    }
}

TEST_P(ReduceTest, FoldsIntoEachOfItsSources) {
    for (size_t nsrc = 1; nsrc <= 9; ++nsrc) {
        for (size_t into = 0; into < nsrc; ++into) {
            ASSERT_NO_FATAL_FAILURE(check(200, {0, size_}, nsrc, 0, static_cast<int>(into))) << nsrc << " " << into;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Every, ReduceTest, testing::ValuesIn(every_case()), [](const auto& info) {
    return std::string(name_of(info.param.type)) + "_" + name_of(info.param.op);
});

// ---- what random data does not show

template <typename T>
T fold_one(Datatype type, Operation op, std::vector<T> values) {
    T result{};
    Work work;
    std::vector<const void*> sources;
    for (const T& value : values) sources.push_back(&value);
    work.add(&result, 1, sources);
    EXPECT_TRUE(Driver().launch(host_kernel(kernel_name(type, op)), work));
    return result;
}

TEST(Reduce, CopiesANanBitByBit) {
    const uint16_t nan = 0x7d23;
    EXPECT_EQ(fold_one<uint16_t>(Datatype::float16, Operation::sum, {nan}), nan);
    EXPECT_EQ(fold_one<uint16_t>(Datatype::bfloat16, Operation::max, {0xffa1}), 0xffa1);
    EXPECT_EQ(fold_one<uint8_t>(Datatype::bool8, Operation::land, {7}), 7);
}

TEST(Reduce, MinAndMaxTakeTheNextValueWhenOneIsNan) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(fold_one<float>(Datatype::float32, Operation::min, {nan, 1, 2}), 1);
    EXPECT_EQ(fold_one<float>(Datatype::float32, Operation::max, {5, nan, 2}), 2);
    EXPECT_TRUE(std::isnan(fold_one<float>(Datatype::float32, Operation::max, {5, 7, nan})));
    EXPECT_EQ(fold_one<uint16_t>(Datatype::float16, Operation::min, {0x3c00, 0xfe00}), 0x7fff);
}

TEST(Reduce, SixteenBitFloatsAreRoundedOnce) {
    // 2048 + 1 + 1: each 1 alone would be lost in half precision.
    EXPECT_EQ(fold_one<uint16_t>(Datatype::float16, Operation::sum, {0x6800, 0x3c00, 0x3c00}), 0x6801);
    // 256 + 1 + 1 in bfloat16, likewise.
    EXPECT_EQ(fold_one<uint16_t>(Datatype::bfloat16, Operation::sum, {0x4380, 0x3f80, 0x3f80}), 0x4381);
}

TEST(Reduce, FloatsAreAddedFromLeftToRight) {
    EXPECT_EQ(fold_one<float>(Datatype::float32, Operation::sum, {1e8f, -1e8f, 1}), 1);
    EXPECT_EQ(fold_one<float>(Datatype::float32, Operation::sum, {1, 1e8f, -1e8f}), 0);
}

TEST(Reduce, IntegersWrap) {
    EXPECT_EQ(fold_one<int8_t>(Datatype::int8, Operation::sum, {127, 1}), -128);
    EXPECT_EQ(fold_one<uint16_t>(Datatype::uint16, Operation::prod, {0xffff, 0xffff}), 1);
    EXPECT_EQ(fold_one<int32_t>(Datatype::int32, Operation::prod, {INT32_MIN, -1}), INT32_MIN);
    EXPECT_EQ(fold_one<int64_t>(Datatype::int64, Operation::sum, {INT64_MAX, 1}), INT64_MIN);
}

TEST(Reduce, LogicalOperationsGiveZeroOrOne) {
    EXPECT_EQ(fold_one<int32_t>(Datatype::int32, Operation::land, {2, 4}), 1);
    EXPECT_EQ(fold_one<int32_t>(Datatype::int32, Operation::lxor, {2, 4}), 0);
    EXPECT_EQ(fold_one<uint8_t>(Datatype::bool8, Operation::lor, {0, 8}), 1);
}

TEST(Reduce, TheLowerIndexOfEqualValuesWins) {
    const Pair<double> result =
        fold_one<Pair<double>>(Datatype::double_int, Operation::maxloc, {{3, 9}, {4, 7}, {4, 2}, {4, 5}, {1, 0}});
    EXPECT_EQ(result.value, 4);
    EXPECT_EQ(result.index, 2);
}

}  // namespace
}  // namespace stepccl::kernels
