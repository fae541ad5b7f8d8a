// Copies and fills.
#include <optional>

#include "base/checked.h"
#include "emu/entry.h"
#include "emu/operations.h"

namespace stepccl::emu {
namespace {

// One end of a copy, before it is resolved.
struct End {
    uint64_t address;
    Side side;
};

cuda::CuResult make_copy(const Call& call, End dst, End src, size_t bytes, Copy& copy) {
    copy.width = bytes;
    if (auto result = resolve(call.machine.registry, dst.address, bytes, dst.side, copy.dst)) return result;
    return resolve(call.machine.registry, src.address, bytes, src.side, copy.src);
}

cuda::CuResult submit_copy(const Call& call, End dst, End src, size_t bytes, const cuda::Stream* stream) {
    if (bytes == 0) return submit(call, stream, {});
    std::vector<Copy> list(1);
    if (auto result = make_copy(call, dst, src, bytes, list[0])) return result;
    return submit(call, stream, copies(std::move(list)));
}

// Where the rows of one side of a 2-D copy begin, and how many bytes they span; nothing when that makes no sense.
struct Rows {
    End first{};
    size_t bytes = 0;
};
std::optional<Rows> rows(cuda::MemoryType type, const void* host, uint64_t device, size_t x, size_t y, size_t pitch,
                         const cuda::Memcpy2D& copy) {
    Rows out;
    switch (type) {
        case cuda::CU_MEMORYTYPE_HOST:
            out.first = {reinterpret_cast<uint64_t>(host), Side::host};
            break;
        case cuda::CU_MEMORYTYPE_DEVICE:
            out.first = {device, Side::device};
            break;
        case cuda::CU_MEMORYTYPE_UNIFIED:
            out.first = {device, Side::any};
            break;
        default:
            return std::nullopt;
    }
    auto row_end = checked_add(x, copy.width_bytes);
    auto skipped = checked_mul(y, pitch), span = checked_mul(copy.height - 1, pitch);
    if (!row_end || *row_end > pitch || !skipped || !span || *skipped > SIZE_MAX - x) return std::nullopt;
    out.first.address += *skipped + x;
    out.bytes = *span + copy.width_bytes;
    return out;
}

cuda::CuResult make_2d(const Call& call, const cuda::Memcpy2D& copy, Copy& out) {
    auto dst =
        rows(copy.dst_memory_type, copy.dst_host, copy.dst_device, copy.dst_x_bytes, copy.dst_y, copy.dst_pitch, copy);
    auto src =
        rows(copy.src_memory_type, copy.src_host, copy.src_device, copy.src_x_bytes, copy.src_y, copy.src_pitch, copy);
    if (!dst || !src) return cuda::CUDA_ERROR_INVALID_VALUE;
    const Registry& registry = call.machine.registry;
    if (auto result = resolve(registry, dst->first.address, dst->bytes, dst->first.side, out.dst)) return result;
    if (auto result = resolve(registry, src->first.address, src->bytes, src->first.side, out.src)) return result;
    out.width = copy.width_bytes, out.height = copy.height;
    out.dst_pitch = copy.dst_pitch, out.src_pitch = copy.src_pitch;
    return cuda::CUDA_SUCCESS;
}

// The source access order of each copy of a batch; empty when the attributes break CUDA's rules.
std::vector<cuda::SourceAccessOrder> access_orders(size_t count, const cuda::CopyAttributes* attributes,
                                                   const size_t* indices, size_t attribute_count) {
    std::vector<cuda::SourceAccessOrder> orders(count);
    if (attributes == nullptr || indices == nullptr || attribute_count == 0 || attribute_count > count) return {};
    if (indices[0] != 0) return {};
    for (size_t a = 0; a < attribute_count; ++a) {
        size_t end = a + 1 < attribute_count ? indices[a + 1] : count;
        auto order = attributes[a].source_access_order;
        bool known = order >= cuda::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= cuda::CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
        if (!known || end <= indices[a] || end > count) return {};
        for (size_t i = indices[a]; i < end; ++i) orders[i] = order;
    }
    return orders;
}

cuda::CuResult submit_fill(const Call& call, uint64_t dst, uint32_t value, size_t size, size_t count,
                           const cuda::Stream* stream) {
    auto bytes = checked_mul(size, count);
    if (!bytes || dst % size != 0) return cuda::CUDA_ERROR_INVALID_VALUE;
    if (*bytes == 0) return submit(call, stream, {});
    Span span;
    if (auto result = resolve(call.machine.registry, dst, *bytes, Side::device, span)) return result;
    return submit(call, stream, fill(std::move(span), value, size));
}

}  // namespace
}  // namespace stepccl::emu

namespace stepccl::cuda {

using emu::Call;
using emu::entry;
using emu::Need;
using emu::Side;

CuResult cuMemcpy(DevicePtr dst, DevicePtr src, size_t bytes) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (auto result = emu::submit_copy(call, {dst, Side::any}, {src, Side::any}, bytes, nullptr)) return result;
        auto stream = call.context->legacy();
        stream->wait(stream->submitted());
        return call.context->error();
    });
}

CuResult cuMemcpyAsync(DevicePtr dst, DevicePtr src, size_t bytes, Stream* stream) {
    return entry(__func__, Need::context, [&](const Call& call) {
        return emu::submit_copy(call, {dst, Side::any}, {src, Side::any}, bytes, stream);
    });
}

CuResult cuMemcpyHtoDAsync_v2(DevicePtr dst, const void* src, size_t bytes, Stream* stream) {
    return entry(__func__, Need::context, [&](const Call& call) {
        return emu::submit_copy(call, {dst, Side::device}, {reinterpret_cast<uint64_t>(src), Side::host}, bytes,
                                stream);
    });
}

CuResult cuMemcpyDtoHAsync_v2(void* dst, DevicePtr src, size_t bytes, Stream* stream) {
    return entry(__func__, Need::context, [&](const Call& call) {
        return emu::submit_copy(call, {reinterpret_cast<uint64_t>(dst), Side::host}, {src, Side::device}, bytes,
                                stream);
    });
}

CuResult cuMemcpyDtoDAsync_v2(DevicePtr dst, DevicePtr src, size_t bytes, Stream* stream) {
    return entry(__func__, Need::context, [&](const Call& call) {
        return emu::submit_copy(call, {dst, Side::device}, {src, Side::device}, bytes, stream);
    });
}

CuResult cuMemcpy2DAsync_v2(const Memcpy2D* copy, Stream* stream) {
    return entry(__func__, Need::context, [&](const Call& call) {
        if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (copy->width_bytes == 0 || copy->height == 0) return emu::submit(call, stream, {});
        std::vector<emu::Copy> list(1);
        if (auto result = emu::make_2d(call, *copy, list[0])) return result;
        return emu::submit(call, stream, emu::copies(std::move(list)));
    });
}

CuResult cuMemcpyBatchAsync_v2(DevicePtr* dsts, DevicePtr* srcs, size_t* sizes, size_t count,
                               CopyAttributes* attributes, size_t* attribute_indices, size_t attribute_count,
                               Stream* stream) {
    return entry(__func__, Need::context, [&](const Call& call) {
        bool legacy = stream == nullptr || stream == stream_legacy();
        if (legacy || dsts == nullptr || srcs == nullptr || sizes == nullptr || count == 0)
            return CUDA_ERROR_INVALID_VALUE;
        auto orders = emu::access_orders(count, attributes, attribute_indices, attribute_count);
        if (orders.empty()) return CUDA_ERROR_INVALID_VALUE;
        std::vector<emu::Copy> list(count);
        for (size_t i = 0; i < count; ++i) {
            if (dsts[i] == 0 || srcs[i] == 0 || sizes[i] == 0) return CUDA_ERROR_INVALID_VALUE;
            if (auto result = emu::make_copy(call, {dsts[i], Side::any}, {srcs[i], Side::any}, sizes[i], list[i]))
                return result;
            if (orders[i] == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL) {
                const char* data = list[i].src.data;
                list[i].snapshot = std::make_shared<const std::vector<char>>(data, data + sizes[i]);
            }
        }
        return emu::submit(call, stream, emu::copies(std::move(list)));
    });
}

CuResult cuMemsetD8Async(DevicePtr dst, unsigned char value, size_t count, Stream* stream) {
    return entry(__func__, Need::context,
                 [&](const Call& call) { return emu::submit_fill(call, dst, value, sizeof value, count, stream); });
}

CuResult cuMemsetD32Async(DevicePtr dst, unsigned value, size_t count, Stream* stream) {
    return entry(__func__, Need::context,
                 [&](const Call& call) { return emu::submit_fill(call, dst, value, sizeof value, count, stream); });
}

}  // namespace stepccl::cuda
