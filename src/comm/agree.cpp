// Who brings what: the ranks agree on the way of a call before any of them acts.

#include "base/text.h"
#include "comm/communicator.h"

namespace stepccl {

Communicator::Brings Communicator::classify(const Buffers& buffers, int& device) const {
    bool loaded = env_.driver_is_loaded();
    uint32_t on_device = 0, on_host = 0;
    auto look = [&](const void* address, uint64_t bytes) {
        if (bytes == 0) return;
        cuda::PointerInfo known;
        if (loaded) {
            auto driver = env_.driver();
            if (driver.ok()) known = cuda::pointer_info(*driver.value(), address);
        }
        if (!known.device) return void(++on_host);
        if (on_device++ != 0 && known.ordinal != device) ++on_host;  // two devices in one call: not native
        device = known.ordinal;
    };
    look(buffers.in, buffers.in_bytes);
    look(buffers.out, buffers.out_bytes);
    if (on_device == 0) return on_host == 0 ? Brings::nothing : Brings::host;
    return on_host == 0 ? Brings::device : Brings::mixed;
}

Status Communicator::check(const Call& call) const {
    const KindInfo& kind = info(call.kind);
    auto wrong = [&](auto... why) { return Status(Code::ERR_INVALID_ARGUMENT, cat(describe(call), " on rank ", rank_, ": ", why...)); };
    if (kind.rooted && call.root >= n_) return wrong("there is no rank ", call.root, " among ", n_);
    if (kind.reduces && !applies(call.op, call.type)) return wrong(name_of(call.op), " is not defined on ", name_of(call.type));
    Buffers buffers = buffers_of(call, rank_, n_);
    if (buffers.in_bytes != 0 && buffers.in == nullptr) return wrong("no input buffer");
    if (buffers.out_bytes != 0 && buffers.out == nullptr) return wrong("no output buffer");
    return {};
}

void Communicator::stage(Path& path) {
    path = Path::staged;
    env_.counters->staged_calls.fetch_add(1, std::memory_order_relaxed);
}

Status Communicator::come_together(const Call& call, Prepared& prepared, Path& path) {
    if (Status status = check(call); !status.ok()) {
        if (native()) group_->own().call.store(++call_, std::memory_order_release);
        return status;
    }
    Buffers buffers = buffers_of(call, rank_, n_);
    int device = -1;
    Brings brings = classify(buffers, device);
    if (brings == Brings::host || (brings == Brings::nothing && !native())) return path = Path::host, pass(), Status();
    if (!native()) return stage(path), Status();
    if (broken_) return Status(Code::ERR_COMM_BROKEN, cat(group_->name(), " failed in an earlier call: ", group_->control().header().text));
    Status ready = brings == Brings::mixed ? Status(Code::ERR_UNSUPPORTED, "host and device buffers, or two devices, in one call of one rank") : open_gpu(device);
    if (ready.ok()) ready = prepare(call, buffers, prepared);
    if (ready.code() == Code::ERR_PEER_FAILED || ready.code() == Code::ERR_TIMEOUT) return give_up(ready, prepared);
    if (!ready.ok()) {
        env_.log(std::exchange(warned_, true) ? LogLevel::info : LogLevel::warn, cat(describe(call), " goes through host memory: ", ready.text()));
        decline();
        return path = Path::staged, Status();
    }
    return meet(prepared, path);
}

void Communicator::publish(const Prepared& prepared) {
    const Call& call = prepared.call;
    uint32_t which = records_++ & 1;
    CallRecord& record = group_->own().records[which];
    record.kind = static_cast<uint8_t>(call.kind);
    record.type = static_cast<uint8_t>(call.type);
    record.op = static_cast<uint8_t>(call.op);
    record.in_place = call.in_place ? 1 : 0;
    record.root = call.root;
    record.count = call.count;
    record.listed = call.recv_counts.empty() ? 0 : 1;
    for (uint32_t i = 0; i < call.recv_counts.size(); ++i) {
        group_->control().counts(rank_, which)[i] = call.recv_counts[i];
        group_->control().displs(rank_, which)[i] = call.recv_displs.empty() ? 0 : call.recv_displs[i];
    }
    record.out = prepared.out.exported;
    record.scratch = scratch_exported_;
    record.pad = pad_exported_;
    record.call.store(++call_, std::memory_order_release);
    group_->own().call.store(call_, std::memory_order_release);
}

// Goes on when all ranks have come: on the native path when every one of them is ready for it.
Status Communicator::meet(Prepared& prepared, Path& path) {
    publish(prepared);
    std::string doing = cat(describe(prepared.call), " (call ", call_, "), before its first step");
    Status status = group_->wait_for_all(
        [&](uint32_t rank) { return group_->control().slot(rank).call.load(std::memory_order_acquire) >= call_; }, doing);
    if (!status.ok()) return give_up(status, prepared);
    for (uint32_t rank = 0; rank < n_; ++rank) {
        if (group_->control().record(rank, call_) == nullptr) return stage(path), Status();
    }
    STEPCCL_TRY(compare());
    Status reached = reach_peers(prepared);
    if (!probed_) return probe(reached, path);
    path = Path::native;
    return reached.ok() ? reached : give_up(reached, prepared);
}

// Every rank compares the same records in the same way, so all come to the same answer.
Status Communicator::compare() const {
    const CallRecord& first = *group_->control().record(0, call_);
    auto text = [](const CallRecord& record) {
        Call call;
        call.kind = static_cast<Kind>(record.kind);
        call.type = static_cast<Datatype>(record.type);
        call.op = static_cast<Operation>(record.op);
        call.root = record.root;
        call.count = record.count;
        call.in_place = record.in_place != 0;
        call.recv_counts.resize(record.listed);
        return std::pair{describe(call) + (call.in_place && !info(call.kind).rooted ? ", in place" : ""), call};
    };
    auto [first_text, first_call] = text(first);
    const KindInfo& kind = info(first_call.kind);
    for (uint32_t rank = 1; rank < n_; ++rank) {
        const CallRecord& other = *group_->control().record(rank, call_);
        bool same = other.kind == first.kind && other.type == first.type && (!kind.reduces || other.op == first.op) &&
                    (!kind.rooted || other.root == first.root) && (kind.rooted || other.in_place == first.in_place) &&
                    (!count_is_common(first_call) || other.count == first.count);
        if (!same) {
            return Status(Code::ERR_INVALID_ARGUMENT, cat("the ranks of ", group_->name(), " disagree: rank 0 calls ", first_text, ", rank ", rank, " calls ", text(other).first));
        }
    }
    return {};
}

}  // namespace stepccl
