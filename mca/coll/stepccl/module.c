#include "coll_stepccl.h"

/* One module per communicator. Open MPI frees the memory, the constructor and the destructor see to the rest. */

static void construct(coll_stepccl_module_t* self) {
    memset((char*)self + sizeof(self->super), 0, sizeof(*self) - sizeof(self->super));
}

/* Also from disable, as requests may keep the module beyond its communicator's end. */
static void part(coll_stepccl_module_t* self) {
    if (NULL != self->ranks && STEPCCL_SUCCESS != stepccl_comm_destroy(self->ranks)) {
        opal_output(0, "coll/stepccl: %s", stepccl_last_error());
    }
    self->ranks = NULL;
    self->state = coll_stepccl_apart;
}

static void destruct(coll_stepccl_module_t* self) {
    part(self);
    free(self->arrays);
    self->arrays = NULL;
    coll_stepccl_slots_release(self);
}

OBJ_CLASS_INSTANCE(coll_stepccl_module_t, mca_coll_base_module_t, construct, destruct);

/*
 * Only saves pointers: Open MPI calls it from within its progress function, where waiting for anyone would be waiting
 * for oneself.
 */
static int enable(mca_coll_base_module_t* module, ompi_communicator_t* comm) {
    coll_stepccl_module_t* self = (coll_stepccl_module_t*)module;
    self->comm = comm;
    self->arrays = malloc(4 * (size_t)ompi_comm_size(comm) * sizeof(size_t));
    coll_stepccl_slots_save(self, comm);
    return OMPI_SUCCESS;
}

/* Called once for each function before 6.0, and perhaps never. */
static int disable(mca_coll_base_module_t* module, ompi_communicator_t* comm) {
    coll_stepccl_module_t* self = (coll_stepccl_module_t*)module;
    part(self);
    coll_stepccl_slots_restore(self, comm);
    return OMPI_SUCCESS;
}

mca_coll_base_module_t* coll_stepccl_comm_query(ompi_communicator_t* comm, int* priority) {
    /* These facts are equal on all ranks, as they must be. */
    if (OMPI_COMM_IS_INTER(comm) || COLL_STEPCCL_NO_DEVICE_BUFFERS(comm)) return NULL;
    coll_stepccl_types_init();
    coll_stepccl_module_t* self = OBJ_NEW(coll_stepccl_module_t);
    if (NULL == self) return NULL;
    *priority = coll_stepccl_priority();
    self->super.coll_module_enable = enable;
    self->super.coll_module_disable = disable;
    coll_stepccl_slots_offer(self);
    return &self->super;
}

static coll_stepccl_module_t* ours(mca_coll_base_module_t* module) {
    bool is_ours = NULL != module && OBJ_CLASS(coll_stepccl_module_t) == module->super.obj_class;
    return is_ours ? (coll_stepccl_module_t*)module : NULL;
}

/* coll/han of 4.1 hands its neighbour's module to our function. */
coll_stepccl_module_t* coll_stepccl_module_of(mca_coll_base_module_t* module, ompi_communicator_t* comm) {
    coll_stepccl_module_t* self = ours(module);
    if (NULL != self || NULL == comm) return self;
    self = ours(comm->c_coll->coll_allreduce_module);
    return NULL != self ? self : ours(comm->c_coll->coll_allgather_module);
}
