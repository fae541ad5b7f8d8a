// Allocation, address ranges and IPC.
#include <sys/mman.h>

#include <cstring>

#include "base/checked.h"
#include "emu/entry.h"
#include "emu/ipc.h"

namespace stepccl::emu {
namespace {

cuda::CuResult allocate(const Call& call, size_t bytes, cuda::DevicePtr& address) {
    if (!call.context->reserve(bytes)) return cuda::CUDA_ERROR_OUT_OF_MEMORY;
    auto allocation = std::make_shared<Allocation>(Allocation::Kind::device, *call.context);
    if (auto result = DeviceMemory::create(bytes, allocation->memory); result != cuda::CUDA_SUCCESS) {
        call.context->unreserve(bytes);
        return result;
    }
    allocation->bytes = bytes;
    allocation->address = address = allocation->memory->address();
    allocation->hidden = allocation->memory->hidden();
    call.machine.registry.add(allocation);
    return cuda::CUDA_SUCCESS;
}

cuda::CuResult allocate_host(const Call& call, size_t bytes, void*& memory) {
    size_t mapped = align_up(bytes, 4096);
    memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return cuda::CUDA_ERROR_OUT_OF_MEMORY;
    if (bytes < DeviceMemory::kLazyBytes) std::memset(memory, 0xA5, mapped);
    auto allocation = std::make_shared<Allocation>(Allocation::Kind::host, *call.context);
    allocation->bytes = bytes;
    allocation->hidden = static_cast<char*>(memory);
    allocation->address = reinterpret_cast<uint64_t>(memory);
    call.machine.registry.add(allocation);
    return cuda::CUDA_SUCCESS;
}

// The allocation of that kind that begins at `address`, once nothing uses it any more; null when there is none.
std::shared_ptr<Allocation> unused(const Call& call, uint64_t address, Allocation::Kind kind) {
    auto allocation = call.machine.registry.find(address);
    if (!allocation || allocation->kind != kind || allocation->address != address) return nullptr;
    allocation->context.wait_unused(*allocation);
    return allocation;
}

}  // namespace
}  // namespace stepccl::emu

namespace stepccl::cuda {

using emu::Allocation;
using emu::Call;
using emu::entry;
using emu::Need;

CuResult cuMemAlloc_v2(DevicePtr* address, size_t bytes) {
    return entry(__func__, Need::context, [&](const Call& call) {
        return address == nullptr || bytes == 0 ? CUDA_ERROR_INVALID_VALUE : emu::allocate(call, bytes, *address);
    });
}

CuResult cuMemFree_v2(DevicePtr address) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (address == 0) return CUDA_SUCCESS;
        auto allocation = emu::unused(call, address, Allocation::Kind::device);
        if (!allocation || !call.machine.registry.remove(allocation)) return CUDA_ERROR_INVALID_VALUE;
        allocation->context.unreserve(allocation->bytes);
        return allocation->context.error();
    });
}

CuResult cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        constexpr unsigned kFlags = kHostAllocPortable | kHostAllocDeviceMap | kHostAllocWriteCombined;
        if (memory == nullptr || bytes == 0 || (flags & ~kFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
        return emu::allocate_host(call, bytes, *memory);
    });
}

CuResult cuMemFreeHost(void* memory) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (memory == nullptr) return CUDA_SUCCESS;
        auto allocation = emu::unused(call, reinterpret_cast<uint64_t>(memory), Allocation::Kind::host);
        bool removed = allocation && call.machine.registry.remove(allocation);
        return removed ? allocation->context.error() : CUDA_ERROR_INVALID_VALUE;
    });
}

CuResult cuMemHostGetDevicePointer_v2(DevicePtr* address, void* memory, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        auto allocation = call.machine.registry.find(reinterpret_cast<uint64_t>(memory));
        bool pinned = allocation && allocation->kind == Allocation::Kind::host;
        if (address == nullptr || flags != 0 || !pinned) return CUDA_ERROR_INVALID_VALUE;
        *address = reinterpret_cast<uint64_t>(memory);
        return CUDA_SUCCESS;
    });
}

CuResult cuMemGetAddressRange_v2(DevicePtr* base, size_t* bytes, DevicePtr address) {
    return entry(__func__, Need::context, [&](const Call& call) {
        auto allocation = call.machine.registry.find(address);
        // As CUDA: the owner's context must be current.
        if (!allocation || &allocation->context != call.context) return CUDA_ERROR_NOT_FOUND;
        if (base != nullptr) *base = allocation->address;
        if (bytes != nullptr) *bytes = allocation->bytes;
        return CUDA_SUCCESS;
    });
}

CuResult cuIpcGetMemHandle(IpcMemHandle* handle, DevicePtr address) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (call.machine.config.faults.noipc) return CUDA_ERROR_NOT_SUPPORTED;
        auto allocation = call.machine.registry.find(address);
        if (handle == nullptr || !allocation) return CUDA_ERROR_INVALID_VALUE;
        return emu::export_memory(*allocation, *handle);
    });
}

CuResult cuIpcOpenMemHandle_v2(DevicePtr* address, IpcMemHandle handle, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (call.machine.config.faults.noipc_open) return CUDA_ERROR_MAP_FAILED;
        if (address == nullptr || flags != kIpcLazyEnablePeerAccess) return CUDA_ERROR_INVALID_VALUE;
        std::shared_ptr<Allocation> imported;
        auto result = emu::import_memory(*call.context, handle, imported);
        if (result == CUDA_SUCCESS) *address = imported->address;
        return result;
    });
}

CuResult cuIpcCloseMemHandle(DevicePtr address) {
    return entry(__func__, Need::context, [&](const Call& call) {
        auto imported = call.machine.registry.find(address);
        if (!imported || imported->kind != Allocation::Kind::imported || imported->address != address) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        if (!call.machine.registry.close(*imported)) return CUDA_SUCCESS;
        imported->context.wait_unused(*imported);
        static_cast<void>(call.machine.registry.remove(imported));  // false: opened again meanwhile, so it stays
        return imported->context.error();
    });
}

}  // namespace stepccl::cuda
