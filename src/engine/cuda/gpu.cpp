#include "engine/cuda/gpu.h"

#include "base/text.h"
#include "engine/cuda/kernels/images.h"
#include "engine/cuda/kernels/kernel_name.h"

namespace stepccl::cuda {
namespace {

// The emulated driver has its kernels built in and does not look at the image.
constexpr unsigned char kNoImage[1] = {0};

bool emulated(const Driver& driver) { return driver.name() == "emulated"; }

}  // namespace

PointerInfo pointer_info(const Driver& driver, const void* address) {
    PointerInfo out;
    unsigned type = 0, managed = 0;
    PointerAttribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,   CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                     CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* values[] = {&type, &managed, &out.ordinal, &out.buffer_id, &out.base, &out.bytes};
    CuResult result = driver.pointer_get_attributes(6, attributes, values, reinterpret_cast<DevicePtr>(address));
    out.device = result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE && managed == 0;
    return out;
}

bool has_kernels(const Driver& driver) noexcept { return emulated(driver) || !kernels::kernel_images().empty(); }

Result<std::shared_ptr<Gpu>> Gpu::open(std::shared_ptr<const Driver> driver, int ordinal) {
    Device id = 0;
    STEPCCL_TRY(driver->check(driver->device_get(&id, ordinal), cat("cuDeviceGet(", ordinal, ")")));
    Context* context = nullptr;
    STEPCCL_TRY(driver->check(driver->device_primary_ctx_retain(&context, id), cat("cuDevicePrimaryCtxRetain(", ordinal, ")")));
    return std::shared_ptr<Gpu>(new Gpu(std::move(driver), ordinal, context));
}

Gpu::~Gpu() {
    {
        ContextGuard guard(*driver_, context_);
        for (auto& [image, module] : modules_) {
            if (guard.status().ok() && module != nullptr) (void)driver_->module_unload(module);
        }
    }
    (void)driver_->device_primary_ctx_release(ordinal_);
}

Status Gpu::reach(int other) {
    if (other == ordinal_) return {};
    std::lock_guard lock(mutex_);
    if (reached_.count(other) != 0) return {};
    // Held only for the call: the memory that is reached keeps the other context alive.
    Context* peer = nullptr;
    STEPCCL_TRY(driver_->check(driver_->device_primary_ctx_retain(&peer, other), cat("cuDevicePrimaryCtxRetain(", other, ")")));
    ContextGuard guard(*driver_, context_);
    CuResult result = guard.status().ok() ? driver_->ctx_enable_peer_access(peer, 0) : CUDA_ERROR_INVALID_CONTEXT;
    (void)driver_->device_primary_ctx_release(other);
    if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
        STEPCCL_TRY(driver_->check(result, cat("cuCtxEnablePeerAccess from device ", ordinal_, " to ", other)));
    }
    reached_.insert(other);
    return {};
}

// The module that holds the kernels of `type`.
Result<Module*> Gpu::module_of(Datatype type) {
    const kernels::KernelImage* image = emulated(*driver_) ? nullptr : kernels::kernel_image(type);
    if (image == nullptr && !emulated(*driver_)) return Status(Code::ERR_UNSUPPORTED, cat("this build has no GPU kernels for ", name_of(type)));
    Module*& module = modules_[image];
    if (module != nullptr) return module;
    const void* data = image == nullptr ? kNoImage : image->data;
    Status status = driver_->check(driver_->module_load_data(&module, data), cat("cuModuleLoadData(", image == nullptr ? "emulated" : image->name, ")"));
    if (!status.ok()) return module = nullptr, status;
    return module;
}

Result<Function*> Gpu::reduction(Datatype type, Operation op) {
    const char* name = kernels::kernel_name(type, op);
    if (name == nullptr) return Status(Code::ERR_INVALID_ARGUMENT, cat(name_of(op), " is not defined on ", name_of(type)));
    std::lock_guard lock(mutex_);
    Function*& function = functions_[{type, op}];
    if (function != nullptr) return function;
    ContextGuard guard(*driver_, context_);
    STEPCCL_TRY(guard.status());
    auto module = module_of(type);
    STEPCCL_TRY(module.status());
    Status status = driver_->check(driver_->module_get_function(&function, module.value(), name), cat("cuModuleGetFunction(", name, ")"));
    if (!status.ok()) return function = nullptr, status;
    return function;
}

}  // namespace stepccl::cuda
