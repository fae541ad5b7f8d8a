// Initialisation, devices and texts of errors.
#include <algorithm>
#include <cstring>

#include "emu/entry.h"

namespace stepccl::emu {
namespace {

constexpr int kVersion = 13000;
constexpr char kName[] = "StepCCL Emulated GPU";

// Null: CUDA_ERROR_INVALID_DEVICE.
Context* device(const Call& call, cuda::Device ordinal) {
    return call.machine.context(ordinal);
}

int attribute_of(const Context& device, cuda::DeviceAttribute attribute) {
    switch (attribute) {
        case cuda::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        case cuda::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
            return 1024;
        case cuda::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
            return 0x7fffffff;
        case cuda::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
            return 48 << 10;
        case cuda::CU_DEVICE_ATTRIBUTE_WARP_SIZE:
            return 32;
        case cuda::CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
            return 1'000'000;
        case cuda::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
            return 132;
        case cuda::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
            return 0x10 + static_cast<int>(device.physical());
        case cuda::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
            return 60 << 20;
        case cuda::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
            return 2048;
        case cuda::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
            return 3;
        case cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
            return 9;
        case cuda::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
        case cuda::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
        case cuda::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        case cuda::CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
        case cuda::CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
        case cuda::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
        case cuda::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
            return 1;
        default:
            return 0;  // what the emulation does not have
    }
}

}  // namespace
}  // namespace stepccl::emu

namespace stepccl::cuda {

using emu::Call;
using emu::entry;
using emu::Need;

CuResult cuInit(unsigned flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    try {
        if (auto result = emu::Machine::initialise(); result != CUDA_SUCCESS) return result;
        return emu::Machine::get()->faults.on_call("cuInit");
    } catch (...) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
}

CuResult cuDriverGetVersion(int* version) {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = emu::kVersion;
    return CUDA_SUCCESS;
}

CuResult cuGetErrorName(CuResult error, const char** text) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (static_cast<int>(error)) {
#define STEPCCL_CUDA_RESULT(name, value, description) \
    case value:                                       \
        *text = #name;                                \
        return CUDA_SUCCESS;
#include "engine/cuda/results.def"
#undef STEPCCL_CUDA_RESULT
    }
    *text = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}

CuResult cuGetErrorString(CuResult error, const char** text) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (static_cast<int>(error)) {
#define STEPCCL_CUDA_RESULT(name, value, description) \
    case value:                                       \
        *text = description;                          \
        return CUDA_SUCCESS;
#include "engine/cuda/results.def"
#undef STEPCCL_CUDA_RESULT
    }
    *text = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}

CuResult cuDeviceGetCount(int* count) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
        *count = static_cast<int>(call.machine.config.visible.size());
        return CUDA_SUCCESS;
    });
}

CuResult cuDeviceGet(Device* out, int ordinal) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (emu::device(call, ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        *out = ordinal;
        return CUDA_SUCCESS;
    });
}

CuResult cuDeviceGetName(char* name, int length, Device ordinal) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
        if (emu::device(call, ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        size_t size = std::min(static_cast<size_t>(length), sizeof emu::kName) - 1;
        std::memcpy(name, emu::kName, size);
        name[size] = '\0';
        return CUDA_SUCCESS;
    });
}

CuResult cuDeviceGetUuid_v2(Uuid* uuid, Device ordinal) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
        const emu::Context* device = emu::device(call, ordinal);
        if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        *uuid = emu::device_uuid(device->physical());
        return CUDA_SUCCESS;
    });
}

CuResult cuDeviceGetAttribute(int* value, DeviceAttribute attribute, Device ordinal) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (value == nullptr || attribute <= 0) return CUDA_ERROR_INVALID_VALUE;
        const emu::Context* device = emu::device(call, ordinal);
        if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        *value = emu::attribute_of(*device, attribute);
        return CUDA_SUCCESS;
    });
}

CuResult cuDeviceTotalMem_v2(size_t* bytes, Device ordinal) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (emu::device(call, ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        *bytes = call.machine.config.memory_bytes;
        return CUDA_SUCCESS;
    });
}

CuResult cuDeviceCanAccessPeer(int* can, Device ordinal, Device peer) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (can == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (emu::device(call, ordinal) == nullptr || emu::device(call, peer) == nullptr)
            return CUDA_ERROR_INVALID_DEVICE;
        *can = ordinal != peer ? 1 : 0;
        return CUDA_SUCCESS;
    });
}

}  // namespace stepccl::cuda
