// Every blocking collective, over types, operations, counts, roots, in place or not, against results computed from all ranks' inputs, which
// every rank makes again from the seed. Options:
//   --memory device|host|mixed-odd|send-only|recv-only   where the buffers are (mixed-odd: odd ranks on the host)
//   --comm world|halves|reversed|dup                     --kinds allreduce,bcast,...   (default: all)
//   --counts 0,1,3,...                                   --types float,int32,...       (default: all)
//   --expect native|any                                  native: calls with device buffers only must not have been staged
//   --seed N
#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "elements.h"

namespace {

using namespace test;

struct Case {
    std::string kind;
    const Type* type;
    const Op* op; // null when nothing is reduced
    size_t count;
    bool in_place;
    int root;
    uint64_t key;
};

struct Options {
    std::string memory, comm, expect;
    std::vector<std::string> kinds, types;
    std::vector<size_t> counts;
    uint64_t seed;
};

struct Group {
    MPI_Comm comm;
    int rank, n;
};

int as_int(size_t value) { return static_cast<int>(value); }

// One call on one rank: which buffers there are, what they hold, and how to judge the result.
struct Trial {
    Bytes send, recv;
    bool has_send = false, has_recv = false;
    std::function<int(void* send, void* recv)> call;
    std::function<std::string(const Bytes& recv)> judge; // "" when the received bytes are right
};

class Matrix {
  public:
    Matrix(const Options& options, Group group, Report& report) : options_(options), group_(group), report_(report) {}

    void run(const Case& what) {
        Trial trial;
        makers().at(what.kind)(*this, what, trial);
        execute(what, trial);
    }
    static std::vector<std::string> kinds() {
        std::vector<std::string> out;
        for (auto& [name, maker] : makers()) out.push_back(name);
        return out;
    }

  private:
    using Maker = void (*)(Matrix&, const Case&, Trial&);
    static const std::map<std::string, Maker>& makers();

    Bytes input(const Case& what, int rank, size_t count) const {
        return what.type->random(count, mix(what.key, static_cast<uint64_t>(rank)));
    }
    Bytes fill(size_t bytes) const { return Bytes(bytes, Buffer::kFill); }
    size_t size(const Case& what, size_t count) const { return count * what.type->bytes; }
    bool at_root(const Case& what) const { return group_.rank == what.root; }

    // Uneven blocks for the v-variants, some of them empty; displacements in reverse order with holes.
    size_t block(const Case& what, int i) const {
        return what.count == 0 || i % 3 == 1 ? 0 : what.count + static_cast<size_t>(i % 5);
    }
    size_t block(const Case& what, int from, int to) const {
        return what.count == 0 || (from + 2 * to) % 3 == 0 ? 0 : what.count + static_cast<size_t>((from + to) % 4);
    }
    struct Blocks {
        std::vector<int> counts, displs;
        size_t total = 0; // elements from the first to the last byte
    };
    Blocks arrange(const std::function<size_t(int)>& count_of, bool holes) const {
        Blocks out;
        out.counts.resize(static_cast<size_t>(group_.n));
        out.displs.resize(out.counts.size());
        for (int i = group_.n - 1; i >= 0; --i) {
            auto at = static_cast<size_t>(i);
            out.counts[at] = as_int(count_of(i));
            out.displs[at] = as_int(out.total);
            out.total += count_of(i) + (holes ? 3 : 0);
        }
        return out;
    }
    static void put(const Case& what, Bytes& into, size_t element, const Bytes& data) {
        std::copy(data.begin(), data.end(), into.begin() + static_cast<ptrdiff_t>(element * what.type->bytes));
    }
    static std::function<std::string(const Bytes&)> equals(Bytes want) {
        return [want = std::move(want)](const Bytes& got) {
            auto [a, b] = std::mismatch(want.begin(), want.end(), got.begin());
            return a == want.end() ? std::string() : "byte " + std::to_string(a - want.begin()) + " is wrong";
        };
    }
    // The reduction of the ranks first to last of `count` elements that begin at `skip` of each rank's `all`.
    std::function<std::string(const Bytes&)> reduces(const Case& what, int first, int last, size_t all, size_t skip,
                                                     size_t count) const {
        std::vector<Bytes> inputs;
        for (int r = first; r <= last; ++r) {
            Bytes whole = input(what, r, all);
            auto begin = whole.begin() + static_cast<ptrdiff_t>(size(what, skip));
            inputs.emplace_back(begin, begin + static_cast<ptrdiff_t>(size(what, count)));
        }
        return [what, inputs = std::move(inputs), count](const Bytes& got) {
            return what.type->compare(what.op->code, inputs, count, got.data());
        };
    }

    Memory place(bool send) const {
        bool device = options_.memory == "device" || (options_.memory == "mixed-odd" && group_.rank % 2 == 0) ||
                      (options_.memory == "send-only" && send) || (options_.memory == "recv-only" && !send);
        return device ? Memory::device : Memory::host;
    }
    std::string name(const Case& what) const {
        std::ostringstream out;
        out << what.kind << ' ' << what.type->name << ' ' << (what.op == nullptr ? "-" : what.op->name) << " count " << what.count
            << " root " << what.root << (what.in_place ? " in place" : "") << ", n " << group_.n << ", " << options_.memory
            << ", comm " << options_.comm;
        return out.str();
    }

    void execute(const Case& what, Trial& trial) {
        Buffer send, recv;
        if (trial.has_send) send = Buffer(place(true), trial.send);
        if (trial.has_recv) recv = Buffer(place(false), trial.recv);
        stepccl_counters_t before = counters();
        int rc = trial.call(trial.has_send ? send.data() : nullptr, trial.has_recv ? recv.data() : nullptr);
        stepccl_counters_t after = counters();
        report_.check(rc == MPI_SUCCESS, name(what) + ": returned an error");
        report_.check(send.get() == trial.send, name(what) + ": the send buffer changed");
        report_.check(send.guards_intact() && recv.guards_intact(), name(what) + ": wrote beyond a buffer");
        if (trial.has_recv) {
            Bytes got = recv.get();
            std::string wrong = trial.judge(got);
            report_.check(wrong.empty(), name(what) + ": " + wrong);
            if (what.kind == "allreduce" && !has_gaps(what)) check_same_bits(what, got);
        }
        check_path(what, trial, before, after);
    }

    // What lies between the members of a pair is nobody's: ranks may differ in it. The members are compared exactly as it is.
    static bool has_gaps(const Case& what) {
        int bytes = 0;
        must(MPI_Type_size(what.type->mpi, &bytes), "MPI_Type_size");
        return static_cast<size_t>(bytes) != what.type->bytes;
    }

    void check_same_bits(const Case& what, const Bytes& got) {
        uint64_t hash = 1469598103934665603u;
        for (std::byte b : got) hash = (hash ^ static_cast<uint64_t>(b)) * 1099511628211u;
        uint64_t ends[2] = {hash, ~hash}, out[2];
        must(MPI_Allreduce(ends, out, 2, MPI_UINT64_T, MPI_MIN, group_.comm), "MPI_Allreduce");
        report_.check(out[0] == ~out[1], name(what) + ": not the same bits on every rank");
    }

    // Whether the call went where it had to go, seen from a rank that brought data.
    void check_path(const Case& what, const Trial& trial, const stepccl_counters_t& before, const stepccl_counters_t& after) {
        if (options_.expect != "native" || what.count == 0 || trial.send.size() + trial.recv.size() == 0) return;
        if (what.kind == "bcast" && group_.n == 1) return; // Open MPI returns before it asks anyone
        bool uneven = what.kind.back() == 'v' || what.kind.back() == 'w';
        if (options_.memory == "device") {
            report_.check(after.native_calls == before.native_calls + 1, name(what) + ": was not done natively");
        } else if (options_.memory == "mixed-odd" && group_.n > 1 && group_.rank % 2 == 0 && !uneven) {
            report_.check(after.staged_calls == before.staged_calls + 1, name(what) + ": was not staged");
        } else if (options_.memory == "host" && !uneven) {
            report_.check(after.native_calls == before.native_calls && after.staged_calls == before.staged_calls,
                          name(what) + ": host buffers were not handed on");
        }
    }

    // ---- what each collective means ----

    static void bcast(Matrix& m, const Case& c, Trial& t) {
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
    static void gathers(Matrix& m, const Case& c, Trial& t, const Blocks& blocks, bool receives) {
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
    Blocks even(size_t count) const {
        Blocks out = arrange([count](int) { return count; }, false);
        for (int i = 0; i < group_.n; ++i) out.displs[static_cast<size_t>(i)] = as_int(static_cast<size_t>(i) * count);
        return out;
    }
    static const void* source(const Trial& t, void* send) { return t.has_send ? send : MPI_IN_PLACE; }

    static void gather(Matrix& m, const Case& c, Trial& t) {
        gathers(m, c, t, m.even(c.count), m.at_root(c));
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Gather(source(t, send), as_int(c.count), c.type->mpi, recv, as_int(c.count), c.type->mpi, c.root,
                              m.group_.comm);
        };
    }
    static void gatherv(Matrix& m, const Case& c, Trial& t) {
        Blocks blocks = m.arrange([&](int r) { return m.block(c, r); }, true);
        gathers(m, c, t, blocks, m.at_root(c));
        t.call = [&m, &t, c, blocks](void* send, void* recv) {
            return MPI_Gatherv(source(t, send), blocks.counts[static_cast<size_t>(m.group_.rank)], c.type->mpi, recv,
                               blocks.counts.data(), blocks.displs.data(), c.type->mpi, c.root, m.group_.comm);
        };
    }
    static void allgather(Matrix& m, const Case& c, Trial& t) {
        gathers(m, c, t, m.even(c.count), true);
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Allgather(source(t, send), as_int(c.count), c.type->mpi, recv, as_int(c.count), c.type->mpi, m.group_.comm);
        };
    }
    static void allgatherv(Matrix& m, const Case& c, Trial& t) {
        Blocks blocks = m.arrange([&](int r) { return m.block(c, r); }, true);
        gathers(m, c, t, blocks, true);
        t.call = [&m, &t, c, blocks](void* send, void* recv) {
            return MPI_Allgatherv(source(t, send), blocks.counts[static_cast<size_t>(m.group_.rank)], c.type->mpi, recv,
                                  blocks.counts.data(), blocks.displs.data(), c.type->mpi, m.group_.comm);
        };
    }

    static void scatters(Matrix& m, const Case& c, Trial& t, const Blocks& blocks) {
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
    static void* target(const Trial& t, void* recv) { return t.has_recv ? recv : MPI_IN_PLACE; }

    static void scatter(Matrix& m, const Case& c, Trial& t) {
        scatters(m, c, t, m.even(c.count));
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Scatter(send, as_int(c.count), c.type->mpi, target(t, recv), as_int(c.count), c.type->mpi, c.root,
                               m.group_.comm);
        };
    }
    static void scatterv(Matrix& m, const Case& c, Trial& t) {
        Blocks blocks = m.arrange([&](int r) { return m.block(c, r); }, true);
        scatters(m, c, t, blocks);
        t.call = [&m, &t, c, blocks](void* send, void* recv) {
            return MPI_Scatterv(send, blocks.counts.data(), blocks.displs.data(), c.type->mpi, target(t, recv),
                                blocks.counts[static_cast<size_t>(m.group_.rank)], c.type->mpi, c.root, m.group_.comm);
        };
    }

    // What rank `from` has for rank `to`.
    Bytes message(const Case& c, int from, int to, size_t count) const {
        return c.type->random(count, mix(c.key, static_cast<uint64_t>(from * 1000 + to)));
    }
    static void alltoalls(Matrix& m, const Case& c, Trial& t, const Blocks& out, const Blocks& in) {
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
    static void alltoall(Matrix& m, const Case& c, Trial& t) {
        alltoalls(m, c, t, m.even(c.count), m.even(c.count));
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Alltoall(source(t, send), as_int(c.count), c.type->mpi, recv, as_int(c.count), c.type->mpi, m.group_.comm);
        };
    }
    // In place both directions have the same counts, so they must not depend on who sends.
    Blocks outgoing(const Case& c) const {
        return arrange([&](int r) { return c.in_place ? block(c, group_.rank + r) : block(c, group_.rank, r); }, true);
    }
    Blocks incoming(const Case& c) const {
        return arrange([&](int r) { return c.in_place ? block(c, group_.rank + r) : block(c, r, group_.rank); }, true);
    }
    static void alltoallv(Matrix& m, const Case& c, Trial& t) {
        Blocks out = m.outgoing(c), in = m.incoming(c);
        alltoalls(m, c, t, out, in);
        t.call = [&m, &t, c, out, in](void* send, void* recv) {
            return MPI_Alltoallv(source(t, send), out.counts.data(), out.displs.data(), c.type->mpi, recv, in.counts.data(),
                                 in.displs.data(), c.type->mpi, m.group_.comm);
        };
    }
    static void alltoallw(Matrix& m, const Case& c, Trial& t) {
        Blocks out = m.outgoing(c), in = m.incoming(c);
        alltoalls(m, c, t, out, in);
        for (int& d : out.displs) d *= as_int(c.type->bytes);
        for (int& d : in.displs) d *= as_int(c.type->bytes);
        t.call = [&m, &t, c, out, in](void* send, void* recv) {
            std::vector<MPI_Datatype> types(static_cast<size_t>(m.group_.n), c.type->mpi);
            return MPI_Alltoallw(source(t, send), out.counts.data(), out.displs.data(), types.data(), recv, in.counts.data(),
                                 in.displs.data(), types.data(), m.group_.comm);
        };
    }

    // A vector of `all` elements goes in; in place it lies at the receive buffer.
    static void reduction(Matrix& m, const Case& c, Trial& t, size_t all, size_t out, bool receives) {
        Bytes mine = m.input(c, m.group_.rank, all);
        t.has_recv = receives;
        t.has_send = !(c.in_place && receives);
        if (t.has_send) t.send = mine;
        if (receives) t.recv = t.has_send ? m.fill(m.size(c, out)) : mine;
    }
    static void allreduce(Matrix& m, const Case& c, Trial& t) {
        reduction(m, c, t, c.count, c.count, true);
        t.judge = m.reduces(c, 0, m.group_.n - 1, c.count, 0, c.count);
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Allreduce(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, m.group_.comm);
        };
    }
    static void reduce(Matrix& m, const Case& c, Trial& t) {
        reduction(m, c, t, c.count, c.count, m.at_root(c));
        t.judge = m.reduces(c, 0, m.group_.n - 1, c.count, 0, c.count);
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Reduce(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, c.root, m.group_.comm);
        };
    }
    static void scan(Matrix& m, const Case& c, Trial& t) {
        reduction(m, c, t, c.count, c.count, true);
        t.judge = m.reduces(c, 0, m.group_.rank, c.count, 0, c.count);
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Scan(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, m.group_.comm);
        };
    }
    static void exscan(Matrix& m, const Case& c, Trial& t) {
        reduction(m, c, t, c.count, c.count, true);
        t.judge = m.group_.rank == 0 ? equals(t.recv) : m.reduces(c, 0, m.group_.rank - 1, c.count, 0, c.count);
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Exscan(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, m.group_.comm);
        };
    }
    static void reduce_scatter_block(Matrix& m, const Case& c, Trial& t) {
        size_t all = c.count * static_cast<size_t>(m.group_.n);
        reduction(m, c, t, all, c.count, true);
        t.judge = m.reduces(c, 0, m.group_.n - 1, all, c.count * static_cast<size_t>(m.group_.rank), c.count);
        t.call = [&m, &t, c](void* send, void* recv) {
            return MPI_Reduce_scatter_block(source(t, send), recv, as_int(c.count), c.type->mpi, c.op->mpi, m.group_.comm);
        };
    }
    static void reduce_scatter(Matrix& m, const Case& c, Trial& t) {
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

    const Options& options_;
    Group group_;
    Report& report_;
};

const std::map<std::string, Matrix::Maker>& Matrix::makers() {
    static const std::map<std::string, Maker> table = {
        {"bcast", bcast},         {"gather", gather},       {"gatherv", gatherv},     {"scatter", scatter},
        {"scatterv", scatterv},   {"allgather", allgather}, {"allgatherv", allgatherv}, {"alltoall", alltoall},
        {"alltoallv", alltoallv}, {"alltoallw", alltoallw}, {"allreduce", allreduce}, {"reduce", reduce},
        {"scan", scan},           {"exscan", exscan},       {"reduce_scatter", reduce_scatter},
        {"reduce_scatter_block", reduce_scatter_block}};
    return table;
}

bool is_one_of(const std::string& kind, std::initializer_list<const char*> kinds) {
    return std::any_of(kinds.begin(), kinds.end(), [&](const char* k) { return kind == k; });
}
bool is_rooted(const std::string& kind) { return is_one_of(kind, {"bcast", "gather", "gatherv", "scatter", "scatterv", "reduce"}); }
bool is_reduction(const std::string& kind) {
    return is_one_of(kind, {"allreduce", "reduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block"});
}

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');) out.push_back(word);
    return out;
}

Group group_of(const std::string& name) {
    int rank = 0, n = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm comm = MPI_COMM_WORLD;
    if (name == "halves") must(MPI_Comm_split(MPI_COMM_WORLD, rank < n / 2, rank, &comm), "MPI_Comm_split");
    if (name == "reversed") must(MPI_Comm_split(MPI_COMM_WORLD, 0, n - rank, &comm), "MPI_Comm_split");
    if (name == "dup") must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    Group out = {comm, 0, 0};
    MPI_Comm_rank(comm, &out.rank);
    MPI_Comm_size(comm, &out.n);
    return out;
}

// Few types for long vectors: they take time and meet nothing new in the others.
bool is_skipped(const Type& type, const Op* op, size_t count) {
    bool chosen = std::string(type.name) == "float" || std::string(type.name) == "int64";
    return count > 10000 && (!chosen || (op != nullptr && op->code != OpCode::sum && op->code != OpCode::max));
}

void run_kind(Matrix& matrix, const std::string& kind, const Options& options, int n, uint64_t& index) {
    static const std::vector<Type> types = all_types();
    static const std::vector<Op> ops = all_ops();
    std::vector<int> roots = {0};
    if (is_rooted(kind) && n > 1) roots.push_back(n - 1);
    if (is_rooted(kind) && n > 2) roots.push_back(n / 2);
    for (const Type& type : types) {
        if (!options.types.empty() && std::find(options.types.begin(), options.types.end(), type.name) == options.types.end()) continue;
        for (const Op& op : ops) {
            // Without a reduction the first operation stands for none; pairs are only for reductions.
            if (is_reduction(kind) ? !type.applies(op.code) : (op.code != OpCode::sum || !type.applies(op.code))) continue;
            const Op* reduces = is_reduction(kind) ? &op : nullptr;
            for (size_t count : options.counts) {
                if (is_skipped(type, reduces, count)) continue;
                for (int root : roots) {
                    for (bool in_place : {false, true}) {
                        if (in_place && kind == "bcast") continue;
                        matrix.run({kind, &type, reduces, count, in_place, root, mix(options.seed, ++index)});
                    }
                }
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    start(&argc, &argv);
    Options options;
    options.memory = option(argc, argv, "--memory", "device");
    options.comm = option(argc, argv, "--comm", "world");
    options.expect = option(argc, argv, "--expect", "any");
    options.kinds = words(option(argc, argv, "--kinds", ""));
    options.types = words(option(argc, argv, "--types", ""));
    options.seed = std::stoull(option(argc, argv, "--seed", "20240229"));
    for (const std::string& count : words(option(argc, argv, "--counts", "0,1,3,1000"))) options.counts.push_back(std::stoul(count));
    if (options.kinds.empty()) options.kinds = Matrix::kinds();
    Report report("mpi_matrix");
    Group group = group_of(options.comm);
    Matrix matrix(options, group, report);
    uint64_t index = 0;
    for (const std::string& kind : options.kinds) run_kind(matrix, kind, options, group.n, index);
    must(MPI_Barrier(group.comm), "MPI_Barrier");
    if (group.comm != MPI_COMM_WORLD) must(MPI_Comm_free(&group.comm), "MPI_Comm_free");
    int code = report.finish(options.seed);
    must(MPI_Finalize(), "MPI_Finalize");
    return code;
}
