/**
 * StepCCL: collectives on GPU buffers, by the GPU's copy engines.
 *
 * The C11 interface (C++ may include it too). It is what coll/stepccl of Open MPI and the tools are written with.
 *
 * Words: a *rank* is one of the n members of a communicator; counts are in elements, sizes in bytes, times in
 * microseconds. "Device buffer" is memory of a GPU (or of the emulated driver); "host buffer" is any other memory.
 *
 * Threads: functions on different communicators may run at the same time; those on one communicator may not.
 * Functions without a communicator may run at any time.
 *
 * Errors: every function returns a stepccl_status_t; stepccl_last_error() gives the text of the calling thread's last
 * failure, which names who, what and where. No function leaves its output arguments half written on failure.
 *
 * Structures that a caller fills begin with their size (sizeof the structure), so that they can grow: set it with
 * the STEPCCL_*_INIT initialisers, which zero the rest.
 */
#ifndef STEPCCL_STEPCCL_H
#define STEPCCL_STEPCCL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In C++ an enumeration of fixed type may hold any int, so that a value out of range can be refused instead of being undefined. */
#ifdef __cplusplus
#define STEPCCL_INT : int
#else
#define STEPCCL_INT
#endif

#if defined(__GNUC__)
#define STEPCCL_API __attribute__((visibility("default")))
#else
#define STEPCCL_API
#endif

/* ---- values ------------------------------------------------------------------------------------------------- */

/** What a function reports: STEPCCL_SUCCESS (0) or one of status.def. */
typedef enum stepccl_status STEPCCL_INT {
#define STEPCCL_STATUS(name, value, text) STEPCCL_##name = value,
#include "stepccl/status.def"
#undef STEPCCL_STATUS
} stepccl_status_t;

/** The kind of a collective: stepccl_kind_allreduce and so on, see collectives.def. */
typedef enum stepccl_kind STEPCCL_INT {
#define STEPCCL_COLLECTIVE(name, shape, rooted, reduces, help) stepccl_kind_##name,
#include "stepccl/collectives.def"
#undef STEPCCL_COLLECTIVE
} stepccl_kind_t;

/** The type of an element: stepccl_float32 and so on, see datatypes.def. */
typedef enum stepccl_datatype STEPCCL_INT {
#define STEPCCL_DATATYPE(name, ctype, bytes, type_class, help) stepccl_##name,
#include "stepccl/datatypes.def"
#undef STEPCCL_DATATYPE
} stepccl_datatype_t;

/** A reduction operation: stepccl_sum and so on, see operations.def. */
typedef enum stepccl_op STEPCCL_INT {
#define STEPCCL_OPERATION(name, classes, help) stepccl_##name,
#include "stepccl/operations.def"
#undef STEPCCL_OPERATION
} stepccl_op_t;

/** Which way a call went. */
typedef enum stepccl_path STEPCCL_INT {
    STEPCCL_PATH_NATIVE, /**< on the GPUs, done by StepCCL */
    STEPCCL_PATH_STAGED, /**< not done: the caller must go through host memory, and so will every rank with device buffers */
    STEPCCL_PATH_HOST    /**< not done: this rank brought host buffers, and so the caller passes the call on */
} stepccl_path_t;

/** Bytes of an element, 0 for a value that is no type. */
STEPCCL_API size_t stepccl_datatype_size(stepccl_datatype_t type);
/** Whether `op` is defined on `type`: 1 or 0. */
STEPCCL_API int stepccl_op_applies(stepccl_op_t op, stepccl_datatype_t type);
/** Names as the tools write them ("allreduce", "float32", "sum"); "?" for a value out of range. Static storage. */
STEPCCL_API const char* stepccl_kind_name(stepccl_kind_t kind);
STEPCCL_API const char* stepccl_datatype_name(stepccl_datatype_t type);
STEPCCL_API const char* stepccl_op_name(stepccl_op_t op);

/** A short text for a status ("success", "invalid argument"). Static storage. */
STEPCCL_API const char* stepccl_status_string(stepccl_status_t status);
/** The text of the calling thread's last failure; "" when none. Valid until the thread's next failure. */
STEPCCL_API const char* stepccl_last_error(void);
/** "0.1.0". Static storage. */
STEPCCL_API const char* stepccl_version(void);

/* ---- parameters --------------------------------------------------------------------------------------------- */

/** One parameter of params.def with its present value. Texts are valid until the next stepccl_param_set. */
typedef struct stepccl_param {
    size_t size;                /**< sizeof(stepccl_param_t), set by the caller */
    const char* name;           /**< "timeout_us"; coll_stepccl_timeout_us in MCA, STEPCCL_TIMEOUT_US in the environment */
    const char* type;           /**< "boolean", "integer", "size", "choice" or "text" */
    const char* default_value;  /**< as a user would write it */
    const char* range;          /**< "low..high", "word|word", or "" */
    const char* help;           /**< one line */
    const char* value;          /**< the present value */
    const char* source;         /**< "default", "environment variable STEPCCL_...", or what stepccl_param_set was told */
    int level;                  /**< Open MPI's parameter level, 1 to 9 */
} stepccl_param_t;

/** How many parameters there are. */
STEPCCL_API size_t stepccl_param_count(void);
/** Parameter `index` of stepccl_param_count(). ERR_INVALID_ARGUMENT when out of range. */
STEPCCL_API stepccl_status_t stepccl_param_get(size_t index, stepccl_param_t* param);
/**
 * Sets a parameter of this process. Counts for everything made later; `driver` and `driver_library` only before the
 * driver is first used. An explicit set beats the environment. ERR_PARAMETER, with a hint, for a bad name or value.
 */
STEPCCL_API stepccl_status_t stepccl_param_set(const char* name, const char* value, const char* source);
/**
 * Checks the environment: ERR_PARAMETER when a STEPCCL_ variable has a bad name or value. The same check is made by the first
 * function that needs the parameters.
 */
STEPCCL_API stepccl_status_t stepccl_param_check(void);

/* ---- devices and memory ------------------------------------------------------------------------------------- */

/** What is known of the driver, without creating a context. */
typedef struct stepccl_driver_info {
    size_t size;
    char name[32];     /**< "nvidia", "emulated" or "none" */
    char library[256]; /**< the file that was loaded, "" for none */
    int version;       /**< as cuDriverGetVersion gives it, 0 for none */
    int devices;
    char reason[256];  /**< why there is none, "" otherwise */
} stepccl_driver_info_t;

/** Loads the driver if need be. Success also when there is none: then `name` is "none" and `reason` says why. */
STEPCCL_API stepccl_status_t stepccl_driver_query(stepccl_driver_info_t* info);
/** The calling thread's current device is the primary context of `device` from now on, as after cudaSetDevice. */
STEPCCL_API stepccl_status_t stepccl_device_set(int device);

/** Device memory on the current device. Free it with stepccl_mem_free. ERR_NO_DRIVER, ERR_OUT_OF_MEMORY. 0 bytes give NULL. */
STEPCCL_API stepccl_status_t stepccl_mem_alloc(void** address, size_t bytes);
STEPCCL_API stepccl_status_t stepccl_mem_free(void* address);
/** Page-locked host memory, which copies reach fastest; plain memory when there is no driver. Free it with stepccl_mem_free_host. */
STEPCCL_API stepccl_status_t stepccl_mem_alloc_host(void** address, size_t bytes);
STEPCCL_API stepccl_status_t stepccl_mem_free_host(void* address);
/** Copies between any two of device and host memory and waits. What other streams do must be complete. */
STEPCCL_API stepccl_status_t stepccl_mem_copy(void* to, const void* from, size_t bytes);
/**
 * Whether `address` is device memory: 1 or 0. Asks the driver on every call, never a cache. Costs no driver start: a
 * process that has not loaded a driver has no device memory. NULL is host memory. Managed and registered host memory
 * that a host may touch counts as host memory.
 */
STEPCCL_API int stepccl_mem_is_device(const void* address);

/* ---- communicators ------------------------------------------------------------------------------------------ */

/** A group of n ranks, each a process or a thread. Opaque; owned by the caller from create to destroy. */
typedef struct stepccl_comm stepccl_comm_t;

/** How ranks meet. Everything but `size`, `rank`, `nranks` and `allgather` may be zero. */
typedef struct stepccl_comm_args {
    size_t size;
    int rank;   /**< of the caller, 0 <= rank < nranks */
    int nranks; /**< 1 or more */
    /** Gathers `bytes` from `mine` of every rank into `all` (nranks * bytes, in rank order, on every rank). Blocks. Returns 0 on
     *  success. Called a fixed number of times by stepccl_comm_create, in the same order on all ranks, and never later. */
    int (*allgather)(void* context, const void* mine, void* all, size_t bytes);
    /** Called again and again while a function of this communicator waits, so that the caller's own progress goes on. May be
     *  null. A value other than 0 ends the wait with ERR_PEER_FAILED. */
    int (*progress)(void* context);
    void* context;    /**< for both; must outlive the communicator */
    const char* name; /**< for messages; copied */
} stepccl_comm_args_t;
#define STEPCCL_COMM_ARGS_INIT {sizeof(stepccl_comm_args_t), 0, 0, 0, 0, 0, 0}

/**
 * Makes a communicator. Collective: all ranks call it; blocks in `allgather`. No device is touched. The outcome is agreed:
 * when it fails on one rank it fails on all. Ranks that cannot share memory (other nodes, other namespaces) still get a
 * communicator, on which every call takes STEPCCL_PATH_STAGED; stepccl_comm_describe says why.
 */
STEPCCL_API stepccl_status_t stepccl_comm_create(const stepccl_comm_args_t* args, stepccl_comm_t** comm);
/** Frees it. Waits for what this rank has in flight. Not collective: peers may be gone. NULL is fine. */
STEPCCL_API stepccl_status_t stepccl_comm_destroy(stepccl_comm_t* comm);
/** 1 when a call on this communicator can take STEPCCL_PATH_NATIVE at all, the same on every rank; 0 otherwise. */
STEPCCL_API int stepccl_comm_native(const stepccl_comm_t* comm);
/** A line for people: "4 ranks on one node, emulated driver" or why calls are staged. Valid as long as the communicator. */
STEPCCL_API const char* stepccl_comm_describe(const stepccl_comm_t* comm);

/* ---- collectives -------------------------------------------------------------------------------------------- */

/** The value of `send` (for scatter at the root: of `recv`) that means: the data is where the result goes, as MPI_IN_PLACE. */
#define STEPCCL_IN_PLACE ((void*)1)

/**
 * One call of a collective. Buffers as MPI has them, all on one device, element-aligned:
 *
 *  kind            | send                          | recv                        | count
 *  ----------------|-------------------------------|-----------------------------|---------------------------------
 *  barrier         | -                             | -                           | -
 *  bcast           | -                             | vector (source at the root) | of the vector
 *  gather          | own block                     | n blocks, at the root       | of a block
 *  scatter         | n blocks, at the root         | own block                   | of a block
 *  allgather       | own block                     | n blocks                    | of a block
 *  alltoall        | n blocks                      | n blocks                    | of a block
 *  allreduce, scan, exscan | vector                | vector                      | of the vector
 *  reduce          | vector                        | vector, at the root         | of the vector
 *  reduce_scatter  | n blocks                      | own block                   | of a block
 *
 * Uniform blocks lie one behind the other. The v-variants give arrays of n entries, in elements: `send_counts` and
 * `send_displs` where send has n blocks, `recv_counts` and `recv_displs` where recv has n blocks, and `count` is then the
 * own block's. reduce_scatter takes the counts of all blocks in `recv_counts` on every rank (displacements follow from
 * them, `recv_displs` is not read). All-gather takes `recv_counts` and `recv_displs` on every rank; the counts must
 * agree. Arrays are read before the call returns.
 *
 * In place: allgather, allreduce, reduce_scatter, scan, exscan, alltoall give STEPCCL_IN_PLACE (or recv) as send, on all ranks;
 * gather and reduce at the root give it as send; scatter at the root gives it as recv. The in-place input of reduce_scatter is
 * the n blocks at recv, the result overwrites its beginning. The buffers do not overlap otherwise.
 */
typedef struct stepccl_call {
    size_t size;
    stepccl_kind_t kind;
    const void* send;
    void* recv;
    size_t count;
    const size_t* send_counts;
    const size_t* send_displs;
    const size_t* recv_counts;
    const size_t* recv_displs;
    stepccl_datatype_t type;
    stepccl_op_t op; /**< of kinds that reduce */
    int root;        /**< of kinds that have one */
} stepccl_call_t;
#define STEPCCL_CALL_INIT {sizeof(stepccl_call_t), stepccl_kind_barrier, 0, 0, 0, 0, 0, 0, 0, stepccl_uint8, stepccl_sum, 0}

/**
 * A blocking collective in the manner of MPI. Every rank calls it or stepccl_pass, in the same order; some may bring device
 * buffers and others host buffers. A rank whose buffers are on the host learns STEPCCL_PATH_HOST at once. The others wait until
 * all have come; when all brought device buffers (or nothing) the collective is done and complete on return, and
 * `path` is STEPCCL_PATH_NATIVE; otherwise nothing was done and `path` is STEPCCL_PATH_STAGED.
 * The buffers must be ready when the call is made: no stream is synchronised.
 * ERR_INVALID_ARGUMENT (a rank that fails so counts as one that calls stepccl_decline; where the ranks disagree it fails on all),
 * ERR_PEER_FAILED, ERR_TIMEOUT, ERR_DRIVER, ERR_COMM_BROKEN: after
 * one of the last four the communicator is broken on every rank and the buffers' contents are undefined.
 */
STEPCCL_API stepccl_status_t stepccl_run(stepccl_comm_t* comm, const stepccl_call_t* call, stepccl_path_t* path);
/**
 * This rank takes no part in the next stepccl_run of the others, for it has host buffers or arguments that only it can serve: they learn
 * STEPCCL_PATH_STAGED. One store; never blocks.
 */
STEPCCL_API void stepccl_pass(stepccl_comm_t* comm);
/**
 * As stepccl_pass, for a rank with device buffers that cannot be served natively (a derived datatype, a user-defined operation): the
 * others learn STEPCCL_PATH_STAGED. Kept apart for the counters.
 */
STEPCCL_API void stepccl_decline(stepccl_comm_t* comm);

/**
 * The same collectives in the order of `stream` (a CUstream or cudaStream_t of the buffers' device; NULL is the legacy default
 * stream): the call returns when the work is enqueued, after the ranks have met on the host. All buffers are device buffers
 * (or NULL where nothing is read or written), else ERR_INVALID_ARGUMENT. Failures that happen later are reported by the
 * next call on the communicator and by stepccl_comm_sync.
 */
STEPCCL_API stepccl_status_t stepccl_enqueue(stepccl_comm_t* comm, const stepccl_call_t* call, void* stream);
/** Waits for everything that this rank has enqueued. */
STEPCCL_API stepccl_status_t stepccl_comm_sync(stepccl_comm_t* comm);

/** stepccl_enqueue, spelled out. */
STEPCCL_API stepccl_status_t stepccl_barrier(stepccl_comm_t* comm, void* stream);
STEPCCL_API stepccl_status_t stepccl_bcast(stepccl_comm_t* comm, void* buffer, size_t count, stepccl_datatype_t type, int root,
                                           void* stream);
STEPCCL_API stepccl_status_t stepccl_gather(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                            stepccl_datatype_t type, int root, void* stream);
STEPCCL_API stepccl_status_t stepccl_scatter(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                             stepccl_datatype_t type, int root, void* stream);
STEPCCL_API stepccl_status_t stepccl_allgather(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                               stepccl_datatype_t type, void* stream);
STEPCCL_API stepccl_status_t stepccl_alltoall(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                              stepccl_datatype_t type, void* stream);
STEPCCL_API stepccl_status_t stepccl_allreduce(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                               stepccl_datatype_t type, stepccl_op_t op, void* stream);
STEPCCL_API stepccl_status_t stepccl_reduce(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                            stepccl_datatype_t type, stepccl_op_t op, int root, void* stream);
STEPCCL_API stepccl_status_t stepccl_reduce_scatter(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                                    stepccl_datatype_t type, stepccl_op_t op, void* stream);
STEPCCL_API stepccl_status_t stepccl_scan(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                          stepccl_datatype_t type, stepccl_op_t op, void* stream);
STEPCCL_API stepccl_status_t stepccl_exscan(stepccl_comm_t* comm, const void* send, void* recv, size_t count,
                                            stepccl_datatype_t type, stepccl_op_t op, void* stream);

/* ---- reports ------------------------------------------------------------------------------------------------ */

/** What this process did since it began, over all communicators. */
typedef struct stepccl_counters {
    size_t size;
    uint64_t native_calls;       /**< done by StepCCL */
    uint64_t staged_calls;       /**< told to stage, or declined */
    uint64_t host_calls;         /**< passed on */
    uint64_t copy_engine_bytes;  /**< bytes written by copies that were put on copy engines */
    uint64_t kernel_bytes;       /**< bytes written by reduction kernels */
    uint64_t staged_bytes;       /**< bytes copied between device and host to stage, either way */
    uint64_t bounced_bytes;      /**< bytes copied through own memory since a buffer cannot be shared between processes */
    char algorithm[32];          /**< of the last native call, e.g. "two_shot" */
    uint32_t parts;              /**< of the last native call */
} stepccl_counters_t;

/** Fills `counters`. */
STEPCCL_API stepccl_status_t stepccl_counters(stepccl_counters_t* counters);
/** Adds to staged_bytes: for callers that stage by themselves after STEPCCL_PATH_STAGED. */
STEPCCL_API void stepccl_count_staged(size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
