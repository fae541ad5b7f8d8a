#include "coll/layout.h"

#include <algorithm>

#include "base/checked.h"

namespace stepccl {

Layout Layout::split(uint64_t count, uint32_t blocks) {
    Layout out;
    for (uint32_t i = 0; i < blocks; ++i) {
        uint64_t begin = split_point(count, i, blocks);
        out.extents_.push_back({begin, split_point(count, i + 1, blocks) - begin});
    }
    return out;
}

Layout Layout::uniform(uint64_t count, uint32_t blocks) {
    Layout out;
    for (uint32_t i = 0; i < blocks; ++i) out.extents_.push_back({i * count, count});
    return out;
}

Layout Layout::listed(std::span<const uint64_t> counts, std::span<const uint64_t> offsets) {
    Layout out;
    for (size_t i = 0; i < counts.size(); ++i) out.extents_.push_back({offsets[i], counts[i]});
    return out;
}

Layout Layout::packed(std::span<const uint64_t> counts) {
    Layout out;
    uint64_t offset = 0;
    for (uint64_t count : counts) {
        out.extents_.push_back({offset, count});
        offset += count;
    }
    return out;
}

Layout Layout::single(uint64_t count, uint32_t block, uint32_t blocks) {
    Layout out;
    out.extents_.resize(blocks);
    out.extents_[block] = {0, count};
    return out;
}

Extent Layout::part(uint32_t block, uint32_t part, uint32_t parts) const {
    const Extent& whole = extents_[block];
    uint64_t begin = split_point(whole.count, part, parts);
    return {whole.offset + begin, split_point(whole.count, part + 1, parts) - begin};
}

uint64_t Layout::largest() const noexcept {
    uint64_t out = 0;
    for (const Extent& extent : extents_) out = std::max(out, extent.count);
    return out;
}

uint64_t Layout::end() const noexcept {
    uint64_t out = 0;
    for (const Extent& extent : extents_) out = std::max(out, extent.count == 0 ? 0 : extent.offset + extent.count);
    return out;
}

}  // namespace stepccl
