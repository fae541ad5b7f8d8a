#include "select/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "select/choose.h"

namespace stepccl {
namespace {

const Link kLink = kNvlink18;
const double kRate = kNvlink18.bytes_per_us * CostModel().payload_share;  // what comes through: 397 GB/s

CallShape call_of(Kind kind, uint32_t n, uint64_t bytes) {
    return {kind, n, bytes, 4, true, true};
}

double predict(Kind kind, const char* name, uint32_t n, uint64_t bytes, uint32_t parts = 1) {
    const Algorithm* algorithm = find_algorithm(kind, name);
    EXPECT_NE(algorithm, nullptr) << name;
    return predict_us(*algorithm, call_of(kind, n, bytes), kLink, CostModel(), parts);
}

// How much longer `bytes` more take: what does not grow with the message falls out.
double slope_us(Kind kind, const char* name, uint32_t n, uint64_t bytes, uint32_t parts = 1) {
    return predict(kind, name, n, 2 * bytes, parts) - predict(kind, name, n, bytes, parts);
}

constexpr uint64_t kBig = 1u << 30;

TEST(Predict, AllgatherIsBoundByTheWire) {
    for (uint32_t n : {2u, 4u, 8u}) {
        double expected = (n - 1.0) / n * kBig / kRate;
        EXPECT_NEAR(slope_us(Kind::allgather, "direct", n, kBig) / expected, 1, 0.01) << n;
        EXPECT_NEAR(slope_us(Kind::allgather, "ring", n, kBig) / expected, 1, 0.01) << n;
    }
}

TEST(Predict, TheRootOfGatherReceivesFromAllOthers) {
    double expected = 7.0 / 8 * kBig / kRate;
    EXPECT_NEAR(slope_us(Kind::gather, "direct", 8, kBig) / expected, 1, 0.01);
    EXPECT_NEAR(slope_us(Kind::scatter, "direct", 8, kBig) / expected, 1, 0.01);
}

TEST(Predict, TheRootOfReduceReceivesWholeVectorsOrTwiceBlocks) {
    EXPECT_NEAR(slope_us(Kind::reduce, "direct", 8, kBig, 64) / (7.0 * kBig / kRate), 1, 0.05);
    EXPECT_NEAR(slope_us(Kind::reduce, "scatter_gather", 8, kBig, 64) / (14.0 / 8 * kBig / kRate), 1, 0.05);
}

TEST(Predict, PartsHideTheReductionOfAnAllreduce) {
    double wire = 2 * 7.0 / 8 * kBig / kRate;
    double reduction = 9.0 / 8 * kBig / CostModel().reduce_bytes_per_us;  // 8 vectors' block read, one written
    EXPECT_NEAR(slope_us(Kind::allreduce, "two_shot", 8, kBig, 1), wire + reduction, 1);
    EXPECT_NEAR(slope_us(Kind::allreduce, "two_shot", 8, kBig, 64), wire + reduction / 64, 1);
}

TEST(Predict, AChainIsHiddenByParts) {
    double whole = slope_us(Kind::scan, "chain", 8, kBig, 1), parts = slope_us(Kind::scan, "chain", 8, kBig, 64);
    EXPECT_GT(whole, 7.0 * kBig / kRate);
    EXPECT_LT(parts, 1.3 * kBig / kRate);
    EXPECT_GT(parts, 1.0 * kBig / kRate);
}

// Measured with two H200 and 8 CTAs, 1 GiB: a bus bandwidth of 366 to 382 with 8 parts, and 10 % less with 64.
TEST(Predict, AgreesWithThePrototypesOfTwoGpus) {
    const Algorithm* two_shot = find_algorithm(Kind::allreduce, "two_shot");
    auto busbw = [&](uint32_t parts) {
        double us = predict_us(*two_shot, call_of(Kind::allreduce, 2, kBig), kLink, h200_costs(8), parts);
        return static_cast<double>(kBig) / us / 1e3;
    };
    EXPECT_GT(busbw(8), 345);
    EXPECT_LT(busbw(8), 390);
    EXPECT_NEAR(busbw(64), 0.9 * 382, 15);
}

TEST(Predict, AnEmptyMessageCostsItsHops) {
    CostModel model;
    EXPECT_GT(predict(Kind::barrier, "dissemination", 8, 0), 3 * model.hop_us);
    EXPECT_LT(predict(Kind::barrier, "dissemination", 8, 0), 5 * model.hop_us);
}

TEST(Predict, OneRankCopiesAtMost) {
    CallShape call = call_of(Kind::allgather, 1, kBig);
    const Algorithm* direct = find_algorithm(Kind::allgather, "direct");
    CostModel model;
    EXPECT_EQ(predict_us(*direct, call, kSameDevice, model, 1), model.call_us);
    call.in_place = false;
    EXPECT_NEAR(predict_us(*direct, call, kSameDevice, model, 1), model.call_us + kBig / model.local_bytes_per_us,
                0.01);
}

TEST(Predict, FewerCtasReduceMoreSlowly) {
    EXPECT_LT(h200_costs(4).reduce_bytes_per_us, h200_costs(16).reduce_bytes_per_us);
    EXPECT_NEAR(h200_costs(16).reduce_bytes_per_us, CostModel().reduce_bytes_per_us, 3e3);
    EXPECT_EQ(h200_costs(1000).reduce_bytes_per_us, 4.2e6);
}

// Blocks that the busiest rank sends or receives, by counting the copies of all ranks' schedules.
uint32_t busiest_port(const Algorithm& algorithm, uint32_t n) {
    std::vector<uint32_t> out(n), in(n);
    for (uint32_t rank = 0; rank < n; ++rank) {
        Schedule schedule = build(algorithm, {algorithm.kind, n, 0, false}, rank, 1);
        for (const Step& step : schedule.steps) {
            if (step.op != Op::copy) continue;
            uint32_t from = schedule.sources(step)[0].rank, to = step.dst.rank;
            if (from != to) ++out[from], ++in[to];
        }
    }
    return std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
}

// With so many parts and such reductions that nothing but the wire is left.
TEST(Predict, TheWireCarriesWhatTheSchedulesCopy) {
    CostModel model;
    model.reduce_bytes_per_us = model.local_bytes_per_us = 1e18;
    for (const Algorithm& algorithm : algorithms()) {
        for (uint32_t n : {3u, 4u, 5u, 8u}) {
            CallShape small = call_of(algorithm.kind, n, kBig), large = call_of(algorithm.kind, n, 2 * kBig);
            constexpr uint32_t kParts = 1 << 20;
            double us =
                predict_us(algorithm, large, kLink, model, kParts) - predict_us(algorithm, small, kLink, model, kParts);
            double blocks = us * kRate * algorithm.blocks(n) / static_cast<double>(kBig);
            EXPECT_NEAR(blocks, busiest_port(algorithm, n), 0.01)
                << info(algorithm.kind).name << " " << algorithm.name << " n=" << n;
        }
    }
}

// Of every row, so that an addition is tested too: finite, positive, and never less for more bytes.
TEST(Predict, HoldsForEveryAlgorithm) {
    for (const Algorithm& algorithm : algorithms()) {
        for (uint32_t n : {1u, 2u, 3u, 8u, 64u, 1000u}) {
            for (uint32_t parts : {1u, 7u, 64u}) {
                double last = 0;
                for (uint64_t bytes = 0; bytes <= uint64_t{1} << 40; bytes = bytes * 16 + 1) {
                    double us = predict_us(algorithm, call_of(algorithm.kind, n, bytes), kLink, CostModel(), parts);
                    EXPECT_TRUE(std::isfinite(us)) << algorithm.name;
                    EXPECT_GT(us, 0) << algorithm.name;
                    EXPECT_GE(us, last) << info(algorithm.kind).name << " " << algorithm.name << " n=" << n
                                        << " bytes=" << bytes;
                    last = us;
                }
            }
        }
    }
}

}  // namespace
}  // namespace stepccl
