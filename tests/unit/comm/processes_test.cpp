// Communicators of processes: memory across processes, agreement, failures.

#include <dirent.h>
#include <signal.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <string>

#include "tests/unit/comm/processes.h"

// The sanitizers map memory of their own as they go and keep addresses from being reused, so that mappings, and the files behind them, cannot
// be counted.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#endif

namespace stepccl::testing {
namespace {

using Ints = std::vector<uint32_t>;

Ints numbers(size_t count, uint32_t first) {
    Ints out(count);
    std::iota(out.begin(), out.end(), first);
    return out;
}

stepccl_call_t allreduce(const void* send, void* recv, size_t count) {
    stepccl_call_t call = STEPCCL_CALL_INIT;
    call.kind = stepccl_kind_allreduce;
    call.send = send;
    call.recv = recv;
    call.count = count;
    call.type = stepccl_uint32;
    call.op = stepccl_sum;
    return call;
}

// One all-reduce of numbers that say which rank and element they are; the result compared with the closed form.
int allreduce_once(stepccl_comm_t* comm, uint32_t rank, uint32_t n, size_t count, uint32_t salt, stepccl_path_t wanted) {
    DeviceArray<uint32_t> send(numbers(count, rank * 1000 + salt)), recv(count);
    stepccl_call_t call = allreduce(send.get(), recv.get(), count);
    stepccl_path_t path = STEPCCL_PATH_HOST;
    CHECK_IN_RANK(stepccl_run(comm, &call, &path) == STEPCCL_SUCCESS);
    CHECK_IN_RANK(path == wanted);
    if (path != STEPCCL_PATH_NATIVE) return 0;
    Ints got = recv.read();
    uint32_t base = 1000 * (n * (n - 1) / 2) + n * salt;
    for (size_t i = 0; i < count; ++i) CHECK_IN_RANK(got[i] == base + n * static_cast<uint32_t>(i));
    return 0;
}

size_t entries(const char* folder) {
    size_t out = 0;
    DIR* dir = ::opendir(folder);
    while (::readdir(dir) != nullptr) ++out;
    ::closedir(dir);
    return out;
}

size_t mappings() {
    size_t out = 0;
    std::FILE* file = std::fopen("/proc/self/maps", "r");
    for (int c = 0; (c = std::fgetc(file)) != EOF;) out += c == '\n';
    std::fclose(file);
    return out;
}

TEST(Processes, AllreduceOfManySizes) {
    for (uint32_t n : {2u, 3u, 4u}) {
        expect_all_well(n, {}, [n](uint32_t rank, stepccl_comm_t* comm, Room&) {
            for (size_t count : {1u, 2u, 3u, 1000u, 65537u, 1u << 20}) {
                if (allreduce_once(comm, rank, n, count, 7, STEPCCL_PATH_NATIVE) != 0) return 1;
            }
            return 0;
        });
    }
}

TEST(Processes, InRoundsWhenScratchIsSmall) {
    expect_all_well(3, {"STEPCCL_SCRATCH_BYTES=64K"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        return allreduce_once(comm, rank, 3, 100'001, 5, STEPCCL_PATH_NATIVE);
    });
}

TEST(Processes, InManyParts) {
    expect_all_well(3, {"STEPCCL_PARTS=8"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        return allreduce_once(comm, rank, 3, 5, 5, STEPCCL_PATH_NATIVE) + allreduce_once(comm, rank, 3, 10'007, 9, STEPCCL_PATH_NATIVE);
    });
}

TEST(Processes, LateAndReorderedCopies) {
    if (!emulated()) GTEST_SKIP() << "needs injected faults";
    expect_all_well(4, {"STEPCCL_EMU_FAULTS=delay=2000,reorder,seed=11", "STEPCCL_PARTS=3"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        for (uint32_t salt = 0; salt < 10; ++salt) {
            if (allreduce_once(comm, rank, 4, 4099, salt, STEPCCL_PATH_NATIVE) != 0) return 1;
        }
        return 0;
    });
}

// Memory that is freed and allocated anew gets the same address; the peers must not use what was mapped there before.
TEST(Processes, ReusedAddressesAreMappedAnew) {
    expect_all_well(2, {}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        if (allreduce_once(comm, rank, 2, 100'000, 0, STEPCCL_PATH_NATIVE) != 0) return 1;
        size_t files = entries("/proc/self/fd"), maps = mappings();
        for (uint32_t salt = 1; salt < 300; ++salt) {
            if (allreduce_once(comm, rank, 2, 1000 + salt % 7 * 50'000, salt, STEPCCL_PATH_NATIVE) != 0) return 1;
        }
#ifndef SANITIZED
        CHECK_IN_RANK(entries("/proc/self/fd") <= files + 8);
        CHECK_IN_RANK(mappings() <= maps + 2 * 256 + 64);
#endif
        return 0;
    });
}

TEST(Processes, MappingsAreBounded) {
    expect_all_well(2, {"STEPCCL_MAP_CACHE_ENTRIES=8"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        std::vector<std::unique_ptr<DeviceArray<uint32_t>>> kept;
        size_t maps = 0;
        for (uint32_t salt = 0; salt < 100; ++salt) {
            kept.push_back(std::make_unique<DeviceArray<uint32_t>>(10));  // so that addresses are not reused
            if (allreduce_once(comm, rank, 2, 100, salt, STEPCCL_PATH_NATIVE) != 0) return 1;
            if (salt == 50) maps = mappings();
        }
        // 49 more allocations of our own, each mapped twice, and no more of the peer's.
#ifndef SANITIZED
        CHECK_IN_RANK(mappings() <= maps + 2 * 49 + 20);
#endif
        return 0;
    });
}

TEST(Processes, MemoryThatCannotBeShared) {
    if (!emulated()) GTEST_SKIP() << "needs injected faults";
    // The pad itself cannot be shared: everything is staged, and said so once.
    expect_all_well(2, {"STEPCCL_EMU_FAULTS=noipc"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        return allreduce_once(comm, rank, 2, 1000, 1, STEPCCL_PATH_STAGED);
    });
}

TEST(Processes, MappingRefusedIsAgreed) {
    if (!emulated()) GTEST_SKIP() << "needs injected faults";
    expect_all_well(3, {"STEPCCL_EMU_FAULTS=noipc-open"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        if (allreduce_once(comm, rank, 3, 1000, 1, STEPCCL_PATH_STAGED) != 0) return 1;
        CHECK_IN_RANK(stepccl_comm_native(comm) == 0);
        return allreduce_once(comm, rank, 3, 1000, 1, STEPCCL_PATH_STAGED);
    });
}

// The third handle that a rank asks for, after those of the pad and of scratch, is that of its output buffer.
TEST(Processes, OutputThatCannotBeSharedIsBounced) {
    if (!emulated()) GTEST_SKIP() << "needs injected faults";
    expect_all_well(2, {"STEPCCL_EMU_FAULTS=fail=cuIpcGetMemHandle:3:801", "STEPCCL_LOG=error"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        stepccl_counters_t counters{};
        counters.size = sizeof(counters);
        for (bool in_place : {false, true}) {
            Ints mine = numbers(1000, rank * 1000);
            DeviceArray<uint32_t> send(mine), recv(mine);
            stepccl_call_t call = allreduce(in_place ? STEPCCL_IN_PLACE : send.get(), recv.get(), 1000);
            stepccl_path_t path = STEPCCL_PATH_HOST;
            CHECK_IN_RANK(stepccl_run(comm, &call, &path) == STEPCCL_SUCCESS && path == STEPCCL_PATH_NATIVE);
            Ints got = recv.read();
            for (uint32_t i = 0; i < 1000; ++i) CHECK_IN_RANK(got[i] == 1000 + 2 * i);
        }
        CHECK_IN_RANK(stepccl_counters(&counters) == STEPCCL_SUCCESS);
        CHECK_IN_RANK(counters.bounced_bytes == 2 * 4000);  // of the first call, there and back
        return 0;
    });
}

// Blocks of different sizes at places of their own, some empty, one rank with nothing at all.
TEST(Processes, AlltoallvWithGapsAndEmptyRanks) {
    constexpr uint32_t n = 4;
    expect_all_well(n, {}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        auto count = [](uint32_t from, uint32_t to) { return from == 2 || to == 2 ? size_t{0} : size_t{1} + from * 5 + to * 3; };
        size_t send_counts[n], send_displs[n], recv_counts[n], recv_displs[n], send_end = 0, recv_end = 0;
        for (uint32_t peer = 0; peer < n; ++peer) {
            send_counts[peer] = count(rank, peer);
            recv_counts[peer] = count(peer, rank);
            send_displs[peer] = send_end + 2;
            recv_displs[peer] = recv_end + peer;
            send_end = send_displs[peer] + send_counts[peer];
            recv_end = recv_displs[peer] + recv_counts[peer];
        }
        Ints mine(send_end), poison(recv_end, 0xabcdef01);
        for (uint32_t peer = 0; peer < n; ++peer) {
            for (size_t i = 0; i < send_counts[peer]; ++i) mine[send_displs[peer] + i] = rank * 10000 + peer * 100 + static_cast<uint32_t>(i);
        }
        DeviceArray<uint32_t> send(mine), recv(poison);
        stepccl_call_t call = STEPCCL_CALL_INIT;
        call.kind = stepccl_kind_alltoall;
        call.type = stepccl_uint32;
        call.send = rank == 2 ? nullptr : send.get();
        call.recv = rank == 2 ? nullptr : recv.get();
        call.send_counts = send_counts, call.send_displs = send_displs;
        call.recv_counts = recv_counts, call.recv_displs = recv_displs;
        stepccl_path_t path = STEPCCL_PATH_HOST;
        CHECK_IN_RANK(stepccl_run(comm, &call, &path) == STEPCCL_SUCCESS && path == STEPCCL_PATH_NATIVE);
        Ints got = recv.read(), wanted = poison;
        for (uint32_t peer = 0; peer < n; ++peer) {
            for (size_t i = 0; i < recv_counts[peer]; ++i) wanted[recv_displs[peer] + i] = peer * 10000 + rank * 100 + static_cast<uint32_t>(i);
        }
        CHECK_IN_RANK(got == wanted);
        return 0;
    });
}

// On streams: nothing but the order of the stream between what fills the input, the collectives and what reads the result.
TEST(Processes, StreamOrderedCalls) {
    if (!emulated()) GTEST_SKIP() << "needs injected faults";
    expect_all_well(3, {"STEPCCL_EMU_FAULTS=delay=500,seed=5", "STEPCCL_PARTS=2"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        constexpr size_t count = 5000;
        DeviceArray<uint32_t> a(numbers(count, rank)), b(count), all(3 * count);
        for (int round = 0; round < 5; ++round) {
            CHECK_IN_RANK(stepccl_allreduce(comm, a.get(), b.get(), count, stepccl_uint32, stepccl_sum, nullptr) == STEPCCL_SUCCESS);
            CHECK_IN_RANK(stepccl_allreduce(comm, b.get(), a.get(), count, stepccl_uint32, stepccl_max, nullptr) == STEPCCL_SUCCESS);
        }
        CHECK_IN_RANK(stepccl_allgather(comm, a.get(), all.get(), count, stepccl_uint32, nullptr) == STEPCCL_SUCCESS);
        CHECK_IN_RANK(stepccl_comm_sync(comm) == STEPCCL_SUCCESS);
        Ints got = all.read();
        for (size_t i = 0; i < 3 * count; ++i) {
            // The first sum is 3 i + 3, which all hold alike; every further one makes it three times as large.
            uint32_t wanted = (static_cast<uint32_t>(i % count) * 3 + 3) * 81;
            CHECK_IN_RANK(got[i] == wanted);
        }
        return 0;
    });
}

TEST(Processes, HostRanksGoOnAndDeviceRanksStage) {
    expect_all_well(4, {}, [](uint32_t rank, stepccl_comm_t* comm, Room& room) {
        Ints host(100);
        for (int i = 0; i < 50; ++i) {
            bool mixed = i % 3 != 0, on_host = mixed && rank % 2 == 1;
            if (on_host) {
                stepccl_path_t path = STEPCCL_PATH_NATIVE;
                stepccl_call_t call = allreduce(host.data(), host.data() + 50, 50);
                CHECK_IN_RANK(stepccl_run(comm, &call, &path) == STEPCCL_SUCCESS && path == STEPCCL_PATH_HOST);
            } else if (allreduce_once(comm, rank, 4, 50, 3, mixed ? STEPCCL_PATH_STAGED : STEPCCL_PATH_NATIVE) != 0) {
                return 1;
            }
        }
        room.wait();
        return 0;
    });
}

TEST(Processes, DisagreementIsAnErrorOnAllRanks) {
    expect_all_well(3, {}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        size_t count = rank == 1 ? 11 : 10;
        DeviceArray<uint32_t> send(numbers(count, 0)), recv(count);
        stepccl_call_t call = allreduce(send.get(), recv.get(), count);
        stepccl_path_t path = STEPCCL_PATH_HOST;
        CHECK_IN_RANK(stepccl_run(comm, &call, &path) == STEPCCL_ERR_INVALID_ARGUMENT);
        CHECK_IN_RANK(std::strstr(stepccl_last_error(), "rank 1 calls allreduce of 11 uint32") != nullptr);
        return allreduce_once(comm, rank, 3, 10, 1, STEPCCL_PATH_NATIVE);  // the communicator is as it was
    });
}

// A rank that is killed between two calls, and one that is killed while copies are under way, when the others wait for a flag of it.
TEST(Processes, KilledRank) {
    if (!emulated()) GTEST_SKIP() << "needs injected faults";
    for (bool in_the_middle : {false, true}) {
#ifdef __SANITIZE_THREAD__
        if (in_the_middle) continue;  // waits are then released without what they wait for, and what they ordered races
#endif
        const char* slow = in_the_middle ? "STEPCCL_EMU_FAULTS=delay=100000,seed=3" : "STEPCCL_LOG=error";
        std::vector<int> statuses = run_processes(3, {slow, "STEPCCL_LOG=error"}, [&](uint32_t rank, stepccl_comm_t* comm, Room& room) {
            DeviceArray<uint32_t> send(numbers(16 << 20, 0)), recv(16 << 20);
            stepccl_call_t call = allreduce(send.get(), recv.get(), 16 << 20);
            if (allreduce_once(comm, rank, 3, 10, 1, STEPCCL_PATH_NATIVE) != 0) return 1;
            room.wait();
            if (rank == 1 && !in_the_middle) ::raise(SIGKILL);
            if (rank == 1) {
                // The others have come by then, so it waits for nothing but its own delayed work.
                std::this_thread::sleep_for(std::chrono::milliseconds(500));
                auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(150);
                while_waiting = [until] {
                    if (std::chrono::steady_clock::now() > until) ::raise(SIGKILL);
                };
            }
            stepccl_path_t path = STEPCCL_PATH_HOST;
            CHECK_IN_RANK(stepccl_run(comm, &call, &path) == STEPCCL_ERR_PEER_FAILED);
            CHECK_IN_RANK(std::strstr(stepccl_last_error(), "rank 1 of processes") != nullptr);
            CHECK_IN_RANK(std::strstr(stepccl_last_error(), "allreduce of 16777216 uint32 by sum") != nullptr);
            CHECK_IN_RANK((std::strstr(stepccl_last_error(), "; at step ") != nullptr) == in_the_middle);
            CHECK_IN_RANK(stepccl_run(comm, &call, &path) == STEPCCL_ERR_COMM_BROKEN);
            return 0;
        });
        EXPECT_TRUE(WIFSIGNALED(statuses[1]));
        EXPECT_EQ(statuses[0], 0);
        EXPECT_EQ(statuses[2], 0);
    }
}

TEST(Processes, RankThatNeverComes) {
    expect_all_well(2, {"STEPCCL_TIMEOUT_US=300000", "STEPCCL_LOG=error"}, [](uint32_t rank, stepccl_comm_t* comm, Room& room) {
        if (allreduce_once(comm, rank, 2, 10, 1, STEPCCL_PATH_NATIVE) != 0) return 1;
        if (rank == 0) {
            DeviceArray<uint32_t> send(numbers(10, 0)), recv(10);
            stepccl_call_t call = allreduce(send.get(), recv.get(), 10);
            stepccl_path_t path = STEPCCL_PATH_HOST;
            CHECK_IN_RANK(stepccl_run(comm, &call, &path) == STEPCCL_ERR_TIMEOUT);
            CHECK_IN_RANK(std::strstr(stepccl_last_error(), "for rank 1 in allreduce") != nullptr);
        }
        room.wait();
        return 0;
    });
}

TEST(Processes, LostDeviceEndsTheCallEverywhere) {
    if (!emulated()) GTEST_SKIP() << "needs injected faults";
    expect_all_well(3, {"STEPCCL_EMU_FAULTS=lose=60", "STEPCCL_LOG=error"}, [](uint32_t rank, stepccl_comm_t* comm, Room&) {
        for (int i = 0; i < 100; ++i) {
            void *send = nullptr, *recv = nullptr;
            if (stepccl_mem_alloc(&send, 4000) != STEPCCL_SUCCESS || stepccl_mem_alloc(&recv, 4000) != STEPCCL_SUCCESS) return 0;
            stepccl_call_t call = allreduce(send, recv, 1000);
            stepccl_path_t path = STEPCCL_PATH_HOST;
            stepccl_status_t status = stepccl_run(comm, &call, &path);
            if (status != STEPCCL_SUCCESS) return status == STEPCCL_ERR_DRIVER || status == STEPCCL_ERR_PEER_FAILED ? 0 : 1;
        }
        std::fprintf(stderr, "rank %u: no call failed\n", rank);
        return 1;
    });
}

TEST(Processes, NothingIsLeftInSharedMemory) {
    size_t before = entries("/dev/shm");
    expect_all_well(4, {}, [](uint32_t rank, stepccl_comm_t* comm, Room&) { return allreduce_once(comm, rank, 4, 1000, 1, STEPCCL_PATH_NATIVE); });
    EXPECT_EQ(entries("/dev/shm"), before);
}

}  // namespace
}  // namespace stepccl::testing
