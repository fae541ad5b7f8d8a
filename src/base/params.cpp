#include "base/params.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/text.h"

namespace stepccl {
namespace {

constexpr ParamInfo kTable[] = {
#define STEPCCL_PARAM(name, type, default_value, range, level, help) \
    {#name, ParamType::type, default_value, range, level, help},
#include "base/params.def"
#undef STEPCCL_PARAM
};

// Environment variables that begin with STEPCCL_ and are not parameters; each is documented by its owner.
constexpr std::string_view kOthers[] = {"STEPCCL_EMU_"};

Status malformed(const ParamInfo& info, std::string_view value, std::string_view source, const std::string& expected) {
    return Status(Code::ERR_PARAMETER, cat("parameter ", info.name, " = '", value, "' (", source, "): expected ", expected));
}

std::optional<int64_t> parse_integer(std::string_view text) {
    int64_t out = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

// The two ends of "low..high".
template <typename Parse>
auto bounds(std::string_view range, Parse parse) {
    size_t dots = range.find("..");
    return std::pair{*parse(range.substr(0, dots)), *parse(range.substr(dots + 2))};
}

template <typename Value, typename Parse>
Status assign_number(Value& out, const ParamInfo& info, std::string_view value, std::string_view source, Parse parse) {
    auto parsed = parse(value);
    auto [low, high] = bounds(info.range, parse);
    if (!parsed || *parsed < low || *parsed > high) return malformed(info, value, source, cat("a number in ", info.range));
    out = *parsed;
    return {};
}

Status assign(bool& out, const ParamInfo& info, std::string_view value, std::string_view source) {
    for (std::string_view yes : {"1", "true", "yes", "on"}) {
        if (value == yes) return out = true, Status();
    }
    for (std::string_view no : {"0", "false", "no", "off"}) {
        if (value == no) return out = false, Status();
    }
    return malformed(info, value, source, "true or false");
}

Status assign(int64_t& out, const ParamInfo& info, std::string_view value, std::string_view source) {
    return assign_number(out, info, value, source, parse_integer);
}

Status assign(uint64_t& out, const ParamInfo& info, std::string_view value, std::string_view source) {
    return assign_number(out, info, value, source, parse_size);
}

Status assign(std::string& out, const ParamInfo& info, std::string_view value, std::string_view source) {
    if (info.type == ParamType::choice) {
        auto words = split(info.range, '|');
        if (std::find(words.begin(), words.end(), value) == words.end()) {
            auto hint = nearest(value, words);
            return malformed(info, value, source,
                             cat("one of ", info.range, hint ? cat("; did you mean '", *hint, "'?") : std::string()));
        }
    }
    out = value;
    return {};
}

std::string show(bool value) { return value ? "true" : "false"; }
std::string show(int64_t value) { return std::to_string(value); }
std::string show(uint64_t value) { return format_size(value); }
std::string show(const std::string& value) { return value; }

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

Status unknown_name(std::string_view name, std::string_view source) {
    std::vector<std::string_view> names;
    for (const ParamInfo& info : kTable) names.emplace_back(info.name);
    auto hint = nearest(name, names);
    return Status(Code::ERR_PARAMETER,
                  cat("there is no parameter '", name, "' (", source, ")",
                      hint ? cat("; did you mean '", *hint, "'?") : std::string("; stepccl_info lists them all")));
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

}  // namespace

std::span<const ParamInfo> param_table() noexcept { return kTable; }

Params::Params() {
    for (const ParamInfo& info : kTable) {
        Status status = set(info.name, info.default_value, "default");
        (void)status;  // tests/unit/base checks that every default is well formed
    }
}

Status Params::set(std::string_view name, std::string_view value, std::string_view source) {
    size_t index = 0;
#define STEPCCL_PARAM(field, type, default_value, range, level, help)      \
    if (name == #field) {                                                  \
        STEPCCL_TRY(assign(field, kTable[index], value, source));          \
        sources_[index] = source;                                          \
        return {};                                                         \
    }                                                                      \
    ++index;
#include "base/params.def"
#undef STEPCCL_PARAM
    return unknown_name(name, source);
}

std::string Params::text(size_t index) const {
    size_t row = 0;
#define STEPCCL_PARAM(field, type, default_value, range, level, help) \
    if (row++ == index) return show(field);
#include "base/params.def"
#undef STEPCCL_PARAM
    return {};
}

Status apply_environment(Params& params, const char* const* environment) {
    constexpr std::string_view kOwn = "STEPCCL_", kMca = "OMPI_MCA_coll_stepccl_";
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        std::string_view entry = *environment;
        size_t equals = entry.find('=');
        if (equals == std::string_view::npos) continue;
        std::string_view name = entry.substr(0, equals), value = entry.substr(equals + 1);
        if (name.starts_with(kMca)) {
            STEPCCL_TRY(params.set(name.substr(kMca.size()), value, cat("environment variable ", name)));
        } else if (name.starts_with(kOwn)) {
            if (std::any_of(std::begin(kOthers), std::end(kOthers), [&](auto other) { return name.starts_with(other); })) continue;
            STEPCCL_TRY(params.set(lower(name.substr(kOwn.size())), value, cat("environment variable ", name)));
        }
    }
    return {};
}

std::optional<uint64_t> parse_size(std::string_view text) {
    constexpr std::string_view kUnits = "KMGT";
    unsigned shift = 0;
    if (!text.empty()) {
        char last = text.back();
        size_t unit = kUnits.find(last >= 'a' && last <= 'z' ? static_cast<char>(last - 'a' + 'A') : last);
        if (unit != std::string_view::npos) {
            shift = 10 * (static_cast<unsigned>(unit) + 1);
            text.remove_suffix(1);
        }
    }
    if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
    uint64_t whole = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error == std::errc() && end == text.data() + text.size()) {
        return whole > (UINT64_MAX >> shift) ? std::nullopt : std::optional<uint64_t>(whole << shift);
    }
    double real = 0;
    auto [real_end, real_error] = std::from_chars(text.data(), text.data() + text.size(), real, std::chars_format::fixed);
    double scaled = std::ldexp(real, static_cast<int>(shift));
    if (real_error != std::errc() || real_end != text.data() + text.size() || shift == 0 || !(scaled < 0x1p63)) return std::nullopt;
    return static_cast<uint64_t>(scaled);
}

std::string format_size(uint64_t bytes) {
    constexpr std::string_view kUnits = "KMGT";
    size_t unit = 0;
    while (unit < kUnits.size() && bytes != 0 && bytes % 1024 == 0) bytes /= 1024, ++unit;
    return unit == 0 ? std::to_string(bytes) : cat(bytes, kUnits[unit - 1]);
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string_view> words) {
    size_t best = std::max<size_t>(2, word.size() / 3) + 1;
    std::optional<std::string> out;
    for (std::string_view candidate : words) {
        size_t distance = edit_distance(word, candidate);
        if (distance < best) best = distance, out = std::string(candidate);
    }
    return out;
}

}  // namespace stepccl
