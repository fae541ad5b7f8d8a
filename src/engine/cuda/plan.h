// A schedule bound to addresses, sizes and a type: what is issued to the lanes, in the order in which it is issued.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/datatype.h"
#include "base/status.h"
#include "coll/layout.h"
#include "engine/cuda/driver_api.h"
#include "engine/cuda/kernels/reduce_work.h"
#include "sched/schedule.h"

namespace stepccl::cuda {

// What flags' values are relative to; the executor adds it when the plan is started.
enum class Base : uint8_t { epoch, lane };

struct FlagOp {
    bool wait = false;  // otherwise raise
    Base base = Base::epoch;
    DevicePtr address = 0;
    uint32_t value = 0;
};

struct CopyOp {
    DevicePtr dst = 0, src = 0;
    uint64_t bytes = 0;
};

struct Command {
    enum class What : uint8_t {
        flags,   // flag_ops[first .. first + count), in order
        copies,  // copy_ops[first .. first + count), in any order
        record,  // event `first`
        await,   // event `first`
        launch,  // the reduction kernel
    } what = What::flags;
    uint32_t lane = 0;
    uint32_t first = 0, count = 0;
};

// Everything that the reduce lane does, as one launch. Flag values are relative; `flag_bases` says to what.
struct KernelWork {
    std::vector<kernels::ReduceEntry> entries;
    std::vector<uint64_t> srcs;
    std::vector<kernels::FlagRef> flags;
    std::vector<Base> flag_bases;
};

struct Plan {
    uint32_t lanes = 0;
    uint32_t epochs = 0;     // by how much the epoch grows
    uint32_t lane_values = 0;  // by how much the base of the lanes' own flags grows
    uint32_t events = 0;
    Datatype type = Datatype::uint8;
    Operation op = Operation::sum;
    std::vector<Command> commands;
    std::vector<FlagOp> flag_ops;
    std::vector<CopyOp> copy_ops;
    KernelWork kernel;
    uint64_t copied_bytes = 0;   // by copies
    uint64_t reduced_bytes = 0;  // written by the kernel
    std::string mismatch;        // says where a sender's and a receiver's count differ; the smaller is moved
};

// What a schedule is bound to. Addresses are as this process reaches them; 0 where a rank's buffer is not reached from here.
struct Binding {
    const Schedule* schedule = nullptr;
    Datatype type = Datatype::uint8;
    Operation op = Operation::sum;
    DevicePtr in = 0;                    // of this rank: inputs of others are not reached into
    std::vector<DevicePtr> out, scratch, pad;  // by rank
    const Layout* in_layout = nullptr;
    std::vector<const Layout*> out_layouts;  // by rank
    const Layout* scratch_layout = nullptr;  // sizes of blocks in scratch slots
    uint64_t slot_bytes = 0;
    // A call whose scratch would be too large is done in rounds, each on its share of every block.
    uint32_t round = 0, rounds = 1;
};

Result<Plan> bind(const Binding& binding);

}  // namespace stepccl::cuda
