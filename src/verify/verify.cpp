#include "verify/verify.h"

#include <algorithm>

#include "verify/placement.h"
#include "verify/races.h"
#include "verify/wellformed.h"

namespace stepccl {
namespace {

using prover::Findings;
using prover::Program;
using prover::Queues;

void check_raises(const Program& program, Findings& findings) {
    for (uint32_t node = 0; node < program.nodes(); ++node) {
        uint32_t lower = program.partner(node);
        if (program.step(node).op != Op::signal || lower == prover::kNone) continue;
        if (program.step(lower).value != program.step(node).value) continue;
        findings.add(Fault::malformed, program.text(node), " raises its flag to the same value as ",
                     program.text(lower));
    }
}

void check(std::span<const Schedule> ranks, const Options& options, Report& report, Findings& findings) {
    prover::check_form(ranks, findings);
    if (!report.ok()) return;
    Program program(ranks);
    report.steps = program.nodes();
    check_raises(program, findings);
    if (!report.ok()) return;
    Queues lanes(program, LaneMap::own_queue_per_lane);
    auto order = run_queues(program, lanes, LaneMap::own_queue_per_lane, findings);
    if (report.ok() && options.lane_map != LaneMap::own_queue_per_lane) {
        run_queues(program, Queues(program, options.lane_map), options.lane_map, findings);
    }
    if (order.size() < program.nodes()) return;
    check_races(program, lanes, order, options, findings);
    // With a race, what memory holds depends on chance.
    if (!report.has(Fault::race)) check_placement(program, order, options, report, findings);
}

}  // namespace

const char* name_of(Fault fault) noexcept {
    switch (fault) {
        case Fault::malformed:
            return "malformed";
        case Fault::deadlock:
            return "deadlock";
        case Fault::race:
            return "race";
        case Fault::placement:
            return "placement";
        case Fault::order:
            return "order";
        case Fault::not_same_bits:
            return "not_same_bits";
    }
    return "?";
}

bool Report::has(Fault fault) const noexcept {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.fault == fault; });
}

Report verify(std::span<const Schedule> ranks, const Options& options) {
    Report report;
    Findings findings(report, options.texts);
    check(ranks, options, report, findings);
    return report;
}

}  // namespace stepccl
