// What the ranks of a node say to one another while a communicator lives: what each brings to a call, and failures. It lies in shared memory;
// every word has one writer, except the failure, which belongs to who comes first.
//
// Calls are numbered from 1 on, the same on all ranks. A rank that brings host buffers raises its number and goes on, for as many calls as
// it likes. A rank that brings device buffers writes a record first, and goes on only when all ranks have come to that call. So no rank is more than one
// record ahead of the slowest reader, and two records a rank, used in turn, are enough; a call without a record goes the host way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "comm/process.h"
#include "engine/cuda/driver_api.h"

namespace stepccl {

// A buffer of a rank, as others can reach it. bytes == 0: there is none.
struct ExportedBuffer {
    uint64_t bytes = 0;      // of the allocation
    uint64_t buffer_id = 0;  // never reused, unlike addresses
    uint64_t base = 0;       // of the allocation, in the owner's address space
    uint64_t offset = 0;     // of the buffer in the allocation
    int32_t device = 0;      // that owns it, as the owner's process numbers devices
    cuda::IpcMemHandle handle{};
};

// A call as one rank sees it. What MPI makes equal on all ranks is compared.
struct CallRecord {
    std::atomic<uint64_t> call{0};  // its number; written last
    uint8_t kind = 0, type = 0, op = 0, in_place = 0;
    uint32_t root = 0;
    uint64_t count = 0;   // own; compared only where MPI makes it equal
    uint32_t listed = 0;  // whether the lists hold the receive counts and displacements
    ExportedBuffer out, scratch, pad;
};

struct RankSlot {
    alignas(64) std::atomic<uint64_t> call{0};    // the latest call this rank has come to
    alignas(64) std::atomic<uint64_t> phase{0};   // of barriers on the host
    std::atomic<uint64_t> done{0};                // the latest native call of which this rank needs nothing more
    std::atomic<uint32_t> vote{0};                // what the barrier gathers
    std::atomic<uint32_t> drained{0};             // after a failure: nothing of this rank is under way any more
    ProcessId process;
    CallRecord records[2];
};

struct ControlHeader {
    std::atomic<uint32_t> failed{0};  // 0, 1 while it is being written, 2
    int32_t code = 0;
    char text[512] = {};
};

// A view of the shared region; owns nothing.
class ControlBlock {
  public:
    ControlBlock() = default;
    ControlBlock(void* memory, uint32_t n) : memory_(static_cast<char*>(memory)), n_(n) {}
    static size_t bytes(uint32_t n) { return lists_at(n) + size_t{n} * 2 * 2 * n * sizeof(uint64_t); }

    // Makes the objects in zeroed memory. By one rank, before the others look.
    void construct();

    ControlHeader& header() const { return *reinterpret_cast<ControlHeader*>(memory_); }
    RankSlot& slot(uint32_t rank) const { return reinterpret_cast<RankSlot*>(memory_ + slots_at())[rank]; }
    // The receive counts of record `which` of a rank, and its displacements: n each.
    uint64_t* counts(uint32_t rank, uint32_t which) const { return list(rank, which, 0); }
    uint64_t* displs(uint32_t rank, uint32_t which) const { return list(rank, which, 1); }

    // The record of `rank` for that call, null when it brought host buffers. Asked only once the rank has come to it.
    const CallRecord* record(uint32_t rank, uint64_t call, uint32_t* which = nullptr) const;

    // The first failure stays.
    void fail(int32_t code, const char* text) const;
    bool failed() const { return header().failed.load(std::memory_order_acquire) == 2; }

  private:
    static constexpr size_t slots_at() { return (sizeof(ControlHeader) + 63) / 64 * 64; }
    static size_t lists_at(uint32_t n) { return slots_at() + n * sizeof(RankSlot); }
    uint64_t* list(uint32_t rank, uint32_t which, uint32_t list) const {
        auto* lists = reinterpret_cast<uint64_t*>(memory_ + lists_at(n_));
        return lists + ((size_t{rank} * 2 + which) * 2 + list) * n_;
    }

    char* memory_ = nullptr;
    uint32_t n_ = 0;
};

static_assert(std::atomic<uint64_t>::is_always_lock_free, "the words are shared between processes");

}  // namespace stepccl
