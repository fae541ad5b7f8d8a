#include "coll_stepccl.h"

/* The functions that Open MPI calls, three for each row of slots.def. */

/* The arguments' names are those of Open MPI's *_BASE_ARGS. */
#define USE_two(call) (sendbuf = (call)->send.use, recvbuf = (call)->recv.use)
#define USE_one(call) (buffer = (call)->recv.use)

#define STEPCCL_SLOT(name, NAME, buffers)                                                                              \
    static int name##_blocking(NAME##_ARGS) {                                                                          \
        int rc;                                                                                                        \
        coll_stepccl_call_t call;                                                                                      \
        coll_stepccl_pack_##name(&call, NAME##_BASE_ARG_NAMES);                                                        \
        coll_stepccl_module_t* self = coll_stepccl_enter(&call, module, &rc);                                          \
        if (NULL == self) return rc;                                                                                   \
        USE_##buffers(&call);                                                                                          \
        rc = self->below.name.call(NAME##_BASE_ARG_NAMES, self->below.name.module);                                    \
        return coll_stepccl_leave(self, &call, rc);                                                                    \
    }                                                                                                                  \
    static int name##_nonblocking(I##NAME##_ARGS) {                                                                    \
        int rc;                                                                                                        \
        coll_stepccl_call_t call;                                                                                      \
        coll_stepccl_module_t* self = coll_stepccl_module_of(module, comm);                                            \
        if (NULL == self) return MPI_ERR_INTERN;                                                                       \
        coll_stepccl_pack_##name(&call, NAME##_BASE_ARG_NAMES);                                                        \
        if (!coll_stepccl_locate(&call)) {                                                                             \
            return self->below.i##name.call(NAME##_BASE_ARG_NAMES, request, self->below.i##name.module);               \
        }                                                                                                              \
        coll_stepccl_request_t* ours = coll_stepccl_request_new(self, &call, false, &rc);                              \
        if (NULL == ours) return rc;                                                                                   \
        USE_##buffers(&call);                                                                                          \
        rc = self->below.i##name.call(NAME##_BASE_ARG_NAMES, coll_stepccl_request_inner(ours),                         \
                                      self->below.i##name.module);                                                     \
        return coll_stepccl_request_launch(ours, rc, request);                                                         \
    }                                                                                                                  \
    static int name##_persistent(NAME##_INIT_ARGS) {                                                                   \
        int rc;                                                                                                        \
        coll_stepccl_call_t call;                                                                                      \
        coll_stepccl_module_t* self = coll_stepccl_module_of(module, comm);                                            \
        if (NULL == self) return MPI_ERR_INTERN;                                                                       \
        coll_stepccl_pack_##name(&call, NAME##_BASE_ARG_NAMES);                                                        \
        if (!coll_stepccl_locate(&call)) {                                                                             \
            return self->below.name##_init.call(NAME##_BASE_ARG_NAMES, info, request, self->below.name##_init.module); \
        }                                                                                                              \
        coll_stepccl_request_t* ours = coll_stepccl_request_new(self, &call, true, &rc);                               \
        if (NULL == ours) return rc;                                                                                   \
        USE_##buffers(&call);                                                                                          \
        rc = self->below.name##_init.call(NAME##_BASE_ARG_NAMES, info, coll_stepccl_request_inner(ours),               \
                                          self->below.name##_init.module);                                             \
        return coll_stepccl_request_launch(ours, rc, request);                                                         \
    }
#include "slots.def"
#undef STEPCCL_SLOT

#if OMPI_MAJOR_VERSION >= 6
static int reduce_local(const void* inbuf, void* inoutbuf, size_t count, struct ompi_datatype_t* datatype,
                        struct ompi_op_t* op, mca_coll_base_module_t* module) {
#else
static int reduce_local(const void* inbuf, void* inoutbuf, int count, struct ompi_datatype_t* datatype,
                        struct ompi_op_t* op, mca_coll_base_module_t* module) {
#endif
    coll_stepccl_call_t call;
    coll_stepccl_module_t* self = coll_stepccl_module_of(module, NULL);
    if (NULL == self) return MPI_ERR_INTERN;
    coll_stepccl_pack_reduce_local(&call, inbuf, inoutbuf, (size_t)count, datatype, op);
    int rc = MPI_SUCCESS;
    if (coll_stepccl_locate(&call)) rc = coll_stepccl_stage_open(&call);
    if (MPI_SUCCESS == rc) rc = coll_stepccl_stage_in(&call);
    if (MPI_SUCCESS == rc) {
        rc = self->below.reduce_local.call(call.send.use, call.recv.use, count, datatype, op,
                                           self->below.reduce_local.module);
    }
    if (MPI_SUCCESS == rc) rc = coll_stepccl_stage_out(&call);
    coll_stepccl_stage_close(&call);
    return rc;
}

/* `each(api, our function)` for the three functions of a row. */
#define THREE(each, name) \
    each(name, name##_blocking) each(i##name, name##_nonblocking) each(name##_init, name##_persistent)

void coll_stepccl_slots_offer(coll_stepccl_module_t* self) {
#define OFFER(api, function) self->super.coll_##api = function;
#define STEPCCL_SLOT(name, NAME, buffers) THREE(OFFER, name)
#include "slots.def"
#undef STEPCCL_SLOT
    OFFER(reduce_local, reduce_local)
}

/* What the communicator has no function for, we leave alone: there would be nothing to hand a call on to. */
void coll_stepccl_slots_save(coll_stepccl_module_t* self, ompi_communicator_t* comm) {
#define SAVE(api, function)                                               \
    self->below.api.call = comm->c_coll->coll_##api;                      \
    self->below.api.module = comm->c_coll->coll_##api##_module;           \
    if (NULL == self->below.api.call || NULL == self->below.api.module) { \
        self->below.api.call = NULL;                                      \
        self->below.api.module = NULL;                                    \
        self->super.coll_##api = NULL;                                    \
    } else {                                                              \
        COLL_STEPCCL_RETAIN(self->below.api.module);                      \
        COLL_STEPCCL_INSTALL(comm, api, function, &self->super);          \
    }
#define STEPCCL_SLOT(name, NAME, buffers) THREE(SAVE, name)
#include "slots.def"
#undef STEPCCL_SLOT
    SAVE(reduce_local, reduce_local)
}

void coll_stepccl_slots_restore(coll_stepccl_module_t* self, ompi_communicator_t* comm) {
#define RESTORE(api, function) COLL_STEPCCL_RESTORE(comm, api, &self->below.api, &self->super);
#define STEPCCL_SLOT(name, NAME, buffers) THREE(RESTORE, name)
#include "slots.def"
#undef STEPCCL_SLOT
    RESTORE(reduce_local, reduce_local)
    (void)comm;
}

void coll_stepccl_slots_release(coll_stepccl_module_t* self) {
#define DROP(api, function)                                                           \
    if (NULL != self->below.api.module) COLL_STEPCCL_RELEASE(self->below.api.module); \
    self->below.api.module = NULL;
#define STEPCCL_SLOT(name, NAME, buffers) THREE(DROP, name)
#include "slots.def"
#undef STEPCCL_SLOT
    DROP(reduce_local, reduce_local)
}
