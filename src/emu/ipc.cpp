#include "emu/ipc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "base/text.h"
#include "emu/context.h"
#include "emu/machine.h"

namespace stepccl::emu {
namespace {

constexpr uint32_t kMagic = 0x5ccde9e7, kVersion = 1;

struct Handle {
    uint32_t magic, version;
    int32_t pid, fd;
    uint64_t start_time, inode, bytes, buffer_id;
    uint64_t reserved[2];
};
static_assert(sizeof(Handle) == sizeof(cuda::IpcMemHandle));

// In clock ticks since boot, field 22 of /proc/PID/stat: tells a process from a later one with its number.
std::optional<uint64_t> start_time(int64_t pid) {
    std::ifstream file(cat("/proc/", pid, "/stat"));
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    size_t name_end = line.rfind(')');  // the name before it may hold anything
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream rest(line.substr(name_end + 1));
    std::string skipped;
    for (int field = 3; field < 22; ++field) rest >> skipped;
    uint64_t out = 0;
    return rest >> out ? std::optional(out) : std::nullopt;
}

// Opens the exporter's descriptor. Whatever else has its number by now is left alone: the link's name is looked at
// before, the inode after.
int open_export(const Handle& handle) {
    const std::string link = cat("/proc/", handle.pid, "/fd/", handle.fd);
    std::array<char, 256> target{};
    ssize_t length = readlink(link.c_str(), target.data(), target.size() - 1);
    const std::string wanted = cat("/memfd:", kMemoryName);
    if (length < 0 || !std::string_view(target.data(), static_cast<size_t>(length)).starts_with(wanted)) return -1;
    int fd = open(link.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -1;
    struct stat info {};
    bool same = fstat(fd, &info) == 0 && info.st_ino == handle.inode && fcntl(fd, F_GET_SEALS) > 0 &&
                static_cast<uint64_t>(info.st_size) >= handle.bytes;
    if (same) return fd;
    close(fd);
    return -1;
}

bool is_own(const Handle& handle) {
    return handle.pid == getpid() && start_time(handle.pid) == handle.start_time;
}

}  // namespace

cuda::CuResult export_memory(const Allocation& allocation, cuda::IpcMemHandle& out) {
    if (allocation.kind != Allocation::Kind::device) return cuda::CUDA_ERROR_INVALID_VALUE;
    auto started = start_time(getpid());
    if (!started) return cuda::CUDA_ERROR_OPERATING_SYSTEM;
    Handle handle{kMagic,
                  kVersion,
                  getpid(),
                  allocation.memory->fd(),
                  *started,
                  allocation.memory->inode(),
                  allocation.bytes,
                  allocation.buffer_id,
                  {}};
    std::memcpy(&out, &handle, sizeof out);
    return cuda::CUDA_SUCCESS;
}

cuda::CuResult import_memory(Context& context, const cuda::IpcMemHandle& encoded, std::shared_ptr<Allocation>& out) {
    Handle handle{};
    std::memcpy(&handle, &encoded, sizeof handle);
    if (handle.magic != kMagic || handle.version != kVersion || handle.bytes == 0)
        return cuda::CUDA_ERROR_INVALID_VALUE;
    if (is_own(handle)) return cuda::CUDA_ERROR_INVALID_CONTEXT;
    // Asked of the exporter every time, so that a freed allocation is noticed also when it is still mapped here.
    if (start_time(handle.pid) != handle.start_time) return cuda::CUDA_ERROR_INVALID_HANDLE;
    int fd = open_export(handle);
    if (fd < 0) return cuda::CUDA_ERROR_INVALID_HANDLE;
    Registry& registry = context.machine().registry;
    const ExportKey source{handle.pid, handle.start_time, handle.inode};
    // One opener at a time, so that two threads share one mapping.
    static std::mutex opening;
    std::lock_guard lock(opening);
    if ((out = registry.open_again(context, source))) return close(fd), cuda::CUDA_SUCCESS;
    auto imported = std::make_shared<Allocation>(Allocation::Kind::imported, context);
    if (auto result = DeviceMemory::adopt(fd, handle.bytes, imported->memory); result != cuda::CUDA_SUCCESS)
        return result;
    imported->address = imported->memory->address();
    imported->hidden = imported->memory->hidden();
    imported->bytes = handle.bytes;
    imported->source = source;
    registry.add(imported);
    out = std::move(imported);
    return cuda::CUDA_SUCCESS;
}

}  // namespace stepccl::emu
