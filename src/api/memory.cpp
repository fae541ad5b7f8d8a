// Devices and memory of the C interface.

#include <cstdlib>
#include <cstring>

#include "api/runtime.h"
#include "base/text.h"

using namespace stepccl;
using cuda::DevicePtr;

namespace {

DevicePtr device_address(const void* address) { return reinterpret_cast<DevicePtr>(address); }

// The driver, with a current context: the thread's own, or that of device 0.
Result<std::shared_ptr<const cuda::Driver>> with_context() {
    auto driver = Runtime::get().driver();
    STEPCCL_TRY(driver.status());
    cuda::Context* current = nullptr;
    STEPCCL_TRY(driver.value()->check(driver.value()->ctx_get_current(&current), "cuCtxGetCurrent"));
    if (current != nullptr) return driver;
    auto gpu = Runtime::get().gpu(0);
    STEPCCL_TRY(gpu.status());
    STEPCCL_TRY(driver.value()->check(driver.value()->ctx_set_current(gpu.value()->context()), "cuCtxSetCurrent"));
    return driver;
}

// Which page-locked host memory came from the driver; the rest came from the C library.
bool from_driver(const cuda::Driver& driver, const void* address) {
    unsigned type = 0;
    return driver.pointer_get_attribute(&type, cuda::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device_address(address)) == cuda::CUDA_SUCCESS &&
           type == cuda::CU_MEMORYTYPE_HOST;
}

}  // namespace

extern "C" {

stepccl_status_t stepccl_driver_query(stepccl_driver_info_t* out) {
    return fenced([&]() -> Status {
        if (out == nullptr || out->size < sizeof(*out)) return Status(Code::ERR_INVALID_ARGUMENT, "stepccl_driver_query: set size to sizeof(stepccl_driver_info_t)");
        stepccl_driver_info_t found{};
        found.size = out->size;
        auto driver = Runtime::get().driver();
        if (driver.ok()) {
            driver.value()->name().copy(found.name, sizeof(found.name) - 1);
            driver.value()->library().copy(found.library, sizeof(found.library) - 1);
            found.version = driver.value()->version();
            STEPCCL_TRY(driver.value()->check(driver.value()->device_get_count(&found.devices), "cuDeviceGetCount"));
        } else if (driver.status().code() == Code::ERR_PARAMETER) {
            return driver.status();
        } else {
            std::strcpy(found.name, "none");
            driver.status().text().copy(found.reason, sizeof(found.reason) - 1);
        }
        *out = found;
        return {};
    });
}

stepccl_status_t stepccl_device_set(int device) {
    return fenced([&]() -> Status {
        auto gpu = Runtime::get().gpu(device);
        STEPCCL_TRY(gpu.status());
        const cuda::Driver& driver = gpu.value()->driver();
        return driver.check(driver.ctx_set_current(gpu.value()->context()), "cuCtxSetCurrent");
    });
}

stepccl_status_t stepccl_mem_alloc(void** address, size_t bytes) {
    return fenced([&]() -> Status {
        if (address == nullptr) return Status(Code::ERR_INVALID_ARGUMENT, "stepccl_mem_alloc: null");
        if (bytes == 0) return *address = nullptr, Status();
        auto driver = with_context();
        STEPCCL_TRY(driver.status());
        DevicePtr found = 0;
        cuda::CuResult result = driver.value()->mem_alloc(&found, bytes);
        Status status = driver.value()->check(result, cat("cuMemAlloc(", bytes, ")"));
        if (result == cuda::CUDA_ERROR_OUT_OF_MEMORY) return Status(Code::ERR_OUT_OF_MEMORY, status.text());
        STEPCCL_TRY(status);
        *address = reinterpret_cast<void*>(found);
        return {};
    });
}

stepccl_status_t stepccl_mem_free(void* address) {
    return fenced([&]() -> Status {
        if (address == nullptr) return {};
        auto driver = with_context();
        STEPCCL_TRY(driver.status());
        return driver.value()->check(driver.value()->mem_free(device_address(address)), "cuMemFree");
    });
}

stepccl_status_t stepccl_mem_alloc_host(void** address, size_t bytes) {
    return fenced([&]() -> Status {
        if (address == nullptr) return Status(Code::ERR_INVALID_ARGUMENT, "stepccl_mem_alloc_host: null");
        void* found = nullptr;
        if (bytes != 0 && Runtime::get().driver_is_loaded()) {
            auto driver = with_context();
            STEPCCL_TRY(driver.status());
            STEPCCL_TRY(driver.value()->check(driver.value()->mem_host_alloc(&found, bytes, cuda::kHostAllocPortable), cat("cuMemHostAlloc(", bytes, ")")));
        } else if (bytes != 0) {
            found = std::malloc(bytes);
            if (found == nullptr) return Status(Code::ERR_OUT_OF_MEMORY, cat("no ", bytes, " bytes of host memory"));
        }
        *address = found;
        return {};
    });
}

stepccl_status_t stepccl_mem_free_host(void* address) {
    return fenced([&]() -> Status {
        if (address == nullptr) return {};
        if (Runtime::get().driver_is_loaded()) {
            auto driver = with_context();
            STEPCCL_TRY(driver.status());
            if (from_driver(*driver.value(), address)) return driver.value()->check(driver.value()->mem_free_host(address), "cuMemFreeHost");
        }
        std::free(address);
        return {};
    });
}

stepccl_status_t stepccl_mem_copy(void* to, const void* from, size_t bytes) {
    return fenced([&]() -> Status {
        if (bytes == 0) return {};
        if (to == nullptr || from == nullptr) return Status(Code::ERR_INVALID_ARGUMENT, "stepccl_mem_copy: null");
        if (!Runtime::get().driver_is_loaded()) return std::memcpy(to, from, bytes), Status();
        auto driver = with_context();
        STEPCCL_TRY(driver.status());
        return driver.value()->check(driver.value()->memcpy(device_address(to), device_address(from), bytes), cat("cuMemcpy(", bytes, ")"));
    });
}

int stepccl_mem_is_device(const void* address) {
    Runtime& runtime = Runtime::get();
    if (address == nullptr || !runtime.driver_is_loaded()) return 0;
    auto driver = runtime.driver();
    return driver.ok() && cuda::pointer_info(*driver.value(), address).device ? 1 : 0;
}

}  // extern "C"
