// Every blocking collective, over types, operations, counts, roots, in place or not, against results computed from all
// ranks' inputs, which every rank makes again from the seed. Options:
//   --memory device|host|mixed-odd|send-only|recv-only   where the buffers are (mixed-odd: odd ranks on the host)
//   --comm world|halves|reversed|dup                     --kinds allreduce,bcast,...   (default: all)
//   --counts 0,1,3,...                                   --types float,int32,...       (default: all)
//   --expect native|any                                  native: calls with device buffers only must not have been
//   staged
//   --seed N
#include <algorithm>
#include <sstream>

#include "matrix.h"

namespace {

using namespace test;

bool is_one_of(const std::string& kind, std::initializer_list<const char*> kinds) {
    return std::any_of(kinds.begin(), kinds.end(), [&](const char* k) { return kind == k; });
}
bool is_rooted(const std::string& kind) {
    return is_one_of(kind, {"bcast", "gather", "gatherv", "scatter", "scatterv", "reduce"});
}
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
        if (!options.types.empty() &&
            std::find(options.types.begin(), options.types.end(), type.name) == options.types.end())
            continue;
        for (const Op& op : ops) {
            // Without a reduction the first operation stands for none; pairs are only for reductions.
            if (is_reduction(kind) ? !type.applies(op.code) : (op.code != OpCode::sum || !type.applies(op.code)))
                continue;
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
    for (const std::string& count : words(option(argc, argv, "--counts", "0,1,3,1000")))
        options.counts.push_back(std::stoul(count));
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
