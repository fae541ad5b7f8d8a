// What each collective means: which buffers a rank has, the call, and what it must have received.
#include "matrix.h"

namespace test {

void Matrix::bcast(Matrix& m, const Case& c, Trial& t) {
    Bytes data = m.input(c, c.root, c.count);
    // One buffer: the root only reads it, which is "send" for the choice of memory.
    (m.at_root(c) ? t.has_send : t.has_recv) = true;
    (m.at_root(c) ? t.send : t.recv) = m.at_root(c) ? data : m.fill(data.size());
    t.call = [&m, c](void* send, void* recv) {
        return MPI_Bcast(m.at_root(c) ? send : recv, as_int(c.count), c.type->mpi, c.root, m.group_.comm);
    };
    t.judge = equals(data);
}

// Gather and all-gather, uniform or not: `blocks` says where each rank's data lie.
void Matrix::gathers(Matrix& m, const Case& c, Trial& t, const Blocks& blocks, bool receives) {
    auto count_of = [&](int r) { return static_cast<size_t>(blocks.counts[static_cast<size_t>(r)]); };
    auto displ_of = [&](int r) { return static_cast<size_t>(blocks.displs[static_cast<size_t>(r)]); };
    t.has_send = !(c.in_place && receives);
    if (t.has_send) t.send = m.input(c, m.group_.rank, count_of(m.group_.rank));
    t.has_recv = receives;
    if (!receives) return;
    t.recv = m.fill(m.size(c, blocks.total));
    Bytes want = t.recv;
    for (int r = 0; r < m.group_.n; ++r) put(c, want, displ_of(r), m.input(c, r, count_of(r)));
    if (c.in_place) put(c, t.recv, displ_of(m.group_.rank), m.input(c, m.group_.rank, count_of(m.group_.rank)));
    t.judge = equals(want);
}

Matrix::Blocks Matrix::even(size_t count) const {
    Blocks out = arrange([count](int) { return count; }, false);
    for (int i = 0; i < group_.n; ++i) out.displs[static_cast<size_t>(i)] = as_int(static_cast<size_t>(i) * count);
    return out;
}

const void* Matrix::source(const Trial& t, void* send) {
    return t.has_send ? send : MPI_IN_PLACE;
}

void Matrix::gather(Matrix& m, const Case& c, Trial& t) {
    gathers(m, c, t, m.even(c.count), m.at_root(c));
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Gather(source(t, send), as_int(c.count), c.type->mpi, recv, as_int(c.count), c.type->mpi, c.root,
                          m.group_.comm);
    };
}

void Matrix::gatherv(Matrix& m, const Case& c, Trial& t) {
    Blocks blocks = m.arrange([&](int r) { return m.block(c, r); }, true);
    gathers(m, c, t, blocks, m.at_root(c));
    t.call = [&m, &t, c, blocks](void* send, void* recv) {
        return MPI_Gatherv(source(t, send), blocks.counts[static_cast<size_t>(m.group_.rank)], c.type->mpi, recv,
                           blocks.counts.data(), blocks.displs.data(), c.type->mpi, c.root, m.group_.comm);
    };
}

void Matrix::allgather(Matrix& m, const Case& c, Trial& t) {
    gathers(m, c, t, m.even(c.count), true);
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Allgather(source(t, send), as_int(c.count), c.type->mpi, recv, as_int(c.count), c.type->mpi,
                             m.group_.comm);
    };
}

void Matrix::allgatherv(Matrix& m, const Case& c, Trial& t) {
    Blocks blocks = m.arrange([&](int r) { return m.block(c, r); }, true);
    gathers(m, c, t, blocks, true);
    t.call = [&m, &t, c, blocks](void* send, void* recv) {
        return MPI_Allgatherv(source(t, send), blocks.counts[static_cast<size_t>(m.group_.rank)], c.type->mpi, recv,
                              blocks.counts.data(), blocks.displs.data(), c.type->mpi, m.group_.comm);
    };
}

void Matrix::scatters(Matrix& m, const Case& c, Trial& t, const Blocks& blocks) {
    auto mine = static_cast<size_t>(blocks.counts[static_cast<size_t>(m.group_.rank)]);
    auto data_for = [&](int r) { return m.input(c, r, static_cast<size_t>(blocks.counts[static_cast<size_t>(r)])); };
    t.has_send = m.at_root(c);
    if (t.has_send) {
        t.send = m.fill(m.size(c, blocks.total));
        for (int r = 0; r < m.group_.n; ++r) {
            put(c, t.send, static_cast<size_t>(blocks.displs[static_cast<size_t>(r)]), data_for(r));
        }
    }
    t.has_recv = !(c.in_place && m.at_root(c));
    if (t.has_recv) t.recv = m.fill(m.size(c, mine));
    t.judge = equals(data_for(m.group_.rank));
}

void* Matrix::target(const Trial& t, void* recv) {
    return t.has_recv ? recv : MPI_IN_PLACE;
}

void Matrix::scatter(Matrix& m, const Case& c, Trial& t) {
    scatters(m, c, t, m.even(c.count));
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Scatter(send, as_int(c.count), c.type->mpi, target(t, recv), as_int(c.count), c.type->mpi, c.root,
                           m.group_.comm);
    };
}

void Matrix::scatterv(Matrix& m, const Case& c, Trial& t) {
    Blocks blocks = m.arrange([&](int r) { return m.block(c, r); }, true);
    scatters(m, c, t, blocks);
    t.call = [&m, &t, c, blocks](void* send, void* recv) {
        return MPI_Scatterv(send, blocks.counts.data(), blocks.displs.data(), c.type->mpi, target(t, recv),
                            blocks.counts[static_cast<size_t>(m.group_.rank)], c.type->mpi, c.root, m.group_.comm);
    };
}

// What rank `from` has for rank `to`.
Bytes Matrix::message(const Case& c, int from, int to, size_t count) const {
    return c.type->random(count, mix(c.key, static_cast<uint64_t>(from * 1000 + to)));
}

void Matrix::alltoalls(Matrix& m, const Case& c, Trial& t, const Blocks& out, const Blocks& in) {
    int me = m.group_.rank;
    t.has_send = !c.in_place;
    t.has_recv = true;
    t.recv = m.fill(m.size(c, in.total));
    if (t.has_send) t.send = m.fill(m.size(c, out.total));
    Bytes want = t.recv;
    for (int r = 0; r < m.group_.n; ++r) {
        auto i = static_cast<size_t>(r);
        const Blocks& source = c.in_place ? in : out;
        put(c, c.in_place ? t.recv : t.send, static_cast<size_t>(source.displs[i]),
            m.message(c, me, r, static_cast<size_t>(source.counts[i])));
        put(c, want, static_cast<size_t>(in.displs[i]), m.message(c, r, me, static_cast<size_t>(in.counts[i])));
    }
    t.judge = equals(want);
}

void Matrix::alltoall(Matrix& m, const Case& c, Trial& t) {
    alltoalls(m, c, t, m.even(c.count), m.even(c.count));
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Alltoall(source(t, send), as_int(c.count), c.type->mpi, recv, as_int(c.count), c.type->mpi,
                            m.group_.comm);
    };
}

// In place both directions have the same counts, so they must not depend on who sends.
Matrix::Blocks Matrix::outgoing(const Case& c) const {
    return arrange([&](int r) { return c.in_place ? block(c, group_.rank + r) : block(c, group_.rank, r); }, true);
}

Matrix::Blocks Matrix::incoming(const Case& c) const {
    return arrange([&](int r) { return c.in_place ? block(c, group_.rank + r) : block(c, r, group_.rank); }, true);
}

void Matrix::alltoallv(Matrix& m, const Case& c, Trial& t) {
    Blocks out = m.outgoing(c), in = m.incoming(c);
    alltoalls(m, c, t, out, in);
    t.call = [&m, &t, c, out, in](void* send, void* recv) {
        return MPI_Alltoallv(source(t, send), out.counts.data(), out.displs.data(), c.type->mpi, recv, in.counts.data(),
                             in.displs.data(), c.type->mpi, m.group_.comm);
    };
}

void Matrix::alltoallw(Matrix& m, const Case& c, Trial& t) {
    Blocks out = m.outgoing(c), in = m.incoming(c);
    alltoalls(m, c, t, out, in);
    for (int& d : out.displs) d *= as_int(c.type->bytes);
    for (int& d : in.displs) d *= as_int(c.type->bytes);
    t.call = [&m, &t, c, out, in](void* send, void* recv) {
        std::vector<MPI_Datatype> types(static_cast<size_t>(m.group_.n), c.type->mpi);
        return MPI_Alltoallw(source(t, send), out.counts.data(), out.displs.data(), types.data(), recv,
                             in.counts.data(), in.displs.data(), types.data(), m.group_.comm);
    };
}

// A vector of `all` elements goes in; in place it lies at the receive buffer.
void Matrix::reduction(Matrix& m, const Case& c, Trial& t, size_t all, size_t out, bool receives) {
    Bytes mine = m.input(c, m.group_.rank, all);
    t.has_recv = receives;
    t.has_send = !(c.in_place && receives);
    if (t.has_send) t.send = mine;
    if (receives) t.recv = t.has_send ? m.fill(m.size(c, out)) : mine;
}

void Matrix::allreduce(Matrix& m, const Case& c, Trial& t) {
    reduction(m, c, t, c.count, c.count, true);
    t.judge = m.reduces(c, 0, m.group_.n - 1, c.count, 0, c.count);
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Allreduce(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, m.group_.comm);
    };
}

void Matrix::reduce(Matrix& m, const Case& c, Trial& t) {
    reduction(m, c, t, c.count, c.count, m.at_root(c));
    t.judge = m.reduces(c, 0, m.group_.n - 1, c.count, 0, c.count);
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Reduce(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, c.root, m.group_.comm);
    };
}

void Matrix::scan(Matrix& m, const Case& c, Trial& t) {
    reduction(m, c, t, c.count, c.count, true);
    t.judge = m.reduces(c, 0, m.group_.rank, c.count, 0, c.count);
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Scan(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, m.group_.comm);
    };
}

void Matrix::exscan(Matrix& m, const Case& c, Trial& t) {
    reduction(m, c, t, c.count, c.count, true);
    t.judge = m.group_.rank == 0 ? equals(t.recv) : m.reduces(c, 0, m.group_.rank - 1, c.count, 0, c.count);
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Exscan(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, m.group_.comm);
    };
}

void Matrix::reduce_scatter_block(Matrix& m, const Case& c, Trial& t) {
    size_t all = c.count * static_cast<size_t>(m.group_.n);
    reduction(m, c, t, all, c.count, true);
    t.judge = m.reduces(c, 0, m.group_.n - 1, all, c.count * static_cast<size_t>(m.group_.rank), c.count);
    t.call = [&m, &t, c](void* send, void* recv) {
        return MPI_Reduce_scatter_block(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, m.group_.comm);
    };
}

void Matrix::reduce_scatter(Matrix& m, const Case& c, Trial& t) {
    std::vector<int> counts;
    size_t all = 0, skip = 0;
    for (int r = 0; r < m.group_.n; ++r) {
        if (r == m.group_.rank) skip = all;
        all += m.block(c, r);
        counts.push_back(as_int(m.block(c, r)));
    }
    size_t mine = m.block(c, m.group_.rank);
    reduction(m, c, t, all, mine, true);
    t.judge = m.reduces(c, 0, m.group_.n - 1, all, skip, mine);
    t.call = [&m, &t, c, counts](void* send, void* recv) {
        return MPI_Reduce_scatter(source(t, send), recv, counts.data(), c.type->mpi, c.op->mpi, m.group_.comm);
    };
}

const std::map<std::string, Matrix::Maker>& Matrix::makers() {
    static const std::map<std::string, Maker> table = {{"bcast", bcast},
                                                       {"gather", gather},
                                                       {"gatherv", gatherv},
                                                       {"scatter", scatter},
                                                       {"scatterv", scatterv},
                                                       {"allgather", allgather},
                                                       {"allgatherv", allgatherv},
                                                       {"alltoall", alltoall},
                                                       {"alltoallv", alltoallv},
                                                       {"alltoallw", alltoallw},
                                                       {"allreduce", allreduce},
                                                       {"reduce", reduce},
                                                       {"scan", scan},
                                                       {"exscan", exscan},
                                                       {"reduce_scatter", reduce_scatter},
                                                       {"reduce_scatter_block", reduce_scatter_block}};
    return table;
}

}  // namespace test
