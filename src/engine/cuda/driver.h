// The GPU driver as a table of functions that is loaded at run time: NVIDIA's, or the emulated one, which has the same
// entry points. Nothing links with a driver, so the same binary runs on a node without a GPU.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/params.h"
#include "base/status.h"
#include "engine/cuda/driver_api.h"

namespace stepccl::cuda {

// Read-only once loaded, so any number of threads may use it. The library stays loaded until the process ends: its
// threads and exit handlers outlive every object of ours.
class Driver {
  public:
    // Loads and initialises the driver that params.driver names. `auto` takes NVIDIA's when it is there and has at
    // least one device, and never the emulated one. ERR_NO_DRIVER with the reason when there is none.
    static Result<std::shared_ptr<const Driver>> load(const Params& params);

    // Whether the driver that params.driver names is already in this process. A process without it has no device
    // pointers, so a caller need load nothing to know that a buffer is on the host. Asked again it costs next to
    // nothing until another library is loaded.
    static bool process_has_driver(const Params& params);

    const std::string& name() const noexcept { return name_; }        // "nvidia" or "emulated"
    const std::string& library() const noexcept { return library_; }  // the file, as it was found
    int version() const noexcept { return version_; }                 // 13000 is CUDA 13.0

    // A success, or an error whose text is like "cuMemAlloc(1048576): CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
    Status check(CuResult result, std::string_view what) const;

#define STEPCCL_DRIVER(name, symbol, optional, result, args) result(*name) args = nullptr;
#include "engine/cuda/driver.def"
#undef STEPCCL_DRIVER

  private:
    Driver(std::string name, std::string library) : name_(std::move(name)), library_(std::move(library)) {}
    Status resolve(void* handle);
    Status initialise();

    std::string name_, library_;
    int version_ = 0;
};

// Makes a context current in this thread for a scope, and restores what was current before.
class ContextGuard {
  public:
    ContextGuard(const Driver& driver, Context* context)
        : driver_(driver), status_(driver.check(driver.ctx_push_current(context), "cuCtxPushCurrent")) {}
    ~ContextGuard();
    ContextGuard(const ContextGuard&) = delete;
    ContextGuard& operator=(const ContextGuard&) = delete;

    // Whether the context is current; to be asked before any call that depends on it.
    const Status& status() const noexcept { return status_; }

  private:
    const Driver& driver_;
    Status status_;
};

}  // namespace stepccl::cuda
