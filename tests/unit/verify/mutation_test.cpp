// The prover against mutants, judged by executing them; and the executor against schedules known to be right or wrong.

#include <gtest/gtest.h>

#include "algo/registry.h"
#include "handmade.h"
#include "verify/execute.h"
#include "verify/mutate.h"

namespace stepccl {
namespace {

constexpr uint32_t kRuns = 100;

std::string executed(const std::vector<Schedule>& ranks, const Options& options = {}) {
    std::mt19937 random(7);
    return execute_often(ranks, options, random, kRuns);
}

TEST(Execute, RightSchedulesComeOutRight) {
    EXPECT_EQ(executed(all_ranks({Kind::allgather, 3, 0, false}, 3, Push())), "");
    EXPECT_EQ(executed(all_ranks({Kind::allgather, 3, 0, false}, 3, Pull())), "");
    EXPECT_EQ(executed(all_ranks({Kind::allreduce, 3, 0, true}, 1, OneShot())), "");
    for (const Algorithm& algorithm : algorithms()) {
        for (uint32_t parts : {1U, 3U}) {
            for (bool in_place : {false, true}) {
                Problem problem{algorithm.kind, 4, info(algorithm.kind).rooted ? 2U : 0U, in_place};
                std::vector<Schedule> ranks;
                for (uint32_t rank = 0; rank < problem.n; ++rank)
                    ranks.push_back(build(algorithm, problem, rank, parts));
                EXPECT_EQ(executed(ranks, {.reorders = algorithm.reorders}), "")
                    << info(algorithm.kind).name << " " << algorithm.name;
            }
        }
    }
}

TEST(Execute, FindsWhatIsWrong) {
    constexpr Problem kAllgather{Kind::allgather, 3, 0, false}, kAllreduce{Kind::allreduce, 3, 0, false};
    EXPECT_NE(executed(all_ranks(kAllgather, 3, Push{.await_ready = false})), "");
    EXPECT_NE(executed(all_ranks(kAllgather, 3, Push{.await_blocks = false})), "");
    EXPECT_NE(executed(all_ranks(kAllgather, 3, Push{.ready = false})), "");
    EXPECT_NE(executed(all_ranks(kAllgather, 3, Pull{.acknowledge = false})), "");
    EXPECT_NE(executed(all_ranks(kAllreduce, 1, OneShot{.ready = false})), "");
}

TEST(Execute, SeesOrderAndBrackets) {
    constexpr Problem kAllreduce{Kind::allreduce, 3, 0, false};
    OneShot backwards, own_first;
    backwards.sources = [](uint32_t, uint32_t) { return std::vector<uint32_t>{2, 1, 0}; };
    own_first.sources = [](uint32_t rank, uint32_t n) {
        return std::vector<uint32_t>{rank, (rank + 1) % n, (rank + 2) % n};
    };
    EXPECT_NE(executed(all_ranks(kAllreduce, 1, backwards)), "");
    EXPECT_EQ(executed(all_ranks(kAllreduce, 1, backwards), {.reorders = true}), "");
    EXPECT_NE(executed(all_ranks(kAllreduce, 1, own_first), {.reorders = true}), "");
}

TEST(Mutate, TheSameSeedGivesTheSameMutant) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
        auto a = all_ranks({Kind::allgather, 3, 0, false}, 3, Push()), b = a;
        std::mt19937 one(seed), other(seed);
        EXPECT_EQ(mutate(a, one), mutate(b, other));
    }
}

TEST(Mutate, NothingToChange) {
    std::vector<Schedule> empty = all_ranks({Kind::barrier, 2, 0, false}, 1, [](Builder&) {});
    std::mt19937 random(1);
    EXPECT_EQ(mutate(empty, random), "");
}

// Whatever does harm in some interleaving must be rejected; what does none may be, and mostly is not.
TEST(Mutation, AllThatDoHarmAreCaught) {
    std::mt19937 random(20);
    uint32_t harmful = 0, harmless = 0, rejected = 0;
    while (harmful + harmless < 400) {
        const Algorithm& algorithm = algorithms()[random() % algorithms().size()];
        uint32_t n = 2 + static_cast<uint32_t>(random() % 4), parts = 1 + static_cast<uint32_t>(random() % 3);
        Problem problem{algorithm.kind, n, 0, random() % 2 == 0};
        if (info(algorithm.kind).rooted) problem.root = static_cast<uint32_t>(random() % n);
        std::vector<Schedule> ranks;
        for (uint32_t rank = 0; rank < n; ++rank) ranks.push_back(build(algorithm, problem, rank, parts));
        std::string change = mutate(ranks, random);
        if (change.empty()) continue;
        Options options{.reorders = algorithm.reorders};
        Report report = verify(ranks, options);
        std::string wrong = execute_often(ranks, options, random, kRuns);
        (wrong.empty() ? harmless : harmful) += 1;
        rejected += wrong.empty() && !report.ok() ? 1 : 0;
        EXPECT_TRUE(wrong.empty() || !report.ok())
            << info(algorithm.kind).name << " " << algorithm.name << " n=" << n << " root=" << problem.root
            << " parts=" << parts << " " << change << ": " << wrong;
    }
    EXPECT_GT(harmful, 200U);
    EXPECT_LT(rejected, harmless);
}

}  // namespace
}  // namespace stepccl
