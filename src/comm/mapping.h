// Buffers across processes: how this rank makes its own reachable, and how it reaches those of others.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <utility>

#include "base/log.h"
#include "comm/control_block.h"
#include "engine/cuda/gpu.h"

namespace stepccl {

// Describes own buffers. Handles are asked for once an allocation, known by its id, which is never reused.
class Exporter {
  public:
    explicit Exporter(std::shared_ptr<cuda::Gpu> gpu) : gpu_(std::move(gpu)) {}

    // What others need to reach `address`. ERR_UNSUPPORTED when the allocation cannot be shared between processes; ranks that
    // are all threads of this one (`other_processes` false) need no handle.
    Result<ExportedBuffer> describe(const void* address, bool other_processes);

  private:
    static constexpr size_t kMostHandles = 4096;
    std::shared_ptr<cuda::Gpu> gpu_;
    std::map<uint64_t, cuda::IpcMemHandle> handles_;  // by buffer id
};

// Maps the allocations of others, and keeps them mapped for later calls, the least recently used one going first. An allocation at an
// address where another one was known takes its place: addresses are reused, buffer ids are not.
class Importer {
  public:
    Importer(std::shared_ptr<cuda::Gpu> gpu, size_t most) : gpu_(std::move(gpu)), most_(most) {}
    ~Importer();
    Importer(const Importer&) = delete;
    Importer& operator=(const Importer&) = delete;

    // The buffer's address in this process. What was reached in the same `call` stays mapped at least.
    Result<cuda::DevicePtr> reach(uint32_t peer, bool same_process, const ExportedBuffer& buffer, uint64_t call);

    size_t mapped() const noexcept { return mappings_.size(); }

  private:
    struct Mapping {
        cuda::DevicePtr address = 0;
        uint64_t base = 0;
        uint64_t used = 0;  // call
    };
    using Key = std::pair<uint32_t, uint64_t>;  // peer, buffer id

    Result<cuda::DevicePtr> map(const Key& key, const ExportedBuffer& buffer, uint64_t call);
    void drop_replaced(uint32_t peer, const ExportedBuffer& buffer, uint64_t call);
    void make_room(uint64_t call);
    void unmap(std::map<Key, Mapping>::iterator mapping);

    std::shared_ptr<cuda::Gpu> gpu_;
    size_t most_;
    std::map<Key, Mapping> mappings_;
};

}  // namespace stepccl
