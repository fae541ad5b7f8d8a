// The same from C++, built as C++11 and as C++17.
#include <stepccl/stepccl.h>

#include <cstdio>
#include <cstring>

static int gather(void*, const void* mine, void* all, size_t bytes) {
    std::memcpy(all, mine, bytes);
    return 0;
}

int main() {
    stepccl_comm_args_t args = STEPCCL_COMM_ARGS_INIT;
    stepccl_call_t call = STEPCCL_CALL_INIT;
    stepccl_comm_t* comm = nullptr;
    stepccl_path_t path = STEPCCL_PATH_NATIVE;
    float value = 1;
    args.nranks = 1;
    args.allgather = gather;
    call.kind = stepccl_kind_allreduce;
    call.type = stepccl_float32;
    call.send = call.recv = &value;
    call.count = 1;
    if (stepccl_comm_create(&args, &comm) != STEPCCL_SUCCESS || stepccl_run(comm, &call, &path) != STEPCCL_SUCCESS ||
        path != STEPCCL_PATH_HOST || stepccl_comm_destroy(comm) != STEPCCL_SUCCESS) {
        std::printf("%s\n", stepccl_last_error());
        return 1;
    }
    return std::strcmp(stepccl_kind_name(call.kind), "allreduce") == 0 ? 0 : 1;
}
