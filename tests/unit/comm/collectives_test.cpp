// Every kind of collective through stepccl_run, on ranks that are threads, compared with a computation on the host.

#include <gtest/gtest.h>

#include "algo/registry.h"
#include "tests/unit/comm/ranks.h"

namespace stepccl::testing {
namespace {

using Value = uint32_t;
constexpr Value kPoison = 0xdeadbeef;

Value input(uint32_t rank, size_t i) { return static_cast<Value>((rank + 1) * 2654435761u + i * 40503u); }

struct Case {
    Kind kind;
    uint32_t n, root;
    size_t count;
    bool in_place;
};

// How many blocks of `count` elements the input and the output buffer have on a rank.
size_t blocks_in(const Case& c, uint32_t rank) {
    bool root = rank == c.root;
    switch (c.kind) {
        case Kind::barrier: return 0;
        case Kind::bcast: return root ? 1 : 0;
        case Kind::scatter: return root ? c.n : 0;
        case Kind::alltoall:
        case Kind::reduce_scatter: return c.n;
        default: return 1;
    }
}

size_t blocks_out(const Case& c, uint32_t rank) {
    bool root = rank == c.root;
    switch (c.kind) {
        case Kind::barrier: return 0;
        case Kind::bcast: return root ? 0 : 1;
        case Kind::gather: return root ? c.n : 0;
        case Kind::reduce: return root ? 1 : 0;
        case Kind::allgather:
        case Kind::alltoall: return c.n;
        default: return 1;
    }
}

// The value that element `i` of output block `block` must have, from the collective's definition.
Value wanted(const Case& c, uint32_t rank, size_t block, size_t i, Value before) {
    auto sum = [&](uint32_t first, uint32_t end, size_t index) {
        Value out = 0;
        for (uint32_t r = first; r < end; ++r) out += input(r, index);
        return out;
    };
    switch (c.kind) {
        case Kind::barrier: return before;
        case Kind::bcast: return input(c.root, i);
        case Kind::gather:
        case Kind::allgather: return input(static_cast<uint32_t>(block), i);
        case Kind::scatter: return input(c.root, rank * c.count + i);
        case Kind::alltoall: return input(static_cast<uint32_t>(block), rank * c.count + i);
        case Kind::allreduce:
        case Kind::reduce: return sum(0, c.n, i);
        case Kind::reduce_scatter: return sum(0, c.n, rank * c.count + i);
        case Kind::scan: return sum(0, rank + 1, i);
        case Kind::exscan: return rank == 0 ? before : sum(0, rank, i);
    }
    return 0;
}

void run_case(const Case& c, uint32_t rank, stepccl_comm_t* comm) {
    SCOPED_TRACE(::testing::Message() << info(c.kind).name << " n=" << c.n << " rank=" << rank << " root=" << c.root
                                      << " count=" << c.count << (c.in_place ? " in place" : ""));
    size_t in_blocks = blocks_in(c, rank), out_blocks = blocks_out(c, rank);
    bool rooted = info(c.kind).rooted;
    bool in_place = c.in_place && (!rooted || rank == c.root) && c.kind != Kind::bcast && c.kind != Kind::barrier;
    std::vector<Value> in(in_blocks * c.count), out(std::max(out_blocks, in_place ? in_blocks : 0) * c.count, kPoison);
    for (size_t i = 0; i < in.size(); ++i) in[i] = input(rank, i);
    if (in_place && c.kind != Kind::scatter) {
        size_t offset = c.kind == Kind::gather || c.kind == Kind::allgather ? rank * c.count : 0;
        std::copy(in.begin(), in.end(), out.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    std::vector<Value> before = out;
    DeviceArray<Value> send(in), recv(out);
    stepccl_call_t call = STEPCCL_CALL_INIT;
    call.kind = static_cast<stepccl_kind_t>(c.kind);
    call.type = stepccl_uint32;
    call.op = stepccl_sum;
    call.count = c.count;
    call.root = static_cast<int>(c.root);
    call.send = in_place && c.kind != Kind::scatter ? STEPCCL_IN_PLACE : send.get();
    call.recv = in_place && c.kind == Kind::scatter ? STEPCCL_IN_PLACE : recv.get();
    if (c.kind == Kind::bcast && rank == c.root) call.recv = send.get();
    stepccl_path_t path = STEPCCL_PATH_HOST;
    ASSERT_EQ(stepccl_run(comm, &call, &path), STEPCCL_SUCCESS) << stepccl_last_error();
    ASSERT_EQ(path, STEPCCL_PATH_NATIVE) << stepccl_comm_describe(comm);
    if (in_place && c.kind == Kind::scatter) return;
    std::vector<Value> got = recv.read();
    for (size_t block = 0; block < out_blocks; ++block) {
        for (size_t i = 0; i < c.count; ++i) {
            ASSERT_EQ(got[block * c.count + i], wanted(c, rank, block, i, before[block * c.count + i])) << "block " << block << " element " << i;
        }
    }
    if (!in_place) {
        EXPECT_EQ(send.read(), in);
    }
}

class Collectives : public ::testing::TestWithParam<Kind> {};

TEST_P(Collectives, MatchTheHost) {
    for (uint32_t n : {1u, 2u, 3u, 4u, 7u}) {
        run_ranks(n, [&](uint32_t rank, stepccl_comm_t* comm, Meeting&, stepccl_status_t created) {
            ASSERT_EQ(created, STEPCCL_SUCCESS) << stepccl_last_error();
            for (uint32_t root : {0u, n - 1}) {
                for (size_t count : {size_t{0}, size_t{1}, size_t{3}, size_t{1000}, size_t{65537}}) {
                    for (bool in_place : {false, true}) run_case({GetParam(), n, root, count, in_place}, rank, comm);
                }
                if (!info(GetParam()).rooted) break;
            }
        });
    }
}

// Each algorithm in turn, also where the cost model would not take it, and in parts.
TEST(Algorithms, EachOneMatchesTheHost) {
    for (const Algorithm& algorithm : algorithms()) {
        std::string rule = std::string(info(algorithm.kind).name) + "@" + algorithm.name + ",parts=3";
        ASSERT_EQ(stepccl_param_set("algorithm", rule.c_str(), "test"), STEPCCL_SUCCESS) << stepccl_last_error();
        for (uint32_t n : {2u, 5u}) {
            run_ranks(n, [&](uint32_t rank, stepccl_comm_t* comm, Meeting& meeting, stepccl_status_t created) {
                ASSERT_EQ(created, STEPCCL_SUCCESS) << stepccl_last_error();
                for (size_t count : {size_t{2}, size_t{4099}}) {
                    for (bool in_place : {false, true}) run_case({algorithm.kind, n, n - 1, count, in_place}, rank, comm);
                }
                meeting.wait();
                stepccl_counters_t counters{};
                counters.size = sizeof(counters);
                ASSERT_EQ(stepccl_counters(&counters), STEPCCL_SUCCESS);
                EXPECT_STREQ(counters.algorithm, algorithm.name);
            });
        }
    }
    ASSERT_EQ(stepccl_param_set("algorithm", "", "test"), STEPCCL_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Collectives,
                         ::testing::Values(Kind::barrier, Kind::bcast, Kind::gather, Kind::scatter, Kind::allgather, Kind::alltoall,
                                           Kind::allreduce, Kind::reduce, Kind::reduce_scatter, Kind::scan, Kind::exscan),
                         [](const auto& param) { return std::string(stepccl_kind_name(static_cast<stepccl_kind_t>(param.param))); });

}  // namespace
}  // namespace stepccl::testing
