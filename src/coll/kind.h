// The kinds of collective; the rows are in stepccl/collectives.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stepccl {

enum class Kind : uint8_t {
#define STEPCCL_COLLECTIVE(name, shape, rooted, reduces, help) name,
#include "stepccl/collectives.def"
#undef STEPCCL_COLLECTIVE
};

inline constexpr size_t kKinds = 0
#define STEPCCL_COLLECTIVE(name, shape, rooted, reduces, help) +1
#include "stepccl/collectives.def"
#undef STEPCCL_COLLECTIVE
    ;

// vector: one vector a rank, cut into as many blocks as an algorithm likes. blocks: one block a rank.
enum class Shape : uint8_t { none, vector, blocks };

struct KindInfo {
    const char* name;
    Shape shape;
    bool rooted;
    bool reduces;
    const char* help;
};

const KindInfo& info(Kind kind) noexcept;
std::optional<Kind> kind_named(std::string_view name) noexcept;

}  // namespace stepccl
