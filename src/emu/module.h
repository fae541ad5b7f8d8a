// Modules and functions. The image of a module is for a GPU; here a function is one that the host has by the same name.
#pragma once

#include <memory>

#include "emu/stream.h"
#include "engine/cuda/kernels/host_kernels.h"
#include "engine/cuda/kernels/reduce_work.h"

namespace stepccl::emu {

class Module {
  public:
    explicit Module(Context& context) : context_(context) {}
    Context& context() const noexcept { return context_; }

  private:
    Context& context_;
};

class Function {
  public:
    Function(std::shared_ptr<const Module> module, kernels::HostKernel kernel)
        : module_(std::move(module)), kernel_(kernel) {}
    Context& context() const noexcept { return module_->context(); }
    const Module& module() const noexcept { return *module_; }

    // The launch as an operation of a stream. Every kernel takes one argument, a ReduceWork.
    Operation launch(const kernels::ReduceWork& work, unsigned grid, unsigned block) const;

  private:
    const std::shared_ptr<const Module> module_;
    const kernels::HostKernel kernel_;
};

}  // namespace stepccl::emu
