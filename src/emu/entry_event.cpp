// Events.
#include "emu/entry.h"

namespace stepccl::cuda {

using emu::Call;
using emu::entry;
using emu::Need;

CuResult cuEventCreate(Event** out, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        constexpr unsigned kInterprocess = 4;
        if ((flags & kInterprocess) != 0) return CUDA_ERROR_NOT_SUPPORTED;
        if (out == nullptr || flags > (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
            return CUDA_ERROR_INVALID_VALUE;
        auto event = std::make_shared<emu::Event>(*call.context, flags);
        call.machine.events.add(event);
        *out = reinterpret_cast<Event*>(event.get());
        return CUDA_SUCCESS;
    });
}

CuResult cuEventDestroy_v2(Event* handle) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        auto event = call.machine.events.take(handle);
        return event ? event->context().error() : CUDA_ERROR_INVALID_HANDLE;
    });
}

CuResult cuEventRecord(Event* handle, Stream* stream_handle) {
    return entry(__func__, Need::context, [&](const Call& call) {
        auto event = call.machine.events.find(handle);
        auto stream = emu::stream_of(call, stream_handle);
        if (!event || !stream || &event->context() != &stream->context()) return CUDA_ERROR_INVALID_HANDLE;
        if (auto error = stream->context().error(); error != CUDA_SUCCESS) return error;
        event->record(stream);
        return CUDA_SUCCESS;
    });
}

CuResult cuEventQuery(Event* handle) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        auto event = call.machine.events.find(handle);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        if (auto error = event->context().error(); error != CUDA_SUCCESS) return error;
        auto last = event->last();
        return !last || last->point.stream->done(last->point.ticket) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    });
}

CuResult cuEventSynchronize(Event* handle) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        auto event = call.machine.events.find(handle);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        if (auto last = event->last()) last->point.stream->wait(last->point.ticket);
        return event->context().error();
    });
}

CuResult cuStreamWaitEvent(Stream* stream, Event* handle, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
        auto event = call.machine.events.find(handle);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        emu::Operation operation;
        operation.work = false;
        // The recording that is the last one now; a later one does not count.
        if (auto last = event->last()) operation.after.push_back(last->point);
        return emu::submit(call, stream, std::move(operation));
    });
}

CuResult cuEventElapsedTime(float* milliseconds, Event* start_handle, Event* end_handle) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        auto start = call.machine.events.find(start_handle), end = call.machine.events.find(end_handle);
        if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (!start || !end || !start->timed() || !end->timed()) return CUDA_ERROR_INVALID_HANDLE;
        if (auto error = start->context().error(); error != CUDA_SUCCESS) return error;
        auto from = start->last(), to = end->last();
        if (!from || !to) return CUDA_ERROR_INVALID_HANDLE;
        for (const auto& recording : {from, to}) {
            if (!recording->point.stream->done(recording->point.ticket)) return CUDA_ERROR_NOT_READY;
        }
        *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
        return CUDA_SUCCESS;
    });
}

}  // namespace stepccl::cuda
