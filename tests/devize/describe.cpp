#include "describe.h"

#include <numeric>

namespace devize {
namespace {

struct Group {
    int rank = 0, n = 0;
    bool usable = false;

    explicit Group(MPI_Comm comm) {
        int inter = 1;
        if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) return;
        usable = PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && PMPI_Comm_size(comm, &n) == MPI_SUCCESS;
    }
    Call call() const { return Call{usable, {}, {}}; }
};

struct Neighbours {
    int sources = 0, destinations = 0;
    bool usable = false;

    explicit Neighbours(MPI_Comm comm) {
        Group group(comm);
        int kind = MPI_UNDEFINED;
        if (!group.usable || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS) return;
        int weighted = 0;
        if (kind == MPI_CART) {
            usable = PMPI_Cartdim_get(comm, &sources) == MPI_SUCCESS;
            destinations = sources *= 2;
        } else if (kind == MPI_GRAPH) {
            usable = PMPI_Graph_neighbors_count(comm, group.rank, &sources) == MPI_SUCCESS;
            destinations = sources;
        } else if (kind == MPI_DIST_GRAPH) {
            usable = PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted) == MPI_SUCCESS;
        }
    }
    Call call() const { return Call{usable, {}, {}}; }
};

using Blocks = std::vector<Block>;

// `n` blocks that follow each other are one.
Blocks uniform(int n, MPI_Count count, MPI_Datatype type) {
    return {{0, n * count, type}};
}

// What no layout is made of, so that MPI finds the fault itself.
const Blocks kWrong{{0, -1, MPI_DATATYPE_NULL}};

Blocks varying(int n, const int* counts, const int* displs, MPI_Datatype type) {
    if (n > 0 && (counts == nullptr || displs == nullptr)) return kWrong;
    MPI_Aint extent = extent_of(type);
    Blocks out;
    for (int i = 0; i < n; ++i)
        if (counts[i] != 0) out.push_back({displs[i] * extent, counts[i], type});
    return out;
}

// Displacements are bytes: int, or MPI_Aint among neighbours.
template <class Displacement>
Blocks varying(int n, const int* counts, const Displacement* displs, const MPI_Datatype* types) {
    if (n > 0 && (counts == nullptr || displs == nullptr || types == nullptr)) return kWrong;
    Blocks out;
    for (int i = 0; i < n; ++i)
        if (counts[i] != 0) out.push_back({displs[i], counts[i], types[i]});
    return out;
}

Side reads(const void* buffer, Blocks blocks) {
    if (buffer == MPI_IN_PLACE) return {};
    return {buffer, std::move(blocks), {}};
}

Side writes(void* buffer, const Blocks& blocks) {
    if (buffer == MPI_IN_PLACE) return {};
    return {buffer, blocks, blocks};
}

Call vectors(MPI_Comm comm, const void* send, void* recv, int count, MPI_Datatype type) {
    Call call = Group(comm).call();
    if (!call.usable) return call;
    call.send = reads(send, uniform(1, count, type));
    call.recv = writes(recv, uniform(1, count, type));
    return call;
}

// In place all of the receive buffer is read, and its beginning is written.
void scattered(Call& call, const void* send, void* recv, MPI_Count total, MPI_Count own, MPI_Datatype type) {
    call.send = reads(send, uniform(1, total, type));
    call.recv = writes(recv, uniform(1, own, type));
    if (send == MPI_IN_PLACE) call.recv.touched = uniform(1, total, type);
}

}  // namespace

Call describe_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, uniform(1, sendcount, sendtype));
    call.recv = writes(recvbuf, uniform(group.n, recvcount, recvtype));
    return call;
}

Call describe_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, uniform(1, sendcount, sendtype));
    call.recv = writes(recvbuf, varying(group.n, recvcounts, displs, recvtype));
    return call;
}

Call describe_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op, MPI_Comm comm) {
    return vectors(comm, sendbuf, recvbuf, count, type);
}

Call describe_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, uniform(group.n, sendcount, sendtype));
    call.recv = writes(recvbuf, uniform(group.n, recvcount, recvtype));
    return call;
}

Call describe_alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                        void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
                        MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    if (sendbuf != MPI_IN_PLACE) call.send = reads(sendbuf, varying(group.n, sendcounts, sdispls, sendtype));
    call.recv = writes(recvbuf, varying(group.n, recvcounts, rdispls, recvtype));
    return call;
}

Call describe_alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls, const MPI_Datatype* sendtypes,
                        void* recvbuf, const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes,
                        MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    if (sendbuf != MPI_IN_PLACE) call.send = reads(sendbuf, varying(group.n, sendcounts, sdispls, sendtypes));
    call.recv = writes(recvbuf, varying(group.n, recvcounts, rdispls, recvtypes));
    return call;
}

Call describe_bcast(void* recvbuf, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    Blocks blocks = uniform(1, count, type);
    if (group.rank == root) {
        call.send = reads(recvbuf, blocks);
    } else {
        call.recv = writes(recvbuf, blocks);
    }
    return call;
}

Call describe_exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op, MPI_Comm comm) {
    Call call = vectors(comm, sendbuf, recvbuf, count, type);
    if (!call.usable || Group(comm).rank != 0) return call;
    call.recv.written.clear();  // rank 0 gets nothing, and its receive buffer need not be one
    if (sendbuf != MPI_IN_PLACE) call.recv.touched.clear();
    return call;
}

Call describe_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, uniform(1, sendcount, sendtype));
    if (group.rank == root) call.recv = writes(recvbuf, uniform(group.n, recvcount, recvtype));
    return call;
}

Call describe_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                      const int* displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, uniform(1, sendcount, sendtype));
    if (group.rank == root) call.recv = writes(recvbuf, varying(group.n, recvcounts, displs, recvtype));
    return call;
}

Call describe_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op, int root,
                     MPI_Comm comm) {
    Call call = vectors(comm, sendbuf, recvbuf, count, type);
    if (call.usable && Group(comm).rank != root) call.recv = {};
    return call;
}

Call describe_reduce_scatter(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype type, MPI_Op,
                             MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (recvcounts == nullptr) call.usable = false;
    if (!call.usable) return call;
    MPI_Count total = std::accumulate(recvcounts, recvcounts + group.n, MPI_Count{0});
    scattered(call, sendbuf, recvbuf, total, recvcounts[group.rank], type);
    return call;
}

Call describe_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype type, MPI_Op,
                                   MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (call.usable) scattered(call, sendbuf, recvbuf, MPI_Count{group.n} * recvcount, recvcount, type);
    return call;
}

Call describe_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op, MPI_Comm comm) {
    return vectors(comm, sendbuf, recvbuf, count, type);
}

Call describe_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    if (group.rank == root) call.send = reads(sendbuf, uniform(group.n, sendcount, sendtype));
    call.recv = writes(recvbuf, uniform(1, recvcount, recvtype));
    return call;
}

Call describe_scatterv(const void* sendbuf, const int* sendcounts, const int* displs, MPI_Datatype sendtype,
                       void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Group group(comm);
    Call call = group.call();
    if (!call.usable) return call;
    if (group.rank == root) call.send = reads(sendbuf, varying(group.n, sendcounts, displs, sendtype));
    call.recv = writes(recvbuf, uniform(1, recvcount, recvtype));
    return call;
}

Call describe_neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Neighbours near(comm);
    Call call = near.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, uniform(1, sendcount, sendtype));
    call.recv = writes(recvbuf, uniform(near.sources, recvcount, recvtype));
    return call;
}

Call describe_neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm) {
    Neighbours near(comm);
    Call call = near.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, uniform(1, sendcount, sendtype));
    call.recv = writes(recvbuf, varying(near.sources, recvcounts, displs, recvtype));
    return call;
}

Call describe_neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                MPI_Datatype recvtype, MPI_Comm comm) {
    Neighbours near(comm);
    Call call = near.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, uniform(near.destinations, sendcount, sendtype));
    call.recv = writes(recvbuf, uniform(near.sources, recvcount, recvtype));
    return call;
}

Call describe_neighbor_alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                                 void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
                                 MPI_Comm comm) {
    Neighbours near(comm);
    Call call = near.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, varying(near.destinations, sendcounts, sdispls, sendtype));
    call.recv = writes(recvbuf, varying(near.sources, recvcounts, rdispls, recvtype));
    return call;
}

Call describe_neighbor_alltoallw(const void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls,
                                 const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                                 const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
    Neighbours near(comm);
    Call call = near.call();
    if (!call.usable) return call;
    call.send = reads(sendbuf, varying(near.destinations, sendcounts, sdispls, sendtypes));
    call.recv = writes(recvbuf, varying(near.sources, recvcounts, rdispls, recvtypes));
    return call;
}

Call describe_reduce_local(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op) {
    Call call;
    call.send = reads(sendbuf, uniform(1, count, type));
    call.recv = writes(recvbuf, uniform(1, count, type));
    return call;
}

}  // namespace devize
