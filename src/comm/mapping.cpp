#include "comm/mapping.h"

#include <algorithm>

#include "base/text.h"

namespace stepccl {

using cuda::ContextGuard;
using cuda::DevicePtr;

Result<ExportedBuffer> Exporter::describe(const void* address, bool other_processes) {
    const cuda::Driver& driver = gpu_->driver();
    cuda::PointerInfo known = cuda::pointer_info(driver, address);
    ExportedBuffer out;
    out.bytes = known.bytes;
    out.buffer_id = known.buffer_id;
    out.base = known.base;
    out.offset = reinterpret_cast<DevicePtr>(address) - known.base;
    out.device = known.ordinal;
    if (!other_processes) return out;
    auto found = handles_.find(known.buffer_id);
    if (found == handles_.end()) {
        ContextGuard guard(driver, gpu_->context());
        STEPCCL_TRY(guard.status());
        cuda::IpcMemHandle handle{};
        Status status = driver.check(driver.ipc_get_mem_handle(&handle, known.base), "cuIpcGetMemHandle");
        if (!status.ok()) return Status(Code::ERR_UNSUPPORTED, status.text());
        if (handles_.size() >= kMostHandles) handles_.clear();
        found = handles_.emplace(known.buffer_id, handle).first;
    }
    out.handle = found->second;
    return out;
}

Importer::~Importer() {
    while (!mappings_.empty()) unmap(mappings_.begin());
}

Result<DevicePtr> Importer::reach(uint32_t peer, bool same_process, const ExportedBuffer& buffer, uint64_t call) {
    if (buffer.bytes == 0) return DevicePtr{0};
    if (same_process) {
        STEPCCL_TRY(gpu_->reach(buffer.device));
        return buffer.base + buffer.offset;
    }
    Key key{peer, buffer.buffer_id};
    auto found = mappings_.find(key);
    if (found != mappings_.end()) {
        found->second.used = call;
        return found->second.address + buffer.offset;
    }
    drop_replaced(peer, buffer, call);
    make_room(call);
    return map(key, buffer, call);
}

Result<DevicePtr> Importer::map(const Key& key, const ExportedBuffer& buffer, uint64_t call) {
    const cuda::Driver& driver = gpu_->driver();
    ContextGuard guard(driver, gpu_->context());
    STEPCCL_TRY(guard.status());
    DevicePtr address = 0;
    STEPCCL_TRY(driver.check(driver.ipc_open_mem_handle(&address, buffer.handle, cuda::kIpcLazyEnablePeerAccess),
                             cat("cuIpcOpenMemHandle of ", buffer.bytes, " bytes of rank ", key.first)));
    mappings_[key] = {address, buffer.base, call};
    return address + buffer.offset;
}

// What lay where this allocation lies now is gone.
void Importer::drop_replaced(uint32_t peer, const ExportedBuffer& buffer, uint64_t call) {
    for (auto it = mappings_.begin(); it != mappings_.end();) {
        auto here = it++;
        if (here->first.first == peer && here->second.base == buffer.base && here->second.used != call) unmap(here);
    }
}

void Importer::make_room(uint64_t call) {
    while (mappings_.size() >= most_) {
        auto oldest = std::min_element(mappings_.begin(), mappings_.end(),
                                       [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
        if (oldest->second.used == call) return;  // all are in use; the cache grows for this call
        unmap(oldest);
    }
}

void Importer::unmap(std::map<Key, Mapping>::iterator mapping) {
    ContextGuard guard(gpu_->driver(), gpu_->context());
    if (guard.status().ok()) (void)gpu_->driver().ipc_close_mem_handle(mapping->second.address);
    mappings_.erase(mapping);
}

}  // namespace stepccl
