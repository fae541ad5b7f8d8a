// What StepCCL does not do by itself, on device buffers: derived types, operations of the application, types on one
// rank only, neighbourhoods, MPI_Reduce_local.
#include <numeric>

#include "support.h"

namespace {

using namespace test;
using Ints = std::vector<int>;

struct World {
    int rank = 0, n = 0;
    Report& report;
};

Bytes bytes_of(const Ints& values) {
    Bytes out(values.size() * sizeof(int));
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

Ints ints(const Buffer& buffer) {
    Bytes bytes = buffer.get();
    Ints out(bytes.size() / sizeof(int));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

Ints counting(int first, int count) {
    Ints out(static_cast<size_t>(count));
    std::iota(out.begin(), out.end(), first);
    return out;
}

// A committed type that frees itself.
class Type {
  public:
    static Type vector(int count, int length, int stride) {
        MPI_Datatype type;
        must(MPI_Type_vector(count, length, stride, MPI_INT, &type), "MPI_Type_vector");
        return Type(type);
    }
    static Type resized(MPI_Datatype of, MPI_Aint lb, MPI_Aint extent) {
        MPI_Datatype type;
        must(MPI_Type_create_resized(of, lb, extent, &type), "MPI_Type_create_resized");
        return Type(type);
    }
    static Type indexed(Ints lengths, Ints displs) {
        MPI_Datatype type;
        must(MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), displs.data(), MPI_INT, &type),
             "MPI_Type_indexed");
        return Type(type);
    }
    static Type contiguous(int count, MPI_Datatype of) {
        MPI_Datatype type;
        must(MPI_Type_contiguous(count, of, &type), "MPI_Type_contiguous");
        return Type(type);
    }
    ~Type() { MPI_Type_free(&type_); }
    Type(const Type&) = delete;
    MPI_Datatype get() const { return type_; }

  private:
    explicit Type(MPI_Datatype type) : type_(type) { must(MPI_Type_commit(&type_), "MPI_Type_commit"); }
    MPI_Datatype type_;
};

// The column of a matrix is broadcast; the rest of it stays.
void column(const World& w) {
    Type every_third = Type::vector(100, 1, 3);
    Ints want(300, -w.rank - 1), start = want;
    for (size_t i = 0; i < 300; i += 3) want[i] = static_cast<int>(i);
    if (w.rank == 0) start = want;
    Buffer buffer(Memory::device, bytes_of(start));
    must(MPI_Bcast(buffer.data(), 1, every_third.get(), 0, MPI_COMM_WORLD), "MPI_Bcast");
    w.report.check(ints(buffer) == want && buffer.guards_intact(), "MPI_Bcast of a column");
}

// One signature, another type on every other rank: these decline while the others are ready.
void one_signature_two_types(const World& w) {
    bool strided = w.rank % 2 == 1;
    Type pairs = Type::vector(50, 1, 2);
    Ints content(100, -1);
    for (size_t i = 0; i < 50; ++i) content[strided ? 2 * i : i] = w.rank * 100 + static_cast<int>(i);
    Buffer send(Memory::device, bytes_of(content)), recv(Memory::device, 50 * sizeof(int) * static_cast<size_t>(w.n));
    must(MPI_Allgather(send.data(), strided ? 1 : 50, strided ? pairs.get() : MPI_INT, recv.data(), 50, MPI_INT,
                       MPI_COMM_WORLD),
         "MPI_Allgather");
    Ints want;
    for (int r = 0; r < w.n; ++r) {
        for (int i : counting(r * 100, 50)) want.push_back(i);
    }
    w.report.check(ints(recv) == want, "MPI_Allgather with different types for one signature");
}

// Other names for the same bytes: no rank needs to know what the others call them.
void one_signature_plain_types(const World& w) {
    Type ten = Type::contiguous(10, MPI_INT);
    Ints content = counting(7, 40);
    Buffer buffer(Memory::device, w.rank == 0 ? bytes_of(content) : Bytes(160));
    stepccl_counters_t before = counters();
    must(MPI_Bcast(buffer.data(), w.rank % 2 == 0 ? 4 : 40, w.rank % 2 == 0 ? ten.get() : MPI_INT, 0, MPI_COMM_WORLD),
         "MPI_Bcast");
    w.report.check(ints(buffer) == content, "MPI_Bcast of contiguous types");
    w.report.check(counters().staged_calls == before.staged_calls, "contiguous types need no staging");
}

// A negative lower bound: the data begin before the address that MPI is given.
void negative_lower_bound(const World& w) {
    Type around = Type::indexed({1, 1}, {-3, 2});
    Ints start(20, -1), want = start;
    auto at = [](int element, int displacement) { return static_cast<size_t>(4 + 6 * element + displacement); };
    for (int e = 0; e < 2; ++e) want[at(e, -3)] = 10 + e, want[at(e, 2)] = 20 + e;
    Buffer buffer(Memory::device, bytes_of(w.rank == w.n - 1 ? want : start));
    must(MPI_Bcast(static_cast<int*>(buffer.data()) + 4, 2, around.get(), w.n - 1, MPI_COMM_WORLD), "MPI_Bcast");
    w.report.check(ints(buffer) == want && buffer.guards_intact(), "MPI_Bcast with a negative lower bound");
}

// Blocks that overlap in extent, as the transpose of a matrix has them.
void transpose(const World& w) {
    auto cells = static_cast<size_t>(w.n) * static_cast<size_t>(w.n);
    Type column = Type::vector(w.n, 1, w.n);
    Type narrow = Type::resized(column.get(), 0, sizeof(int));
    Buffer row(Memory::device, bytes_of(counting(w.rank * w.n, w.n))), matrix(Memory::device, cells * sizeof(int));
    must(MPI_Allgather(row.data(), w.n, MPI_INT, matrix.data(), 1, narrow.get(), MPI_COMM_WORLD), "MPI_Allgather");
    Ints want(cells);
    for (int r = 0; r < w.n; ++r) {
        for (int c = 0; c < w.n; ++c) want[static_cast<size_t>(c * w.n + r)] = r * w.n + c;
    }
    w.report.check(ints(matrix) == want && matrix.guards_intact(), "MPI_Allgather into columns");
}

void alltoallw_types(const World& w) {
    auto all = static_cast<size_t>(w.n);
    Type strided = Type::vector(5, 1, 2);
    Buffer send(Memory::device, bytes_of(counting(1000 * w.rank, 10 * w.n))),
        recv(Memory::device, 5 * sizeof(int) * all);
    Ints ones(all, 1), fives(all, 5), out(all), in(all), want;
    for (int r = 0; r < w.n; ++r) out[static_cast<size_t>(r)] = 40 * r, in[static_cast<size_t>(r)] = 20 * r;
    std::vector<MPI_Datatype> from(all, strided.get()), to(all, MPI_INT);
    must(MPI_Alltoallw(send.data(), ones.data(), out.data(), from.data(), recv.data(), fives.data(), in.data(),
                       to.data(), MPI_COMM_WORLD),
         "MPI_Alltoallw");
    for (int r = 0; r < w.n; ++r) {
        for (int i = 0; i < 5; ++i) want.push_back(1000 * r + 10 * w.rank + 2 * i);
    }
    w.report.check(ints(recv) == want, "MPI_Alltoallw with types that have gaps");
}

// Composes functions x -> a x + b modulo 2^32: associative, not commutative, and wrong in any other order than that of
// the ranks.
void compose(void* in, void* inout, int* length, MPI_Datatype*) {
    auto *first = static_cast<uint32_t*>(in), *second = static_cast<uint32_t*>(inout);
    for (int i = 0; i < *length; ++i) {
        uint32_t a = first[2 * i], b = first[2 * i + 1], c = second[2 * i], d = second[2 * i + 1];
        second[2 * i] = c * a;
        second[2 * i + 1] = c * b + d;
    }
}

constexpr int kFunctions = 1000;

Bytes functions_of(int rank) {
    return random_bytes(8 * kFunctions, mix(99, static_cast<uint64_t>(rank)));
}

// The composition of the ranks 0 to `last`.
Bytes composition(int last) {
    Bytes out = functions_of(last);
    int length = kFunctions;
    for (int r = last - 1; r >= 0; --r) {
        Bytes earlier = functions_of(r);
        compose(earlier.data(), out.data(), &length, nullptr);
    }
    return out;
}

void own_operations(const World& w) {
    MPI_Op op;
    must(MPI_Op_create(compose, 0, &op), "MPI_Op_create");
    Type function = Type::contiguous(2, MPI_UINT32_T);
    MPI_Datatype type = function.get();
    Buffer send(Memory::device, functions_of(w.rank)), recv(Memory::device, 8 * kFunctions);
    must(MPI_Allreduce(send.data(), recv.data(), kFunctions, type, op, MPI_COMM_WORLD), "MPI_Allreduce");
    w.report.check(recv.get() == composition(w.n - 1), "MPI_Allreduce with an operation that does not commute");
    must(MPI_Scan(send.data(), recv.data(), kFunctions, type, op, MPI_COMM_WORLD), "MPI_Scan");
    w.report.check(recv.get() == composition(w.rank), "MPI_Scan with an operation that does not commute");
    bool root = w.rank == 0;
    must(MPI_Reduce(root ? MPI_IN_PLACE : send.data(), root ? send.data() : nullptr, kFunctions, type, op, 0,
                    MPI_COMM_WORLD),
         "MPI_Reduce");
    w.report.check(send.get() == (root ? composition(w.n - 1) : functions_of(w.rank)),
                   "MPI_Reduce in place with an own operation");
    must(MPI_Op_free(&op), "MPI_Op_free");
}

void reduce_local(const World& w) {
    Buffer in(Memory::device, bytes_of(counting(1, 500))), inout(Memory::device, bytes_of(counting(10, 500)));
    Buffer host(Memory::host, bytes_of(counting(100, 500)));
    must(MPI_Reduce_local(in.data(), inout.data(), 500, MPI_INT, MPI_SUM), "MPI_Reduce_local");
    must(MPI_Reduce_local(host.data(), inout.data(), 500, MPI_INT, MPI_SUM), "MPI_Reduce_local");
    Ints want;
    for (int i = 0; i < 500; ++i) want.push_back(111 + 3 * i);
    w.report.check(ints(inout) == want && ints(in) == counting(1, 500), "MPI_Reduce_local");
}

// A line of ranks with an end at either side: what belongs to a missing neighbour stays.
void neighbours(const World& w) {
    int size[1] = {w.n}, periodic[1] = {0};
    MPI_Comm line;
    must(MPI_Cart_create(MPI_COMM_WORLD, 1, size, periodic, 0, &line), "MPI_Cart_create");
    Buffer send(Memory::device, bytes_of({w.rank, w.rank})), recv(Memory::device, bytes_of({-7, -7}));
    Ints want = {w.rank == 0 ? -7 : w.rank - 1, w.rank == w.n - 1 ? -7 : w.rank + 1};
    must(MPI_Neighbor_allgather(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, line), "MPI_Neighbor_allgather");
    w.report.check(ints(recv) == want, "MPI_Neighbor_allgather on a line");
    MPI_Request request;
    recv.set(bytes_of({-7, -7}));
    must(MPI_Ineighbor_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, line, &request),
         "MPI_Ineighbor_alltoall");
    must(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    w.report.check(ints(recv) == want, "MPI_Ineighbor_alltoall on a line");
    Ints ones(2, 1);
    MPI_Aint displs[2] = {0, 4};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    recv.set(bytes_of({-7, -7}));
    must(MPI_Neighbor_alltoallw(send.data(), ones.data(), displs, types, recv.data(), ones.data(), displs, types, line),
         "MPI_Neighbor_alltoallw");
    w.report.check(ints(recv) == want, "MPI_Neighbor_alltoallw on a line");
    must(MPI_Comm_free(&line), "MPI_Comm_free");
}

// Types that only look like a predefined one: a duplicate is another handle, a resized one keeps its origin's number.
void lookalikes(const World& w) {
    MPI_Datatype duplicate;
    must(MPI_Type_dup(MPI_INT, &duplicate), "MPI_Type_dup");
    Type wide = Type::resized(MPI_INT, -4, 16);
    Ints start(8, -1), want = {5, -1, -1, -1, 6, -1, -1, -1};
    Buffer buffer(Memory::device, bytes_of(w.rank == 0 ? want : start));
    must(MPI_Bcast(buffer.data(), 2, wide.get(), 0, MPI_COMM_WORLD), "MPI_Bcast");
    w.report.check(ints(buffer) == want, "MPI_Bcast of a resized int");
    Buffer plain(Memory::device, bytes_of(w.rank == 0 ? counting(3, 8) : start));
    must(MPI_Bcast(plain.data(), 8, duplicate, 0, MPI_COMM_WORLD), "MPI_Bcast");
    w.report.check(ints(plain) == counting(3, 8), "MPI_Bcast of a duplicated int");
    must(MPI_Type_free(&duplicate), "MPI_Type_free");
}

// Integers in another order in memory than in the type: contiguous to look at, but their bytes may not be taken as they
// lie.
void reversed_order(const World& w) {
    Type backwards = Type::indexed({1, 1, 1}, {2, 1, 0});
    Buffer buffer(Memory::device, bytes_of(w.rank == 0 ? Ints{1, 2, 3} : Ints{0, 0, 0}));
    must(MPI_Bcast(buffer.data(), w.rank == 0 ? 3 : 1, w.rank == 0 ? MPI_INT : backwards.get(), 0, MPI_COMM_WORLD),
         "MPI_Bcast");
    w.report.check(ints(buffer) == (w.rank == 0 ? Ints{1, 2, 3} : Ints{3, 2, 1}),
                   "MPI_Bcast into a type that runs backwards");
}

}  // namespace

int main(int argc, char** argv) {
    Report report("mpi_derived");
    World world{start(&argc, &argv), 0, report};
    MPI_Comm_size(MPI_COMM_WORLD, &world.n);
    for (auto test : {column, one_signature_two_types, one_signature_plain_types, negative_lower_bound, transpose,
                      alltoallw_types, own_operations, reduce_local, neighbours, lookalikes, reversed_order}) {
        test(world);
    }
    int code = report.finish();
    must(MPI_Finalize(), "MPI_Finalize");
    return code;
}
