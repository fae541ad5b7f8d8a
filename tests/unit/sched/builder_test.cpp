#include "sched/builder.h"

#include <gtest/gtest.h>

#include <tuple>

#include "sched/passes.h"
#include "sched/text.h"

namespace stepccl {
namespace {

Problem problem(Kind kind, uint32_t n, bool in_place = false) { return {kind, n, 0, in_place}; }

std::vector<uint32_t> deps(const Schedule& schedule, size_t step) {
    auto span = schedule.deps_of(schedule.steps[step]);
    return {span.begin(), span.end()};
}

TEST(Builder, FlagValuesCountPerPeerAndFlag) {
    Builder b(problem(Kind::barrier, 3), 0, 1);
    uint32_t lane = b.copy_lane(), one = b.flag_once(), two = b.flag_once();
    b.signal(lane, 1, one);
    b.signal(lane, 1, one);
    b.signal(lane, 2, one);
    b.signal(lane, 1, two);
    b.wait(lane, 1, one);
    Schedule s = std::move(b).finish();
    std::vector<uint32_t> values;
    for (const Step& step : s.steps) values.push_back(step.value);
    EXPECT_EQ(values, (std::vector<uint32_t>{1, 2, 1, 1, 1}));
    EXPECT_EQ(s.steps[4].flag, (Flag{0, 1, one}));
    EXPECT_EQ(s.steps[0].flag, (Flag{1, 0, one}));
}

TEST(InferOrder, BetweenLanesOnly) {
    Builder b(problem(Kind::allreduce, 2), 0, 2);
    uint32_t a = b.copy_lane(), c = b.copy_lane(), r = b.reduce_lane();
    uint32_t slot = b.scratch(1);
    b.copy(a, b.scratch(0, slot, 0), b.in(0, 0));                         // 0
    b.copy(a, b.out(0, 1), b.scratch(0, slot, 0));                        // 1: same lane, no dependency
    b.reduce(r, b.out(0, 0), {b.scratch(0, slot, 0), b.in(0, 0)});        // 2: reads what 0 wrote
    b.copy(c, b.out(1, 0), b.out(0, 0));                                  // 3: reads what 2 wrote
    b.copy(a, b.scratch(0, slot, 0), b.in(0, 1));                         // 4: writes what 2 reads
    Schedule s = std::move(b).finish();
    EXPECT_TRUE(deps(s, 1).empty());
    EXPECT_EQ(deps(s, 2), std::vector<uint32_t>{0});
    EXPECT_EQ(deps(s, 3), std::vector<uint32_t>{2});
    EXPECT_EQ(deps(s, 4), std::vector<uint32_t>{2});
}

TEST(InferOrder, InPlaceInputAndOutputAreOne) {
    for (bool in_place : {false, true}) {
        Builder b(problem(Kind::allreduce, 2, in_place), 0, 1);
        uint32_t a = b.copy_lane(), r = b.reduce_lane(), slot = b.scratch(1);
        b.copy(a, b.scratch(1, slot, 0), b.in(0, 0));
        b.reduce(r, b.out(0, 0), {b.in(0, 0)});
        Schedule s = std::move(b).finish();
        EXPECT_EQ(deps(s, 1), in_place ? std::vector<uint32_t>{0} : std::vector<uint32_t>{});
    }
}

TEST(InferOrder, ResultAcrossTheInputWaitsForAllReaders) {
    Builder b(problem(Kind::reduce_scatter, 3, true), 1, 3);
    uint32_t a = b.copy_lane(), c = b.copy_lane(), slot = b.scratch(1);
    b.copy(a, b.scratch(2, slot, 2), b.in(1, 2));
    b.copy(c, b.out(1, 1), b.scratch(1, slot, 1));
    Schedule s = std::move(b).finish();
    EXPECT_EQ(deps(s, 1), std::vector<uint32_t>{0});
}

Schedule two_steps(Order order) {
    Builder b(problem(Kind::allgather, 2), 0, 2);
    uint32_t lane = b.copy_lane(), ready = b.flag_once(), sent = b.flag();
    b.order(order);
    b.epochs(2);
    b.wait(lane, 1, ready, Repeat::first);
    b.copy(lane, b.out(1, 0), b.in(0, 0));
    b.signal(lane, 1, sent);
    b.signal(lane, 1, sent);
    b.wait(lane, 1, sent, Repeat::last);
    return chunk(std::move(b).finish(), 3);
}

// (operation, part, value) in the order of the steps.
std::vector<std::tuple<Op, uint32_t, uint32_t>> listed(const Schedule& s) {
    std::vector<std::tuple<Op, uint32_t, uint32_t>> out;
    for (const Step& step : s.steps) out.emplace_back(step.op, step.part, step.value);
    return out;
}

TEST(Chunk, PartByPart) {
    Schedule s = two_steps(Order::by_part);
    EXPECT_EQ(s.parts, 3u);
    EXPECT_EQ(s.epochs, 6u);
    EXPECT_EQ(listed(s), (std::vector<std::tuple<Op, uint32_t, uint32_t>>{
                             {Op::wait, kWhole, 1},
                             {Op::copy, 0, 0}, {Op::signal, 0, 1}, {Op::signal, 0, 2},
                             {Op::copy, 1, 0}, {Op::signal, 1, 3}, {Op::signal, 1, 4},
                             {Op::copy, 2, 0}, {Op::signal, 2, 5}, {Op::signal, 2, 6},
                             {Op::wait, kWhole, 5}}));
}

TEST(Chunk, StepByStep) {
    Schedule s = two_steps(Order::by_step);
    EXPECT_EQ(listed(s), (std::vector<std::tuple<Op, uint32_t, uint32_t>>{
                             {Op::wait, kWhole, 1},
                             {Op::copy, 0, 0}, {Op::copy, 1, 0}, {Op::copy, 2, 0},
                             {Op::signal, 0, 1}, {Op::signal, 1, 2}, {Op::signal, 2, 3},
                             {Op::signal, 0, 4}, {Op::signal, 1, 5}, {Op::signal, 2, 6},
                             {Op::wait, kWhole, 3}}));
}

TEST(Text, OneLineAStep) {
    Builder b(problem(Kind::allgather, 2), 0, 2);
    uint32_t lane = b.copy_lane(), sent = b.flag();
    b.copy(lane, b.out(1, 0), b.in(0, 0));
    b.signal(lane, 1, sent);
    Schedule s = std::move(b).finish();
    s.algorithm = "made_up";
    EXPECT_EQ(to_text(s),
              "allgather made_up n=2 rank=0 blocks=2 parts=1 scratch=0 flags=1 epochs=1 lanes=copy\n"
              "    0  lane 0  copy   out[0]@1 <- in[0]@0\n"
              "    1  lane 0  signal flag 0 of 1 by 0 >= 1\n");
}

}  // namespace
}  // namespace stepccl
