// How a call ends when a peer dies, a copy fails or somebody never comes: an error on every rank, and nothing under way any more that could
// write into a buffer that its owner has back.

#include <chrono>
#include <thread>

#include "base/text.h"
#include "comm/communicator.h"
#include "sched/text.h"

namespace stepccl {
namespace {

constexpr auto kPatience = std::chrono::seconds(5);

}  // namespace

Status Communicator::give_up(const Status& status, const Prepared& prepared) {
    std::string stuck = prepared.chosen.schedule != nullptr && executor_ ? where_stuck(*prepared.chosen.schedule) : std::string();
    // What the driver says names no call; what a wait says does.
    std::string who = status.code() == Code::ERR_DRIVER ? cat("rank ", rank_, " of ", group_->name(), ", ", describe(prepared.call), " (call ", call_, "): ") : std::string();
    Status failure = group_->fail(Status(status.code(), who + status.text() + stuck));
    broken_ = true;
    if (executor_) drain();
    return failure;
}

// The first step of this rank's schedule that waits for a flag which has not been raised.
std::string Communicator::where_stuck(const Schedule& schedule) {
    std::vector<uint32_t> words;
    if (executor_->done() || !executor_->read_flags(words).ok()) return {};
    for (size_t i = 0; i < schedule.steps.size(); ++i) {
        const Step& step = schedule.steps[i];
        if (step.op != Op::wait) continue;
        uint32_t word = words[executor_->pads().flag(step.flag.writer, step.flag.index) / 4];
        if (static_cast<int32_t>(word - (round_epoch_ + step.value)) >= 0) continue;
        return cat("; at step ", i, " of ", schedule.steps.size(), " of ", schedule.algorithm, ": ", to_text(schedule, step));
    }
    return {};
}

// Peers that go on for a while overwrite flags with lower values, so the waits are released again and again.
void Communicator::drain() {
    auto until = std::chrono::steady_clock::now() + kPatience;
    auto in_time = [&] { return std::chrono::steady_clock::now() < until; };
    while (!executor_->done() && in_time()) {
        if (!executor_->release_waits(epoch_ + 1).ok() || !executor_->query().ok()) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    group_->own().drained.store(1, std::memory_order_release);
    for (uint32_t rank = 0; rank < n_; ++rank) {
        const RankSlot& slot = group_->control().slot(rank);
        if (slot.call.load(std::memory_order_acquire) < call_) continue;  // has not come, so nothing of it is under way
        while (slot.drained.load(std::memory_order_acquire) == 0 && alive(slot.process) && in_time()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
}

}  // namespace stepccl
