// Every injected fault, and the strictness of the environment's grammar.
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

namespace emu_test {
namespace {

Environment faults(const std::string& text) {
    return {{"STEPCCL_EMU_FAULTS", text}};
}

// What cuInit says to this environment, and what it prints.
void expect_refused(const Environment& environment, const std::string& text) {
    Ending ending = run_child(environment, [] {
        stepccl::Params params;
        EXPECT_TRUE(params.set("driver", "emulated", "test").ok());
        EXPECT_TRUE(params.set("driver_library", EMU_LIBRARY, "test").ok());
        auto driver = Driver::load(params);
        bool refused = !driver.ok() && driver.status().text().find("CUDA_ERROR_INVALID_VALUE") != std::string::npos;
        _exit(refused ? 17 : 0);
    });
    EXPECT_TRUE(WIFEXITED(ending.wait_status));
    EXPECT_EQ(WEXITSTATUS(ending.wait_status), 17) << text;
    EXPECT_NE(ending.errors.find("stepccl_emu: "), std::string::npos) << ending.errors;
    EXPECT_NE(ending.errors.find(text), std::string::npos) << ending.errors;
}

TEST(EmuFault, WordsAreChecked) {
    expect_refused(faults("reordr"), "did you mean 'reorder'?");
    expect_refused(faults("reorder,"), "''");
    expect_refused(faults("bogus=7"), "'bogus=7'");
    expect_refused(faults("delay=fast"), "from 0 to");
    expect_refused(faults("delay=-1"), "from 0 to");
    expect_refused(faults("lose=0"), "from 1 to");
    expect_refused(faults("reorder=1"), "'reorder=1'");
    expect_refused(faults("fail=cuMemAllocate:1"), "no function 'cuMemAllocate'");
    expect_refused(faults("fail=cuMemAlloc"), "expected fail=FUNCTION:CALL");
    expect_refused(faults("fail=cuMemAlloc:0"), "expected fail=FUNCTION:CALL");
    expect_refused(faults("fail=cuMemAlloc:1:12345"), "'12345'");
    expect_refused(faults("rank=one"), "number of a rank");
    expect_refused({{"STEPCCL_EMU_DEVICES", "many"}}, "STEPCCL_EMU_DEVICES='many'");
    expect_refused({{"STEPCCL_EMU_DEVICES", "65"}}, "expected 0 to 64");
    expect_refused({{"STEPCCL_EMU_MEMORY", "0"}}, "STEPCCL_EMU_MEMORY='0'");
    expect_refused({{"STEPCCL_EMU_FAULT", "reorder"}}, "did you mean STEPCCL_EMU_FAULTS?");
}

TEST(EmuFault, ACallFailsOnceAndInTurn) {
    in_child(faults("fail=cuMemAlloc:2,fail=cuStreamCreate:1:CUDA_ERROR_LAUNCH_FAILED,fail=cuMemFree_v2:1:46"), [] {
        Gpu gpu;
        DevicePtr first = 0, second = 0, third = 0;
        EXPECT_EQ(gpu->mem_alloc(&first, 4), CUDA_SUCCESS);
        EXPECT_EQ(gpu->mem_alloc(&second, 4), CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_EQ(gpu->mem_alloc(&third, 4), CUDA_SUCCESS);
        Stream* stream = nullptr;
        EXPECT_EQ(gpu->stream_create(&stream, 0), CUDA_ERROR_LAUNCH_FAILED);
        EXPECT_EQ(gpu->stream_create(&stream, 0), CUDA_SUCCESS);
        EXPECT_EQ(gpu->mem_free(first), CUDA_ERROR_DEVICE_UNAVAILABLE);
        EXPECT_EQ(gpu->mem_free(first), CUDA_SUCCESS) << "the failed call did nothing";
    });
}

TEST(EmuFault, InitialisationCanFail) {
    in_child(faults("fail=cuInit:1:CUDA_ERROR_NO_DEVICE"), [] {
        stepccl::Params params;
        EXPECT_TRUE(params.set("driver", "emulated", "test").ok());
        EXPECT_TRUE(params.set("driver_library", EMU_LIBRARY, "test").ok());
        EXPECT_FALSE(Driver::load(params).ok());
    });
}

TEST(EmuFault, ALostDeviceEndsAllWaitsAndStaysLost) {
    in_child(faults("lose=3"), [] {
        Gpu gpu;
        DevicePtr words = gpu.upload<uint32_t>({0, 0});  // operation 1
        Stream *waiter = gpu.stream(), *doomed = gpu.stream(), *follower = gpu.stream();
        Event* event = nullptr;
        EXPECT_EQ(gpu->event_create(&event, CU_EVENT_DEFAULT), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_wait_value32(waiter, words, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_record(event, waiter), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_wait_event(follower, event, 0), CUDA_SUCCESS);
        for (uint32_t i = 1; i <= 3; ++i) {  // operations 2 and 3, and one that never runs
            CuResult result = gpu->memset_d32_async(words + 4, i, 1, doomed);
            EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_DEVICE_UNAVAILABLE) << result;
        }
        const CuResult lost = CUDA_ERROR_DEVICE_UNAVAILABLE;
        EXPECT_EQ(gpu->stream_synchronize(doomed), lost);
        EXPECT_EQ(gpu->stream_synchronize(waiter), lost);
        EXPECT_EQ(gpu->event_synchronize(event), lost);
        EXPECT_EQ(gpu->event_query(event), lost);
        EXPECT_EQ(gpu->ctx_synchronize(), lost);
        DevicePtr memory = 0;
        EXPECT_EQ(gpu->mem_alloc(&memory, 4), lost);
        EXPECT_EQ(gpu->mem_free(words), lost);
        EXPECT_EQ(gpu->stream_query(follower), lost);
        // Other devices go on, and so does what needs no context.
        Gpu other(1);
        EXPECT_EQ(other.word(other.upload<uint32_t>({3})), 3u);
        EXPECT_EQ(gpu->device_primary_ctx_release(0), CUDA_SUCCESS);
    });
}

TEST(EmuFault, TheOperationAfterTheLossIsNotDone) {
    in_two_processes(
        faults("lose=5"),
        [](Link& link) {
            Gpu gpu;
            DevicePtr word = gpu.upload<uint32_t>({0});  // operation 1
            IpcMemHandle handle{};
            EXPECT_EQ(gpu->ipc_get_mem_handle(&handle, word), CUDA_SUCCESS);
            link.send(handle);
            Stream* stream = gpu.stream();
            for (uint32_t i = 2; i <= 9; ++i) {
                CuResult result = gpu->memset_d32_async(word, i, 1, stream);
                EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_DEVICE_UNAVAILABLE);
            }
            EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_ERROR_DEVICE_UNAVAILABLE);
            link.send(0);
            link.receive<int>();
        },
        [](Link& link) {
            Gpu gpu;
            DevicePtr word = 0;
            EXPECT_EQ(gpu->ipc_open_mem_handle(&word, link.receive<IpcMemHandle>(), kIpcLazyEnablePeerAccess),
                      CUDA_SUCCESS);
            link.receive<int>();
            EXPECT_EQ(gpu.word(word), 5u);
            link.send(0);
        });
}

TEST(EmuFault, MemoryWithoutIpc) {
    in_child(faults("noipc"), [] {
        Gpu gpu;
        DevicePtr memory = gpu.alloc(4);
        IpcMemHandle handle{};
        uint32_t capable = 9;
        EXPECT_EQ(gpu->ipc_get_mem_handle(&handle, memory), CUDA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(gpu->pointer_get_attribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, memory),
                  CUDA_SUCCESS);
        EXPECT_EQ(capable, 0u);
    });
}

TEST(EmuFault, OpeningFails) {
    in_two_processes(
        faults("noipc-open"),
        [](Link& link) {
            Gpu gpu;
            IpcMemHandle handle{};
            EXPECT_EQ(gpu->ipc_get_mem_handle(&handle, gpu.alloc(4)), CUDA_SUCCESS);
            link.send(handle);
            link.receive<int>();
        },
        [](Link& link) {
            Gpu gpu;
            DevicePtr memory = 0;
            EXPECT_EQ(gpu->ipc_open_mem_handle(&memory, link.receive<IpcMemHandle>(), kIpcLazyEnablePeerAccess),
                      CUDA_ERROR_MAP_FAILED);
            link.send(0);
        });
}

TEST(EmuFault, OneByteOfOneCopyIsCorrupted) {
    in_child(faults("corrupt=2"), [] {
        Gpu gpu;
        std::vector<uint8_t> values(1000, 7), back(1000);
        DevicePtr one = gpu.upload(values), two = gpu.alloc(1000);
        EXPECT_EQ(gpu->memcpy(two, one, 1000), CUDA_SUCCESS);
        auto differ = [&](DevicePtr memory) {
            size_t wrong = 0;
            for (uint8_t byte : gpu.download<uint8_t>(memory, 1000)) wrong += byte != 7;
            return wrong;
        };
        EXPECT_EQ(differ(one), 0u);
        EXPECT_EQ(differ(two), 1u);
    });
}

TEST(EmuFault, OnlyOneRankHasThem) {
    auto fails = [](const char* variable, const char* rank) {
        Environment environment = faults("rank=1,fail=cuMemAlloc:1");
        if (variable != nullptr) environment[variable] = rank;
        Ending ending = run_child(environment, [] {
            Gpu gpu;
            DevicePtr memory = 0;
            _exit(gpu->mem_alloc(&memory, 4) == CUDA_ERROR_OUT_OF_MEMORY ? 17 : 18);
        });
        return WEXITSTATUS(ending.wait_status);
    };
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("PMIX_RANK");
    EXPECT_EQ(fails("OMPI_COMM_WORLD_RANK", "1"), 17);
    EXPECT_EQ(fails("PMIX_RANK", "1"), 17);
    EXPECT_EQ(fails("OMPI_COMM_WORLD_RANK", "0"), 18);
    EXPECT_EQ(fails("OMPI_COMM_WORLD_RANK", "11"), 18);
    EXPECT_EQ(fails(nullptr, nullptr), 18) << "no rank, no faults of a rank";
}

// Memory that goes away under work of another device's stream, for which freeing does not wait.
TEST(EmuFault, FreedMeanwhileIsAnIllegalAddressAndSticks) {
    in_child({}, [] {
        Gpu zero(0), one(1);
        Stream* stream = one.stream();
        DevicePtr gate = one.upload<uint32_t>({0}), target = one.alloc(4);
        EXPECT_EQ(one->ctx_set_current(zero.context), CUDA_SUCCESS);
        DevicePtr source = zero.upload<uint32_t>({1});
        EXPECT_EQ(one->ctx_set_current(one.context), CUDA_SUCCESS);
        EXPECT_EQ(one->stream_wait_value32(stream, gate, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
        EXPECT_EQ(one->memcpy_dtod_async(target, source, 4, stream), CUDA_SUCCESS);
        EXPECT_EQ(one->mem_free(source), CUDA_SUCCESS);
        EXPECT_EQ(one->stream_write_value32(one.stream(), gate, 1, 0), CUDA_SUCCESS);
        EXPECT_EQ(one->stream_synchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
        EXPECT_EQ(one->stream_synchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
        EXPECT_EQ(one->mem_alloc(&source, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
        EXPECT_EQ(one->ctx_set_current(zero.context), CUDA_SUCCESS);
        EXPECT_EQ(zero->ctx_synchronize(), CUDA_SUCCESS) << "the other device is well";
    });
}

}  // namespace
}  // namespace emu_test
