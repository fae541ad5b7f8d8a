#include "emu/operations.h"

#include <algorithm>
#include <cstring>

#include "emu/context.h"
#include "emu/machine.h"
#include "emu/words.h"

namespace stepccl::emu {
namespace {

void add_operand(Operation& operation, const Span& span) {
    if (span.owner) operation.operands.push_back(span.owner);
}

cuda::CuResult run_copy(Execution& execution, const Copy& copy) {
    FaultInjector& faults = execution.context.machine().faults;
    faults.delay(execution.random);
    if (execution.context.stopped()) return cuda::CUDA_SUCCESS;
    if (!touchable(copy.dst) || (!copy.snapshot && !touchable(copy.src))) return cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
    const char* from = copy.snapshot ? copy.snapshot->data() : copy.src.data;
    for (size_t row = 0; row < copy.height; ++row) {
        std::memmove(copy.dst.data + row * copy.dst_pitch, from + row * copy.src_pitch, copy.width);
    }
    if (faults.corrupts_copy()) {
        char& victim = copy.dst.data[execution.random() % copy.width];
        victim = static_cast<char>(~victim);
    }
    return cuda::CUDA_SUCCESS;
}

cuda::CuResult run_word_step(Execution& execution, const WordStep& step) {
    auto* word = reinterpret_cast<uint32_t*>(step.word.data);
    if (!step.word.owner->live) return cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
    if (step.wait) {
        // The memory may be freed under the wait; then what is waited for cannot come.
        wait_word(
            word, [&](uint32_t seen) { return satisfied(seen, step.value, step.compare); },
            [&] { return execution.context.stopped() || !step.word.owner->live; });
        return step.word.owner->live ? cuda::CUDA_SUCCESS : cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    execution.context.machine().faults.delay(execution.random);
    if (!execution.context.stopped()) store_word(word, step.value);
    return cuda::CUDA_SUCCESS;
}

}  // namespace

bool satisfied(uint32_t seen, uint32_t value, unsigned compare) noexcept {
    switch (compare) {
        case cuda::CU_STREAM_WAIT_VALUE_GEQ:
            return static_cast<int32_t>(seen - value) >= 0;
        case cuda::CU_STREAM_WAIT_VALUE_EQ:
            return seen == value;
        case cuda::CU_STREAM_WAIT_VALUE_AND:
            return (seen & value) != 0;
        default:
            return ~(seen | value) != 0;
    }
}

Operation copies(std::vector<Copy> list) {
    Operation operation;
    for (const Copy& copy : list) {
        add_operand(operation, copy.dst);
        if (!copy.snapshot) add_operand(operation, copy.src);
    }
    operation.run = [list = std::move(list)](Execution& execution) mutable {
        if (execution.context.machine().faults.faults().reorder) {
            std::shuffle(list.begin(), list.end(), execution.random);
        }
        for (const Copy& copy : list) {
            if (auto result = run_copy(execution, copy); result != cuda::CUDA_SUCCESS) return result;
        }
        return cuda::CUDA_SUCCESS;
    };
    return operation;
}

Operation fill(Span dst, uint32_t value, size_t size) {
    Operation operation;
    add_operand(operation, dst);
    operation.run = [dst = std::move(dst), value, size](Execution& execution) {
        execution.context.machine().faults.delay(execution.random);
        if (execution.context.stopped()) return cuda::CUDA_SUCCESS;
        if (size == sizeof value) {
            fill_words(reinterpret_cast<uint32_t*>(dst.data), dst.bytes / size, value);
        } else {
            std::memset(dst.data, static_cast<int>(value), dst.bytes);
        }
        return cuda::CUDA_SUCCESS;
    };
    return operation;
}

Operation word_steps(std::vector<WordStep> steps) {
    Operation operation;
    for (const WordStep& step : steps) add_operand(operation, step.word);
    operation.run = [steps = std::move(steps)](Execution& execution) {
        for (const WordStep& step : steps) {
            auto result = run_word_step(execution, step);
            if (result != cuda::CUDA_SUCCESS || execution.context.stopped()) return result;
        }
        return cuda::CUDA_SUCCESS;
    };
    return operation;
}

}  // namespace stepccl::emu
