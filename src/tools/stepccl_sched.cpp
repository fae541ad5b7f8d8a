// Prints, compares and proves the schedules of collectives.

#include <iostream>

#include "config.h"
#include "tools/sched_commands.h"

namespace stepccl::tools {
namespace {

Result<int> run(const SchedArgs& args) {
    if (args.command == "list") return sched_list(args);
    if (args.command == "print") return sched_print(args);
    if (args.command == "diff") return sched_diff(args);
    if (args.command == "verify") return sched_verify(args);
    return sched_mutate(args);
}

int main_checked(int argc, char** argv) {
    auto args = parse_sched_args(argc, argv);
    if (args.ok() && args.value().help) return std::cout << sched_usage(), 0;
    if (args.ok() && args.value().version) return std::cout << "stepccl_sched (StepCCL) " PACKAGE_VERSION "\n", 0;
    Result<int> status = args.ok() ? run(args.value()) : args.status();
    if (status.ok()) return std::cout.flush() ? status.value() : 2;
    std::cerr << "stepccl_sched: " << status.status().text() << "\n";
    return 2;
}

}  // namespace
}  // namespace stepccl::tools

int main(int argc, char** argv) {
    return stepccl::tools::main_checked(argc, argv);
}
