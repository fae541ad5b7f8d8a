#include "select/override.h"

#include <algorithm>
#include <charconv>

#include "base/params.h"
#include "base/text.h"

namespace stepccl {
namespace {

constexpr const char* kGrammar =
    "a rule is KIND[:LOW-HIGH[:RANKS]]@ALGORITHM[,parts=N], e.g. allreduce:1M-64M:8@ring,parts=8";

Status bad(const Rule& rule, const std::string& why) {
    return Status(Code::ERR_PARAMETER, cat("algorithm override '", rule.text, "': ", why));
}

// ", did you mean 'x'?" and all that there is.
std::string choices(std::string_view word, const std::vector<std::string_view>& names) {
    auto near = nearest(word, names);
    std::string out = near ? cat("; did you mean '", *near, "'?") : std::string();
    out += " There are:";
    for (std::string_view name : names) out += cat(" ", name);
    return out;
}

std::string known_kinds(std::string_view word) {
    std::vector<std::string_view> names;
    for (size_t kind = 0; kind < kKinds; ++kind) names.emplace_back(info(static_cast<Kind>(kind)).name);
    return choices(word, names);
}

std::string known_algorithms(Kind kind, std::string_view word) {
    std::vector<std::string_view> names;
    for (const Algorithm& row : algorithms()) {
        if (row.kind == kind) names.emplace_back(row.name);
    }
    return choices(word, names);
}

bool parse_number(std::string_view text, uint32_t& out) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
}

Status parse_sizes(std::string_view text, Rule& rule) {
    auto ends = split(text, '-');
    if (ends.size() != 2) return bad(rule, cat("sizes are LOW-HIGH, as 1M-64M or 64K-, not '", text, "'"));
    for (size_t i : {0u, 1u}) {
        if (ends[i].empty()) continue;
        auto bytes = parse_size(ends[i]);
        if (!bytes) return bad(rule, cat("'", ends[i], "' is no size; sizes are bytes with K, M or G, as 64K"));
        (i == 0 ? rule.low : rule.high) = *bytes;
    }
    if (rule.low > rule.high) return bad(rule, cat("no size is from ", ends[0], " to ", ends[1]));
    return {};
}

Status parse_ranks(std::string_view text, Rule& rule) {
    auto ends = split(text, '-');
    bool good = ends.size() <= 2 && parse_number(ends.front(), rule.fewest_ranks) &&
                parse_number(ends.back(), rule.most_ranks) && rule.fewest_ranks >= 1 &&
                rule.fewest_ranks <= rule.most_ranks;
    return good ? Status() : bad(rule, cat("ranks are a number or a range, as 8 or 2-8, not '", text, "'"));
}

Status parse_parts(std::string_view text, Rule& rule) {
    constexpr std::string_view kName = "parts=";
    bool good = text.starts_with(kName) && parse_number(text.substr(kName.size()), rule.parts) && rule.parts >= 1 &&
                rule.parts <= kMostParts;
    return good ? Status()
                : bad(rule,
                      cat("behind the algorithm comes parts=N with N from 1 to ", kMostParts, ", not '", text, "'"));
}

Status parse_where(std::string_view text, Rule& rule, Kind& kind) {
    auto pieces = split(text, ':');
    auto found = kind_named(pieces[0]);
    if (!found) return bad(rule, cat("there is no collective '", pieces[0], "'", known_kinds(pieces[0])));
    kind = *found;
    if (pieces.size() > 3) return bad(rule, kGrammar);
    if (pieces.size() > 1) STEPCCL_TRY(parse_sizes(pieces[1], rule));
    if (pieces.size() > 2) STEPCCL_TRY(parse_ranks(pieces[2], rule));
    return {};
}

Result<Rule> parse_rule(std::string_view text) {
    Rule rule;
    rule.text = text;
    auto sides = split(text, '@');
    if (sides.size() != 2) return bad(rule, kGrammar);
    Kind kind{};
    STEPCCL_TRY(parse_where(sides[0], rule, kind));
    auto pieces = split(sides[1], ',');
    rule.algorithm = find_algorithm(kind, pieces[0]);
    if (rule.algorithm == nullptr) {
        return bad(rule,
                   cat(info(kind).name, " has no algorithm '", pieces[0], "'", known_algorithms(kind, pieces[0])));
    }
    if (pieces.size() > 2) return bad(rule, kGrammar);
    if (pieces.size() == 2) STEPCCL_TRY(parse_parts(pieces[1], rule));
    return rule;
}

std::string_view trimmed(std::string_view text) {
    size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

}  // namespace

Result<Override> parse_override(std::string_view text) {
    Override out;
    for (std::string_view piece : split(text, ';')) {
        piece = trimmed(piece);
        if (piece.empty()) continue;
        auto rule = parse_rule(piece);
        STEPCCL_TRY(rule.status());
        out.rules.push_back(std::move(rule).value());
    }
    return out;
}

bool fits(const Rule& rule, const CallShape& call) noexcept {
    bool size =
        call.bytes ? rule.low <= *call.bytes && *call.bytes <= rule.high : rule.low == 0 && rule.high == UINT64_MAX;
    return rule.algorithm->kind == call.kind && size && rule.fewest_ranks <= call.n && call.n <= rule.most_ranks;
}

}  // namespace stepccl
