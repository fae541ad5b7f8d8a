#include "emu/stream.h"

#include <signal.h>

#include <chrono>
#include <thread>

#include "emu/context.h"
#include "emu/machine.h"

namespace stepccl::emu {
namespace {

// How often a waiting stream looks whether its own context has stopped.
constexpr std::chrono::milliseconds kLook(5);

// The program's signal handlers run on the program's threads; only faults of this thread itself may arrive here.
sigset_t block_signals() {
    sigset_t all, before;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}

}  // namespace

Stream::Stream(Context& context, unsigned flags, uint64_t number)
    : context_(context), flags_(flags), random_(context.machine().faults.faults().seed * 1'000'003 + number) {}

uint64_t Stream::push(Operation operation) {
    std::lock_guard lock(mutex_);
    if (!started_) start();
    queue_.push_back(std::move(operation));
    changed_.notify_all();
    return ++submitted_;
}

void Stream::start() {
    sigset_t before = block_signals();
    // Detached: a process may end while a stream waits for a flag that nobody will write.
    std::thread([self = shared_from_this()] { self->work(); }).detach();
    started_ = true;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

uint64_t Stream::submitted() const {
    std::lock_guard lock(mutex_);
    return submitted_;
}

bool Stream::done(uint64_t ticket) const {
    std::lock_guard lock(mutex_);
    return completed_ >= ticket;
}

bool Stream::wait(uint64_t ticket, const Context* waiter) const {
    std::unique_lock lock(mutex_);
    auto complete = [&] { return completed_ >= ticket; };
    if (waiter == nullptr) {
        changed_.wait(lock, complete);
        return true;
    }
    while (!changed_.wait_for(lock, kLook, complete)) {
        if (waiter->stopped()) return false;
    }
    return true;
}

uint64_t Stream::last_use(const Allocation& allocation) const {
    std::lock_guard lock(mutex_);
    uint64_t ticket = submitted_;
    for (auto it = queue_.rbegin(); it != queue_.rend(); ++it, --ticket) {
        if (it->opaque) return ticket;
        for (const auto& operand : it->operands) {
            if (operand.get() == &allocation) return ticket;
        }
    }
    return 0;
}

void Stream::close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

void Stream::work() {
    for (;;) {
        Operation* operation = nullptr;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return closed_ || !queue_.empty(); });
            if (queue_.empty()) return;
            operation = &queue_.front();  // stays where it is while others are appended
        }
        execute(*operation);
        Operation finished;  // let go of outside the lock: it may hold the last reference to memory or to a stream
        {
            std::lock_guard lock(mutex_);
            finished = std::move(queue_.front());
            queue_.pop_front();
            ++completed_;
            changed_.notify_all();
        }
    }
}

void Stream::execute(Operation& operation) {
    for (const Point& point : operation.after) {
        if (!point.stream->wait(point.ticket, &context_)) return;
    }
    if (context_.stopped() || !operation.run) return;
    for (const auto& operand : operation.operands) {
        if (!operand->live) return context_.fail(cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    Execution execution{context_, random_, {}};
    cuda::CuResult result = operation.run(execution);
    if (result != cuda::CUDA_SUCCESS) return context_.fail(result);
    if (operation.work && context_.machine().faults.loses_device()) context_.fail(cuda::CUDA_ERROR_DEVICE_UNAVAILABLE);
}

}  // namespace stepccl::emu
