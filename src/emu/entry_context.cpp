// Primary contexts and the stack of current contexts.
#include "emu/entry.h"

namespace stepccl::cuda {

using emu::Call;
using emu::entry;
using emu::Need;

CuResult cuDevicePrimaryCtxRetain(Context** out, Device ordinal) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
        emu::Context* context = call.machine.context(ordinal);
        if (context == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        context->retain();
        *out = context->handle();
        return CUDA_SUCCESS;
    });
}

CuResult cuDevicePrimaryCtxRelease_v2(Device ordinal) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        emu::Context* context = call.machine.context(ordinal);
        return context == nullptr ? CUDA_ERROR_INVALID_DEVICE : context->release();
    });
}

CuResult cuDevicePrimaryCtxGetState(Device ordinal, unsigned* flags, int* active) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
        const emu::Context* context = call.machine.context(ordinal);
        if (context == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        *flags = 0;
        *active = context->active() ? 1 : 0;
        return CUDA_SUCCESS;
    });
}

CuResult cuCtxPushCurrent_v2(Context* handle) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        emu::Context* context = call.machine.context(handle);
        emu::ContextStack& stack = emu::context_stack();
        if (context == nullptr || !context->active()) return CUDA_ERROR_INVALID_CONTEXT;
        if (stack.depth == emu::ContextStack::kDepth) return CUDA_ERROR_INVALID_CONTEXT;
        stack.items[stack.depth++] = context;
        return CUDA_SUCCESS;
    });
}

CuResult cuCtxPopCurrent_v2(Context** out) {
    return entry(__func__, Need::driver, [&](const Call&) {
        emu::ContextStack& stack = emu::context_stack();
        if (stack.depth == 0) return CUDA_ERROR_INVALID_CONTEXT;
        emu::Context* context = stack.items[--stack.depth];
        if (out != nullptr) *out = context->handle();
        return CUDA_SUCCESS;
    });
}

CuResult cuCtxGetCurrent(Context** out) {
    return entry(__func__, Need::driver, [&](const Call&) {
        if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
        emu::Context* context = emu::context_stack().top();
        *out = context == nullptr ? nullptr : context->handle();
        return CUDA_SUCCESS;
    });
}

CuResult cuCtxSetCurrent(Context* handle) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        emu::ContextStack& stack = emu::context_stack();
        emu::Context* context = call.machine.context(handle);
        if (handle != nullptr && (context == nullptr || !context->active())) return CUDA_ERROR_INVALID_CONTEXT;
        if (stack.depth > 0) --stack.depth;
        if (context != nullptr) stack.items[stack.depth++] = context;
        return CUDA_SUCCESS;
    });
}

CuResult cuCtxGetDevice(Device* device) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
        *device = call.context->ordinal();
        return CUDA_SUCCESS;
    });
}

CuResult cuCtxSynchronize(void) {
    return entry(__func__, Need::context, [&](const Call& call) {
        call.context->synchronize();
        return call.context->error();
    });
}

CuResult cuCtxEnablePeerAccess(Context* handle, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        const emu::Context* peer = call.machine.context(handle);
        if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
        if (peer == nullptr || !peer->active()) return CUDA_ERROR_INVALID_CONTEXT;
        return call.context->enable_peer(*peer);
    });
}

}  // namespace stepccl::cuda
