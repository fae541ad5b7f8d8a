// stepccl_sched verify: proves schedules over a range of ranks, roots and parts.

#include <unistd.h>

#include <chrono>
#include <iomanip>
#include <iostream>

#include "base/text.h"
#include "tools/json.h"
#include "tools/sched_cases.h"
#include "tools/sched_commands.h"

namespace stepccl::tools {
namespace {

constexpr uint32_t kDefaultMaxN = 16;

struct Failure {
    Case where;
    Report report;
};

struct Tally {
    uint64_t cases = 0, steps = 0, findings = 0;
    double seconds = 0;
    std::vector<Failure> failures;
};

class Sweep {
  public:
    explicit Sweep(const SchedArgs& args)
        : first_n_(args.n.value_or(1)),
          last_n_(args.n.value_or(args.max_n.value_or(kDefaultMaxN))),
          parts_(args.parts.empty() ? std::vector<uint32_t>{1, 2, 3, 8} : args.parts),
          terminal_(isatty(STDERR_FILENO) == 1) {}

    Tally run(const Algorithm& algorithm) {
        auto begin = std::chrono::steady_clock::now();
        Tally tally;
        for (uint32_t n = first_n_; n <= last_n_; ++n) {
            for (const Case& one : cases_of(algorithm, n, parts_)) {
                progress(one);
                add(tally, one, verify(build_all(one), options_for(one)));
            }
        }
        if (terminal_) std::cerr << "\r\033[K" << std::flush;
        tally.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return tally;
    }

  private:
    void progress(const Case& one) {
        if (terminal_) std::cerr << "\r\033[K" << to_text(one) << std::flush;
    }

    static void add(Tally& tally, const Case& one, Report report) {
        constexpr size_t kFailuresKept = 20;
        ++tally.cases;
        tally.steps += report.steps;
        tally.findings += report.found;
        if (!report.ok() && tally.failures.size() < kFailuresKept) tally.failures.push_back({one, std::move(report)});
    }

    uint32_t first_n_, last_n_;
    std::vector<uint32_t> parts_;
    bool terminal_;
};

void print(const std::string& name, const Tally& tally) {
    std::cout << std::left << std::setw(34) << name << std::right << std::setw(8) << tally.cases << " cases"
              << std::setw(12) << tally.steps << " steps" << std::setw(9) << std::fixed << std::setprecision(2)
              << tally.seconds << " s  ";
    if (tally.findings == 0) {
        std::cout << "ok\n";
    } else {
        std::cout << tally.findings << (tally.findings == 1 ? " finding\n" : " findings\n");
    }
    for (const Failure& failure : tally.failures) {
        std::cout << "  " << to_text(failure.where) << "\n";
        for (const Finding& finding : failure.report.findings) {
            std::cout << "    " << name_of(finding.fault) << ": " << finding.text << "\n";
        }
    }
    std::cout << std::flush;
}

void write(Json& json, const Tally& tally) {
    json.number("cases", tally.cases);
    json.number("steps", tally.steps);
    json.number("seconds", tally.seconds);
    json.number("findings", tally.findings);
}

void write(Json& json, const Algorithm& algorithm, const Tally& tally) {
    json.open_object();
    json.text("kind", info(algorithm.kind).name);
    json.text("algorithm", algorithm.name);
    write(json, tally);
    json.open_array("texts");
    for (const Failure& failure : tally.failures) {
        for (const Finding& finding : failure.report.findings) {
            json.open_object();
            json.text("case", to_text(failure.where));
            json.text("fault", name_of(finding.fault));
            json.text("text", finding.text);
            json.close_object();
        }
    }
    json.close_array();
    json.close_object();
}

void add(Tally& total, const Tally& one) {
    total.cases += one.cases;
    total.steps += one.steps;
    total.findings += one.findings;
    total.seconds += one.seconds;
}

Result<std::vector<const Algorithm*>> chosen(const SchedArgs& args) {
    if (args.words.size() == 1) return algorithms_of(args.words[0]);
    std::vector<const Algorithm*> out;
    if (args.words.size() == 2) {
        auto one = algorithm_named(args.words[0], args.words[1]);
        if (!one.ok()) return one.status();
        out.push_back(one.value());
    } else {
        for (const Algorithm& algorithm : algorithms()) out.push_back(&algorithm);
    }
    return out;
}

}  // namespace

Result<int> sched_verify(const SchedArgs& args) {
    auto rows = chosen(args);
    if (!rows.ok()) return rows.status();
    Sweep sweep(args);
    Tally total;
    Json json(std::cout);
    if (args.json) json.open_object(), json.open_array("algorithms");
    for (const Algorithm* algorithm : rows.value()) {
        Tally tally = sweep.run(*algorithm);
        add(total, tally);
        if (args.json) {
            write(json, *algorithm, tally);
        } else {
            print(cat(info(algorithm->kind).name, " ", algorithm->name), tally);
        }
    }
    if (args.json) {
        json.close_array();
        write(json, total);
        json.close_object();
        std::cout << "\n";
    } else {
        print("total", total);
    }
    return total.findings == 0 ? 0 : 1;
}

}  // namespace stepccl::tools
