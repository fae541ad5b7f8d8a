// Handles that open an allocation in another process. The memory is reached through the exporter's descriptor in /proc,
// so an exporter that is gone, or that freed the memory, cannot be opened; what was opened before stays valid.
#pragma once

#include <memory>

#include "emu/registry.h"

namespace stepccl::emu {

class Context;

cuda::CuResult export_memory(const Allocation& allocation, cuda::IpcMemHandle& out);
// Maps it for `context`, or counts one more opening of the mapping that there is.
cuda::CuResult import_memory(Context& context, const cuda::IpcMemHandle& handle, std::shared_ptr<Allocation>& out);

}  // namespace stepccl::emu
