/* Open MPI 5 and later leave this header out of their installation. This component never yields through Open MPI. */
#ifndef STEPCCL_COMPAT_THREADS_PTHREADS_THREADS_H
#define STEPCCL_COMPAT_THREADS_PTHREADS_THREADS_H

#include <sched.h>
#include <stdbool.h>

#define OPAL_THREAD_YIELD_WHEN_IDLE_DEFAULT false

static inline void opal_thread_yield(void) { (void)sched_yield(); }

#endif
