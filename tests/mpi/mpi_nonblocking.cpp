// Nonblocking and persistent collectives with device buffers: several at once, completed in any order and by every
// function that MPI has for it.
#include <mpi.h>

#include <algorithm>
#include <array>

#include <mpi-ext.h>  // leans on mpi.h

#include "support.h"

namespace {

using namespace test;

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
constexpr auto allreduce_init = MPIX_Allreduce_init;
constexpr auto bcast_init = MPIX_Bcast_init;
#else
constexpr auto allreduce_init = MPI_Allreduce_init;
constexpr auto bcast_init = MPI_Bcast_init;
#endif

struct World {
    int rank = 0, n = 0;
    Report& report;
};

std::vector<int> ints(const Buffer& buffer) {
    Bytes bytes = buffer.get();
    std::vector<int> out(bytes.size() / sizeof(int));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

Bytes bytes_of(const std::vector<int>& values) {
    Bytes out(values.size() * sizeof(int));
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

int element(int rank, int set, int i) {
    return rank * 1000003 + set * 10007 + i * 31;
}

Bytes vector_of(int rank, int set, int count) {
    std::vector<int> out;
    for (int i = 0; i < count; ++i) out.push_back(element(rank, set, i));
    return bytes_of(out);
}

bool is_sum(const std::vector<int>& got, int n, int set) {
    for (int i = 0; i < static_cast<int>(got.size()); ++i) {
        int want = 0;
        for (int r = 0; r < n; ++r) want += element(r, set, i);
        if (got[static_cast<size_t>(i)] != want) return false;
    }
    return true;
}

// One outstanding all-reduce each, of different lengths.
struct Sum {
    Sum(const World& world, int set, int count)
        : send(Memory::device, vector_of(world.rank, set, count)),
          recv(Memory::device, send.size()),
          set(set),
          count(count) {}
    void launch(MPI_Request* request) const {
        must(MPI_Iallreduce(send.data(), recv.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request),
             "MPI_Iallreduce");
    }
    bool good(const World& world) const { return is_sum(ints(recv), world.n, set) && recv.guards_intact(); }

    Buffer send, recv;
    int set, count;
};

std::vector<Sum> several(const World& world) {
    std::vector<Sum> out;
    for (int i = 0; i < 6; ++i) out.emplace_back(world, i, i == 3 ? 200000 : 1 + 977 * i);
    return out;
}

void any_order(const World& world) {
    std::vector<Sum> sums = several(world);
    std::array<MPI_Request, 6> requests;
    for (size_t i = 0; i < sums.size(); ++i) sums[i].launch(&requests[i]);
    for (size_t i : {5u, 0u, 3u, 1u, 4u, 2u}) {
        must(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), "MPI_Wait");
        world.report.check(requests[i] == MPI_REQUEST_NULL, "the request is null after MPI_Wait");
        world.report.check(sums[i].good(world),
                           "MPI_Iallreduce number " + std::to_string(i) + ", waited for out of order");
    }
}

void wait_any(const World& world) {
    std::vector<Sum> sums = several(world);
    std::array<MPI_Request, 6> requests;
    for (size_t i = 0; i < sums.size(); ++i) sums[i].launch(&requests[i]);
    for (size_t done = 0; done < sums.size(); ++done) {
        int index = MPI_UNDEFINED;
        must(MPI_Waitany(6, requests.data(), &index, MPI_STATUS_IGNORE), "MPI_Waitany");
        world.report.check(index != MPI_UNDEFINED && sums[static_cast<size_t>(index)].good(world), "MPI_Waitany");
    }
}

void test_until_done(const World& world) {
    std::vector<Sum> sums = several(world);
    for (Sum& sum : sums) {
        MPI_Request request;
        sum.launch(&request);
        for (int flag = 0; flag == 0;) must(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
        world.report.check(sum.good(world), "MPI_Test");
    }
}

// A call must return although the others have not come: rank 0 comes last, after it has heard from all that they are
// through.
void does_not_block(const World& world) {
    Sum sum(world, 1, 5000);
    MPI_Request request;
    if (world.rank != 0) sum.launch(&request);
    int token = world.rank;
    if (world.rank == 0) {
        for (int r = 1; r < world.n; ++r) {
            must(MPI_Recv(&token, 1, MPI_INT, r, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
        }
        sum.launch(&request);
    } else {
        must(MPI_Send(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD), "MPI_Send");
    }
    must(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    world.report.check(sum.good(world), "MPI_Iallreduce with a late rank");
}

// Blocking calls pass by while a nonblocking one is under way on the same communicator.
void among_blocking(const World& world) {
    Sum slow(world, 2, 100000), quick(world, 3, 100);
    MPI_Request request;
    slow.launch(&request);
    must(MPI_Allreduce(quick.send.data(), quick.recv.data(), quick.count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
         "MPI_Allreduce");
    must(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    world.report.check(slow.good(world) && quick.good(world), "a blocking call while a nonblocking one runs");
}

// Some ranks bring host buffers: each rank stages by itself.
void mixed_memory(const World& world) {
    Memory memory = world.rank % 2 == 0 ? Memory::device : Memory::host;
    Buffer send(memory, vector_of(world.rank, 4, 3000)), recv(memory, send.size());
    MPI_Request request;
    must(MPI_Iallreduce(send.data(), recv.data(), 3000, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), "MPI_Iallreduce");
    must(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    world.report.check(is_sum(ints(recv), world.n, 4), "MPI_Iallreduce in mixed memory");
}

// Two columns of one matrix are received at the same time: neither may undo the other.
void neighbouring_columns(const World& world) {
    constexpr int rows = 300, columns = 4;
    Buffer matrix(Memory::device, bytes_of(std::vector<int>(rows * columns, -1)));
    MPI_Datatype column;
    must(MPI_Type_vector(rows, 1, columns, MPI_INT, &column), "MPI_Type_vector");
    must(MPI_Type_commit(&column), "MPI_Type_commit");
    if (world.rank == 0) {
        std::vector<int> content(rows * columns, -1);
        for (int i = 0; i < rows; ++i)
            content[static_cast<size_t>(i * columns)] = content[static_cast<size_t>(i * columns) + 1] = i;
        matrix.set(bytes_of(content));
    }
    std::array<MPI_Request, 2> requests;
    for (size_t c = 0; c < 2; ++c) {
        must(MPI_Ibcast(static_cast<int*>(matrix.data()) + c, 1, column, 0, MPI_COMM_WORLD, &requests[c]),
             "MPI_Ibcast");
    }
    must(MPI_Type_free(&column), "MPI_Type_free");  // the requests keep it
    for (size_t c : {1u, 0u}) must(MPI_Wait(&requests[c], MPI_STATUS_IGNORE), "MPI_Wait");
    std::vector<int> got = ints(matrix);
    bool good = true;
    for (int i = 0; i < rows; ++i) {
        const int* row = got.data() + i * columns;
        good = good && row[0] == i && row[1] == i && row[2] == -1 && row[3] == -1;
    }
    world.report.check(good, "two columns of a matrix at once");
}

// Arrays of counts that are overwritten when the call has returned, as libnbc has read them by then: mpi4py relies on it.
void arrays_gone_early(const World& world) {
    auto n = static_cast<size_t>(world.n);
    std::vector<int> counts(n), displs(n);
    int total = 0;
    for (size_t r = 0; r < n; ++r) {
        counts[r] = static_cast<int>(r) + 1;
        displs[r] = total + static_cast<int>(r);  // a gap of one before each block but the first
        total = displs[r] + counts[r];
    }
    const std::vector<int> kept_counts = counts, kept_displs = displs;
    int mine = world.rank + 1;
    Buffer send(Memory::device, vector_of(world.rank, 5, mine));
    Buffer recv(Memory::device, static_cast<size_t>(total) * sizeof(int));
    MPI_Request request;
    must(MPI_Iallgatherv(send.data(), mine, MPI_INT, recv.data(), counts.data(), displs.data(), MPI_INT, MPI_COMM_WORLD, &request),
         "MPI_Iallgatherv");
    std::fill(counts.begin(), counts.end(), 1 << 28);
    std::fill(displs.begin(), displs.end(), 1 << 29);
    must(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    std::vector<int> got = ints(recv);
    bool good = recv.guards_intact();
    for (int r = 0; r < world.n; ++r) {
        auto at = static_cast<size_t>(kept_displs[static_cast<size_t>(r)]);
        for (int i = 0; i < kept_counts[static_cast<size_t>(r)]; ++i) good = good && got[at + static_cast<size_t>(i)] == element(r, 5, i);
    }
    world.report.check(good, "blocks are right although the arrays are gone");
}

void own_operation(void* in, void* inout, int* length, MPI_Datatype*) {
    for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

// Every collective once, with the operation and type freed while it runs.
void every_collective(const World& world) {
    int n = world.n, me = world.rank;
    auto all = static_cast<size_t>(n);
    Buffer one(Memory::device, bytes_of({me + 1})), out(Memory::device, 4);
    Buffer many(Memory::device, bytes_of(std::vector<int>(all, me + 1))), gathered(Memory::device, 4 * all);
    std::vector<int> ones(all, 1), displs(all), byte_displs(all);
    for (int r = 0; r < n; ++r) byte_displs[static_cast<size_t>(r)] = 4 * (displs[static_cast<size_t>(r)] = r);
    std::vector<MPI_Datatype> types(all, MPI_INT);
    int total = n * (n + 1) / 2;
    std::vector<int> ranks(all);
    for (int r = 0; r < n; ++r) ranks[static_cast<size_t>(r)] = r + 1;
    MPI_Request q;
    auto wait = [&](int rc, const char* what) {
        must(rc, what);
        must(MPI_Wait(&q, MPI_STATUS_IGNORE), what);
    };
    auto expect = [&](const Buffer& buffer, const std::vector<int>& want, const char* what) {
        world.report.check(ints(buffer) == want && buffer.guards_intact(), what);
    };
    MPI_Comm w = MPI_COMM_WORLD;
    wait(MPI_Iallgather(one.data(), 1, MPI_INT, gathered.data(), 1, MPI_INT, w, &q), "MPI_Iallgather");
    expect(gathered, ranks, "MPI_Iallgather");
    gathered.set(Bytes(4 * all));
    wait(MPI_Iallgatherv(one.data(), 1, MPI_INT, gathered.data(), ones.data(), displs.data(), MPI_INT, w, &q),
         "MPI_Iallgatherv");
    expect(gathered, ranks, "MPI_Iallgatherv");
    gathered.set(Bytes(4 * all));
    wait(MPI_Ialltoall(many.data(), 1, MPI_INT, gathered.data(), 1, MPI_INT, w, &q), "MPI_Ialltoall");
    expect(gathered, ranks, "MPI_Ialltoall");
    gathered.set(Bytes(4 * all));
    wait(MPI_Ialltoallv(many.data(), ones.data(), displs.data(), MPI_INT, gathered.data(), ones.data(), displs.data(),
                        MPI_INT, w, &q),
         "MPI_Ialltoallv");
    expect(gathered, ranks, "MPI_Ialltoallv");
    gathered.set(Bytes(4 * all));
    wait(MPI_Ialltoallw(many.data(), ones.data(), byte_displs.data(), types.data(), gathered.data(), ones.data(),
                        byte_displs.data(), types.data(), w, &q),
         "MPI_Ialltoallw");
    expect(gathered, ranks, "MPI_Ialltoallw");
    gathered.set(Bytes(4 * all));
    wait(MPI_Igather(one.data(), 1, MPI_INT, gathered.data(), 1, MPI_INT, n - 1, w, &q), "MPI_Igather");
    expect(gathered, me == n - 1 ? ranks : std::vector<int>(all, 0), "MPI_Igather");
    gathered.set(Bytes(4 * all));
    wait(MPI_Igatherv(one.data(), 1, MPI_INT, gathered.data(), ones.data(), displs.data(), MPI_INT, 0, w, &q),
         "MPI_Igatherv");
    expect(gathered, me == 0 ? ranks : std::vector<int>(all, 0), "MPI_Igatherv");
    wait(MPI_Iscatter(many.data(), 1, MPI_INT, out.data(), 1, MPI_INT, n - 1, w, &q), "MPI_Iscatter");
    expect(out, {n}, "MPI_Iscatter");
    wait(MPI_Iscatterv(many.data(), ones.data(), displs.data(), MPI_INT, out.data(), 1, MPI_INT, 0, w, &q),
         "MPI_Iscatterv");
    expect(out, {1}, "MPI_Iscatterv");
    MPI_Op own;
    must(MPI_Op_create(own_operation, 1, &own), "MPI_Op_create");
    must(MPI_Ireduce(one.data(), out.data(), 1, MPI_INT, own, 0, w, &q), "MPI_Ireduce");
    must(MPI_Op_free(&own), "MPI_Op_free");
    must(MPI_Wait(&q, MPI_STATUS_IGNORE), "MPI_Wait");
    expect(out, {me == 0 ? total : 1}, "MPI_Ireduce");
    wait(MPI_Ireduce_scatter(many.data(), out.data(), ones.data(), MPI_INT, MPI_SUM, w, &q), "MPI_Ireduce_scatter");
    expect(out, {total}, "MPI_Ireduce_scatter");
    out.set(Bytes(4));
    wait(MPI_Ireduce_scatter_block(many.data(), out.data(), 1, MPI_INT, MPI_SUM, w, &q), "MPI_Ireduce_scatter_block");
    expect(out, {total}, "MPI_Ireduce_scatter_block");
    wait(MPI_Iscan(one.data(), out.data(), 1, MPI_INT, MPI_SUM, w, &q), "MPI_Iscan");
    expect(out, {(me + 1) * (me + 2) / 2}, "MPI_Iscan");
    wait(MPI_Iexscan(one.data(), out.data(), 1, MPI_INT, MPI_SUM, w, &q), "MPI_Iexscan");
    if (me > 0) expect(out, {me * (me + 1) / 2}, "MPI_Iexscan");
    wait(MPI_Iallreduce(MPI_IN_PLACE, one.data(), 1, MPI_INT, MPI_SUM, w, &q), "MPI_Iallreduce");
    expect(one, {total}, "MPI_Iallreduce in place");
    wait(MPI_Ibcast(out.data(), 1, MPI_INT, n - 1, w, &q), "MPI_Ibcast");
    if (n > 1) expect(out, {(n - 1) * n / 2}, "MPI_Ibcast");
}

// Started again and again with new data; operation and type are freed before the first start.
void persistent(const World& world) {
    MPI_Op own;
    must(MPI_Op_create(own_operation, 1, &own), "MPI_Op_create");
    Sum sum(world, 0, 2000);
    Buffer line(Memory::device, bytes_of(std::vector<int>(20, 0)));
    MPI_Datatype pairs;
    must(MPI_Type_vector(10, 1, 2, MPI_INT, &pairs), "MPI_Type_vector");
    must(MPI_Type_commit(&pairs), "MPI_Type_commit");
    std::array<MPI_Request, 2> requests;
    must(allreduce_init(sum.send.data(), sum.recv.data(), sum.count, MPI_INT, own, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &requests[0]),
         "MPI_Allreduce_init");
    must(bcast_init(line.data(), 1, pairs, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]), "MPI_Bcast_init");
    must(MPI_Op_free(&own), "MPI_Op_free");
    must(MPI_Type_free(&pairs), "MPI_Type_free");
    for (int round = 0; round < 5; ++round) {
        sum.set = round;
        sum.send.set(vector_of(world.rank, round, sum.count));
        line.set(bytes_of(std::vector<int>(20, world.rank == 0 ? round : -1)));
        must(MPI_Startall(2, requests.data()), "MPI_Startall");
        must(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
        world.report.check(sum.good(world), "persistent all-reduce, start " + std::to_string(round));
        std::vector<int> got = ints(line);
        bool good = true;
        for (size_t i = 0; i < got.size(); i += 2)
            good = good && got[i] == round && got[i + 1] == (world.rank == 0 ? round : -1);
        world.report.check(good, "persistent broadcast with gaps, start " + std::to_string(round));
    }
    for (MPI_Request& request : requests) must(MPI_Request_free(&request), "MPI_Request_free");
    // Freed before it was ever started.
    must(allreduce_init(sum.send.data(), sum.recv.data(), sum.count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &requests[0]),
         "MPI_Allreduce_init");
    must(MPI_Request_free(&requests[0]), "MPI_Request_free");
    world.report.check(requests[0] == MPI_REQUEST_NULL, "MPI_Request_free of a persistent request");
}

}  // namespace

int main(int argc, char** argv) {
    Report report("mpi_nonblocking");
    World world{start(&argc, &argv), 0, report};
    MPI_Comm_size(MPI_COMM_WORLD, &world.n);
    any_order(world);
    wait_any(world);
    test_until_done(world);
    does_not_block(world);
    among_blocking(world);
    mixed_memory(world);
    neighbouring_columns(world);
    arrays_gone_early(world);
    every_collective(world);
    persistent(world);
    stepccl_counters_t used = counters();
    report.check(used.staged_bytes > 0, "nonblocking calls on device buffers count their staged bytes");
    int code = report.finish();
    must(MPI_Finalize(), "MPI_Finalize");
    return code;
}
