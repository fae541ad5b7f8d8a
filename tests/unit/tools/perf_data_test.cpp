#include "tools/perf_data.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "tools/perf_values.h"

namespace stepccl::tools {
namespace {

// Collectives in plain loops over std::vector<int32_t>, by what MPI says: sends[r] and recvs[r] are the buffers of rank
// r.
using Buffer = std::vector<int32_t>;
using Buffers = std::vector<Buffer>;

constexpr uint32_t kRanks = 3;
constexpr uint64_t kCount = 5;

PerfCase case_of(Kind kind, bool in_place, uint32_t root = 1) {
    return {{kind, kRanks, root, in_place}, Datatype::int32, Operation::sum, kCount, 42};
}

std::vector<Images> all_before(const PerfCase& c) {
    std::vector<Images> out;
    for (uint32_t rank = 0; rank < c.problem.n; ++rank) out.push_back(before(c, rank));
    return out;
}

int32_t get(const std::vector<unsigned char>& image, uint64_t element) {
    return IntCodec<int32_t>::load(&image[element * 4]);
}
void set(std::vector<unsigned char>& image, uint64_t element, int32_t value) {
    IntCodec<int32_t>::store(&image[element * 4], value);
}
int32_t plus(int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

// Element i of block b of what rank r brings.
int32_t brought(const PerfCase& c, const std::vector<Images>& images, uint32_t rank, uint32_t block, uint64_t i) {
    bool in_recv = c.problem.kind == Kind::bcast || (c.problem.in_place && c.problem.kind != Kind::scatter &&
                                                     (!info(c.problem.kind).rooted || rank == c.problem.root));
    bool single = c.problem.kind == Kind::gather || c.problem.kind == Kind::allgather;
    uint64_t first = single && !in_recv ? 0 : block * kCount;
    return get(in_recv ? images[rank].recv : images[rank].send, first + i);
}

int32_t total(const PerfCase& c, const std::vector<Images>& images, uint32_t last, uint32_t block, uint64_t i) {
    int32_t out = 0;
    for (uint32_t rank = 0; rank <= last; ++rank) out = plus(out, brought(c, images, rank, block, i));
    return out;
}

void write_rank(const PerfCase& c, const std::vector<Images>& in, uint32_t r, Images& out) {
    bool root = r == c.problem.root;
    for (uint64_t i = 0; i < kCount; ++i) {
        for (uint32_t b = 0; b < kRanks; ++b) {
            uint64_t at = b * kCount + i;
            if (c.problem.kind == Kind::allgather || (c.problem.kind == Kind::gather && root))
                set(out.recv, at, brought(c, in, b, b, i));
            if (c.problem.kind == Kind::alltoall) set(out.recv, at, brought(c, in, b, r, i));
        }
        switch (c.problem.kind) {
            case Kind::bcast:
                set(out.recv, i, brought(c, in, c.problem.root, 0, i));
                break;
            case Kind::scatter:
                if (!(c.problem.in_place && root)) set(out.recv, i, brought(c, in, c.problem.root, r, i));
                break;
            case Kind::allreduce:
                set(out.recv, i, total(c, in, kRanks - 1, 0, i));
                break;
            case Kind::reduce:
                if (root) set(out.recv, i, total(c, in, kRanks - 1, 0, i));
                break;
            case Kind::reduce_scatter:
                set(out.recv, i, total(c, in, kRanks - 1, r, i));
                break;
            case Kind::scan:
                set(out.recv, i, total(c, in, r, 0, i));
                break;
            case Kind::exscan:
                if (r > 0) set(out.recv, i, total(c, in, r - 1, 0, i));
                break;
            default:
                break;
        }
    }
}

std::vector<PerfCase> all_cases() {
    std::vector<PerfCase> out;
    for (size_t kind = 0; kind < kKinds; ++kind) {
        for (bool in_place : {false, true}) {
            for (uint32_t root : {0u, 2u}) out.push_back(case_of(static_cast<Kind>(kind), in_place, root));
        }
    }
    return out;
}

std::string name(const PerfCase& c) {
    return std::string(info(c.problem.kind).name) + (c.problem.in_place ? " in place" : "") + " root " +
           std::to_string(c.problem.root);
}

TEST(WrongElements, FindsNoneInRightResults) {
    for (const PerfCase& c : all_cases()) {
        auto images = all_before(c);
        for (uint32_t rank = 0; rank < kRanks; ++rank) {
            Images after = images[rank];
            write_rank(c, images, rank, after);
            EXPECT_EQ(wrong_elements(c, rank, images[rank], after), 0u) << name(c) << " rank " << rank;
        }
    }
}

// Whatever byte of either buffer is changed: it is noticed, but for what lies behind a result across its input.
TEST(WrongElements, FindsEveryChange) {
    for (const PerfCase& c : all_cases()) {
        auto images = all_before(c);
        for (uint32_t rank = 0; rank < kRanks; ++rank) {
            Images right = images[rank];
            write_rank(c, images, rank, right);
            bool front = c.problem.kind == Kind::reduce_scatter && c.problem.in_place;
            for (bool at_recv : {false, true}) {
                size_t bytes = (at_recv ? right.recv : right.send).size();
                for (size_t at = 0; at < bytes; ++at) {
                    Images after = right;
                    (at_recv ? after.recv : after.send)[at] ^= 0x10;
                    bool free = front && at_recv && at >= kCount * 4 && at < kCount * 4 * kRanks;
                    EXPECT_EQ(wrong_elements(c, rank, images[rank], after), free ? 0u : 1u)
                        << name(c) << " rank " << rank << " byte " << at;
                }
            }
        }
    }
}

TEST(WrongElements, CountsWhatNobodyWrote) {
    PerfCase c = case_of(Kind::allreduce, false);
    Images images = before(c, 0);
    EXPECT_EQ(wrong_elements(c, 0, images, images), kCount);
}

TEST(Before, DependsOnSeedAndRank) {
    PerfCase c = case_of(Kind::allreduce, false);
    Images first = before(c, 0);
    EXPECT_EQ(first.send, before(c, 0).send);
    EXPECT_NE(first.send, before(c, 1).send);
    c.seed = 43;
    EXPECT_NE(first.send, before(c, 0).send);
}

TEST(Before, LeavesOutBuffersThatARankDoesNotHave) {
    PerfCase c = case_of(Kind::gather, false, 1);
    EXPECT_EQ(before(c, 0).recv.size(), kGuardBytes);
    EXPECT_EQ(before(c, 1).recv.size(), kGuardBytes + 4 * kCount * kRanks);
    c = case_of(Kind::scatter, true, 1);
    EXPECT_EQ(before(c, 1).recv.size(), kGuardBytes);
    EXPECT_EQ(before(c, 1).send.size(), kGuardBytes + 4 * kCount * kRanks);
    EXPECT_EQ(before(case_of(Kind::barrier, false), 0).send.size(), kGuardBytes);
}

TEST(WholeBytes, CountsAsNcclTestsDoes) {
    EXPECT_EQ(whole_bytes(case_of(Kind::allreduce, false)), 4 * kCount);
    EXPECT_EQ(whole_bytes(case_of(Kind::allgather, false)), 4 * kCount * kRanks);
    EXPECT_EQ(whole_bytes(case_of(Kind::barrier, false)), 0u);
}

// Sums in the machine's own float, in rank order and against it: both are right. One unit more than rounding explains
// is not.
TEST(WrongElements, AllowsRoundingInAnyOrder) {
    PerfCase c = {{Kind::allreduce, 8, 0, false}, Datatype::float32, Operation::sum, 1000, 3};
    auto images = all_before(c);
    auto value = [&](uint32_t rank, uint64_t i) {
        float out;
        std::memcpy(&out, &images[rank].send[i * 4], 4);
        return out;
    };
    for (bool backwards : {false, true}) {
        Images after = images[0], off = images[0];
        for (uint64_t i = 0; i < c.count; ++i) {
            float sum = 0, size = 0;
            for (uint32_t r = 0; r < 8; ++r) sum += value(backwards ? 7 - r : r, i), size += std::fabs(value(r, i));
            std::memcpy(&after.recv[i * 4], &sum, 4);
            sum += size * 1e-5f;
            std::memcpy(&off.recv[i * 4], &sum, 4);
        }
        EXPECT_EQ(wrong_elements(c, 0, images[0], after), 0u);
        EXPECT_EQ(wrong_elements(c, 0, images[0], off), c.count);
    }
}

// Every type and operation: an all-reduce of one rank returns its input, whatever the type.
TEST(WrongElements, KnowsEveryTypeAndOperation) {
    for (size_t t = 0; t < kDatatypes; ++t) {
        for (size_t o = 0; o < kOperations; ++o) {
            auto type = static_cast<Datatype>(t);
            auto op = static_cast<Operation>(o);
            if (!applies(op, type)) continue;
            PerfCase c = {{Kind::allreduce, 1, 0, false}, type, op, 100, 5};
            Images images = before(c, 0), after = images;
            std::copy_n(images.send.begin(), c.count * size_of(type), after.recv.begin());
            EXPECT_EQ(wrong_elements(c, 0, images, after), 0u) << name_of(type) << " " << name_of(op);
            after.recv[0] ^= 1;
            EXPECT_EQ(wrong_elements(c, 0, images, after), 1u) << name_of(type) << " " << name_of(op);
        }
    }
}

}  // namespace
}  // namespace stepccl::tools
