// The builders' names, from algorithms.def.
#pragma once

#include "sched/builder.h"

namespace stepccl::algo {

#define STEPCCL_ALGORITHM(kind, name, reorders, blocks, steps, sent, help) void kind##_##name(Builder& b);
#include "algo/algorithms.def"
#undef STEPCCL_ALGORITHM

}  // namespace stepccl::algo
