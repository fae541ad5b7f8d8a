// From a loaded hwloc topology to a Machine.
#pragma once

#include <hwloc.h>

#include <string>

#include "topo/machine.h"

namespace stepccl {

Machine machine_of(hwloc_topology_t topology, std::string source);

}  // namespace stepccl
