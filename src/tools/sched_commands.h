// The commands of stepccl_sched. Each prints to standard output and returns the exit status, or says why it cannot.
#pragma once

#include "tools/sched_args.h"

namespace stepccl::tools {

Result<int> sched_list(const SchedArgs& args);
Result<int> sched_print(const SchedArgs& args);
Result<int> sched_diff(const SchedArgs& args);
Result<int> sched_verify(const SchedArgs& args);
Result<int> sched_mutate(const SchedArgs& args);

}  // namespace stepccl::tools
