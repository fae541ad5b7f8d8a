#include "select/choose.h"

#include <algorithm>

namespace stepccl {
namespace {

// Powers of two only, so that few schedules have to be kept.
void price(Candidate& candidate, const CallShape& call, const Link& link, const CostModel& model, uint32_t wanted) {
    uint32_t most = most_parts(*candidate.algorithm, call);
    auto predict = [&](uint32_t parts) { return predict_us(*candidate.algorithm, call, link, model, parts); };
    candidate.parts = wanted == 0 ? 1 : std::min(wanted, most);
    candidate.predicted_us = predict(candidate.parts);
    if (wanted != 0) return;
    for (uint32_t parts = 2; parts <= most; parts *= 2) {
        double us = predict(parts);
        if (us < candidate.predicted_us) candidate.parts = parts, candidate.predicted_us = us;
    }
}

bool eligible(const Algorithm& algorithm, const CallShape& call) {
    return call.commutative || !algorithm.reorders;
}

// The first rule that fits and can be obeyed.
const Rule* find_rule(const Override& override, const CallShape& call, Choice& choice) {
    for (const Rule& rule : override.rules) {
        if (!fits(rule, call)) continue;
        if (eligible(*rule.algorithm, call)) return &rule;
        choice.passed_over = rule.text;
    }
    return nullptr;
}

// The first of a kind serves everything, so that there always is a best one.
const Candidate& best(const std::vector<Candidate>& candidates, const Rule* rule) {
    const Candidate* out = nullptr;
    for (const Candidate& candidate : candidates) {
        if (rule != nullptr && candidate.algorithm == rule->algorithm) return candidate;
        if (candidate.eligible && (out == nullptr || candidate.predicted_us < out->predicted_us)) out = &candidate;
    }
    return *out;
}

}  // namespace

Choice choose(const CallShape& call, const Link& link, const CostModel& model, const Override& override) {
    Choice out;
    out.call = call;
    out.link = link;
    const Rule* rule = find_rule(override, call, out);
    if (rule != nullptr) out.rule = rule->text;
    out.wanted_parts = rule != nullptr && rule->parts != 0 ? rule->parts : override.parts;
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.kind != call.kind) continue;
        Candidate& candidate = out.candidates.emplace_back(Candidate{&algorithm, 1, 0, eligible(algorithm, call)});
        price(candidate, call, link, model, out.wanted_parts);
    }
    const Candidate& chosen = best(out.candidates, rule);
    out.algorithm = chosen.algorithm;
    out.parts = chosen.parts;
    out.predicted_us = chosen.predicted_us;
    return out;
}

}  // namespace stepccl
