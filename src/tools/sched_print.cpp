// stepccl_sched list, print and diff.

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "base/text.h"
#include "sched/text.h"
#include "tools/sched_cases.h"
#include "tools/sched_commands.h"

namespace stepccl::tools {
namespace {

Result<Schedule> build_one(const SchedArgs& args, const std::string& name) {
    auto algorithm = algorithm_named(args.words[0], name);
    if (!algorithm.ok()) return algorithm.status();
    Problem problem{algorithm.value()->kind, *args.n, args.root, args.in_place};
    return build(*algorithm.value(), problem, args.rank, args.parts.empty() ? 1 : args.parts[0]);
}

// A step as it is compared, and as it is shown: numbers of steps change wherever a step is put in before them.
struct Line {
    std::string key, shown;
};

std::vector<Line> lines_of(const Schedule& schedule) {
    std::vector<Line> out;
    for (uint32_t i = 0; i < schedule.steps.size(); ++i) {
        Step alone = schedule.steps[i];
        alone.ndeps = 0;
        std::ostringstream shown;
        shown << std::setw(5) << i << "  " << stepccl::to_text(schedule, schedule.steps[i]);
        out.push_back({stepccl::to_text(schedule, alone), std::move(shown).str()});
    }
    return out;
}

// Lengths of the longest common subsequence of what is left of both, at every pair of places.
class Common {
  public:
    Common(const std::vector<Line>& a, const std::vector<Line>& b)
        : width_(b.size() + 1), length_((a.size() + 1) * width_) {
        for (size_t i = a.size(); i-- > 0;) {
            for (size_t j = b.size(); j-- > 0;) {
                at(i, j) = a[i].key == b[j].key ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
            }
        }
    }
    uint32_t& at(size_t i, size_t j) { return length_[i * width_ + j]; }

  private:
    size_t width_;
    std::vector<uint32_t> length_;
};

bool print_difference(const std::vector<Line>& a, const std::vector<Line>& b) {
    Common common(a, b);
    bool differ = false;
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i].key == b[j].key) {
            std::cout << "  " << a[i].shown << "\n";
            ++i, ++j;
            continue;
        }
        differ = true;
        bool first = j == b.size() || (i < a.size() && common.at(i + 1, j) >= common.at(i, j + 1));
        std::cout << (first ? "- " : "+ ") << (first ? a[i++] : b[j++]).shown << "\n";
    }
    return differ;
}

}  // namespace

Result<int> sched_list(const SchedArgs& args) {
    uint32_t n = args.n.value_or(8);
    std::cout << "with n=" << n << " ranks:\n";
    for (const Algorithm& algorithm : algorithms()) {
        std::cout << std::left << std::setw(15) << info(algorithm.kind).name << std::setw(19) << algorithm.name
                  << "steps " << std::setw(5) << algorithm.steps(n) << "sent " << std::setw(5) << algorithm.sent(n)
                  << "blocks " << std::setw(5) << algorithm.blocks(n)
                  << (algorithm.reorders ? "reorders  " : "          ") << algorithm.help << "\n";
    }
    return 0;
}

Result<int> sched_print(const SchedArgs& args) {
    auto schedule = build_one(args, args.words[1]);
    if (!schedule.ok()) return schedule.status();
    std::cout << stepccl::to_text(schedule.value());
    return 0;
}

Result<int> sched_diff(const SchedArgs& args) {
    auto first = build_one(args, args.words[1]), second = build_one(args, args.words[2]);
    if (!first.ok()) return first.status();
    if (!second.ok()) return second.status();
    auto header = [](const Schedule& schedule) {
        std::string text = stepccl::to_text(schedule);
        return text.substr(0, text.find('\n'));
    };
    std::cout << "- " << header(first.value()) << "\n+ " << header(second.value()) << "\n";
    return print_difference(lines_of(first.value()), lines_of(second.value())) ? 1 : 0;
}

}  // namespace stepccl::tools
