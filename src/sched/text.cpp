#include "sched/text.h"

#include <iomanip>
#include <sstream>

namespace stepccl {
namespace {

const char* lane_name(LaneKind kind) {
    switch (kind) {
        case LaneKind::copy:
            return "copy";
        case LaneKind::reduce:
            return "reduce";
        case LaneKind::net:
            return "net";
    }
    return "?";
}

void print(std::ostream& out, const Flag& flag, uint32_t value) {
    out << "flag " << flag.index << " of " << flag.owner << " by " << flag.writer << " >= " << value;
}

void print(std::ostream& out, const Schedule& schedule, const Step& step) {
    const char* separator = " <- ";
    switch (step.op) {
        case Op::copy:
        case Op::reduce:
            out << to_text(step.dst);
            for (const Operand& src : schedule.sources(step)) {
                out << separator << to_text(src);
                separator = " op ";
            }
            break;
        case Op::signal:
        case Op::wait:
            print(out, step.flag, step.value);
            break;
        case Op::send:
            out << to_text(schedule.sources(step)[0]) << " to " << step.peer;
            break;
        case Op::recv:
            out << to_text(step.dst) << " from " << step.peer;
            break;
    }
}

}  // namespace

std::string to_text(const Operand& operand) {
    std::ostringstream out;
    if (operand.space == Space::scratch) {
        out << "scratch" << operand.slot;
    } else {
        out << (operand.space == Space::in ? "in" : "out");
    }
    out << "[" << operand.block << "]@" << operand.rank;
    return std::move(out).str();
}

std::string to_text(const Schedule& schedule, const Step& step) {
    std::ostringstream out;
    out << "lane " << step.lane << "  " << std::left << std::setw(6) << name_of(step.op) << " ";
    print(out, schedule, step);
    if (step.part != kWhole && schedule.parts > 1) out << "  part " << step.part;
    const char* separator = "  after ";
    for (uint32_t dep : schedule.deps_of(step)) {
        out << separator << dep;
        separator = ",";
    }
    return std::move(out).str();
}

std::string to_text(const Schedule& schedule) {
    std::ostringstream out;
    const Problem& problem = schedule.problem;
    out << info(problem.kind).name << " " << schedule.algorithm << " n=" << problem.n << " rank=" << schedule.rank;
    if (info(problem.kind).rooted) out << " root=" << problem.root;
    out << (problem.in_place ? " in-place" : "") << " blocks=" << schedule.blocks << " parts=" << schedule.parts
        << " scratch=" << schedule.scratch_slots << " flags=" << schedule.flags << " epochs=" << schedule.epochs << " lanes=";
    for (size_t i = 0; i < schedule.lanes.size(); ++i) out << (i == 0 ? "" : ",") << lane_name(schedule.lanes[i]);
    out << "\n";
    for (size_t i = 0; i < schedule.steps.size(); ++i) {
        out << std::setw(5) << i << "  " << to_text(schedule, schedule.steps[i]) << "\n";
    }
    return std::move(out).str();
}

}  // namespace stepccl
