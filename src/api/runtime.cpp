#include "api/runtime.h"

#include <unistd.h>

#include "base/text.h"

namespace stepccl {
namespace {
thread_local std::string last_failure;
}

Runtime& Runtime::get() {
    static Runtime* runtime = new Runtime;
    return *runtime;
}

void Runtime::read_environment() {
    if (std::exchange(read_, true)) return;
    Params fresh;
    environment_ = apply_environment(fresh, environ);
    if (environment_.ok()) params_ = std::move(fresh);
}

Result<Params> Runtime::params() {
    std::lock_guard lock(mutex_);
    read_environment();
    if (!environment_.ok()) return environment_;
    return params_;
}

Status Runtime::set_param(std::string_view name, std::string_view value, std::string_view source) {
    std::lock_guard lock(mutex_);
    read_environment();
    return params_.set(name, value, source);
}

Log Runtime::log() {
    auto params = this->params();
    return Log(params.ok() ? log_level_named(params.value().log) : LogLevel::warn, {});
}

Result<std::shared_ptr<const cuda::Driver>> Runtime::driver() {
    auto params = this->params();
    STEPCCL_TRY(params.status());
    std::lock_guard lock(mutex_);
    if (!driver_) driver_ = cuda::Driver::load(params.value());
    return *driver_;
}

bool Runtime::driver_is_loaded() {
    {
        std::lock_guard lock(mutex_);
        if (driver_) return driver_->ok();
        read_environment();
        if (!environment_.ok()) return false;
    }
    return cuda::Driver::process_has_driver(params_);
}

Result<std::shared_ptr<cuda::Gpu>> Runtime::gpu(int ordinal) {
    auto driver = this->driver();
    STEPCCL_TRY(driver.status());
    std::lock_guard lock(mutex_);
    auto found = gpus_.find(ordinal);
    if (found != gpus_.end()) return found->second;
    auto opened = cuda::Gpu::open(driver.value(), ordinal);
    STEPCCL_TRY(opened.status());
    return gpus_.emplace(ordinal, std::move(opened).value()).first->second;
}

Result<Surroundings> Runtime::surroundings() {
    auto params = this->params();
    STEPCCL_TRY(params.status());
    Surroundings out;
    out.params = params.value();
    out.log = log();
    out.counters = &counters_;
    out.driver = [this] { return driver(); };
    out.driver_is_loaded = [this] { return driver_is_loaded(); };
    return out;
}

stepccl_status_t report(const Status& status) {
    if (!status.ok()) last_failure = cat(status.text(), " (", code_text(status.code()), ")");
    return static_cast<stepccl_status_t>(status.code());
}

const char* last_error() noexcept { return last_failure.c_str(); }

}  // namespace stepccl
