#include "emu/entry.h"

namespace stepccl::emu {

ContextStack& context_stack() noexcept {
    thread_local ContextStack stack{};
    return stack;
}

bool& in_host_function() noexcept {
    thread_local bool inside = false;
    return inside;
}

cuda::CuResult admit(const char* symbol, Need need, Context*& context) {
    Machine* machine = Machine::get();
    if (machine == nullptr) return cuda::CUDA_ERROR_NOT_INITIALIZED;
    if (in_host_function()) return cuda::CUDA_ERROR_NOT_PERMITTED;
    if (auto injected = machine->faults.on_call(symbol); injected != cuda::CUDA_SUCCESS) return injected;
    if (need == Need::driver) return cuda::CUDA_SUCCESS;
    context = context_stack().top();
    if (context == nullptr) return cuda::CUDA_ERROR_INVALID_CONTEXT;
    if (!context->active()) return cuda::CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return context->error();
}

std::shared_ptr<Stream> stream_of(const Call& call, const cuda::Stream* handle) {
    if (handle == nullptr || handle == cuda::stream_legacy()) return call.context->legacy();
    if (handle == cuda::stream_per_thread()) return call.context->per_thread();
    return call.machine.streams.find(handle);
}

cuda::CuResult submit(const Call& call, const cuda::Stream* handle, Operation operation) {
    std::shared_ptr<Stream> stream = stream_of(call, handle);
    if (!stream) return cuda::CUDA_ERROR_INVALID_HANDLE;
    if (auto error = stream->context().error(); error != cuda::CUDA_SUCCESS) return error;
    stream->context().submit(stream, std::move(operation));
    return cuda::CUDA_SUCCESS;
}

}  // namespace stepccl::emu
