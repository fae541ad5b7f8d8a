#include "tools/perf_options.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/params.h"
#include "base/text.h"
#include "tools/options.h"

namespace stepccl::tools {
namespace {

po::options_description options() {
    po::options_description out("Options", 120);
    auto text = [] { return po::value<std::string>(); };
    out.add_options()("min-bytes,b", text(), "smallest message, with K, M or G [8]")      //
        ("max-bytes,e", text(), "largest message [64M]")                                  //
        ("factor,f", text(), "multiply the size by this from row to row [2]")             //
        ("increment,i", text(), "add this to the size from row to row instead")           //
        ("iterations,n", text(), "timed calls a row [20]")                                //
        ("warmup,w", text(), "calls before those [5]")                                    //
        ("check,c", text(), "1: check the result of one more call a row, 0: do not [1]")  //
        ("type,t", text(), "element type, or all [float32]")                              //
        ("op,o", text(), "operation of kinds that reduce, or all [sum]")                  //
        ("root,r", text(), "root of kinds that have one [0]")                             //
        ("in-place,z", "the input is where the result goes")                              //
        ("memory", text(), "where the buffers are: device or host [device]")              //
        ("via", text(), "mpi: the MPI function; api: stepccl_run [mpi]")                  //
        ("seed", text(), "where the random data begin [1]")                               //
        ("json", text(), "write everything to this file, too")                            //
        ("csv", text(), "write the table to this file, too")                              //
        ("help,h", "this text")                                                           //
        ("version,V", "the version");
    return out;
}

std::vector<std::string_view> kind_names() {
    std::vector<std::string_view> out;
    for (size_t i = 0; i < kKinds; ++i) out.emplace_back(info(static_cast<Kind>(i)).name);
    return out;
}

std::vector<std::string_view> type_names() {
    std::vector<std::string_view> out{"all"};
    for (size_t i = 0; i < kDatatypes; ++i) out.emplace_back(name_of(static_cast<Datatype>(i)));
    return out;
}

std::vector<std::string_view> op_names() {
    std::vector<std::string_view> out{"all"};
    for (size_t i = 0; i < kOperations; ++i) out.emplace_back(name_of(static_cast<Operation>(i)));
    return out;
}

Status read_types(PerfOptions& out, const std::string& text) {
    out.all_types = text == "all";
    auto type = datatype_named(text);
    if (!type && !out.all_types) return unknown_word("type", text, type_names());
    if (!out.all_types) out.types = {*type};
    for (size_t i = 0; out.all_types && i < kDatatypes; ++i) {
        if (i == 0) out.types.clear();
        out.types.push_back(static_cast<Datatype>(i));
    }
    return {};
}

Status read_ops(PerfOptions& out, const std::string& text) {
    out.all_ops = text == "all";
    auto op = operation_named(text);
    if (!op && !out.all_ops) return unknown_word("operation", text, op_names());
    if (!out.all_ops) out.ops = {*op};
    for (size_t i = 0; out.all_ops && i < kOperations; ++i) {
        if (i == 0) out.ops.clear();
        out.ops.push_back(static_cast<Operation>(i));
    }
    return {};
}

Status read_kind(PerfOptions& out, const po::variables_map& given) {
    if (given.count("kind") == 0)
        return bad_option(cat("name a collective:", listed(kind_names()), "; see stepccl_perf --help"));
    auto words = given["kind"].as<std::vector<std::string>>();
    if (words.size() > 1) return bad_option(cat("one collective at a time, not '", words[0], "' and '", words[1], "'"));
    auto kind = kind_named(words[0]);
    if (!kind) return unknown_word("collective", words[0], kind_names());
    out.kind = *kind;
    return {};
}

Status read_sizes(PerfOptions& out, const po::variables_map& given) {
    STEPCCL_TRY(read_size(given, "min-bytes", 1, out.min_bytes));
    STEPCCL_TRY(read_size(given, "max-bytes", 1, out.max_bytes));
    STEPCCL_TRY(read_size(given, "increment", 1, out.increment));
    STEPCCL_TRY(read_number(given, "factor", 2, out.factor));
    if (given.count("factor") != 0 && out.increment != 0) return bad_option("give --factor or --increment, not both");
    if (given.count("max-bytes") == 0) out.max_bytes = std::max(out.max_bytes, out.min_bytes);
    if (given.count("min-bytes") == 0) out.min_bytes = std::min(out.max_bytes, out.min_bytes);
    if (out.min_bytes <= out.max_bytes) return {};
    return bad_option(
        cat("--min-bytes is ", format_size(out.min_bytes), ", more than --max-bytes, ", format_size(out.max_bytes)));
}

Status read_rest(PerfOptions& out, const po::variables_map& given) {
    uint32_t check = 1;
    STEPCCL_TRY(read_number(given, "iterations", 1, out.iterations));
    STEPCCL_TRY(read_number(given, "warmup", 0, out.warmup));
    STEPCCL_TRY(read_number(given, "check", 0, check));
    STEPCCL_TRY(read_number(given, "root", 0, out.root));
    STEPCCL_TRY(read_number(given, "seed", 0, out.seed));
    if (check > 1) return bad_option("--check takes 0 or 1");
    out.check = check == 1;
    out.in_place = given.count("in-place") != 0;
    size_t memory = 0, via = 0;
    STEPCCL_TRY(read_word(given, "memory", {"device", "host"}, memory));
    STEPCCL_TRY(read_word(given, "via", {"mpi", "api"}, via));
    out.on_device = memory == 0;
    out.via = via == 0 ? Via::mpi : Via::api;
    if (given.count("json") != 0) out.json = given["json"].as<std::string>();
    if (given.count("csv") != 0) out.csv = given["csv"].as<std::string>();
    return {};
}

Status check_sense(const PerfOptions& options) {
    const KindInfo& kind = info(options.kind);
    if (options.in_place && (options.kind == Kind::barrier || options.kind == Kind::bcast)) {
        return bad_option(cat(kind.name, " has one buffer at most, so --in-place means nothing there"));
    }
    if (options.via == Via::api && !options.on_device) {
        return bad_option("stepccl_run does nothing for host buffers: take --memory device, or --via mpi");
    }
    if (kind.reduces && combinations(options).empty()) {
        return bad_option(cat("the operation ", name_of(options.ops[0]), " is not defined on ",
                              name_of(options.types[0]), "; stepccl_info shows which is, or take --op all"));
    }
    return {};
}

bool in_mpi(Datatype type) {
    return type != Datatype::float16 && type != Datatype::bfloat16;
}

}  // namespace

Result<PerfOptions> parse_perf_options(int argc, const char* const* argv) {
    auto given = parse_command_line(argc, argv, options(), "kind");
    STEPCCL_TRY(given.status());
    const po::variables_map& values = given.value();
    PerfOptions out;
    out.help = values.count("help") != 0;
    out.version = values.count("version") != 0;
    if (out.help || out.version) return out;
    STEPCCL_TRY(read_kind(out, values));
    STEPCCL_TRY(read_sizes(out, values));
    if (values.count("type") != 0) STEPCCL_TRY(read_types(out, values["type"].as<std::string>()));
    if (values.count("op") != 0) STEPCCL_TRY(read_ops(out, values["op"].as<std::string>()));
    STEPCCL_TRY(read_rest(out, values));
    STEPCCL_TRY(check_sense(out));
    return out;
}

Status check_perf_options(const PerfOptions& options, uint32_t ranks) {
    if (options.root >= ranks)
        return bad_option(cat("--root is ", options.root, ", and there are ranks 0 to ", ranks - 1));
    if (options.via == Via::api) return {};
    if (!options.all_types && !in_mpi(options.types[0])) {
        return bad_option(cat("MPI has no type ", name_of(options.types[0]), ": take --via api"));
    }
    if (options.max_bytes / size_of(options.types[0]) > INT32_MAX) {
        return bad_option("MPI counts to 2^31 - 1: take a smaller --max-bytes or a larger --type");
    }
    return {};
}

std::string perf_usage() {
    std::ostringstream out;
    out << "Times a collective, and checks its results.\n\nUsage: mpirun -np N stepccl_perf COLLECTIVE "
           "[options]\n\nCollectives:";
    out << listed(kind_names()) << "\n\n" << options();
    out << "\nSizes are those of the whole message, as nccl-tests counts. Times are medians.\n"
        << "Exit status: 0, 1 for wrong data or a failed call, 2 for a wrong command line.\n";
    return std::move(out).str();
}

std::vector<TypeAndOp> combinations(const PerfOptions& options) {
    std::vector<TypeAndOp> out;
    for (Datatype type : options.types) {
        if (options.via == Via::mpi && !in_mpi(type) && options.all_types) continue;
        for (Operation op : options.ops) {
            if (!info(options.kind).reduces) {
                out.push_back({type, op});
                break;
            }
            if (applies(op, type)) out.push_back({type, op});
        }
    }
    if (options.kind == Kind::barrier) out.resize(1);
    return out;
}

std::vector<uint64_t> counts(const PerfOptions& options, Datatype type, uint32_t ranks) {
    if (options.kind == Kind::barrier) return {0};
    uint64_t unit = size_of(type) * (info(options.kind).shape == Shape::blocks ? ranks : 1);
    std::vector<uint64_t> out;
    for (uint64_t bytes = options.min_bytes; bytes <= options.max_bytes;) {
        uint64_t count = std::max<uint64_t>(bytes / unit, 1);
        if (out.empty() || out.back() != count) out.push_back(count);
        uint64_t next = options.increment != 0 ? bytes + options.increment : bytes * options.factor;
        if (next <= bytes || (options.increment == 0 && next / options.factor != bytes)) break;
        bytes = next;
    }
    return out;
}

}  // namespace stepccl::tools
