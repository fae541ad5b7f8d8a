#include "comm/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "base/text.h"

namespace stepccl {
namespace {

Status failed(std::string_view what) {
    return Status(Code::ERR_SYSTEM, cat("shared memory: ", what, ": ", std::strerror(errno)));
}

// Mappings of this process, so that its ranks share one: two mappings of the same memory would hide their order from
// thread checkers, and cost twice.
struct Mappings {
    std::mutex mutex;
    std::map<uint64_t, std::weak_ptr<void>> by_address;
};
Mappings& mappings() {
    static Mappings* all = new Mappings;  // never destroyed: communicators may outlive static objects
    return *all;
}

}  // namespace

Result<std::unique_ptr<SharedMemory>> SharedMemory::create(size_t bytes) {
    std::unique_ptr<SharedMemory> out(new SharedMemory);
    out->bytes_ = bytes;
    out->descriptor_ = ::memfd_create("stepccl", MFD_CLOEXEC);
    if (out->descriptor_ < 0) return failed("memfd_create");
    if (int error = ::posix_fallocate(out->descriptor_, 0, static_cast<off_t>(bytes)); error != 0) {
        errno = error;
        return failed(cat("posix_fallocate of ", bytes, " bytes"));
    }
    STEPCCL_TRY(out->map());
    std::lock_guard lock(mappings().mutex);
    mappings().by_address[reinterpret_cast<uint64_t>(out->data_)] = out->mapping_;
    return out;
}

Result<std::unique_ptr<SharedMemory>> SharedMemory::open(const SharedName& name) {
    std::unique_ptr<SharedMemory> out(new SharedMemory);
    out->bytes_ = name.bytes;
    if (name.owner == this_process()) {
        std::lock_guard lock(mappings().mutex);
        out->mapping_ = mappings().by_address[name.address].lock();
        out->data_ = out->mapping_.get();
        if (out->data_ == nullptr) return Status(Code::ERR_INTERNAL, "shared memory: a region of this process is gone");
        return out;
    }
    std::string path = cat("/proc/", name.owner.pid, "/fd/", name.descriptor);
    out->descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (out->descriptor_ < 0) return failed(cat("open ", path));
    struct stat found {};
    if (::fstat(out->descriptor_, &found) != 0) return failed(cat("fstat ", path));
    if (found.st_ino != name.inode || static_cast<uint64_t>(found.st_size) != name.bytes) {
        return Status(Code::ERR_SYSTEM, cat("shared memory: ", path, " is another file"));
    }
    STEPCCL_TRY(out->map());
    out->close_descriptor();
    return out;
}

Status SharedMemory::map() {
    void* data = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (data == MAP_FAILED) return failed("mmap");
    data_ = data;
    mapping_ = std::shared_ptr<void>(data, [bytes = bytes_](void* address) { ::munmap(address, bytes); });
    return {};
}

SharedMemory::~SharedMemory() { close_descriptor(); }

void SharedMemory::close_descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

SharedName SharedMemory::name() const {
    struct stat found {};
    (void)::fstat(descriptor_, &found);
    return {this_process(), descriptor_, found.st_ino, reinterpret_cast<uint64_t>(data_), bytes_};
}

}  // namespace stepccl
