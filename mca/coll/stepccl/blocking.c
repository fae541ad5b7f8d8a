#include "coll_stepccl.h"

/*
 * Blocking collectives. The ranks meet in the first one of a communicator, whatever its buffers are, as this is a point
 * that MPI makes equal on all ranks; a nonblocking call must not wait for others and so never meets. From then on every
 * rank counts the same calls: those that come from the application and are not known to all to be empty. A count that
 * differed would pair different calls.
 */

enum { deepest = 16 };

int coll_stepccl_error(stepccl_status_t status) {
    switch (status) {
        case STEPCCL_SUCCESS:
            return MPI_SUCCESS;
        case STEPCCL_ERR_INVALID_ARGUMENT:
            return MPI_ERR_ARG;
        case STEPCCL_ERR_OUT_OF_MEMORY:
            return MPI_ERR_NO_MEM;
        case STEPCCL_ERR_INTERNAL:
            return MPI_ERR_INTERN;
        case STEPCCL_ERR_PEER_FAILED:
        case STEPCCL_ERR_COMM_BROKEN:
            return COLL_STEPCCL_ERR_PEER;
        default:
            return MPI_ERR_OTHER;
    }
}

static int gather_from_all(void* context, const void* mine, void* all, size_t bytes) {
    coll_stepccl_module_t* self = context;
    if (bytes > INT_MAX) return MPI_ERR_COUNT;
    return self->below.allgather.call(mine, (coll_stepccl_count_t)bytes, MPI_BYTE, all, (coll_stepccl_count_t)bytes,
                                      MPI_BYTE, self->comm, self->below.allgather.module);
}

static int progress(void* context) {
    const coll_stepccl_module_t* self = context;
    opal_progress();
    return coll_stepccl_comm_is_dead(self->comm) ? 1 : 0;
}

/* All ranks fare alike here: stepccl_comm_create agrees on its outcome, and has said what went wrong. */
static void meet(coll_stepccl_module_t* self) {
    self->state = coll_stepccl_meeting;
    stepccl_comm_args_t args = STEPCCL_COMM_ARGS_INIT;
    args.rank = ompi_comm_rank(self->comm);
    args.nranks = ompi_comm_size(self->comm);
    args.allgather = gather_from_all;
    args.progress = progress;
    args.context = self;
    args.name = self->comm->c_name;
    ++self->depth; /* the all-gather below may call others of this communicator's functions */
    bool made = NULL != self->below.allgather.call && STEPCCL_SUCCESS == stepccl_comm_create(&args, &self->ranks);
    --self->depth;
    if (made && stepccl_comm_native(self->ranks)) {
        self->state = coll_stepccl_native;
        return;
    }
    self->state = coll_stepccl_apart;
    (void)stepccl_comm_destroy(self->ranks); /* a failure is logged there, and nobody needs it any more */
    self->ranks = NULL;
}

/* True when StepCCL did the call, or failed for good. */
static bool done_natively(coll_stepccl_module_t* self, coll_stepccl_call_t* call, bool on_device, int* rc) {
    bool on_host = coll_stepccl_host == call->send.place || coll_stepccl_host == call->recv.place;
    if (on_host && !on_device) {
        stepccl_pass(self->ranks);
        return false;
    }
    stepccl_call_t native;
    if (on_host || NULL == self->arrays || !coll_stepccl_describe(self, call, &native)) {
        stepccl_decline(self->ranks);
        return false;
    }
    /* A rank without any data comes here too, and waits for what the others bring. */
    stepccl_path_t path = STEPCCL_PATH_STAGED;
    stepccl_status_t status = stepccl_run(self->ranks, &native, &path);
    *rc = coll_stepccl_error(status);
    return STEPCCL_SUCCESS != status || STEPCCL_PATH_NATIVE == path;
}

/*
 * Functions below us call other collectives through the communicator, which are ours again: coll/basic reduces and then
 * scatters. Those are no calls of the application; other ranks may make different ones. So while a function below runs,
 * what arrives here goes straight on. A communicator is never in two blocking collectives at once, so that a counter in
 * the module will do; nonblocking calls, which may come from anywhere at any time, neither read nor change it.
 */
static bool is_nested(coll_stepccl_module_t* self, int* rc) {
    if (0 == self->depth) return false;
    if (self->depth < deepest) return true;
    opal_output(
        0,
        "coll/stepccl: the collective component below calls itself through this one without end; leave it out, e.g. "
        "--mca coll ^han");
    *rc = MPI_ERR_INTERN;
    return true;
}

coll_stepccl_module_t* coll_stepccl_enter(coll_stepccl_call_t* call, mca_coll_base_module_t* module, int* rc) {
    coll_stepccl_module_t* self = coll_stepccl_module_of(module, call->comm);
    *rc = MPI_SUCCESS;
    if (NULL == self) {
        *rc = MPI_ERR_INTERN;
        return NULL;
    }
    if (!is_nested(self, rc)) {
        if (call->agreed && call->empty) return NULL;
        bool on_device = coll_stepccl_locate(call);
        if (call->agreed) {
            if (coll_stepccl_not_met == self->state) meet(self);
            if (coll_stepccl_native == self->state && done_natively(self, call, on_device, rc)) return NULL;
        }
        if (on_device) *rc = coll_stepccl_stage_open(call);
        if (on_device && MPI_SUCCESS == *rc) *rc = coll_stepccl_stage_in(call);
    }
    if (MPI_SUCCESS != *rc) {
        coll_stepccl_stage_close(call);
        return NULL;
    }
    ++self->depth;
    return self;
}

int coll_stepccl_leave(coll_stepccl_module_t* self, coll_stepccl_call_t* call, int rc) {
    --self->depth;
    if (MPI_SUCCESS == rc) rc = coll_stepccl_stage_out(call);
    coll_stepccl_stage_close(call);
    return rc;
}
