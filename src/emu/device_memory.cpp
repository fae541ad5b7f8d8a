#include "emu/device_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

#include "base/checked.h"

namespace stepccl::emu {
namespace {

constexpr size_t kGranularity = size_t{2} << 20;
constexpr size_t kPage = 4096;
constexpr int kFill = 0xA5;

// Addresses that were freed, by mapped size. Taking them again first makes a stale mapping of an address show early;
// the kernel is asked whether they are still free.
struct FreedAddresses {
    std::mutex mutex;
    std::multimap<size_t, void*> by_size;
};

FreedAddresses& freed() {
    static auto* instance = new FreedAddresses();  // leaked: worker threads outlive static destructors
    return *instance;
}

void* map_again(int fd, size_t bytes) {
    std::lock_guard lock(freed().mutex);
    auto [first, last] = freed().by_size.equal_range(bytes);
    for (auto it = first; it != last;) {
        void* wanted = it->second;
        it = freed().by_size.erase(it);
        void* got = mmap(wanted, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
        if (got == wanted) return got;
        if (got != MAP_FAILED) munmap(got, bytes);  // an old kernel takes the address as a hint only
    }
    return nullptr;
}

// A new place, aligned as CUDA aligns large allocations.
void* map_fresh(int fd, size_t bytes) {
    void* reserved = mmap(nullptr, bytes + kGranularity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return nullptr;
    char* begin = static_cast<char*>(reserved);
    char* aligned = reinterpret_cast<char*>(align_up(reinterpret_cast<uint64_t>(reserved), kGranularity));
    size_t head = static_cast<size_t>(aligned - begin);
    if (head != 0) munmap(begin, head);
    munmap(aligned + bytes, kGranularity - head);
    void* view = mmap(aligned, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0);
    return view == MAP_FAILED ? nullptr : view;
}

}  // namespace

DeviceMemory::DeviceMemory(int fd, size_t bytes)
    : fd_(fd), bytes_(bytes), mapped_bytes_(align_up(bytes, kGranularity)) {}

cuda::CuResult DeviceMemory::create(size_t bytes, std::unique_ptr<DeviceMemory>& out) {
    int fd = memfd_create(kMemoryName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return cuda::CUDA_ERROR_OUT_OF_MEMORY;
    std::unique_ptr<DeviceMemory> memory(new DeviceMemory(fd, bytes));
    // The seals keep the size, so that no importer can meet a SIGBUS.
    if (ftruncate(fd, static_cast<off_t>(memory->mapped_bytes_)) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 || !memory->map()) {
        return cuda::CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory->fill();
    out = std::move(memory);
    return cuda::CUDA_SUCCESS;
}

cuda::CuResult DeviceMemory::adopt(int fd, size_t bytes, std::unique_ptr<DeviceMemory>& out) {
    std::unique_ptr<DeviceMemory> memory(new DeviceMemory(fd, bytes));
    if (!memory->map()) return cuda::CUDA_ERROR_MAP_FAILED;
    out = std::move(memory);
    return cuda::CUDA_SUCCESS;
}

bool DeviceMemory::map() {
    struct stat info {};
    if (fstat(fd_, &info) != 0) return false;
    inode_ = info.st_ino;
    void* hidden = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (hidden == MAP_FAILED) return false;
    hidden_ = static_cast<char*>(hidden);
    program_ = map_again(fd_, mapped_bytes_);
    if (program_ == nullptr) program_ = map_fresh(fd_, mapped_bytes_);
    if (program_ == nullptr) return false;
    // A forked child has no device: what it inherits must not reach the parent's memory. A failure costs only that.
    static_cast<void>(madvise(hidden_, mapped_bytes_, MADV_DONTFORK));
    static_cast<void>(madvise(program_, mapped_bytes_, MADV_DONTFORK));
    return true;
}

void DeviceMemory::fill() const {
    if (bytes_ < kLazyBytes) {
        std::memset(hidden_, kFill, align_up(bytes_, kPage));
    } else {
        std::memset(hidden_, kFill, kFilledEdge);
        std::memset(hidden_ + bytes_ - kFilledEdge, kFill, kFilledEdge);
    }
}

void DeviceMemory::withdraw() {
    if (program_ != nullptr) {
        std::lock_guard lock(freed().mutex);
        munmap(program_, mapped_bytes_);
        freed().by_size.emplace(mapped_bytes_, program_);
        program_ = nullptr;
    }
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
}

DeviceMemory::~DeviceMemory() {
    withdraw();
    if (hidden_ != nullptr) munmap(hidden_, mapped_bytes_);
}

}  // namespace stepccl::emu
