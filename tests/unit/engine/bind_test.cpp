// Schedules bound to made-up addresses: what the engine would be told.

#include <gtest/gtest.h>

#include <algorithm>

#include "algo/registry.h"
#include "engine/cuda/pad.h"
#include "engine/cuda/plan.h"

namespace stepccl::cuda {
namespace {

// Every rank's buffers lie at an address that says what they are: rank * 2^40 + kind * 2^36.
DevicePtr made_up(uint32_t rank, unsigned kind) { return (DevicePtr{rank + 1} << 40) | (DevicePtr{kind} << 36); }

struct Bound {
    Schedule schedule;
    Layout in, scratch;
    std::vector<Layout> outs;
    Plan plan;
};

Bound bound(const Algorithm& algorithm, Problem problem, uint32_t rank, uint64_t count, uint32_t parts, uint32_t round = 0, uint32_t rounds = 1) {
    Bound out;
    out.schedule = build(algorithm, problem, rank, parts);
    bool vector = info(problem.kind).shape == Shape::vector;
    auto layout = [&] { return vector ? Layout::split(count, out.schedule.blocks) : Layout::uniform(count, problem.n); };
    out.in = layout();
    out.scratch = layout();
    Binding binding;
    binding.schedule = &out.schedule;
    binding.type = Datatype::float32;
    binding.in = made_up(rank, 0);
    for (uint32_t r = 0; r < problem.n; ++r) {
        out.outs.push_back(layout());
        binding.out.push_back(made_up(r, 1));
        binding.scratch.push_back(made_up(r, 2));
        binding.pad.push_back(made_up(r, 3));
    }
    if (problem.in_place) binding.in = binding.out[rank];
    for (const Layout& l : out.outs) binding.out_layouts.push_back(&l);
    binding.in_layout = &out.in;
    binding.scratch_layout = &out.scratch;
    binding.slot_bytes = 1 << 20;
    binding.round = round;
    binding.rounds = rounds;
    auto plan = bind(binding);
    EXPECT_TRUE(plan.ok()) << plan.status().text();
    if (plan.ok()) out.plan = std::move(plan).value();
    return out;
}

TEST(Bind, CopiesOfAnAllgatherAreOneBatch) {
    Bound b = bound(*find_algorithm(Kind::allgather, "direct"), {Kind::allgather, 4, 0, true}, 1, 10, 1);
    std::vector<Command> copies;
    std::copy_if(b.plan.commands.begin(), b.plan.commands.end(), std::back_inserter(copies), [](const Command& c) { return c.what == Command::What::copies; });
    ASSERT_EQ(copies.size(), 1u);
    EXPECT_EQ(copies[0].count, 3u);
    EXPECT_EQ(b.plan.copy_ops[0].dst, made_up(2, 1) + 40);  // the next rank first, block 1 of ten floats
    EXPECT_EQ(b.plan.copy_ops[0].bytes, 40u);
    EXPECT_EQ(b.plan.copied_bytes, 120u);
}

// Within every batch no copy may touch what another one writes, whatever the algorithm.
TEST(Bind, BatchesHoldOnlyIndependentCopies) {
    for (const Algorithm& algorithm : algorithms()) {
        for (uint32_t rank = 0; rank < 5; ++rank) {
            for (bool in_place : {false, true}) {
                Bound b = bound(algorithm, {algorithm.kind, 5, 2, in_place}, rank, 1003, 3);
                for (const Command& c : b.plan.commands) {
                    if (c.what != Command::What::copies) continue;
                    for (uint32_t i = c.first; i < c.first + c.count; ++i) {
                        for (uint32_t j = c.first; j < c.first + c.count; ++j) {
                            const CopyOp &x = b.plan.copy_ops[i], &y = b.plan.copy_ops[j];
                            bool apart = x.dst + x.bytes <= y.src || y.src + y.bytes <= x.dst;
                            EXPECT_TRUE(apart || i == j) << algorithm.name;
                            bool writes_apart = x.dst + x.bytes <= y.dst || y.dst + y.bytes <= x.dst;
                            EXPECT_TRUE(writes_apart || i == j) << algorithm.name;
                        }
                    }
                }
            }
        }
    }
}

TEST(Bind, OneLaunchPerCallWithFlagsForOrder) {
    Bound b = bound(*find_algorithm(Kind::allreduce, "two_shot"), {Kind::allreduce, 3, 0, false}, 0, 3000, 4);
    auto launches = std::count_if(b.plan.commands.begin(), b.plan.commands.end(), [](const Command& c) { return c.what == Command::What::launch; });
    EXPECT_EQ(launches, 1);
    ASSERT_EQ(b.plan.kernel.entries.size(), 4u);
    uint64_t reduced = 0;
    for (const kernels::ReduceEntry& entry : b.plan.kernel.entries) {
        EXPECT_EQ(entry.nsrc, 3u);
        EXPECT_EQ(entry.nwaits, 2u);    // both peers' data
        EXPECT_EQ(entry.nsignals, 1u);  // the lane's own flag, for the copies that follow
        reduced += entry.count;
    }
    EXPECT_EQ(reduced, 1000u);
    EXPECT_EQ(b.plan.lane_values, 4u);
}

// The first entry's result is the second one's source on the same memory: in place, exscan copies over what it has read.
TEST(Bind, EntriesThatShareMemoryWaitForOneAnother) {
    Bound b = bound(*find_algorithm(Kind::exscan, "chain"), {Kind::exscan, 3, 0, true}, 1, 100, 1);
    const KernelWork& work = b.plan.kernel;
    ASSERT_EQ(work.entries.size(), 2u);
    ASSERT_EQ(work.entries[1].nwaits, 1u);
    EXPECT_EQ(work.flag_bases[work.entries[1].first_wait], Base::lane);
    Bound apart = bound(*find_algorithm(Kind::exscan, "chain"), {Kind::exscan, 3, 0, false}, 1, 100, 1);
    EXPECT_EQ(apart.plan.kernel.entries[1].nwaits, 0u);
}

TEST(Bind, RoundsShareTheVector) {
    uint64_t total = 0;
    for (uint32_t round = 0; round < 3; ++round) {
        total += bound(*find_algorithm(Kind::allreduce, "two_shot"), {Kind::allreduce, 2, 0, false}, 0, 1001, 2, round, 3).plan.reduced_bytes;
    }
    uint64_t own_block = bound(*find_algorithm(Kind::allreduce, "two_shot"), {Kind::allreduce, 2, 0, false}, 0, 1001, 1).plan.reduced_bytes;
    EXPECT_EQ(total, own_block);
}

TEST(Bind, UnreachableBufferIsAnError) {
    Schedule schedule = build(*find_algorithm(Kind::allgather, "direct"), {Kind::allgather, 2, 0, false}, 0, 1);
    Layout layout = Layout::uniform(4, 2);
    Binding binding;
    binding.schedule = &schedule;
    binding.in = 4096;
    binding.out = {8192, 0};
    binding.scratch = {0, 0};
    binding.pad = {1 << 20, 2 << 20};
    binding.in_layout = &layout;
    binding.out_layouts = {&layout, &layout};
    binding.scratch_layout = &layout;
    auto plan = bind(binding);
    ASSERT_FALSE(plan.ok());
    EXPECT_NE(plan.status().text().find("rank 0 does not reach a buffer of rank 1"), std::string::npos) << plan.status().text();
}

TEST(Bind, DifferentCountsMoveTheSmallerAndSaySo) {
    Schedule schedule = build(*find_algorithm(Kind::allgather, "direct"), {Kind::allgather, 2, 0, true}, 0, 1);
    uint64_t small[] = {3, 3}, large[] = {5, 5}, offsets[] = {0, 8};
    Layout in = Layout::listed(large, offsets), own = Layout::listed(large, offsets), theirs = Layout::listed(small, offsets);
    Binding binding;
    binding.schedule = &schedule;
    binding.in = 4096;
    binding.out = {4096, 8192};
    binding.scratch = {0, 0};
    binding.pad = {1 << 20, 2 << 20};
    binding.in_layout = &in;
    binding.out_layouts = {&own, &theirs};
    binding.scratch_layout = &in;
    auto plan = bind(binding);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan.value().copied_bytes, 3u);
    EXPECT_NE(plan.value().mismatch.find("5 bytes sent, 3 bytes expected"), std::string::npos) << plan.value().mismatch;
}

}  // namespace
}  // namespace stepccl::cuda
