// The ranks by MPI: the only file of stepccl_perf that knows MPI.

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <limits>

#include "base/text.h"
#include "tools/perf_ranks.h"

namespace stepccl::tools {
namespace {

// The arguments of every collective, of which each takes what it needs.
struct Arguments {
    const void* send;
    void* recv;
    int count;
    MPI_Datatype type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
};

struct CallRow {
    Kind kind;
    const char* name;
    int (*call)(const Arguments& c);
};

constexpr CallRow kCalls[] = {
    {Kind::barrier, "MPI_Barrier", [](const Arguments& c) { return MPI_Barrier(c.comm); }},
    {Kind::bcast, "MPI_Bcast", [](const Arguments& c) { return MPI_Bcast(c.recv, c.count, c.type, c.root, c.comm); }},
    {Kind::gather, "MPI_Gather",
     [](const Arguments& c) { return MPI_Gather(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm); }},
    {Kind::scatter, "MPI_Scatter",
     [](const Arguments& c) { return MPI_Scatter(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm); }},
    {Kind::allgather, "MPI_Allgather",
     [](const Arguments& c) { return MPI_Allgather(c.send, c.count, c.type, c.recv, c.count, c.type, c.comm); }},
    {Kind::alltoall, "MPI_Alltoall",
     [](const Arguments& c) { return MPI_Alltoall(c.send, c.count, c.type, c.recv, c.count, c.type, c.comm); }},
    {Kind::allreduce, "MPI_Allreduce",
     [](const Arguments& c) { return MPI_Allreduce(c.send, c.recv, c.count, c.type, c.op, c.comm); }},
    {Kind::reduce, "MPI_Reduce",
     [](const Arguments& c) { return MPI_Reduce(c.send, c.recv, c.count, c.type, c.op, c.root, c.comm); }},
    {Kind::reduce_scatter, "MPI_Reduce_scatter_block",
     [](const Arguments& c) { return MPI_Reduce_scatter_block(c.send, c.recv, c.count, c.type, c.op, c.comm); }},
    {Kind::scan, "MPI_Scan",
     [](const Arguments& c) { return MPI_Scan(c.send, c.recv, c.count, c.type, c.op, c.comm); }},
    {Kind::exscan, "MPI_Exscan",
     [](const Arguments& c) { return MPI_Exscan(c.send, c.recv, c.count, c.type, c.op, c.comm); }},
};
static_assert(std::size(kCalls) == kKinds, "every collective has its MPI function");

// In the order of datatypes.def and operations.def. MPI has no half precision.
const MPI_Datatype kTypes[] = {MPI_INT8_T,          MPI_UINT8_T,          MPI_INT16_T, MPI_UINT16_T,
                               MPI_INT32_T,         MPI_UINT32_T,         MPI_INT64_T, MPI_UINT64_T,
                               MPI_DATATYPE_NULL,   MPI_DATATYPE_NULL,    MPI_FLOAT,   MPI_DOUBLE,
                               MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_BOOL,  MPI_FLOAT_INT,
                               MPI_DOUBLE_INT,      MPI_LONG_INT,         MPI_2INT,    MPI_SHORT_INT};
static_assert(std::size(kTypes) == kDatatypes, "every type has its MPI type");
const MPI_Op kOps[] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_LAND,   MPI_LOR,
                       MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
static_assert(std::size(kOps) == kOperations, "every operation has its MPI operation");

// The text of an MPI error, with StepCCL's own if there is one.
Status status_of(int rc, const char* what) {
    if (rc == MPI_SUCCESS) return {};
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    bool known = MPI_Error_string(rc, text, &length) == MPI_SUCCESS;
    std::string out =
        cat(what, " failed: ", known ? std::string(text, static_cast<size_t>(length)) : cat("error ", rc));
    std::string ours = stepccl_last_error();
    return Status(Code::ERR_SYSTEM, ours.empty() ? out : cat(out, "; StepCCL: ", ours));
}

int gather_from_all(void* context, const void* mine, void* all, size_t bytes) {
    if (bytes > std::numeric_limits<int>::max()) return MPI_ERR_COUNT;
    int count = static_cast<int>(bytes);
    return MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, *static_cast<MPI_Comm*>(context));
}

// Whether a parameter of coll/stepccl is one of MPI's control variables: then the component is open.
bool component_is_open() {
    int provided = 0, index = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return false;
    bool open = MPI_T_cvar_get_index("coll_stepccl_enable", &index) == MPI_SUCCESS;
    return MPI_T_finalize() == MPI_SUCCESS && open;
}

bool component_is_enabled() {
    stepccl_param_t param{};
    param.size = sizeof(param);
    for (size_t i = 0; i < stepccl_param_count(); ++i) {
        if (stepccl_param_get(i, &param) != STEPCCL_SUCCESS) return false;
        if (std::string_view(param.name) == "enable") return std::string_view(param.value) == "true";
    }
    return false;
}

class MpiRanks final : public Ranks {
  public:
    MpiRanks() = default;
    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;
    ~MpiRanks() override {
        // The program is over: nothing is left to be done about a failure.
        if (comm_ != MPI_COMM_NULL) (void)MPI_Comm_free(&comm_);
        (void)MPI_Finalize();
    }

    Status open() {
        STEPCCL_TRY(status_of(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup"));
        STEPCCL_TRY(status_of(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"));
        MPI_Comm node = MPI_COMM_NULL;
        STEPCCL_TRY(status_of(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                              "MPI_Comm_split_type"));
        int rank = 0, count = 1, local = 0;
        STEPCCL_TRY(status_of(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank"));
        STEPCCL_TRY(status_of(MPI_Comm_size(comm_, &count), "MPI_Comm_size"));
        STEPCCL_TRY(status_of(MPI_Comm_rank(node, &local), "MPI_Comm_rank"));
        rank_ = static_cast<uint32_t>(rank);
        count_ = static_cast<uint32_t>(count);
        local_rank_ = static_cast<uint32_t>(local);
        return status_of(MPI_Comm_free(&node), "MPI_Comm_free");
    }

    Status barrier() override { return status_of(MPI_Barrier(comm_), "MPI_Barrier"); }
    Status sum(std::span<uint64_t> values) override {
        return allreduce(values.data(), values.size(), MPI_UINT64_T, MPI_SUM);
    }
    Status largest(std::span<double> values) override {
        return allreduce(values.data(), values.size(), MPI_DOUBLE, MPI_MAX);
    }

    Status call(const PerfCase& c, const PerfBuffers& buffers) override {
        Arguments arguments{send_in_place(c, rank_) ? MPI_IN_PLACE : buffers.send,
                            recv_in_place(c, rank_) ? MPI_IN_PLACE : buffers.recv,
                            static_cast<int>(c.count),
                            kTypes[static_cast<size_t>(c.type)],
                            kOps[static_cast<size_t>(c.op)],
                            static_cast<int>(c.problem.root),
                            comm_};
        const CallRow* row = kCalls;
        while (row->kind != c.problem.kind) ++row;
        return status_of(row->call(arguments), row->name);
    }

    Status make_comm(stepccl_comm_t** out) override {
        stepccl_comm_args_t args = STEPCCL_COMM_ARGS_INIT;
        args.rank = static_cast<int>(rank_);
        args.nranks = static_cast<int>(count_);
        args.allgather = gather_from_all;
        args.context = &comm_;
        args.name = "stepccl_perf";
        stepccl_status_t status = stepccl_comm_create(&args, out);
        return status == STEPCCL_SUCCESS ? Status() : Status(static_cast<Code>(status), stepccl_last_error());
    }

    std::string library() const override {
        char text[MPI_MAX_LIBRARY_VERSION_STRING];
        int length = 0;
        if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) return "?";
        std::string out(text, static_cast<size_t>(length));
        return out.substr(0, out.find_first_of(",\n"));
    }

    bool has_component() const override { return component_is_open() && component_is_enabled(); }

    bool takes_cuda_pointers() const override {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
        return MPIX_Query_cuda_support() == 1;
#else
        return false;
#endif
    }

    double now_us() const override {
        return MPI_Wtime() * 1e6;
    }

    void abort(int code) override {
        (void)MPI_Abort(comm_, code);
    }  // returns only when it fails

  private:
    Status allreduce(void* values, size_t count, MPI_Datatype type, MPI_Op op) {
        return status_of(MPI_Allreduce(MPI_IN_PLACE, values, static_cast<int>(count), type, op, comm_),
                         "MPI_Allreduce");
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

Result<std::unique_ptr<Ranks>> Ranks::start(int* argc, char*** argv) {
    if (int rc = MPI_Init(argc, argv); rc != MPI_SUCCESS) return status_of(rc, "MPI_Init");
    auto out = std::make_unique<MpiRanks>();
    STEPCCL_TRY(out->open());
    return std::unique_ptr<Ranks>(std::move(out));
}

}  // namespace stepccl::tools
