// Questions about pointers.
#include <cstring>

#include "emu/entry.h"

namespace stepccl::emu {
namespace {

constexpr int kNoDevice = -2;  // CU_DEVICE_INVALID

template <typename T>
cuda::CuResult put(void* data, T value) {
    std::memcpy(data, &value, sizeof value);
    return cuda::CUDA_SUCCESS;
}

// The answer for an address that no driver knows, as cuPointerGetAttributes gives it.
cuda::CuResult put_default(void* data, cuda::PointerAttribute attribute) {
    switch (attribute) {
        case cuda::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return put(data, kNoDevice);
        case cuda::CU_POINTER_ATTRIBUTE_CONTEXT:
        case cuda::CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case cuda::CU_POINTER_ATTRIBUTE_HOST_POINTER:
        case cuda::CU_POINTER_ATTRIBUTE_BUFFER_ID:
        case cuda::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case cuda::CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        case cuda::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        case cuda::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
            return put(data, uint64_t{0});
        case cuda::CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case cuda::CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case cuda::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case cuda::CU_POINTER_ATTRIBUTE_MAPPED:
            return put(data, uint32_t{0});
    }
    return cuda::CUDA_ERROR_INVALID_VALUE;
}

cuda::CuResult put_attribute(const Machine& machine, const Allocation& memory, uint64_t address, void* data,
                             cuda::PointerAttribute attribute) {
    const bool on_host = memory.kind == Allocation::Kind::host;
    switch (attribute) {
        case cuda::CU_POINTER_ATTRIBUTE_CONTEXT:
            return put(data, memory.context.handle());
        case cuda::CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return put(data, static_cast<uint32_t>(on_host ? cuda::CU_MEMORYTYPE_HOST : cuda::CU_MEMORYTYPE_DEVICE));
        case cuda::CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
            return put(data, address);
        case cuda::CU_POINTER_ATTRIBUTE_HOST_POINTER:
            put(data, on_host ? address : uint64_t{0});
            return on_host ? cuda::CUDA_SUCCESS : cuda::CUDA_ERROR_INVALID_VALUE;
        case cuda::CU_POINTER_ATTRIBUTE_BUFFER_ID:
            return put(data, memory.buffer_id);
        case cuda::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return put(data, memory.context.ordinal());
        case cuda::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
            return put(data, uint32_t{memory.kind == Allocation::Kind::device && !machine.config.faults.noipc});
        case cuda::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            return put(data, memory.address);
        case cuda::CU_POINTER_ATTRIBUTE_RANGE_SIZE:
            return put(data, memory.bytes);
        case cuda::CU_POINTER_ATTRIBUTE_MAPPED:
            return put(data, uint32_t{1});
        default:
            return put_default(data, attribute);
    }
}

}  // namespace
}  // namespace stepccl::emu

namespace stepccl::cuda {

using emu::Call;
using emu::entry;
using emu::Need;

CuResult cuPointerGetAttribute(void* data, PointerAttribute attribute, DevicePtr address) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        auto memory = call.machine.registry.find(address);
        if (data == nullptr || !memory) return CUDA_ERROR_INVALID_VALUE;
        return emu::put_attribute(call.machine, *memory, address, data, attribute);
    });
}

CuResult cuPointerGetAttributes(unsigned count, PointerAttribute* attributes, void** data, DevicePtr address) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        if (count == 0 || attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
        auto memory = call.machine.registry.find(address);
        for (unsigned i = 0; i < count; ++i) {
            // Also what does not apply to this memory is no error here: the default was put.
            if (emu::put_default(data[i], attributes[i]) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
            if (memory) static_cast<void>(emu::put_attribute(call.machine, *memory, address, data[i], attributes[i]));
        }
        return CUDA_SUCCESS;
    });
}

}  // namespace stepccl::cuda
