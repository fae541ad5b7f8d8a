// IPC handles: two processes that are forked before either has the driver.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness.h"

namespace emu_test {
namespace {

IpcMemHandle handle_of(const Gpu& gpu, DevicePtr address) {
    IpcMemHandle out{};
    EXPECT_EQ(gpu->ipc_get_mem_handle(&out, address), CUDA_SUCCESS);
    return out;
}

CuResult open(const Gpu& gpu, const IpcMemHandle& handle, DevicePtr& out) {
    return gpu->ipc_open_mem_handle(&out, handle, kIpcLazyEnablePeerAccess);
}

DevicePtr open(const Gpu& gpu, const IpcMemHandle& handle) {
    DevicePtr out = 0;
    EXPECT_EQ(open(gpu, handle, out), CUDA_SUCCESS);
    return out;
}

TEST(EmuIpc, TwoProcessesShareMemory) {
    in_two_processes(
        {},
        [](Link& link) {
            Gpu gpu(0);
            DevicePtr memory = gpu.upload<uint32_t>({1, 2, 3});
            link.send(handle_of(gpu, memory + 4));  // inside: stands for the whole allocation
            link.receive<int>();
            EXPECT_EQ(gpu.download<uint32_t>(memory, 3), (std::vector<uint32_t>{1, 2, 30}));
        },
        [](Link& link) {
            Gpu gpu(1);
            DevicePtr memory = open(gpu, link.receive<IpcMemHandle>()), base = 0;
            size_t bytes = 0;
            EXPECT_EQ(gpu->mem_get_address_range(&base, &bytes, memory), CUDA_SUCCESS);
            EXPECT_EQ(base, memory);
            EXPECT_EQ(bytes, 12u);
            EXPECT_TRUE(read_faults(memory));
            EXPECT_EQ(gpu.download<uint32_t>(memory, 3), (std::vector<uint32_t>{1, 2, 3}));
            EXPECT_EQ(gpu->memset_d32_async(memory + 8, 30, 1, nullptr), CUDA_SUCCESS);
            EXPECT_EQ(gpu->ctx_synchronize(), CUDA_SUCCESS);
            EXPECT_EQ(gpu->ipc_close_mem_handle(memory), CUDA_SUCCESS);
            EXPECT_TRUE(read_faults(memory));
            link.send(0);
        });
}

// A ping-pong by stream memory operations on each other's pads, posted all at once.
TEST(EmuIpc, FlagsCrossProcesses) {
    constexpr uint32_t kRounds = 200;
    auto side = [](bool first) {
        return [first](Link& link) {
            Gpu gpu(first ? 0 : 1);
            DevicePtr own = gpu.upload<uint32_t>({0, 0});
            link.send(handle_of(gpu, own));
            DevicePtr peer = open(gpu, link.receive<IpcMemHandle>());
            Stream* stream = gpu.stream();
            std::vector<uint32_t> seen(kRounds, 99);
            auto receive = [&](uint32_t i) {
                EXPECT_EQ(gpu->stream_wait_value32(stream, own, i, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
                EXPECT_EQ(gpu->memcpy_dtoh_async(&seen[i - 1], own + 4, 4, stream), CUDA_SUCCESS);
            };
            auto send = [&](uint32_t i) {  // the data before its flag
                EXPECT_EQ(gpu->memset_d32_async(peer + 4, i * i, 1, stream), CUDA_SUCCESS);
                EXPECT_EQ(gpu->stream_write_value32(stream, peer, i, 0), CUDA_SUCCESS);
            };
            for (uint32_t i = 1; i <= kRounds; ++i) {
                first ? send(i) : receive(i);
                first ? receive(i) : send(i);
            }
            EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
            for (uint32_t i = 1; i <= kRounds; ++i) EXPECT_EQ(seen[i - 1], i * i);
        };
    };
    in_two_processes({{"STEPCCL_EMU_FAULTS", "delay=20"}}, side(true), side(false));
}

TEST(EmuIpc, OpenedTwiceItIsTheSameMapping) {
    in_two_processes(
        {},
        [](Link& link) {
            Gpu gpu;
            link.send(handle_of(gpu, gpu.upload<uint32_t>({5})));
            link.receive<int>();
        },
        [](Link& link) {
            Gpu gpu;
            auto handle = link.receive<IpcMemHandle>();
            DevicePtr one = open(gpu, handle), two = open(gpu, handle);
            EXPECT_EQ(one, two);
            EXPECT_EQ(gpu->ipc_close_mem_handle(one), CUDA_SUCCESS);
            EXPECT_EQ(gpu.word(one), 5u) << "one opening is left";
            EXPECT_EQ(gpu->ipc_close_mem_handle(one), CUDA_SUCCESS);
            EXPECT_EQ(gpu->ipc_close_mem_handle(one), CUDA_ERROR_INVALID_VALUE);
            DevicePtr again = open(gpu, handle);
            IpcMemHandle second{};
            EXPECT_EQ(gpu->ipc_get_mem_handle(&second, again), CUDA_ERROR_INVALID_VALUE) << "not its own to export";
            EXPECT_EQ(gpu->mem_free(again), CUDA_ERROR_INVALID_VALUE);
            link.send(0);
        });
}

TEST(EmuIpc, AStaleHandleOpensNothing) {
    in_two_processes(
        {},
        [](Link& link) {
            Gpu gpu;
            DevicePtr memory = gpu.alloc(4096);
            auto stale = handle_of(gpu, memory);
            ASSERT_EQ(gpu->mem_free(memory), CUDA_SUCCESS);
            DevicePtr fresh =
                gpu.upload<uint32_t>(std::vector<uint32_t>(1024, 6));  // takes the address and the descriptor
            EXPECT_EQ(fresh, memory);
            link.send(stale);
            link.send(handle_of(gpu, fresh));
            link.receive<int>();
        },
        [](Link& link) {
            Gpu gpu;
            DevicePtr memory = 0;
            EXPECT_EQ(open(gpu, link.receive<IpcMemHandle>(), memory), CUDA_ERROR_INVALID_HANDLE);
            EXPECT_EQ(gpu.word(open(gpu, link.receive<IpcMemHandle>())), 6u);
            link.send(0);
        });
}

TEST(EmuIpc, AnImportSurvivesTheExporter) {
    in_two_processes(
        {},
        [](Link& link) {
            Gpu gpu;
            DevicePtr memory = gpu.upload<uint32_t>({11, 12});
            link.send(handle_of(gpu, memory));
            link.receive<int>();
            EXPECT_EQ(gpu->mem_free(memory), CUDA_SUCCESS);
            link.send(getpid());
        },
        [](Link& link) {
            Gpu gpu;
            auto handle = link.receive<IpcMemHandle>();
            DevicePtr memory = open(gpu, handle), again = 0;
            link.send(0);
            link.receive<pid_t>();
            EXPECT_EQ(gpu.download<uint32_t>(memory, 2), (std::vector<uint32_t>{11, 12}));
            EXPECT_EQ(open(gpu, handle, again), CUDA_ERROR_INVALID_HANDLE);
        });
}

TEST(EmuIpc, AnExporterThatWasKilledLeavesNothing) {
    in_child({}, [] {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        pid_t exporter = fork();
        if (exporter == 0) {
            Gpu gpu;
            auto handle = handle_of(gpu, gpu.upload<uint32_t>({77}));
            static_cast<void>(!write(ends[1], &handle, sizeof handle));
            for (;;) pause();
        }
        ASSERT_GT(exporter, 0);
        IpcMemHandle handle{};
        ASSERT_EQ(read(ends[0], &handle, sizeof handle), static_cast<ssize_t>(sizeof handle));
        Gpu gpu;
        DevicePtr memory = open(gpu, handle), again = 0;
        EXPECT_EQ(kill(exporter, SIGKILL), 0);
        EXPECT_EQ(waitpid(exporter, nullptr, 0), exporter);
        EXPECT_EQ(gpu.word(memory), 77u);
        EXPECT_EQ(open(gpu, handle, again), CUDA_ERROR_INVALID_HANDLE);
        for (const auto& file : std::filesystem::directory_iterator("/dev/shm")) {
            EXPECT_EQ(file.path().string().find("stepccl_emu"), std::string::npos) << file.path();
        }
    });
}

TEST(EmuIpc, WhatIsRefused) {
    in_child({}, [] {
        Gpu gpu;
        DevicePtr memory = gpu.alloc(100), out = 0;
        auto handle = handle_of(gpu, memory);
        EXPECT_EQ(open(gpu, handle, out), CUDA_ERROR_INVALID_CONTEXT) << "a process cannot open its own";
        EXPECT_EQ(gpu->ipc_open_mem_handle(&out, handle, 0), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(open(gpu, IpcMemHandle{}, out), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->ipc_get_mem_handle(&handle, 0x1000), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->ipc_close_mem_handle(memory), CUDA_ERROR_INVALID_VALUE);
        void* pinned = nullptr;
        EXPECT_EQ(gpu->mem_host_alloc(&pinned, 100, 0), CUDA_SUCCESS);
        EXPECT_EQ(gpu->ipc_get_mem_handle(&handle, Gpu::address(pinned)), CUDA_ERROR_INVALID_VALUE);
    });
}

}  // namespace
}  // namespace emu_test
