// Names, sizes, errors, parameters and counters of the C interface.

#include <cstring>

#include "api/runtime.h"
#include "base/text.h"
#include "config.h"

using namespace stepccl;

namespace {

constexpr const char* kTypeNames[] = {"boolean", "integer", "size", "choice", "text"};

// Texts of parameters that C callers look at. Kept until the next change.
const char* keep(size_t index, int which, std::string text) {
    static std::mutex mutex;
    static auto* kept = new std::map<std::pair<size_t, int>, std::string>;
    std::lock_guard lock(mutex);
    return ((*kept)[{index, which}] = std::move(text)).c_str();
}

Status sized(size_t size, size_t expected, const char* what) {
    if (size >= expected) return {};
    return Status(Code::ERR_INVALID_ARGUMENT, cat(what, ": size is ", size, ", ", expected, " expected; initialise it with the STEPCCL_*_INIT macro or sizeof"));
}

}  // namespace

extern "C" {

size_t stepccl_datatype_size(stepccl_datatype_t type) {
    return static_cast<size_t>(type) < kDatatypes ? size_of(static_cast<Datatype>(type)) : 0;
}

int stepccl_op_applies(stepccl_op_t op, stepccl_datatype_t type) {
    if (static_cast<size_t>(op) >= kOperations || static_cast<size_t>(type) >= kDatatypes) return 0;
    return applies(static_cast<Operation>(op), static_cast<Datatype>(type)) ? 1 : 0;
}

const char* stepccl_kind_name(stepccl_kind_t kind) {
    return static_cast<size_t>(kind) < kKinds ? info(static_cast<Kind>(kind)).name : "?";
}

const char* stepccl_datatype_name(stepccl_datatype_t type) {
    return static_cast<size_t>(type) < kDatatypes ? name_of(static_cast<Datatype>(type)) : "?";
}

const char* stepccl_op_name(stepccl_op_t op) {
    return static_cast<size_t>(op) < kOperations ? name_of(static_cast<Operation>(op)) : "?";
}

const char* stepccl_status_string(stepccl_status_t status) { return code_text(static_cast<Code>(status)); }
const char* stepccl_last_error(void) { return last_error(); }
const char* stepccl_version(void) { return PACKAGE_VERSION; }

size_t stepccl_param_count(void) { return param_table().size(); }

stepccl_status_t stepccl_param_get(size_t index, stepccl_param_t* param) {
    return fenced([&]() -> Status {
        if (param == nullptr || index >= param_table().size()) {
            return Status(Code::ERR_INVALID_ARGUMENT, cat("there are ", param_table().size(), " parameters, not number ", index));
        }
        STEPCCL_TRY(sized(param->size, sizeof(*param), "stepccl_param_t"));
        auto params = Runtime::get().params();
        STEPCCL_TRY(params.status());
        const ParamInfo& row = param_table()[index];
        *param = {param->size, row.name, kTypeNames[static_cast<int>(row.type)], row.default_value, row.range, row.help,
                  keep(index, 0, params.value().text(index)), keep(index, 1, params.value().source(index)), row.level};
        return {};
    });
}

stepccl_status_t stepccl_param_set(const char* name, const char* value, const char* source) {
    return fenced([&]() -> Status {
        if (name == nullptr || value == nullptr) return Status(Code::ERR_INVALID_ARGUMENT, "stepccl_param_set: name or value is null");
        return Runtime::get().set_param(name, value, source == nullptr ? "program" : source);
    });
}

stepccl_status_t stepccl_param_check(void) {
    return fenced([] { return Runtime::get().params().status(); });
}

stepccl_status_t stepccl_counters(stepccl_counters_t* out) {
    return fenced([&]() -> Status {
        if (out == nullptr) return Status(Code::ERR_INVALID_ARGUMENT, "stepccl_counters: null");
        STEPCCL_TRY(sized(out->size, sizeof(*out), "stepccl_counters_t"));
        const Counters& counters = Runtime::get().counters();
        auto [algorithm, parts] = counters.last();
        *out = {out->size, counters.native_calls, counters.staged_calls, counters.host_calls, counters.copy_engine_bytes,
                counters.kernel_bytes, counters.staged_bytes, counters.bounced_bytes, {}, parts};
        algorithm.copy(out->algorithm, sizeof(out->algorithm) - 1);
        return {};
    });
}

void stepccl_count_staged(size_t bytes) {
    Runtime::get().counters().staged_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

}  // extern "C"
