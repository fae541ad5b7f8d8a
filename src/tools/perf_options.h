// The command line of stepccl_perf.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/datatype.h"
#include "base/status.h"
#include "coll/kind.h"

namespace stepccl::tools {

enum class Via : uint8_t { mpi, api };

struct PerfOptions {
    Kind kind = Kind::allreduce;
    uint64_t min_bytes = 8;
    uint64_t max_bytes = uint64_t{64} << 20;
    uint64_t factor = 2;
    uint64_t increment = 0;  // 0: multiply by factor
    uint32_t iterations = 20;
    uint32_t warmup = 5;
    bool check = true;
    std::vector<Datatype> types = {Datatype::float32};
    std::vector<Operation> ops = {Operation::sum};
    bool all_types = false;
    bool all_ops = false;
    uint32_t root = 0;
    bool in_place = false;
    bool on_device = true;
    Via via = Via::mpi;
    uint64_t seed = 1;
    std::string json;  // files to write, "" for none
    std::string csv;
    bool help = false;
    bool version = false;
};

// ERR_INVALID_ARGUMENT with a hint. What depends on the number of ranks is checked by check_perf_options.
Result<PerfOptions> parse_perf_options(int argc, const char* const* argv);
Status check_perf_options(const PerfOptions& options, uint32_t ranks);
std::string perf_usage();

// One combination of type and operation.
struct TypeAndOp {
    Datatype type;
    Operation op;
};
// Those that the options ask for and that exist; an operation is given to kinds that do not reduce, too, and means
// nothing there.
std::vector<TypeAndOp> combinations(const PerfOptions& options);

// Counts of elements (of the vector, or of a block) from the smallest message to the largest, without repetitions.
std::vector<uint64_t> counts(const PerfOptions& options, Datatype type, uint32_t ranks);

}  // namespace stepccl::tools
