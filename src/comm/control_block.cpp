#include "comm/control_block.h"

#include <cstring>
#include <new>

namespace stepccl {

void ControlBlock::construct() {
    new (memory_) ControlHeader;
    for (uint32_t rank = 0; rank < n_; ++rank) new (&slot(rank)) RankSlot;
}

const CallRecord* ControlBlock::record(uint32_t rank, uint64_t call, uint32_t* which) const {
    for (uint32_t i = 0; i < 2; ++i) {
        const CallRecord& record = slot(rank).records[i];
        if (record.call.load(std::memory_order_acquire) != call) continue;
        if (which != nullptr) *which = i;
        return &record;
    }
    return nullptr;
}

void ControlBlock::fail(int32_t code, const char* text) const {
    ControlHeader& header = this->header();
    uint32_t expected = 0;
    if (!header.failed.compare_exchange_strong(expected, 1, std::memory_order_acq_rel)) return;
    header.code = code;
    std::strncpy(header.text, text, sizeof(header.text) - 1);
    header.failed.store(2, std::memory_order_release);
}

}  // namespace stepccl
