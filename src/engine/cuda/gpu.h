// One GPU as this process uses it: its primary context, kept alive, and the reduction kernels in it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/datatype.h"
#include "engine/cuda/driver.h"

namespace stepccl::kernels {
struct KernelImage;
}

namespace stepccl::cuda {

// What the driver knows of an address.
struct PointerInfo {
    bool device = false;   // memory of a GPU that a host must not touch
    int ordinal = -1;      // of that GPU
    uint64_t buffer_id = 0;
    DevicePtr base = 0;    // of the allocation
    size_t bytes = 0;
};

// Asks the driver, which is right also for memory that was freed and allocated anew. An address that it does not know is host memory.
PointerInfo pointer_info(const Driver& driver, const void* address);

// Thread-safe.
class Gpu {
  public:
    static Result<std::shared_ptr<Gpu>> open(std::shared_ptr<const Driver> driver, int ordinal);
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    const Driver& driver() const noexcept { return *driver_; }
    Context* context() const noexcept { return context_; }
    int ordinal() const noexcept { return ordinal_; }

    // Lets this GPU touch the memory of another one of this process.
    Status reach(int other);

    // The kernel that folds `type` with `op`; loads the modules when first asked.
    Result<Function*> reduction(Datatype type, Operation op);

  private:
    Gpu(std::shared_ptr<const Driver> driver, int ordinal, Context* context)
        : driver_(std::move(driver)), ordinal_(ordinal), context_(context) {}
    Result<Module*> module_of(Datatype type);

    std::shared_ptr<const Driver> driver_;
    int ordinal_;
    Context* context_;
    std::mutex mutex_;
    std::set<int> reached_;
    std::map<const kernels::KernelImage*, Module*> modules_;
    std::map<std::pair<Datatype, Operation>, Function*> functions_;
};

// Whether this build has kernels for this driver at all.
bool has_kernels(const Driver& driver) noexcept;

}  // namespace stepccl::cuda
