/*
 * MPI_Allreduce on GPU buffers, in an ordinary MPI program: nothing here names StepCCL but the lines that allocate the
 * memory, and any other way to allocate GPU memory (cudaMalloc, PyTorch, Kokkos) is as good.
 *
 *   mpirun -np 4 ./allreduce                             on a machine with GPUs
 *   mpirun -np 4 -x STEPCCL_DRIVER=emulated ./allreduce  on any machine
 *
 * Each rank fills a vector with random numbers, MPI adds the vectors up, and each rank checks the sum against one that
 * it computes by itself on the host. The last line says which way the data went.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "stepccl/stepccl.h"

enum { count = 1 << 20 };

static void check(stepccl_status_t status, const char* what) {
    if (status == STEPCCL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, stepccl_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Each rank takes one GPU: its number among the ranks of its node decides which. */
static void choose_device(void) {
    stepccl_driver_info_t driver = {.size = sizeof(driver)};
    check(stepccl_driver_query(&driver), "looking for a GPU driver");
    if (driver.devices == 0) {
        fprintf(stderr, "There is no GPU here (%s). Run with STEPCCL_DRIVER=emulated to go without one.\n",
                driver.reason);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm node;
    int local_rank;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_rank);
    MPI_Comm_free(&node);
    check(stepccl_device_set(local_rank % driver.devices), "choosing a GPU");
}

static float* device_vector(const float* content) {
    void* vector = NULL;
    check(stepccl_mem_alloc(&vector, count * sizeof(float)), "allocating GPU memory");
    if (content != NULL) check(stepccl_mem_copy(vector, content, count * sizeof(float)), "copying to the GPU");
    return vector;
}

/* How many elements of `sum` are not what adding up all ranks' `input` gives, but for rounding. */
static int count_errors(const float* input, const float* sum, int ranks) {
    float* inputs = malloc((size_t)ranks * count * sizeof(float));
    MPI_Allgather(input, count, MPI_FLOAT, inputs, count, MPI_FLOAT, MPI_COMM_WORLD);
    int errors = 0;
    for (int i = 0; i < count; ++i) {
        double expected = 0;
        for (int rank = 0; rank < ranks; ++rank) expected += inputs[(size_t)rank * count + (size_t)i];
        double rounding = ranks * (double)ranks * 6e-8; /* each input is below 1, each addition rounds once */
        if (!(fabs(expected - sum[i]) <= rounding)) ++errors;
    }
    free(inputs);
    return errors;
}

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    choose_device();

    float* input = malloc(count * sizeof(float));
    float* result = malloc(count * sizeof(float));
    srand((unsigned)rank + 1);
    for (int i = 0; i < count; ++i) input[i] = (float)rand() / (float)RAND_MAX;

    float* send = device_vector(input);
    float* recv = device_vector(NULL);
    MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    check(stepccl_mem_copy(result, recv, count * sizeof(float)), "copying from the GPU");

    int errors = count_errors(input, result, ranks);
    stepccl_counters_t counters = {.size = sizeof(counters)};
    check(stepccl_counters(&counters), "reading the counters");
    if (counters.native_calls > 0) {
        printf("rank %d of %d: %d of %d elements are wrong; done on the GPUs by %s\n", rank, ranks, errors, count,
               counters.algorithm);
    } else if (counters.staged_bytes > 0) {
        printf("rank %d of %d: %d of %d elements are wrong; staged through host memory\n", rank, ranks, errors, count);
    } else {
        printf(
            "rank %d of %d: %d of %d elements are wrong; coll/stepccl took no part (ompi_info --param coll stepccl)\n",
            rank, ranks, errors, count);
    }

    check(stepccl_mem_free(send), "freeing GPU memory");
    check(stepccl_mem_free(recv), "freeing GPU memory");
    free(input);
    free(result);
    MPI_Finalize();
    return errors == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
