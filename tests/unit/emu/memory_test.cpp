// Device and pinned memory: what a fresh allocation is, who may touch it, what a pointer is said to be, and its end.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harness.h"

namespace emu_test {
namespace {

uint64_t buffer_id(const Gpu& gpu, DevicePtr address) {
    uint64_t id = 0;
    EXPECT_EQ(gpu->pointer_get_attribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, address), CUDA_SUCCESS);
    return id;
}

size_t lines_of(const char* file) {
    std::ifstream in(file);
    return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

size_t open_descriptors() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST(EmuMemory, FreshMemoryIsFilled) {
    in_child({}, [] {
        Gpu gpu;
        EXPECT_EQ(gpu.download<uint8_t>(gpu.alloc(1000), 1000), std::vector<uint8_t>(1000, 0xA5));
        void* pinned = nullptr;
        ASSERT_EQ(gpu->mem_host_alloc(&pinned, 100, 0), CUDA_SUCCESS);
        EXPECT_EQ(static_cast<uint8_t*>(pinned)[99], 0xA5);
    });
}

TEST(EmuMemory, LargeAllocationsAreFilledAtBothEnds) {
    in_child({}, [] {
        Gpu gpu;
        const size_t bytes = size_t{3} << 30;
        DevicePtr memory = gpu.alloc(bytes);
        EXPECT_EQ(gpu.download<uint8_t>(memory, 1)[0], 0xA5);
        EXPECT_EQ(gpu.download<uint8_t>(memory + bytes - 1, 1)[0], 0xA5);
        EXPECT_EQ(gpu.download<uint8_t>(memory + bytes / 2, 1)[0], 0);
        EXPECT_EQ(gpu->mem_free(memory), CUDA_SUCCESS);
    });
}

TEST(EmuMemory, TheHostMayNotTouchIt) {
    in_child({}, [] {
        Gpu gpu;
        DevicePtr memory = gpu.alloc(8192);
        for (unsigned offset : {0u, 1u, 4095u, 8191u}) {
            EXPECT_TRUE(read_faults(memory + offset));
            EXPECT_TRUE(write_faults(memory + offset));
        }
        char ordinary = 0;
        EXPECT_FALSE(read_faults(Gpu::address(&ordinary)));
        EXPECT_EQ(gpu->mem_free(memory), CUDA_SUCCESS);
        EXPECT_TRUE(read_faults(memory));
    });
}

TEST(EmuMemory, CopiesThere) {
    in_child({}, [] {
        Gpu gpu;
        std::vector<uint8_t> values(300'000);
        for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i * 7 + i / 256);
        DevicePtr one = gpu.upload(values), two = gpu.alloc(values.size());
        EXPECT_EQ(gpu->memcpy(two, one, values.size()), CUDA_SUCCESS);
        EXPECT_EQ(gpu.download<uint8_t>(two, values.size()), values);
    });
}

TEST(EmuMemory, AFreedAddressComesBackWithANewBufferId) {
    in_child({}, [] {
        Gpu gpu;
        DevicePtr first = gpu.alloc(5000);
        uint64_t id = buffer_id(gpu, first);
        EXPECT_EQ(buffer_id(gpu, first + 4999), id);
        ASSERT_EQ(gpu->mem_free(first), CUDA_SUCCESS);
        DevicePtr second = gpu.alloc(5000);
        EXPECT_EQ(second, first);
        EXPECT_NE(buffer_id(gpu, second), id);
        EXPECT_EQ(first % (2 << 20), 0u);
    });
}

TEST(EmuMemory, TheDeviceHasAnEnd) {
    in_child({{"STEPCCL_EMU_MEMORY", "1M"}}, [] {
        Gpu gpu;
        size_t total = 0;
        EXPECT_EQ(gpu->device_total_mem(&total, 0), CUDA_SUCCESS);
        EXPECT_EQ(total, size_t{1} << 20);
        DevicePtr half = gpu.alloc(512 << 10), none = 0;
        gpu.alloc(512 << 10);
        EXPECT_EQ(gpu->mem_alloc(&none, 1), CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_EQ(gpu->mem_free(half), CUDA_SUCCESS);
        gpu.alloc(100);
        EXPECT_EQ(gpu->mem_alloc(&none, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_EQ(gpu->mem_alloc(&none, 0), CUDA_ERROR_INVALID_VALUE);
    });
}

TEST(EmuMemory, AnOperandMustLieInOneAllocation) {
    in_child({}, [] {
        Gpu gpu;
        std::vector<char> host(200);
        DevicePtr memory = gpu.alloc(100), gone = gpu.alloc(100);
        ASSERT_EQ(gpu->mem_free(gone), CUDA_SUCCESS);
        auto h = Gpu::address(host.data());
        EXPECT_EQ(gpu->memcpy(h, memory, 101), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memcpy(memory + 99, h, 2), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memcpy(h, gone, 1), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memcpy(h, 0x10, 1), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memcpy(memory, h, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memcpy_htod_async(memory, reinterpret_cast<void*>(memory), 1, nullptr),
                  CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memcpy_dtoh_async(host.data(), h, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memcpy_dtod_async(memory, h, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memset_d8_async(memory, 1, 101, nullptr), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->memset_d32_async(memory + 2, 1, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->mem_free(memory + 4), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->mem_free(gone), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->mem_free(0), CUDA_SUCCESS);
        EXPECT_EQ(gpu->memcpy(h, memory, 100), CUDA_SUCCESS) << "none of these is sticky";
    });
}

TEST(EmuMemory, AddressRangeNeedsTheOwnersContext) {
    in_child({}, [] {
        Gpu other(1), gpu(0);
        DevicePtr memory = gpu.alloc(100), base = 0;
        size_t bytes = 0;
        EXPECT_EQ(gpu->mem_get_address_range(&base, &bytes, memory + 60), CUDA_SUCCESS);
        EXPECT_EQ(base, memory);
        EXPECT_EQ(bytes, 100u);
        EXPECT_EQ(gpu->mem_get_address_range(&base, &bytes, memory + 100), CUDA_ERROR_NOT_FOUND);
        ContextGuard guard(*gpu.driver, other.context);
        EXPECT_EQ(gpu->mem_get_address_range(&base, &bytes, memory), CUDA_ERROR_NOT_FOUND);
    });
}

struct Answers {
    Context* context = nullptr;
    uint32_t type = 9, managed = 9, ipc = 9;
    uint64_t device = 9, host = 9, id = 9, start = 9, size = 9, pool = 9;
    int ordinal = 9;
};

CuResult ask(const Gpu& gpu, DevicePtr address, Answers& out) {
    PointerAttribute attributes[] = {
        CU_POINTER_ATTRIBUTE_CONTEXT,        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CU_POINTER_ATTRIBUTE_IS_MANAGED,     CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_HOST_POINTER,
        CU_POINTER_ATTRIBUTE_BUFFER_ID,      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void* data[] = {&out.context, &out.type,  &out.managed, &out.ipc,  &out.device, &out.host,
                    &out.id,      &out.start, &out.size,    &out.pool, &out.ordinal};
    return gpu->pointer_get_attributes(11, attributes, data, address);
}

TEST(EmuMemory, WhatAPointerIsSaidToBe) {
    in_child({}, [] {
        Gpu gpu(3);
        DevicePtr memory = gpu.alloc(100);
        EXPECT_EQ(gpu->ctx_set_current(nullptr), CUDA_SUCCESS);  // the question needs no context
        Answers device;
        ASSERT_EQ(ask(gpu, memory + 10, device), CUDA_SUCCESS);
        EXPECT_EQ(device.context, gpu.context);
        EXPECT_EQ(device.type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
        EXPECT_EQ(device.managed, 0u);
        EXPECT_EQ(device.ipc, 1u);
        EXPECT_EQ(device.device, memory + 10);
        EXPECT_EQ(device.host, 0u);
        EXPECT_EQ(device.start, memory);
        EXPECT_EQ(device.size, 100u);
        EXPECT_EQ(device.pool, 0u);
        EXPECT_EQ(device.ordinal, 3);
        uint64_t host = 0;
        EXPECT_EQ(gpu->pointer_get_attribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, memory),
                  CUDA_ERROR_INVALID_VALUE);
    });
}

TEST(EmuMemory, WhatAHostPointerIsSaidToBe) {
    in_child({}, [] {
        Gpu gpu;
        void* pinned = nullptr;
        ASSERT_EQ(gpu->mem_host_alloc(&pinned, 100, kHostAllocPortable | kHostAllocDeviceMap), CUDA_SUCCESS);
        static_cast<char*>(pinned)[99] = 1;
        DevicePtr mapped = 0;
        EXPECT_EQ(gpu->mem_host_get_device_pointer(&mapped, pinned, 0), CUDA_SUCCESS);
        EXPECT_EQ(mapped, Gpu::address(pinned));
        Answers known, unknown;
        ASSERT_EQ(ask(gpu, mapped, known), CUDA_SUCCESS);
        EXPECT_EQ(known.type, static_cast<unsigned>(CU_MEMORYTYPE_HOST));
        EXPECT_EQ(known.host, mapped);
        EXPECT_EQ(known.ipc, 0u);
        int ordinary = 0;
        ASSERT_EQ(ask(gpu, Gpu::address(&ordinary), unknown), CUDA_SUCCESS);
        EXPECT_EQ(unknown.context, nullptr);
        EXPECT_EQ(unknown.type, 0u);
        EXPECT_EQ(unknown.id, 0u);
        EXPECT_EQ(unknown.size, 0u);
        EXPECT_EQ(unknown.ordinal, -2);
        uint32_t type = 0;
        EXPECT_EQ(gpu->pointer_get_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, Gpu::address(&ordinary)),
                  CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->mem_host_get_device_pointer(&mapped, &ordinary, 0), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->mem_free_host(&ordinary), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->mem_free_host(pinned), CUDA_SUCCESS);
    });
}

TEST(EmuMemory, NothingIsLeftBehind) {
    in_child({}, [] {
        Gpu gpu;
        auto once = [&] {
            DevicePtr memory = gpu.alloc(10'000);
            void* pinned = nullptr;
            EXPECT_EQ(gpu->mem_host_alloc(&pinned, 10'000, 0), CUDA_SUCCESS);
            EXPECT_EQ(gpu->memcpy(memory, Gpu::address(pinned), 10'000), CUDA_SUCCESS);
            EXPECT_EQ(gpu->mem_free(memory), CUDA_SUCCESS);
            EXPECT_EQ(gpu->mem_free_host(pinned), CUDA_SUCCESS);
        };
        for (int i = 0; i < 20; ++i) once();
        size_t maps = lines_of("/proc/self/maps"), descriptors = open_descriptors();
        for (int i = 0; i < 500; ++i) once();
        EXPECT_LE(lines_of("/proc/self/maps"), maps + 100);  // heaps of the C library and of sanitizers may grow
        EXPECT_EQ(open_descriptors(), descriptors);
    });
}

}  // namespace
}  // namespace emu_test
