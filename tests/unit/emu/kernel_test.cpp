// Launches: our own kernels by name, on a stream, fed by flags.
#include <unistd.h>

#include <cstring>

#include "engine/cuda/kernels/reduce_work.h"
#include "harness.h"

namespace emu_test {
namespace {

using stepccl::kernels::FlagRef;
using stepccl::kernels::ReduceEntry;
using stepccl::kernels::ReduceWork;

Function* find_kernel(const Gpu& gpu, const char* name) {
    Module* module = nullptr;
    Function* function = nullptr;
    EXPECT_EQ(gpu->module_load_data(&module, "an image"), CUDA_SUCCESS);
    EXPECT_EQ(gpu->module_get_function(&function, module, name), CUDA_SUCCESS);
    return function;
}

// One entry that sums two arrays of floats, waits for one flag and writes another; its tables are in pinned memory.
struct Sum {
    Sum(const Gpu& gpu, DevicePtr dst, DevicePtr a, DevicePtr b, uint64_t count, DevicePtr wait, DevicePtr signal) {
        void* pinned = nullptr;
        EXPECT_EQ(gpu->mem_host_alloc(&pinned, sizeof(Tables), 0), CUDA_SUCCESS);
        tables = new (pinned) Tables{{dst, count, 0, 2, 0, 1, 1, 1}, {a, b}, {{wait, 1, 0}, {signal, 5, 0}}, 0};
        work.entries = Gpu::address(&tables->entry);
        work.srcs = Gpu::address(tables->srcs);
        work.flags = Gpu::address(tables->flags);
        work.arrivals = Gpu::address(&tables->arrivals);
        work.nentries = 1;
    }
    CuResult launch(const Gpu& gpu, Function* kernel, Stream* stream) {
        void* params[] = {&work};
        return gpu->launch_kernel(kernel, 4, 1, 1, 64, 1, 1, 0, stream, params, nullptr);
    }
    struct Tables {
        ReduceEntry entry;
        uint64_t srcs[2];
        FlagRef flags[2];
        uint32_t arrivals;
    };
    Tables* tables = nullptr;
    ReduceWork work{};
};

const std::vector<float> kLeft{1, 2, 3, 4, 5}, kRight{10, 20, 30, 40, 50}, kTotal{11, 22, 33, 44, 55};

TEST(EmuKernel, ReducesWhenItsFlagComesAndSignals) {
    in_child({}, [] {
        Gpu gpu;
        Function* kernel = find_kernel(gpu, "stepccl_reduce_float32_sum");
        Stream *stream = gpu.stream(), *later = gpu.stream();
        DevicePtr flags = gpu.upload<uint32_t>({0, 0}), dst = gpu.alloc(20);
        Sum sum(gpu, dst, gpu.upload(kLeft), gpu.upload(kRight), 5, flags, flags + 4);
        EXPECT_EQ(sum.launch(gpu, kernel, stream), CUDA_SUCCESS);
        sum.work = {};  // the argument was taken by value
        EXPECT_EQ(gpu->stream_wait_value32(later, flags + 4, 5, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
        std::vector<float> seen(5);
        EXPECT_EQ(gpu->memcpy_dtoh_async(seen.data(), dst, 20, later), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_query(stream), CUDA_ERROR_NOT_READY);
        EXPECT_EQ(gpu->stream_query(later), CUDA_ERROR_NOT_READY);
        gpu.write_word(flags, 1);
        EXPECT_EQ(gpu->stream_synchronize(later), CUDA_SUCCESS);
        EXPECT_EQ(seen, kTotal);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu.word(flags + 4), 5u);
    });
}

// Runs a sum that is told wrong addresses.
void expect_illegal(const std::function<Sum(const Gpu&, DevicePtr good, DevicePtr flags)>& make) {
    in_child({}, [&] {
        Gpu gpu;
        Function* kernel = find_kernel(gpu, "stepccl_reduce_float32_sum");
        Stream* stream = gpu.stream();
        Sum sum = make(gpu, gpu.upload(kLeft), gpu.upload<uint32_t>({1, 0}));
        EXPECT_EQ(sum.launch(gpu, kernel, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    });
}

TEST(EmuKernel, IllegalAddresses) {
    using P = DevicePtr;
    expect_illegal([](const Gpu& gpu, P good, P flags) { return Sum(gpu, good, good, 0x1000, 5, flags, flags + 4); });
    expect_illegal([](const Gpu& gpu, P good, P flags) { return Sum(gpu, good, good, good, 6, flags, flags + 4); });
    expect_illegal([](const Gpu& gpu, P good, P flags) { return Sum(gpu, good, good, good, 5, 0x1000, flags + 4); });
    expect_illegal([](const Gpu& gpu, P good, P flags) { return Sum(gpu, good, good, good, 5, flags, flags + 8); });
    expect_illegal([](const Gpu& gpu, P good, P flags) {
        static float host[5] = {};
        return Sum(gpu, good, good, Gpu::address(host), 5, flags, flags + 4);
    });
}

TEST(EmuKernel, APeersMemoryNeedsPeerAccess) {
    for (bool enabled : {false, true}) {
        in_child({}, [&] {
            Gpu other(1);
            DevicePtr foreign = other.upload(kRight);
            Gpu gpu(0);
            if (enabled) {
                EXPECT_EQ(gpu->ctx_enable_peer_access(other.context, 0), CUDA_SUCCESS);
            }
            DevicePtr flags = gpu.upload<uint32_t>({1, 0}), dst = gpu.alloc(20);
            Sum sum(gpu, dst, gpu.upload(kLeft), foreign, 5, flags, flags + 4);
            Stream* stream = gpu.stream();
            EXPECT_EQ(sum.launch(gpu, find_kernel(gpu, "stepccl_reduce_float32_sum"), stream), CUDA_SUCCESS);
            EXPECT_EQ(gpu->stream_synchronize(stream), enabled ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS);
            if (enabled) {
                EXPECT_EQ(gpu.download<float>(dst, 5), kTotal);
            }
        });
    }
}

TEST(EmuKernel, ALostDeviceEndsItsWaitAndWritesNothing) {
    in_child({{"STEPCCL_EMU_FAULTS", "lose=4"}}, [] {
        Gpu gpu;
        Function* kernel = find_kernel(gpu, "stepccl_reduce_float32_sum");
        Stream *stream = gpu.stream(), *doomed = gpu.stream();
        DevicePtr flags = gpu.upload<uint32_t>({0, 0});                  // operation 1
        DevicePtr left = gpu.upload(kLeft), right = gpu.upload(kRight);  // operations 2 and 3
        Sum sum(gpu, left, left, right, 5, flags, flags + 4);
        EXPECT_EQ(sum.launch(gpu, kernel, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->memset_d32_async(right, 0, 1, doomed), CUDA_SUCCESS);  // operation 4
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_ERROR_DEVICE_UNAVAILABLE);
    });
}

TEST(EmuKernel, FreeingWaitsForIt) {
    in_child({{"STEPCCL_EMU_FAULTS", "delay=3000"}}, [] {
        Gpu gpu;
        Function* kernel = find_kernel(gpu, "stepccl_reduce_float32_sum");
        Stream* stream = gpu.stream();
        DevicePtr flags = gpu.upload<uint32_t>({1, 0}), left = gpu.upload(kLeft), right = gpu.upload(kRight),
                  dst = gpu.alloc(20);
        Sum sum(gpu, dst, left, right, 5, flags, flags + 4);
        EXPECT_EQ(sum.launch(gpu, kernel, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->mem_free(left), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu.download<float>(dst, 5), kTotal);
    });
}

TEST(EmuKernel, WhatIsRefused) {
    in_child({}, [] {
        Gpu gpu;
        Module* module = nullptr;
        Function* function = nullptr;
        EXPECT_EQ(gpu->module_load_data(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->module_load_data(&module, "an image"), CUDA_SUCCESS);
        EXPECT_EQ(gpu->module_get_function(&function, module, "stepccl_reduce_float32_guess"), CUDA_ERROR_NOT_FOUND);
        EXPECT_EQ(gpu->module_get_function(&function, module, "stepccl_reduce_int32_max"), CUDA_SUCCESS);
        int threads = 0;
        EXPECT_EQ(gpu->func_get_attribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function), CUDA_SUCCESS);
        EXPECT_EQ(threads, 1024);
        ReduceWork work{};
        void* params[] = {&work};
        auto launch = [&](unsigned grid, unsigned grid_y, unsigned block, Stream* stream) {
            return gpu->launch_kernel(function, grid, grid_y, 1, block, 1, 1, 0, stream, params, nullptr);
        };
        EXPECT_EQ(launch(0, 1, 32, nullptr), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(launch(1, 2, 32, nullptr), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(launch(1, 1, 1025, nullptr), CUDA_ERROR_INVALID_VALUE);
        Gpu other(1);
        EXPECT_EQ(launch(1, 1, 32, nullptr), CUDA_ERROR_INVALID_HANDLE) << "the kernel is another device's";
        EXPECT_EQ(gpu->ctx_set_current(gpu.context), CUDA_SUCCESS);
        EXPECT_EQ(gpu->module_unload(module), CUDA_SUCCESS);
        EXPECT_EQ(launch(1, 1, 32, nullptr), CUDA_ERROR_INVALID_HANDLE);
        EXPECT_EQ(gpu->module_unload(module), CUDA_ERROR_INVALID_HANDLE);
    });
}

}  // namespace
}  // namespace emu_test
