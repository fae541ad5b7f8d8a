// What is one a process: the parameters, the driver, the counters. The only global of the library.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <exception>
#include <new>

#include "base/log.h"
#include "base/params.h"
#include "comm/communicator.h"
#include "engine/cuda/gpu.h"
#include "stepccl/stepccl.h"

namespace stepccl {

class Runtime {
  public:
    // Never destroyed: the application may use the library until its very end.
    static Runtime& get();

    // The parameters as they are now; an error when the environment has a bad one.
    Result<Params> params();
    Status set_param(std::string_view name, std::string_view value, std::string_view source);
    Log log();

    // Loads the driver when first asked; the same answer ever after.
    Result<std::shared_ptr<const cuda::Driver>> driver();
    // Whether a driver that can own device memory is in this process.
    bool driver_is_loaded();

    // Opened devices stay open, so that their contexts, and what the application allocates in them, stay.
    Result<std::shared_ptr<cuda::Gpu>> gpu(int ordinal);

    Counters& counters() noexcept { return counters_; }
    Result<Surroundings> surroundings();

  private:
    void read_environment();

    std::mutex mutex_;
    bool read_ = false;
    Params params_;
    Status environment_;
    std::optional<Result<std::shared_ptr<const cuda::Driver>>> driver_;
    std::map<int, std::shared_ptr<cuda::Gpu>> gpus_;
    Counters counters_;
};

// Runs the body of a C function: exceptions become a status, and a failure's text the thread's last error.
stepccl_status_t report(const Status& status);
const char* last_error() noexcept;

template <typename Body>
stepccl_status_t fenced(Body body) {
    try {
        return report(body());
    } catch (const std::bad_alloc&) {
        return report(Status(Code::ERR_OUT_OF_MEMORY, "out of host memory"));
    } catch (const std::exception& error) {
        return report(Status(Code::ERR_INTERNAL, error.what()));
    }
}

}  // namespace stepccl
