#include "coll_stepccl.h"

/* The argument packers: what MPI says about each collective's arguments, once for its blocking, nonblocking and
 * persistent form. */

static void begin(coll_stepccl_call_t* call, ompi_communicator_t* comm, stepccl_kind_t kind) {
    *call = (coll_stepccl_call_t){.agreed = true, .kind = kind, .comm = comm};
    call->rank = ompi_comm_rank(comm);
    call->n = ompi_comm_size(comm);
}

static void begin_reduction(coll_stepccl_call_t* call, ompi_communicator_t* comm, stepccl_kind_t kind, size_t count,
                            ompi_datatype_t* type, ompi_op_t* op) {
    begin(call, comm, kind);
    call->type = type;
    call->op = op;
    call->count = count;
    call->empty = 0 == count || 0 == type->super.size;
}

static void set_buffer(coll_stepccl_side_t* side, const void* buffer) {
    side->given = side->use = (void*)(uintptr_t)buffer;
}

static void uniform(coll_stepccl_side_t* side, const void* buffer, int blocks, size_t count, ompi_datatype_t* type) {
    set_buffer(side, buffer);
    side->blocks = blocks;
    side->count = count;
    side->type = type;
}

static void varying(coll_stepccl_side_t* side, const void* buffer, int blocks, coll_stepccl_counts_t counts,
                    coll_stepccl_displs_t displs, ompi_datatype_t* type) {
    uniform(side, buffer, blocks, 0, type);
    side->displaced = coll_stepccl_by_extent;
    side->counts = counts;
    side->displs = displs;
}

static void varying_types(coll_stepccl_side_t* side, const void* buffer, int blocks, coll_stepccl_counts_t counts,
                          coll_stepccl_displs_t displs, ompi_datatype_t* const* types) {
    varying(side, buffer, blocks, counts, displs, NULL);
    side->displaced = coll_stepccl_by_bytes;
    side->types = types;
}

/* The side is MPI_IN_PLACE: it has no data, the other side is read as well, all of it or this rank's block. */
static void in_place(coll_stepccl_side_t* side, coll_stepccl_side_t* other, coll_stepccl_extent_t reads, int rank) {
    set_buffer(side, MPI_IN_PLACE);
    side->in_place = true;
    side->blocks = 0;
    other->reads = reads;
    if (coll_stepccl_own == reads) other->own = coll_stepccl_block_at(other, rank);
}

static bool no_data(size_t count, const ompi_datatype_t* type) {
    return 0 == count || 0 == type->super.size;
}

static size_t sum(coll_stepccl_counts_t counts, int n) {
    size_t total = 0;
    for (int i = 0; i < n; ++i) total += coll_stepccl_count_at(counts, i);
    return total;
}

/* ---- without a reduction ---- */

void coll_stepccl_pack_bcast(coll_stepccl_call_t* call, BCAST_BASE_ARGS) {
    begin(call, comm, stepccl_kind_bcast);
    call->root = root;
    uniform(&call->recv, buffer, 1, (size_t)count, datatype);
    if (root == call->rank) {
        call->recv.reads = coll_stepccl_whole;
    } else {
        call->recv.writes = coll_stepccl_whole;
    }
    call->empty = no_data((size_t)count, datatype);
}

static void gather_send(coll_stepccl_call_t* call, const void* sendbuf, size_t sendcount, ompi_datatype_t* sendtype) {
    uniform(&call->send, sendbuf, 1, sendcount, sendtype);
    call->send.reads = coll_stepccl_whole;
}

void coll_stepccl_pack_gather(coll_stepccl_call_t* call, GATHER_BASE_ARGS) {
    begin(call, comm, stepccl_kind_gather);
    call->root = root;
    set_buffer(&call->recv, recvbuf);
    if (root == call->rank) {
        uniform(&call->recv, recvbuf, call->n, (size_t)recvcount, recvtype);
        call->recv.writes = coll_stepccl_whole;
        call->empty = no_data((size_t)recvcount, recvtype);
    }
    if (root == call->rank && MPI_IN_PLACE == sendbuf) {
        in_place(&call->send, &call->recv, coll_stepccl_own, call->rank);
    } else {
        gather_send(call, sendbuf, (size_t)sendcount, sendtype);
        call->empty = no_data((size_t)sendcount, sendtype);
    }
}

void coll_stepccl_pack_gatherv(coll_stepccl_call_t* call, GATHERV_BASE_ARGS) {
    begin(call, comm, stepccl_kind_gather);
    call->root = root;
    set_buffer(&call->recv, recvbuf);
    if (root == call->rank) {
        varying(&call->recv, recvbuf, call->n, recvcounts, COLL_STEPCCL_DISPLS(displs), recvtype);
        call->recv.writes = coll_stepccl_whole;
    }
    if (root == call->rank && MPI_IN_PLACE == sendbuf) {
        in_place(&call->send, &call->recv, coll_stepccl_own, call->rank);
    } else {
        gather_send(call, sendbuf, (size_t)sendcount, sendtype);
    }
}

static void scatter_recv(coll_stepccl_call_t* call, void* recvbuf, size_t recvcount, ompi_datatype_t* recvtype) {
    if (call->root == call->rank && MPI_IN_PLACE == recvbuf) {
        set_buffer(&call->recv, recvbuf);
        call->recv.in_place = true; /* the root's own block stays where it is */
        call->send.own = coll_stepccl_block_at(&call->send, call->rank);
        return;
    }
    uniform(&call->recv, recvbuf, 1, recvcount, recvtype);
    call->recv.writes = coll_stepccl_whole;
}

void coll_stepccl_pack_scatter(coll_stepccl_call_t* call, SCATTER_BASE_ARGS) {
    begin(call, comm, stepccl_kind_scatter);
    call->root = root;
    set_buffer(&call->send, sendbuf);
    if (root == call->rank) {
        uniform(&call->send, sendbuf, call->n, (size_t)sendcount, sendtype);
        call->send.reads = coll_stepccl_whole;
        call->empty = no_data((size_t)sendcount, sendtype);
    }
    scatter_recv(call, recvbuf, (size_t)recvcount, recvtype);
    if (!call->recv.in_place) call->empty = no_data((size_t)recvcount, recvtype);
}

void coll_stepccl_pack_scatterv(coll_stepccl_call_t* call, SCATTERV_BASE_ARGS) {
    begin(call, comm, stepccl_kind_scatter);
    call->root = root;
    set_buffer(&call->send, sendbuf);
    if (root == call->rank) {
        varying(&call->send, sendbuf, call->n, sendcounts, COLL_STEPCCL_DISPLS(displs), sendtype);
        call->send.reads = coll_stepccl_whole;
    }
    scatter_recv(call, recvbuf, (size_t)recvcount, recvtype);
}

static void allgather_send(coll_stepccl_call_t* call, const void* sendbuf, size_t sendcount,
                           ompi_datatype_t* sendtype) {
    call->recv.writes = coll_stepccl_whole;
    if (MPI_IN_PLACE == sendbuf) {
        in_place(&call->send, &call->recv, coll_stepccl_own, call->rank);
    } else {
        gather_send(call, sendbuf, sendcount, sendtype);
    }
}

void coll_stepccl_pack_allgather(coll_stepccl_call_t* call, ALLGATHER_BASE_ARGS) {
    begin(call, comm, stepccl_kind_allgather);
    uniform(&call->recv, recvbuf, call->n, (size_t)recvcount, recvtype);
    allgather_send(call, sendbuf, (size_t)sendcount, sendtype);
    call->empty = no_data((size_t)recvcount, recvtype);
}

void coll_stepccl_pack_allgatherv(coll_stepccl_call_t* call, ALLGATHERV_BASE_ARGS) {
    begin(call, comm, stepccl_kind_allgather);
    varying(&call->recv, recvbuf, call->n, recvcounts, COLL_STEPCCL_DISPLS(displs), recvtype);
    allgather_send(call, sendbuf, (size_t)sendcount, sendtype);
    call->empty = no_data(sum(recvcounts, call->n), recvtype);
}

/* Both sides of an all-to-all are there by now; `sendbuf` may say that one of them is not. */
static void alltoall_in_place(coll_stepccl_call_t* call, const void* sendbuf) {
    call->recv.writes = coll_stepccl_whole;
    if (MPI_IN_PLACE == sendbuf) {
        in_place(&call->send, &call->recv, coll_stepccl_whole, call->rank);
    } else {
        call->send.reads = coll_stepccl_whole;
    }
}

void coll_stepccl_pack_alltoall(coll_stepccl_call_t* call, ALLTOALL_BASE_ARGS) {
    begin(call, comm, stepccl_kind_alltoall);
    uniform(&call->send, sendbuf, call->n, (size_t)sendcount, sendtype);
    uniform(&call->recv, recvbuf, call->n, (size_t)recvcount, recvtype);
    alltoall_in_place(call, sendbuf);
    call->empty = no_data((size_t)recvcount, recvtype);
}

void coll_stepccl_pack_alltoallv(coll_stepccl_call_t* call, ALLTOALLV_BASE_ARGS) {
    begin(call, comm, stepccl_kind_alltoall);
    varying(&call->send, sendbuf, call->n, sendcounts, COLL_STEPCCL_DISPLS(sdispls), sendtype);
    varying(&call->recv, recvbuf, call->n, recvcounts, COLL_STEPCCL_DISPLS(rdispls), recvtype);
    alltoall_in_place(call, sendbuf);
}

void coll_stepccl_pack_alltoallw(coll_stepccl_call_t* call, ALLTOALLW_BASE_ARGS) {
    begin(call, comm, stepccl_kind_alltoall);
    varying_types(&call->send, sendbuf, call->n, sendcounts, COLL_STEPCCL_DISPLS(sdispls), sendtypes);
    varying_types(&call->recv, recvbuf, call->n, recvcounts, COLL_STEPCCL_DISPLS(rdispls), recvtypes);
    alltoall_in_place(call, sendbuf);
}

/* ---- with a reduction ---- */

static void vectors(coll_stepccl_call_t* call, const void* sendbuf, void* recvbuf) {
    uniform(&call->recv, recvbuf, 1, call->count, call->type);
    call->recv.writes = coll_stepccl_whole;
    if (MPI_IN_PLACE == sendbuf) {
        in_place(&call->send, &call->recv, coll_stepccl_whole, call->rank);
    } else {
        gather_send(call, sendbuf, call->count, call->type);
    }
}

void coll_stepccl_pack_allreduce(coll_stepccl_call_t* call, ALLREDUCE_BASE_ARGS) {
    begin_reduction(call, comm, stepccl_kind_allreduce, (size_t)count, datatype, op);
    vectors(call, sendbuf, recvbuf);
}

void coll_stepccl_pack_reduce(coll_stepccl_call_t* call, REDUCE_BASE_ARGS) {
    begin_reduction(call, comm, stepccl_kind_reduce, (size_t)count, datatype, op);
    call->root = root;
    if (root == call->rank) {
        vectors(call, sendbuf, recvbuf);
    } else {
        set_buffer(&call->recv, recvbuf);
        gather_send(call, sendbuf, call->count, datatype);
    }
}

void coll_stepccl_pack_scan(coll_stepccl_call_t* call, SCAN_BASE_ARGS) {
    begin_reduction(call, comm, stepccl_kind_scan, (size_t)count, datatype, op);
    vectors(call, sendbuf, recvbuf);
}

void coll_stepccl_pack_exscan(coll_stepccl_call_t* call, EXSCAN_BASE_ARGS) {
    begin_reduction(call, comm, stepccl_kind_exscan, (size_t)count, datatype, op);
    vectors(call, sendbuf, recvbuf);
    if (0 != call->rank) return;
    call->recv.writes = coll_stepccl_nothing; /* rank 0 gets nothing, and its receive buffer need not be one */
    if (!call->send.in_place) call->recv.blocks = 0;
}

/* The vector of `total` elements is scattered, `call->count` of them to this rank. In place they overwrite its
 * beginning. */
static void scattered(coll_stepccl_call_t* call, const void* sendbuf, void* recvbuf, size_t total) {
    call->empty = no_data(total, call->type);
    call->recv.writes = coll_stepccl_whole;
    uniform(&call->recv, recvbuf, 1, MPI_IN_PLACE == sendbuf ? total : call->count, call->type);
    if (MPI_IN_PLACE == sendbuf) {
        in_place(&call->send, &call->recv, coll_stepccl_whole, call->rank);
        call->recv.writes = coll_stepccl_own;
        call->recv.own = (coll_stepccl_block_t){0, call->count, call->type};
    } else {
        gather_send(call, sendbuf, total, call->type);
    }
}

void coll_stepccl_pack_reduce_scatter(coll_stepccl_call_t* call, REDUCESCATTER_BASE_ARGS) {
    begin_reduction(call, comm, stepccl_kind_reduce_scatter, 0, datatype, op);
    call->count = coll_stepccl_count_at(recvcounts, call->rank);
    call->has_counts = true;
    call->counts = recvcounts;
    scattered(call, sendbuf, recvbuf, sum(recvcounts, call->n));
}

void coll_stepccl_pack_reduce_scatter_block(coll_stepccl_call_t* call, REDUCESCATTERBLOCK_BASE_ARGS) {
    begin_reduction(call, comm, stepccl_kind_reduce_scatter, (size_t)recvcount, datatype, op);
    scattered(call, sendbuf, recvbuf, (size_t)recvcount * (size_t)call->n);
}

/* ---- among neighbours: StepCCL has no such collectives, so that these are only ever staged ---- */

static void neighbours_of(ompi_communicator_t* comm, int* sources, int* destinations) {
    *sources = *destinations = 0;
    if (NULL == comm->c_topo) return;
    if (OMPI_COMM_IS_CART(comm)) {
        *sources = *destinations = 2 * comm->c_topo->mtc.cart->ndims;
    } else if (OMPI_COMM_IS_GRAPH(comm)) {
        const int* index = comm->c_topo->mtc.graph->index;
        int rank = ompi_comm_rank(comm);
        *sources = *destinations = index[rank] - (0 == rank ? 0 : index[rank - 1]);
    } else if (OMPI_COMM_IS_DIST_GRAPH(comm)) {
        *sources = comm->c_topo->mtc.dist_graph->indegree;
        *destinations = comm->c_topo->mtc.dist_graph->outdegree;
    }
}

static void begin_neighbours(coll_stepccl_call_t* call, ompi_communicator_t* comm, int* sources, int* destinations) {
    begin(call, comm, stepccl_kind_barrier);
    call->agreed = false;
    call->send.reads = coll_stepccl_whole;
    /* Read as well: what stands where a neighbour is missing, at the edge of a grid, must stay as it is. */
    call->recv.reads = call->recv.writes = coll_stepccl_whole;
    neighbours_of(comm, sources, destinations);
}

void coll_stepccl_pack_neighbor_allgather(coll_stepccl_call_t* call, NEIGHBOR_ALLGATHER_BASE_ARGS) {
    int sources, destinations;
    begin_neighbours(call, comm, &sources, &destinations);
    uniform(&call->send, sendbuf, 1, (size_t)sendcount, sendtype);
    uniform(&call->recv, recvbuf, sources, (size_t)recvcount, recvtype);
}

void coll_stepccl_pack_neighbor_allgatherv(coll_stepccl_call_t* call, NEIGHBOR_ALLGATHERV_BASE_ARGS) {
    int sources, destinations;
    begin_neighbours(call, comm, &sources, &destinations);
    uniform(&call->send, sendbuf, 1, (size_t)sendcount, sendtype);
    varying(&call->recv, recvbuf, sources, recvcounts, COLL_STEPCCL_DISPLS(displs), recvtype);
}

void coll_stepccl_pack_neighbor_alltoall(coll_stepccl_call_t* call, NEIGHBOR_ALLTOALL_BASE_ARGS) {
    int sources, destinations;
    begin_neighbours(call, comm, &sources, &destinations);
    uniform(&call->send, sendbuf, destinations, (size_t)sendcount, sendtype);
    uniform(&call->recv, recvbuf, sources, (size_t)recvcount, recvtype);
}

void coll_stepccl_pack_neighbor_alltoallv(coll_stepccl_call_t* call, NEIGHBOR_ALLTOALLV_BASE_ARGS) {
    int sources, destinations;
    begin_neighbours(call, comm, &sources, &destinations);
    varying(&call->send, sendbuf, destinations, sendcounts, COLL_STEPCCL_DISPLS(sdispls), sendtype);
    varying(&call->recv, recvbuf, sources, recvcounts, COLL_STEPCCL_DISPLS(rdispls), recvtype);
}

void coll_stepccl_pack_neighbor_alltoallw(coll_stepccl_call_t* call, NEIGHBOR_ALLTOALLW_BASE_ARGS) {
    int sources, destinations;
    begin_neighbours(call, comm, &sources, &destinations);
    varying_types(&call->send, sendbuf, destinations, sendcounts, COLL_STEPCCL_DISPLS(sdispls), sendtypes);
    varying_types(&call->recv, recvbuf, sources, recvcounts, COLL_STEPCCL_DISPLS(rdispls), recvtypes);
}

/* ---- on this rank alone ---- */

void coll_stepccl_pack_reduce_local(coll_stepccl_call_t* call, const void* inbuf, void* inoutbuf, size_t count,
                                    ompi_datatype_t* type, ompi_op_t* op) {
    *call = (coll_stepccl_call_t){.n = 1, .op = op, .type = type, .count = count};
    uniform(&call->send, inbuf, 1, count, type);
    uniform(&call->recv, inoutbuf, 1, count, type);
    call->send.reads = coll_stepccl_whole;
    call->recv.reads = call->recv.writes = coll_stepccl_whole;
}
