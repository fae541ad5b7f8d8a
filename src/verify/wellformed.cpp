#include "verify/wellformed.h"

#include <cstring>

#include "verify/memory.h"

namespace stepccl::prover {
namespace {

const char* lanes_of(Op op) {
    switch (op) {
#define STEPCCL_OP(name, lanes, help) \
    case Op::name:                    \
        return lanes;
#include "sched/ops.def"
#undef STEPCCL_OP
    }
    return "";
}

constexpr char kLetters[] = {'C', 'R', 'N'};

// Checks the steps of one rank, once the headers of all are known to agree.
class Form {
  public:
    Form(const Schedule& schedule, const Memory& memory, Findings& findings)
        : s_(schedule), memory_(memory), findings_(findings) {}

    void check() {
        for (index_ = 0; index_ < s_.steps.size(); ++index_) {
            const Step& step = s_.steps[index_];
            if (check_ranges(step)) check_step(step);
        }
    }

  private:
    template <typename... Args>
    void complain(const Args&... args) {
        findings_.add(Fault::malformed, "rank ", s_.rank, ", step ", index_, " (", name_of(s_.steps[index_].op),
                      "): ", args...);
    }

    // What must hold before the step can even be printed.
    bool check_ranges(const Step& step) {
        if (step.lane >= s_.lanes.size()) return complain("there is no lane ", step.lane), false;
        if (size_t{step.first_src} + step.nsrc > s_.operands.size()) return complain("sources out of range"), false;
        if (size_t{step.first_dep} + step.ndeps > s_.deps.size()) return complain("deps out of range"), false;
        if (step.part != kWhole && step.part >= s_.parts) return complain("there is no part ", step.part), false;
        for (uint32_t dep : s_.deps_of(step)) {
            if (dep >= index_) return complain("depends on step ", dep, ", which does not stand before it"), false;
        }
        char letter = kLetters[static_cast<size_t>(s_.lanes[step.lane])];
        if (std::strchr(lanes_of(step.op), letter) == nullptr)
            return complain("not allowed on lane ", step.lane), false;
        return true;
    }

    void check_step(const Step& step) {
        switch (step.op) {
            case Op::copy:
                if (step.nsrc != 1) return complain("has ", step.nsrc, " sources");
                return check_data(step);
            case Op::reduce:
                if (step.nsrc == 0) return complain("has no source");
                return check_data(step);
            case Op::signal:
            case Op::wait:
                return check_flag(step);
            case Op::send:
            case Op::recv:
                return complain("steps between nodes cannot be verified yet");
        }
    }

    void check_data(const Step& step) {
        bool good = check_operand(step.dst, true);
        for (const Operand& src : s_.sources(step)) good &= check_operand(src, false);
        if (!good) return;
        for (const Operand& src : s_.sources(step)) {
            if (step.op == Op::reduce && src.rank != s_.rank) complain("reads ", to_text(src), " of another rank");
            if (!same_size(step.dst, src)) complain(to_text(step.dst), " and ", to_text(src), " differ in size");
            bool onto_itself = step.op == Op::reduce && memory_.same(step.dst, src);
            if (memory_.overlap(step.dst, src) && !onto_itself) {
                complain(to_text(step.dst), " and ", to_text(src), " share memory");
            }
        }
        if (step.op == Op::reduce && step.dst.rank != s_.rank)
            complain("writes ", to_text(step.dst), " of another rank");
    }

    bool check_operand(const Operand& operand, bool write) {
        if (operand.rank >= s_.problem.n) return complain("there is no rank ", operand.rank), false;
        if (operand.block >= s_.blocks) return complain("there is no block ", operand.block), false;
        if (operand.space == Space::scratch) {
            if (operand.slot >= s_.scratch_slots) return complain("there is no scratch slot ", operand.slot), false;
            bool foreign = s_.problem.kind == Kind::alltoall && operand.rank != s_.rank;
            if (foreign) return complain("does not know how large ", to_text(operand), " is"), false;
            return true;
        }
        bool exists = operand.space == Space::in ? has_in(s_.problem, operand.rank, operand.block)
                                                 : has_out(s_.problem, operand.rank, operand.block);
        if (!exists) return complain("there is no ", to_text(operand)), false;
        if (write && operand.space == Space::in && !is_output(operand)) {
            return complain("writes ", to_text(operand), ", which is the caller's"), false;
        }
        return true;
    }

    // Whether an input block lies in memory that is output as well.
    bool is_output(const Operand& in) const {
        Alias shared = memory_.alias_of(in.rank);
        return shared == Alias::front || (shared == Alias::same && has_out(s_.problem, in.rank, in.block));
    }

    // Blocks may differ in size, so data may only go where a block of the same name lies. Of alltoall, out[s] of rank d
    // is as large as in[d] of rank s, and scratch holds blocks of its own rank's input: no other rank knows how large
    // those are.
    bool same_size(const Operand& a, const Operand& b) const {
        return s_.problem.kind == Kind::alltoall ? pair(a) == pair(b) : a.block == b.block;
    }
    static std::pair<uint32_t, uint32_t> pair(const Operand& operand) {
        return operand.space != Space::out ? std::pair(operand.rank, operand.block)
                                           : std::pair(operand.block, operand.rank);
    }

    void check_flag(const Step& step) {
        const Flag& flag = step.flag;
        if (flag.owner >= s_.problem.n || flag.writer >= s_.problem.n)
            return complain("flag of a rank that does not exist");
        if (flag.index >= s_.flags) return complain("there is no flag ", flag.index);
        if (step.value < 1 || step.value > s_.epochs)
            return complain("value ", step.value, " is not in 1..", s_.epochs);
        if (step.op == Op::signal && flag.writer != s_.rank)
            complain("raises a flag that rank ", flag.writer, " writes");
        if (step.op == Op::wait && flag.owner != s_.rank) complain("waits for a flag of rank ", flag.owner);
    }

    const Schedule& s_;
    const Memory& memory_;
    Findings& findings_;
    size_t index_ = 0;
};

bool check_first(const Schedule& s, size_t ranks, Findings& findings) {
    auto complain = [&](auto... args) { return findings.add(Fault::malformed, args...), false; };
    if (s.problem.n != ranks) return complain("schedules of ", ranks, " ranks for n = ", s.problem.n);
    if (info(s.problem.kind).rooted && s.problem.root >= ranks) return complain("there is no root ", s.problem.root);
    if (s.blocks == 0 || s.parts == 0) return complain("blocks and parts must be 1 or more");
    if (info(s.problem.kind).shape == Shape::blocks && s.blocks != ranks)
        return complain("blocks must be n, is ", s.blocks);
    return true;
}

bool check_headers(std::span<const Schedule> ranks, Findings& findings) {
    if (ranks.empty()) return findings.add(Fault::malformed, "no schedules"), false;
    const Schedule& first = ranks[0];
    if (!check_first(first, ranks.size(), findings)) return false;
    uint64_t before = findings.found();
    for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
        const Schedule& s = ranks[rank];
        auto differ = [&](const char* what) {
            findings.add(Fault::malformed, "ranks 0 and ", rank, " differ in ", what);
        };
        if (s.rank != rank)
            findings.add(Fault::malformed, "rank ", rank, "'s schedule says that it is rank ", s.rank, "'s");
        if (s.problem != first.problem) differ("the problem");
        if (s.algorithm != first.algorithm) differ("the algorithm");
        if (s.blocks != first.blocks) differ("blocks");
        if (s.parts != first.parts) differ("parts");
        if (s.scratch_slots != first.scratch_slots) differ("scratch_slots");
        if (s.flags != first.flags) differ("flags");
        if (s.epochs != first.epochs) differ("epochs");
    }
    return findings.found() == before;
}

}  // namespace

void check_form(std::span<const Schedule> ranks, Findings& findings) {
    if (!check_headers(ranks, findings)) return;
    Memory memory(ranks[0]);
    for (const Schedule& schedule : ranks) Form(schedule, memory, findings).check();
}

}  // namespace stepccl::prover
