/* Open MPI 5 and later leave this header out of their installation. The key's type is part of their interface. */
#ifndef STEPCCL_COMPAT_THREADS_PTHREADS_TSD_H
#define STEPCCL_COMPAT_THREADS_PTHREADS_TSD_H

#include <pthread.h>

#include "opal/constants.h"

typedef pthread_key_t opal_tsd_key_t;

static inline int opal_tsd_key_delete(opal_tsd_key_t key) {
    return 0 == pthread_key_delete(key) ? OPAL_SUCCESS : OPAL_ERR_IN_ERRNO;
}
static inline int opal_tsd_set(opal_tsd_key_t key, void* value) {
    return 0 == pthread_setspecific(key, value) ? OPAL_SUCCESS : OPAL_ERR_IN_ERRNO;
}
static inline int opal_tsd_get(opal_tsd_key_t key, void** value) {
    *value = pthread_getspecific(key);
    return OPAL_SUCCESS;
}

#endif
