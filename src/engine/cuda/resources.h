// Owners of what the driver hands out. Each frees what it holds in the context it came from; a failure to free is not an error
// that anybody could act on, so it is dropped.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "engine/cuda/gpu.h"

namespace stepccl::cuda {

// Device memory.
class DeviceMemory {
  public:
    DeviceMemory() = default;
    static Result<DeviceMemory> allocate(std::shared_ptr<Gpu> device, size_t bytes);
    DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        swap(other);
        return *this;
    }
    ~DeviceMemory();

    DevicePtr address() const noexcept { return address_; }
    size_t bytes() const noexcept { return bytes_; }

  private:
    void swap(DeviceMemory& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(address_, other.address_);
        std::swap(bytes_, other.bytes_);
    }
    std::shared_ptr<Gpu> device_;
    DevicePtr address_ = 0;
    size_t bytes_ = 0;
};

// Page-locked host memory that the device reaches too.
class PinnedMemory {
  public:
    PinnedMemory() = default;
    static Result<PinnedMemory> allocate(std::shared_ptr<Gpu> device, size_t bytes);
    PinnedMemory(PinnedMemory&& other) noexcept { swap(other); }
    PinnedMemory& operator=(PinnedMemory&& other) noexcept {
        swap(other);
        return *this;
    }
    ~PinnedMemory();

    template <typename T>
    T* host() const noexcept {
        return static_cast<T*>(memory_);
    }
    DevicePtr address() const noexcept { return address_; }  // as the device sees it
    size_t bytes() const noexcept { return bytes_; }

  private:
    void swap(PinnedMemory& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(memory_, other.memory_);
        std::swap(address_, other.address_);
        std::swap(bytes_, other.bytes_);
    }
    std::shared_ptr<Gpu> device_;
    void* memory_ = nullptr;
    DevicePtr address_ = 0;
    size_t bytes_ = 0;
};

// A stream or an event, created without timing and not blocking with the legacy default stream.
class StreamHandle {
  public:
    StreamHandle() = default;
    static Result<StreamHandle> create(std::shared_ptr<Gpu> device);
    StreamHandle(StreamHandle&& other) noexcept { swap(other); }
    StreamHandle& operator=(StreamHandle&& other) noexcept {
        swap(other);
        return *this;
    }
    ~StreamHandle();
    Stream* get() const noexcept { return stream_; }

  private:
    void swap(StreamHandle& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(stream_, other.stream_);
    }
    std::shared_ptr<Gpu> device_;
    Stream* stream_ = nullptr;
};

class EventHandle {
  public:
    EventHandle() = default;
    static Result<EventHandle> create(std::shared_ptr<Gpu> device);
    EventHandle(EventHandle&& other) noexcept { swap(other); }
    EventHandle& operator=(EventHandle&& other) noexcept {
        swap(other);
        return *this;
    }
    ~EventHandle();
    Event* get() const noexcept { return event_; }

  private:
    void swap(EventHandle& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(event_, other.event_);
    }
    std::shared_ptr<Gpu> device_;
    Event* event_ = nullptr;
};

}  // namespace stepccl::cuda
