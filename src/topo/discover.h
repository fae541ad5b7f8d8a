// The machine as hwloc shows it: this one, or a recorded one.
#pragma once

#include <string>

#include "base/log.h"
#include "base/status.h"
#include "topo/machine.h"

namespace stepccl {

// This host. GPUs are NVIDIA's PCI display and 3D controllers. Links are NVLinks where hwloc knows them (it asks NVML,
// if it was built with it), and else PCIe at the speed of the slot. ERR_SYSTEM.
Result<Machine> discover_host(const Log& log);

// An XML file as `lstopo --of xml` writes it. ERR_FILE when it cannot be read or is something else.
Result<Machine> read_xml(const std::string& path);

}  // namespace stepccl
