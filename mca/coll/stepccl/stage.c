#include "coll_stepccl.h"

/*
 * Each rank stages its own device buffers, whatever the others do. The host memory stands for the span of the buffer,
 * so that displacements and strides stay as they are.
 */

static void* at(const void* base, ptrdiff_t offset) {
    return (void*)((uintptr_t)base + (uintptr_t)offset);
}

static int copy(void* to, const void* from, size_t bytes) {
    stepccl_status_t status = stepccl_mem_copy(to, from, bytes);
    if (STEPCCL_SUCCESS != status) return coll_stepccl_error(status);
    stepccl_count_staged(bytes);
    return MPI_SUCCESS;
}

static int open_side(coll_stepccl_side_t* side) {
    if (coll_stepccl_device != side->place) return MPI_SUCCESS;
    side->span = coll_stepccl_span_of(side, coll_stepccl_whole);
    size_t bytes = (size_t)(side->span.high - side->span.low);
    side->host = coll_stepccl_pool_get(bytes);
    if (NULL == side->host) {
        opal_output(0, "coll/stepccl: no %zu bytes of host memory to stage a device buffer in", bytes);
        return MPI_ERR_NO_MEM;
    }
    side->use = at(side->host, -side->span.low);
    return MPI_SUCCESS;
}

int coll_stepccl_stage_open(coll_stepccl_call_t* call) {
    int rc = open_side(&call->send);
    if (MPI_SUCCESS == rc) rc = open_side(&call->recv);
    if (MPI_SUCCESS != rc) coll_stepccl_stage_close(call);
    return rc;
}

static int copy_in(const coll_stepccl_side_t* side) {
    coll_stepccl_span_t span = coll_stepccl_span_of(side, side->reads);
    if (NULL == side->host || 0 == span.data) return MPI_SUCCESS;
    return copy(at(side->use, span.low), at(side->given, span.low), (size_t)(span.high - span.low));
}

int coll_stepccl_stage_in(coll_stepccl_call_t* call) {
    int rc = copy_in(&call->send);
    return MPI_SUCCESS == rc ? copy_in(&call->recv) : rc;
}

/* The elements of one block, without what lies between them. */
static int copy_elements(const coll_stepccl_block_t* block, void* to, void* from) {
    if (0 == block->count || 0 == block->type->super.size) return MPI_SUCCESS;
    int rc =
        ompi_datatype_copy_content_same_ddt(block->type, block->count, at(to, block->offset), at(from, block->offset));
    return 0 == rc ? MPI_SUCCESS : MPI_ERR_INTERN;
}

/*
 * What lies between the elements belongs to the application, which may have changed it meanwhile, e.g. by another
 * collective on the neighbouring column of the same matrix. So the span as it is now is fetched, completed and written
 * back.
 */
static int copy_out_with_gaps(const coll_stepccl_side_t* side, coll_stepccl_span_t span) {
    size_t bytes = (size_t)(span.high - span.low);
    void* fresh = coll_stepccl_pool_get(bytes);
    if (NULL == fresh) return MPI_ERR_NO_MEM;
    int rc = copy(fresh, at(side->given, span.low), bytes);
    void* origin = at(fresh, -span.low);
    if (coll_stepccl_own == side->writes) {
        if (MPI_SUCCESS == rc) rc = copy_elements(&side->own, origin, side->use);
    } else {
        for (int i = 0; i < side->blocks && MPI_SUCCESS == rc; ++i) {
            coll_stepccl_block_t block = coll_stepccl_block_at(side, i);
            rc = copy_elements(&block, origin, side->use);
        }
    }
    if (MPI_SUCCESS == rc) rc = copy(at(side->given, span.low), fresh, bytes);
    coll_stepccl_pool_put(fresh);
    return rc;
}

static int copy_out(const coll_stepccl_side_t* side) {
    coll_stepccl_span_t span = coll_stepccl_span_of(side, side->writes);
    if (NULL == side->host || 0 == span.data) return MPI_SUCCESS;
    size_t bytes = (size_t)(span.high - span.low);
    if (bytes != span.data) return copy_out_with_gaps(side, span);
    return copy(at(side->given, span.low), at(side->use, span.low), bytes);
}

int coll_stepccl_stage_out(coll_stepccl_call_t* call) {
    return copy_out(&call->recv);
}

static void close_side(coll_stepccl_side_t* side) {
    coll_stepccl_pool_put(side->host);
    side->host = NULL;
    side->use = side->given;
}

void coll_stepccl_stage_close(coll_stepccl_call_t* call) {
    close_side(&call->send);
    close_side(&call->recv);
}
