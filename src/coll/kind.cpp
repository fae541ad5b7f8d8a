#include "coll/kind.h"

#include <array>

namespace stepccl {
namespace {

constexpr std::array<KindInfo, kKinds> kRows = {{
#define STEPCCL_COLLECTIVE(name, shape, rooted, reduces, help) {#name, Shape::shape, rooted != 0, reduces != 0, help},
#include "stepccl/collectives.def"
#undef STEPCCL_COLLECTIVE
}};

}  // namespace

const KindInfo& info(Kind kind) noexcept { return kRows[static_cast<size_t>(kind)]; }

std::optional<Kind> kind_named(std::string_view name) noexcept {
    for (size_t i = 0; i < kRows.size(); ++i) {
        if (name == kRows[i].name) return static_cast<Kind>(i);
    }
    return std::nullopt;
}

}  // namespace stepccl
