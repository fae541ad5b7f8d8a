#include "tools/perf_run.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "coll/placement.h"

namespace stepccl::tools {
namespace {

Status library_status(stepccl_status_t status, const char* what) {
    if (status == STEPCCL_SUCCESS) return {};
    return Status(static_cast<Code>(status), cat(what, ": ", stepccl_last_error()));
}

// Memory of the device or of the host.
class Memory {
  public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() {
        // Nobody could be told of a failure here.
        if (device_ != nullptr) (void)stepccl_mem_free(device_);
    }

    Status allocate(size_t bytes, bool on_device) {
        if (on_device) return library_status(stepccl_mem_alloc(&device_, bytes), "allocating device memory");
        host_.resize(bytes);
        return {};
    }
    void* address() { return device_ != nullptr ? device_ : host_.data(); }
    Status put(const std::vector<unsigned char>& from) { return copy(address(), from.data(), from.size()); }
    Status get(std::vector<unsigned char>& to) { return copy(to.data(), address(), to.size()); }

  private:
    Status copy(void* to, const void* from, size_t bytes) {
        if (device_ != nullptr) return library_status(stepccl_mem_copy(to, from, bytes), "copying test data");
        std::memcpy(to, from, bytes);
        return {};
    }

    void* device_ = nullptr;
    std::vector<unsigned char> host_;
};

struct Buffers {
    Memory send, recv;
    PerfBuffers addresses() { return {send.address(), recv.address()}; }
};

Status call_api(PerfSession& session, const PerfCase& c, const PerfBuffers& buffers) {
    uint32_t rank = session.ranks->rank();
    stepccl_call_t call = STEPCCL_CALL_INIT;
    call.kind = static_cast<stepccl_kind_t>(c.problem.kind);
    call.send = send_in_place(c, rank) ? STEPCCL_IN_PLACE : buffers.send;
    call.recv = recv_in_place(c, rank) ? STEPCCL_IN_PLACE : buffers.recv;
    call.count = c.count;
    call.type = static_cast<stepccl_datatype_t>(c.type);
    call.op = static_cast<stepccl_op_t>(c.op);
    call.root = static_cast<int>(c.problem.root);
    stepccl_path_t path = STEPCCL_PATH_STAGED;
    STEPCCL_TRY(library_status(stepccl_run(session.comm, &call, &path), "stepccl_run"));
    if (path == STEPCCL_PATH_NATIVE) return {};
    return Status(Code::ERR_UNSUPPORTED,
                  cat("stepccl_run left the call to the caller (", stepccl_comm_describe(session.comm),
                      "); --via mpi shows what coll/stepccl makes of it"));
}

Status call(PerfSession& session, const PerfCase& c, Buffers& buffers) {
    return session.comm != nullptr ? call_api(session, c, buffers.addresses())
                                   : session.ranks->call(c, buffers.addresses());
}

Result<stepccl_counters_t> counters() {
    stepccl_counters_t out{};
    out.size = sizeof(out);
    STEPCCL_TRY(library_status(stepccl_counters(&out), "stepccl_counters"));
    return out;
}

// What happened between two looks at the counters, summed over the ranks.
Status add_counters(PerfSession& session, const stepccl_counters_t& from, const stepccl_counters_t& to, PerfRow& row) {
    std::array<uint64_t, 7> sums = {to.native_calls - from.native_calls,  to.staged_calls - from.staged_calls,
                                    to.host_calls - from.host_calls,      to.copy_engine_bytes - from.copy_engine_bytes,
                                    to.kernel_bytes - from.kernel_bytes,  to.staged_bytes - from.staged_bytes,
                                    to.bounced_bytes - from.bounced_bytes};
    STEPCCL_TRY(session.ranks->sum(sums));
    row.native_calls = sums[0];
    row.staged_calls = sums[1];
    row.host_calls = sums[2];
    auto a_call = [&](size_t i) { return static_cast<double>(sums[i]) / session.options.iterations; };
    row.engines = {a_call(3), a_call(4), a_call(5), a_call(6)};
    if (row.native_calls == 0) return {};
    row.algorithm = to.algorithm;
    row.parts = to.parts;
    return {};
}

// Back to back, as nccl-tests does. A call lasts as long as on the rank where it lasts longest.
Status time_calls(PerfSession& session, Buffers& buffers, PerfRow& row) {
    for (uint32_t i = 0; i < session.options.warmup; ++i) STEPCCL_TRY(call(session, row.which, buffers));
    STEPCCL_TRY(session.ranks->barrier());
    auto from = counters();
    STEPCCL_TRY(from.status());
    std::vector<double> us(session.options.iterations);
    for (double& each : us) {
        double begin = session.ranks->now_us();
        STEPCCL_TRY(call(session, row.which, buffers));
        each = session.ranks->now_us() - begin;
    }
    auto to = counters();
    STEPCCL_TRY(to.status());
    STEPCCL_TRY(session.ranks->largest(us));
    row.times = summarise(us);
    return add_counters(session, from.value(), to.value(), row);
}

Status fill(const Images& images, Buffers& buffers) {
    STEPCCL_TRY(buffers.send.put(images.send));
    return buffers.recv.put(images.recv);
}

// With other data than the timed calls had, so that nothing they left behind can pass for a result.
Status check_call(PerfSession& session, Buffers& buffers, PerfRow& row) {
    PerfCase c = row.which;
    ++c.seed;
    Images images = before(c, session.ranks->rank()), after = images;
    STEPCCL_TRY(fill(images, buffers));
    STEPCCL_TRY(session.ranks->barrier());
    STEPCCL_TRY(call(session, c, buffers));
    STEPCCL_TRY(buffers.send.get(after.send));
    STEPCCL_TRY(buffers.recv.get(after.recv));
    row.checked = true;
    row.wrong = wrong_elements(c, session.ranks->rank(), images, after);
    return session.ranks->sum(std::span(&row.wrong, 1));
}

}  // namespace

bool send_in_place(const PerfCase& c, uint32_t rank) {
    return alias(c.problem, rank) != Alias::none && c.problem.kind != Kind::scatter;
}

bool recv_in_place(const PerfCase& c, uint32_t rank) {
    return alias(c.problem, rank) != Alias::none && c.problem.kind == Kind::scatter;
}

Result<PerfRow> run_case(PerfSession& session, const PerfCase& which) {
    PerfRow row;
    row.which = which;
    Images images = before(which, session.ranks->rank());
    Buffers buffers;
    STEPCCL_TRY(buffers.send.allocate(images.send.size(), session.options.on_device));
    STEPCCL_TRY(buffers.recv.allocate(images.recv.size(), session.options.on_device));
    STEPCCL_TRY(fill(images, buffers));
    STEPCCL_TRY(time_calls(session, buffers, row));
    if (session.options.check) STEPCCL_TRY(check_call(session, buffers, row));
    return row;
}

}  // namespace stepccl::tools
