/* Open MPI's headers, and the only place that knows that 4.1, 5.0 and 6.0 differ. */
#ifndef COLL_STEPCCL_OMPI_VERSIONS_H
#define COLL_STEPCCL_OMPI_VERSIONS_H

/* Open MPI's inline functions were not written for these warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <assert.h> /* 6.0's headers use it without asking for it */

#include "ompi_config.h"

#include "mpi.h" /* before mpi-ext.h, which leans on it */

#include "ompi/mca/coll/coll.h" /* before the other headers of 5.0, which lean on it */

#include "mpi-ext.h"
#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/topo/topo.h"
#include "ompi/op/op.h"
#include "ompi/request/request.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/class/opal_free_list.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"
#pragma GCC diagnostic pop

#if OMPI_MAJOR_VERSION < 4 || (OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION < 1)
#error "Open MPI 4.1 or newer is needed"
#endif

#if OMPI_MAJOR_VERSION >= 6
#define COLL_STEPCCL_API_VERSION MCA_COLL_BASE_VERSION_3_0_0
#elif OMPI_MAJOR_VERSION == 5
#define COLL_STEPCCL_API_VERSION MCA_COLL_BASE_VERSION_2_4_0
#else
#define COLL_STEPCCL_API_VERSION MCA_COLL_BASE_VERSION_2_0_0
#endif

/* Counts of elements, and the arrays of counts and displacements: C arrays before 6.0, tagged pointers since. */
#if OMPI_MAJOR_VERSION >= 6

typedef size_t coll_stepccl_count_t;
typedef ompi_count_array_t coll_stepccl_counts_t;
typedef ompi_disp_array_t coll_stepccl_displs_t;
#define COLL_STEPCCL_DISPLS(array) (array)

static inline size_t coll_stepccl_count_at(coll_stepccl_counts_t counts, int i) {
    return ompi_count_array_get(counts, (size_t)i);
}
static inline ptrdiff_t coll_stepccl_displ_at(coll_stepccl_displs_t displs, int i) {
    return ompi_disp_array_get(displs, (size_t)i);
}

#else

typedef int coll_stepccl_count_t;
typedef const int* coll_stepccl_counts_t;
typedef struct {
    const int* ints;
    const MPI_Aint* aints; /* of neighbor_alltoallw */
} coll_stepccl_displs_t;

static inline coll_stepccl_displs_t coll_stepccl_displs_of_ints(const int* array) {
    return (coll_stepccl_displs_t){array, NULL};
}
static inline coll_stepccl_displs_t coll_stepccl_displs_of_aints(const MPI_Aint* array) {
    return (coll_stepccl_displs_t){NULL, array};
}
#define COLL_STEPCCL_DISPLS(array) \
    _Generic((array), const int* : coll_stepccl_displs_of_ints, const MPI_Aint* : coll_stepccl_displs_of_aints)(array)

static inline size_t coll_stepccl_count_at(coll_stepccl_counts_t counts, int i) {
    return (size_t)counts[i];
}
static inline ptrdiff_t coll_stepccl_displ_at(coll_stepccl_displs_t displs, int i) {
    return NULL != displs.ints ? (ptrdiff_t)displs.ints[i] : (ptrdiff_t)displs.aints[i];
}

#endif

/* Who puts a module's functions into the communicator: Open MPI before 6.0, the module's enable and disable since. */
#if OMPI_MAJOR_VERSION >= 6
#define COLL_STEPCCL_INSTALL(comm, api, function, module_) MCA_COLL_INSTALL_API(comm, api, function, module_, "stepccl")
#define COLL_STEPCCL_RESTORE(comm, api, saved, module_)                                  \
    do {                                                                                 \
        if (NULL != (saved)->call && (module_) == (comm)->c_coll->coll_##api##_module) { \
            MCA_COLL_INSTALL_API(comm, api, (saved)->call, (saved)->module, "stepccl");  \
        }                                                                                \
    } while (0)
#define COLL_STEPCCL_RETAIN(module_) ((void)0) /* modules go in the reverse order: those below outlive us */
#define COLL_STEPCCL_RELEASE(module_) ((void)0)
#else
#define COLL_STEPCCL_INSTALL(comm, api, function, module_) ((void)0)
#define COLL_STEPCCL_RESTORE(comm, api, saved, module_) ((void)(saved))
#define COLL_STEPCCL_RETAIN(module_) OBJ_RETAIN(module_)
#define COLL_STEPCCL_RELEASE(module_) OBJ_RELEASE(module_)
#endif

/* Whether user-level fault tolerance says that waiting for this communicator's peers is pointless. */
#if OMPI_MAJOR_VERSION >= 5 && OPAL_ENABLE_FT_MPI
static inline bool coll_stepccl_comm_is_dead(ompi_communicator_t* comm) {
    return ompi_comm_is_revoked(comm) || ompi_comm_coll_revoked(comm);
}
#define COLL_STEPCCL_ERR_PEER MPI_ERR_PROC_FAILED
#else
static inline bool coll_stepccl_comm_is_dead(ompi_communicator_t* comm) {
    (void)comm;
    return false;
}
#define COLL_STEPCCL_ERR_PEER MPI_ERR_OTHER
#endif

/* The application promised not to use device buffers with this communicator. */
#ifdef OMPI_COMM_CHECK_ASSERT_NO_ACCEL_BUF
#define COLL_STEPCCL_NO_DEVICE_BUFFERS(comm) OMPI_COMM_CHECK_ASSERT_NO_ACCEL_BUF(comm)
#else
#define COLL_STEPCCL_NO_DEVICE_BUFFERS(comm) ((void)(comm), false)
#endif

/*
 * Open MPI checks the version of the coll interface only, while the layout of its objects changed inside one such
 * version. These are the groups of releases with equal layouts, by the first release of each: 4.1 is one group; in 5.0
 * the communicator grew with 5.0.7 and the module with 5.0.10; later series are not known yet, and so only the very
 * release will do.
 */
static inline int coll_stepccl_layout_group(int major, int minor, int release) {
    if (4 == major && 1 == minor) return 0;
    if (5 == major && 0 == minor) return release >= 10 ? 10 : (release >= 7 ? 7 : 0);
    return -1;
}

#endif
