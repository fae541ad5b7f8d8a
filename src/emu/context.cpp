#include "emu/context.h"

#include "emu/machine.h"

namespace stepccl::emu {
namespace {

uint64_t this_thread_number() {
    static std::atomic<uint64_t> next{1};
    thread_local const uint64_t number = next++;
    return number;
}

}  // namespace

void Context::retain() {
    std::lock_guard lock(life_);
    if (retained_++ == 0) active_ = true;
}

cuda::CuResult Context::release() {
    std::lock_guard lock(life_);
    if (retained_ == 0) return cuda::CUDA_ERROR_INVALID_CONTEXT;
    if (--retained_ == 0) shut_down();
    return cuda::CUDA_SUCCESS;
}

void Context::shut_down() {
    active_ = false;
    for (const auto& stream : streams()) {
        stream->close();
        stream->wait(stream->submitted());
    }
    machine_.forget(*this);
    std::lock_guard submit(submit_);
    std::lock_guard peers(peers_mutex_);
    streams_.clear();
    per_thread_.clear();
    legacy_.reset();
    peers_.clear();
    used_bytes_ = 0;
    error_ = cuda::CUDA_SUCCESS;
}

void Context::fail(cuda::CuResult error) noexcept {
    int none = cuda::CUDA_SUCCESS;
    error_.compare_exchange_strong(none, error);
}

std::shared_ptr<Stream> Context::add_stream(unsigned flags) {
    std::erase_if(streams_, [](const auto& stream) { return stream.use_count() == 1 && stream->idle(); });
    streams_.push_back(std::make_shared<Stream>(*this, flags, ++created_));
    return streams_.back();
}

std::shared_ptr<Stream> Context::create_stream(unsigned flags) {
    std::lock_guard lock(submit_);
    return add_stream(flags);
}

void Context::close_stream(const std::shared_ptr<Stream>& stream) {
    std::lock_guard lock(submit_);
    stream->close();
    if (stream->idle()) std::erase(streams_, stream);
}

std::shared_ptr<Stream> Context::legacy() {
    std::lock_guard lock(submit_);
    if (!legacy_) legacy_ = add_stream(cuda::CU_STREAM_DEFAULT);
    return legacy_;
}

std::shared_ptr<Stream> Context::per_thread() {
    std::lock_guard lock(submit_);
    auto& stream = per_thread_[this_thread_number()];
    if (!stream) stream = add_stream(cuda::CU_STREAM_DEFAULT);
    return stream;
}

std::vector<std::shared_ptr<Stream>> Context::streams() {
    std::lock_guard lock(submit_);
    return streams_;
}

Point Context::submit(const std::shared_ptr<Stream>& stream, Operation operation) {
    std::lock_guard lock(submit_);
    auto wait_for = [&](const std::shared_ptr<Stream>& other) {
        uint64_t last = other->submitted();
        if (!other->done(last)) operation.after.push_back({other, last});
    };
    if (stream == legacy_) {
        for (const auto& other : streams_) {
            if (other != legacy_ && other->blocking()) wait_for(other);
        }
    } else if (legacy_ && stream->blocking()) {
        wait_for(legacy_);
    }
    return {stream, stream->push(std::move(operation))};
}

void Context::synchronize() {
    for (const auto& stream : streams()) stream->wait(stream->submitted());
}

void Context::wait_unused(const Allocation& allocation) {
    for (const auto& stream : streams()) {
        if (uint64_t ticket = stream->last_use(allocation)) stream->wait(ticket);
    }
}

cuda::CuResult Context::enable_peer(const Context& peer) {
    if (&peer == this) return cuda::CUDA_ERROR_INVALID_DEVICE;
    std::lock_guard lock(peers_mutex_);
    return peers_.insert(&peer).second ? cuda::CUDA_SUCCESS : cuda::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

bool Context::reaches(const Allocation& allocation) const {
    if (&allocation.context == this || allocation.kind == Allocation::Kind::host) return true;
    std::lock_guard lock(peers_mutex_);
    return peers_.count(&allocation.context) != 0;
}

bool Context::reserve(size_t bytes) {
    const uint64_t limit = machine_.config.memory_bytes;
    size_t used = used_bytes_;
    do {
        if (bytes > limit || used > limit - bytes) return false;
    } while (!used_bytes_.compare_exchange_weak(used, used + bytes));
    return true;
}

}  // namespace stepccl::emu
