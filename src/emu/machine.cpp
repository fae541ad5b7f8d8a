#include "emu/machine.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "base/text.h"

namespace stepccl::emu {
namespace {

std::atomic<Machine*> the_machine{nullptr};
std::atomic<bool> forked{false};

void complain(const std::string& text) {
    std::string line = cat("stepccl_emu: ", text, "\n");
    static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
}

}  // namespace

Machine::Machine(Config settings) : config(std::move(settings)), faults(config.faults) {
    for (size_t i = 0; i < config.visible.size(); ++i) {
        contexts_.push_back(std::make_unique<Context>(*this, static_cast<int>(i), config.visible[i]));
    }
}

cuda::CuResult Machine::initialise() {
    static std::mutex mutex;
    if (forked) return cuda::CUDA_ERROR_NOT_INITIALIZED;
    std::lock_guard lock(mutex);
    if (the_machine != nullptr) return cuda::CUDA_SUCCESS;
    Result<Config> config = read_config(environ);
    if (!config.ok()) {
        complain(config.status().text());
        return cuda::CUDA_ERROR_INVALID_VALUE;
    }
    if (config.value().visible.empty()) return cuda::CUDA_ERROR_NO_DEVICE;
    if (pthread_atfork(nullptr, nullptr, [] { forked = true; }) != 0) return cuda::CUDA_ERROR_OUT_OF_MEMORY;
    the_machine = new Machine(std::move(config).value());
    return cuda::CUDA_SUCCESS;
}

Machine* Machine::get() noexcept {
    return forked ? nullptr : the_machine.load();
}

bool Machine::in_forked_child() noexcept {
    return forked;
}

Context* Machine::context(int ordinal) const noexcept {
    return ordinal >= 0 && static_cast<size_t>(ordinal) < contexts_.size()
               ? contexts_[static_cast<size_t>(ordinal)].get()
               : nullptr;
}

Context* Machine::context(const cuda::Context* handle) const noexcept {
    for (const auto& context : contexts_) {
        if (context->handle() == handle) return context.get();
    }
    return nullptr;
}

void Machine::forget(const Context& context) {
    auto belongs = [&](const auto& object) { return &object.context() == &context; };
    streams.forget_if(belongs);
    events.forget_if(belongs);
    functions.forget_if(belongs);
    modules.forget_if(belongs);
    registry.remove_all(context);
}

}  // namespace stepccl::emu
