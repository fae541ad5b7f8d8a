// Ranks as processes, forked before the driver is loaded, on the emulated driver, through the public interface.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "stepccl/stepccl.h"
#include "tests/unit/comm/ranks.h"

namespace stepccl::testing {

// What the processes share: a barrier and room for an all-gather.
struct Room {
    static constexpr size_t kBytes = 1 << 16;
    pthread_barrier_t barrier;
    uint32_t n = 0;
    char bytes[kBytes] = {};

    static Room* make(uint32_t n) {
        void* memory = ::mmap(nullptr, sizeof(Room), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        Room* room = new (memory) Room;
        pthread_barrierattr_t attributes;
        pthread_barrierattr_init(&attributes);
        pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(&room->barrier, &attributes, n);
        room->n = n;
        return room;
    }
    void wait() { pthread_barrier_wait(&barrier); }
    int gather(uint32_t rank, const void* mine, void* all, size_t size) {
        if (n * size > kBytes) return 1;
        wait();
        std::memcpy(bytes + rank * size, mine, size);
        wait();
        std::memcpy(all, bytes, n * size);
        wait();
        return 0;
    }
};

// How the body of a rank ends: 0 is a success. Use CHECK_IN_RANK, since assertions of a child are not seen by its parent.
using RankBody = std::function<int(uint32_t rank, stepccl_comm_t* comm, Room& room)>;
#define CHECK_IN_RANK(condition)                                                                                  \
    do {                                                                                                          \
        if (!(condition)) {                                                                                       \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, stepccl_last_error());        \
            return 1;                                                                                             \
        }                                                                                                         \
    } while (0)

// Called by a rank while the library waits.
inline std::function<void()> while_waiting;

inline int rank_main(uint32_t rank, uint32_t n, Room& room, const RankBody& body) {
    std::pair<Room*, uint32_t> member{&room, rank};
    stepccl_comm_args_t args = STEPCCL_COMM_ARGS_INIT;
    args.rank = static_cast<int>(rank);
    args.nranks = static_cast<int>(n);
    args.context = &member;
    args.name = "processes";
    args.progress = [](void*) {
        if (while_waiting) while_waiting();
        return 0;
    };
    args.allgather = [](void* context, const void* mine, void* all, size_t bytes) {
        auto* who = static_cast<std::pair<Room*, uint32_t>*>(context);
        return who->first->gather(who->second, mine, all, bytes);
    };
    stepccl_comm_t* comm = nullptr;
    CHECK_IN_RANK(stepccl_comm_create(&args, &comm) == STEPCCL_SUCCESS);
    CHECK_IN_RANK(stepccl_device_set(device_of(rank)) == STEPCCL_SUCCESS);
    int result = body(rank, comm, room);
    stepccl_comm_destroy(comm);
    return result;
}

// The wait statuses of n ranks. `environment` is set in the children, as "NAME=value".
inline std::vector<int> run_processes(uint32_t n, const std::vector<const char*>& environment, const RankBody& body) {
    Room* room = Room::make(n);
    std::vector<pid_t> children;
    for (uint32_t rank = 0; rank < n; ++rank) {
        pid_t child = ::fork();
        if (child == 0) {
            for (const char* setting : environment) ::putenv(const_cast<char*>(setting));
            std::_Exit(rank_main(rank, n, *room, body));
        }
        children.push_back(child);
    }
    std::vector<int> statuses;
    for (pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        statuses.push_back(status);
    }
    ::munmap(room, sizeof(Room));
    return statuses;
}

inline void expect_all_well(uint32_t n, const std::vector<const char*>& environment, const RankBody& body) {
    std::vector<int> statuses = run_processes(n, environment, body);
    for (uint32_t rank = 0; rank < n; ++rank) EXPECT_EQ(statuses[rank], 0) << "rank " << rank;
}

}  // namespace stepccl::testing
