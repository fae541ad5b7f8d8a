// What a case of the matrix is, and the machine that runs one: buffers where the options want them, the call, and all
// checks of its result.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "elements.h"

namespace test {

struct Case {
    std::string kind;
    const Type* type;
    const Op* op;  // null when nothing is reduced
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

inline int as_int(size_t value) {
    return static_cast<int>(value);
}

// One call on one rank: which buffers there are, what they hold, and how to judge the result.
struct Trial {
    Bytes send, recv;
    bool has_send = false, has_recv = false;
    std::function<int(void* send, void* recv)> call;
    std::function<std::string(const Bytes& recv)> judge;  // "" when the received bytes are right
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
        size_t total = 0;  // elements from the first to the last byte
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
        out << what.kind << ' ' << what.type->name << ' ' << (what.op == nullptr ? "-" : what.op->name) << " count "
            << what.count << " root " << what.root << (what.in_place ? " in place" : "") << ", n " << group_.n << ", "
            << options_.memory << ", comm " << options_.comm;
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

    // What lies between the members of a pair is nobody's: ranks may differ in it. The members are compared exactly as
    // it is.
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
    void check_path(const Case& what, const Trial& trial, const stepccl_counters_t& before,
                    const stepccl_counters_t& after) {
        if (options_.expect != "native" || what.count == 0 || trial.send.size() + trial.recv.size() == 0) return;
        if (what.kind == "bcast" && group_.n == 1) return;  // Open MPI returns before it asks anyone
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

    // What each collective means, in matrix_collectives.cpp. Each fills a trial for this rank.
    static void bcast(Matrix& m, const Case& c, Trial& t);
    static void gathers(Matrix& m, const Case& c, Trial& t, const Blocks& blocks, bool receives);
    Blocks even(size_t count) const;
    static const void* source(const Trial& t, void* send);
    static void gather(Matrix& m, const Case& c, Trial& t);
    static void gatherv(Matrix& m, const Case& c, Trial& t);
    static void allgather(Matrix& m, const Case& c, Trial& t);
    static void allgatherv(Matrix& m, const Case& c, Trial& t);
    static void scatters(Matrix& m, const Case& c, Trial& t, const Blocks& blocks);
    static void* target(const Trial& t, void* recv);
    static void scatter(Matrix& m, const Case& c, Trial& t);
    static void scatterv(Matrix& m, const Case& c, Trial& t);
    Bytes message(const Case& c, int from, int to, size_t count) const;
    static void alltoalls(Matrix& m, const Case& c, Trial& t, const Blocks& out, const Blocks& in);
    static void alltoall(Matrix& m, const Case& c, Trial& t);
    Blocks outgoing(const Case& c) const;
    Blocks incoming(const Case& c) const;
    static void alltoallv(Matrix& m, const Case& c, Trial& t);
    static void alltoallw(Matrix& m, const Case& c, Trial& t);
    static void reduction(Matrix& m, const Case& c, Trial& t, size_t all, size_t out, bool receives);
    static void allreduce(Matrix& m, const Case& c, Trial& t);
    static void reduce(Matrix& m, const Case& c, Trial& t);
    static void scan(Matrix& m, const Case& c, Trial& t);
    static void exscan(Matrix& m, const Case& c, Trial& t);
    static void reduce_scatter_block(Matrix& m, const Case& c, Trial& t);
    static void reduce_scatter(Matrix& m, const Case& c, Trial& t);

    const Options& options_;
    Group group_;
    Report& report_;
};

}  // namespace test
