// The operations that move data or values, as a stream executes them.
#pragma once

#include <vector>

#include "emu/operands.h"
#include "emu/stream.h"

namespace stepccl::emu {

// `height` rows of `width` bytes; a plain copy is one row. A snapshot replaces the source when CUDA promises that it is
// read during the call.
struct Copy {
    Span dst, src;
    size_t width = 0, height = 1;
    size_t dst_pitch = 0, src_pitch = 0;
    std::shared_ptr<const std::vector<char>> snapshot;
};
// One place in the stream's order for all of them; with the fault `reorder` they are done in a random order.
Operation copies(std::vector<Copy> list);

// Repeats the `size` (1 or 4) low bytes of `value` over the span.
Operation fill(Span dst, uint32_t value, size_t size);

struct WordStep {
    Span word;
    bool wait = false;
    uint32_t value = 0;
    unsigned compare = cuda::CU_STREAM_WAIT_VALUE_GEQ;
};
// Waits and writes, in order.
Operation word_steps(std::vector<WordStep> steps);

// Whether a wait with this comparison is satisfied.
bool satisfied(uint32_t seen, uint32_t value, unsigned compare) noexcept;

}  // namespace stepccl::emu
