// From symbolic blocks to elements: where block i, part j of m of a buffer lies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepccl {

// `count` elements from element `offset` on.
struct Extent {
    uint64_t offset = 0;
    uint64_t count = 0;
    bool operator==(const Extent&) const = default;
};

// The blocks of one buffer. Blocks and parts may be empty and need not be equal.
class Layout {
  public:
    // One vector cut into `blocks` pieces that differ by at most one element.
    static Layout split(uint64_t count, uint32_t blocks);
    // `blocks` blocks of `count` elements, one behind the other.
    static Layout uniform(uint64_t count, uint32_t blocks);
    // As the v-variants give them. Both spans have one entry a block.
    static Layout listed(std::span<const uint64_t> counts, std::span<const uint64_t> offsets);
    // One behind the other, of these counts.
    static Layout packed(std::span<const uint64_t> counts);
    // Only block `block` exists, at offset 0: a buffer that holds a single block of many.
    static Layout single(uint64_t count, uint32_t block, uint32_t blocks);

    uint32_t blocks() const noexcept { return static_cast<uint32_t>(extents_.size()); }
    const Extent& block(uint32_t i) const { return extents_[i]; }
    // Part `part` of `parts` of a block; parts differ by at most one element.
    Extent part(uint32_t block, uint32_t part, uint32_t parts) const;
    // The largest block, in elements.
    uint64_t largest() const noexcept;
    // One past the last element of any block.
    uint64_t end() const noexcept;

    bool operator==(const Layout&) const = default;

  private:
    std::vector<Extent> extents_;
};

}  // namespace stepccl
