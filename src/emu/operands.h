// What an operation touches: addresses of the program, turned into memory that the driver may touch.
#pragma once

#include <memory>

#include "emu/registry.h"

namespace stepccl::emu {

// A piece of one allocation, or of ordinary host memory (`owner` null).
struct Span {
    std::shared_ptr<Allocation> owner;
    char* data = nullptr;
    size_t bytes = 0;
};

enum class Side {
    device,  // memory that the driver knows: of a device, imported, or pinned
    host,    // anything that the host may touch
    any,     // unified addressing: the address says which
};

// CUDA_ERROR_INVALID_VALUE unless all of [address, address + bytes) lies in one live allocation, or in mapped memory of
// the host where `side` allows that.
cuda::CuResult resolve(const Registry& registry, uint64_t address, size_t bytes, Side side, Span& out);

// Whether the span may be touched now: ordinary host memory may have been unmapped since it was resolved.
bool touchable(const Span& span);

}  // namespace stepccl::emu
