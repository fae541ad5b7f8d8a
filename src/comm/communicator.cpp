#include "comm/communicator.h"

#include "base/text.h"
#include "topo/discover.h"

namespace stepccl {

Result<std::unique_ptr<Communicator>> Communicator::create(Bootstrap bootstrap, Surroundings surroundings) {
    std::unique_ptr<Communicator> out(new Communicator(std::move(surroundings)));
    out->rank_ = bootstrap.rank;
    out->n_ = bootstrap.n;
    const Params& params = out->env_.params;
    std::string reason;
    auto met = LocalGroup::meet(std::move(bootstrap), params, out->env_.log, reason);
    STEPCCL_TRY(met.status());
    out->group_ = std::move(met).value();
    if (params.path == "staged") reason = "path=staged";
    if (params.driver == "none") reason = "driver=none";
    out->native_ = reason.empty();
    if (!out->native_) {
        out->description_ = cat("all calls go through host memory: ", reason);
        out->env_.log(LogLevel::info, out->description_);
        return out;
    }
    for (uint32_t rank = 0; rank < out->n_; ++rank) out->other_processes_ = out->other_processes_ || !out->group_->same_process(rank);
    out->description_ = cat(out->n_, " ranks on one node");
    if (Status status = out->read_choices(); !status.ok()) return out->env_.log(LogLevel::error, status.text()), status;
    return out;
}

// What the choice of an algorithm depends on beside the call. The parameters are the same on all ranks by now, so this ends alike on
// all of them. Until links are asked of the driver, a machine without a file is taken for one of the kind that StepCCL is made for.
Status Communicator::read_choices() {
    Machine machine = synthetic(n_);
    if (!env_.params.topology_file.empty()) {
        auto read = read_xml(env_.params.topology_file);
        STEPCCL_TRY(read.status());
        machine = std::move(read).value();
        if (spread(machine, n_).empty()) return Status(Code::ERR_FILE, cat("topology_file ", env_.params.topology_file, " shows no GPU"));
    }
    link_ = weakest_link(machine, spread(machine, n_));
    costs_ = h200_costs(static_cast<uint32_t>(env_.params.reduce_ctas));
    auto rules = parse_override(env_.params.algorithm);
    STEPCCL_TRY(rules.status());
    override_ = std::move(rules).value();
    override_.parts = static_cast<uint32_t>(env_.params.parts);
    return {};
}

Communicator::~Communicator() {
    if (group_ && executor_ && !broken_) (void)sync();
    if (executor_ && !executor_->done()) abandon();
}

// Work that cannot be stopped still uses these; freeing them would wait for it for ever.
void Communicator::abandon() {
    env_.log(LogLevel::warn, cat(group_->name(), ": work is stuck on the GPU; its memory is left to the end of the process"));
    (void)executor_.release();
    for (cuda::DeviceMemory* memory : {&scratch_, &bounce_}) (void)new cuda::DeviceMemory(std::move(*memory));
    (void)importer_.release();
    (void)new std::shared_ptr<cuda::Gpu>(gpu_);
}

void Communicator::pass() {
    if (!native()) return;
    group_->own().call.store(++call_, std::memory_order_release);
    env_.counters->host_calls.fetch_add(1, std::memory_order_relaxed);
}

void Communicator::decline() {
    env_.counters->staged_calls.fetch_add(1, std::memory_order_relaxed);
    if (native()) group_->own().call.store(++call_, std::memory_order_release);
}

Status Communicator::run(const Call& call, Path& path) {
    Prepared prepared;
    STEPCCL_TRY(come_together(call, prepared, path));
    if (path != Path::native) return {};
    mismatch_.clear();
    Status status = start(prepared);
    if (status.ok()) status = wait_until_done(cat(describe(call), " (call ", call_, ")"));
    if (!status.ok()) return give_up(status, prepared);
    group_->own().done.store(call_, std::memory_order_release);
    env_.counters->native_calls.fetch_add(1, std::memory_order_relaxed);
    env_.counters->set_last(prepared.chosen.algorithm->name, prepared.chosen.schedule->parts);
    if (!mismatch_.empty()) return Status(Code::ERR_INVALID_ARGUMENT, cat(describe(call), ": ", mismatch_));
    return {};
}

Status Communicator::enqueue(const Call& call, cuda::Stream* stream) {
    Prepared prepared;
    Path path = Path::native;
    STEPCCL_TRY(come_together(call, prepared, path));
    if (path != Path::native) {
        return Status(Code::ERR_UNSUPPORTED, cat(describe(call), " on a stream needs device buffers on every rank that can reach the others: ", description_));
    }
    mismatch_.clear();
    Status status = executor_->follow(stream);
    if (status.ok()) status = start(prepared);
    if (status.ok()) status = executor_->lead(stream);
    if (!status.ok()) return give_up(status, prepared);
    env_.counters->native_calls.fetch_add(1, std::memory_order_relaxed);
    env_.counters->set_last(prepared.chosen.algorithm->name, prepared.chosen.schedule->parts);
    if (!mismatch_.empty()) return Status(Code::ERR_INVALID_ARGUMENT, cat(describe(call), ": ", mismatch_));
    return {};
}

Status Communicator::sync() {
    if (!executor_) return {};
    if (broken_) return Status(Code::ERR_COMM_BROKEN, cat(group_->name(), " failed in an earlier call: ", group_->control().header().text));
    Status status = wait_until_done("what was enqueued");
    if (!status.ok()) return give_up(status, Prepared());
    group_->own().done.store(call_, std::memory_order_release);
    return {};
}

void Communicator::set_epoch_for_test(uint32_t epoch) {
    epoch_ = epoch;
    if (executor_) (void)executor_->reset_flags(epoch);
}

}  // namespace stepccl
