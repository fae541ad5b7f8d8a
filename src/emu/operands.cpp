#include "emu/operands.h"

namespace stepccl::emu {

cuda::CuResult resolve(const Registry& registry, uint64_t address, size_t bytes, Side side, Span& out) {
    if (std::shared_ptr<Allocation> owner = registry.find(address)) {
        bool refused = side == Side::host && owner->kind != Allocation::Kind::host;
        if (refused || !owner->contains(address, bytes)) return cuda::CUDA_ERROR_INVALID_VALUE;
        char* data = owner->at(address);
        out = {std::move(owner), data, bytes};
        return cuda::CUDA_SUCCESS;
    }
    if (side == Side::device || registry.overlaps(address, bytes) || !is_mapped(address, bytes)) {
        return cuda::CUDA_ERROR_INVALID_VALUE;
    }
    out = {nullptr, reinterpret_cast<char*>(address), bytes};
    return cuda::CUDA_SUCCESS;
}

bool touchable(const Span& span) {
    return span.owner ? span.owner->live.load() : is_mapped(reinterpret_cast<uint64_t>(span.data), span.bytes);
}

}  // namespace stepccl::emu
