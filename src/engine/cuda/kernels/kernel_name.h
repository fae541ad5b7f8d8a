// The names under which the reduction kernels are found, in the fat binaries and in the emulation.
#pragma once

#include "base/datatype.h"

namespace stepccl::kernels {

// "stepccl_reduce_float32_sum" and so on; null when `op` is not defined on `type`. Static storage.
const char* kernel_name(Datatype type, Operation op) noexcept;

}  // namespace stepccl::kernels
