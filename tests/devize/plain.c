/* A plain MPI program as a user writes it: it knows nothing of devices. Every collective, blocking, nonblocking and
 * persistent, in place or not, with derived types, gaps, empty blocks and a user-defined operation, against values that
 * follow from the ranks' numbers. */
#include <mpi.h>
#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name##_init
#else
#define PERSISTENT(name) MPI_##name##_init
#endif

#include <stdio.h>
#include <stdlib.h>

enum { GAP = -77, MOST = 8 * 1024 };

static int rank, n, root;
static enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS } form;
static const char* const form_names[] = {"blocking", "nonblocking", "persistent"};
static long checks, failures, calls;
static int send[MOST], recv[MOST], counts[64], displs[64], counts2[64], displs2[64];

static void check(const char* what, int at, int got, int want) {
    ++checks;
    if (got == want) return;
    if (++failures <= 5)
        fprintf(stderr, "plain: rank %d: %s, %s, root %d: element %d is %d, not %d\n", rank, form_names[form], what,
                root, at, got, want);
}

static void fill(int* buffer, int value) {
    for (int i = 0; i < MOST; ++i) buffer[i] = value;
}

/* What rank r sends as element i to rank `to`. */
static int datum(int r, int to, int i) {
    return 10000 * r + 100 * to + i;
}

/* The ways of completing a request, in turn. */
static void complete(MPI_Request* request) {
    int done = 0, index, way = (int)(calls++ % 6);
    if (way == 0) MPI_Wait(request, MPI_STATUS_IGNORE);
    if (way == 1) MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
    if (way == 2) MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
    while (way == 3 && !done) MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (way == 4 && !done) MPI_Testsome(1, request, &done, &index, MPI_STATUSES_IGNORE);
    while (way == 5 && !done) MPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE);
    if (way == 5) MPI_Wait(request, MPI_STATUS_IGNORE);
}

#define CALL(Name, name, ...)                                       \
    do {                                                            \
        MPI_Request request;                                        \
        if (form == BLOCKING) {                                     \
            MPI_##Name(__VA_ARGS__);                                \
        } else if (form == NONBLOCKING) {                           \
            MPI_I##name(__VA_ARGS__, &request);                     \
            complete(&request);                                     \
        } else {                                                    \
            PERSISTENT(Name)(__VA_ARGS__, MPI_INFO_NULL, &request); \
            MPI_Start(&request);                                    \
            complete(&request);                                     \
            MPI_Request_free(&request);                             \
        }                                                           \
    } while (0)

/* Uneven blocks with gaps between them in descending order; some are empty. Returns the elements from the first to the
 * last. */
static int arrange(int* count, int* displ) {
    int at = 3;
    for (int i = n - 1; i >= 0; --i) {
        count[i] = i % 3 == 1 ? 0 : 2 + i;
        displ[i] = at;
        at += count[i] + 2;
    }
    return at;
}

static void test_bcast(void) {
    /* Two of every three elements of a vector, which is resized so that the next begins where the third would be. */
    MPI_Datatype pairs, type;
    MPI_Type_vector(5, 2, 3, MPI_INT, &pairs);
    MPI_Type_create_resized(pairs, 0, 15 * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    fill(recv, GAP);
    if (rank == root)
        for (int i = 0; i < 30; ++i) recv[i] = i % 3 < 2 ? datum(root, 0, i) : GAP;
    CALL(Bcast, bcast, recv, 2, type, root, MPI_COMM_WORLD);
    for (int i = 0; i < 40; ++i) check("bcast of vectors", i, recv[i], i < 30 && i % 3 < 2 ? datum(root, 0, i) : GAP);
    MPI_Type_free(&pairs);
    MPI_Type_free(&type);
    CALL(Bcast, bcast, NULL, 0, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void test_gather(void) {
    fill(recv, GAP);
    for (int i = 0; i < 5; ++i) send[i] = datum(rank, 0, i);
    if (rank == root)
        for (int i = 0; i < 5; ++i) recv[5 * root + i] = datum(root, 0, i);
    CALL(Gather, gather, rank == root ? MPI_IN_PLACE : send, 5, MPI_INT, recv, 5, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < 5 * n + 3; ++i)
        check("gather in place", i, recv[i], rank == root && i < 5 * n ? datum(i / 5, 0, i % 5) : GAP);

    int reach = arrange(counts, displs);
    fill(recv, GAP);
    for (int i = 0; i < counts[rank]; ++i) send[i] = datum(rank, 0, i);
    CALL(Gatherv, gatherv, send, counts[rank], MPI_INT, recv, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
    for (int r = 0; r < n; ++r)
        for (int i = 0; rank == root && i < counts[r]; ++i) {
            check("gatherv", i, recv[displs[r] + i], datum(r, 0, i));
            recv[displs[r] + i] = GAP;
        }
    for (int i = 0; i < reach; ++i) check("gaps of gatherv", i, recv[i], GAP);
}

static void test_scatter(void) {
    fill(recv, GAP);
    for (int i = 0; i < 4 * n; ++i) send[i] = datum(rank, i / 4, i % 4);
    CALL(Scatter, scatter, send, 4, MPI_INT, rank == root ? MPI_IN_PLACE : recv, 4, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < 6; ++i)
        check("scatter in place", i, recv[i], rank != root && i < 4 ? datum(root, rank, i) : GAP);

    arrange(counts, displs);
    fill(recv, GAP);
    fill(send, GAP);
    for (int r = 0; r < n; ++r)
        for (int i = 0; i < counts[r]; ++i) send[displs[r] + i] = datum(rank, r, i);
    CALL(Scatterv, scatterv, send, counts, displs, MPI_INT, recv, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank] + 3; ++i)
        check("scatterv", i, recv[i], i < counts[rank] ? datum(root, rank, i) : GAP);
}

static void test_allgather(void) {
    fill(recv, GAP);
    for (int i = 0; i < 3; ++i) recv[3 * rank + i] = datum(rank, 0, i);
    CALL(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, 3, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 3 * n + 3; ++i)
        check("allgather in place", i, recv[i], i < 3 * n ? datum(i / 3, 0, i % 3) : GAP);

    fill(recv, GAP);
    for (int i = 0; i < 3; ++i) send[i] = datum(rank, 0, i);
    CALL(Allgather, allgather, send, 3, MPI_INT, recv, 3, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 3 * n + 3; ++i) check("allgather", i, recv[i], i < 3 * n ? datum(i / 3, 0, i % 3) : GAP);

    int reach = arrange(counts, displs);
    fill(recv, GAP);
    for (int i = 0; i < counts[rank]; ++i) send[i] = datum(rank, 0, i);
    CALL(Allgatherv, allgatherv, send, counts[rank], MPI_INT, recv, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < n; ++r)
        for (int i = 0; i < counts[r]; ++i) {
            check("allgatherv", i, recv[displs[r] + i], datum(r, 0, i));
            recv[displs[r] + i] = GAP;
        }
    for (int i = 0; i < reach; ++i) check("gaps of allgatherv", i, recv[i], GAP);
}

static void test_alltoall(void) {
    fill(recv, GAP);
    for (int i = 0; i < 2 * n; ++i) send[i] = datum(rank, i / 2, i % 2);
    CALL(Alltoall, alltoall, send, 2, MPI_INT, recv, 2, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * n + 2; ++i) check("alltoall", i, recv[i], i < 2 * n ? datum(i / 2, rank, i % 2) : GAP);

    /* Rank r sends (r + to) % 3 elements to `to`, every block at a distance of 8. */
    MPI_Datatype types[64];
    fill(recv, GAP);
    for (int to = 0; to < n; ++to) {
        counts[to] = counts2[to] = (rank + to) % 3;
        displs[to] = 8 * to;
        displs2[to] = 8 * (int)sizeof(int) * to;
        types[to] = MPI_INT;
        for (int i = 0; i < counts[to]; ++i) send[8 * to + i] = datum(rank, to, i);
    }
    CALL(Alltoallv, alltoallv, send, counts, displs, MPI_INT, recv, counts2, displs, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 8 * n; ++i)
        check("alltoallv", i, recv[i], i % 8 < counts[i / 8] ? datum(i / 8, rank, i % 8) : GAP);
    fill(recv, GAP);
    CALL(Alltoallw, alltoallw, send, counts, displs2, types, recv, counts2, displs2, types, MPI_COMM_WORLD);
    for (int i = 0; i < 8 * n; ++i)
        check("alltoallw", i, recv[i], i % 8 < counts[i / 8] ? datum(i / 8, rank, i % 8) : GAP);
}

/* Composition of x -> a x + b, modulo a prime: associative, not commutative. */
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
    (void)type;
    const int *f = in, mod = 1009;
    int* g = inout;
    for (int i = 0; i < *length; ++i, f += 2, g += 2) {
        int a = f[0] * g[0] % mod, b = (g[0] * f[1] + g[1]) % mod;
        g[0] = a;
        g[1] = b;
    }
}

/* The composition of the functions of the ranks first to last. */
static void composed(int first, int last, int i, int* out) {
    out[0] = 2 + first + i;
    out[1] = 7 * first + i;
    for (int r = first + 1, f[2]; r <= last; ++r) {
        MPI_Datatype unused = MPI_DATATYPE_NULL;
        int one = 1, g[2] = {2 + r + i, 7 * r + i};
        f[0] = out[0];
        f[1] = out[1];
        compose(f, g, &one, &unused);
        out[0] = g[0];
        out[1] = g[1];
    }
}

static void test_user_operation(void) {
    MPI_Datatype function;
    MPI_Op op;
    int want[2];
    MPI_Type_contiguous(2, MPI_INT, &function);
    MPI_Type_commit(&function);
    MPI_Op_create(compose, 0, &op);
    for (int i = 0; i < 6; ++i) composed(rank, rank, i, send + 2 * i);
    fill(recv, GAP);
    CALL(Allreduce, allreduce, send, recv, 6, function, op, MPI_COMM_WORLD);
    for (int i = 0; i < 6; ++i) {
        composed(0, n - 1, i, want);
        check("allreduce by a user's operation", i, recv[2 * i] * 2000 + recv[2 * i + 1], want[0] * 2000 + want[1]);
    }
    fill(recv, GAP);
    CALL(Scan, scan, send, recv, 6, function, op, MPI_COMM_WORLD);
    for (int i = 0; i < 6; ++i) {
        composed(0, rank, i, want);
        check("scan by a user's operation", i, recv[2 * i] * 2000 + recv[2 * i + 1], want[0] * 2000 + want[1]);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&function);
}

static int sum(int ranks, int i) {
    return 10000 * (ranks * (ranks - 1) / 2) + ranks * i;
}

static void test_reductions(void) {
    for (int i = 0; i < 100; ++i) recv[i] = send[i] = datum(rank, 0, i);
    CALL(Allreduce, allreduce, MPI_IN_PLACE, recv, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 100; ++i) check("allreduce in place", i, recv[i], sum(n, i));
    fill(recv, GAP);
    CALL(Reduce, reduce, send, rank == root ? recv : NULL, 100, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; i < 102; ++i) check("reduce", i, recv[i], rank == root && i < 100 ? sum(n, i) : GAP);
    fill(recv, GAP);
    CALL(Scan, scan, send, recv, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 102; ++i) check("scan", i, recv[i], i < 100 ? sum(rank + 1, i) : GAP);
    fill(recv, GAP);
    CALL(Exscan, exscan, send, rank == 0 ? NULL : recv, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 102; ++i) check("exscan", i, recv[i], rank > 0 && i < 100 ? sum(rank, i) : GAP);

    struct {
        double value;
        int where;
    } mine[3], all[3];
    for (int i = 0; i < 3; ++i) mine[i].value = (rank + i) % n, mine[i].where = rank;
    CALL(Allreduce, allreduce, mine, all, 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) check("maxloc", i, all[i].where, (n - 1 - i % n + n) % n);
}

static void test_reduce_scatter(void) {
    int total = 0, before = 0;
    for (int r = 0; r < n; ++r) {
        counts[r] = r % 2 == 1 ? 0 : r + 2;
        if (r < rank) before += counts[r];
        total += counts[r];
    }
    for (int i = 0; i < MOST; ++i) send[i] = datum(rank, 0, i);
    fill(recv, GAP);
    CALL(Reduce_scatter, reduce_scatter, send, recv, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank] + 2; ++i)
        check("reduce_scatter", i, recv[i], i < counts[rank] ? sum(n, before + i) : GAP);
    for (int i = 0; i < total; ++i) recv[i] = send[i];
    CALL(Reduce_scatter, reduce_scatter, MPI_IN_PLACE, recv, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank]; ++i) check("reduce_scatter in place", i, recv[i], sum(n, before + i));
    fill(recv, GAP);
    CALL(Reduce_scatter_block, reduce_scatter_block, send, recv, 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 9; ++i) check("reduce_scatter_block", i, recv[i], i < 7 ? sum(n, 7 * rank + i) : GAP);
    for (int i = 0; i < 7 * n; ++i) recv[i] = send[i];
    CALL(Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, recv, 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 7; ++i) check("reduce_scatter_block in place", i, recv[i], sum(n, 7 * rank + i));
}

/* Two elements from each neighbour, of what it sent to the other side or to both. */
static void check_sides(const char* what, const int* near, const int* displ, int sided) {
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 2; ++i) {
            int from = near[side], there = from >= 0 && from < n;
            check(what, i, recv[displ[side] + i], there ? datum(from, sided ? 1 - side : 0, i) : GAP);
        }
}

/* A line of ranks: those at its ends have one neighbour, and what stands for the other must stay as it is. */
static void test_neighbours(void) {
    MPI_Comm line;
    const int periodic = 0;
    const int near[] = {rank - 1, rank + 1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &line);
    for (int i = 0; i < 4; ++i) send[i] = datum(rank, i / 2, i % 2);
    fill(recv, GAP);
    CALL(Neighbor_allgather, neighbor_allgather, send, 2, MPI_INT, recv, 2, MPI_INT, line);
    check_sides("neighbor_allgather", near, (const int[]){0, 2}, 0);
    const int two[] = {2, 2}, apart[] = {5, 0};
    fill(recv, GAP);
    CALL(Neighbor_alltoallv, neighbor_alltoallv, send, two, (const int[]){0, 2}, MPI_INT, recv, two, apart, MPI_INT,
         line);
    check_sides("neighbor_alltoallv", near, apart, 1);
    const MPI_Aint from[] = {0, 2 * sizeof(int)}, to[] = {5 * sizeof(int), 0};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT};
    fill(recv, GAP);
    CALL(Neighbor_alltoallw, neighbor_alltoallw, send, two, from, types, recv, two, to, types, line);
    check_sides("neighbor_alltoallw", near, apart, 1);
    fill(recv, GAP);
    CALL(Neighbor_allgatherv, neighbor_allgatherv, send, 2, MPI_INT, recv, two, apart, MPI_INT, line);
    check_sides("neighbor_allgatherv", near, apart, 0);
    fill(recv, GAP);
    CALL(Neighbor_alltoall, neighbor_alltoall, send, 2, MPI_INT, recv, 2, MPI_INT, line);
    check_sides("neighbor_alltoall", near, (const int[]){0, 2}, 1);
    MPI_Comm_free(&line);
}

static void test_local(void) {
    for (int i = 0; i < 20; ++i) send[i] = i, recv[i] = 100 * rank;
    MPI_Reduce_local(send, recv, 20, MPI_INT, MPI_SUM);
    for (int i = 0; i < 20; ++i) check("reduce_local", i, recv[i], 100 * rank + i);
}

/* Several calls at once, whose type is freed and whose gaps are written to while they are on their way. */
static void test_many(void) {
    enum { EACH = 3, CALLS = 6, PART = 1000 };
    MPI_Request requests[CALLS];
    MPI_Datatype sparse;
    int left = CALLS, done, indices[CALLS];
    MPI_Type_vector(EACH, 1, 2, MPI_INT, &sparse);
    MPI_Type_commit(&sparse);
    fill(recv, GAP);
    for (int c = 0; c < CALLS; ++c) {
        for (int i = 0; i < 2 * EACH; ++i) send[PART * c + i] = datum(rank, c, i);
        if (c % 2 == 0) {
            MPI_Iallgather(send + PART * c, 1, sparse, recv + PART * c, EACH, MPI_INT, MPI_COMM_WORLD, requests + c);
        } else {
            if (rank == root)
                for (int i = 0; i < 2 * EACH; ++i) recv[PART * c + i] = datum(root, c, i);
            MPI_Ibcast(recv + PART * c, 1, sparse, root, MPI_COMM_WORLD, requests + c);
        }
    }
    MPI_Type_free(&sparse);
    for (int c = 1; c < CALLS; c += 2) recv[PART * c + 1] = recv[PART * c + 3] = c;
    while (left > 0) {
        MPI_Waitsome(CALLS, requests, &done, indices, MPI_STATUSES_IGNORE);
        left -= done;
    }
    for (int c = 0; c < CALLS; c += 2)
        for (int i = 0; i < EACH * n; ++i)
            check("several iallgather", i, recv[PART * c + i], datum(i / EACH, c, 2 * (i % EACH)));
    for (int c = 1; c < CALLS; c += 2)
        for (int i = 0; i < 2 * EACH - 1; ++i)
            check("several ibcast", i, recv[PART * c + i], i % 2 ? c : datum(root, c, i));
}

static void test_restarted(void) {
    MPI_Request requests[2];
    PERSISTENT(Allreduce)(send, recv, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
    PERSISTENT(Bcast)(recv + 100, 9, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, requests + 1);
    for (int round = 0; round < 3; ++round) {
        fill(recv, GAP);
        for (int i = 0; i < 9; ++i) send[i] = datum(rank, 0, i + round);
        for (int i = 0; i < 9 && rank == root; ++i) recv[100 + i] = datum(root, round, i);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 10; ++i) check("restarted allreduce", i, recv[i], i < 9 ? sum(n, i + round) : GAP);
        for (int i = 0; i < 10; ++i) check("restarted bcast", i, recv[100 + i], i < 9 ? datum(root, round, i) : GAP);
    }
    MPI_Request_free(requests);
    MPI_Request_free(requests + 1);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (root = 0; root<n; root += n> 1 ? n - 1 : 1)
        for (form = BLOCKING; form < FORMS; ++form) {
            test_bcast();
            test_gather();
            test_scatter();
            test_allgather();
            test_alltoall();
            test_user_operation();
            test_reductions();
            test_reduce_scatter();
            test_neighbours();
        }
    root = n - 1;
    form = BLOCKING;
    test_local();
    form = NONBLOCKING;
    test_many();
    form = PERSISTENT;
    test_restarted();
    long mine[] = {checks, failures}, all[2];
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("plain: %ld checks on %d ranks, %ld failed\n", all[0], n, all[1]);
    MPI_Finalize();
    return all[1] == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
