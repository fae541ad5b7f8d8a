// Stream memory operations: comparisons, order in a batch, what they may touch, and waits that are long.
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "harness.h"

namespace emu_test {
namespace {

// Whether a wait with this comparison passes on a word that holds `held`.
bool passes(const Gpu& gpu, uint32_t held, uint32_t value, unsigned compare) {
    DevicePtr word = gpu.upload<uint32_t>({held});
    Stream *waiter = gpu.stream(), *marker = gpu.stream();
    EXPECT_EQ(gpu->stream_wait_value32(waiter, word, value, compare), CUDA_SUCCESS);
    usleep(3000);  // time to pass wrongly; a wait that rightly holds does so however late it is looked at
    bool passed = gpu->stream_query(waiter) == CUDA_SUCCESS;
    uint32_t satisfying = compare == CU_STREAM_WAIT_VALUE_NOR ? 0 : compare == CU_STREAM_WAIT_VALUE_AND ? ~0u : value;
    EXPECT_EQ(gpu->stream_write_value32(marker, word, satisfying, 0), CUDA_SUCCESS);
    EXPECT_EQ(gpu->stream_synchronize(waiter), CUDA_SUCCESS);
    EXPECT_EQ(gpu->stream_destroy(waiter), CUDA_SUCCESS);
    EXPECT_EQ(gpu->stream_destroy(marker), CUDA_SUCCESS);
    return passed;
}

TEST(EmuWord, WaitsThatMustHold) {
    in_child({}, [] {
        Gpu gpu;
        EXPECT_FALSE(passes(gpu, 4, 5, CU_STREAM_WAIT_VALUE_GEQ));
        EXPECT_FALSE(passes(gpu, 0xffffffff, 0, CU_STREAM_WAIT_VALUE_GEQ)) << "just before the wrap";
        EXPECT_FALSE(passes(gpu, 0x7fffffff, 0xffffffff, CU_STREAM_WAIT_VALUE_GEQ)) << "half way round is behind";
        EXPECT_FALSE(passes(gpu, 6, 5, CU_STREAM_WAIT_VALUE_EQ));
        EXPECT_FALSE(passes(gpu, 4, 3, CU_STREAM_WAIT_VALUE_AND));
        EXPECT_FALSE(passes(gpu, 0xffff0000, 0x0000ffff, CU_STREAM_WAIT_VALUE_NOR));
    });
}

// Here only the end is looked at: a wait that never passes runs into the limit.
TEST(EmuWord, WaitsThatMustPass) {
    in_child({}, [] {
        Gpu gpu;
        struct Case {
            uint32_t held, value;
            unsigned compare;
        };
        const Case cases[] = {{5, 5, CU_STREAM_WAIT_VALUE_GEQ},          {6, 5, CU_STREAM_WAIT_VALUE_GEQ},
                              {0, 0xffffffff, CU_STREAM_WAIT_VALUE_GEQ}, {0x80000003, 5, CU_STREAM_WAIT_VALUE_GEQ},
                              {5, 5, CU_STREAM_WAIT_VALUE_EQ},           {6, 3, CU_STREAM_WAIT_VALUE_AND},
                              {1, 2, CU_STREAM_WAIT_VALUE_NOR}};
        Stream* stream = gpu.stream();
        for (const Case& c : cases) {
            DevicePtr word = gpu.upload<uint32_t>({c.held});
            EXPECT_EQ(gpu->stream_wait_value32(stream, word, c.value, c.compare), CUDA_SUCCESS);
        }
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
    });
}

TEST(EmuWord, ABatchIsDoneInOrder) {
    in_child({{"STEPCCL_EMU_FAULTS", "delay=500,reorder,seed=5"}}, [] {
        Gpu gpu;
        Stream *one = gpu.stream(), *two = gpu.stream();
        DevicePtr words = gpu.upload<uint32_t>({0, 0, 0});
        auto wait = [](DevicePtr address, uint32_t value) {
            MemOp op{};
            op.wait_value = {CU_STREAM_MEM_OP_WAIT_VALUE_32, address, {value}, CU_STREAM_WAIT_VALUE_GEQ, 0};
            return op;
        };
        auto write = [](DevicePtr address, uint32_t value) {
            MemOp op{};
            op.write_value = {CU_STREAM_MEM_OP_WRITE_VALUE_32, address, {value}, CU_STREAM_WRITE_VALUE_DEFAULT, 0};
            return op;
        };
        MemOp barrier{};
        barrier.barrier.operation = CU_STREAM_MEM_OP_BARRIER;
        // Each side releases the other's next step: done in any other order they would hang.
        for (uint32_t round = 1; round <= 30; ++round) {
            MemOp left[] = {write(words, 2 * round - 1), barrier, wait(words + 4, round), write(words, 2 * round)};
            MemOp right[] = {wait(words, 2 * round - 1), write(words + 4, round), wait(words, 2 * round),
                             write(words + 8, round)};
            EXPECT_EQ(gpu->stream_batch_mem_op(one, 4, left, 0), CUDA_SUCCESS);
            EXPECT_EQ(gpu->stream_batch_mem_op(two, 4, right, 0), CUDA_SUCCESS);
        }
        EXPECT_EQ(gpu->stream_synchronize(two), CUDA_SUCCESS);
        EXPECT_EQ(gpu.download<uint32_t>(words, 3), (std::vector<uint32_t>{60, 30, 30}));
    });
}

TEST(EmuWord, WhatTheyRefuse) {
    in_child({}, [] {
        Gpu other(1), gpu(0);
        Stream* stream = gpu.stream();
        DevicePtr word = gpu.alloc(8), foreign = 0;
        uint32_t ordinary = 0;
        {
            ContextGuard guard(*gpu.driver, other.context);
            foreign = other.alloc(8);
        }
        EXPECT_EQ(gpu->stream_wait_value32(stream, word + 2, 0, 0), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->stream_wait_value32(stream, word + 8, 0, 0), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->stream_write_value32(stream, Gpu::address(&ordinary), 0, 0), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->stream_write_value32(stream, foreign, 0, 0), CUDA_ERROR_INVALID_VALUE) << "no peer access yet";
        EXPECT_EQ(gpu->stream_wait_value32(stream, word, 0, CU_STREAM_WAIT_VALUE_FLUSH), CUDA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(gpu->stream_wait_value32(stream, word, 0, 77), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->stream_write_value32(stream, word, 0, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER),
                  CUDA_ERROR_NOT_SUPPORTED);
        MemOp wide{};
        wide.wait_value = {CU_STREAM_MEM_OP_WAIT_VALUE_64, word, {0}, 0, 0};
        EXPECT_EQ(gpu->stream_batch_mem_op(stream, 1, &wide, 0), CUDA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(gpu->ctx_enable_peer_access(other.context, 0), CUDA_SUCCESS);
        EXPECT_EQ(gpu->ctx_enable_peer_access(other.context, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        EXPECT_EQ(gpu->stream_write_value32(stream, foreign, 9, 0), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu.word(foreign), 9u);
    });
}

TEST(EmuWord, PinnedMemoryIsSharedWithTheHost) {
    in_child({}, [] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        void* pinned = nullptr;
        ASSERT_EQ(gpu->mem_host_alloc(&pinned, 8, kHostAllocDeviceMap), CUDA_SUCCESS);
        auto* words = static_cast<uint32_t*>(pinned);
        words[0] = words[1] = 0;
        EXPECT_EQ(gpu->stream_wait_value32(stream, Gpu::address(words), 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_write_value32(stream, Gpu::address(words + 1), 8, 0), CUDA_SUCCESS);
        __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);  // a host store wakes nobody: the wait must look by itself
        while (__atomic_load_n(&words[1], __ATOMIC_ACQUIRE) != 8) usleep(100);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
    });
}

double cpu_seconds(clockid_t clock) {
    timespec used{};
    EXPECT_EQ(clock_gettime(clock, &used), 0);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

TEST(EmuWord, WaitingDoesNotBurnACore) {
    in_child({}, [] {
        Gpu gpu;
        DevicePtr gate = gpu.upload<uint32_t>({0});
        constexpr int kWaiters = 8;
        for (int i = 0; i < kWaiters; ++i) {
            EXPECT_EQ(gpu->stream_wait_value32(gpu.stream(), gate, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
        }
        usleep(20'000);
        // Compared with a thread that does spin, so that the share of a core that a busy machine leaves us does not
        // matter: eight spinning waiters would take eight times as much as it does.
        double before = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID), spun = 0;
        std::atomic<bool> stop{false};
        std::thread spinner([&] {
            while (!stop) continue;
            spun = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
        });
        usleep(500'000);
        stop = true;
        spinner.join();
        EXPECT_LT(cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - before - spun, spun * kWaiters / 2);
        gpu.write_word(gate, 1);
        EXPECT_EQ(gpu->ctx_synchronize(), CUDA_SUCCESS);
    });
}

}  // namespace
}  // namespace emu_test
