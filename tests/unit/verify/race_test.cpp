#include <gtest/gtest.h>

#include "handmade.h"

namespace stepccl {
namespace {

constexpr Problem kAllgather{Kind::allgather, 3, 0, false};
constexpr Problem kAllreduce{Kind::allreduce, 3, 0, false};

TEST(Race, RightSchedulesHaveNone) {
    for (const auto& ranks :
         {all_ranks(kAllgather, 3, Push()), all_ranks(kAllgather, 3, Pull()), all_ranks(kAllreduce, 1, OneShot())}) {
        Report report = verify(ranks, {});
        EXPECT_TRUE(report.ok()) << texts(report);
        EXPECT_GT(report.steps, 0U);
    }
}

TEST(Race, WritingBeforeTheOwnerHasEntered) {
    Report report = verify(all_ranks(kAllgather, 3, Push{.await_ready = false}), {});
    EXPECT_TRUE(only(report, Fault::race, "before it enters")) << texts(report);
}

TEST(Race, LeavingBeforeTheBlocksAreThere) {
    Report report = verify(all_ranks(kAllgather, 3, Push{.await_blocks = false}), {});
    EXPECT_TRUE(only(report, Fault::race, "after it has left call 1")) << texts(report);
}

// Nothing but the caller, who overwrites its input once the call is complete, shows that this is wrong.
TEST(Race, LeavingWhileOthersStillFetch) {
    Report report = verify(all_ranks(kAllgather, 3, Pull{.acknowledge = false}), {});
    EXPECT_TRUE(only(report, Fault::race, "the caller of rank 0 after it has left call 1, at in[0]@0"))
        << texts(report);
}

TEST(Race, TextsNameRankStepAndCell) {
    Report report = verify(all_ranks({Kind::allgather, 2, 0, false}, 2, Push{.await_blocks = false}), {});
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.findings[0].text,
              "nothing orders rank 1, step 3 (lane 0  copy   out[1]@0 <- in[1]@1) writing in call 1 and the caller of "
              "rank 0 after it "
              "has left call 1, at out[1]@0");
}

// Without the word that slots are free, one call is right, and the next one overwrites what the first still reads.
TEST(Race, ScratchOfTheCallBefore) {
    auto ranks = all_ranks(kAllreduce, 1, OneShot{.ready = false});
    EXPECT_TRUE(verify(ranks, {.calls = 1, .any_sequence = false}).ok());
    Report report = verify(ranks, {.calls = 2, .any_sequence = false});
    EXPECT_TRUE(only(report, Fault::race, "in call 2")) << texts(report);
}

// Two calls of this are right, since the root waits until its slot at rank 1 has been read. But it does not know
// whether a call of another schedule still uses that slot.
TEST(Race, ScratchOfACallOfAnotherSchedule) {
    auto ranks = all_ranks({Kind::bcast, 2, 0, false}, 1, [](Builder& b) {
        uint32_t lane = b.copy_lane(), sent = b.flag(), taken = b.flag(), slot = b.scratch(1);
        if (b.is_root()) b.copy(lane, b.scratch(1, slot, 0), b.in(0, 0));
        if (b.is_root()) b.signal(lane, 1, sent);
        if (!b.is_root()) b.wait(lane, 0, sent);
        if (!b.is_root()) b.copy(lane, b.out(1, 0), b.scratch(1, slot, 0));
        if (!b.is_root()) b.signal(lane, 0, taken);
        if (b.is_root()) b.wait(lane, 1, taken);
    });
    EXPECT_TRUE(verify(ranks, {.calls = 2, .any_sequence = false}).ok());
    Report report = verify(ranks, {.calls = 2, .any_sequence = true});
    EXPECT_TRUE(only(report, Fault::race, "a call of another schedule on rank 1 before it enters")) << texts(report);
}

void two_lanes(Builder& b, Operand first, Operand second) {
    uint32_t a = b.copy_lane(), c = b.copy_lane();
    b.copy(a, first, b.in(0, 0));
    b.copy(c, second, b.in(0, 0));
}

TEST(Race, LanesNeedDependencies) {
    auto ranks = all_ranks({Kind::bcast, 1, 0, false}, 1, [](Builder& b) {
        uint32_t slots = b.scratch(2);
        two_lanes(b, b.scratch(0, slots, 0), b.scratch(0, slots, 0));
    });
    EXPECT_TRUE(verify(ranks, {}).ok()) << texts(verify(ranks, {}));
    ranks[0].steps[1].ndeps = 0;
    EXPECT_TRUE(only(verify(ranks, {}), Fault::race, "writing in call 1"));
}

// Blocks differ in size: another part of another block may be the same memory, another part of the same block is not.
TEST(Race, PartsOfDifferentBlocksInOneSlot) {
    for (uint32_t second : {0U, 1U}) {
        auto ranks = all_ranks({Kind::bcast, 1, 0, false}, 2, [&](Builder& b) {
            uint32_t slot = b.scratch(1), a = b.copy_lane(), c = b.copy_lane();
            b.copy(a, b.scratch(0, slot, 0), b.in(0, 0));
            b.copy(c, b.scratch(0, slot, second), b.in(0, second));
        });
        ranks[0].parts = 2;
        ranks[0].steps[0].part = 0;
        ranks[0].steps[1].part = 1;
        ranks[0].steps[1].ndeps = 0;
        EXPECT_EQ(verify(ranks, {}).has(Fault::race), second == 1) << texts(verify(ranks, {}));
    }
}

TEST(Race, AWholeBlockAndOneOfItsParts) {
    auto ranks = all_ranks({Kind::bcast, 1, 0, false}, 1, [](Builder& b) {
        uint32_t slot = b.scratch(1);
        two_lanes(b, b.scratch(0, slot, 0), b.scratch(0, slot, 0));
    });
    ranks[0].parts = 3;
    ranks[0].steps[1].part = 2;
    ranks[0].steps[1].ndeps = 0;
    EXPECT_TRUE(only(verify(ranks, {}), Fault::race, "scratch0[0]@0 part 2"));
    ranks[0].steps[0].part = 1;
    EXPECT_TRUE(verify(ranks, {}).ok());
}

// In place, the output of reduce_scatter lies across the blocks of its input: rank 1 fetches a block of rank 0's input
// while rank 0 writes its result.
void fetch_and_reduce(Builder& b, bool acknowledge) {
    uint32_t lane = b.copy_lane(), reduce = b.reduce_lane(), ready = b.flag(), fetched = b.flag(), slots = b.scratch(2);
    uint32_t peer = b.ahead(1), own = b.rank();
    b.signal(lane, peer, ready);
    b.wait(lane, peer, ready);
    b.copy(lane, b.scratch(own, slots, own), b.in(peer, own));
    b.signal(lane, peer, fetched);
    Operand a = b.in(own, own), c = b.scratch(own, slots, own);
    b.reduce(reduce, b.scratch(own, slots + 1, own), {own == 0 ? a : c, own == 0 ? c : a});
    if (acknowledge) b.wait(lane, peer, fetched);
    b.copy(lane, b.out(own, own), b.scratch(own, slots + 1, own));
    if (!acknowledge) b.wait(lane, peer, fetched);
}

TEST(Race, OutputAcrossTheInput) {
    for (bool acknowledge : {true, false}) {
        auto ranks =
            all_ranks({Kind::reduce_scatter, 2, 0, true}, 2, [&](Builder& b) { fetch_and_reduce(b, acknowledge); });
        Report report = verify(ranks, {});
        EXPECT_EQ(report.ok(), acknowledge) << texts(report);
        EXPECT_EQ(only(report, Fault::race, "at in[1]@0"), !acknowledge) << texts(report);
        for (Schedule& schedule : ranks) schedule.problem.in_place = false;
        EXPECT_TRUE(verify(ranks, {}).ok()) << texts(verify(ranks, {}));
    }
}

TEST(Race, AFlagRaisedByTwoLanesInNoOrder) {
    auto ranks = all_ranks({Kind::barrier, 2, 0, false}, 1, [](Builder& b) {
        uint32_t a = b.copy_lane(), c = b.copy_lane(), flag = b.flag();
        b.epochs(2);
        b.signal(a, b.ahead(1), flag);
        b.signal(c, b.ahead(1), flag);
        b.wait(a, b.ahead(1), flag);
        b.wait(a, b.ahead(1), flag);
    });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::race, "may raise its flag before"));
    for (Schedule& schedule : ranks) schedule.steps[1].lane = 0;
    EXPECT_TRUE(verify(ranks, {}).ok());
}

// A flag is stored, not counted up: the lower value, stored last, would stay.
TEST(Race, AFlagThatFallsBack) {
    auto ranks = all_ranks({Kind::barrier, 2, 0, false}, 1, [](Builder& b) {
        uint32_t lane = b.copy_lane(), flag = b.flag();
        b.epochs(2);
        b.signal(lane, b.ahead(1), flag);
        b.signal(lane, b.ahead(1), flag);
        b.wait(lane, b.ahead(1), flag);
        b.wait(lane, b.ahead(1), flag);
    });
    EXPECT_TRUE(verify(ranks, {}).ok());
    std::swap(ranks[0].steps[0].value, ranks[0].steps[1].value);
    EXPECT_TRUE(only(verify(ranks, {}), Fault::race, "may raise its flag before"));
}

}  // namespace
}  // namespace stepccl
