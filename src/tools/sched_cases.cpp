#include "tools/sched_cases.h"

#include "base/text.h"
#include "coll/placement.h"
#include "tools/options.h"

namespace stepccl::tools {
namespace {

constexpr uint32_t kAllRootsUpTo = 16;

std::vector<uint32_t> roots_of(Kind kind, uint32_t n) {
    if (!info(kind).rooted) return {0};
    if (n > kAllRootsUpTo) return {0, n / 2, n - 1};
    std::vector<uint32_t> roots;
    for (uint32_t root = 0; root < n; ++root) roots.push_back(root);
    return roots;
}

bool in_place_differs(Kind kind, uint32_t n) {
    for (uint32_t rank = 0; rank < n; ++rank) {
        if (alias({kind, n, 0, true}, rank) != Alias::none) return true;
    }
    return false;
}

}  // namespace

std::string to_text(const Case& one) {
    const Problem& p = one.problem;
    return cat(info(p.kind).name, " ", one.algorithm->name, " n=", p.n,
               info(p.kind).rooted ? cat(" root=", p.root) : std::string(), p.in_place ? " in-place" : "",
               " parts=", one.parts);
}

std::vector<Schedule> build_all(const Case& one) {
    std::vector<Schedule> out;
    for (uint32_t rank = 0; rank < one.problem.n; ++rank)
        out.push_back(build(*one.algorithm, one.problem, rank, one.parts));
    return out;
}

Options options_for(const Case& one) {
    Options options;
    options.reorders = one.algorithm->reorders;
    return options;
}

std::vector<Case> cases_of(const Algorithm& algorithm, uint32_t n, const std::vector<uint32_t>& parts) {
    std::vector<Case> out;
    for (uint32_t root : roots_of(algorithm.kind, n)) {
        for (bool in_place : {false, true}) {
            if (in_place && !in_place_differs(algorithm.kind, n)) continue;
            for (uint32_t count : parts) out.push_back({&algorithm, {algorithm.kind, n, root, in_place}, count});
        }
    }
    return out;
}

Result<std::vector<const Algorithm*>> algorithms_of(std::string_view kind) {
    std::vector<std::string_view> kinds;
    std::vector<const Algorithm*> out;
    for (size_t i = 0; i < kKinds; ++i) kinds.emplace_back(info(static_cast<Kind>(i)).name);
    auto found = kind_named(kind);
    if (!found) return unknown_word("kind of collective", kind, kinds);
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.kind == *found) out.push_back(&algorithm);
    }
    return out;
}

Result<const Algorithm*> algorithm_named(std::string_view kind, std::string_view name) {
    auto rows = algorithms_of(kind);
    if (!rows.ok()) return rows.status();
    std::vector<std::string_view> names;
    for (const Algorithm* row : rows.value()) {
        if (name == row->name) return row;
        names.emplace_back(row->name);
    }
    return unknown_word(cat(kind, " algorithm"), name, names);
}

}  // namespace stepccl::tools
