// stepccl_sched mutate: breaks schedules at random, executes them to see whether that did harm, and asks the verifier.

#include <iostream>

#include "sched/text.h"
#include "tools/sched_cases.h"
#include "tools/sched_commands.h"
#include "verify/execute.h"
#include "verify/mutate.h"

namespace stepccl::tools {
namespace {

struct Tally {
    uint32_t made = 0, harmful = 0, caught = 0, rejected = 0;
};

Case random_case(std::mt19937& random) {
    auto below = [&](size_t end) { return static_cast<uint32_t>(random() % end); };
    const Algorithm& algorithm = algorithms()[below(algorithms().size())];
    uint32_t n = 2 + below(5);
    uint32_t root = info(algorithm.kind).rooted ? below(n) : 0;
    return {&algorithm, {algorithm.kind, n, root, below(2) == 0}, 1 + below(3)};
}

void print_missed(const Case& one, const std::string& change, const std::string& wrong,
                  const std::vector<Schedule>& schedules) {
    std::cout << "MISSED: " << to_text(one) << "\n  " << change << "\n  executed: " << wrong << "\n";
    for (const Schedule& schedule : schedules) std::cout << stepccl::to_text(schedule);
}

}  // namespace

Result<int> sched_mutate(const SchedArgs& args) {
    std::mt19937 random(args.seed);
    Tally tally;
    while (tally.made < args.count) {
        Case one = random_case(random);
        Options options = options_for(one);
        std::vector<Schedule> schedules = build_all(one);
        Report whole = verify(schedules, options);
        if (!whole.ok())
            return Status(Code::ERR_INTERNAL, to_text(one) + " is wrong as it is; see stepccl_sched verify");
        std::string change = mutate(schedules, random);
        if (change.empty()) continue;
        ++tally.made;
        bool accepted = verify(schedules, options).ok();
        std::string wrong = execute_often(schedules, options, random, args.runs);
        if (wrong.empty()) {
            tally.rejected += accepted ? 0 : 1;
        } else {
            ++tally.harmful;
            tally.caught += accepted ? 0 : 1;
            if (accepted) print_missed(one, change, wrong, schedules);
        }
    }
    std::cout << tally.made << " mutants; " << tally.harmful << " did harm when executed, the verifier caught "
              << tally.caught << " of them; " << tally.made - tally.harmful << " did none, it rejected "
              << tally.rejected << " of those\n";
    return tally.caught == tally.harmful ? 0 : 1;
}

}  // namespace stepccl::tools
