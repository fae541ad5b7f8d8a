/* A faulty MPI: its MPI_Bcast also writes the byte behind the first element. devize has to notice when that byte is not
 * the call's to write. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#include "stepccl/stepccl.h"

int PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    int (*right)(void*, int, MPI_Datatype, int, MPI_Comm) =
        (int (*)(void*, int, MPI_Datatype, int, MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Bcast");
    MPI_Aint lb, extent;
    char wrong = 1;
    int rc = right(buffer, count, type, root, comm);
    MPI_Type_get_true_extent(type, &lb, &extent);
    if (count > 0) stepccl_mem_copy((char*)buffer + lb + extent, &wrong, 1);
    return rc;
}
