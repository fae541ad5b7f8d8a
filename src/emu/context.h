// The primary context of a device: its streams, its memory budget, and the error that made it unusable.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "emu/stream.h"

namespace stepccl::emu {

class Machine;

class Context {
  public:
    Context(Machine& machine, int ordinal, unsigned physical)
        : machine_(machine), ordinal_(ordinal), physical_(physical) {}

    Machine& machine() const noexcept { return machine_; }
    int ordinal() const noexcept { return ordinal_; }
    unsigned physical() const noexcept { return physical_; }
    cuda::Context* handle() noexcept { return reinterpret_cast<cuda::Context*>(this); }

    void retain();
    // The last release ends the streams (waits are given up, queued work is dropped) and frees all that belongs to it.
    cuda::CuResult release();
    bool active() const noexcept { return active_; }

    // The first error counts and stays; every operation that has not run yet is dropped.
    void fail(cuda::CuResult error) noexcept;
    cuda::CuResult error() const noexcept { return static_cast<cuda::CuResult>(error_.load()); }
    bool stopped() const noexcept { return !active_ || error_ != cuda::CUDA_SUCCESS; }

    std::shared_ptr<Stream> create_stream(unsigned flags);
    void close_stream(const std::shared_ptr<Stream>& stream);
    std::shared_ptr<Stream> legacy();
    std::shared_ptr<Stream> per_thread();
    // Appends to the stream, in turn with the legacy default stream where CUDA says so.
    Point submit(const std::shared_ptr<Stream>& stream, Operation operation);
    void synchronize();
    // Blocks until no operation of this context uses the allocation any more.
    void wait_unused(const Allocation& allocation);

    cuda::CuResult enable_peer(const Context& peer);
    // Whether kernels and memory operations of this context may touch the allocation directly.
    bool reaches(const Allocation& allocation) const;

    // Takes from the device's memory; false when there is too little.
    bool reserve(size_t bytes);
    void unreserve(size_t bytes) { used_bytes_ -= bytes; }

  private:
    std::shared_ptr<Stream> add_stream(unsigned flags);  // with submit_ held
    std::vector<std::shared_ptr<Stream>> streams();
    void shut_down();

    Machine& machine_;
    const int ordinal_;
    const unsigned physical_;

    std::mutex life_;
    unsigned retained_ = 0;
    std::atomic<bool> active_{false};
    std::atomic<int> error_{cuda::CUDA_SUCCESS};
    std::atomic<size_t> used_bytes_{0};

    std::mutex submit_;
    std::vector<std::shared_ptr<Stream>> streams_;  // destroyed ones too, while they have work left
    std::shared_ptr<Stream> legacy_;
    std::map<uint64_t, std::shared_ptr<Stream>> per_thread_;
    uint64_t created_ = 0;

    mutable std::mutex peers_mutex_;
    std::set<const Context*> peers_;
};

}  // namespace stepccl::emu
