#include "verify/mutate.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "sched/text.h"

namespace stepccl {
namespace {

// One schedule under the knife. Every change returns what it did, or nothing when it does not apply.
class Surgeon {
  public:
    Surgeon(Schedule& schedule, std::mt19937& random) : s_(schedule), random_(random) {}

    std::string change() {
        using Change = std::string (Surgeon::*)();
        constexpr Change kChanges[] = {&Surgeon::erase,       &Surgeon::swap_next,  &Surgeon::swap_any,
                                       &Surgeon::twice,       &Surgeon::drop_dep,   &Surgeon::wait_less,
                                       &Surgeon::other_value, &Surgeon::other_flag, &Surgeon::other_part,
                                       &Surgeon::other_block};
        return (this->*kChanges[below(std::size(kChanges))])();
    }

  private:
    uint32_t below(size_t end) { return static_cast<uint32_t>(random_() % end); }
    uint32_t any_step() { return below(s_.steps.size()); }
    std::string text(uint32_t step) const { return cat("step ", step, " (", to_text(s_, s_.steps[step]), ")"); }

    std::vector<uint32_t> identity() const {
        std::vector<uint32_t> order(s_.steps.size());
        std::iota(order.begin(), order.end(), 0U);
        return order;
    }

    // Puts the steps of these old numbers one after the other. Dependencies follow their steps; one that would point
    // forward is lost.
    void arrange(const std::vector<uint32_t>& order) {
        std::vector<Step> steps;
        std::vector<uint32_t> deps;
        for (uint32_t old : order) {
            Step step = s_.steps[old];
            uint32_t first = static_cast<uint32_t>(deps.size());
            for (uint32_t dep : s_.deps_of(step)) {
                auto before = order.begin() + static_cast<std::ptrdiff_t>(steps.size());
                auto found = std::find(order.begin(), before, dep);
                if (found != before) deps.push_back(static_cast<uint32_t>(found - order.begin()));
            }
            step.first_dep = first;
            step.ndeps = static_cast<uint32_t>(deps.size()) - first;
            steps.push_back(step);
        }
        s_.steps = std::move(steps);
        s_.deps = std::move(deps);
    }

    std::string erase() {
        uint32_t step = any_step();
        std::string what = cat("deleted ", text(step));
        auto order = identity();
        order.erase(order.begin() + step);
        arrange(order);
        return what;
    }

    std::string swap_steps(uint32_t a, uint32_t b) {
        if (a == b || b >= s_.steps.size()) return {};
        std::string what = cat("swapped ", text(a), " and ", text(b));
        auto order = identity();
        std::swap(order[a], order[b]);
        arrange(order);
        return what;
    }
    std::string swap_any() { return swap_steps(any_step(), any_step()); }
    // With the next of its lane.
    std::string swap_next() {
        uint32_t a = any_step(), b = a + 1;
        while (b < s_.steps.size() && s_.steps[b].lane != s_.steps[a].lane) ++b;
        return swap_steps(a, b);
    }

    std::string twice() {
        uint32_t step = any_step(), place = step + below(s_.steps.size() - step + 1);
        std::string what = cat("doubled ", text(step), " before step ", place);
        auto order = identity();
        order.insert(order.begin() + place, step);
        arrange(order);
        return what;
    }

    std::string drop_dep() {
        if (s_.deps.empty()) return {};
        uint32_t dep = below(s_.deps.size());
        for (uint32_t i = 0; i < s_.steps.size(); ++i) {
            Step& step = s_.steps[i];
            if (dep < step.first_dep || dep >= step.first_dep + step.ndeps) continue;
            std::string what = cat("dropped dependency ", s_.deps[dep], " of ", text(i));
            std::swap(s_.deps[dep], s_.deps[step.first_dep + --step.ndeps]);
            return what;
        }
        return {};
    }

    // A random step with or without a flag.
    std::optional<uint32_t> find(bool (*wanted)(Op)) {
        std::vector<uint32_t> found;
        for (uint32_t i = 0; i < s_.steps.size(); ++i) {
            if (wanted(s_.steps[i].op)) found.push_back(i);
        }
        if (found.empty()) return std::nullopt;
        return found[below(found.size())];
    }
    static bool is_wait(Op op) { return op == Op::wait; }
    static bool has_flag(Op op) { return op == Op::wait || op == Op::signal; }
    static bool has_data(Op op) { return !has_flag(op); }

    std::string wait_less() {
        auto step = find(is_wait);
        if (!step || s_.steps[*step].value == 0) return {};
        std::string what = cat("lowered by 1 the value of ", text(*step));
        --s_.steps[*step].value;
        return what;
    }

    std::string other_value() {
        auto step = find(has_flag);
        uint32_t value = below(s_.epochs + 2);
        if (!step || s_.steps[*step].value == value) return {};
        std::string what = cat("gave value ", value, " to ", text(*step));
        s_.steps[*step].value = value;
        return what;
    }

    std::string other_flag() {
        auto step = find(has_flag);
        uint32_t index = below(s_.flags + 1);
        if (!step || s_.steps[*step].flag.index == index) return {};
        std::string what = cat("gave flag ", index, " to ", text(*step));
        s_.steps[*step].flag.index = index;
        return what;
    }

    std::string other_part() {
        auto step = find(has_data);
        uint32_t part = below(s_.parts + 1);
        if (part == s_.parts) part = kWhole;
        if (!step || s_.steps[*step].part == part || s_.parts == 1) return {};
        std::string what = cat("gave part ", part == kWhole ? "all" : std::to_string(part), " to ", text(*step));
        s_.steps[*step].part = part;
        return what;
    }

    std::string other_block() {
        auto found = find(has_data);
        uint32_t block = below(s_.blocks + (below(8) == 0 ? 1 : 0));
        if (!found) return {};
        Step& step = s_.steps[*found];
        std::string what = cat("gave block ", block, " to ", text(*found));
        // Several parts of a step share their sources: this one gets its own.
        std::vector<Operand> sources(s_.sources(step).begin(), s_.sources(step).end());
        uint32_t which = below(sources.size() + 1);
        Operand& operand = which == sources.size() ? step.dst : sources[which];
        if (operand.block == block) return {};
        operand.block = block;
        step.first_src = static_cast<uint32_t>(s_.operands.size());
        s_.operands.insert(s_.operands.end(), sources.begin(), sources.end());
        return cat(what, which == sources.size() ? ", where it writes" : cat(", source ", which));
    }

    Schedule& s_;
    std::mt19937& random_;
};

}  // namespace

std::string mutate(std::vector<Schedule>& ranks, std::mt19937& random) {
    bool any =
        std::any_of(ranks.begin(), ranks.end(), [](const Schedule& schedule) { return !schedule.steps.empty(); });
    while (any) {
        Schedule& schedule = ranks[random() % ranks.size()];
        if (schedule.steps.empty()) continue;
        std::string what = Surgeon(schedule, random).change();
        if (!what.empty()) return cat("rank ", schedule.rank, ": ", what);
    }
    return {};
}

}  // namespace stepccl
