// Compares our declarations of the CUDA driver API with cuda.h: every signature of driver.def, every layout and value.
// Nearly all of it is decided by the compiler; what runs is a count, so that the test says what it compared.
#include "engine/cuda/driver_api.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

#if CUDA_VERSION < 13000
// Older toolkits lack this one; the signature of CUDA 13.
struct OldCopyAttributes;
extern "C" CUresult cuMemcpyBatchAsync_v2(CUdeviceptr*, CUdeviceptr*, size_t*, size_t, OldCopyAttributes*, size_t*,
                                          size_t, CUstream);
#endif

namespace {

namespace ours = stepccl::cuda;

// The type of cuda.h that one of our types stands for.
template <typename T>
struct Cuda {
    using Type = T;
};
template <typename T>
struct Cuda<T*> {
    using Type = typename Cuda<T>::Type*;
};
template <typename T>
struct Cuda<const T> {
    using Type = const typename Cuda<T>::Type;
};
#define STANDS_FOR(type, cuda_type) \
    template <>                     \
    struct Cuda<type> {             \
        using Type = cuda_type;     \
    }
STANDS_FOR(ours::Context, CUctx_st);
STANDS_FOR(ours::Stream, CUstream_st);
STANDS_FOR(ours::Event, CUevent_st);
STANDS_FOR(ours::Module, CUmod_st);
STANDS_FOR(ours::Function, CUfunc_st);
STANDS_FOR(ours::CuResult, CUresult);
STANDS_FOR(ours::DevicePtr, CUdeviceptr);
STANDS_FOR(ours::Uuid, CUuuid);
STANDS_FOR(ours::IpcMemHandle, CUipcMemHandle);
STANDS_FOR(ours::DeviceAttribute, CUdevice_attribute);
STANDS_FOR(ours::PointerAttribute, CUpointer_attribute);
STANDS_FOR(ours::FunctionAttribute, CUfunction_attribute);
STANDS_FOR(ours::CaptureStatus, CUstreamCaptureStatus);
STANDS_FOR(ours::MemOp, CUstreamBatchMemOpParams);
STANDS_FOR(ours::Memcpy2D, CUDA_MEMCPY2D);
STANDS_FOR(ours::HostFunction, CUhostFn);
#if CUDA_VERSION >= 13000
STANDS_FOR(ours::CopyAttributes, CUmemcpyAttributes);
#else
STANDS_FOR(ours::CopyAttributes, OldCopyAttributes);
#endif

// size_t and DevicePtr are one type of ours but two of cuda.h, so pointers to either count as pointers to 64 bits.
template <typename T>
struct Wide {
    using Type = T;
};
template <>
struct Wide<unsigned long> {
    using Type = unsigned long long;
};
template <typename T>
struct Wide<T*> {
    using Type = typename Wide<T>::Type*;
};

template <typename Ours, typename Theirs>
struct SameSignature : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
requires(sizeof...(A) == sizeof...(B)) struct SameSignature<R(A...), S(B...)>
    : std::bool_constant<std::is_same_v<typename Cuda<R>::Type, S> &&
                         (std::is_same_v<typename Wide<typename Cuda<A>::Type>::Type, typename Wide<B>::Type> && ...)> {
};

namespace rows {
using namespace stepccl::cuda;
#define STEPCCL_DRIVER(name, symbol, optional, result, args) using name##_row = result args;
#include "engine/cuda/driver.def"
#undef STEPCCL_DRIVER
}  // namespace rows

int compared = 0;
template <typename Ours, typename Theirs>
void compare() {
    static_assert(SameSignature<Ours, Theirs>::value, "a row of driver.def differs from cuda.h");
    ++compared;
}

TEST(DriverAbi, EverySignatureIsThatOfCudaH) {
#define STEPCCL_DRIVER(name, symbol, optional, result, args) compare<rows::name##_row, decltype(::symbol)>();
#include "engine/cuda/driver.def"
#undef STEPCCL_DRIVER
    EXPECT_GE(compared, 60);
}

// The comparison itself must be able to say no.
static_assert(!SameSignature<int(int), CUresult(int)>::value);
static_assert(!SameSignature<ours::CuResult(ours::Stream*), CUresult(CUevent)>::value);
static_assert(!SameSignature<ours::CuResult(int), CUresult(int, int)>::value);
static_assert(!SameSignature<ours::CuResult(unsigned), CUresult(size_t)>::value);

#define SAME_VALUE(name) static_assert(static_cast<long long>(ours::name) == static_cast<long long>(::name), #name)
#define STEPCCL_CUDA_RESULT(name, value, text) SAME_VALUE(name);
#include "engine/cuda/results.def"
#undef STEPCCL_CUDA_RESULT

SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_INTEGRATED);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED);

SAME_VALUE(CU_POINTER_ATTRIBUTE_CONTEXT);
SAME_VALUE(CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME_VALUE(CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
SAME_VALUE(CU_POINTER_ATTRIBUTE_HOST_POINTER);
SAME_VALUE(CU_POINTER_ATTRIBUTE_BUFFER_ID);
SAME_VALUE(CU_POINTER_ATTRIBUTE_IS_MANAGED);
SAME_VALUE(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME_VALUE(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE);
SAME_VALUE(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
SAME_VALUE(CU_POINTER_ATTRIBUTE_RANGE_SIZE);
SAME_VALUE(CU_POINTER_ATTRIBUTE_MAPPED);
SAME_VALUE(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES);
SAME_VALUE(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);

SAME_VALUE(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(CU_FUNC_ATTRIBUTE_PTX_VERSION);
SAME_VALUE(CU_FUNC_ATTRIBUTE_BINARY_VERSION);

SAME_VALUE(CU_MEMORYTYPE_HOST);
SAME_VALUE(CU_MEMORYTYPE_DEVICE);
SAME_VALUE(CU_MEMORYTYPE_ARRAY);
SAME_VALUE(CU_MEMORYTYPE_UNIFIED);
SAME_VALUE(CU_STREAM_DEFAULT);
SAME_VALUE(CU_STREAM_NON_BLOCKING);
SAME_VALUE(CU_EVENT_DEFAULT);
SAME_VALUE(CU_EVENT_BLOCKING_SYNC);
SAME_VALUE(CU_EVENT_DISABLE_TIMING);
SAME_VALUE(CU_STREAM_CAPTURE_STATUS_NONE);
SAME_VALUE(CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME_VALUE(CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME_VALUE(CU_STREAM_WAIT_VALUE_GEQ);
SAME_VALUE(CU_STREAM_WAIT_VALUE_EQ);
SAME_VALUE(CU_STREAM_WAIT_VALUE_AND);
SAME_VALUE(CU_STREAM_WAIT_VALUE_NOR);
SAME_VALUE(CU_STREAM_WAIT_VALUE_FLUSH);
SAME_VALUE(CU_STREAM_WRITE_VALUE_DEFAULT);
SAME_VALUE(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);
SAME_VALUE(CU_STREAM_MEM_OP_WAIT_VALUE_32);
SAME_VALUE(CU_STREAM_MEM_OP_WRITE_VALUE_32);
SAME_VALUE(CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES);
SAME_VALUE(CU_STREAM_MEM_OP_WAIT_VALUE_64);
SAME_VALUE(CU_STREAM_MEM_OP_WRITE_VALUE_64);
SAME_VALUE(CU_STREAM_MEM_OP_BARRIER);

static_assert(ours::kHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(ours::kHostAllocDeviceMap == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(ours::kHostAllocWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
static_assert(ours::kIpcLazyEnablePeerAccess == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

#define SAME_LAYOUT(type, cuda_type) \
    static_assert(sizeof(type) == sizeof(cuda_type) && alignof(type) == alignof(cuda_type), #type)
#define SAME_FIELD(type, field, cuda_type, cuda_field)                                                      \
    static_assert(offsetof(type, field) == offsetof(cuda_type, cuda_field) &&                               \
                      sizeof(std::declval<type&>().field) == sizeof(std::declval<cuda_type&>().cuda_field), \
                  #type "." #field)

SAME_LAYOUT(ours::CuResult, CUresult);
SAME_LAYOUT(ours::Device, CUdevice);
SAME_LAYOUT(ours::DevicePtr, CUdeviceptr);
SAME_LAYOUT(ours::Uuid, CUuuid);
SAME_LAYOUT(ours::IpcMemHandle, CUipcMemHandle);
SAME_LAYOUT(ours::DeviceAttribute, CUdevice_attribute);
SAME_LAYOUT(ours::PointerAttribute, CUpointer_attribute);
SAME_LAYOUT(ours::MemoryType, CUmemorytype);
SAME_LAYOUT(ours::HostFunction, CUhostFn);

SAME_LAYOUT(ours::MemOp, CUstreamBatchMemOpParams);
using Wait = decltype(CUstreamBatchMemOpParams::waitValue);
using Write = decltype(CUstreamBatchMemOpParams::writeValue);
SAME_LAYOUT(ours::MemOpValue, Wait);
SAME_FIELD(ours::MemOpValue, operation, Wait, operation);
SAME_FIELD(ours::MemOpValue, address, Wait, address);
SAME_FIELD(ours::MemOpValue, value, Wait, value);
SAME_FIELD(ours::MemOpValue, value64, Wait, value64);
SAME_FIELD(ours::MemOpValue, flags, Wait, flags);
SAME_FIELD(ours::MemOpValue, alias, Wait, alias);
SAME_FIELD(ours::MemOpValue, value, Write, value);
SAME_FIELD(ours::MemOpValue, flags, Write, flags);
SAME_FIELD(ours::MemOp, barrier.flags, CUstreamBatchMemOpParams, memoryBarrier.flags);

SAME_LAYOUT(ours::Memcpy2D, CUDA_MEMCPY2D);
SAME_FIELD(ours::Memcpy2D, src_x_bytes, CUDA_MEMCPY2D, srcXInBytes);
SAME_FIELD(ours::Memcpy2D, src_y, CUDA_MEMCPY2D, srcY);
SAME_FIELD(ours::Memcpy2D, src_memory_type, CUDA_MEMCPY2D, srcMemoryType);
SAME_FIELD(ours::Memcpy2D, src_host, CUDA_MEMCPY2D, srcHost);
SAME_FIELD(ours::Memcpy2D, src_device, CUDA_MEMCPY2D, srcDevice);
SAME_FIELD(ours::Memcpy2D, src_array, CUDA_MEMCPY2D, srcArray);
SAME_FIELD(ours::Memcpy2D, src_pitch, CUDA_MEMCPY2D, srcPitch);
SAME_FIELD(ours::Memcpy2D, dst_x_bytes, CUDA_MEMCPY2D, dstXInBytes);
SAME_FIELD(ours::Memcpy2D, dst_y, CUDA_MEMCPY2D, dstY);
SAME_FIELD(ours::Memcpy2D, dst_memory_type, CUDA_MEMCPY2D, dstMemoryType);
SAME_FIELD(ours::Memcpy2D, dst_host, CUDA_MEMCPY2D, dstHost);
SAME_FIELD(ours::Memcpy2D, dst_device, CUDA_MEMCPY2D, dstDevice);
SAME_FIELD(ours::Memcpy2D, dst_array, CUDA_MEMCPY2D, dstArray);
SAME_FIELD(ours::Memcpy2D, dst_pitch, CUDA_MEMCPY2D, dstPitch);
SAME_FIELD(ours::Memcpy2D, width_bytes, CUDA_MEMCPY2D, WidthInBytes);
SAME_FIELD(ours::Memcpy2D, height, CUDA_MEMCPY2D, Height);

#if CUDA_VERSION >= 13000
SAME_LAYOUT(ours::CopyAttributes, CUmemcpyAttributes);
SAME_FIELD(ours::CopyAttributes, source_access_order, CUmemcpyAttributes, srcAccessOrder);
SAME_FIELD(ours::CopyAttributes, source_hint, CUmemcpyAttributes, srcLocHint);
SAME_FIELD(ours::CopyAttributes, destination_hint, CUmemcpyAttributes, dstLocHint);
SAME_FIELD(ours::CopyAttributes, flags, CUmemcpyAttributes, flags);
SAME_FIELD(ours::Location, type, CUmemLocation, type);
SAME_FIELD(ours::Location, id, CUmemLocation, id);
SAME_VALUE(CU_MEM_LOCATION_TYPE_INVALID);
SAME_VALUE(CU_MEM_LOCATION_TYPE_DEVICE);
SAME_VALUE(CU_MEM_LOCATION_TYPE_HOST);
SAME_VALUE(CU_MEMCPY_SRC_ACCESS_ORDER_INVALID);
SAME_VALUE(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
SAME_VALUE(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL);
SAME_VALUE(CU_MEMCPY_SRC_ACCESS_ORDER_ANY);
SAME_VALUE(CU_MEMCPY_FLAG_DEFAULT);
SAME_VALUE(CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE);
#endif

TEST(DriverAbi, DefaultStreamsAreTheHandlesOfCudaH) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(ours::stream_legacy()), reinterpret_cast<uintptr_t>(CU_STREAM_LEGACY));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(ours::stream_per_thread()),
              reinterpret_cast<uintptr_t>(CU_STREAM_PER_THREAD));
}

}  // namespace
