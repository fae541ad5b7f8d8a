#include "tools/perf_report.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "base/params.h"
#include "base/text.h"
#include "config.h"
#include "tools/json.h"

namespace stepccl::tools {
namespace {

// nccl-tests' factors; its performance page derives them.
double bus_factor(const Problem& problem) {
    double n = problem.n;
    switch (problem.kind) {
        case Kind::allreduce:
            return 2 * (n - 1) / n;
        case Kind::allgather:
        case Kind::reduce_scatter:
        case Kind::alltoall:
        case Kind::gather:
        case Kind::scatter:
            return (n - 1) / n;
        default:
            return 1;
    }
}

std::string fixed(double value, int digits) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(digits) << value;
    return std::move(out).str();
}

// Bytes to at most four digits: 1536 -> 1.5K.
std::string short_size(double bytes) {
    constexpr const char* kUnits[] = {"", "K", "M", "G", "T"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < std::size(kUnits)) bytes /= 1024, ++unit;
    bool whole = bytes >= 100 || std::fabs(bytes - std::round(bytes)) < 0.05;
    return cat(fixed(bytes, whole ? 0 : 1), kUnits[unit]);
}

// Three digits that tell something.
std::string bandwidth(double value) {
    return fixed(value, value < 10 ? 3 : value < 100 ? 2 : 1);
}

std::string type_text(const PerfCase& c) {
    return c.problem.kind == Kind::barrier ? "-" : name_of(c.type);
}
std::string op_text(const PerfCase& c) {
    return info(c.problem.kind).reduces ? name_of(c.op) : "-";
}
std::string root_text(const PerfCase& c) {
    return info(c.problem.kind).rooted ? std::to_string(c.problem.root) : "-";
}

const char* path_hint(const PerfHeader& header, const PerfSummary& summary) {
    if (!header.component) {
        return "coll/stepccl took no part: the MPI library's own functions were measured. To bring it in, see that "
               "`ompi_info` lists "
               "\"coll: stepccl\" and that --mca coll and --mca coll_stepccl_enable do not leave it out.";
    }
    bool staged = summary.staged_calls != 0 || summary.staged_bytes > 0;
    if (summary.native_calls != 0 && !staged) {
        return "Served by StepCCL on the GPUs. To compare: --memory host, or STEPCCL_ALGORITHM=KIND@NAME (stepccl_info "
               "--algorithms).";
    }
    if (staged) {
        return "Staged through host memory. stepccl_info --driver shows whether there is a driver, STEPCCL_LOG=info "
               "says why a call is staged.";
    }
    if (!header.options.on_device)
        return "The buffers were on the host, so coll/stepccl passed the calls on. Without --memory host it serves "
               "them.";
    return "No call reached StepCCL's engines. STEPCCL_LOG=info says why.";
}

void write_engines(Json& json, const Engines& engines) {
    json.open_object("bytes_per_call");
    json.number("copy_engines", engines.copy_engine_bytes);
    json.number("kernels", engines.kernel_bytes);
    json.number("staged", engines.staged_bytes);
    json.number("bounced", engines.bounced_bytes);
    json.close_object();
}

void write_times(Json& json, const Times& times) {
    json.open_object("time_us");
    json.number("median", times.median_us);
    json.number("min", times.min_us);
    json.number("max", times.max_us);
    json.number("p95", times.p95_us);
    json.close_object();
}

void write_calls(Json& json, uint64_t native, uint64_t staged, uint64_t host) {
    json.open_object("calls");
    json.number("native", native);
    json.number("staged", staged);
    json.number("host", host);
    json.close_object();
}

void write_row(Json& json, const PerfRow& row) {
    const PerfCase& c = row.which;
    json.open_object();
    json.number("bytes", whole_bytes(c));
    json.number("count", c.count);
    json.text("type", name_of(c.type));
    info(c.problem.kind).reduces ? json.text("op", name_of(c.op)) : json.null("op");
    info(c.problem.kind).rooted ? json.number("root", c.problem.root) : json.null("root");
    write_times(json, row.times);
    json.number("algbw_gb_s", algbw(row));
    json.number("busbw_gb_s", busbw(row));
    row.checked ? json.number("wrong", row.wrong) : json.null("wrong");
    row.algorithm.empty() ? json.null("algorithm") : json.text("algorithm", row.algorithm);
    row.algorithm.empty() ? json.null("parts") : json.number("parts", row.parts);
    write_calls(json, row.native_calls, row.staged_calls, row.host_calls);
    write_engines(json, row.engines);
    json.close_object();
}

void write_config(Json& json, const PerfHeader& header) {
    const PerfOptions& options = header.options;
    json.open_object("config");
    json.text("collective", info(options.kind).name);
    json.number("ranks", header.ranks);
    json.text("via", options.via == Via::mpi ? "mpi" : "api");
    json.text("memory", options.on_device ? "device" : "host");
    json.boolean("in_place", options.in_place);
    json.number("iterations", options.iterations);
    json.number("warmup", options.warmup);
    json.number("seed", options.seed);
    json.text("mpi", header.mpi);
    json.text("driver", header.driver);
    json.boolean("component", header.component);
    json.close_object();
}

}  // namespace

Times summarise(std::vector<double>& us) {
    std::sort(us.begin(), us.end());
    size_t half = us.size() / 2;
    double median = us.size() % 2 == 1 ? us[half] : (us[half - 1] + us[half]) / 2;
    auto p95 = static_cast<size_t>(std::ceil(0.95 * static_cast<double>(us.size()))) - 1;
    return {median, us.front(), us.back(), us[p95]};
}

double algbw(const PerfRow& row) {
    return row.times.median_us > 0 ? static_cast<double>(whole_bytes(row.which)) / row.times.median_us / 1e3 : 0;
}

double busbw(const PerfRow& row) {
    return algbw(row) * bus_factor(row.which.problem);
}

PerfSummary summarise(const std::vector<PerfRow>& rows) {
    PerfSummary out;
    for (const PerfRow& row : rows) {
        ++out.rows;
        out.wrong += row.wrong;
        out.native_calls += row.native_calls;
        out.staged_calls += row.staged_calls;
        out.host_calls += row.host_calls;
        out.staged_bytes += row.engines.staged_bytes;
        out.best_busbw = std::max(out.best_busbw, busbw(row));
    }
    return out;
}

void write_table_head(std::ostream& out, const PerfHeader& header) {
    const PerfOptions& options = header.options;
    out << "# stepccl_perf " PACKAGE_VERSION ": " << info(options.kind).name << (options.in_place ? " in place" : "")
        << ", " << header.ranks << " rank(s), " << (options.on_device ? "device" : "host") << " memory, by "
        << (options.via == Via::mpi ? "MPI" : "stepccl_run") << "\n"
        << "# driver: " << header.driver << "\n# MPI: " << header.mpi << "\n";
    if (!header.comm.empty()) out << "# ranks: " << header.comm << "\n";
    out << "# times are medians of " << options.iterations
        << " calls, each as long as on the slowest rank; bandwidths in GB/s\n"
        << "# bytes a call, summed over the ranks: by copy engines, by kernels, staged through the host\n"
        << "#     size      count        type      op root    time(us)   algbw   busbw   wrong  algorithm         "
           "parts  copied kernels  staged\n";
}

void write_table_row(std::ostream& out, const PerfRow& row) {
    const PerfCase& c = row.which;
    std::ostringstream line;
    line << std::setw(10) << format_size(whole_bytes(c)) << std::setw(11) << c.count << std::setw(12) << type_text(c)
         << std::setw(8) << op_text(c) << std::setw(5) << root_text(c) << std::setw(12) << fixed(row.times.median_us, 2)
         << std::setw(8) << bandwidth(algbw(row)) << std::setw(8) << bandwidth(busbw(row)) << std::setw(8)
         << (row.checked ? std::to_string(row.wrong) : std::string("-")) << "  " << std::left << std::setw(18)
         << (row.algorithm.empty() ? std::string("-") : row.algorithm) << std::right << std::setw(5)
         << (row.algorithm.empty() ? std::string("-") : std::to_string(row.parts)) << std::setw(8)
         << short_size(row.engines.copy_engine_bytes) << std::setw(8) << short_size(row.engines.kernel_bytes)
         << std::setw(8) << short_size(row.engines.staged_bytes) << "\n";
    out << line.str() << std::flush;
}

void write_table_end(std::ostream& out, const PerfHeader& header, const PerfSummary& summary) {
    out << "# " << summary.rows << " row(s), wrong elements: "
        << (header.options.check ? std::to_string(summary.wrong) : std::string("not checked")) << ", best busbw "
        << bandwidth(summary.best_busbw) << " GB/s\n"
        << "# timed calls over all ranks: " << summary.native_calls << " native, " << summary.staged_calls
        << " staged, " << summary.host_calls << " passed on\n"
        << "# " << path_hint(header, summary) << "\n";
}

void write_csv(std::ostream& out, const std::vector<PerfRow>& rows) {
    out << "collective,bytes,count,type,op,root,ranks,in_place,median_us,min_us,max_us,p95_us,algbw_gb_s,busbw_gb_s,"
           "wrong,algorithm,parts,"
           "native_calls,staged_calls,host_calls,copy_engine_bytes,kernel_bytes,staged_bytes,bounced_bytes\n";
    for (const PerfRow& row : rows) {
        const PerfCase& c = row.which;
        out << info(c.problem.kind).name << ',' << whole_bytes(c) << ',' << c.count << ',' << name_of(c.type) << ','
            << op_text(c) << ',' << root_text(c) << ',' << c.problem.n << ',' << c.problem.in_place << ','
            << row.times.median_us << ',' << row.times.min_us << ',' << row.times.max_us << ',' << row.times.p95_us
            << ',' << algbw(row) << ',' << busbw(row) << ','
            << (row.checked ? std::to_string(row.wrong) : std::string("-")) << ','
            << (row.algorithm.empty() ? "-" : row.algorithm) << ',' << row.parts << ',' << row.native_calls << ','
            << row.staged_calls << ',' << row.host_calls << ',' << row.engines.copy_engine_bytes << ','
            << row.engines.kernel_bytes << ',' << row.engines.staged_bytes << ',' << row.engines.bounced_bytes << "\n";
    }
}

void write_json(std::ostream& out, const PerfHeader& header, const std::vector<PerfRow>& rows) {
    out << std::setprecision(12);
    Json json(out);
    json.open_object();
    json.text("tool", "stepccl_perf");
    json.text("version", PACKAGE_VERSION);
    write_config(json, header);
    json.open_array("results");
    for (const PerfRow& row : rows) write_row(json, row);
    json.close_array();
    PerfSummary summary = summarise(rows);
    json.open_object("summary");
    header.options.check ? json.number("wrong", summary.wrong) : json.null("wrong");
    json.number("best_busbw_gb_s", summary.best_busbw);
    write_calls(json, summary.native_calls, summary.staged_calls, summary.host_calls);
    json.close_object();
    json.close_object();
}

}  // namespace stepccl::tools
