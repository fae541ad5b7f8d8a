#include "coll_stepccl.h"

/* Where the blocks of a buffer lie. Addresses are computed as integers: with MPI_BOTTOM they start at null. */

coll_stepccl_block_t coll_stepccl_block_at(const coll_stepccl_side_t* side, int i) {
    if (NULL != side->kept) return side->kept[i];
    coll_stepccl_block_t block = {0, side->count, NULL != side->types ? side->types[i] : side->type};
    if (coll_stepccl_uniform != side->displaced) block.count = coll_stepccl_count_at(side->counts, i);
    if (0 == block.count || 0 == block.type->super.size) return block; /* MPI does not look at the displacement then */
    ptrdiff_t extent = block.type->super.ub - block.type->super.lb;
    switch (side->displaced) {
        case coll_stepccl_uniform:
            block.offset = (ptrdiff_t)i * (ptrdiff_t)side->count * extent;
            break;
        case coll_stepccl_by_extent:
            block.offset = coll_stepccl_displ_at(side->displs, i) * extent;
            break;
        case coll_stepccl_by_bytes:
            block.offset = coll_stepccl_displ_at(side->displs, i);
            break;
    }
    return block;
}

static void widen(coll_stepccl_span_t* span, const coll_stepccl_block_t* block) {
    if (0 == block->count || 0 == block->type->super.size) return;
    const opal_datatype_t* type = &block->type->super;
    ptrdiff_t reach =
        (type->ub - type->lb) * (ptrdiff_t)(block->count - 1); /* from the first element to the last one */
    ptrdiff_t low = block->offset + type->true_lb + (reach < 0 ? reach : 0);
    ptrdiff_t high = block->offset + type->true_ub + (reach > 0 ? reach : 0);
    if (0 == span->data || low < span->low) span->low = low;
    if (0 == span->data || high > span->high) span->high = high;
    span->data += block->count * type->size;
}

coll_stepccl_span_t coll_stepccl_span_of(const coll_stepccl_side_t* side, coll_stepccl_extent_t extent) {
    coll_stepccl_span_t span = {0, 0, 0};
    if (0 == side->blocks || coll_stepccl_nothing == extent) return span;
    if (coll_stepccl_own == extent) {
        widen(&span, &side->own);
        return span;
    }
    for (int i = 0; i < side->blocks; ++i) {
        coll_stepccl_block_t block = coll_stepccl_block_at(side, i);
        widen(&span, &block);
    }
    return span;
}

/* The first byte of data that the side has decides for all of it. */
static coll_stepccl_place_t place_of(const coll_stepccl_side_t* side) {
    for (int i = 0; i < side->blocks; ++i) {
        coll_stepccl_block_t block = coll_stepccl_block_at(side, i);
        if (0 == block.count || 0 == block.type->super.size) continue;
        uintptr_t address = (uintptr_t)side->given + (uintptr_t)(block.offset + block.type->super.true_lb);
        return stepccl_mem_is_device((const void*)address) ? coll_stepccl_device : coll_stepccl_host;
    }
    return coll_stepccl_nowhere;
}

bool coll_stepccl_locate(coll_stepccl_call_t* call) {
    call->send.place = place_of(&call->send);
    call->recv.place = place_of(&call->recv);
    return coll_stepccl_device == call->send.place || coll_stepccl_device == call->recv.place;
}
