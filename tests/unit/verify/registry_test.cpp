// Every algorithm of the registry, proved.

#include <gtest/gtest.h>

#include "algo/registry.h"
#include "handmade.h"

namespace stepccl {
namespace {

std::vector<Schedule> build_all(const Algorithm& algorithm, const Problem& problem, uint32_t parts) {
    std::vector<Schedule> out;
    for (uint32_t rank = 0; rank < problem.n; ++rank) out.push_back(build(algorithm, problem, rank, parts));
    return out;
}

class Registry : public testing::TestWithParam<Algorithm> {
  protected:
    void prove(const Problem& problem, uint32_t parts) {
        const Algorithm& algorithm = GetParam();
        auto ranks = build_all(algorithm, problem, parts);
        for (LaneMap map : {LaneMap::one_queue, LaneMap::one_queue_per_kind}) {
            Report report = verify(ranks, {.lane_map = map, .reorders = algorithm.reorders});
            ASSERT_TRUE(report.ok()) << "n=" << problem.n << " root=" << problem.root
                                     << " in place=" << problem.in_place << " parts=" << parts << "\n"
                                     << texts(report);
            check_declared(problem.n, report);
        }
    }

    void check_declared(uint32_t n, const Report& report) {
        if (n >= 3) {
            EXPECT_EQ(report.hops, GetParam().steps(n)) << "n=" << n;
            EXPECT_EQ(report.sent, GetParam().sent(n)) << "n=" << n;
        } else {
            EXPECT_LE(report.hops, GetParam().steps(n)) << "n=" << n;
            EXPECT_LE(report.sent, GetParam().sent(n)) << "n=" << n;
        }
    }
};

TEST_P(Registry, IsRightUpTo16Ranks) {
    for (uint32_t n = 1; n <= 16; ++n) {
        uint32_t roots = info(GetParam().kind).rooted ? n : 1;
        for (uint32_t root = 0; root < roots; ++root) {
            for (bool in_place : {false, true}) {
                for (uint32_t parts : {1U, 2U, 3U, 8U}) prove({GetParam().kind, n, root, in_place}, parts);
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST_P(Registry, IsRightForMoreRanks) {
    for (uint32_t n : {17U, 31U, 32U, 48U, 64U}) {
        uint32_t root = info(GetParam().kind).rooted ? n / 3 : 0;
        for (bool in_place : {false, true}) {
            for (uint32_t parts : {1U, 3U}) prove({GetParam().kind, n, root, in_place}, parts);
            if (HasFatalFailure()) return;
        }
    }
}

std::string title(const Algorithm& algorithm) {
    return std::string(info(algorithm.kind).name) + "_" + algorithm.name;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Registry, testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         [](const auto& row) { return title(row.param); });

}  // namespace
}  // namespace stepccl
