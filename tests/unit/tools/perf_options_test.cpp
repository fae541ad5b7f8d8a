#include "tools/perf_options.h"

#include <gtest/gtest.h>

namespace stepccl::tools {
namespace {

Result<PerfOptions> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "stepccl_perf");
    return parse_perf_options(static_cast<int>(words.size()), words.data());
}

PerfOptions parsed(const std::vector<const char*>& words) {
    auto out = parse(words);
    EXPECT_TRUE(out.ok()) << out.status().text();
    return out.ok() ? out.value() : PerfOptions();
}

TEST(ParsePerfOptions, ReadsThemAll) {
    PerfOptions options =
        parsed({"reduce", "-b",     "8",     "-e",    "64M",      "-f",     "4",     "-n",  "7",      "-w",
                "3",      "-c",     "0",     "-t",    "int16",    "-o",     "max",   "-r",  "2",      "-z",
                "--json", "a.json", "--csv", "a.csv", "--memory", "device", "--via", "api", "--seed", "9"});
    EXPECT_EQ(options.kind, Kind::reduce);
    EXPECT_EQ(options.min_bytes, 8u);
    EXPECT_EQ(options.max_bytes, 64u << 20);
    EXPECT_EQ(options.factor, 4u);
    EXPECT_EQ(options.iterations, 7u);
    EXPECT_EQ(options.warmup, 3u);
    EXPECT_FALSE(options.check);
    EXPECT_EQ(options.types, std::vector{Datatype::int16});
    EXPECT_EQ(options.ops, std::vector{Operation::max});
    EXPECT_EQ(options.root, 2u);
    EXPECT_TRUE(options.in_place);
    EXPECT_EQ(options.json, "a.json");
    EXPECT_EQ(options.csv, "a.csv");
    EXPECT_TRUE(options.on_device);
    EXPECT_EQ(options.via, Via::api);
    EXPECT_EQ(options.seed, 9u);
}

TEST(ParsePerfOptions, EndsMeetWhenOnlyOneIsGiven) {
    EXPECT_EQ(parsed({"bcast", "-b", "1G"}).max_bytes, uint64_t{1} << 30);
    EXPECT_EQ(parsed({"bcast", "-e", "4"}).min_bytes, 4u);
}

void expect_error(const std::vector<const char*>& words, const char* part) {
    auto out = parse(words);
    ASSERT_FALSE(out.ok()) << part;
    EXPECT_NE(out.status().text().find(part), std::string::npos) << out.status().text();
}

TEST(ParsePerfOptions, SaysWhatIsWrong) {
    expect_error({}, "allreduce");
    expect_error({"allreduc"}, "did you mean 'allreduce'");
    expect_error({"allreduce", "bcast"}, "one collective");
    expect_error({"allreduce", "--iteration", "3"}, "did you mean --iterations");
    expect_error({"allreduce", "-b", "1X"}, "--min-bytes");
    expect_error({"allreduce", "-b", "0"}, "--min-bytes");
    expect_error({"allreduce", "-b", "2K", "-e", "1K"}, "more than --max-bytes");
    expect_error({"allreduce", "-f", "1"}, "--factor");
    expect_error({"allreduce", "-f", "2", "-i", "8"}, "not both");
    expect_error({"allreduce", "-n", "0"}, "--iterations");
    expect_error({"allreduce", "-n", "two"}, "'two'");
    expect_error({"allreduce", "-c", "2"}, "0 or 1");
    expect_error({"allreduce", "-t", "float"}, "float32");
    expect_error({"allreduce", "-o", "summ"}, "did you mean 'sum'");
    expect_error({"allreduce", "-o", "band"}, "band is not defined on float32");
    expect_error({"allreduce", "--memory", "disk"}, "device host");
    expect_error({"allreduce", "--via", "api", "--memory", "host"}, "host buffers");
    expect_error({"bcast", "-z"}, "--in-place means nothing");
    expect_error({"allreduce", "-b"}, "--help");
}

TEST(CheckPerfOptions, LooksAtTheNumberOfRanks) {
    EXPECT_TRUE(check_perf_options(parsed({"bcast", "-r", "3"}), 4).ok());
    EXPECT_FALSE(check_perf_options(parsed({"bcast", "-r", "4"}), 4).ok());
    EXPECT_FALSE(check_perf_options(parsed({"bcast", "-t", "float16"}), 4).ok());
    EXPECT_TRUE(check_perf_options(parsed({"bcast", "-t", "float16", "--via", "api"}), 4).ok());
    EXPECT_FALSE(check_perf_options(parsed({"bcast", "-t", "uint8", "-e", "4G"}), 4).ok());
}

TEST(Combinations, LeaveOutWhatIsNotDefined) {
    auto all = combinations(parsed({"allreduce", "-t", "all", "-o", "all", "--via", "api"}));
    size_t expected = 0;
    for (size_t t = 0; t < kDatatypes; ++t) {
        for (size_t o = 0; o < kOperations; ++o)
            expected += applies(static_cast<Operation>(o), static_cast<Datatype>(t)) ? 1 : 0;
    }
    EXPECT_EQ(all.size(), expected);
    for (const TypeAndOp& pair : all) EXPECT_TRUE(applies(pair.op, pair.type));
}

TEST(Combinations, MpiHasNoHalfPrecision) {
    EXPECT_EQ(combinations(parsed({"bcast", "-t", "all"})).size(), kDatatypes - 2);
    EXPECT_EQ(combinations(parsed({"bcast", "-t", "all", "--via", "api"})).size(), kDatatypes);
    EXPECT_EQ(combinations(parsed({"barrier", "-t", "all"})).size(), 1u);
}

using Counts = std::vector<uint64_t>;

TEST(Counts, GoFromTheSmallestToTheLargest) {
    EXPECT_EQ(counts(parsed({"allreduce", "-b", "8", "-e", "64"}), Datatype::float32, 4), (Counts{2, 4, 8, 16}));
    EXPECT_EQ(counts(parsed({"allreduce", "-b", "8", "-e", "40", "-i", "16"}), Datatype::float32, 4),
              (Counts{2, 6, 10}));
    EXPECT_EQ(counts(parsed({"barrier"}), Datatype::float32, 4), Counts{0});
}

TEST(Counts, OfBlocksShareTheMessageAndDoNotRepeat) {
    EXPECT_EQ(counts(parsed({"allgather", "-b", "8", "-e", "64"}), Datatype::float32, 4), (Counts{1, 2, 4}));
    EXPECT_EQ(counts(parsed({"allgather", "-b", "1", "-e", "2"}), Datatype::float64, 3), Counts{1});
}

TEST(Counts, EndBeforeTheyOverflow) {
    PerfOptions options;
    options.min_bytes = uint64_t{1} << 62;
    options.max_bytes = UINT64_MAX;
    options.factor = 3;
    EXPECT_EQ(counts(options, Datatype::uint8, 1).size(), 2u);
}

}  // namespace
}  // namespace stepccl::tools
