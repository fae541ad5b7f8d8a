// From a loaded hwloc topology to a Machine.
#pragma once

#include <string>

#include "topo/machine.h"

struct hwloc_topology;

namespace stepccl {

Machine machine_of(hwloc_topology* topology, std::string source);

}  // namespace stepccl
