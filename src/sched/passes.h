// What is done to a schedule after an algorithm has written it.
#pragma once

#include "sched/schedule.h"

namespace stepccl {

// Cuts every block into `parts` parts and repeats the steps accordingly, in the schedule's Order; order inside the rank is inferred anew.
Schedule chunk(const Schedule& schedule, uint32_t parts);

// Fills `deps` from what the steps read and write: read after write, write after read, write after write, between lanes.
void infer_order(Schedule& schedule);

}  // namespace stepccl
