// What a rank does when all have come with device buffers.

#include "base/text.h"
#include "comm/communicator.h"

namespace stepccl {

Status Communicator::reach_peers(Prepared& prepared) {
    for (uint32_t rank = 0; rank < n_; ++rank) {
        const CallRecord& record = *group_->control().record(rank, call_);
        auto reach = [&](const ExportedBuffer& buffer, std::vector<cuda::DevicePtr>& out) -> Status {
            auto address = importer_->reach(rank, group_->same_process(rank), buffer, call_);
            const ProcessId& owner = group_->control().slot(rank).process;
            if (!address.ok() && !alive(owner)) {
                return Status(Code::ERR_PEER_FAILED, cat("rank ", rank, " of ", group_->name(), " (pid ", owner.pid, ") died; rank ", rank_,
                                                         " wanted to map its memory for ", describe(prepared.call), " (call ", call_, ")"));
            }
            STEPCCL_TRY(address.status());
            out.push_back(address.value());
            return {};
        };
        STEPCCL_TRY(reach(record.pad, prepared.peer_pad));
        STEPCCL_TRY(reach(record.scratch, prepared.peer_scratch));
        STEPCCL_TRY(reach(record.out, prepared.peer_out));
    }
    prepared.peer_out[rank_] = prepared.out.address;
    return {};
}

// In the first call that could be native the ranks find out whether they really reach one another, and agree on it for good.
Status Communicator::probe(const Status& reached, Path& path) {
    bool all = false;
    Status status = group_->barrier(reached.ok(), all, "the first native call");
    if (!status.ok()) return give_up(status, Prepared());
    probed_ = true;
    if (all) {
        description_ = cat(n_, " ranks on one node, ", gpu_->driver().name(), " driver");
        path = Path::native;
        return {};
    }
    native_ = false;
    description_ = cat("all calls go through host memory: ", reached.ok() ? "another rank cannot map its peers' memory" : reached.text());
    env_.log(LogLevel::warn, description_);
    return stage(path), Status();
}

Status Communicator::start(Prepared& prepared) {
    if (prepared.out.bounced) STEPCCL_TRY(bounce(prepared.out, true));
    for (uint32_t round = 0; round < prepared.chosen.rounds; ++round) STEPCCL_TRY(start_round(prepared, round));
    if (prepared.out.bounced) STEPCCL_TRY(bounce(prepared.out, false));
    return {};
}

// What is between the blocks of the output is copied to and fro, so that it keeps its value.
Status Communicator::bounce(const OwnBuffer& buffer, bool before) {
    auto user = reinterpret_cast<cuda::DevicePtr>(buffer.user);
    uint64_t bytes = buffer.bytes;
    env_.counters->bounced_bytes.fetch_add(bytes, std::memory_order_relaxed);
    return before ? executor_->copy(buffer.address, user, bytes) : executor_->copy(user, buffer.address, bytes);
}

Status Communicator::start_round(const Prepared& prepared, uint32_t round) {
    auto bound = plan(prepared, round);
    STEPCCL_TRY(bound.status());
    const cuda::Plan& plan = bound.value();
    if (mismatch_.empty()) mismatch_ = plan.mismatch;
    STEPCCL_TRY(renew_flags(plan.epochs));
    round_epoch_ = epoch_;
    epoch_ += plan.epochs;
    count(plan);
    return executor_->start(plan, round_epoch_);
}

Result<cuda::Plan> Communicator::plan(const Prepared& prepared, uint32_t round) {
    const Call& call = prepared.call;
    const Schedule& schedule = *prepared.chosen.schedule;
    Layout in = in_layout(call, rank_, n_, schedule.blocks), scratch = scratch_layout(call, rank_, n_, schedule.blocks);
    std::vector<Layout> outs;
    cuda::Binding binding;
    for (uint32_t rank = 0; rank < n_; ++rank) {
        uint32_t which = 0;
        const CallRecord& record = *group_->control().record(rank, call_, &which);
        Call theirs = rank == rank_ ? call : Call();
        if (rank != rank_) {
            theirs.kind = call.kind, theirs.type = call.type, theirs.root = call.root, theirs.count = record.count;
            const uint64_t *counts = group_->control().counts(rank, which), *displs = group_->control().displs(rank, which);
            if (record.listed != 0) {
                theirs.recv_counts.assign(counts, counts + n_);
                theirs.recv_displs.assign(displs, displs + n_);
            }
        }
        outs.push_back(out_layout(theirs, rank, n_, schedule.blocks));
    }
    for (const Layout& layout : outs) binding.out_layouts.push_back(&layout);
    binding.schedule = &schedule;
    binding.type = call.type;
    binding.op = call.op;
    binding.in = prepared.in.address;
    binding.out = prepared.peer_out;
    binding.scratch = prepared.peer_scratch;
    binding.pad = prepared.peer_pad;
    binding.in_layout = &in;
    binding.scratch_layout = &scratch;
    binding.slot_bytes = prepared.chosen.slot_bytes;
    binding.round = round;
    binding.rounds = prepared.chosen.rounds;
    return cuda::bind(binding);
}

// Flags are compared cyclically, so one that nobody raised for half the range of values would count as raised. All are set to the present epoch long
// before that.
Status Communicator::renew_flags(uint32_t span) {
    constexpr uint32_t kShift = 29;
    if (epoch_ >> kShift == (epoch_ + span) >> kShift) return {};
    bool all = false;
    STEPCCL_TRY(wait_until_done("the end of earlier calls, before flags are renewed"));
    STEPCCL_TRY(group_->barrier(true, all, "renewing flags"));
    STEPCCL_TRY(executor_->reset_flags(epoch_));
    return group_->barrier(true, all, "renewing flags");
}

Status Communicator::wait_until_done(const std::string& doing) {
    if (executor_->done()) return {};
    LocalGroup::Watch watch(*group_, doing);
    auto missing = [&](uint32_t rank) { return rank != rank_ && group_->control().slot(rank).done.load(std::memory_order_acquire) < call_; };
    for (uint32_t turn = 1; !executor_->done(); ++turn) {
        STEPCCL_TRY(watch.turn(missing));
        if (turn % 1024 == 0) STEPCCL_TRY(executor_->query());
    }
    return {};
}

void Communicator::count(const cuda::Plan& plan) {
    env_.counters->copy_engine_bytes.fetch_add(plan.copied_bytes, std::memory_order_relaxed);
    env_.counters->kernel_bytes.fetch_add(plan.reduced_bytes, std::memory_order_relaxed);
}

}  // namespace stepccl
