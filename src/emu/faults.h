// The injected faults at work: counts what happened so far in this process and says when to misbehave.
#pragma once

#include <atomic>
#include <memory>
#include <random>
#include <string_view>

#include "emu/config.h"

namespace stepccl::emu {

using Random = std::mt19937_64;

class FaultInjector {
  public:
    explicit FaultInjector(const Faults& faults);

    const Faults& faults() const noexcept { return faults_; }

    // What this call of `symbol` must return; CUDA_SUCCESS lets it through.
    cuda::CuResult on_call(std::string_view symbol);
    // Sleeps for a random time up to the delay.
    void delay(Random& random) const;
    // Counts a stream operation that was executed; true: with this one the device is lost.
    bool loses_device();
    // Counts a copy; true: this one must be corrupted.
    bool corrupts_copy();

  private:
    const Faults faults_;
    std::unique_ptr<std::atomic<uint64_t>[]> calls_;  // one count a rule
    std::atomic<uint64_t> operations_{0}, copies_{0};
};

}  // namespace stepccl::emu
