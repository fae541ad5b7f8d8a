#include "verify/program.h"

#include <algorithm>

#include "base/text.h"
#include "sched/text.h"

namespace stepccl::prover {

Program::Program(std::span<const Schedule> ranks) : ranks_(ranks) {
    first_.push_back(0);
    for (const Schedule& schedule : ranks) {
        first_.push_back(first_.back() + static_cast<uint32_t>(schedule.steps.size()));
        rank_.resize(first_.back(), schedule.rank);
    }
    partner_.assign(nodes(), kNone);
    list_signals();
    pair_flags();
}

size_t Program::key(const Flag& flag) const {
    return (size_t{flag.owner} * n() + flag.writer) * ranks_[0].flags + flag.index;
}

// A counting sort by flag, then each flag's signals by value.
void Program::list_signals() {
    first_raise_.assign(size_t{n()} * n() * ranks_[0].flags + 2, 0);
    for (uint32_t i = 0; i < nodes(); ++i) {
        if (step(i).op == Op::signal) ++first_raise_[key(step(i).flag) + 2];
    }
    for (size_t i = 2; i < first_raise_.size(); ++i) first_raise_[i] += first_raise_[i - 1];
    raises_.resize(first_raise_.back());
    for (uint32_t i = 0; i < nodes(); ++i) {
        if (step(i).op == Op::signal) raises_[first_raise_[key(step(i).flag) + 1]++] = {step(i).value, i};
    }
    auto lower = [](const Raise& a, const Raise& b) { return a.value < b.value; };
    for (size_t flag = 0; flag + 2 < first_raise_.size(); ++flag) {
        auto begin = raises_.begin() + first_raise_[flag], end = raises_.begin() + first_raise_[flag + 1];
        if (!std::is_sorted(begin, end, lower)) std::stable_sort(begin, end, lower);
    }
}

void Program::pair_flags() {
    for (size_t i = 1; i < raises_.size(); ++i) {
        const Flag& flag = step(raises_[i].node).flag;
        if (flag == step(raises_[i - 1].node).flag) partner_[raises_[i].node] = raises_[i - 1].node;
    }
    for (uint32_t i = 0; i < nodes(); ++i) {
        if (step(i).op != Op::wait) continue;
        size_t flag = key(step(i).flag);
        auto end = raises_.begin() + first_raise_[flag + 1];
        auto found = std::lower_bound(raises_.begin() + first_raise_[flag], end, step(i).value,
                                      [](const Raise& raise, uint32_t value) { return raise.value < value; });
        if (found != end) partner_[i] = found->node;
    }
}

std::string Program::text(uint32_t node) const {
    uint32_t r = rank(node);
    return cat("rank ", r, ", step ", node - first_[r], " (", to_text(schedule(r), step(node)), ")");
}

}  // namespace stepccl::prover
