// Streams, stream memory operations and host functions.
#include "emu/entry.h"
#include "emu/operations.h"

namespace stepccl::emu {
namespace {

cuda::CuResult create_stream(const Call& call, cuda::Stream** out, unsigned flags) {
    if (out == nullptr || flags > cuda::CU_STREAM_NON_BLOCKING) return cuda::CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<Stream> stream = call.context->create_stream(flags);
    call.machine.streams.add(stream);
    *out = reinterpret_cast<cuda::Stream*>(stream.get());
    return cuda::CUDA_SUCCESS;
}

// An address of a flag word that this stream's device can reach.
cuda::CuResult resolve_word(const Call& call, const Context& device, uint64_t address, WordStep& step) {
    if (address % sizeof(uint32_t) != 0) return cuda::CUDA_ERROR_INVALID_VALUE;
    if (auto result = resolve(call.machine.registry, address, sizeof(uint32_t), Side::device, step.word)) return result;
    return device.reaches(*step.word.owner) ? cuda::CUDA_SUCCESS : cuda::CUDA_ERROR_INVALID_VALUE;
}

cuda::CuResult wait_step(const Call& call, const Context& device, const cuda::MemOpValue& wait, WordStep& step) {
    if ((wait.flags & cuda::CU_STREAM_WAIT_VALUE_FLUSH) != 0) return cuda::CUDA_ERROR_NOT_SUPPORTED;
    if (wait.flags > cuda::CU_STREAM_WAIT_VALUE_NOR) return cuda::CUDA_ERROR_INVALID_VALUE;
    step.wait = true;
    step.value = wait.value;
    step.compare = wait.flags;
    return resolve_word(call, device, wait.address, step);
}

cuda::CuResult write_step(const Call& call, const Context& device, const cuda::MemOpValue& write, WordStep& step) {
    if (write.flags == cuda::CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) return cuda::CUDA_ERROR_NOT_SUPPORTED;
    if (write.flags != cuda::CU_STREAM_WRITE_VALUE_DEFAULT) return cuda::CUDA_ERROR_INVALID_VALUE;
    step.value = write.value;
    return resolve_word(call, device, write.address, step);
}

// Appends memory operations as one place in the stream. Barriers need nothing: every step is already ordered.
cuda::CuResult submit_words(const Call& call, const cuda::Stream* handle, const cuda::MemOp* operations,
                            unsigned count) {
    std::shared_ptr<Stream> stream = stream_of(call, handle);
    if (!stream) return cuda::CUDA_ERROR_INVALID_HANDLE;
    std::vector<WordStep> steps;
    for (unsigned i = 0; i < count; ++i) {
        WordStep step;
        cuda::CuResult result = cuda::CUDA_SUCCESS;
        switch (operations[i].operation) {
            case cuda::CU_STREAM_MEM_OP_WAIT_VALUE_32:
                result = wait_step(call, stream->context(), operations[i].wait_value, step);
                break;
            case cuda::CU_STREAM_MEM_OP_WRITE_VALUE_32:
                result = write_step(call, stream->context(), operations[i].write_value, step);
                break;
            case cuda::CU_STREAM_MEM_OP_BARRIER:
                continue;
            case cuda::CU_STREAM_MEM_OP_WAIT_VALUE_64:
            case cuda::CU_STREAM_MEM_OP_WRITE_VALUE_64:
            case cuda::CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
                return cuda::CUDA_ERROR_NOT_SUPPORTED;
            default:
                return cuda::CUDA_ERROR_INVALID_VALUE;
        }
        if (result != cuda::CUDA_SUCCESS) return result;
        steps.push_back(std::move(step));
    }
    return submit(call, handle, word_steps(std::move(steps)));
}

}  // namespace
}  // namespace stepccl::emu

namespace stepccl::cuda {

using emu::Call;
using emu::entry;
using emu::Need;

CuResult cuStreamCreate(Stream** stream, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) { return emu::create_stream(call, stream, flags); });
}

CuResult cuStreamCreateWithPriority(Stream** stream, unsigned flags, int) {
    return entry(__func__, Need::context, [&](const Call& call) { return emu::create_stream(call, stream, flags); });
}

CuResult cuStreamDestroy_v2(Stream* handle) {
    return entry(__func__, Need::driver, [&](const Call& call) {
        auto stream = call.machine.streams.take(handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        stream->context().close_stream(stream);
        return stream->context().error();
    });
}

CuResult cuStreamSynchronize(Stream* handle) {
    return entry(__func__, Need::context, [&](const Call& call) {
        auto stream = emu::stream_of(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        // The legacy stream is complete when the blocking streams before it are: a place after them is waited for.
        bool legacy = handle == nullptr || handle == stream_legacy();
        stream->wait(legacy ? stream->context().submit(stream, {}).ticket : stream->submitted());
        return stream->context().error();
    });
}

CuResult cuStreamQuery(Stream* handle) {
    return entry(__func__, Need::context, [&](const Call& call) {
        auto stream = emu::stream_of(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (auto error = stream->context().error(); error != CUDA_SUCCESS) return error;
        return stream->idle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    });
}

CuResult cuStreamIsCapturing(Stream* handle, CaptureStatus* status) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (!emu::stream_of(call, handle)) return CUDA_ERROR_INVALID_HANDLE;
        *status = CU_STREAM_CAPTURE_STATUS_NONE;
        return CUDA_SUCCESS;
    });
}

CuResult cuStreamWaitValue32_v2(Stream* stream, DevicePtr address, uint32_t value, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        MemOp operation{};
        operation.wait_value = {CU_STREAM_MEM_OP_WAIT_VALUE_32, address, {value}, flags, 0};
        return emu::submit_words(call, stream, &operation, 1);
    });
}

CuResult cuStreamWriteValue32_v2(Stream* stream, DevicePtr address, uint32_t value, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        MemOp operation{};
        operation.write_value = {CU_STREAM_MEM_OP_WRITE_VALUE_32, address, {value}, flags, 0};
        return emu::submit_words(call, stream, &operation, 1);
    });
}

CuResult cuStreamBatchMemOp_v2(Stream* stream, unsigned count, MemOp* operations, unsigned flags) {
    return entry(__func__, Need::context, [&](const Call& call) {
        constexpr unsigned kMost = 256;
        if (flags != 0 || count > kMost || (count != 0 && operations == nullptr)) return CUDA_ERROR_INVALID_VALUE;
        return emu::submit_words(call, stream, operations, count);
    });
}

CuResult cuLaunchHostFunc(Stream* stream, HostFunction function, void* data) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
        emu::Operation operation;
        operation.work = false;
        operation.run = [function, data](emu::Execution&) {
            emu::in_host_function() = true;
            function(data);
            emu::in_host_function() = false;
            return CUDA_SUCCESS;
        };
        return emu::submit(call, stream, std::move(operation));
    });
}

}  // namespace stepccl::cuda
