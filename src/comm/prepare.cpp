// What a rank makes ready before it says that it comes: the GPU, the algorithm, scratch memory, and its buffers within others' reach.

#include <algorithm>
#include <bit>

#include "base/checked.h"
#include "base/text.h"
#include "coll/placement.h"
#include "comm/communicator.h"

namespace stepccl {
namespace {

constexpr uint64_t kAlignment = 256;

// The device of a rank that brings no buffer: the thread's current one, or one by rank.
int some_device(const cuda::Driver& driver, uint32_t rank) {
    cuda::Device device = 0;
    if (driver.ctx_get_device(&device) == cuda::CUDA_SUCCESS) return device;
    int count = 0;
    bool known = driver.device_get_count(&count) == cuda::CUDA_SUCCESS && count > 0;
    return known ? static_cast<int>(rank % static_cast<uint32_t>(count)) : 0;
}

}  // namespace

Status Communicator::open_gpu(int device) {
    if (gpu_) {
        if (device < 0 || device == gpu_->ordinal()) return {};
        return Status(Code::ERR_UNSUPPORTED, cat("the buffers are on device ", device, ", those of earlier calls on device ", gpu_->ordinal()));
    }
    auto driver = env_.driver();
    STEPCCL_TRY(driver.status());
    auto gpu = cuda::Gpu::open(driver.value(), device < 0 ? some_device(*driver.value(), rank_) : device);
    STEPCCL_TRY(gpu.status());
    auto executor = cuda::Executor::create(gpu.value(), n_, static_cast<uint32_t>(env_.params.reduce_ctas));
    STEPCCL_TRY(executor.status());
    if (epoch_ != 0) STEPCCL_TRY(executor.value()->reset_flags(epoch_));
    auto exporter = std::make_unique<Exporter>(gpu.value());
    auto pad = exporter->describe(reinterpret_cast<void*>(executor.value()->pad()), other_processes_);
    STEPCCL_TRY(pad.status());
    gpu_ = std::move(gpu).value();
    pad_exported_ = pad.value();
    exporter_ = std::move(exporter);
    importer_ = std::make_unique<Importer>(gpu_, static_cast<size_t>(env_.params.map_cache_entries));
    executor_ = std::move(executor).value();
    return {};
}

Status Communicator::prepare(const Call& call, const Buffers& buffers, Prepared& out) {
    if (info(call.kind).reduces && !cuda::has_kernels(gpu_->driver())) {
        return Status(Code::ERR_UNSUPPORTED, "StepCCL was built without the CUDA Toolkit, so it has no reduction kernels");
    }
    for (const void* buffer : {buffers.in, buffers.out}) {
        if (!info(call.kind).reduces || reinterpret_cast<uint64_t>(buffer) % alignment_of(call.type) == 0) continue;
        return Status(Code::ERR_UNSUPPORTED, "a buffer is not aligned to its elements");
    }
    out.call = call;
    out.chosen = choose(call);
    STEPCCL_TRY(size_scratch(call, out.chosen));
    out.in = {buffers.in, buffers.in_bytes, reinterpret_cast<cuda::DevicePtr>(buffers.in), {}, false};
    return prepare_out(call, buffers, out);
}

const Schedule& Communicator::schedule(const Algorithm& algorithm, const Problem& problem, uint32_t parts) {
    auto key = std::tuple(&algorithm, problem.root, problem.in_place, parts);
    auto found = schedules_.find(key);
    if (found == schedules_.end()) found = schedules_.emplace(key, build(algorithm, problem, rank_, parts)).first;
    return found->second;
}

// From what all ranks know alike, so that all choose the same.
Communicator::Chosen Communicator::choose(const Call& call) {
    CallShape shape{call.kind, n_, common_bytes(call, n_), static_cast<uint32_t>(size_of(call.type)), true,
                    call.in_place && !info(call.kind).rooted};
    Choice choice = stepccl::choose(shape, link_, costs_, override_);
    if (env_.log.wants(LogLevel::debug)) env_.log(LogLevel::debug, explain(choice));
    Chosen out;
    out.algorithm = choice.algorithm;
    out.schedule = &schedule(*choice.algorithm, problem_of(call, n_), choice.parts);
    return out;
}

// Calls that need more scratch than allowed go in rounds. What makes the number of rounds must be known to all ranks alike; and a result that lies
// across the input may be written only when all input has been used, so it cannot.
Status Communicator::size_scratch(const Call& call, Chosen& chosen) {
    const Schedule& schedule = *chosen.schedule;
    if (schedule.scratch_slots == 0) return {};
    uint64_t size = size_of(call.type), largest = scratch_layout(call, rank_, n_, schedule.blocks).largest();
    auto slot_bytes = [&](uint64_t rounds) { return align_up((largest + rounds - 1) / rounds * size, kAlignment); };
    uint64_t most = std::max<uint64_t>(env_.params.scratch_bytes / schedule.scratch_slots, kAlignment);
    bool divisible = common_bytes(call, n_).has_value() && alias(schedule.problem, rank_) != Alias::front;
    uint64_t rounds = divisible ? std::max<uint64_t>((largest * size + most - 1) / most, 1) : 1;
    chosen.rounds = static_cast<uint32_t>(rounds);
    chosen.slot_bytes = slot_bytes(rounds);
    return share(scratch_, schedule.scratch_slots * chosen.slot_bytes, scratch_exported_);
}

// At least `bytes` of device memory that the others reach. What it held is lost.
Status Communicator::share(cuda::DeviceMemory& memory, uint64_t bytes, ExportedBuffer& exported) {
    if (bytes <= memory.bytes()) return {};
    STEPCCL_TRY(wait_until_done("earlier calls, before memory for a larger one is made"));
    memory = cuda::DeviceMemory();
    exported = {};
    auto allocated = cuda::DeviceMemory::allocate(gpu_, std::bit_ceil(bytes));
    STEPCCL_TRY(allocated.status());
    auto described = exporter_->describe(reinterpret_cast<void*>(allocated.value().address()), other_processes_);
    STEPCCL_TRY(described.status());
    memory = std::move(allocated).value();
    exported = described.value();
    return {};
}

// Memory that cannot be shared between processes is stood in for by memory that can.
Status Communicator::prepare_out(const Call& call, const Buffers& buffers, Prepared& out) {
    out.out = {buffers.out, buffers.out_bytes, reinterpret_cast<cuda::DevicePtr>(buffers.out), {}, false};
    if (buffers.out_bytes == 0 || !out_is_shared(call.kind)) return {};
    auto described = exporter_->describe(buffers.out, other_processes_);
    if (described.ok()) return out.out.exported = described.value(), Status();
    if (described.status().code() != Code::ERR_UNSUPPORTED) return described.status();
    STEPCCL_TRY(share(bounce_, std::max(buffers.in == buffers.out ? buffers.in_bytes : 0, buffers.out_bytes), bounce_exported_));
    env_.log(std::exchange(warned_, true) ? LogLevel::info : LogLevel::warn,
             cat(describe(call), " goes through a bounce buffer: ", described.status().text()));
    out.out.address = bounce_.address();
    out.out.exported = bounce_exported_;
    out.out.bounced = true;
    if (buffers.in == buffers.out) out.in.address = bounce_.address();
    return {};
}

}  // namespace stepccl
