// An event: the place in a stream where it was last recorded.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

#include "emu/stream.h"

namespace stepccl::emu {

// One recording. The stream writes `time` before the point is complete; it is read after.
struct Recording {
    Point point;
    std::chrono::steady_clock::time_point time;
};

class Event {
  public:
    Event(Context& context, unsigned flags) : context_(context), flags_(flags) {}

    Context& context() const noexcept { return context_; }
    bool timed() const noexcept { return (flags_ & cuda::CU_EVENT_DISABLE_TIMING) == 0; }

    // Appends the recording to the stream.
    void record(const std::shared_ptr<Stream>& stream);
    // The last recording that was asked for; null when there is none.
    std::shared_ptr<const Recording> last() const;

  private:
    Context& context_;
    const unsigned flags_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Recording> last_;
};

}  // namespace stepccl::emu
