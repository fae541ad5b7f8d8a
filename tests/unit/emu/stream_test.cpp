// Streams and events: order inside a stream, order among streams, and nothing that waits when it should not.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "harness.h"

namespace emu_test {
namespace {

constexpr unsigned kGeq = CU_STREAM_WAIT_VALUE_GEQ;

// A flag word of value 0 that work can be held back with.
DevicePtr make_gate(const Gpu& gpu) {
    return gpu.upload<uint32_t>({0});
}

void hold(const Gpu& gpu, Stream* stream, DevicePtr gate) {
    EXPECT_EQ(gpu->stream_wait_value32(stream, gate, 1, kGeq), CUDA_SUCCESS);
}

void set_word(const Gpu& gpu, Stream* stream, DevicePtr word, uint32_t value) {
    EXPECT_EQ(gpu->memset_d32_async(word, value, 1, stream), CUDA_SUCCESS);
}

TEST(EmuStream, WorkGoesOnWhileTheCallerDoes) {
    in_child({}, [] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        DevicePtr gate = make_gate(gpu), word = make_gate(gpu);
        hold(gpu, stream, gate);
        set_word(gpu, stream, word, 7);
        EXPECT_EQ(gpu->stream_query(stream), CUDA_ERROR_NOT_READY);
        EXPECT_EQ(gpu.word(word), 0u);
        gpu.write_word(gate, 1);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_query(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu.word(word), 7u);
    });
}

TEST(EmuStream, IsFirstInFirstOut) {
    in_child({{"STEPCCL_EMU_FAULTS", "delay=300,seed=3"}}, [] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        std::vector<uint32_t> seen(50, 99);
        DevicePtr word = make_gate(gpu);
        for (uint32_t i = 0; i < seen.size(); ++i) {
            set_word(gpu, stream, word, i);
            EXPECT_EQ(gpu->memcpy_dtoh_async(&seen[i], word, 4, stream), CUDA_SUCCESS);
        }
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        for (uint32_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
    });
}

// A chain over four streams: each adds its link to what the stream before it wrote, ordered by nothing but events.
TEST(EmuStream, EventsOrderStreams) {
    in_child({{"STEPCCL_EMU_FAULTS", "delay=500,seed=11"}}, [] {
        Gpu gpu;
        constexpr uint32_t kRounds = 40, kStreams = 4;
        Stream* streams[kStreams];
        Event* events[kStreams];
        for (auto& stream : streams) stream = gpu.stream();
        for (auto& event : events) EXPECT_EQ(gpu->event_create(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
        std::vector<uint32_t> links(kRounds * kStreams + 1, 0);
        links[0] = 42;
        DevicePtr chain = gpu.upload(links);
        for (uint32_t i = 0; i < kRounds * kStreams; ++i) {
            Stream* own = streams[i % kStreams];
            // Never recorded the first time: no order, and none needed.
            EXPECT_EQ(gpu->stream_wait_event(own, events[(i + kStreams - 1) % kStreams], 0), CUDA_SUCCESS);
            EXPECT_EQ(gpu->memcpy_dtod_async(chain + 4 * (i + 1), chain + 4 * i, 4, own), CUDA_SUCCESS);
            EXPECT_EQ(gpu->event_record(events[i % kStreams], own), CUDA_SUCCESS);
        }
        EXPECT_EQ(gpu->event_synchronize(events[kStreams - 1]), CUDA_SUCCESS);
        EXPECT_EQ(gpu.download<uint32_t>(chain, links.size()), std::vector<uint32_t>(links.size(), 42));
    });
}

TEST(EmuStream, AnEventMeansItsLastRecordingWhenItIsWaitedFor) {
    in_child({}, [] {
        Gpu gpu;
        Stream *held = gpu.stream(), *other = gpu.stream();
        DevicePtr gate = make_gate(gpu);
        Event* event = nullptr;
        ASSERT_EQ(gpu->event_create(&event, CU_EVENT_DEFAULT), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_query(event), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_synchronize(event), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_wait_event(other, event, 0), CUDA_SUCCESS);  // never recorded: no wait
        EXPECT_EQ(gpu->stream_synchronize(other), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_record(event, other), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_wait_event(other, event, 0), CUDA_SUCCESS);
        hold(gpu, held, gate);
        EXPECT_EQ(gpu->event_record(event, held), CUDA_SUCCESS);  // too late to matter to `other`
        EXPECT_EQ(gpu->stream_synchronize(other), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_query(event), CUDA_ERROR_NOT_READY);
        EXPECT_EQ(gpu->event_destroy(event), CUDA_SUCCESS);
        gpu.write_word(gate, 1);
        EXPECT_EQ(gpu->stream_synchronize(held), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_query(event), CUDA_ERROR_INVALID_HANDLE);
    });
}

TEST(EmuStream, EventsTellTime) {
    in_child({{"STEPCCL_EMU_FAULTS", "delay=2000"}}, [] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        DevicePtr word = make_gate(gpu);
        Event *start = nullptr, *end = nullptr, *untimed = nullptr;
        EXPECT_EQ(gpu->event_create(&start, CU_EVENT_DEFAULT), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_create(&end, CU_EVENT_DEFAULT), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_create(&untimed, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
        float ms = -1;
        EXPECT_EQ(gpu->event_elapsed_time(&ms, start, end), CUDA_ERROR_INVALID_HANDLE);
        EXPECT_EQ(gpu->event_record(start, stream), CUDA_SUCCESS);
        for (uint32_t i = 0; i < 10; ++i) set_word(gpu, stream, word, i);
        DevicePtr gate = make_gate(gpu);
        hold(gpu, stream, gate);
        EXPECT_EQ(gpu->event_record(end, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_record(untimed, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_elapsed_time(&ms, start, end), CUDA_ERROR_NOT_READY);
        gpu.write_word(gate, 1);
        EXPECT_EQ(gpu->event_synchronize(end), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_elapsed_time(&ms, start, end), CUDA_SUCCESS);
        EXPECT_GT(ms, 0);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->event_elapsed_time(&ms, start, untimed), CUDA_ERROR_INVALID_HANDLE);
    });
}

TEST(EmuStream, TheLegacyStreamTakesTurnsWithBlockingOnes) {
    in_child({}, [] {
        Gpu gpu;
        Stream *blocking = gpu.stream(CU_STREAM_DEFAULT), *free = gpu.stream(CU_STREAM_NON_BLOCKING);
        DevicePtr gate = make_gate(gpu), second_gate = make_gate(gpu), words = gpu.upload<uint32_t>({0, 0, 0});
        std::vector<uint32_t> seen(3, 99);
        hold(gpu, blocking, gate);
        set_word(gpu, blocking, words, 1);
        // After the blocking stream's work, and before what comes to it later.
        EXPECT_EQ(gpu->memcpy_dtoh_async(&seen[0], words, 4, nullptr), CUDA_SUCCESS);
        hold(gpu, nullptr, second_gate);
        EXPECT_EQ(gpu->memset_d32_async(words + 4, 2, 1, stream_legacy()), CUDA_SUCCESS);
        EXPECT_EQ(gpu->memcpy_dtoh_async(&seen[1], words + 4, 4, blocking), CUDA_SUCCESS);
        EXPECT_EQ(gpu->memcpy_dtoh_async(&seen[2], words + 4, 4, free), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(free), CUDA_SUCCESS);
        EXPECT_EQ(seen[2], 0u) << "a non-blocking stream waits for nobody";
        EXPECT_EQ(gpu->stream_query(nullptr), CUDA_ERROR_NOT_READY);
        EXPECT_EQ(gpu->stream_write_value32(free, gate, 1, 0), CUDA_SUCCESS);
        usleep(3000);  // time for the blocking stream to run ahead wrongly
        EXPECT_EQ(gpu->stream_write_value32(free, second_gate, 1, 0), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(blocking), CUDA_SUCCESS);
        EXPECT_EQ(seen[0], 1u);
        EXPECT_EQ(seen[1], 2u);
    });
}

TEST(EmuStream, SynchronisingTheLegacyStreamWaitsForBlockingOnes) {
    in_child({}, [] {
        Gpu gpu;
        Stream* blocking = gpu.stream(CU_STREAM_DEFAULT);
        DevicePtr gate = make_gate(gpu);
        uint32_t seen = 99;
        hold(gpu, blocking, gate);
        EXPECT_EQ(gpu->memcpy_dtoh_async(&seen, gate, 4, blocking), CUDA_SUCCESS);
        gpu.write_word(gate, 1);
        EXPECT_EQ(gpu->stream_synchronize(nullptr), CUDA_SUCCESS);
        EXPECT_EQ(seen, 1u);
    });
}

TEST(EmuStream, EveryThreadHasAStream) {
    in_child({}, [] {
        Gpu gpu;
        DevicePtr gate = make_gate(gpu), word = make_gate(gpu);
        hold(gpu, stream_per_thread(), gate);
        std::thread([&] {
            ContextGuard guard(*gpu.driver, gpu.context);
            set_word(gpu, stream_per_thread(), word, 5);
            EXPECT_EQ(gpu->stream_synchronize(stream_per_thread()), CUDA_SUCCESS);
        }).join();
        EXPECT_EQ(gpu->stream_query(stream_per_thread()), CUDA_ERROR_NOT_READY);
        Stream* reader = gpu.stream();
        uint32_t seen = 0;
        EXPECT_EQ(gpu->memcpy_dtoh_async(&seen, word, 4, reader), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(reader), CUDA_SUCCESS);
        EXPECT_EQ(seen, 5u);
        gpu.write_word(gate, 1);
        EXPECT_EQ(gpu->ctx_synchronize(), CUDA_SUCCESS);
    });
}

TEST(EmuStream, ADestroyedStreamFinishesItsWork) {
    in_child({{"STEPCCL_EMU_FAULTS", "delay=1000"}}, [] {
        Gpu gpu;
        DevicePtr word = make_gate(gpu);
        Stream* stream = gpu.stream();
        for (uint32_t i = 1; i <= 10; ++i) set_word(gpu, stream, word, i);
        EXPECT_EQ(gpu->stream_destroy(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_ERROR_INVALID_HANDLE);
        EXPECT_EQ(gpu->stream_destroy(stream), CUDA_ERROR_INVALID_HANDLE);
        EXPECT_EQ(gpu->ctx_synchronize(), CUDA_SUCCESS);
        EXPECT_EQ(gpu.word(word), 10u);
    });
}

struct HostCall {
    const Gpu* gpu;
    std::atomic<int> order{0};
    int seen = -1;
    CuResult inside = CUDA_SUCCESS;
};

TEST(EmuStream, HostFunctionsRunInOrderAndMayNotCallTheDriver) {
    in_child({}, [] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        DevicePtr gate = make_gate(gpu);
        HostCall call{&gpu};
        auto function = [](void* data) {
            auto& own = *static_cast<HostCall*>(data);
            own.seen = own.order;
            own.inside = (*own.gpu)->ctx_synchronize();
        };
        hold(gpu, stream, gate);
        EXPECT_EQ(gpu->launch_host_func(stream, function, &call), CUDA_SUCCESS);
        call.order = 1;
        gpu.write_word(gate, 1);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(call.seen, 1);
        EXPECT_EQ(call.inside, CUDA_ERROR_NOT_PERMITTED);
        EXPECT_EQ(gpu->launch_host_func(stream, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    });
}

TEST(EmuStream, FreeingWaitsForWhatUsesTheMemoryAndNothingElse) {
    in_child({}, [] {
        Gpu gpu;
        Stream *user = gpu.stream(), *stuck = gpu.stream();
        DevicePtr gate = make_gate(gpu), never = make_gate(gpu), memory = gpu.alloc(4);
        hold(gpu, stuck, never);
        hold(gpu, user, gate);
        set_word(gpu, user, memory, 3);
        uint32_t seen = 0;
        EXPECT_EQ(gpu->memcpy_dtoh_async(&seen, memory, 4, user), CUDA_SUCCESS);
        std::thread opener([&] {
            ContextGuard guard(*gpu.driver, gpu.context);
            gpu.write_word(gate, 1);
        });
        EXPECT_EQ(gpu->mem_free(memory), CUDA_SUCCESS);
        EXPECT_EQ(seen, 3u);
        opener.join();
        EXPECT_EQ(gpu->stream_query(stuck), CUDA_ERROR_NOT_READY);
    });
}

TEST(EmuStream, NothingIsBeingCaptured) {
    in_child({}, [] {
        Gpu gpu;
        CaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        EXPECT_EQ(gpu->stream_is_capturing(gpu.stream(), &status), CUDA_SUCCESS);
        EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
        Stream* none = nullptr;
        EXPECT_EQ(gpu->stream_create(&none, 7), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->stream_create_with_priority(&none, CU_STREAM_NON_BLOCKING, -5), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_is_capturing(reinterpret_cast<Stream*>(&status), &status), CUDA_ERROR_INVALID_HANDLE);
    });
}

}  // namespace
}  // namespace emu_test
