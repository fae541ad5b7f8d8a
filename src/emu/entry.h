// What every entry point of the emulated driver shares: the declarations, from the engine's own list of functions, and
// the checks that come first.
#pragma once

#include <new>
#include <system_error>

#include "emu/machine.h"
#include "engine/cuda/driver_api.h"

namespace stepccl::cuda {
extern "C" {
#define STEPCCL_DRIVER(name, symbol, optional, result, args) __attribute__((visibility("default"))) result symbol args;
#include "engine/cuda/driver.def"
#undef STEPCCL_DRIVER
}
}  // namespace stepccl::cuda

namespace stepccl::emu {

enum class Need {
    driver,   // cuInit
    context,  // a usable context current in this thread
};

// What an entry point's body is given. `context` is null unless it was needed.
struct Call {
    Machine& machine;
    Context* context;
};

// The contexts of this thread, the current one on top.
struct ContextStack {
    static constexpr int kDepth = 64;
    Context* items[kDepth];
    int depth;
    Context* top() const noexcept { return depth == 0 ? nullptr : items[depth - 1]; }
};
ContextStack& context_stack() noexcept;

// True while this thread runs a host function of a stream, which must not call the driver.
bool& in_host_function() noexcept;

// The checks before a body: initialised, not a forked child, no injected failure, and what `need` asks.
cuda::CuResult admit(const char* symbol, Need need, Context*& context);

// Runs `body(Call)` when the call is admitted. No exception leaves the driver.
template <typename Body>
cuda::CuResult entry(const char* symbol, Need need, const Body& body) noexcept {
    try {
        Context* context = nullptr;
        if (auto result = admit(symbol, need, context); result != cuda::CUDA_SUCCESS) return result;
        return body(Call{*Machine::get(), context});
    } catch (const std::bad_alloc&) {
        return cuda::CUDA_ERROR_OUT_OF_MEMORY;
    } catch (const std::system_error&) {
        return cuda::CUDA_ERROR_OPERATING_SYSTEM;
    } catch (...) {
        return cuda::CUDA_ERROR_UNKNOWN;
    }
}

// The stream that a handle means in this call; null when it means none.
std::shared_ptr<Stream> stream_of(const Call& call, const cuda::Stream* handle);

// Finds the stream and appends what `make` builds; the stream's own context must be usable too.
cuda::CuResult submit(const Call& call, const cuda::Stream* handle, Operation operation);

}  // namespace stepccl::emu
