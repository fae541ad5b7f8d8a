#include <gtest/gtest.h>

#include "handmade.h"
#include "verify/values.h"

namespace stepccl {
namespace {

constexpr Problem kAllreduce{Kind::allreduce, 3, 0, false};

TEST(Placement, TheWrongBlock) {
    auto ranks = all_ranks({Kind::allgather, 2, 0, false}, 2, Push());
    // Rank 0 sends its own block from where rank 1's will come to lie.
    for (Operand& operand : ranks[0].operands) {
        if (operand.space == Space::in) operand = {0, Space::out, 0, 0};
    }
    ranks[0].steps[2].dst = {0, Space::scratch, 0, 0};
    for (Schedule& schedule : ranks) schedule.scratch_slots = 1;
    Report report = verify(ranks, {});
    EXPECT_TRUE(only(report, Fault::placement, "out[0]@1 must hold in[0]@0 and holds what was in out[0]@0"))
        << texts(report);
}

TEST(Placement, NothingWritten) {
    auto ranks = all_ranks({Kind::bcast, 2, 0, false}, 1, [](Builder& b) { b.copy_lane(); });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::placement, "out[0]@1 must hold in[0]@0 and holds what was in out[0]@1"));
}

TEST(Placement, ScratchIsUndefined) {
    auto ranks = all_ranks({Kind::allreduce, 1, 0, false}, 1, [](Builder& b) {
        b.reduce(b.reduce_lane(), b.out(0, 0), {b.in(0, 0), b.scratch(0, b.scratch(1), 0)});
    });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::placement, "(in[0]@0 op nothing defined)"));
}

TEST(Placement, ASlotHoldsOneBlock) {
    auto ranks = all_ranks({Kind::scan, 1, 0, false}, 2, [](Builder& b) {
        uint32_t lane = b.copy_lane(), slot = b.scratch(1);
        for (uint32_t block : {0U, 1U}) b.copy(lane, b.scratch(0, slot, block), b.in(0, block));
        for (uint32_t block : {0U, 1U}) b.copy(lane, b.out(0, block), b.scratch(0, slot, block));
    });
    Report report = verify(ranks, {});
    EXPECT_TRUE(
        only(report, Fault::placement, "out[0]@0 must hold the reduction of in[0]@0 to @0 and holds nothing defined"));
    EXPECT_EQ(report.found, 1U) << texts(report);
}

TEST(Placement, CountedTwice) {
    OneShot twice;
    twice.sources = [](uint32_t, uint32_t) { return std::vector<uint32_t>{0, 1, 1, 2}; };
    EXPECT_TRUE(
        only(verify(all_ranks(kAllreduce, 1, twice), {.reorders = true}), Fault::placement, "a rank is counted twice"));
}

TEST(Placement, ARankIsMissing) {
    OneShot missing;
    missing.sources = [](uint32_t, uint32_t) { return std::vector<uint32_t>{0, 2}; };
    Report report = verify(all_ranks(kAllreduce, 1, missing), {.reorders = true});
    EXPECT_TRUE(only(report, Fault::placement, "must hold the reduction of in[0]@0 to @2")) << texts(report);
}

TEST(Placement, OrderOfRanks) {
    OneShot backwards;
    backwards.sources = [](uint32_t, uint32_t) { return std::vector<uint32_t>{2, 1, 0}; };
    auto ranks = all_ranks(kAllreduce, 1, backwards);
    EXPECT_TRUE(only(verify(ranks, {}), Fault::order, "(in[0]@2 op in[0]@1 op in[0]@0)"));
    EXPECT_TRUE(verify(ranks, {.reorders = true}).ok());
}

TEST(Placement, SameBitsOnAllRanks) {
    OneShot own_first;
    own_first.sources = [](uint32_t rank, uint32_t n) {
        return std::vector<uint32_t>{rank, (rank + 1) % n, (rank + 2) % n};
    };
    auto ranks = all_ranks(kAllreduce, 1, own_first);
    EXPECT_TRUE(
        only(verify(ranks, {.reorders = true}), Fault::not_same_bits, "but on rank 0 (in[0]@0 op in[0]@1 op in[0]@2)"));
}

// The same order is not enough: brackets count as well.
TEST(Placement, SameBitsMeansTheSameBrackets) {
    auto ranks = all_ranks(kAllreduce, 1, OneShot());
    Schedule& s = ranks[2];
    Step pair = s.steps.back(), rest = pair;
    pair.nsrc = 2;
    pair.dst = {2, Space::scratch, 2, 0};
    rest.nsrc = 2;
    rest.first_src = static_cast<uint32_t>(s.operands.size());
    s.operands.push_back(pair.dst);
    s.operands.push_back({2, Space::in, 0, 0});
    s.steps.back() = pair;
    s.steps.push_back(rest);
    Report report = verify(ranks, {});
    EXPECT_TRUE(only(report, Fault::not_same_bits, "((in[0]@0 op in[0]@1) op in[0]@2), but on rank 0"))
        << texts(report);
}

TEST(Placement, ExscanLeavesRankZeroAlone) {
    for (bool in_place : {false, true}) {
        auto ranks = all_ranks({Kind::exscan, 1, 0, in_place}, 1, [](Builder& b) {
            uint32_t slot = b.scratch(1), lane = b.copy_lane();
            b.copy(lane, b.scratch(0, slot, 0), b.in(0, 0));
            b.reduce(b.reduce_lane(), b.out(0, 0), {b.scratch(0, slot, 0), b.scratch(0, slot, 0)});
        });
        EXPECT_TRUE(only(verify(ranks, {}), Fault::placement, "out[0]@0 must hold what it held before"));
        ranks[0].steps.pop_back();
        EXPECT_TRUE(verify(ranks, {}).ok());
    }
}

// Once the result is written, the input below it is gone.
TEST(Placement, InputUnderTheOutput) {
    auto ranks = all_ranks({Kind::reduce_scatter, 1, 0, true}, 1, [](Builder& b) {
        uint32_t lane = b.copy_lane(), slots = b.scratch(2);
        b.copy(lane, b.scratch(0, slots, 0), b.in(0, 0));
        b.copy(lane, b.out(0, 0), b.scratch(0, slots, 0));
        b.copy(lane, b.scratch(0, slots + 1, 0), b.in(0, 0));
        b.copy(lane, b.out(0, 0), b.scratch(0, slots + 1, 0));
    });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::placement,
                     "out[0]@0 must hold the reduction of in[0]@0 to @0 and holds nothing defined"));
    ranks[0].steps.resize(2);
    EXPECT_TRUE(verify(ranks, {}).ok()) << texts(verify(ranks, {}));
}

TEST(Placement, MeasuresHopsAndBlocksSent) {
    Report push = verify(all_ranks({Kind::allgather, 5, 0, false}, 5, Push()), {});
    EXPECT_EQ(push.hops, 1U);
    EXPECT_EQ(push.sent, 4.0);
    auto relay = all_ranks({Kind::bcast, 3, 0, false}, 1, [](Builder& b) {
        uint32_t lane = b.copy_lane(), ready = b.flag(), sent = b.flag();
        if (b.rank() != 0) b.signal(lane, b.rank() - 1, ready);
        if (b.rank() != 2) b.wait(lane, b.rank() + 1, ready);
        if (b.rank() != 0) b.wait(lane, b.rank() - 1, sent);
        if (b.rank() != 2) b.copy(lane, b.out(b.rank() + 1, 0), b.rank() == 0 ? b.in(0, 0) : b.out(1, 0));
        if (b.rank() != 2) b.signal(lane, b.rank() + 1, sent);
    });
    Report report = verify(relay, {});
    EXPECT_TRUE(report.ok()) << texts(report);
    EXPECT_EQ(report.hops, 2U);
    EXPECT_EQ(report.sent, 1.0);
}

TEST(Values, EqualExpressionsAreOne) {
    prover::Values values(4, 2, 2);
    auto leaf = [&](uint32_t rank) { return values.input(rank, 1, 1); };
    std::vector<prover::Value> pair{leaf(0), leaf(1)}, swapped{leaf(1), leaf(0)};
    prover::Value ab = values.reduction(pair);
    EXPECT_EQ(ab, values.reduction(pair));
    EXPECT_NE(ab, values.reduction(swapped));
    std::vector<prover::Value> left{ab, leaf(2)}, flat{leaf(0), leaf(1), leaf(2)};
    EXPECT_NE(values.reduction(left), values.reduction(flat));
    EXPECT_TRUE(values.covers(values.fold(values.reduction(left)), 0, 2));
    EXPECT_FALSE(values.covers(values.fold(values.reduction(left)), 0, 3));
    EXPECT_EQ(values.text(values.reduction(left)), "((in[1]@0 part 1 op in[1]@1 part 1) op in[1]@2 part 1)");
}

TEST(Values, SetsOfMoreThanSixtyFourRanks) {
    prover::Values values(130, 1, 1);
    std::vector<prover::Value> backwards;
    for (uint32_t rank = 130; rank-- > 0;) backwards.push_back(values.input(rank, 0, 0));
    auto fold = values.fold(values.reduction(backwards));
    EXPECT_EQ(fold.what, prover::Values::Fold::What::good);
    EXPECT_FALSE(fold.in_order);
    EXPECT_TRUE(values.covers(fold, 0, 129));
    EXPECT_FALSE(values.covers(fold, 1, 129));
    backwards.push_back(values.input(129, 0, 0));
    EXPECT_EQ(values.fold(values.reduction(backwards)).what, prover::Values::Fold::What::twice);
}

TEST(Values, BlocksAreNotMixed) {
    prover::Values values(2, 2, 1);
    std::vector<prover::Value> mixed{values.input(0, 0, 0), values.input(1, 1, 0)};
    EXPECT_EQ(values.fold(values.reduction(mixed)).what, prover::Values::Fold::What::mixed);
}

}  // namespace
}  // namespace stepccl
