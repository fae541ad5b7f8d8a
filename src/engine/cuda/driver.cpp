#include "engine/cuda/driver.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <vector>

#include "base/text.h"

namespace stepccl::cuda {
namespace {

constexpr const char* kNvidia = "libcuda.so.1";
constexpr const char* kEmulated = "libstepccl_emu.so";

// The folder of the shared object or program that contains this code, with a slash at its end; empty when unknown.
std::string own_folder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
    std::string file = info.dli_fname;
    size_t slash = file.rfind('/');
    return slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
}

// Where the driver's library may be, in the order of trial.
std::vector<std::string> candidates(const Params& params) {
    if (!params.driver_library.empty()) return {params.driver_library};
    if (params.driver != "emulated") return {kNvidia};
    std::vector<std::string> out;
    if (std::string folder = own_folder(); !folder.empty()) {
        // Installed beside us or in our package folder; ../lib and .libs are where a build tree has it.
        for (const char* sub : {"", "stepccl/", "../lib/stepccl/", "../lib/", ".libs/", "../.libs/"}) {
            out.push_back(cat(folder, sub, kEmulated));
        }
    }
    out.emplace_back(kEmulated);
    return out;
}

// The first candidate that loads; `reasons` collects why the others did not.
void* open_first(const std::vector<std::string>& files, std::string& library, std::string& reasons) {
    for (const std::string& file : files) {
        if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            library = file;
            return handle;
        }
        const char* why = dlerror();
        reasons += cat(reasons.empty() ? "" : "; ", why != nullptr ? why : file.c_str());
    }
    return nullptr;
}

std::string_view base_name(std::string_view file) {
    return file.substr(file.rfind('/') + 1);
}

// A look through the objects that are loaded in this process. No object was loaded since `absent_at` loads: none is
// new.
struct LoadedSearch {
    std::string_view name;
    unsigned long long absent_at = 0, loads = 0;
    bool found = false;
};
int look_at_loaded(dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<LoadedSearch*>(data);
    search.loads = info->dlpi_adds;
    if (search.loads == search.absent_at) return 1;
    search.found = base_name(info->dlpi_name).starts_with(search.name);
    return search.found ? 1 : 0;
}

const char* advice(const Params& params) {
    return params.driver == "emulated"
               ? "; set the parameter driver_library to the file libstepccl_emu.so of this installation"
               : "; install NVIDIA's driver, or set the parameter driver to 'emulated' to run without a GPU";
}

Code code_of(CuResult result) {
    switch (result) {
        case CUDA_SUCCESS:
            return Code::SUCCESS;
        case CUDA_ERROR_OUT_OF_MEMORY:
            return Code::ERR_OUT_OF_MEMORY;
        case CUDA_ERROR_NOT_SUPPORTED:
            return Code::ERR_UNSUPPORTED;
        default:
            return Code::ERR_DRIVER;
    }
}

}  // namespace

Result<std::shared_ptr<const Driver>> Driver::load(const Params& params) {
    if (params.driver == "none") return Status(Code::ERR_NO_DRIVER, "the GPU driver is switched off (driver = none)");
    std::string library, reasons;
    void* handle = open_first(candidates(params), library, reasons);
    if (handle == nullptr) {
        return Status(Code::ERR_NO_DRIVER,
                      cat("the GPU driver (driver = ", params.driver, ") was not found: ", reasons, advice(params)));
    }
    std::shared_ptr<Driver> driver(new Driver(params.driver == "emulated" ? "emulated" : "nvidia", library));
    STEPCCL_TRY(driver->resolve(handle));
    STEPCCL_TRY(driver->initialise());
    return std::shared_ptr<const Driver>(std::move(driver));
}

Status Driver::resolve(void* handle) {
#define STEPCCL_DRIVER(name, symbol, optional, result, args)                                                     \
    this->name = reinterpret_cast<result(*) args>(dlsym(handle, #symbol));                                       \
    if (!optional && this->name == nullptr) {                                                                    \
        return Status(Code::ERR_NO_DRIVER,                                                                       \
                      cat(library_, " has no function " #symbol "; a driver for CUDA 12.0 or newer is needed")); \
    }
#include "engine/cuda/driver.def"
#undef STEPCCL_DRIVER
    return {};
}

Status Driver::initialise() {
    int devices = 0;
    Status status = check(init(0), "cuInit");
    if (status.ok()) status = check(driver_get_version(&version_), "cuDriverGetVersion");
    if (status.ok()) status = check(device_get_count(&devices), "cuDeviceGetCount");
    if (status.ok() && devices > 0) return {};
    return Status(Code::ERR_NO_DRIVER, cat("the GPU driver ", library_,
                                           " cannot be used: ", status.ok() ? "it has no device" : status.text()));
}

bool Driver::process_has_driver(const Params& params) {
    if (params.driver == "none") return false;
    const bool emulated = params.driver == "emulated";
    // The library is known by its file's name. With a name of the user's own nothing is remembered from call to call.
    const bool usual = params.driver_library.empty();
    LoadedSearch search{usual ? (emulated ? kEmulated : "libcuda.so") : base_name(params.driver_library)};
    static std::atomic<unsigned long long> absent_at[2];
    if (usual) search.absent_at = absent_at[emulated];
    dl_iterate_phdr(look_at_loaded, &search);
    if (usual && !search.found) absent_at[emulated] = search.loads;
    return search.found;
}

Status Driver::check(CuResult result, std::string_view what) const {
    if (result == CUDA_SUCCESS) return {};
    const char* symbol = nullptr;
    const char* text = nullptr;
    if (get_error_name(result, &symbol) != CUDA_SUCCESS || symbol == nullptr) {
        return Status(code_of(result), cat(what, ": error ", static_cast<int>(result), " of the GPU driver"));
    }
    if (get_error_string(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no text";
    return Status(code_of(result), cat(what, ": ", symbol, " (", text, ")"));
}

ContextGuard::~ContextGuard() {
    if (!status_.ok()) return;
    Context* popped = nullptr;
    // A context that cannot be popped is one that was destroyed meanwhile: nothing is left to restore.
    static_cast<void>(driver_.ctx_pop_current(&popped));
}

}  // namespace stepccl::cuda
