#include <gtest/gtest.h>

#include "base/checked.h"
#include "base/datatype.h"
#include "base/status.h"

namespace stepccl {
namespace {

TEST(Datatypes, NamesAreFoundAgain) {
    for (size_t i = 0; i < kDatatypes; ++i) {
        auto type = static_cast<Datatype>(i);
        EXPECT_EQ(datatype_named(name_of(type)), type);
        EXPECT_EQ(size_of(type) % alignment_of(type), 0u);
    }
    EXPECT_FALSE(datatype_named("float3").has_value());
    EXPECT_FALSE(operation_named("").has_value());
}

// What MPI defines, spelled out independently of the table.
TEST(Operations, ApplyAsInMpi) {
    EXPECT_TRUE(applies(Operation::sum, Datatype::complex64));
    EXPECT_FALSE(applies(Operation::max, Datatype::complex64));
    EXPECT_FALSE(applies(Operation::band, Datatype::float32));
    EXPECT_FALSE(applies(Operation::land, Datatype::float64));
    EXPECT_TRUE(applies(Operation::land, Datatype::int32));
    EXPECT_TRUE(applies(Operation::lxor, Datatype::bool8));
    EXPECT_FALSE(applies(Operation::sum, Datatype::bool8));
    EXPECT_TRUE(applies(Operation::minloc, Datatype::double_int));
    EXPECT_FALSE(applies(Operation::minloc, Datatype::int32));
    EXPECT_FALSE(applies(Operation::sum, Datatype::double_int));
}

TEST(Checked, SaysWhenItOverflows) {
    EXPECT_EQ(checked_mul<uint64_t>(1u << 31, 1u << 31), uint64_t{1} << 62);
    EXPECT_FALSE(checked_mul<uint64_t>(uint64_t{1} << 33, uint64_t{1} << 31).has_value());
    EXPECT_FALSE(checked_add<uint32_t>(UINT32_MAX, 1).has_value());
}

TEST(Checked, SplitPointsCoverEverythingEvenly) {
    for (uint64_t total : {uint64_t{0}, uint64_t{1}, uint64_t{7}, uint64_t{1000}, UINT64_MAX / 3}) {
        for (uint64_t n : {1u, 2u, 3u, 7u, 64u}) {
            EXPECT_EQ(split_point(total, 0, n), 0u);
            EXPECT_EQ(split_point(total, n, n), total);
            for (uint64_t i = 0; i < n; ++i) {
                uint64_t size = split_point(total, i + 1, n) - split_point(total, i, n);
                EXPECT_GE(size, total / n);
                EXPECT_LE(size, total / n + 1);
            }
        }
    }
}

TEST(Status, KeepsCodeAndText) {
    Status status(Code::ERR_TIMEOUT, "rank 3 is late");
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.text(), "rank 3 is late");
    EXPECT_STREQ(code_text(Code::ERR_TIMEOUT), "timed out waiting for a peer");
    Result<int> result(status);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), Code::ERR_TIMEOUT);
    EXPECT_TRUE(Result<int>(5).status().ok());
}

}  // namespace
}  // namespace stepccl
