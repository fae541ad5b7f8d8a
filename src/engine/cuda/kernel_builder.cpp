#include "engine/cuda/kernel_builder.h"

namespace stepccl::cuda {

// The entry that more waits may be added to: one that has neither reduced nor signalled yet.
KernelBuilder::Entry& KernelBuilder::open() {
    if (entries_.empty() || !entries_.back().srcs.empty() || !entries_.back().signals.empty()) entries_.emplace_back();
    return entries_.back();
}

void KernelBuilder::wait(const FlagOp& op) { open().waits.push_back(op); }

void KernelBuilder::signal(const FlagOp& op) {
    if (entries_.empty()) entries_.emplace_back();
    entries_.back().signals.push_back(op);
}

uint32_t KernelBuilder::reduce(const Range& dst, const std::vector<Range>& srcs, uint64_t count) {
    Entry& entry = open();
    entry.dst = dst;
    entry.srcs = srcs;
    entry.count = count;
    keep_in_order(entry);
    entry_of_.push_back(static_cast<uint32_t>(entries_.size() - 1));
    return static_cast<uint32_t>(entry_of_.size());
}

// CTAs run ahead of one another, so a reduction that shares memory with an earlier one waits for its end by the lane's flag.
void KernelBuilder::keep_in_order(Entry& entry) {
    for (uint32_t number = 1; number <= entry_of_.size(); ++number) {
        const Entry& before = entries_[entry_of_[number - 1]];
        bool conflict = before.dst.overlaps(entry.dst);
        for (const Range& src : entry.srcs) conflict = conflict || before.dst.overlaps(src);
        for (const Range& src : before.srcs) conflict = conflict || src.overlaps(entry.dst);
        if (!conflict) continue;
        announce(number);
        entry.after.push_back(number);
    }
}

void KernelBuilder::append(KernelWork& work, const FlagOp& op) {
    work.flags.push_back({op.address, op.value, 0});
    work.flag_bases.push_back(op.base);
}

KernelWork KernelBuilder::finish(DevicePtr lane_flag) && {
    KernelWork work;
    for (const Entry& from : entries_) {
        kernels::ReduceEntry& entry = work.entries.emplace_back();
        entry.dst = from.dst.address;
        entry.count = from.count;
        entry.first_src = static_cast<uint32_t>(work.srcs.size());
        entry.nsrc = static_cast<uint32_t>(from.srcs.size());
        for (const Range& src : from.srcs) work.srcs.push_back(src.address);
        entry.first_wait = static_cast<uint32_t>(work.flags.size());
        for (const FlagOp& op : from.waits) append(work, op);
        for (uint32_t number : from.after) append(work, {true, Base::lane, lane_flag, number});
        entry.nwaits = static_cast<uint32_t>(work.flags.size()) - entry.first_wait;
        entry.first_signal = static_cast<uint32_t>(work.flags.size());
        if (from.announced != 0) append(work, {false, Base::lane, lane_flag, from.announced});
        for (const FlagOp& op : from.signals) append(work, op);
        entry.nsignals = static_cast<uint32_t>(work.flags.size()) - entry.first_signal;
    }
    return work;
}

}  // namespace stepccl::cuda
