#include <pthread.h>

#include "coll_stepccl.h"

/*
 * Nonblocking and persistent calls with device buffers: a request of ours around the request of the module below, which
 * works on host memory. Nothing here waits: the data come to the host when the call is started, and go back when Open
 * MPI's progress finds the request below complete.
 */

struct coll_stepccl_request {
    ompi_coll_base_nbc_request_t super; /* Open MPI casts what it gets from a collective to this */
    ompi_request_t* inner;
    coll_stepccl_module_t* module; /* retained: the communicator may be freed before the request is complete */
    coll_stepccl_call_t call;
    coll_stepccl_request_t* next; /* among those that run */
};
OBJ_CLASS_DECLARATION(coll_stepccl_request_t);

static opal_free_list_t requests;
static bool is_open, is_registered;

/* Those that run. The progress function reads `running` without the lock, as it is called all the time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static coll_stepccl_request_t* volatile running;

/* ---- progress ---- */

/* Takes those whose inner request is complete out of the list, oldest first. */
static coll_stepccl_request_t* take_complete(void) {
    coll_stepccl_request_t* complete = NULL;
    coll_stepccl_request_t** end = &complete;
    coll_stepccl_request_t* kept = NULL;
    coll_stepccl_request_t** kept_end = &kept;
    for (coll_stepccl_request_t *request = running, *next; NULL != request; request = next) {
        next = request->next;
        request->next = NULL;
        coll_stepccl_request_t*** where = REQUEST_COMPLETE(request->inner) ? &end : &kept_end;
        **where = request;
        *where = &request->next;
    }
    running = kept;
    return complete;
}

static void finish(coll_stepccl_request_t* request) {
    ompi_request_t* outer = &request->super.super;
    opal_atomic_rmb(); /* what the completing thread wrote */
    int rc = request->inner->req_status.MPI_ERROR;
    if (MPI_SUCCESS == rc) rc = coll_stepccl_stage_out(&request->call);
    if (outer->req_persistent) {
        request->inner->req_state = OMPI_REQUEST_INACTIVE; /* as a wait for it would do */
    } else {
        coll_stepccl_stage_close(&request->call);
        (void)ompi_request_free(&request->inner); /* it is complete, and so this cannot fail */
    }
    outer->req_status.MPI_ERROR = rc;
    ompi_request_complete(outer, true);
}

/* Must be cheap, may be entered again from below, and never waits. */
static int make_progress(void) {
    if (NULL == running || 0 != pthread_mutex_trylock(&lock)) return 0;
    coll_stepccl_request_t* complete = take_complete();
    pthread_mutex_unlock(&lock);
    int count = 0;
    for (coll_stepccl_request_t* next; NULL != complete; complete = next, ++count) {
        next = complete->next; /* once complete, the application may free it */
        finish(complete);
    }
    return count;
}

static void run(coll_stepccl_request_t* request) {
    pthread_mutex_lock(&lock);
    if (!is_registered) {
        is_registered = OPAL_SUCCESS == opal_progress_register(make_progress);
    }
    coll_stepccl_request_t* volatile* end = &running;
    while (NULL != *end) end = (coll_stepccl_request_t* volatile*)&(*end)->next;
    request->next = NULL;
    *end = request;
    pthread_mutex_unlock(&lock);
}

/* ---- life of a request ---- */

/* With a persistent request the application may free its types and its operation after the first call; Open MPI only
 * sees to them while the request is active. */
static void each_object(coll_stepccl_request_t* request, void (*act)(opal_object_t*)) {
    const coll_stepccl_side_t* sides[] = {&request->call.send, &request->call.recv};
    for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < sides[s]->blocks; ++i) {
            if (NULL == sides[s]->types && 0 != i) break;
            ompi_datatype_t* type = coll_stepccl_block_at(sides[s], i).type;
            if (!ompi_datatype_is_predefined(type)) act(&type->super.super);
        }
    }
    if (NULL != request->call.op && !ompi_op_is_intrinsic(request->call.op)) act(&request->call.op->super);
}

/* MPI wants the arrays of counts, displacements and types to stay as they are until the call is complete, but libnbc reads them only when
 * it starts, and programs that free them at once are met with: mpi4py does. */
static int keep_blocks(coll_stepccl_side_t* side) {
    if (coll_stepccl_uniform == side->displaced || 0 == side->blocks) return MPI_SUCCESS;
    coll_stepccl_block_t* kept = malloc((size_t)side->blocks * sizeof(*kept));
    if (NULL == kept) return MPI_ERR_NO_MEM;
    for (int i = 0; i < side->blocks; ++i) kept[i] = coll_stepccl_block_at(side, i);
    side->kept = kept;
    return MPI_SUCCESS;
}

static void drop_blocks(coll_stepccl_call_t* call) {
    free(call->send.kept);
    free(call->recv.kept);
    call->send.kept = call->recv.kept = NULL;
}

static void retain(opal_object_t* object) {
    OBJ_RETAIN(object);
}
static void release(opal_object_t* object) {
    OBJ_RELEASE(object);
}

static void give_back(coll_stepccl_request_t* request) {
    coll_stepccl_module_t* module = request->module;
    coll_stepccl_stage_close(&request->call);
    drop_blocks(&request->call);
    request->module = NULL;
    OMPI_REQUEST_FINI(&request->super.super);
    opal_free_list_return(&requests, &request->super.super.super);
    OBJ_RELEASE(module);
}

static int free_request(ompi_request_t** request) {
    coll_stepccl_request_t* ours = (coll_stepccl_request_t*)*request;
    if (!REQUEST_COMPLETE(*request)) return MPI_ERR_REQUEST;
    if ((*request)->req_persistent) {
        int rc = ompi_request_free(&ours->inner);
        if (OMPI_SUCCESS != rc) return rc;
        each_object(ours, release);
    }
    give_back(ours);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int start_one(coll_stepccl_request_t* ours) {
    int rc = coll_stepccl_stage_in(&ours->call);
    if (MPI_SUCCESS != rc) return rc;
    ompi_request_t* outer = &ours->super.super;
    outer->req_status.MPI_ERROR = MPI_SUCCESS;
    outer->req_state = OMPI_REQUEST_ACTIVE;
    outer->req_complete = REQUEST_PENDING;
    /* Where there is nothing to do, libnbc gives a request that cannot be started and is complete for ever. */
    rc = OMPI_REQUEST_NOOP == ours->inner->req_type ? OMPI_SUCCESS : ours->inner->req_start(1, &ours->inner);
    if (OMPI_SUCCESS != rc) {
        outer->req_state = OMPI_REQUEST_INACTIVE;
        outer->req_complete = REQUEST_COMPLETED;
        return rc;
    }
    run(ours);
    return MPI_SUCCESS;
}

static int start(size_t count, ompi_request_t** list) {
    int rc = MPI_SUCCESS;
    for (size_t i = 0; i < count && MPI_SUCCESS == rc; ++i) rc = start_one((coll_stepccl_request_t*)list[i]);
    return rc;
}

static void construct(coll_stepccl_request_t* request) {
    ompi_request_t* outer = &request->super.super;
    outer->req_type = OMPI_REQUEST_COLL;
    outer->req_status._cancelled = 0;
    outer->req_free = free_request;
    outer->req_start = start;
    outer->req_cancel = NULL;
    request->inner = MPI_REQUEST_NULL;
    request->module = NULL;
    request->next = NULL;
}
OBJ_CLASS_INSTANCE(coll_stepccl_request_t, ompi_coll_base_nbc_request_t, construct, NULL);

/* ---- from slots.c ---- */

coll_stepccl_request_t* coll_stepccl_request_new(coll_stepccl_module_t* self, coll_stepccl_call_t* call,
                                                 bool persistent, int* rc) {
    *rc = keep_blocks(&call->send);
    if (MPI_SUCCESS == *rc) *rc = keep_blocks(&call->recv);
    if (MPI_SUCCESS == *rc) *rc = coll_stepccl_stage_open(call);
    if (MPI_SUCCESS == *rc && !persistent) *rc = coll_stepccl_stage_in(call);
    coll_stepccl_request_t* request = NULL;
    if (MPI_SUCCESS == *rc) {
        request = (coll_stepccl_request_t*)opal_free_list_get(&requests);
        if (NULL == request) *rc = MPI_ERR_NO_MEM;
    }
    if (NULL == request) {
        coll_stepccl_stage_close(call);
        drop_blocks(call);
        return NULL;
    }
    ompi_request_t* outer = &request->super.super;
    OMPI_REQUEST_INIT(outer, persistent);
    outer->req_mpi_object.comm = call->comm;
    outer->req_status.MPI_ERROR = MPI_SUCCESS;
    outer->req_status._ucount = 0;
    memset(&request->super.data, 0, sizeof(request->super.data));
    request->inner = MPI_REQUEST_NULL;
    request->module = self;
    request->call = *call;
    OBJ_RETAIN(self);
    return request;
}

ompi_request_t** coll_stepccl_request_inner(coll_stepccl_request_t* request) {
    return &request->inner;
}

int coll_stepccl_request_launch(coll_stepccl_request_t* request, int rc, ompi_request_t** out) {
    ompi_request_t* outer = &request->super.super;
    if (OMPI_SUCCESS != rc) {
        give_back(request);
        return rc;
    }
    if (outer->req_persistent) {
        each_object(request, retain);
    } else {
        outer->req_state = OMPI_REQUEST_ACTIVE;
        run(request);
    }
    *out = outer;
    return MPI_SUCCESS;
}

int coll_stepccl_requests_open(void) {
    OBJ_CONSTRUCT(&requests, opal_free_list_t);
    is_open = true;
    return opal_free_list_init(&requests, sizeof(coll_stepccl_request_t), (size_t)opal_cache_line_size,
                               OBJ_CLASS(coll_stepccl_request_t), 0, 0, 0, -1, 8, NULL, 0, NULL, NULL, NULL);
}

void coll_stepccl_requests_close(void) {
    if (!is_open) return;
    if (is_registered) (void)opal_progress_unregister(make_progress);
    is_registered = false;
    is_open = false;
    OBJ_DESTRUCT(&requests);
}
