// What a process did so far, over all communicators; for reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace stepccl {

struct Counters {
    std::atomic<uint64_t> native_calls{0}, staged_calls{0}, host_calls{0};
    std::atomic<uint64_t> copy_engine_bytes{0}, kernel_bytes{0}, staged_bytes{0}, bounced_bytes{0};

    // Of the last native call.
    void set_last(std::string algorithm, uint32_t parts) {
        std::lock_guard lock(mutex_);
        algorithm_ = std::move(algorithm);
        parts_ = parts;
    }
    std::pair<std::string, uint32_t> last() const {
        std::lock_guard lock(mutex_);
        return {algorithm_, parts_};
    }

  private:
    mutable std::mutex mutex_;
    std::string algorithm_;
    uint32_t parts_ = 0;
};

}  // namespace stepccl
