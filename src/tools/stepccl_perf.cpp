// Times collectives on device buffers, and checks their results.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "base/text.h"
#include "config.h"
#include "tools/perf_run.h"

namespace stepccl::tools {
namespace {

constexpr int kWrong = 1, kBadOptions = 2;

Status take_device(const stepccl_driver_info_t& driver, uint32_t local_rank) {
    if (driver.devices == 0) {
        return Status(Code::ERR_NO_DRIVER,
                      cat("there is no GPU (", driver.reason, "): set STEPCCL_DRIVER=emulated, or take --memory host"));
    }
    int device = static_cast<int>(local_rank % static_cast<uint32_t>(driver.devices));
    if (stepccl_device_set(device) == STEPCCL_SUCCESS) return {};
    return Status(Code::ERR_DRIVER, cat("device ", device, ": ", stepccl_last_error()));
}

// Everybody fails when somebody has; the text is the failed rank's, and "" on the others.
Status agree(PerfSession& session, const Status& status) {
    uint64_t failed = status.ok() ? 0 : 1;
    STEPCCL_TRY(session.ranks->sum(std::span(&failed, 1)));
    if (failed == 0 || !status.ok()) return status;
    return Status(Code::ERR_PEER_FAILED, "");
}

std::string driver_text(const stepccl_driver_info_t& driver) {
    if (driver.devices == 0) return cat(driver.name, driver.reason[0] == '\0' ? "" : ": ", driver.reason);
    return cat(driver.name, " (", driver.library, "), ", driver.devices, " device(s)");
}

// What this rank needs before the first call; no collective in it.
Status prepare_rank(PerfSession& session, PerfHeader& header) {
    stepccl_driver_info_t driver{};
    driver.size = sizeof(driver);
    if (stepccl_driver_query(&driver) != STEPCCL_SUCCESS) return Status(Code::ERR_DRIVER, stepccl_last_error());
    header.driver = driver_text(driver);
    if (session.options.on_device) STEPCCL_TRY(take_device(driver, session.ranks->local_rank()));
    if (session.options.via == Via::api) return {};
    header.component = session.ranks->has_component();
    bool known_to_mpi = std::string_view(driver.name) == "nvidia" && session.ranks->takes_cuda_pointers();
    if (header.component || !session.options.on_device || known_to_mpi) return {};
    return Status(Code::ERR_UNSUPPORTED,
                  "coll/stepccl is not in this MPI library, and without it MPI would crash on device buffers. See that "
                  "`ompi_info` lists \"coll: stepccl\" (OMPI_MCA_mca_base_component_path adds a folder), or take --via "
                  "api or --memory host");
}

Status prepare(PerfSession& session, PerfHeader& header) {
    header.options = session.options;
    header.ranks = session.ranks->count();
    header.mpi = session.ranks->library();
    STEPCCL_TRY(agree(session, prepare_rank(session, header)));
    if (session.options.via == Via::mpi) return {};
    STEPCCL_TRY(agree(session, session.ranks->make_comm(&session.comm)));
    header.comm = stepccl_comm_describe(session.comm);
    return {};
}

void say_progress(const PerfSession& session, const PerfCase& c, size_t done, size_t all) {
    if (session.ranks->rank() != 0 || isatty(STDERR_FILENO) == 0 || isatty(STDOUT_FILENO) != 0) return;
    std::cerr << "\r" << done << " of " << all << " rows, now " << whole_bytes(c) << " bytes of " << name_of(c.type)
              << "        " << (done + 1 == all ? "\n" : "") << std::flush;
}

std::vector<PerfCase> cases_of(const PerfSession& session) {
    const PerfOptions& options = session.options;
    std::vector<PerfCase> out;
    uint64_t seed = options.seed;
    for (const TypeAndOp& pair : combinations(options)) {
        for (uint64_t count : counts(options, pair.type, session.ranks->count())) {
            out.push_back({{options.kind, session.ranks->count(), options.root, options.in_place},
                           pair.type,
                           pair.op,
                           count,
                           seed});
            seed += 2;  // the check takes the next one
        }
    }
    return out;
}

Status run_all(PerfSession& session, std::vector<PerfRow>& rows) {
    auto cases = cases_of(session);
    for (size_t i = 0; i < cases.size(); ++i) {
        say_progress(session, cases[i], i, cases.size());
        auto row = run_case(session, cases[i]);
        if (!row.ok()) {
            return Status(row.status().code(),
                          cat(whole_bytes(cases[i]), " bytes of ", name_of(cases[i].type), ": ", row.status().text()));
        }
        rows.push_back(std::move(row).value());
        if (session.ranks->rank() == 0) write_table_row(std::cout, rows.back());
    }
    return {};
}

// Opened by rank 0 before the first call, so that a bad name costs no time.
struct Files {
    std::ofstream json, csv;

    static Status open(std::ofstream& file, const std::string& name) {
        if (name.empty()) return {};
        file.open(name);
        return file ? Status() : Status(Code::ERR_FILE, cat("'", name, "' cannot be written"));
    }
    Status open(const PerfOptions& options) {
        STEPCCL_TRY(open(json, options.json));
        return open(csv, options.csv);
    }
    Status write(const PerfHeader& header, const std::vector<PerfRow>& rows) {
        if (json.is_open()) write_json(json, header, rows);
        if (csv.is_open()) write_csv(csv, rows);
        json.flush();
        csv.flush();
        bool good = !(json.is_open() && !json) && !(csv.is_open() && !csv);
        return good ? Status() : Status(Code::ERR_FILE, "the results could not be written to their files");
    }
};

// Of a failure that all ranks know. It is said by the first rank that has a text.
int complain(PerfSession& session, const Status& status, int code) {
    std::vector<double> has_text(session.ranks->count());
    has_text[session.ranks->rank()] = status.text().empty() ? 0 : 1;
    Status shared = session.ranks->largest(has_text);
    auto first = static_cast<size_t>(std::find(has_text.begin(), has_text.end(), 1) - has_text.begin());
    if (!shared.ok() || first == session.ranks->rank()) std::cerr << "stepccl_perf: " << status.text() << std::endl;
    return code;
}

// A rank that fails alone would leave the others waiting.
[[noreturn]] void fail(const PerfSession& session, const Status& status) {
    std::cerr << "stepccl_perf: [rank " << session.ranks->rank() << "] " << status.text() << std::endl;
    session.ranks->abort(kWrong);
    std::abort();
}

int measure(PerfSession& session) {
    Files files;
    Status opened = agree(session, session.ranks->rank() == 0 ? files.open(session.options) : Status());
    if (!opened.ok()) return complain(session, opened, kBadOptions);
    PerfHeader header;
    std::vector<PerfRow> rows;
    if (Status status = prepare(session, header); !status.ok()) return complain(session, status, kWrong);
    if (session.ranks->rank() == 0) write_table_head(std::cout, header);
    if (Status status = run_all(session, rows); !status.ok()) fail(session, status);
    PerfSummary summary = summarise(rows);
    if (session.ranks->rank() == 0) {
        write_table_end(std::cout, header, summary);
        if (Status status = files.write(header, rows); !status.ok()) fail(session, status);
    }
    if (session.comm != nullptr && stepccl_comm_destroy(session.comm) != STEPCCL_SUCCESS) {
        fail(session, Status(Code::ERR_INTERNAL, stepccl_last_error()));
    }
    return summary.wrong == 0 ? 0 : kWrong;
}

int run(PerfSession& session, int argc, char** argv) {
    auto options = parse_perf_options(argc, argv);
    Status status = options.ok() ? Status() : options.status();
    bool usage = options.ok() && (options.value().help || options.value().version);
    if (status.ok() && !usage) status = check_perf_options(options.value(), session.ranks->count());
    if (!status.ok()) return complain(session, status, kBadOptions);
    if (usage && session.ranks->rank() == 0) {
        std::cout << (options.value().help ? perf_usage() : std::string("stepccl_perf (StepCCL) " PACKAGE_VERSION "\n"))
                  << std::flush;
    }
    if (usage) return 0;
    // The environment need not be the same on all ranks.
    bool good = stepccl_param_check() == STEPCCL_SUCCESS;
    status = agree(session, good ? Status() : Status(Code::ERR_PARAMETER, stepccl_last_error()));
    if (!status.ok()) return complain(session, status, kWrong);
    session.options = options.value();
    return measure(session);
}

int start(int argc, char** argv) {
    auto ranks = Ranks::start(&argc, &argv);
    if (!ranks.ok()) {
        std::cerr << "stepccl_perf: " << ranks.status().text() << std::endl;
        return kWrong;
    }
    PerfSession session;
    session.ranks = ranks.value().get();
    return run(session, argc, argv);
}

}  // namespace
}  // namespace stepccl::tools

int main(int argc, char** argv) {
    return stepccl::tools::start(argc, argv);
}
