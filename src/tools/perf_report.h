// What was measured, and how it is written down: a table, JSON, CSV.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tools/perf_data.h"
#include "tools/perf_options.h"

namespace stepccl::tools {

// Microseconds over the timed calls; each is the longest that any rank took.
struct Times {
    double median_us = 0, min_us = 0, max_us = 0, p95_us = 0;
};
// Sorts `us`, which must not be empty.
Times summarise(std::vector<double>& us);

// Per call, summed over the ranks.
struct Engines {
    double copy_engine_bytes = 0, kernel_bytes = 0, staged_bytes = 0, bounced_bytes = 0;
};

struct PerfRow {
    PerfCase which;
    Times times;
    bool checked = false;
    uint64_t wrong = 0;  // elements, summed over the ranks
    // Which way the timed calls went, summed over the ranks.
    uint64_t native_calls = 0, staged_calls = 0, host_calls = 0;
    Engines engines;
    std::string algorithm;  // "" when no call was native
    uint32_t parts = 0;
};

// GB/s. busbw is algbw times nccl-tests' factor, so that it can be compared with what a link can do; scan and exscan,
// which nccl-tests does not have, count as broadcast does.
double algbw(const PerfRow& row);
double busbw(const PerfRow& row);

// What stands above the table.
struct PerfHeader {
    PerfOptions options;
    uint32_t ranks = 1;
    std::string mpi;        // version of the MPI library
    std::string driver;     // "emulated (libstepccl_emu.so), 2 devices"
    std::string comm;       // how the ranks are connected, "" when it is not known
    bool component = true;  // whether coll/stepccl sees this program's calls; always with --via api
};

struct PerfSummary {
    uint64_t rows = 0, wrong = 0, native_calls = 0, staged_calls = 0, host_calls = 0;
    double staged_bytes = 0, best_busbw = 0;
};
PerfSummary summarise(const std::vector<PerfRow>& rows);

void write_table_head(std::ostream& out, const PerfHeader& header);
void write_table_row(std::ostream& out, const PerfRow& row);
// Which path served the calls, and what to try next.
void write_table_end(std::ostream& out, const PerfHeader& header, const PerfSummary& summary);

void write_csv(std::ostream& out, const std::vector<PerfRow>& rows);
void write_json(std::ostream& out, const PerfHeader& header, const std::vector<PerfRow>& rows);

}  // namespace stepccl::tools
