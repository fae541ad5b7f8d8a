#include "select/override.h"

#include <gtest/gtest.h>

namespace stepccl {
namespace {

Override parsed(std::string_view text) {
    auto out = parse_override(text);
    EXPECT_TRUE(out.ok()) << out.status().text();
    return out.ok() ? out.value() : Override();
}

CallShape allreduce_of(std::optional<uint64_t> bytes, uint32_t n) {
    return {Kind::allreduce, n, bytes, 4, true, false};
}

TEST(ParseOverride, ReadsAFullRule) {
    Override all = parsed("allreduce:1M-64M:8@ring,parts=8");
    ASSERT_EQ(all.rules.size(), 1u);
    const Rule& rule = all.rules[0];
    EXPECT_EQ(rule.algorithm, find_algorithm(Kind::allreduce, "ring"));
    EXPECT_EQ(rule.low, 1u << 20);
    EXPECT_EQ(rule.high, 64u << 20);
    EXPECT_EQ(rule.fewest_ranks, 8u);
    EXPECT_EQ(rule.most_ranks, 8u);
    EXPECT_EQ(rule.parts, 8u);
    EXPECT_EQ(rule.text, "allreduce:1M-64M:8@ring,parts=8");
}

TEST(ParseOverride, ReadsSeveralRulesAndSpaces) {
    Override all = parsed(" bcast@direct ;\nallgather:-64K@ring; ");
    ASSERT_EQ(all.rules.size(), 2u);
    EXPECT_EQ(all.rules[0].parts, 0u);
    EXPECT_EQ(all.rules[1].low, 0u);
    EXPECT_EQ(all.rules[1].high, 65536u);
    EXPECT_TRUE(parsed("").rules.empty());
    EXPECT_TRUE(parsed(" ; ").rules.empty());
}

TEST(ParseOverride, LeavesEndsOpen) {
    EXPECT_EQ(parsed("allreduce:2G-@ring").rules[0].high, UINT64_MAX);
    EXPECT_EQ(parsed("allreduce:2G-@ring").rules[0].low, uint64_t{2} << 30);
    const Rule rule = parsed("allreduce:-:2-4@ring").rules[0];
    EXPECT_EQ(rule.fewest_ranks, 2u);
    EXPECT_EQ(rule.most_ranks, 4u);
}

void expect_error(std::string_view text, std::initializer_list<const char*> words) {
    auto out = parse_override(text);
    ASSERT_FALSE(out.ok()) << text;
    EXPECT_EQ(out.status().code(), Code::ERR_PARAMETER);
    for (const char* word : words) {
        EXPECT_NE(out.status().text().find(word), std::string::npos) << "'" << word << "' in: " << out.status().text();
    }
}

TEST(ParseOverride, SaysWhatIsWrong) {
    expect_error("allreduc@ring", {"allreduc@ring", "did you mean 'allreduce'", "exscan"});
    expect_error("allreduce@rnig", {"has no algorithm 'rnig'", "did you mean 'ring'", "two_shot", "one_shot"});
    expect_error("allgather@two_shot", {"allgather has no algorithm 'two_shot'", "direct", "ring"});
    expect_error("allreduce", {"KIND[:LOW-HIGH[:RANKS]]@ALGORITHM[,parts=N]"});
    expect_error("allreduce@ring@ring", {"KIND"});
    expect_error("allreduce:64K@ring", {"LOW-HIGH", "64K"});
    expect_error("allreduce:1X-2M@ring", {"'1X' is no size"});
    expect_error("allreduce:-1-2@ring", {"LOW-HIGH"});
    expect_error("allreduce:2M-1M@ring", {"no size is from 2M to 1M"});
    expect_error("allreduce:-:0@ring", {"ranks", "'0'"});
    expect_error("allreduce:-:4-2@ring", {"ranks", "'4-2'"});
    expect_error("allreduce:-:many@ring", {"ranks", "'many'"});
    expect_error("allreduce:-:2:3@ring", {"KIND"});
    expect_error("allreduce@ring,parts=0", {"from 1 to 64"});
    expect_error("allreduce@ring,parts=65", {"from 1 to 64"});
    expect_error("allreduce@ring,part=2", {"parts=N", "'part=2'"});
    expect_error("allreduce@ring,parts=2,parts=3", {"KIND"});
    expect_error("bcast@direct;allreduce@", {"has no algorithm ''"});
}

TEST(Fits, LooksAtKindSizeAndRanks) {
    const Rule rule = parsed("allreduce:1K-2K:2-4@ring").rules[0];
    EXPECT_TRUE(fits(rule, allreduce_of(1024, 2)));
    EXPECT_TRUE(fits(rule, allreduce_of(2048, 4)));
    EXPECT_FALSE(fits(rule, allreduce_of(1023, 2)));
    EXPECT_FALSE(fits(rule, allreduce_of(2049, 2)));
    EXPECT_FALSE(fits(rule, allreduce_of(1024, 1)));
    EXPECT_FALSE(fits(rule, allreduce_of(1024, 5)));
    EXPECT_FALSE(fits(rule, {Kind::scan, 2, 1024, 4, true, false}));
}

TEST(Fits, ACallOfUnknownSizeOnlyARuleForAllSizes) {
    EXPECT_FALSE(fits(parsed("allreduce:1K-@ring").rules[0], allreduce_of(std::nullopt, 2)));
    EXPECT_TRUE(fits(parsed("allreduce@ring").rules[0], allreduce_of(std::nullopt, 2)));
}

}  // namespace
}  // namespace stepccl
