#include "emu/module.h"

#include "emu/context.h"
#include "emu/machine.h"
#include "emu/operations.h"
#include "emu/words.h"

namespace stepccl::emu {
namespace {

// Memory that a kernel may touch; it stays pinned until the kernel ends. Null: an illegal address.
char* reach(Execution& execution, uint64_t address, size_t bytes) {
    if (execution.context.stopped()) return nullptr;
    for (const auto& pin : execution.pins) {
        if (pin->live && pin->contains(address, bytes)) return pin->at(address);
    }
    std::shared_ptr<Allocation> found = execution.context.machine().registry.find(address);
    if (!found || !found->contains(address, bytes) || !execution.context.reaches(*found)) return nullptr;
    execution.pins.push_back(found);
    return found->at(address);
}

uint32_t* reach_word(Execution& execution, uint64_t address) {
    return address % sizeof(uint32_t) == 0 ? reinterpret_cast<uint32_t*>(reach(execution, address, sizeof(uint32_t)))
                                           : nullptr;
}

Execution& execution_of(void* context) {
    return *static_cast<Execution*>(context);
}

void* env_resolve(void* context, uint64_t address, size_t bytes) {
    return reach(execution_of(context), address, bytes);
}

bool env_wait_geq(void* context, uint64_t address, uint32_t value) {
    Execution& execution = execution_of(context);
    uint32_t* word = reach_word(execution, address);
    if (word == nullptr) return false;
    return wait_word(
        word, [&](uint32_t seen) { return satisfied(seen, value, cuda::CU_STREAM_WAIT_VALUE_GEQ); },
        [&] { return reach_word(execution, address) != word; });
}

bool env_write_flag(void* context, uint64_t address, uint32_t value) {
    uint32_t* word = reach_word(execution_of(context), address);
    if (word != nullptr) store_word(word, value);
    return word != nullptr;
}

}  // namespace

Operation Function::launch(const kernels::ReduceWork& work, unsigned grid, unsigned block) const {
    Operation operation;
    operation.opaque = true;
    operation.run = [kernel = kernel_, work, grid, block](Execution& execution) {
        execution.context.machine().faults.delay(execution.random);
        if (execution.context.stopped()) return cuda::CUDA_SUCCESS;
        kernels::ReduceWork argument = work;
        void* arguments[] = {&argument};
        const kernels::HostKernelEnv env{env_resolve, env_wait_geq, env_write_flag, &execution};
        bool finished = kernel(arguments, grid, block, env);
        return finished || execution.context.stopped() ? cuda::CUDA_SUCCESS : cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
    };
    return operation;
}

}  // namespace stepccl::emu
