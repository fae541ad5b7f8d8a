#include "tools/perf_report.h"

#include <gtest/gtest.h>

#include <sstream>

namespace stepccl::tools {
namespace {

PerfRow row_of(Kind kind, uint32_t n, uint64_t count, double us) {
    PerfRow out;
    out.which = {{kind, n, 0, false}, Datatype::float32, Operation::sum, count, 1};
    out.times.median_us = us;
    return out;
}

TEST(Summarise, FindsTheMiddleAndTheEnds) {
    std::vector<double> odd = {5, 1, 3};
    Times times = summarise(odd);
    EXPECT_EQ(times.median_us, 3);
    EXPECT_EQ(times.min_us, 1);
    EXPECT_EQ(times.max_us, 5);
    std::vector<double> even = {4, 1, 2, 3};
    EXPECT_EQ(summarise(even).median_us, 2.5);
    std::vector<double> many;
    for (int i = 100; i > 0; --i) many.push_back(i);
    EXPECT_EQ(summarise(many).p95_us, 95);
    std::vector<double> one = {7};
    EXPECT_EQ(summarise(one).p95_us, 7);
}

// 4 ranks, 400,000 bytes in 100 us.
TEST(Bandwidth, IsDefinedAsInNcclTests) {
    EXPECT_DOUBLE_EQ(algbw(row_of(Kind::allreduce, 4, 100000, 100)), 4);
    EXPECT_DOUBLE_EQ(busbw(row_of(Kind::allreduce, 4, 100000, 100)), 6);
    EXPECT_DOUBLE_EQ(busbw(row_of(Kind::bcast, 4, 100000, 100)), 4);
    EXPECT_DOUBLE_EQ(busbw(row_of(Kind::reduce, 4, 100000, 100)), 4);
    for (Kind kind : {Kind::allgather, Kind::alltoall, Kind::reduce_scatter, Kind::gather, Kind::scatter}) {
        EXPECT_DOUBLE_EQ(algbw(row_of(kind, 4, 25000, 100)), 4);
        EXPECT_DOUBLE_EQ(busbw(row_of(kind, 4, 25000, 100)), 3);
    }
    EXPECT_EQ(busbw(row_of(Kind::barrier, 4, 0, 100)), 0);
}

std::string end_of_table(PerfHeader header, const std::vector<PerfRow>& rows) {
    std::ostringstream out;
    write_table_end(out, header, summarise(rows));
    return out.str();
}

TEST(WriteTable, SaysWhoServedTheCalls) {
    PerfRow row = row_of(Kind::allreduce, 4, 100, 10);
    PerfHeader header;
    row.native_calls = 4;
    EXPECT_NE(end_of_table(header, {row}).find("Served by StepCCL"), std::string::npos);
    row.engines.staged_bytes = 4;  // where ranks do not meet, no call is counted
    EXPECT_NE(end_of_table(header, {row}).find("Staged through host memory"), std::string::npos);
    header.component = false;
    EXPECT_NE(end_of_table(header, {row}).find("coll/stepccl took no part"), std::string::npos);
}

TEST(WriteTable, MarksWhatStepcclDidNotDo) {
    PerfRow row = row_of(Kind::allreduce, 4, 256, 10);
    std::ostringstream without, with;
    write_table_row(without, row);
    EXPECT_NE(without.str().find("  - "), std::string::npos) << without.str();
    row.algorithm = "two_shot";
    row.parts = 3;
    row.checked = true;
    row.wrong = 17;
    row.engines.copy_engine_bytes = 6144;
    write_table_row(with, row);
    for (const char* part : {"1K", "256", "float32", "sum", "10.00", " 17 ", "two_shot", "3", "6K"}) {
        EXPECT_NE(with.str().find(part), std::string::npos) << part << " in " << with.str();
    }
}

TEST(WriteCsv, HasAsManyFieldsInEveryLine) {
    std::ostringstream out;
    write_csv(out, {row_of(Kind::allreduce, 4, 256, 10), row_of(Kind::barrier, 4, 0, 10)});
    std::istringstream lines(out.str());
    size_t fields = 0, count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        auto here = static_cast<size_t>(std::count(line.begin(), line.end(), ','));
        if (count == 0) fields = here;
        EXPECT_EQ(here, fields) << line;
    }
    EXPECT_EQ(count, 3u);
}

TEST(WriteJson, LeavesOutWhatDoesNotApply) {
    PerfRow row = row_of(Kind::allgather, 2, 256, 10);
    std::ostringstream out;
    write_json(out, PerfHeader(), {row});
    for (const char* part :
         {"\"op\": null", "\"root\": null", "\"wrong\": null", "\"algorithm\": null", "\"busbw_gb_s\": 0.1024"}) {
        EXPECT_NE(out.str().find(part), std::string::npos) << part << " in " << out.str();
    }
}

}  // namespace
}  // namespace stepccl::tools
