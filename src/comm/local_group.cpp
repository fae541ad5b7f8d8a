#include "comm/local_group.h"

#include <sched.h>

#include <chrono>
#include <cstring>
#include <vector>

#include "base/text.h"

namespace stepccl {
namespace {

constexpr uint64_t kLookEvery_us = 50'000;

uint64_t now_us() {
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
}

// What a rank shows of itself when the ranks meet.
struct Card {
    char node[128] = {};
    uint64_t digest = 0;  // of the parameters that all must share
    SharedName control;   // rank 0's
    ProcessId process;
};

// FNV-1a: only equality counts.
uint64_t digest(const Params& params) {
    uint64_t hash = 14695981039346656037u;
    std::string text = cat(params.algorithm, "\n", params.parts, "\n", params.scratch_bytes, "\n", params.path, "\n", params.driver, "\n", params.topology_file, "\n", params.reduce_ctas);
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

std::string why_not(const std::vector<Card>& cards) {
    for (size_t rank = 1; rank < cards.size(); ++rank) {
        if (std::strcmp(cards[rank].node, cards[0].node) != 0) return cat("rank ", rank, " is on another node or in another pid namespace than rank 0");
        if (cards[rank].digest != cards[0].digest) {
            return cat("rank ", rank, " has other parameters than rank 0 (algorithm, parts, scratch_bytes, path, driver, topology_file or reduce_ctas)");
        }
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<LocalGroup>> LocalGroup::meet(Bootstrap bootstrap, const Params& params, const Log& log, std::string& reason) {
    std::unique_ptr<LocalGroup> group(new LocalGroup(std::move(bootstrap), params, log));
    const uint32_t n = group->n();
    auto gather = [&](const void* mine, void* all, size_t bytes) {
        if (group->bootstrap_.allgather(mine, all, bytes)) return Status();
        return Status(Code::ERR_BOOTSTRAP, cat("the all-gather given for ", group->name(), " failed on rank ", group->rank()));
    };
    Card card;
    std::string identity = node_identity();
    identity.copy(card.node, sizeof(card.node) - 1);
    card.digest = digest(params);
    card.process = group->process_;
    std::string trouble;
    if (group->rank() == 0) {
        auto created = SharedMemory::create(ControlBlock::bytes(n));
        if (created.ok()) {
            group->memory_ = std::move(created).value();
            ControlBlock(group->memory_->data(), n).construct();
            card.control = group->memory_->name();
        } else {
            trouble = created.status().text();
        }
    }
    std::vector<Card> cards(n);
    STEPCCL_TRY(gather(&card, cards.data(), sizeof(Card)));
    reason = why_not(cards);
    if (group->rank() != 0 && reason.empty()) {
        auto opened = SharedMemory::open(cards[0].control);
        if (opened.ok()) {
            group->memory_ = std::move(opened).value();
        } else {
            trouble = opened.status().text();
        }
    }
    std::vector<char> fine(n);
    char mine = trouble.empty() ? 1 : 0;
    STEPCCL_TRY(gather(&mine, fine.data(), 1));
    if (!trouble.empty()) log(LogLevel::warn, trouble);
    for (uint32_t rank = 0; rank < n && reason.empty(); ++rank) {
        if (fine[rank] == 0) reason = cat("rank ", rank, " does not reach the memory that the ranks would share");
    }
    if (!reason.empty()) return std::unique_ptr<LocalGroup>();
    group->memory_->close_descriptor();
    group->control_ = ControlBlock(group->memory_->data(), n);
    for (uint32_t rank = 0; group->rank() == 0 && rank < n; ++rank) group->control_.slot(rank).process = cards[rank].process;
    // The third round tells everybody that the block is complete, before anybody reads it.
    STEPCCL_TRY(gather(&mine, fine.data(), 1));
    return group;
}

LocalGroup::Watch::Watch(LocalGroup& node, std::string doing)
    : group_(node), doing_(std::move(doing)), started_us_(now_us()), looked_us_(started_us_) {}

Status LocalGroup::Watch::turn(const std::function<bool(uint32_t)>& missing) {
    if (group_.bootstrap_.progress && !group_.bootstrap_.progress()) {
        return Status(Code::ERR_PEER_FAILED, cat("rank ", group_.rank(), " of ", group_.name(), ": the caller ended the wait in ", doing_));
    }
    if (++turns_ < 256) return {};
    ::sched_yield();
    return now_us() - looked_us_ < kLookEvery_us ? Status() : look(missing);
}

Status LocalGroup::Watch::look(const std::function<bool(uint32_t)>& missing) {
    looked_us_ = now_us();
    if (group_.control_.failed()) return group_.failure();
    for (uint32_t rank = 0; rank < group_.n(); ++rank) {
        const ProcessId& process = group_.control_.slot(rank).process;
        if (!missing(rank) || alive(process)) continue;
        return Status(Code::ERR_PEER_FAILED, cat("rank ", rank, " of ", group_.name(), " (pid ", process.pid, ") died; rank ", group_.rank(), " waited for it in ", doing_));
    }
    if (group_.timeout_us_ == 0 || looked_us_ - started_us_ < group_.timeout_us_) return {};
    std::string who;
    for (uint32_t rank = 0; rank < group_.n(); ++rank) {
        if (missing(rank)) who += cat(who.empty() ? "" : ", ", rank);
    }
    return Status(Code::ERR_TIMEOUT, cat("rank ", group_.rank(), " of ", group_.name(), " waited longer than timeout_us=", group_.timeout_us_,
                                         " for rank ", who, " in ", doing_));
}

Status LocalGroup::wait_for_all(const std::function<bool(uint32_t)>& come, const std::string& doing) {
    Watch watch(*this, doing);
    auto missing = [&](uint32_t rank) { return !come(rank); };
    for (uint32_t rank = 0; rank < n();) {
        if (come(rank)) {
            ++rank;
        } else {
            STEPCCL_TRY(watch.turn(missing));
        }
    }
    return {};
}

Status LocalGroup::barrier(bool vote, bool& unanimous, const std::string& doing) {
    own().vote.store(vote ? 1 : 0, std::memory_order_relaxed);
    uint64_t phase = own().phase.load(std::memory_order_relaxed) + 1;
    own().phase.store(phase, std::memory_order_release);
    auto come = [&](uint64_t target) {
        return [this, target](uint32_t rank) { return control_.slot(rank).phase.load(std::memory_order_acquire) >= target; };
    };
    STEPCCL_TRY(wait_for_all(come(phase), doing));
    unanimous = true;
    for (uint32_t rank = 0; rank < n(); ++rank) unanimous = unanimous && control_.slot(rank).vote.load(std::memory_order_relaxed) == 1;
    // Nobody may vote again before all have read this vote.
    own().phase.store(phase + 1, std::memory_order_release);
    return wait_for_all(come(phase + 1), doing);
}

Status LocalGroup::fail(Status status) {
    log_(LogLevel::error, status.text());
    control_.fail(static_cast<int32_t>(status.code()), status.text().c_str());
    return status;
}

Status LocalGroup::failure() const {
    const ControlHeader& header = control_.header();
    return Status(static_cast<Code>(header.code), cat("reported by a peer: ", header.text));
}

}  // namespace stepccl
