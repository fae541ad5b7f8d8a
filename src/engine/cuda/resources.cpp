#include "engine/cuda/resources.h"

#include "base/text.h"

namespace stepccl::cuda {

Result<DeviceMemory> DeviceMemory::allocate(std::shared_ptr<Gpu> device, size_t bytes) {
    const Driver& driver = device->driver();
    ContextGuard guard(driver, device->context());
    STEPCCL_TRY(guard.status());
    DeviceMemory out;
    STEPCCL_TRY(driver.check(driver.mem_alloc(&out.address_, bytes), cat("cuMemAlloc(", bytes, ")")));
    out.bytes_ = bytes;
    out.device_ = std::move(device);
    return out;
}

DeviceMemory::~DeviceMemory() {
    if (!device_) return;
    ContextGuard guard(device_->driver(), device_->context());
    if (guard.status().ok()) (void)device_->driver().mem_free(address_);
}

Result<PinnedMemory> PinnedMemory::allocate(std::shared_ptr<Gpu> device, size_t bytes) {
    const Driver& driver = device->driver();
    ContextGuard guard(driver, device->context());
    STEPCCL_TRY(guard.status());
    PinnedMemory out;
    STEPCCL_TRY(driver.check(driver.mem_host_alloc(&out.memory_, bytes, kHostAllocPortable | kHostAllocDeviceMap),
                             cat("cuMemHostAlloc(", bytes, ")")));
    out.bytes_ = bytes;
    out.device_ = device;
    STEPCCL_TRY(driver.check(driver.mem_host_get_device_pointer(&out.address_, out.memory_, 0), "cuMemHostGetDevicePointer"));
    return out;
}

PinnedMemory::~PinnedMemory() {
    if (!device_) return;
    ContextGuard guard(device_->driver(), device_->context());
    if (guard.status().ok()) (void)device_->driver().mem_free_host(memory_);
}

Result<StreamHandle> StreamHandle::create(std::shared_ptr<Gpu> device) {
    const Driver& driver = device->driver();
    ContextGuard guard(driver, device->context());
    STEPCCL_TRY(guard.status());
    StreamHandle out;
    STEPCCL_TRY(driver.check(driver.stream_create(&out.stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
    out.device_ = std::move(device);
    return out;
}

StreamHandle::~StreamHandle() {
    if (!device_) return;
    ContextGuard guard(device_->driver(), device_->context());
    if (guard.status().ok()) (void)device_->driver().stream_destroy(stream_);
}

Result<EventHandle> EventHandle::create(std::shared_ptr<Gpu> device) {
    const Driver& driver = device->driver();
    ContextGuard guard(driver, device->context());
    STEPCCL_TRY(guard.status());
    EventHandle out;
    STEPCCL_TRY(driver.check(driver.event_create(&out.event_, CU_EVENT_DISABLE_TIMING), "cuEventCreate"));
    out.device_ = std::move(device);
    return out;
}

EventHandle::~EventHandle() {
    if (!device_) return;
    ContextGuard guard(device_->driver(), device_->context());
    if (guard.status().ok()) (void)device_->driver().event_destroy(event_);
}

}  // namespace stepccl::cuda
