/*
 * coll/stepccl: the component that offers StepCCL to Open MPI's communicators.
 *
 * How one call goes: a function of slots.c gets it from Open MPI; pack.c writes its arguments into a
 * coll_stepccl_call_t, in which all collectives look alike; blocking.c agrees with the other ranks whether StepCCL does
 * it (native.c says it in StepCCL's words); otherwise stage.c puts host memory in the place of device buffers and the
 * function of the module below is called. request.c does the same for nonblocking and persistent calls, which are
 * always staged.
 */
#ifndef COLL_STEPCCL_H
#define COLL_STEPCCL_H

#include "ompi_versions.h"

#include "stepccl/stepccl.h"

/* ---- the module: one per communicator ---- */

#define COLL_STEPCCL_API_TYPE(api) __typeof__(((mca_coll_base_module_t*)NULL)->coll_##api)

/* The functions that Open MPI would have used, each with its module. `call` is null where there was none. */
typedef struct coll_stepccl_below {
#define COLL_STEPCCL_FIELD(api)          \
    struct {                             \
        COLL_STEPCCL_API_TYPE(api) call; \
        mca_coll_base_module_t* module;  \
    } api;
#define STEPCCL_SLOT(name, NAME, buffers) \
    COLL_STEPCCL_FIELD(name) COLL_STEPCCL_FIELD(i##name) COLL_STEPCCL_FIELD(name##_init)
#include "slots.def"
#undef STEPCCL_SLOT
    COLL_STEPCCL_FIELD(reduce_local)
#undef COLL_STEPCCL_FIELD
} coll_stepccl_below_t;

typedef enum coll_stepccl_state {
    coll_stepccl_not_met, /* no blocking collective yet */
    coll_stepccl_meeting, /* the first one, all ranks are in it */
    coll_stepccl_native,  /* calls are agreed upon through `ranks` */
    coll_stepccl_apart    /* the ranks cannot work together: every rank stages by itself */
} coll_stepccl_state_t;

typedef struct coll_stepccl_module {
    mca_coll_base_module_t super;
    void* pad[16]; /* zero: an Open MPI whose module is larger finds null pointers here, not our fields */
    ompi_communicator_t* comm;
    coll_stepccl_below_t below;
    coll_stepccl_state_t state;
    stepccl_comm_t* ranks;
    size_t* arrays; /* 4 n: counts and displacements in bytes of the call at hand */
    int depth;      /* functions below us that are running, see coll_stepccl_enter */
} coll_stepccl_module_t;
OBJ_CLASS_DECLARATION(coll_stepccl_module_t);

/* ---- a call, packed: all collectives look alike ---- */

/* Elements that lie together, at a distance in bytes from the buffer's address. */
typedef struct coll_stepccl_block {
    ptrdiff_t offset;
    size_t count;
    ompi_datatype_t* type;
} coll_stepccl_block_t;

/* The bytes from the lowest to the highest of some blocks, relative to the buffer's address; `data` of them belong to
 * elements. */
typedef struct coll_stepccl_span {
    ptrdiff_t low, high;
    size_t data;
} coll_stepccl_span_t;

typedef enum coll_stepccl_place { coll_stepccl_nowhere, coll_stepccl_host, coll_stepccl_device } coll_stepccl_place_t;
typedef enum coll_stepccl_extent { coll_stepccl_nothing, coll_stepccl_own, coll_stepccl_whole } coll_stepccl_extent_t;
typedef enum coll_stepccl_displaced {
    coll_stepccl_uniform,
    coll_stepccl_by_extent,
    coll_stepccl_by_bytes
} coll_stepccl_displaced_t;

/* One buffer argument. */
typedef struct coll_stepccl_side {
    void* given; /* the argument */
    void* use;   /* what the function below gets for it: `given`, or host memory in its place */
    int blocks;  /* 0 when MPI does not look at it on this rank */
    bool in_place;
    coll_stepccl_displaced_t displaced; /* uniform: every block is of `count` elements, one behind the other */
    size_t count;
    coll_stepccl_counts_t counts;
    coll_stepccl_displs_t displs;
    ompi_datatype_t* type;
    ompi_datatype_t* const* types;       /* of alltoallw, instead of `type` */
    coll_stepccl_block_t* kept;          /* of requests: the blocks, since the arrays may be gone when it completes */
    coll_stepccl_extent_t reads, writes; /* which part the collective reads and writes */
    coll_stepccl_block_t own;            /* the part that `coll_stepccl_own` means */
    coll_stepccl_place_t place;
    void* host; /* staged: where the host memory begins, and which span of the buffer it stands for */
    coll_stepccl_span_t span;
} coll_stepccl_side_t;

typedef struct coll_stepccl_call {
    bool agreed; /* all ranks know that all ranks make this call: false for neighbourhoods and local reductions */
    bool empty;  /* no rank has data, which all ranks know */
    stepccl_kind_t kind; /* when agreed */
    int root, rank, n;
    ompi_communicator_t* comm;
    coll_stepccl_side_t send, recv;
    ompi_op_t* op; /* of kinds that reduce, else null */
    ompi_datatype_t* type;
    size_t count; /* of reductions: elements of the vector, or of this rank's block */
    bool has_counts;
    coll_stepccl_counts_t counts; /* of reduce_scatter */
} coll_stepccl_call_t;

/* pack.c: one packer a collective; it only copies the arguments and says what MPI reads and writes. */
#define STEPCCL_SLOT(name, NAME, buffers) void coll_stepccl_pack_##name(coll_stepccl_call_t* call, NAME##_BASE_ARGS);
#include "slots.def"
#undef STEPCCL_SLOT
void coll_stepccl_pack_reduce_local(coll_stepccl_call_t* call, const void* inbuf, void* inoutbuf, size_t count,
                                    ompi_datatype_t* type, ompi_op_t* op);

/* span.c */
coll_stepccl_block_t coll_stepccl_block_at(const coll_stepccl_side_t* side, int i);
coll_stepccl_span_t coll_stepccl_span_of(const coll_stepccl_side_t* side, coll_stepccl_extent_t extent);
/* Finds out where the call's buffers are; true when one of them is on a device. */
bool coll_stepccl_locate(coll_stepccl_call_t* call);

/* types.c: Open MPI's predefined types and operations in StepCCL's words; false when there is no such word. */
void coll_stepccl_types_init(void);
bool coll_stepccl_type_of(const ompi_datatype_t* type, stepccl_datatype_t* out);
bool coll_stepccl_op_of(const ompi_op_t* op, stepccl_op_t* out);
/* Whether elements lie one behind the other without gaps, beginning at the address, so that bytes describe them. */
bool coll_stepccl_is_plain(const ompi_datatype_t* type);

/* native.c: the call as stepccl_run wants it; false when it has types or operations that StepCCL does not know. */
bool coll_stepccl_describe(coll_stepccl_module_t* self, const coll_stepccl_call_t* call, stepccl_call_t* out);

/* ---- host memory in the place of device buffers ---- */

/* pool.c: page-locked host memory, kept for the next call within bounds. Thread-safe. */
void* coll_stepccl_pool_get(size_t bytes);
void coll_stepccl_pool_put(void* memory);
void coll_stepccl_pool_close(void);

/* stage.c: each returns an MPI error code. */
int coll_stepccl_stage_open(coll_stepccl_call_t* call); /* host memory for every device buffer, in `use` */
int coll_stepccl_stage_in(coll_stepccl_call_t* call);   /* copies what the collective reads to the host */
int coll_stepccl_stage_out(coll_stepccl_call_t* call);  /* copies what it wrote to the device */
void coll_stepccl_stage_close(coll_stepccl_call_t* call);

/* ---- calls ---- */

/* module.c: the module that Open MPI means, even if it hands over another one's; null when there is none. */
coll_stepccl_module_t* coll_stepccl_module_of(mca_coll_base_module_t* module, ompi_communicator_t* comm);
mca_coll_base_module_t* coll_stepccl_comm_query(ompi_communicator_t* comm, int* priority);

/* slots.c: writes our functions into a module, saves those of the communicator (with the model of 6.0: puts ours
 * there), undoes it. */
void coll_stepccl_slots_offer(coll_stepccl_module_t* self);
void coll_stepccl_slots_save(coll_stepccl_module_t* self, ompi_communicator_t* comm);
void coll_stepccl_slots_restore(coll_stepccl_module_t* self, ompi_communicator_t* comm);
void coll_stepccl_slots_release(coll_stepccl_module_t* self);

/* blocking.c: between enter and leave the function below runs. Enter returns null when the call is over, with its
 * result in *rc. */
coll_stepccl_module_t* coll_stepccl_enter(coll_stepccl_call_t* call, mca_coll_base_module_t* module, int* rc);
int coll_stepccl_leave(coll_stepccl_module_t* self, coll_stepccl_call_t* call, int rc);
int coll_stepccl_error(stepccl_status_t status);

/* request.c: a request of ours around one of the module below. New returns null on failure, with the reason in *rc;
 * launch takes the result of the function below, which wrote its request to *coll_stepccl_request_inner. */
typedef struct coll_stepccl_request coll_stepccl_request_t;
coll_stepccl_request_t* coll_stepccl_request_new(coll_stepccl_module_t* self, coll_stepccl_call_t* call,
                                                 bool persistent, int* rc);
ompi_request_t** coll_stepccl_request_inner(coll_stepccl_request_t* request);
int coll_stepccl_request_launch(coll_stepccl_request_t* request, int rc, ompi_request_t** out);
int coll_stepccl_requests_open(void);
void coll_stepccl_requests_close(void);

/* component.c */
extern mca_coll_base_component_t mca_coll_stepccl_component;
int coll_stepccl_priority(void);

#endif
