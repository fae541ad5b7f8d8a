// One allocation's memory: a memfd that is mapped twice. The program's view has no access permission, so that a host
// load or store on device memory faults as on a real machine; the driver works through a hidden view. A memfd has no
// name in any file system, so nothing is left behind however the process ends.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/cuda/driver_api.h"

namespace stepccl::emu {

class DeviceMemory {
  public:
    // Fresh memory, filled with 0xA5. From kLazyBytes on only kFilledEdge bytes at either end are filled, and the rest
    // reads as zero, so that sparse tests of many gigabytes stay cheap.
    static constexpr size_t kLazyBytes = size_t{64} << 20, kFilledEdge = size_t{1} << 20;
    static cuda::CuResult create(size_t bytes, std::unique_ptr<DeviceMemory>& out);
    // Another process's memory through its descriptor, which is owned from here on.
    static cuda::CuResult adopt(int fd, size_t bytes, std::unique_ptr<DeviceMemory>& out);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    uint64_t address() const noexcept { return reinterpret_cast<uint64_t>(program_); }
    char* hidden() const noexcept { return hidden_; }
    int fd() const noexcept { return fd_; }
    ino_t inode() const noexcept { return inode_; }

    // Frees it as the program sees it: the address faults and may be given out again, and no handle opens it any more.
    // The hidden view stays for operations that are under way, until this object goes.
    void withdraw();

  private:
    DeviceMemory(int fd, size_t bytes);
    bool map();
    void fill() const;

    int fd_;
    size_t bytes_, mapped_bytes_;
    ino_t inode_ = 0;
    char* hidden_ = nullptr;
    void* program_ = nullptr;
};

inline constexpr char kMemoryName[] = "stepccl_emu";

}  // namespace stepccl::emu
