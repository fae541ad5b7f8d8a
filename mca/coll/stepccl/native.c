#include "coll_stepccl.h"

/*
 * A call as stepccl_run wants it. What does not reduce is described in bytes, whatever its types are, for MPI lets each
 * rank name its own types as long as the data are the same.
 */

static bool is_plain(const coll_stepccl_side_t* side) {
    if (coll_stepccl_device != side->place) return true; /* no data */
    if (NULL == side->types) return coll_stepccl_is_plain(side->type);
    for (int i = 0; i < side->blocks; ++i) {
        if (0 != coll_stepccl_count_at(side->counts, i) && !coll_stepccl_is_plain(side->types[i])) return false;
    }
    return true;
}

static void* buffer_of(const coll_stepccl_side_t* side) {
    if (side->in_place) return STEPCCL_IN_PLACE;
    return coll_stepccl_device == side->place ? side->given : NULL;
}

/* Counts and displacements in bytes. MPI's displacements may be negative: the address moves to the lowest block
 * instead. */
static void* in_bytes(const coll_stepccl_side_t* side, size_t* counts, size_t* displs) {
    ptrdiff_t low = coll_stepccl_span_of(side, coll_stepccl_whole).low;
    for (int i = 0; i < side->blocks; ++i) {
        coll_stepccl_block_t block = coll_stepccl_block_at(side, i);
        counts[i] = block.count * block.type->super.size;
        displs[i] = 0 == counts[i] ? 0 : (size_t)(block.offset - low);
    }
    return coll_stepccl_device == side->place ? (void*)((uintptr_t)side->given + (uintptr_t)low) : NULL;
}

static size_t bytes_of(const coll_stepccl_block_t* block) {
    return block->count * block->type->super.size;
}

/* The bytes of this rank's own block, or of the vector. */
static size_t own_bytes(const coll_stepccl_call_t* call) {
    coll_stepccl_block_t block;
    switch (call->kind) {
        case stepccl_kind_gather:
        case stepccl_kind_allgather:
            if (call->send.in_place) return bytes_of(&call->recv.own);
            block = coll_stepccl_block_at(&call->send, 0);
            return bytes_of(&block);
        case stepccl_kind_scatter:
            if (call->recv.in_place) return bytes_of(&call->send.own);
            block = coll_stepccl_block_at(&call->recv, 0);
            return bytes_of(&block);
        case stepccl_kind_alltoall:
            if (coll_stepccl_uniform != call->recv.displaced) return 0; /* the arrays tell */
            block = coll_stepccl_block_at(&call->recv, 0);
            return bytes_of(&block);
        default:
            block = coll_stepccl_block_at(&call->recv, 0);
            return bytes_of(&block);
    }
}

static bool describe_bytes(coll_stepccl_module_t* self, const coll_stepccl_call_t* call, stepccl_call_t* out) {
    if (!is_plain(&call->send) || !is_plain(&call->recv)) return false;
    size_t n = (size_t)call->n;
    out->type = stepccl_uint8;
    out->count = own_bytes(call);
    out->send = buffer_of(&call->send);
    out->recv = buffer_of(&call->recv);
    if (coll_stepccl_uniform != call->send.displaced && 0 != call->send.blocks) {
        out->send = in_bytes(&call->send, self->arrays, self->arrays + n);
        out->send_counts = self->arrays;
        out->send_displs = self->arrays + n;
    }
    if (coll_stepccl_uniform != call->recv.displaced && 0 != call->recv.blocks) {
        out->recv = in_bytes(&call->recv, self->arrays + 2 * n, self->arrays + 3 * n);
        out->recv_counts = self->arrays + 2 * n;
        out->recv_displs = self->arrays + 3 * n;
    }
    if (stepccl_kind_alltoall == call->kind && call->send.in_place) {
        out->send_counts = out->recv_counts;
        out->send_displs = out->recv_displs;
    }
    return true;
}

static bool describe_reduction(coll_stepccl_module_t* self, const coll_stepccl_call_t* call, stepccl_call_t* out) {
    if (!coll_stepccl_type_of(call->type, &out->type) || !coll_stepccl_op_of(call->op, &out->op)) return false;
    if (!stepccl_op_applies(out->op, out->type)) return false;
    out->count = call->count;
    out->send = buffer_of(&call->send);
    out->recv = buffer_of(&call->recv);
    if (call->has_counts) {
        for (int i = 0; i < call->n; ++i) self->arrays[i] = coll_stepccl_count_at(call->counts, i);
        out->recv_counts = self->arrays;
    }
    return true;
}

bool coll_stepccl_describe(coll_stepccl_module_t* self, const coll_stepccl_call_t* call, stepccl_call_t* out) {
    *out = (stepccl_call_t)STEPCCL_CALL_INIT;
    out->kind = call->kind;
    out->root = call->root;
    return NULL != call->op ? describe_reduction(self, call, out) : describe_bytes(self, call, out);
}
