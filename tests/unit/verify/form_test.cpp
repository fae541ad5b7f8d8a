#include <gtest/gtest.h>

#include "handmade.h"

namespace stepccl {
namespace {

using Ranks = std::vector<Schedule>;

struct Fall {
    const char* name;
    std::function<void(Ranks&)> seed;
    const char* words;
};

// What is wrong with a right all-gather of three ranks when one field is. Rank 1's steps: 0, 1 signal; 2, 3 wait; 4
// local copy; then copy and signal, twice; then two waits.
const Fall kFalls[] = {
    {"Missing", [](Ranks& r) { r.pop_back(); }, "schedules of 2 ranks for n = 3"},
    {"Twice", [](Ranks& r) { r[2] = r[1]; }, "rank 2's schedule says that it is rank 1's"},
    {"Kind", [](Ranks& r) { r[1].problem.kind = Kind::alltoall; }, "ranks 0 and 1 differ in the problem"},
    {"InPlace", [](Ranks& r) { r[1].problem.in_place = true; }, "differ in the problem"},
    {"Algorithm", [](Ranks& r) { r[1].algorithm = "other"; }, "differ in the algorithm"},
    {"Parts", [](Ranks& r) { r[1].parts = 2; }, "differ in parts"},
    {"Blocks", [](Ranks& r) { r[1].blocks = 4; }, "differ in blocks"},
    {"AllBlocks",
     [](Ranks& r) {
         for (Schedule& s : r) s.blocks = 4;
     },
     "blocks must be n, is 4"},
    {"Scratch", [](Ranks& r) { r[1].scratch_slots = 1; }, "differ in scratch_slots"},
    {"Flags", [](Ranks& r) { r[1].flags = 3; }, "differ in flags"},
    {"Epochs", [](Ranks& r) { r[1].epochs = 2; }, "differ in epochs"},
    {"Lane", [](Ranks& r) { r[1].steps[4].lane = 1; }, "there is no lane 1"},
    {"LaneKind", [](Ranks& r) { r[1].lanes[0] = LaneKind::reduce; }, "rank 1, step 4 (copy): not allowed on lane 0"},
    {"Part", [](Ranks& r) { r[1].steps[4].part = 1; }, "there is no part 1"},
    {"NoSource", [](Ranks& r) { r[1].steps[4].nsrc = 0; }, "has 0 sources"},
    {"Sources", [](Ranks& r) { r[1].steps[4].first_src = 99; }, "sources out of range"},
    {"Deps", [](Ranks& r) { r[1].steps[4].ndeps = 1; }, "deps out of range"},
    {"DepForward",
     [](Ranks& r) {
         r[1].deps = {4};
         r[1].steps[4].first_dep = 0;
         r[1].steps[4].ndeps = 1;
     },
     "depends on step 4, which does not stand before it"},
    {"Rank", [](Ranks& r) { r[1].steps[4].dst.rank = 3; }, "there is no rank 3"},
    {"Block", [](Ranks& r) { r[1].steps[4].dst.block = 3; }, "there is no block 3"},
    {"Slot", [](Ranks& r) { r[1].steps[4].dst.space = Space::scratch; }, "there is no scratch slot 0"},
    {"NoInput", [](Ranks& r) { r[1].operands[r[1].steps[4].first_src].block = 2; }, "there is no in[2]@1"},
    {"WritesInput", [](Ranks& r) { r[1].steps[4].dst.space = Space::in; }, "writes in[1]@1, which is the caller's"},
    {"Size", [](Ranks& r) { r[1].steps[4].dst.block = 2; }, "out[2]@1 and in[1]@1 differ in size"},
    {"Itself", [](Ranks& r) { r[1].operands[r[1].steps[4].first_src].space = Space::out; },
     "out[1]@1 and out[1]@1 share memory"},
    {"InPlaceCopy",
     [](Ranks& r) {
         for (Schedule& s : r) s.problem.in_place = true;
     },
     "out[0]@0 and in[0]@0 share memory"},
    {"FlagOwner", [](Ranks& r) { r[1].steps[0].flag.owner = 3; }, "flag of a rank that does not exist"},
    {"FlagIndex", [](Ranks& r) { r[1].steps[0].flag.index = 2; }, "there is no flag 2"},
    {"ValueZero", [](Ranks& r) { r[1].steps[2].value = 0; }, "value 0 is not in 1..1"},
    {"ValueHigh", [](Ranks& r) { r[1].steps[2].value = 2; }, "value 2 is not in 1..1"},
    {"Writer", [](Ranks& r) { r[1].steps[0].flag.writer = 2; }, "raises a flag that rank 2 writes"},
    {"Owner", [](Ranks& r) { r[1].steps[2].flag.owner = 2; }, "waits for a flag of rank 2"},
    // Without epochs of their own, a second use of a flag looks like the first.
    {"Reused",
     [](Ranks& r) {
         for (Schedule& s : r)
             for (Step& step : s.steps) step.flag.index = 0;
     },
     "raises its flag to the same value as"},
    {"Send",
     [](Ranks& r) {
         r[1].lanes.push_back(LaneKind::net);
         r[1].steps[4].op = Op::send;
         r[1].steps[4].lane = 1;
     },
     "cannot be verified yet"},
};

class Form : public testing::TestWithParam<Fall> {};

TEST_P(Form, IsMalformed) {
    Ranks ranks = all_ranks({Kind::allgather, 3, 0, false}, 3, Push());
    ASSERT_TRUE(verify(ranks, {}).ok());
    GetParam().seed(ranks);
    Report report = verify(ranks, {});
    EXPECT_TRUE(only(report, Fault::malformed, GetParam().words)) << texts(report);
}

INSTANTIATE_TEST_SUITE_P(Fields, Form, testing::ValuesIn(kFalls),
                         [](const auto& fall) { return std::string(fall.param.name); });

TEST(FormOf, NoSchedules) {
    EXPECT_TRUE(only(verify({}, {}), Fault::malformed, "no schedules"));
}

TEST(FormOf, ReductionsStayOnTheirRank) {
    auto ranks = all_ranks({Kind::allreduce, 2, 0, false}, 1, OneShot());
    ranks[0].steps.back().dst.rank = 1;
    EXPECT_TRUE(only(verify(ranks, {}), Fault::malformed, "writes out[0]@1 of another rank"));
    ranks[0].steps.back().dst.rank = 0;
    ranks[0].operands.back().rank = 1;
    EXPECT_TRUE(only(verify(ranks, {}), Fault::malformed, "reads scratch1[0]@1 of another rank"));
}

TEST(FormOf, AReductionMayWriteOneOfItsSources) {
    for (bool in_place : {false, true}) {
        Report report = verify(all_ranks({Kind::allreduce, 3, 0, in_place}, 1, OneShot()), {});
        EXPECT_TRUE(report.ok()) << texts(report);
    }
}

// In place, the result of reduce_scatter does not lie exactly on any block of the input.
TEST(FormOf, AReductionMayNotWriteAcrossItsSources) {
    auto write = [](Builder& b) {
        uint32_t lane = b.copy_lane(), reduce = b.reduce_lane(), ready = b.flag(), sent = b.flag(), slot = b.scratch(1);
        uint32_t own = b.rank(), peer = b.ahead(1);
        b.signal(lane, peer, ready);
        b.wait(lane, peer, ready);
        b.copy(lane, b.scratch(peer, slot, peer), b.in(own, peer));
        b.signal(lane, peer, sent);
        b.wait(reduce, peer, sent);
        Operand mine = b.in(own, own), theirs = b.scratch(own, slot, own);
        b.reduce(reduce, b.out(own, own), {own == 0 ? mine : theirs, own == 0 ? theirs : mine});
    };
    EXPECT_TRUE(verify(all_ranks({Kind::reduce_scatter, 2, 0, false}, 2, write), {}).ok());
    Report report = verify(all_ranks({Kind::reduce_scatter, 2, 0, true}, 2, write), {});
    EXPECT_TRUE(only(report, Fault::malformed, "out[0]@0 and in[0]@0 share memory")) << texts(report);
}

// What two other ranks exchange in an all-to-all may be of any size.
TEST(FormOf, AlltoallKnowsItsOwnScratchOnly) {
    for (uint32_t owner : {0U, 1U}) {
        auto ranks = all_ranks({Kind::alltoall, 2, 0, false}, 2, [&](Builder& b) {
            uint32_t lane = b.copy_lane(), slot = b.scratch(1);
            if (b.rank() == 0) b.copy(lane, b.scratch(owner, slot, 1), b.in(0, 1));
        });
        EXPECT_EQ(verify(ranks, {}).has(Fault::malformed), owner == 1) << texts(verify(ranks, {}));
    }
}

// A scatter in place leaves the root's other blocks alone.
TEST(FormOf, SendBuffersAreReadOnlyInPlaceToo) {
    auto ranks = all_ranks({Kind::scatter, 2, 0, true}, 2, [](Builder& b) {
        uint32_t lane = b.copy_lane(), slot = b.scratch(1);
        if (!b.is_root()) return;
        b.copy(lane, b.scratch(0, slot, 1), b.in(0, 1));
        b.copy(lane, b.in(0, 1), b.scratch(0, slot, 1));
    });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::malformed, "writes in[1]@0, which is the caller's"));
}

}  // namespace
}  // namespace stepccl
