// Every live allocation of this process, by address.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "emu/device_memory.h"

namespace stepccl::emu {

class Context;

// Names an exported allocation for ever: memfd inode numbers are not used twice in a process's life.
struct ExportKey {
    int64_t pid = 0;
    uint64_t start_time = 0, inode = 0;
    friend auto operator<=>(const ExportKey&, const ExportKey&) = default;
};

// Whoever holds the pointer may touch the memory through `hidden`, also when it has been freed meanwhile.
struct Allocation {
    enum class Kind { device, imported, host };
    Allocation(Kind what, Context& owner) : kind(what), context(owner) {}
    ~Allocation();

    bool contains(uint64_t begin, size_t size) const noexcept {
        return begin >= address && size <= bytes && begin - address <= bytes - size;
    }
    char* at(uint64_t where) const noexcept { return hidden + (where - address); }

    const Kind kind;
    Context& context;
    uint64_t address = 0;
    size_t bytes = 0;
    uint64_t buffer_id = 0;
    char* hidden = nullptr;
    std::unique_ptr<DeviceMemory> memory;  // null for host memory
    std::atomic<bool> live{true};

    // Imported memory only, guarded by the registry's lock.
    ExportKey source;
    unsigned opens = 1;
};

class Registry {
  public:
    // Gives it a buffer id and makes it known.
    void add(const std::shared_ptr<Allocation>& allocation);
    // The live allocation that contains `address`; null when there is none.
    std::shared_ptr<Allocation> find(uint64_t address) const;
    bool overlaps(uint64_t address, size_t bytes) const;
    // Forgets it and withdraws its memory; the caller may still hold it. False when another thread was first, or has
    // opened an import again.
    bool remove(const std::shared_ptr<Allocation>& allocation);
    void remove_all(const Context& context);

    // The import of `source` into `context`, with one more opening counted; null when there is none.
    std::shared_ptr<Allocation> open_again(const Context& context, const ExportKey& source);
    // Counts an opening less; true when it was the last.
    bool close(Allocation& allocation);

  private:
    mutable std::mutex mutex_;
    std::map<uint64_t, std::shared_ptr<Allocation>> by_address_;
    uint64_t next_buffer_id_ = 1;
};

// Whether all of [address, address + bytes) is mapped in this process, whatever it is.
bool is_mapped(uint64_t address, size_t bytes);

}  // namespace stepccl::emu
