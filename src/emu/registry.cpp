#include "emu/registry.h"

#include <sys/mman.h>

#include "base/checked.h"

namespace stepccl::emu {
namespace {

void withdraw(Allocation& allocation) {
    allocation.live = false;
    if (allocation.memory) allocation.memory->withdraw();
}

}  // namespace

Allocation::~Allocation() {
    if (kind == Kind::host && hidden != nullptr) munmap(hidden, align_up(bytes, 4096));
}

void Registry::add(const std::shared_ptr<Allocation>& allocation) {
    std::lock_guard lock(mutex_);
    allocation->buffer_id = next_buffer_id_++;
    by_address_[allocation->address] = allocation;
}

std::shared_ptr<Allocation> Registry::find(uint64_t address) const {
    std::lock_guard lock(mutex_);
    auto next = by_address_.upper_bound(address);
    if (next == by_address_.begin()) return nullptr;
    const auto& candidate = std::prev(next)->second;
    return candidate->contains(address, 1) ? candidate : nullptr;
}

bool Registry::overlaps(uint64_t address, size_t bytes) const {
    if (find(address)) return true;
    std::lock_guard lock(mutex_);
    auto next = by_address_.upper_bound(address);
    return next != by_address_.end() && next->first - address < bytes;
}

bool Registry::remove(const std::shared_ptr<Allocation>& allocation) {
    std::lock_guard lock(mutex_);
    bool open = allocation->kind == Allocation::Kind::imported && allocation->opens != 0;
    if (!allocation->live || open) return false;
    // Under the lock: the address may be given out again as soon as it is unmapped.
    by_address_.erase(allocation->address);
    withdraw(*allocation);
    return true;
}

void Registry::remove_all(const Context& context) {
    std::lock_guard lock(mutex_);
    std::erase_if(by_address_, [&](auto& entry) {
        if (&entry.second->context != &context) return false;
        withdraw(*entry.second);
        return true;
    });
}

std::shared_ptr<Allocation> Registry::open_again(const Context& context, const ExportKey& source) {
    std::lock_guard lock(mutex_);
    for (auto& [address, allocation] : by_address_) {
        if (allocation->kind != Allocation::Kind::imported || &allocation->context != &context) continue;
        if (allocation->source != source) continue;
        ++allocation->opens;
        return allocation;
    }
    return nullptr;
}

bool Registry::close(Allocation& allocation) {
    std::lock_guard lock(mutex_);
    return --allocation.opens == 0;
}

bool is_mapped(uint64_t address, size_t bytes) {
    if (address + bytes < address) return false;
    uint64_t begin = address & ~uint64_t{4095}, end = align_up(address + bytes, 4096);
    // MS_ASYNC does nothing but walk the mappings: ENOMEM when there is a hole.
    return msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0;
}

}  // namespace stepccl::emu
