/* Open MPI 5 and later leave this header out of their installation. The types are part of the layout of their objects. */
#ifndef STEPCCL_COMPAT_THREADS_PTHREADS_MUTEX_H
#define STEPCCL_COMPAT_THREADS_PTHREADS_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

#include "opal/constants.h"

typedef pthread_mutex_t opal_thread_internal_mutex_t;
typedef pthread_cond_t opal_thread_internal_cond_t;

#define OPAL_THREAD_INTERNAL_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define OPAL_THREAD_INTERNAL_RECURSIVE_MUTEX_INITIALIZER PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#define OPAL_THREAD_INTERNAL_COND_INITIALIZER PTHREAD_COND_INITIALIZER

static inline int opal_thread_internal_mutex_init(opal_thread_internal_mutex_t* mutex, bool recursive) {
    pthread_mutexattr_t attributes;
    if (0 != pthread_mutexattr_init(&attributes)) return OPAL_ERR_IN_ERRNO;
    (void)pthread_mutexattr_settype(&attributes, recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    int rc = pthread_mutex_init(mutex, &attributes);
    (void)pthread_mutexattr_destroy(&attributes);
    return 0 == rc ? OPAL_SUCCESS : OPAL_ERR_IN_ERRNO;
}
static inline void opal_thread_internal_mutex_lock(opal_thread_internal_mutex_t* mutex) { pthread_mutex_lock(mutex); }
static inline int opal_thread_internal_mutex_trylock(opal_thread_internal_mutex_t* mutex) {
    return 0 == pthread_mutex_trylock(mutex) ? 0 : 1;
}
static inline void opal_thread_internal_mutex_unlock(opal_thread_internal_mutex_t* mutex) { pthread_mutex_unlock(mutex); }
static inline void opal_thread_internal_mutex_destroy(opal_thread_internal_mutex_t* mutex) { pthread_mutex_destroy(mutex); }

static inline int opal_thread_internal_cond_init(opal_thread_internal_cond_t* cond) {
    return 0 == pthread_cond_init(cond, NULL) ? OPAL_SUCCESS : OPAL_ERR_IN_ERRNO;
}
static inline void opal_thread_internal_cond_wait(opal_thread_internal_cond_t* cond, opal_thread_internal_mutex_t* mutex) {
    pthread_cond_wait(cond, mutex);
}
static inline void opal_thread_internal_cond_broadcast(opal_thread_internal_cond_t* cond) { pthread_cond_broadcast(cond); }
static inline void opal_thread_internal_cond_signal(opal_thread_internal_cond_t* cond) { pthread_cond_signal(cond); }
static inline void opal_thread_internal_cond_destroy(opal_thread_internal_cond_t* cond) { pthread_cond_destroy(cond); }

#endif
