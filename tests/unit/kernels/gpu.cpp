#include "gpu.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace stepccl::kernels {
namespace {

// Calls a function of the driver whose arguments are exactly those of cuda.h.
template <typename... Args>
int call(const char* name, Args... args) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) return -1;
    void* const function = dlsym(library, name);
    return function == nullptr ? -1 : reinterpret_cast<int (*)(Args...)>(function)(args...);
}

template <typename... Args>
void must(const char* name, Args... args) {
    const int result = call(name, args...);
    if (result == 0) return;
    std::fprintf(stderr, "%s failed: CUresult %d\n", name, result);
    std::abort();
}

std::string find_gpu() {
    if (call("cuInit", 0u) != 0) return "no CUDA driver, or it does not start";
    int devices = 0;
    if (call("cuDeviceGetCount", &devices) != 0 || devices == 0) return "no GPU";
    return "";
}

}  // namespace

const std::string& TestGpu::missing() {
    static const std::string reason = find_gpu();
    return reason;
}

TestGpu& TestGpu::instance() {
    static TestGpu gpu;
    return gpu;
}

TestGpu::TestGpu() {
    void* context = nullptr;
    must("cuDevicePrimaryCtxRetain", &context, 0);
    must("cuCtxSetCurrent", context);
    must("cuStreamCreate", &launches_, 1u);
    must("cuStreamCreate", &writes_, 1u);
}

uint64_t TestGpu::allocate(size_t bytes) {
    uint64_t address = 0;
    must("cuMemAlloc_v2", &address, bytes);
    return address;
}

void TestGpu::upload(uint64_t to, const void* from, size_t bytes) {
    must("cuMemcpyHtoD_v2", to, from, bytes);
    // The copy may still be on its way from the driver's own buffers, and launches do not wait for it.
    must("cuCtxSynchronize");
}

void TestGpu::download(void* to, uint64_t from, size_t bytes) {
    must("cuMemcpyDtoH_v2", to, from, bytes);
}

void* TestGpu::load(const unsigned char* image) {
    void* module = nullptr;
    must("cuModuleLoadData", &module, static_cast<const void*>(image));
    return module;
}

void* TestGpu::function(void* module, const char* name) {
    void* function = nullptr;
    must("cuModuleGetFunction", &function, module, name);
    return function;
}

void TestGpu::launch(void* function, unsigned grid, unsigned block, void** args) {
    must("cuLaunchKernel", function, grid, 1u, 1u, block, 1u, 1u, 0u, launches_, args, static_cast<void**>(nullptr));
}

void TestGpu::write_flag(uint64_t address, uint32_t value) {
    must("cuStreamWriteValue32_v2", writes_, address, value, 0u);
}

void TestGpu::wait() {
    must("cuStreamSynchronize", writes_);
    must("cuStreamSynchronize", launches_);
}

}  // namespace stepccl::kernels
