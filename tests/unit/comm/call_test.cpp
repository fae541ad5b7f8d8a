// What follows from the arguments of a call: buffers and layouts, for uniform, listed and in-place calls.

#include "comm/call.h"

#include <gtest/gtest.h>

namespace stepccl {
namespace {

void* at(uintptr_t address) { return reinterpret_cast<void*>(address); }

Call call_of(Kind kind, uint64_t count) {
    Call call;
    call.kind = kind;
    call.type = Datatype::float32;
    call.count = count;
    call.send = at(0x1000);
    call.recv = at(0x2000);
    return call;
}

TEST(Call, BuffersThatCount) {
    Call call = call_of(Kind::gather, 10);
    call.root = 1;
    Buffers leaf = buffers_of(call, 0, 4), root = buffers_of(call, 1, 4);
    EXPECT_EQ(leaf.in_bytes, 40u);
    EXPECT_EQ(leaf.out_bytes, 0u);
    EXPECT_EQ(root.out_bytes, 160u);
    call = call_of(Kind::bcast, 10);
    EXPECT_EQ(buffers_of(call, 0, 4).in, at(0x2000));
    EXPECT_EQ(buffers_of(call, 0, 4).out_bytes, 0u);
    EXPECT_EQ(buffers_of(call, 3, 4).out, at(0x2000));
    call = call_of(Kind::reduce_scatter, 10);
    EXPECT_EQ(buffers_of(call, 2, 4).in_bytes, 160u);
    EXPECT_EQ(buffers_of(call, 2, 4).out_bytes, 40u);
}

TEST(Call, NobodyLooksAtTheOutputOfExscansFirstRank) {
    Call call = call_of(Kind::exscan, 10);
    EXPECT_EQ(buffers_of(call, 0, 4).out_bytes, 0u);
    EXPECT_EQ(buffers_of(call, 1, 4).out_bytes, 40u);
}

TEST(Call, InPlaceInputLiesInTheOutput) {
    Call call = call_of(Kind::allgather, 10);
    call.in_place = true;
    EXPECT_EQ(buffers_of(call, 2, 4).in, at(0x2000));
    EXPECT_EQ(in_layout(call, 2, 4, 4).block(2), (Extent{20, 10}));
    call.kind = Kind::scatter;
    call.root = 2;
    EXPECT_EQ(buffers_of(call, 2, 4).out, at(0x1000));
    EXPECT_EQ(out_layout(call, 2, 4, 4).block(2), (Extent{20, 10}));
}

TEST(Call, ListsOfTheVVariants) {
    Call call = call_of(Kind::allgather, 3);
    call.recv_counts = {1, 3, 0};
    call.recv_displs = {7, 0, 0};
    EXPECT_EQ(out_layout(call, 1, 3, 3).block(0), (Extent{7, 1}));
    EXPECT_EQ(in_layout(call, 1, 3, 3).block(1), (Extent{0, 3}));
    EXPECT_EQ(common_bytes(call, 3), 16u);
    call = call_of(Kind::reduce_scatter, 0);
    call.recv_counts = {4, 0, 2};
    EXPECT_EQ(in_layout(call, 0, 3, 3).block(2), (Extent{4, 2}));
    EXPECT_EQ(out_layout(call, 2, 3, 3).block(2), (Extent{0, 2}));
    EXPECT_FALSE(common_bytes(call_of(Kind::alltoall, 5), 3).has_value());
}

TEST(Call, Described) {
    Call call = call_of(Kind::reduce, 5);
    call.root = 3;
    EXPECT_EQ(describe(call), "reduce of 5 float32 by sum, root 3");
}

}  // namespace
}  // namespace stepccl
