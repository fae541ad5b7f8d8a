// What the public interface does not show: the epoch's wrap-around, the control block, shared memory, processes.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "comm/communicator.h"
#include "tests/unit/comm/ranks.h"

namespace stepccl {
namespace {

struct World {
    Counters counters;
    std::shared_ptr<const cuda::Driver> driver;
    Surroundings surroundings() {
        Surroundings out;
        out.params.driver = "emulated";
        out.params.driver_library = EMU_LIBRARY;
        if (!driver) {
            auto loaded = cuda::Driver::load(out.params);
            EXPECT_TRUE(loaded.ok()) << loaded.status().text();
            driver = loaded.value();
        }
        out.counters = &counters;
        out.driver = [this] { return Result<std::shared_ptr<const cuda::Driver>>(driver); };
        out.driver_is_loaded = [] { return true; };
        return out;
    }
};

// All-reduces on both sides of the place where flags are renewed, and of the wrap-around of 32 bits.
TEST(Communicator, EpochWrapsAround) {
    World world;
    Surroundings surroundings = world.surroundings();
    surroundings.params.parts = 2;
    testing::Meeting meeting(3);
    std::vector<std::thread> ranks;
    for (uint32_t rank = 0; rank < 3; ++rank) {
        ranks.emplace_back([&, rank] {
            Bootstrap bootstrap;
            bootstrap.rank = rank;
            bootstrap.n = 3;
            bootstrap.name = "world";
            bootstrap.allgather = [&, rank](const void* mine, void* all, size_t bytes) { return meeting.gather(rank, mine, all, bytes) == 0; };
            auto comm = Communicator::create(std::move(bootstrap), surroundings);
            ASSERT_TRUE(comm.ok()) << comm.status().text();
            auto gpu = cuda::Gpu::open(world.driver, 0);
            ASSERT_TRUE(gpu.ok());
            auto buffer = cuda::DeviceMemory::allocate(gpu.value(), 400);
            ASSERT_TRUE(buffer.ok());
            for (uint32_t start : {(1u << 29) - 7, UINT32_MAX - 9}) {
                meeting.wait();
                comm.value()->set_epoch_for_test(start);
                meeting.wait();
                for (uint32_t round = 0; round < 12; ++round) {
                    std::vector<uint32_t> values(100, rank + round);
                    cuda::ContextGuard guard(*world.driver, gpu.value()->context());
                    ASSERT_EQ(world.driver->memcpy(buffer.value().address(), reinterpret_cast<cuda::DevicePtr>(values.data()), 400), cuda::CUDA_SUCCESS);
                    Call call;
                    call.kind = Kind::allreduce;
                    call.type = Datatype::uint32;
                    call.count = 100;
                    call.recv = reinterpret_cast<void*>(buffer.value().address());
                    call.in_place = true;
                    Path path = Path::host;
                    Status status = comm.value()->run(call, path);
                    ASSERT_TRUE(status.ok()) << status.text();
                    ASSERT_EQ(path, Path::native);
                    ASSERT_EQ(world.driver->memcpy(reinterpret_cast<cuda::DevicePtr>(values.data()), buffer.value().address(), 400), cuda::CUDA_SUCCESS);
                    ASSERT_EQ(values, std::vector<uint32_t>(100, 3 + 3 * round));
                }
            }
        });
    }
    for (std::thread& rank : ranks) rank.join();
}

TEST(SharedMemory, IsReachedByAnotherProcessAndByNobodyElse) {
    auto created = SharedMemory::create(4096);
    ASSERT_TRUE(created.ok()) << created.status().text();
    SharedName name = created.value()->name();
    pid_t child = ::fork();
    if (child == 0) {
        auto opened = SharedMemory::open(name);
        if (!opened.ok()) std::_Exit(1);
        *static_cast<int*>(opened.value()->data()) = 42;
        SharedName other = name;
        ++other.inode;
        std::_Exit(SharedMemory::open(other).ok() ? 2 : 0);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(*static_cast<int*>(created.value()->data()), 42);
    created.value()->close_descriptor();
    EXPECT_TRUE(SharedMemory::open(name).ok()) << "ranks of one process share the mapping";
}

TEST(ProcessId, NoticesDeathAndReuse) {
    EXPECT_TRUE(alive(this_process()));
    ProcessId other = this_process();
    ++other.start_time;
    EXPECT_FALSE(alive(other)) << "the pid belongs to another process now";
    pid_t child = ::fork();
    if (child == 0) std::_Exit(0);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    EXPECT_FALSE(alive({child, other.start_time})) << "a zombie";
    ::waitpid(child, nullptr, 0);
    EXPECT_FALSE(alive({child, other.start_time}));
}

TEST(ControlBlock, RecordsAreFoundByCallAndTheFirstFailureStays) {
    std::vector<char> memory(ControlBlock::bytes(2) + 64);
    void* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
    ControlBlock block(aligned, 2);
    block.construct();
    block.slot(1).records[0].call.store(5);
    block.slot(1).records[1].call.store(9);
    uint32_t which = 7;
    EXPECT_EQ(block.record(1, 9, &which), &block.slot(1).records[1]);
    EXPECT_EQ(which, 1u);
    EXPECT_EQ(block.record(1, 7), nullptr);
    EXPECT_FALSE(block.failed());
    block.fail(3, "first");
    block.fail(4, "second");
    EXPECT_TRUE(block.failed());
    EXPECT_STREQ(block.header().text, "first");
    EXPECT_EQ(block.header().code, 3);
}

}  // namespace
}  // namespace stepccl
