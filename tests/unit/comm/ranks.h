// Ranks as threads of one process, on the emulated driver, through the public interface.
#pragma once

#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "stepccl/stepccl.h"

namespace stepccl::testing {

// The emulated driver, unless whoever runs the tests names another one.
inline const int kDriverIsSet = ::setenv("STEPCCL_DRIVER", "emulated", 0);
inline bool emulated() { return std::strcmp(std::getenv("STEPCCL_DRIVER"), "emulated") == 0; }

// An all-gather among threads.
class Meeting {
  public:
    explicit Meeting(uint32_t n) : n_(n), barrier_(n) {}
    int gather(uint32_t rank, const void* mine, void* all, size_t bytes) {
        if (rank == 0) room_.resize(n_ * bytes);
        barrier_.arrive_and_wait();
        std::memcpy(room_.data() + rank * bytes, mine, bytes);
        barrier_.arrive_and_wait();
        std::memcpy(all, room_.data(), n_ * bytes);
        barrier_.arrive_and_wait();
        return 0;
    }
    void wait() { barrier_.arrive_and_wait(); }

  private:
    uint32_t n_;
    std::barrier<> barrier_;
    std::vector<char> room_;
};

// Devices go round.
inline int device_of(uint32_t rank) {
    stepccl_driver_info_t driver{};
    driver.size = sizeof(driver);
    bool known = stepccl_driver_query(&driver) == STEPCCL_SUCCESS && driver.devices > 0;
    return known ? static_cast<int>(rank) % driver.devices : 0;
}

struct Member {
    Meeting* meeting;
    uint32_t rank;
};

// Runs `body(rank, comm, meeting)` on n ranks, each a thread with its own communicator handle. What `create` returned is the
// fourth argument, so that tests can look at failures; comm is null then.
using Body = std::function<void(uint32_t rank, stepccl_comm_t* comm, Meeting& meeting, stepccl_status_t created)>;
inline void run_ranks(uint32_t n, const Body& body) {
    Meeting meeting(n);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < n; ++rank) {
        threads.emplace_back([&, rank] {
            Member member{&meeting, rank};
            stepccl_comm_args_t args = STEPCCL_COMM_ARGS_INIT;
            args.rank = static_cast<int>(rank);
            args.nranks = static_cast<int>(n);
            args.context = &member;
            args.name = "threads";
            args.allgather = [](void* context, const void* mine, void* all, size_t bytes) {
                auto* who = static_cast<Member*>(context);
                return who->meeting->gather(who->rank, mine, all, bytes);
            };
            stepccl_comm_t* comm = nullptr;
            stepccl_status_t created = stepccl_comm_create(&args, &comm);
            stepccl_device_set(device_of(rank));
            body(rank, comm, meeting, created);
            stepccl_comm_destroy(comm);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

// Device memory with a host's view by copies.
template <typename T>
class DeviceArray {
  public:
    explicit DeviceArray(size_t count) : count_(count) { stepccl_mem_alloc(&address_, count * sizeof(T)); }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        stepccl_mem_copy(address_, values.data(), count_ * sizeof(T));
    }
    ~DeviceArray() { stepccl_mem_free(address_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    void* get() const { return address_; }
    std::vector<T> read() const {
        std::vector<T> out(count_);
        stepccl_mem_copy(out.data(), address_, count_ * sizeof(T));
        return out;
    }

  private:
    size_t count_;
    void* address_ = nullptr;
};

}  // namespace stepccl::testing
