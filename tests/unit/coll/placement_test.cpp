// The meaning of each collective, against a table written down by hand for three ranks.

#include "coll/placement.h"

#include <gtest/gtest.h>

namespace stepccl {
namespace {

using What = Expected::What;

std::string text(const Expected& e) {
    if (e.what == What::unchanged) return "-";
    std::string ranks = std::to_string(e.first) + (e.what == What::reduction ? ".." + std::to_string(e.last) : "");
    return ranks + "[" + std::to_string(e.block) + "]";
}

// What rank 1 of three, with root 2, must hold in its output, block by block; "." where there is no block.
std::string row(Kind kind, uint32_t rank) {
    Problem problem{kind, 3, 2, false};
    std::string out;
    for (uint32_t block = 0; block < 3; ++block) {
        out += has_out(problem, rank, block) ? text(expected(problem, rank, block)) : ".";
        out += " ";
    }
    return out;
}

TEST(Placement, RankOneOfThree) {
    EXPECT_EQ(row(Kind::barrier, 1), ". . . ");
    EXPECT_EQ(row(Kind::bcast, 1), "2[0] 2[1] 2[2] ");
    EXPECT_EQ(row(Kind::gather, 1), ". . . ");
    EXPECT_EQ(row(Kind::gather, 2), "0[0] 1[1] 2[2] ");
    EXPECT_EQ(row(Kind::scatter, 1), ". 2[1] . ");
    EXPECT_EQ(row(Kind::allgather, 1), "0[0] 1[1] 2[2] ");
    EXPECT_EQ(row(Kind::alltoall, 1), "0[1] 1[1] 2[1] ");
    EXPECT_EQ(row(Kind::allreduce, 1), "0..2[0] 0..2[1] 0..2[2] ");
    EXPECT_EQ(row(Kind::reduce, 1), ". . . ");
    EXPECT_EQ(row(Kind::reduce, 2), "0..2[0] 0..2[1] 0..2[2] ");
    EXPECT_EQ(row(Kind::reduce_scatter, 1), ". 0..2[1] . ");
    EXPECT_EQ(row(Kind::scan, 1), "0..1[0] 0..1[1] 0..1[2] ");
    EXPECT_EQ(row(Kind::exscan, 1), "0..0[0] 0..0[1] 0..0[2] ");
    EXPECT_EQ(row(Kind::exscan, 0), "- - - ");
}

TEST(Placement, InPlaceSharesMemoryWhereMpiSaysSo) {
    auto of = [](Kind kind, uint32_t rank) { return alias({kind, 3, 2, true}, rank); };
    EXPECT_EQ(of(Kind::allreduce, 0), Alias::same);
    EXPECT_EQ(of(Kind::reduce, 0), Alias::none);
    EXPECT_EQ(of(Kind::reduce, 2), Alias::same);
    EXPECT_EQ(of(Kind::scatter, 2), Alias::same);
    EXPECT_EQ(of(Kind::reduce_scatter, 1), Alias::front);
    EXPECT_EQ(of(Kind::bcast, 2), Alias::none);
    EXPECT_EQ(alias({Kind::allreduce, 3, 0, false}, 0), Alias::none);
}

}  // namespace
}  // namespace stepccl
