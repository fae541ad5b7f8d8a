// Memory that the ranks of a node share: an anonymous file, reached by the others through /proc/<pid>/fd, so that nothing is left
// anywhere when the processes end, however they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "comm/process.h"

namespace stepccl {

// Where a region is found by others. Plain data; travels through the bootstrap.
struct SharedName {
    ProcessId owner;
    int32_t descriptor = -1;
    uint64_t inode = 0;
    uint64_t address = 0;  // in the owner's address space, for ranks that are threads of it
    uint64_t bytes = 0;
};

class SharedMemory {
  public:
    // A new region, zeroed, every page of it there (a full machine is an error here, not a SIGBUS later).
    static Result<std::unique_ptr<SharedMemory>> create(size_t bytes);
    // Another rank's region. `name.owner` must still hold it.
    static Result<std::unique_ptr<SharedMemory>> open(const SharedName& name);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    void* data() const noexcept { return data_; }
    size_t bytes() const noexcept { return bytes_; }
    SharedName name() const;
    // The region stays; others can open it no longer.
    void close_descriptor();

  private:
    SharedMemory() = default;
    Status map();

    int descriptor_ = -1;
    void* data_ = nullptr;
    size_t bytes_ = 0;
    std::shared_ptr<void> mapping_;  // shared by the ranks of one process
};

}  // namespace stepccl
