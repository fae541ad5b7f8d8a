// The ranks of stepccl_perf, and the calls that they make together. Only perf_mpi.cpp knows that this is MPI.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "stepccl/stepccl.h"
#include "tools/perf_data.h"

namespace stepccl::tools {

// The buffers of one rank; both may be device memory.
struct PerfBuffers {
    void* send = nullptr;
    void* recv = nullptr;
};

// Which buffer says that this rank works in place.
bool send_in_place(const PerfCase& c, uint32_t rank);
bool recv_in_place(const PerfCase& c, uint32_t rank);

class Ranks {
  public:
    // One a process, and the process is done when it is destroyed. Failures of later calls are returned, never fatal.
    static Result<std::unique_ptr<Ranks>> start(int* argc, char*** argv);
    virtual ~Ranks() = default;

    uint32_t rank() const { return rank_; }
    uint32_t count() const { return count_; }
    uint32_t local_rank() const { return local_rank_; }  // among those of the node

    // Collective; the result is in the same place on every rank.
    virtual Status barrier() = 0;
    virtual Status sum(std::span<uint64_t> values) = 0;
    virtual Status largest(std::span<double> values) = 0;
    // The collective that is measured, by its MPI function.
    virtual Status call(const PerfCase& c, const PerfBuffers& buffers) = 0;
    // A StepCCL communicator of the same ranks.
    virtual Status make_comm(stepccl_comm_t** out) = 0;

    // What the MPI library is, whether coll/stepccl is open in it, and whether it takes CUDA device pointers by itself.
    virtual std::string library() const = 0;
    virtual bool has_component() const = 0;
    virtual bool takes_cuda_pointers() const = 0;

    virtual double now_us() const = 0;
    // Ends the program on all ranks, for a failure that the others do not know of.
    virtual void abort(int code) = 0;

  protected:
    uint32_t rank_ = 0, count_ = 1, local_rank_ = 0;
};

}  // namespace stepccl::tools
