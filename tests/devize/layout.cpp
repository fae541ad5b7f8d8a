#include "layout.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace devize {
namespace {

struct Shape {
    MPI_Count size, lb, extent, true_lb, true_extent;
    bool dense() const { return size == true_extent && size == extent; }
};

bool measure(MPI_Datatype type, Shape& shape) {
    return type != MPI_DATATYPE_NULL && PMPI_Type_size_x(type, &shape.size) == MPI_SUCCESS &&
           PMPI_Type_get_extent_x(type, &shape.lb, &shape.extent) == MPI_SUCCESS &&
           PMPI_Type_get_true_extent_x(type, &shape.true_lb, &shape.true_extent) == MPI_SUCCESS;
}

// The bytes from `low` on, one of 0xFF for each byte that belongs to an element. MPI itself finds them: it unpacks 0xFF
// there.
class Mask {
  public:
    Mask(ptrdiff_t low, size_t bytes) : low_(low), bytes_(bytes, 0) {}

    bool add(const Block& block, const Shape& shape, MPI_Comm own) {
        if (shape.dense()) {
            std::memset(at(block.offset + shape.true_lb), 0xFF, static_cast<size_t>(block.count * shape.size));
            return true;
        }
        if (shape.size > kPiece) return false;
        MPI_Count piece = std::min(block.count, kPiece / shape.size);
        packed_.assign(static_cast<size_t>(piece * shape.size), 0xFF);
        for (MPI_Count done = 0; done < block.count; done += piece) {
            int position = 0;
            int count = static_cast<int>(std::min(piece, block.count - done));
            if (PMPI_Unpack(packed_.data(), static_cast<int>(packed_.size()), &position,
                            at(block.offset + done * shape.extent), count, block.type, own) != MPI_SUCCESS)
                return false;
        }
        return true;
    }

    std::vector<Run> runs() const {
        std::vector<Run> out;
        for (auto from = bytes_.begin(); (from = std::find(from, bytes_.end(), 0xFF)) != bytes_.end();) {
            auto to = std::find(from, bytes_.end(), 0);
            out.push_back({low_ + (from - bytes_.begin()), static_cast<size_t>(to - from)});
            from = to;
        }
        return out;
    }

  private:
    static constexpr MPI_Count kPiece = 64 << 20;

    // Computed as an integer: the element at `offset` may begin before its first byte, outside of the mask.
    void* at(ptrdiff_t offset) {
        return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(bytes_.data()) + offset - low_);
    }

    ptrdiff_t low_;
    std::vector<uint8_t> bytes_, packed_;
};

void widen(Layout& layout, const Block& block, const Shape& shape, bool first) {
    ptrdiff_t reach = static_cast<ptrdiff_t>((block.count - 1) * shape.extent);
    ptrdiff_t begin = block.offset + static_cast<ptrdiff_t>(shape.true_lb);
    ptrdiff_t low = begin + std::min<ptrdiff_t>(reach, 0);
    ptrdiff_t high = begin + static_cast<ptrdiff_t>(shape.true_extent) + std::max<ptrdiff_t>(reach, 0);
    layout.low = first ? low : std::min(layout.low, low);
    layout.high = first ? high : std::max(layout.high, high);
}

}  // namespace

MPI_Aint extent_of(MPI_Datatype type) {
    MPI_Aint lb = 0, extent = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS) return 0;
    return extent;
}

std::optional<Layout> layout_of(const std::vector<Block>& blocks, size_t limit, MPI_Comm own) {
    Layout layout;
    std::vector<std::pair<Block, Shape>> filled;
    for (const Block& block : blocks) {
        Shape shape{};
        if (block.count < 0 || !measure(block.type, shape)) return {};
        if (block.count == 0 || shape.size == 0) continue;
        widen(layout, block, shape, filled.empty());
        filled.emplace_back(block, shape);
    }
    if (filled.empty()) return layout;
    if (layout.high < layout.low || layout.bytes() > limit) return {};
    if (filled.size() == 1 && filled[0].second.dense()) {
        layout.runs = {{layout.low, layout.bytes()}};
        return layout;
    }
    Mask mask(layout.low, layout.bytes());
    for (auto& [block, shape] : filled)
        if (!mask.add(block, shape, own)) return {};
    layout.runs = mask.runs();
    return layout;
}

}  // namespace devize
