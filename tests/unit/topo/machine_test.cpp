#include "topo/machine.h"

#include <gtest/gtest.h>

namespace stepccl {
namespace {

TEST(Synthetic, LinksEveryTwoGpusOfANodeAndNoOthers) {
    Machine machine = synthetic(2, 3, kPcie5x16);
    ASSERT_EQ(machine.gpus.size(), 6u);
    ASSERT_EQ(machine.nodes.size(), 2u);
    for (size_t from = 0; from < 6; ++from) {
        for (size_t to = 0; to < 6; ++to) {
            Link expected = from == to ? kSameDevice : from / 3 == to / 3 ? kPcie5x16 : Link{};
            EXPECT_EQ(machine.link(from, to), expected) << from << " to " << to;
        }
    }
}

TEST(Synthetic, OneNodeHasNvlinks) {
    Machine machine = synthetic(8);
    EXPECT_EQ(machine.nodes.size(), 1u);
    EXPECT_EQ(machine.link(0, 7).kind, LinkKind::nvlink);
    EXPECT_TRUE(synthetic(0).gpus.empty());
}

TEST(Spread, GivesNeighboursOneNodeAndGoesRoundTheGpus) {
    Machine machine = synthetic(2, 2);
    Placement expected = {{0, 0}, {0, 1}, {0, 0}, {1, 2}, {1, 3}};
    EXPECT_EQ(spread(machine, 5), expected);
}

TEST(Spread, OfFewerRanksThanNodesLeavesNodesOut) {
    EXPECT_EQ(spread(synthetic(3, 1), 2), (Placement{{0, 0}, {1, 1}}));
}

TEST(Spread, FindsNoPlaceWithoutGpus) {
    EXPECT_TRUE(spread(synthetic(0), 2).empty());
    EXPECT_TRUE(spread(synthetic(1), 0).empty());
}

TEST(WeakestLink, IsTheSlowestBetweenAnyTwoRanks) {
    Machine machine = synthetic(4);
    Link slow{LinkKind::pcie, 1e3, 5};
    machine.link(1, 3) = slow;
    EXPECT_EQ(weakest_link(machine, spread(machine, 3)).kind, LinkKind::nvlink);
    EXPECT_EQ(weakest_link(machine, spread(machine, 4)), slow);
}

TEST(WeakestLink, OfRanksOnOneGpuIsTheGpuItself) {
    EXPECT_EQ(weakest_link(synthetic(1), spread(synthetic(1), 4)), kSameDevice);
}

TEST(WeakestLink, BetweenNodesIsNone) {
    Machine machine = synthetic(2, 1);
    EXPECT_EQ(weakest_link(machine, spread(machine, 2)).kind, LinkKind::none);
}

TEST(Describe, NamesWhatThereIs) {
    std::string text = describe(synthetic(2));
    EXPECT_NE(text.find("GPU 1: gpu1"), std::string::npos) << text;
    EXPECT_NE(text.find("nvlink(450 GB/s)"), std::string::npos) << text;
    EXPECT_NE(describe(synthetic(0)).find("no GPU"), std::string::npos);
}

}  // namespace
}  // namespace stepccl
