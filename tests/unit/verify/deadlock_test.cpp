#include <gtest/gtest.h>

#include "handmade.h"

namespace stepccl {
namespace {

constexpr Problem kBarrier{Kind::barrier, 2, 0, false};

TEST(Deadlock, EverybodyWaitsFirst) {
    auto ranks = all_ranks(kBarrier, 1, [](Builder& b) {
        uint32_t lane = b.copy_lane(), come = b.flag();
        b.wait(lane, b.ahead(1), come);
        b.signal(lane, b.ahead(1), come);
    });
    Report report = verify(ranks, {});
    EXPECT_TRUE(only(report, Fault::deadlock, "2 queues are stuck")) << texts(report);
    EXPECT_EQ(report.findings[0].text,
              "with a queue for every lane, 2 queues are stuck: rank 0, step 0 (lane 0  wait   flag 0 of 0 by 1 >= 1) "
              "waits for rank "
              "1, step 1 (lane 0  signal flag 0 of 0 by 1 >= 1), which stands behind rank 1, step 0 (lane 0  wait   "
              "flag 0 of 1 by 0 "
              ">= 1); rank 1, step 0 (lane 0  wait   flag 0 of 1 by 0 >= 1) waits for rank 0, step 1 (lane 0  signal "
              "flag 0 of 1 by "
              "0 >= 1), which stands behind rank 0, step 0 (lane 0  wait   flag 0 of 0 by 1 >= 1): a cycle");
}

TEST(Deadlock, NobodySignals) {
    auto ranks = all_ranks(kBarrier, 1, [](Builder& b) {
        uint32_t lane = b.copy_lane(), come = b.flag();
        if (b.rank() == 0) b.signal(lane, 1, come);
        b.wait(lane, b.ahead(1), come);
    });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::deadlock, "waits for a value that nobody raises its flag to"));
}

TEST(Deadlock, SignalledOnceAwaitedTwice) {
    auto ranks = all_ranks(kBarrier, 1, [](Builder& b) {
        uint32_t lane = b.copy_lane(), come = b.flag();
        b.epochs(2);
        b.signal(lane, b.ahead(1), come);
        b.wait(lane, b.ahead(1), come);
        b.wait(lane, b.ahead(1), come);
    });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::deadlock, "by 1 >= 2) waits for a value that nobody raises"));
}

// Right on queues of its own; on a shared one, the signal stands behind the wait that needs its answer.
std::vector<Schedule> wait_before_signal(LaneKind second) {
    return all_ranks(kBarrier, 1, [&](Builder& b) {
        uint32_t a = b.copy_lane(), c = second == LaneKind::copy ? b.copy_lane() : b.reduce_lane(), come = b.flag();
        b.wait(a, b.ahead(1), come);
        b.signal(c, b.ahead(1), come);
    });
}

TEST(Deadlock, LanesThatShareAQueue) {
    for (LaneKind second : {LaneKind::copy, LaneKind::reduce}) {
        auto ranks = wait_before_signal(second);
        EXPECT_TRUE(verify(ranks, {.lane_map = LaneMap::own_queue_per_lane}).ok());
        EXPECT_TRUE(only(verify(ranks, {.lane_map = LaneMap::one_queue}), Fault::deadlock,
                         "with one queue for all lanes of a rank"));
        Report by_kind = verify(ranks, {.lane_map = LaneMap::one_queue_per_kind});
        EXPECT_EQ(by_kind.has(Fault::deadlock), second == LaneKind::copy) << texts(by_kind);
    }
}

TEST(Deadlock, ADependencyOnAStuckLane) {
    auto ranks = all_ranks({Kind::bcast, 2, 0, false}, 1, [](Builder& b) {
        uint32_t a = b.copy_lane(), c = b.copy_lane(), flag = b.flag(), slot = b.scratch(1);
        if (!b.is_root()) return;
        b.wait(a, 1, flag);
        b.copy(a, b.scratch(0, slot, 0), b.in(0, 0));
        b.copy(c, b.out(1, 0), b.scratch(0, slot, 0));
    });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::deadlock, "2 queues are stuck"));
}

TEST(Barrier, WhoLeavesBeforeAllHaveEntered) {
    auto ranks = all_ranks({Kind::barrier, 3, 0, false}, 1, [](Builder& b) {
        uint32_t lane = b.copy_lane(), come = b.flag();
        b.signal(lane, b.ahead(1), come);
        b.wait(lane, b.behind(1), come);
    });
    EXPECT_TRUE(only(verify(ranks, {}), Fault::placement, "rank 0 may leave call 1 before rank 1 has entered it"))
        << texts(verify(ranks, {}));
}

}  // namespace
}  // namespace stepccl
