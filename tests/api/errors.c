/* The C interface when it is used wrongly: the status, and a text that says what to do. No driver is needed. */
#include <stepccl/stepccl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int passed, failed;

static void note(int good, const char* what) {
    good ? ++passed : ++failed;
    if (!good) printf("wrong: %s; the last error is '%s'\n", what, stepccl_last_error());
}

/* The call must have ended with `expected`, and the last error must hold `text`. */
#define REFUSED(call, expected, text) \
    note((call) == (expected) && strstr(stepccl_last_error(), (text)) != NULL, #call " must be " #expected " and say: " text)
#define HOLDS(condition) note((condition) ? 1 : 0, #condition)

static int gather(void* context, const void* mine, void* all, size_t bytes) {
    (void)context;
    memcpy(all, mine, bytes);
    return 0;
}

static int gather_fails(void* context, const void* mine, void* all, size_t bytes) {
    (void)context, (void)mine, (void)all, (void)bytes;
    return 1;
}

static void test_values(void) {
    HOLDS(strcmp(stepccl_kind_name((stepccl_kind_t)99), "?") == 0);
    HOLDS(strcmp(stepccl_datatype_name((stepccl_datatype_t)99), "?") == 0);
    HOLDS(strcmp(stepccl_op_name((stepccl_op_t)-1), "?") == 0);
    HOLDS(stepccl_datatype_size((stepccl_datatype_t)99) == 0);
    HOLDS(stepccl_datatype_size(stepccl_complex128) == 16);
    HOLDS(stepccl_op_applies(stepccl_sum, stepccl_float_int) == 0);
    HOLDS(stepccl_op_applies(stepccl_minloc, stepccl_float_int) == 1);
    HOLDS(stepccl_op_applies((stepccl_op_t)99, stepccl_float32) == 0);
    HOLDS(strcmp(stepccl_status_string(STEPCCL_ERR_TIMEOUT), "timed out waiting for a peer") == 0);
    HOLDS(strcmp(stepccl_version(), PACKAGE_VERSION) == 0);
}

static void test_parameters(void) {
    stepccl_param_t param = {0};
    REFUSED(stepccl_param_get(0, &param), STEPCCL_ERR_INVALID_ARGUMENT, "stepccl_param_t: size is 0");
    param.size = sizeof(param);
    REFUSED(stepccl_param_get(stepccl_param_count(), &param), STEPCCL_ERR_INVALID_ARGUMENT, "parameters, not number");
    HOLDS(param.name == NULL);
    REFUSED(stepccl_param_set("timout_us", "5", "test"), STEPCCL_ERR_PARAMETER, "did you mean 'timeout_us'?");
    REFUSED(stepccl_param_set("xyzzy_plugh", "5", "test"), STEPCCL_ERR_PARAMETER, "stepccl_info lists them all");
    REFUSED(stepccl_param_set("parts", "65", "test"), STEPCCL_ERR_PARAMETER, "expected a number in 0..64");
    REFUSED(stepccl_param_set("scratch_bytes", "1K", "test"), STEPCCL_ERR_PARAMETER, "expected a number in 64K..1T");
    REFUSED(stepccl_param_set("enable", "maybe", "test"), STEPCCL_ERR_PARAMETER, "expected true or false");
    REFUSED(stepccl_param_set("driver", "amd", "test"), STEPCCL_ERR_PARAMETER, "parameter driver = 'amd' (test): expected");
    REFUSED(stepccl_param_set(NULL, "5", "test"), STEPCCL_ERR_INVALID_ARGUMENT, "name or value is null");
    HOLDS(stepccl_param_set("parts", "3", "test") == STEPCCL_SUCCESS);
    for (size_t i = 0; i < stepccl_param_count(); ++i) {
        if (stepccl_param_get(i, &param) == STEPCCL_SUCCESS && strcmp(param.name, "parts") == 0) break;
    }
    HOLDS(strcmp(param.value, "3") == 0 && strcmp(param.source, "test") == 0 && strcmp(param.default_value, "0") == 0);
}

static void test_driver(void) {
    stepccl_driver_info_t info = {0};
    REFUSED(stepccl_driver_query(&info), STEPCCL_ERR_INVALID_ARGUMENT, "set size to sizeof(stepccl_driver_info_t)");
    info.size = sizeof(info);
    HOLDS(stepccl_driver_query(&info) == STEPCCL_SUCCESS);
    HOLDS(strcmp(info.name, "none") == 0 && strstr(info.reason, "driver = none") != NULL && info.devices == 0);
    void* memory = &memory;
    REFUSED(stepccl_mem_alloc(&memory, 64), STEPCCL_ERR_NO_DRIVER, "driver = none");
    HOLDS(memory == (void*)&memory);
    REFUSED(stepccl_mem_alloc(NULL, 64), STEPCCL_ERR_INVALID_ARGUMENT, "stepccl_mem_alloc: null");
    REFUSED(stepccl_device_set(0), STEPCCL_ERR_NO_DRIVER, "driver = none");
    HOLDS(stepccl_mem_is_device(&memory) == 0 && stepccl_mem_is_device(NULL) == 0);
    HOLDS(stepccl_mem_alloc(&memory, 0) == STEPCCL_SUCCESS && memory == NULL);
    HOLDS(stepccl_mem_free(NULL) == STEPCCL_SUCCESS);
    char from[8] = "without", to[8] = "";
    HOLDS(stepccl_mem_copy(to, from, sizeof(to)) == STEPCCL_SUCCESS && strcmp(to, "without") == 0);
    REFUSED(stepccl_mem_copy(NULL, from, 1), STEPCCL_ERR_INVALID_ARGUMENT, "stepccl_mem_copy: null");
    HOLDS(stepccl_mem_alloc_host(&memory, 64) == STEPCCL_SUCCESS && memory != NULL);
    memset(memory, 1, 64);
    HOLDS(stepccl_mem_free_host(memory) == STEPCCL_SUCCESS);
}

static void test_communicator(stepccl_comm_t** out) {
    stepccl_comm_args_t args = STEPCCL_COMM_ARGS_INIT;
    stepccl_comm_t* comm = NULL;
    REFUSED(stepccl_comm_create(NULL, &comm), STEPCCL_ERR_INVALID_ARGUMENT, "STEPCCL_COMM_ARGS_INIT");
    REFUSED(stepccl_comm_create(&args, &comm), STEPCCL_ERR_INVALID_ARGUMENT, "rank 0 of 0");
    args.nranks = 1;
    REFUSED(stepccl_comm_create(&args, &comm), STEPCCL_ERR_INVALID_ARGUMENT, "allgather is null");
    args.allgather = gather_fails;
    args.name = "pair";
    REFUSED(stepccl_comm_create(&args, &comm), STEPCCL_ERR_BOOTSTRAP, "the all-gather given for pair failed on rank 0");
    HOLDS(comm == NULL);
    args.allgather = gather;
    args.size = 8;
    REFUSED(stepccl_comm_create(&args, &comm), STEPCCL_ERR_INVALID_ARGUMENT, "STEPCCL_COMM_ARGS_INIT");
    args.size = sizeof(args);
    HOLDS(stepccl_comm_create(&args, &comm) == STEPCCL_SUCCESS);
    HOLDS(stepccl_comm_native(comm) == 0);
    HOLDS(strstr(stepccl_comm_describe(comm), "driver=none") != NULL);
    HOLDS(stepccl_comm_destroy(NULL) == STEPCCL_SUCCESS);
    *out = comm;
}

static void test_calls(stepccl_comm_t* comm) {
    float data[4] = {1, 2, 3, 4};
    stepccl_path_t path = STEPCCL_PATH_NATIVE;
    stepccl_call_t call = STEPCCL_CALL_INIT;
    REFUSED(stepccl_run(NULL, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "stepccl_run: null");
    REFUSED(stepccl_run(comm, NULL, &path), STEPCCL_ERR_INVALID_ARGUMENT, "STEPCCL_CALL_INIT");
    call.size = 4;
    REFUSED(stepccl_run(comm, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "STEPCCL_CALL_INIT");
    call.size = sizeof(call);
    call.kind = (stepccl_kind_t)99;
    REFUSED(stepccl_run(comm, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "there is no kind 99");
    call.kind = stepccl_kind_reduce;
    call.type = (stepccl_datatype_t)77;
    REFUSED(stepccl_run(comm, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "there is no datatype 77");
    call.type = stepccl_float_int;
    call.op = (stepccl_op_t)55;
    REFUSED(stepccl_run(comm, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "there is no operation 55");
    call.op = stepccl_sum;
    call.root = 5;
    REFUSED(stepccl_run(comm, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "there is no rank 5 among 1");
    call.root = -1;
    REFUSED(stepccl_run(comm, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "there is no rank -1");
    call.root = 0;
    REFUSED(stepccl_run(comm, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "sum is not defined on float_int");
    call.type = stepccl_float32;
    call.count = 4;
    REFUSED(stepccl_run(comm, &call, &path), STEPCCL_ERR_INVALID_ARGUMENT, "no input buffer");
    HOLDS(path == STEPCCL_PATH_NATIVE);
    call.send = call.recv = data;
    HOLDS(stepccl_run(comm, &call, &path) == STEPCCL_SUCCESS && path == STEPCCL_PATH_HOST);
    HOLDS(data[3] == 4);
    REFUSED(stepccl_enqueue(comm, &call, NULL), STEPCCL_ERR_UNSUPPORTED, "driver=none");
    REFUSED(stepccl_comm_sync(NULL), STEPCCL_ERR_INVALID_ARGUMENT, "stepccl_comm_sync: null");
    HOLDS(stepccl_comm_sync(comm) == STEPCCL_SUCCESS);
    stepccl_counters_t counters = {0};
    REFUSED(stepccl_counters(&counters), STEPCCL_ERR_INVALID_ARGUMENT, "stepccl_counters_t: size is 0");
}

/* A bad environment is found by whatever needs the parameters first. It is read once, so a process of its own looks at it. */
static void test_environment(const char* name, const char* value, const char* text) {
    pid_t child = fork();
    if (child == 0) {
        if (setenv(name, value, 1) != 0) _exit(2);
        stepccl_status_t status = stepccl_param_check();
        _exit(status == STEPCCL_ERR_PARAMETER && strstr(stepccl_last_error(), text) != NULL ? 0 : 1);
    }
    int state = 1;
    note(child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0, text);
}

int main(void) {
    stepccl_comm_t* comm = NULL;
    test_environment("STEPCCL_TIMEOUT", "5", "environment variable STEPCCL_TIMEOUT");
    test_environment("STEPCCL_PARTS", "many", "parameter parts = 'many' (environment variable STEPCCL_PARTS): expected a number");
    test_environment("OMPI_MCA_coll_stepccl_drivr", "none", "did you mean 'driver'?");
    if (setenv("STEPCCL_DRIVER", "none", 1) != 0) return 1;
    test_values();
    test_parameters();
    test_driver();
    test_communicator(&comm);
    if (comm != NULL) test_calls(comm);
    HOLDS(stepccl_comm_destroy(comm) == STEPCCL_SUCCESS);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
