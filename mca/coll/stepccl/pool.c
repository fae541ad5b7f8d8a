#include <pthread.h>
#include <stdlib.h>

#include "coll_stepccl.h"

/*
 * Page-locked host memory for staging. Locking pages is slow, so a few pieces stay for the next call; one pool serves
 * all communicators, as it must outlive a communicator that is freed while its requests run.
 */

enum { kept_pieces = 16 };
static const size_t kept_bytes = (size_t)512 << 20;
static const size_t smallest = (size_t)64 << 10;

/* Before each piece's memory; one cache line, so that the memory is aligned. */
typedef struct piece {
    size_t bytes;
    bool locked; /* from stepccl_mem_alloc_host, not from the C library */
    char fill[64 - sizeof(size_t) - sizeof(bool)];
} piece_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static piece_t* idle[kept_pieces];
static size_t idle_bytes;

static piece_t* make(size_t bytes) {
    void* memory = NULL;
    bool locked = STEPCCL_SUCCESS == stepccl_mem_alloc_host(&memory, sizeof(piece_t) + bytes);
    if (!locked) memory = malloc(sizeof(piece_t) + bytes); /* slower, but any host memory will do */
    if (NULL == memory) return NULL;
    piece_t* piece = memory;
    piece->bytes = bytes;
    piece->locked = locked;
    return piece;
}

static void destroy(piece_t* piece) {
    if (!piece->locked) {
        free(piece);
    } else if (STEPCCL_SUCCESS != stepccl_mem_free_host(piece)) {
        opal_output(0, "coll/stepccl: %s", stepccl_last_error());
    }
}

/* The smallest idle piece that is large enough, taken out; null when there is none. */
static piece_t* take(size_t bytes) {
    int best = -1;
    for (int i = 0; i < kept_pieces; ++i) {
        if (NULL == idle[i] || idle[i]->bytes < bytes) continue;
        if (best < 0 || idle[i]->bytes < idle[best]->bytes) best = i;
    }
    if (best < 0) return NULL;
    piece_t* piece = idle[best];
    idle[best] = NULL;
    idle_bytes -= piece->bytes;
    return piece;
}

void* coll_stepccl_pool_get(size_t bytes) {
    size_t rounded = smallest;
    while (rounded < bytes && rounded <= kept_bytes) rounded *= 2;
    if (rounded < bytes) rounded = bytes; /* too large to be kept: no more than needed */
    pthread_mutex_lock(&lock);
    piece_t* piece = take(bytes);
    pthread_mutex_unlock(&lock);
    if (NULL == piece) piece = make(rounded);
    return NULL == piece ? NULL : piece + 1;
}

void coll_stepccl_pool_put(void* memory) {
    if (NULL == memory) return;
    piece_t* piece = (piece_t*)memory - 1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < kept_pieces && NULL != piece; ++i) {
        if (NULL != idle[i] || idle_bytes + piece->bytes > kept_bytes) continue;
        idle_bytes += piece->bytes;
        idle[i] = piece;
        piece = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (NULL != piece) destroy(piece);
}

void coll_stepccl_pool_close(void) {
    for (int i = 0; i < kept_pieces; ++i) {
        if (NULL != idle[i]) destroy(idle[i]);
        idle[i] = NULL;
    }
    idle_bytes = 0;
}
