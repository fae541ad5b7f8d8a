// The reduction kernels. Compiled once for each element size; STEPCCL_ROWS names the file of that size's rows, which
// rows.awk makes from datatypes.def and operations.def. A block is 1 to 32 whole warps; no shared memory is used.
// The bounds hold a thread to 32 registers.
#include "engine/cuda/kernels/reduce.cuh"

#define STEPCCL_KERNEL(type, operation)                                                                           \
    extern "C" __global__ void __launch_bounds__(1024, 2)                                                         \
        stepccl_reduce_##type##_##operation(const __grid_constant__ stepccl::kernels::ReduceWork work) {          \
        stepccl::kernels::reduce_entries<stepccl::kernels::op::operation<stepccl::kernels::element::type>>(work); \
    }
#include STEPCCL_ROWS
