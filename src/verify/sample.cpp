#include "verify/sample.h"

#include <algorithm>

namespace stepccl::sample {
namespace {

uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93U;
    x = (x ^ x >> 29) * 0x9e3779b97f4a7c15U;
    return x ^ x >> 31;
}

Element element(uint64_t seed) {
    return {mix(seed) | 1, mix(seed + 1), mix(seed + 2), mix(seed + 3)};
}

}  // namespace

Element garbage(uint64_t stamp) {
    return element(mix(stamp) ^ 0xbad);
}

Element input(uint32_t call, uint32_t rank, uint32_t block, uint64_t index) {
    return element(mix(mix(mix(mix(call + 1) + rank) + block) + index));
}

Element combine(std::span<const Element> elements) {
    Element out = elements[0];
    for (const Element& next : elements.subspan(1)) {
        out.shift += out.factor * next.shift;
        out.factor *= next.factor;
        out.sum += next.sum;
        out.tree = mix(out.tree) + next.tree;
    }
    if (elements.size() > 1) out.tree = mix(out.tree + elements.size());
    return out;
}

Memory::Memory(const Schedule& any, std::mt19937& random)
    : problem_(any.problem), blocks_(any.blocks), parts_(any.parts), slots_(any.scratch_slots) {
    // Mostly enough for every part to have an element, and sometimes not.
    auto draw = [&] { return random() % 4 == 0 ? random() % 3 : parts_ + random() % (parts_ + 1); };
    if (problem_.kind == Kind::alltoall) {
        sizes_.resize(size_t{blocks_} * blocks_);
        for (uint64_t& size : sizes_) size = draw();
        for (uint32_t i = 0; problem_.in_place && i < sizes_.size(); ++i) {
            sizes_[i] = sizes_[size_t{i % blocks_} * blocks_ + i / blocks_];
        }
    } else {
        for (uint32_t block = 0; block < blocks_; ++block) sizes_.push_back(draw());
        if (info(problem_.kind).shape == Shape::vector) std::sort(sizes_.begin(), sizes_.end());
    }
    largest_ = *std::max_element(sizes_.begin(), sizes_.end());
    buffers_.resize(problem_.n);
    for (uint32_t rank = 0; rank < problem_.n; ++rank) allocate(rank);
}

// Of block `block` of an input on rank `from`.
uint64_t Memory::size(uint32_t from, uint32_t block) const {
    return problem_.kind == Kind::alltoall ? sizes_[size_t{from} * blocks_ + block] : sizes_[block];
}

Layout Memory::layout(uint32_t rank, Space space) const {
    std::vector<uint64_t> counts(blocks_, 0);
    for (uint32_t block = 0; block < blocks_; ++block) {
        bool in = space == Space::in;
        bool exists = in ? has_in(problem_, rank, block) : has_out(problem_, rank, block);
        bool swapped = !in && problem_.kind == Kind::alltoall;
        if (exists) counts[block] = swapped ? size(block, rank) : size(rank, block);
    }
    return Layout::packed(counts);
}

void Memory::allocate(uint32_t rank) {
    Buffers& buffers = buffers_[rank];
    buffers.in_layout = layout(rank, Space::in);
    buffers.out_layout = layout(rank, Space::out);
    if (alias(problem_, rank) == Alias::same) {
        // The larger of the two is where both lie.
        bool in_is_larger = buffers.in_layout.end() > buffers.out_layout.end();
        (in_is_larger ? buffers.out_layout : buffers.in_layout) = in_is_larger ? buffers.in_layout : buffers.out_layout;
    }
    buffers.in.resize(buffers.in_layout.end());
    buffers.out.resize(buffers.out_layout.end());
    buffers.scratch.resize(slots_ * largest_);
    std::vector<uint64_t> counts;
    for (uint32_t block = 0; block < blocks_; ++block) counts.push_back(size(rank, block));
    buffers.sizes = Layout::packed(counts);
}

bool Memory::exists(const Operand& operand) const {
    if (operand.rank >= problem_.n || operand.block >= blocks_) return false;
    if (operand.space == Space::scratch) return operand.slot < slots_;
    return operand.space == Space::in ? has_in(problem_, operand.rank, operand.block)
                                      : has_out(problem_, operand.rank, operand.block);
}

Region Memory::region(const Operand& operand, uint32_t part) {
    Buffers& buffers = buffers_[operand.rank];
    auto extent = [&](const Layout& layout) {
        return part == kWhole ? layout.block(operand.block) : layout.part(operand.block, part, parts_);
    };
    if (operand.space == Space::scratch) {
        Extent found = extent(buffers.sizes);
        uint64_t inside = found.offset - buffers.sizes.block(operand.block).offset;
        return Region(buffers.scratch).subspan(operand.slot * largest_ + inside, found.count);
    }
    bool in = operand.space == Space::in;
    Alias shared = alias(problem_, operand.rank);
    bool in_memory = in ? shared != Alias::same : shared == Alias::front;
    Extent found = extent(in ? buffers.in_layout : buffers.out_layout);
    return Region(in_memory ? buffers.in : buffers.out).subspan(found.offset, found.count);
}

std::vector<Region> Memory::caller(uint32_t rank) {
    return {buffers_[rank].in, buffers_[rank].out};
}

}  // namespace stepccl::sample
