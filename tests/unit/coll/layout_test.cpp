#include "coll/layout.h"

#include <gtest/gtest.h>

namespace stepccl {
namespace {

TEST(Layout, SplitCoversTheVector) {
    Layout layout = Layout::split(10, 4);
    uint64_t next = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(layout.block(i).offset, next);
        next += layout.block(i).count;
    }
    EXPECT_EQ(next, 10u);
    EXPECT_EQ(layout.end(), 10u);
    EXPECT_EQ(layout.largest(), 3u);
}

TEST(Layout, FewerElementsThanBlocks) {
    Layout layout = Layout::split(2, 5);
    uint64_t total = 0;
    for (uint32_t i = 0; i < 5; ++i) total += layout.block(i).count;
    EXPECT_EQ(total, 2u);
    EXPECT_EQ(Layout::split(0, 3).end(), 0u);
}

TEST(Layout, PartsCoverTheirBlock) {
    uint64_t counts[] = {7, 0, 3}, offsets[] = {100, 5, 0};
    Layout layout = Layout::listed(counts, offsets);
    EXPECT_EQ(layout.end(), 107u);
    for (uint32_t block = 0; block < 3; ++block) {
        uint64_t next = offsets[block];
        for (uint32_t part = 0; part < 4; ++part) {
            Extent extent = layout.part(block, part, 4);
            EXPECT_EQ(extent.offset, next);
            next += extent.count;
        }
        EXPECT_EQ(next, offsets[block] + counts[block]);
    }
}

TEST(Layout, PackedAndSingle) {
    uint64_t counts[] = {2, 0, 5};
    Layout packed = Layout::packed(counts);
    EXPECT_EQ(packed.block(2), (Extent{2, 5}));
    Layout single = Layout::single(9, 1, 3);
    EXPECT_EQ(single.block(1), (Extent{0, 9}));
    EXPECT_EQ(single.block(2), (Extent{0, 0}));
}

}  // namespace
}  // namespace stepccl
