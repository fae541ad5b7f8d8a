#include "select/choose.h"

#include <gtest/gtest.h>

#include <bit>

namespace stepccl {
namespace {

CallShape call_of(Kind kind, uint32_t n, std::optional<uint64_t> bytes) {
    return {kind, n, bytes, 4, true, true};
}

Choice chosen(const CallShape& call, std::string_view rules = "", uint32_t parts = 0) {
    auto override = parse_override(rules);
    EXPECT_TRUE(override.ok()) << override.status().text();
    override.value().parts = parts;
    return choose(call, kNvlink18, CostModel(), override.value());
}

TEST(Choose, TakesTheLeastTimeOfAll) {
    for (size_t kind = 0; kind < kKinds; ++kind) {
        for (uint64_t bytes = 4; bytes <= uint64_t{1} << 32; bytes *= 8) {
            CallShape call = call_of(static_cast<Kind>(kind), 8, bytes);
            Choice choice = chosen(call);
            ASSERT_NE(choice.algorithm, nullptr);
            EXPECT_EQ(choice.algorithm->kind, call.kind);
            for (const Algorithm& other : algorithms()) {
                if (other.kind != call.kind) continue;
                for (uint32_t parts = 1; parts <= most_parts(other, call); parts *= 2) {
                    EXPECT_GE(predict_us(other, call, kNvlink18, CostModel(), parts), choice.predicted_us)
                        << other.name;
                }
            }
        }
    }
}

TEST(Choose, SmallAllreducesGoInOneShotAndLargeOnesInTwo) {
    EXPECT_STREQ(chosen(call_of(Kind::allreduce, 8, 1024)).algorithm->name, "one_shot");
    EXPECT_STREQ(chosen(call_of(Kind::allreduce, 8, 256 << 20)).algorithm->name, "two_shot");
}

TEST(Choose, LargeBroadcastsAreDealtOut) {
    EXPECT_STREQ(chosen(call_of(Kind::bcast, 8, 1024)).algorithm->name, "direct");
    EXPECT_STREQ(chosen(call_of(Kind::bcast, 8, 256 << 20)).algorithm->name, "scatter_allgather");
}

TEST(Choose, LargeCallsGetMoreParts) {
    EXPECT_EQ(chosen(call_of(Kind::allreduce, 8, 4096)).parts, 1u);
    EXPECT_GT(chosen(call_of(Kind::allreduce, 8, 1 << 30)).parts, 1u);
    EXPECT_GT(chosen(call_of(Kind::scan, 8, 1 << 30)).parts, 8u);
}

TEST(Choose, PartsAreAPowerOfTwoAndNoMoreThanElements) {
    for (uint64_t bytes : {0u, 4u, 8u, 32u, 100u, 4096u, 1u << 30}) {
        for (uint32_t n : {1u, 2u, 3u, 8u}) {
            Choice choice = chosen(call_of(Kind::allreduce, n, bytes));
            EXPECT_TRUE(std::has_single_bit(choice.parts));
            EXPECT_LE(choice.parts, kMostParts);
            EXPECT_LE(choice.parts, std::max<uint64_t>(bytes / 4, 1));
        }
    }
}

TEST(Choose, AnOperationThatDoesNotCommuteIsNeverReordered) {
    for (Kind kind : {Kind::allreduce, Kind::reduce_scatter}) {
        for (uint64_t bytes = 4; bytes <= uint64_t{1} << 32; bytes *= 2) {
            CallShape call = call_of(kind, 4, bytes);
            call.commutative = false;
            EXPECT_FALSE(chosen(call).algorithm->reorders);
        }
    }
}

TEST(Choose, ObeysTheFirstRuleThatFits) {
    CallShape call = call_of(Kind::allreduce, 4, 1 << 20);
    Choice choice = chosen(call, "allreduce:2M-@one_shot;allreduce:1M-:4@ring,parts=3;allreduce@two_shot");
    EXPECT_STREQ(choice.algorithm->name, "ring");
    EXPECT_EQ(choice.parts, 3u);
    EXPECT_EQ(choice.rule, "allreduce:1M-:4@ring,parts=3");
}

TEST(Choose, PassesARuleOverThatWouldReorder) {
    CallShape call = call_of(Kind::allreduce, 4, 1 << 20);
    call.commutative = false;
    Choice choice = chosen(call, "allreduce@ring;allreduce@one_shot");
    EXPECT_STREQ(choice.algorithm->name, "one_shot");
    EXPECT_NE(explain(choice).find("'allreduce@ring' is passed over"), std::string::npos) << explain(choice);
    EXPECT_FALSE(chosen(call, "allreduce@ring").algorithm->reorders);
}

TEST(Choose, ThePartsParameterHoldsWhereNoRuleSays) {
    CallShape call = call_of(Kind::allreduce, 4, 1 << 20);
    EXPECT_EQ(chosen(call, "", 5).parts, 5u);
    EXPECT_EQ(chosen(call, "allreduce@ring", 5).parts, 5u);
    EXPECT_EQ(chosen(call, "allreduce@ring,parts=2", 5).parts, 2u);
    EXPECT_EQ(chosen(call_of(Kind::allreduce, 4, 8), "allreduce@one_shot", 5).parts, 2u) << "there are two elements";
}

TEST(Choose, ACallOfUnknownSizeGoesInOnePart) {
    Choice choice = chosen(call_of(Kind::gather, 4, std::nullopt));
    EXPECT_STREQ(choice.algorithm->name, "direct");
    EXPECT_EQ(choice.parts, 1u);
    EXPECT_NE(explain(choice).find("not every rank knows"), std::string::npos);
}

TEST(Choose, ASlowerLinkTakesLonger) {
    CallShape call = call_of(Kind::allgather, 4, 64 << 20);
    Override none;
    double fast = choose(call, kNvlink18, CostModel(), none).predicted_us;
    double slow = choose(call, kPcie5x16, CostModel(), none).predicted_us;
    double unknown = choose(call, Link(), CostModel(), none).predicted_us;
    EXPECT_GT(slow, 5 * fast);
    EXPECT_GT(unknown, slow);
}

TEST(Explain, NamesEveryCandidateAndWhyItWasNotTaken) {
    CallShape call = call_of(Kind::allreduce, 8, 64 << 20);
    call.commutative = false;
    std::string text = explain(chosen(call));
    EXPECT_NE(text.find("allreduce of 64M on 8 rank(s)"), std::string::npos) << text;
    EXPECT_NE(text.find("two_shot in "), std::string::npos) << text;
    EXPECT_NE(text.find("slower: "), std::string::npos) << text;
    EXPECT_NE(text.find("not eligible: it reorders"), std::string::npos) << text;
    EXPECT_NE(text.find("copy engines"), std::string::npos) << text;
}

TEST(Explain, SaysWhatARuleDid) {
    CallShape call = call_of(Kind::allreduce, 8, 64 << 20);
    std::string text = explain(chosen(call, "allreduce@one_shot,parts=4"));
    EXPECT_NE(text.find("the rule 'allreduce@one_shot,parts=4' asks for it"), std::string::npos) << text;
    EXPECT_NE(text.find("4 part(s), as was asked for"), std::string::npos) << text;
    EXPECT_NE(text.find("not what the override asks for"), std::string::npos) << text;
}

}  // namespace
}  // namespace stepccl
