#include "emu/event.h"

#include "emu/context.h"

namespace stepccl::emu {

void Event::record(const std::shared_ptr<Stream>& stream) {
    auto recording = std::make_shared<Recording>();
    Operation operation;
    operation.work = false;
    operation.run = [recording](Execution&) {
        recording->time = std::chrono::steady_clock::now();
        return cuda::CUDA_SUCCESS;
    };
    std::lock_guard lock(mutex_);  // two threads recording at once: the last submitted is the last known
    recording->point = stream->context().submit(stream, std::move(operation));
    last_ = std::move(recording);
}

std::shared_ptr<const Recording> Event::last() const {
    std::lock_guard lock(mutex_);
    return last_;
}

}  // namespace stepccl::emu
