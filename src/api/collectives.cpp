// Communicators and collectives of the C interface.

#include "api/runtime.h"
#include "base/text.h"

using namespace stepccl;

struct stepccl_comm {
    std::unique_ptr<Communicator> core;
};

namespace {

Status invalid(std::string text) { return Status(Code::ERR_INVALID_ARGUMENT, std::move(text)); }

std::vector<uint64_t> list(const size_t* values, uint32_t n) {
    return values == nullptr ? std::vector<uint64_t>() : std::vector<uint64_t>(values, values + n);
}

// MPI_IN_PLACE and equal buffers mean the same. Where only the root can be in place, it says so by its own argument.
bool in_place(const stepccl_call_t& call, const Communicator& comm) {
    auto same = [&](const void* mark) { return mark == STEPCCL_IN_PLACE || (call.send == call.recv && call.send != nullptr); };
    switch (static_cast<Kind>(call.kind)) {
        case Kind::barrier:
        case Kind::bcast:
            return false;
        case Kind::scatter:
            return static_cast<uint32_t>(call.root) == comm.rank() && same(call.recv);
        case Kind::gather:
        case Kind::reduce:
            return static_cast<uint32_t>(call.root) == comm.rank() && same(call.send);
        default:
            return same(call.send);
    }
}

Result<Call> check(const Communicator& comm, const stepccl_call_t* call) {
    if (call == nullptr || call->size < sizeof(*call)) return invalid("stepccl_call_t: initialise it with STEPCCL_CALL_INIT");
    if (static_cast<size_t>(call->kind) >= kKinds) return invalid(cat("there is no kind ", static_cast<int>(call->kind)));
    if (static_cast<size_t>(call->type) >= kDatatypes) return invalid(cat("there is no datatype ", static_cast<int>(call->type)));
    if (static_cast<size_t>(call->op) >= kOperations) return invalid(cat("there is no operation ", static_cast<int>(call->op)));
    if (call->root < 0) return invalid(cat("there is no rank ", call->root));
    Call out;
    out.kind = static_cast<Kind>(call->kind);
    out.type = static_cast<Datatype>(call->type);
    out.op = static_cast<Operation>(call->op);
    out.root = info(out.kind).rooted ? static_cast<uint32_t>(call->root) : 0;
    out.count = call->count;
    out.in_place = in_place(*call, comm);
    out.send = call->send == STEPCCL_IN_PLACE ? nullptr : call->send;
    out.recv = call->recv == STEPCCL_IN_PLACE ? nullptr : call->recv;
    out.send_counts = list(call->send_counts, comm.n());
    out.send_displs = list(call->send_displs, comm.n());
    out.recv_counts = list(call->recv_counts, comm.n());
    out.recv_displs = list(call->recv_displs, comm.n());
    return out;
}

stepccl_status_t enqueue(stepccl_comm_t* comm, stepccl_kind_t kind, const void* send, void* recv, size_t count,
                         stepccl_datatype_t type, stepccl_op_t op, int root, void* stream) {
    stepccl_call_t call = STEPCCL_CALL_INIT;
    call.kind = kind;
    call.send = send;
    call.recv = recv;
    call.count = count;
    call.type = type;
    call.op = op;
    call.root = root;
    return stepccl_enqueue(comm, &call, stream);
}

}  // namespace

extern "C" {

stepccl_status_t stepccl_comm_create(const stepccl_comm_args_t* args, stepccl_comm_t** comm) {
    return fenced([&]() -> Status {
        if (args == nullptr || comm == nullptr || args->size < sizeof(*args)) return invalid("stepccl_comm_create: initialise the arguments with STEPCCL_COMM_ARGS_INIT");
        if (args->nranks < 1 || args->rank < 0 || args->rank >= args->nranks) return invalid(cat("stepccl_comm_create: rank ", args->rank, " of ", args->nranks));
        if (args->allgather == nullptr) return invalid("stepccl_comm_create: allgather is null");
        auto surroundings = Runtime::get().surroundings();
        STEPCCL_TRY(surroundings.status());
        Bootstrap bootstrap;
        bootstrap.rank = static_cast<uint32_t>(args->rank);
        bootstrap.n = static_cast<uint32_t>(args->nranks);
        bootstrap.name = args->name == nullptr ? "communicator" : args->name;
        bootstrap.allgather = [gather = args->allgather, context = args->context](const void* mine, void* all, size_t bytes) {
            return gather(context, mine, all, bytes) == 0;
        };
        if (args->progress != nullptr) {
            bootstrap.progress = [progress = args->progress, context = args->context] { return progress(context) == 0; };
        }
        Surroundings environment = std::move(surroundings).value();
        environment.log = environment.log.as(cat("rank ", args->rank));
        auto core = Communicator::create(std::move(bootstrap), std::move(environment));
        STEPCCL_TRY(core.status());
        *comm = new stepccl_comm{std::move(core).value()};
        return {};
    });
}

stepccl_status_t stepccl_comm_destroy(stepccl_comm_t* comm) {
    return fenced([&]() -> Status {
        delete comm;
        return {};
    });
}

int stepccl_comm_native(const stepccl_comm_t* comm) { return comm->core->native() ? 1 : 0; }
const char* stepccl_comm_describe(const stepccl_comm_t* comm) { return comm->core->description().c_str(); }

stepccl_status_t stepccl_run(stepccl_comm_t* comm, const stepccl_call_t* call, stepccl_path_t* path) {
    return fenced([&]() -> Status {
        if (comm == nullptr || path == nullptr) return invalid("stepccl_run: null");
        auto checked = check(*comm->core, call);
        if (!checked.ok()) return comm->core->decline(), checked.status();
        Path taken = Path::staged;
        STEPCCL_TRY(comm->core->run(checked.value(), taken));
        *path = static_cast<stepccl_path_t>(taken);
        return {};
    });
}

void stepccl_pass(stepccl_comm_t* comm) { comm->core->pass(); }
void stepccl_decline(stepccl_comm_t* comm) { comm->core->decline(); }

stepccl_status_t stepccl_enqueue(stepccl_comm_t* comm, const stepccl_call_t* call, void* stream) {
    return fenced([&]() -> Status {
        if (comm == nullptr) return invalid("stepccl_enqueue: null");
        auto checked = check(*comm->core, call);
        if (!checked.ok()) return comm->core->decline(), checked.status();
        return comm->core->enqueue(checked.value(), static_cast<cuda::Stream*>(stream));
    });
}

stepccl_status_t stepccl_comm_sync(stepccl_comm_t* comm) {
    return fenced([&]() -> Status {
        if (comm == nullptr) return invalid("stepccl_comm_sync: null");
        return comm->core->sync();
    });
}

stepccl_status_t stepccl_barrier(stepccl_comm_t* comm, void* stream) {
    return enqueue(comm, stepccl_kind_barrier, nullptr, nullptr, 0, stepccl_uint8, stepccl_sum, 0, stream);
}

stepccl_status_t stepccl_bcast(stepccl_comm_t* comm, void* buffer, size_t count, stepccl_datatype_t type, int root, void* stream) {
    return enqueue(comm, stepccl_kind_bcast, nullptr, buffer, count, type, stepccl_sum, root, stream);
}

stepccl_status_t stepccl_gather(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type, int root,
                                void* stream) {
    return enqueue(comm, stepccl_kind_gather, send, recv, count, type, stepccl_sum, root, stream);
}

stepccl_status_t stepccl_scatter(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type, int root,
                                 void* stream) {
    return enqueue(comm, stepccl_kind_scatter, send, recv, count, type, stepccl_sum, root, stream);
}

stepccl_status_t stepccl_allgather(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type, void* stream) {
    return enqueue(comm, stepccl_kind_allgather, send, recv, count, type, stepccl_sum, 0, stream);
}

stepccl_status_t stepccl_alltoall(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type, void* stream) {
    return enqueue(comm, stepccl_kind_alltoall, send, recv, count, type, stepccl_sum, 0, stream);
}

stepccl_status_t stepccl_allreduce(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type,
                                   stepccl_op_t op, void* stream) {
    return enqueue(comm, stepccl_kind_allreduce, send, recv, count, type, op, 0, stream);
}

stepccl_status_t stepccl_reduce(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type, stepccl_op_t op,
                                int root, void* stream) {
    return enqueue(comm, stepccl_kind_reduce, send, recv, count, type, op, root, stream);
}

stepccl_status_t stepccl_reduce_scatter(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type,
                                        stepccl_op_t op, void* stream) {
    return enqueue(comm, stepccl_kind_reduce_scatter, send, recv, count, type, op, 0, stream);
}

stepccl_status_t stepccl_scan(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type, stepccl_op_t op,
                              void* stream) {
    return enqueue(comm, stepccl_kind_scan, send, recv, count, type, op, 0, stream);
}

stepccl_status_t stepccl_exscan(stepccl_comm_t* comm, const void* send, void* recv, size_t count, stepccl_datatype_t type, stepccl_op_t op,
                                void* stream) {
    return enqueue(comm, stepccl_kind_exscan, send, recv, count, type, op, 0, stream);
}

}  // extern "C"
