// Parameters: a value that is passed down, never a global. Names, types, defaults and help come from params.def.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace stepccl {

enum class ParamType : uint8_t { boolean, integer, size, choice, text };

struct ParamInfo {
    const char* name;
    ParamType type;
    const char* default_value;
    const char* range;
    int level;
    const char* help;
};

// Every parameter, in the order of params.def.
std::span<const ParamInfo> param_table() noexcept;

namespace detail {
template <ParamType type>
struct ParamValue {
    using Type = std::string;
};
template <>
struct ParamValue<ParamType::boolean> {
    using Type = bool;
};
template <>
struct ParamValue<ParamType::integer> {
    using Type = int64_t;
};
template <>
struct ParamValue<ParamType::size> {
    using Type = uint64_t;
};
}  // namespace detail

struct Params {
#define STEPCCL_PARAM(name, type, default_value, range, level, help) detail::ParamValue<ParamType::type>::Type name{};
#include "base/params.def"
#undef STEPCCL_PARAM

    Params();  // the defaults

    // Sets one parameter from text. An unknown name or a malformed value changes nothing and is an ERR_PARAMETER whose
    // text names the source, the value, what was expected and, for a name, the nearest one that exists.
    Status set(std::string_view name, std::string_view value, std::string_view source);

    // The value as a user would write it, and where it came from ("default", "environment", "MCA", ...).
    std::string text(size_t index) const;
    const std::string& source(size_t index) const { return sources_[index]; }

  private:
    static constexpr size_t kCount = 0
#define STEPCCL_PARAM(name, type, default_value, range, level, help) +1
#include "base/params.def"
#undef STEPCCL_PARAM
        ;
    std::string sources_[kCount];
};

// Applies every STEPCCL_<NAME> and OMPI_MCA_coll_stepccl_<name> of `environment` (a null-terminated array of "NAME=value").
// STEPCCL_ names that are no parameter are an error with a hint, except those that other parts of the project own.
Status apply_environment(Params& params, const char* const* environment);

// 4096, 64K, 1.5M, 2G, 1T -> bytes. Nothing for anything else.
std::optional<uint64_t> parse_size(std::string_view text);
// The shortest exact form: 65536 -> 64K.
std::string format_size(uint64_t bytes);
// The word of `words` nearest to `word` by edit distance, or nothing when none is near.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string_view> words);

}  // namespace stepccl
