// Modules, functions and launches.
#include <cstring>

#include "emu/entry.h"

namespace stepccl::cuda {

using emu::Call;
using emu::entry;
using emu::Need;

CuResult cuModuleLoadData(Module** out, const void* image) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (out == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
        auto module = std::make_shared<emu::Module>(*call.context);
        call.machine.modules.add(module);
        *out = reinterpret_cast<Module*>(module.get());
        return CUDA_SUCCESS;
    });
}

CuResult cuModuleUnload(Module* handle) {
    return entry(__func__, Need::context, [&](const Call& call) {
        auto module = call.machine.modules.take(handle);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        call.machine.functions.forget_if(
            [&](const emu::Function& function) { return &function.module() == module.get(); });
        return CUDA_SUCCESS;
    });
}

CuResult cuModuleGetFunction(Function** out, Module* handle, const char* name) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (out == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
        auto module = call.machine.modules.find(handle);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        kernels::HostKernel kernel = kernels::host_kernel(name);
        if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
        auto function = std::make_shared<emu::Function>(module, kernel);
        call.machine.functions.add(function);
        *out = reinterpret_cast<Function*>(function.get());
        return CUDA_SUCCESS;
    });
}

CuResult cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function* handle) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (!call.machine.functions.find(handle)) return CUDA_ERROR_INVALID_HANDLE;
        switch (attribute) {
            case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
                *value = 1024;
                return CUDA_SUCCESS;
            case CU_FUNC_ATTRIBUTE_NUM_REGS:
                *value = 32;
                return CUDA_SUCCESS;
            case CU_FUNC_ATTRIBUTE_PTX_VERSION:
            case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
                *value = 90;
                return CUDA_SUCCESS;
            case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
            case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
            case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
                *value = 0;
                return CUDA_SUCCESS;
        }
        return CUDA_ERROR_INVALID_VALUE;
    });
}

CuResult cuLaunchKernel(Function* handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned, Stream* stream_handle, void** params,
                        void** extra) {
    return entry(__func__, Need::context, [&](const Call& call) {
        constexpr unsigned kMostThreads = 1024;
        auto function = call.machine.functions.find(handle);
        auto stream = emu::stream_of(call, stream_handle);
        // As CUDA: function and stream belong to the context that is current.
        if (!function || &function->context() != call.context) return CUDA_ERROR_INVALID_HANDLE;
        if (!stream || &stream->context() != call.context) return CUDA_ERROR_INVALID_HANDLE;
        bool one_dimension = grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1;
        if (!one_dimension || grid_x == 0 || block_x == 0 || block_x > kMostThreads) return CUDA_ERROR_INVALID_VALUE;
        if (extra != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
        if (params == nullptr || params[0] == nullptr) return CUDA_ERROR_INVALID_VALUE;
        kernels::ReduceWork work;
        std::memcpy(&work, params[0], sizeof work);
        call.context->submit(stream, function->launch(work, grid_x, block_x));
        return CUDA_SUCCESS;
    });
}

}  // namespace stepccl::cuda
