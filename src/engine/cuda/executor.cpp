#include "engine/cuda/executor.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/checked.h"
#include "base/text.h"

namespace stepccl::cuda {
namespace {

constexpr uint32_t kMostMemOps = 255;  // of one cuStreamBatchMemOp
constexpr unsigned kThreads = 256;     // of a CTA of the reduction kernel

MemOp mem_op(const FlagOp& op, uint32_t base) {
    MemOp out{};
    if (op.wait) {
        out.wait_value = {CU_STREAM_MEM_OP_WAIT_VALUE_32, op.address, {op.value + base}, CU_STREAM_WAIT_VALUE_GEQ, 0};
    } else {
        out.write_value = {CU_STREAM_MEM_OP_WRITE_VALUE_32, op.address, {op.value + base}, CU_STREAM_WRITE_VALUE_DEFAULT, 0};
    }
    return out;
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::create(std::shared_ptr<Gpu> gpu, uint32_t n, uint32_t reduce_ctas) {
    std::unique_ptr<Executor> out(new Executor(std::move(gpu), n, reduce_ctas));
    auto pad = DeviceMemory::allocate(out->gpu_, out->layout_.bytes());
    STEPCCL_TRY(pad.status());
    out->pad_ = std::move(pad).value();
    auto completion = PinnedMemory::allocate(out->gpu_, sizeof(uint32_t));
    STEPCCL_TRY(completion.status());
    out->completion_ = std::move(completion).value();
    *out->completion_.host<uint32_t>() = 0;
    auto rescue = StreamHandle::create(out->gpu_);
    STEPCCL_TRY(rescue.status());
    out->rescue_ = std::move(rescue).value();
    for (EventHandle* event : {&out->joined_, &out->followed_}) {
        auto created = EventHandle::create(out->gpu_);
        STEPCCL_TRY(created.status());
        *event = std::move(created).value();
    }
    STEPCCL_TRY(out->fill_flags(0, static_cast<uint32_t>(out->layout_.bytes() / 4), 0));
    return out;
}

Executor::~Executor() {
    ContextGuard guard(driver(), gpu_->context());
    for (const StreamHandle& lane : lanes_) {
        if (guard.status().ok()) (void)driver().stream_synchronize(lane.get());
    }
}

bool Executor::complete(uint32_t ticket) const noexcept {
    uint32_t word = std::atomic_ref(*completion_.host<uint32_t>()).load(std::memory_order_acquire);
    return static_cast<int32_t>(word - ticket) >= 0;
}

bool Executor::done() const noexcept { return complete(started_); }

Status Executor::prepare_lanes(uint32_t lanes) {
    while (lanes_.size() < lanes) {
        auto stream = StreamHandle::create(gpu_);
        STEPCCL_TRY(stream.status());
        auto event = EventHandle::create(gpu_);
        STEPCCL_TRY(event.status());
        lanes_.push_back(std::move(stream).value());
        joins_.push_back(std::move(event).value());
    }
    return {};
}

Status Executor::prepare_events(uint32_t events) {
    while (events_.size() < events) {
        auto event = EventHandle::create(gpu_);
        STEPCCL_TRY(event.status());
        events_.push_back(std::move(event).value());
    }
    return {};
}

// Lanes of what is started next begin when everything before is complete.
Status Executor::begin(uint32_t lanes) {
    STEPCCL_TRY(prepare_lanes(std::max(lanes, 1u)));
    if (!any_joined_ || done()) return {};
    for (uint32_t lane = 1; lane < lanes; ++lane) {
        STEPCCL_TRY(driver().check(driver().stream_wait_event(lanes_[lane].get(), joined_.get(), 0), "cuStreamWaitEvent"));
    }
    return {};
}

Status Executor::start(const Plan& plan, uint32_t epoch) {
    ContextGuard guard(driver(), gpu_->context());
    STEPCCL_TRY(guard.status());
    STEPCCL_TRY(begin(plan.lanes));
    STEPCCL_TRY(prepare_events(plan.events));
    for (const Command& command : plan.commands) STEPCCL_TRY(issue(plan, command, epoch));
    lane_base_ += plan.lane_values;
    return join(plan.lanes);
}

Status Executor::issue(const Plan& plan, const Command& command, uint32_t epoch) {
    Stream* stream = lanes_[command.lane].get();
    switch (command.what) {
        case Command::What::flags:
            return issue_flags(plan, command, epoch);
        case Command::What::copies:
            return issue_copies(plan, command);
        case Command::What::record:
            return driver().check(driver().event_record(events_[command.first].get(), stream), "cuEventRecord");
        case Command::What::await:
            return driver().check(driver().stream_wait_event(stream, events_[command.first].get(), 0), "cuStreamWaitEvent");
        case Command::What::launch:
            return launch(plan, stream, epoch);
    }
    return {};
}

Status Executor::issue_flags(const Plan& plan, const Command& command, uint32_t epoch) {
    std::vector<MemOp> ops;
    for (uint32_t i = command.first; i < command.first + command.count; ++i) {
        const FlagOp& op = plan.flag_ops[i];
        ops.push_back(mem_op(op, op.base == Base::epoch ? epoch : lane_base_));
    }
    for (size_t first = 0; first < ops.size(); first += kMostMemOps) {
        unsigned count = static_cast<unsigned>(std::min<size_t>(kMostMemOps, ops.size() - first));
        STEPCCL_TRY(driver().check(driver().stream_batch_mem_op(lanes_[command.lane].get(), count, &ops[first], 0),
                                   cat("cuStreamBatchMemOp(", count, ")")));
    }
    return {};
}

Status Executor::issue_copies(const Plan& plan, const Command& command) {
    Stream* stream = lanes_[command.lane].get();
    std::vector<DevicePtr> dsts, srcs;
    std::vector<size_t> sizes;
    for (uint32_t i = command.first; i < command.first + command.count; ++i) {
        dsts.push_back(plan.copy_ops[i].dst);
        srcs.push_back(plan.copy_ops[i].src);
        sizes.push_back(plan.copy_ops[i].bytes);
    }
    if (command.count > 1 && driver().memcpy_batch_async != nullptr) {
        CopyAttributes attributes{CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, {}, {}, CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE};
        size_t first = 0;
        return driver().check(driver().memcpy_batch_async(dsts.data(), srcs.data(), sizes.data(), sizes.size(), &attributes, &first, 1, stream),
                              cat("cuMemcpyBatchAsync(", sizes.size(), " copies)"));
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
        STEPCCL_TRY(driver().check(driver().memcpy_dtod_async(dsts[i], srcs[i], sizes[i], stream), cat("cuMemcpyDtoDAsync(", sizes[i], ")")));
    }
    return {};
}

Result<Executor::WorkArea*> Executor::work_area(size_t bytes) {
    for (auto& area : areas_) {
        if (area->memory.bytes() >= bytes && complete(area->free_at)) return area.get();
    }
    auto memory = PinnedMemory::allocate(gpu_, align_up(bytes, 64 << 10));
    STEPCCL_TRY(memory.status());
    areas_.push_back(std::make_unique<WorkArea>());
    areas_.back()->memory = std::move(memory).value();
    return areas_.back().get();
}

Status Executor::launch(const Plan& plan, Stream* stream, uint32_t epoch) {
    const KernelWork& work = plan.kernel;
    size_t entries = work.entries.size() * sizeof(kernels::ReduceEntry), srcs = work.srcs.size() * sizeof(uint64_t);
    size_t flags = work.flags.size() * sizeof(kernels::FlagRef);
    auto found = work_area(entries + flags + srcs);
    STEPCCL_TRY(found.status());
    WorkArea& area = *found.value();
    area.free_at = started_ + 1;
    char* host = area.memory.host<char>();
    std::memcpy(host, work.entries.data(), entries);
    auto* refs = reinterpret_cast<kernels::FlagRef*>(host + entries);
    for (size_t i = 0; i < work.flags.size(); ++i) {
        refs[i] = work.flags[i];
        refs[i].value += work.flag_bases[i] == Base::epoch ? epoch : lane_base_;
    }
    if (srcs != 0) std::memcpy(host + entries + flags, work.srcs.data(), srcs);
    kernels::ReduceWork argument{area.memory.address(), area.memory.address() + entries + flags, area.memory.address() + entries,
                                 pad_.address() + layout_.arrivals(), static_cast<uint32_t>(work.entries.size()), 0};
    auto function = gpu_->reduction(plan.type, plan.op);
    STEPCCL_TRY(function.status());
    void* params[] = {&argument};
    return driver().check(driver().launch_kernel(function.value(), reduce_ctas_, 1, 1, kThreads, 1, 1, 0, stream, params, nullptr),
                          cat("cuLaunchKernel(", name_of(plan.type), " ", name_of(plan.op), ")"));
}

// The end of all lanes, on lane 0, told to the host by a write into its memory.
Status Executor::join(uint32_t lanes) {
    Stream* first = lanes_[0].get();
    for (uint32_t lane = 1; lane < lanes; ++lane) {
        STEPCCL_TRY(driver().check(driver().event_record(joins_[lane].get(), lanes_[lane].get()), "cuEventRecord"));
        STEPCCL_TRY(driver().check(driver().stream_wait_event(first, joins_[lane].get(), 0), "cuStreamWaitEvent"));
    }
    STEPCCL_TRY(driver().check(driver().stream_write_value32(first, completion_.address(), started_ + 1, CU_STREAM_WRITE_VALUE_DEFAULT),
                               "cuStreamWriteValue32"));
    ++started_;
    any_joined_ = true;
    return driver().check(driver().event_record(joined_.get(), first), "cuEventRecord");
}

Status Executor::follow(Stream* stream) {
    ContextGuard guard(driver(), gpu_->context());
    STEPCCL_TRY(guard.status());
    STEPCCL_TRY(prepare_lanes(1));
    STEPCCL_TRY(driver().check(driver().event_record(followed_.get(), stream), "cuEventRecord"));
    STEPCCL_TRY(driver().check(driver().stream_wait_event(lanes_[0].get(), followed_.get(), 0), "cuStreamWaitEvent"));
    return join(1);
}

Status Executor::lead(Stream* stream) {
    ContextGuard guard(driver(), gpu_->context());
    STEPCCL_TRY(guard.status());
    return driver().check(driver().stream_wait_event(stream, joined_.get(), 0), "cuStreamWaitEvent");
}

Status Executor::copy(DevicePtr dst, DevicePtr src, uint64_t bytes) {
    if (bytes == 0) return {};
    ContextGuard guard(driver(), gpu_->context());
    STEPCCL_TRY(guard.status());
    STEPCCL_TRY(prepare_lanes(1));
    STEPCCL_TRY(driver().check(driver().memcpy_dtod_async(dst, src, bytes, lanes_[0].get()), cat("cuMemcpyDtoDAsync(", bytes, ")")));
    return join(1);
}

Status Executor::query() {
    ContextGuard guard(driver(), gpu_->context());
    STEPCCL_TRY(guard.status());
    for (const StreamHandle& lane : lanes_) {
        CuResult result = driver().stream_query(lane.get());
        if (result != CUDA_ERROR_NOT_READY) STEPCCL_TRY(driver().check(result, "cuStreamQuery"));
    }
    return {};
}

Status Executor::read_flags(std::vector<uint32_t>& words) {
    ContextGuard guard(driver(), gpu_->context());
    STEPCCL_TRY(guard.status());
    words.resize(layout_.flag_words());
    STEPCCL_TRY(driver().check(driver().memcpy_dtoh_async(words.data(), pad_.address(), 4 * words.size(), rescue_.get()), "cuMemcpyDtoHAsync"));
    return driver().check(driver().stream_synchronize(rescue_.get()), "cuStreamSynchronize");
}

Status Executor::fill_flags(uint32_t first, uint32_t count, uint32_t value) {
    ContextGuard guard(driver(), gpu_->context());
    STEPCCL_TRY(guard.status());
    STEPCCL_TRY(driver().check(driver().memset_d32_async(pad_.address() + 4 * first, value, count, rescue_.get()), "cuMemsetD32Async"));
    return driver().check(driver().stream_synchronize(rescue_.get()), "cuStreamSynchronize");
}

Status Executor::release_waits(uint32_t epoch) {
    uint32_t own = static_cast<uint32_t>(layout_.lane_flag(0) / 4), all = static_cast<uint32_t>(layout_.flag_words());
    STEPCCL_TRY(fill_flags(0, own, epoch));
    return fill_flags(own, all - own, lane_base_);
}

Status Executor::reset_flags(uint32_t epoch) {
    return fill_flags(0, static_cast<uint32_t>(layout_.lane_flag(0) / 4), epoch);
}

}  // namespace stepccl::cuda
