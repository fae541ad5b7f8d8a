#include "verify/placement.h"

#include "verify/memory.h"
#include "verify/queues.h"
#include "verify/values.h"

namespace stepccl::prover {
namespace {

struct Content {
    Value value = Values::kUndefined;
    uint32_t hops = 0;  // copies between ranks that brought it here, one after the other
};

class Placement {
  public:
    Placement(const Program& program, const Options& options, Findings& findings)
        : program_(program),
          any_(program.schedule(0)),
          options_(options),
          findings_(findings),
          memory_(any_),
          values_(program.n(), any_.blocks, any_.parts),
          contents_(memory_.cells()),
          slot_block_(memory_.all_slots(), kNone),
          sent_(program.n(), 0) {
        enter();
    }

    void run(std::span<const uint32_t> order) {
        for (uint32_t node : order) {
            const Step& step = program_.step(node);
            if (step.op == Op::copy || step.op == Op::reduce) visit(program_.schedule(program_.rank(node)), step);
        }
    }

    void leave() {
        for (uint32_t rank = 0; rank < program_.n(); ++rank) {
            for (uint32_t block = 0; block < any_.blocks; ++block) {
                if (!has_out(any_.problem, rank, block)) continue;
                for (uint32_t part = 0; part < any_.parts; ++part) check(rank, block, part);
            }
        }
    }

    uint32_t hops() const { return hops_; }
    double sent() const { return static_cast<double>(*std::max_element(sent_.begin(), sent_.end())) / any_.parts; }

  private:
    void enter() {
        for (uint32_t rank = 0; rank < program_.n(); ++rank) {
            for (uint32_t block = 0; block < any_.blocks; ++block) {
                for (uint32_t part = 0; part < any_.parts; ++part) {
                    if (has_out(any_.problem, rank, block))
                        at({rank, Space::out, 0, block}, part).value = start(rank, block, part);
                    if (has_in(any_.problem, rank, block)) {
                        at({rank, Space::in, 0, block}, part).value = values_.input(rank, block, part);
                    }
                }
            }
        }
    }

    // What is in an output on entry.
    Value start(uint32_t rank, uint32_t block, uint32_t part) const {
        bool shared = memory_.alias_of(rank) == Alias::same && has_in(any_.problem, rank, block);
        return shared ? values_.input(rank, block, part) : values_.before(rank, block, part);
    }

    Content& at(const Operand& operand, uint32_t part) { return contents_[memory_.cell(operand) + part]; }

    void visit(const Schedule& schedule, const Step& step) {
        auto [first, last] = memory_.range(step.part);
        auto sources = schedule.sources(step);
        bool remote = step.op == Op::copy && sources[0].rank != step.dst.rank;
        if (remote) sent_[sources[0].rank] += last - first;
        for (uint32_t part = first; part < last; ++part) {
            Content result = step.op == Op::copy ? read(sources[0], part) : reduce(sources, part);
            result.hops += remote ? 1 : 0;
            hops_ = std::max(hops_, result.hops);
            write(step.dst, part, result);
        }
    }

    Content read(const Operand& operand, uint32_t part) {
        if (operand.space == Space::scratch && slot_block_[memory_.slot(operand)] != operand.block) return {};
        return at(operand, part);
    }

    Content reduce(std::span<const Operand> operands, uint32_t part) {
        Content out;
        sources_.clear();
        for (const Operand& operand : operands) {
            Content source = read(operand, part);
            sources_.push_back(source.value);
            out.hops = std::max(out.hops, source.hops);
        }
        out.value = values_.reduction(sources_);
        return out;
    }

    // Besides the cell itself, what shares memory with it loses its value.
    void write(const Operand& operand, uint32_t part, Content content) {
        if (operand.space == Space::scratch) {
            uint32_t& block = slot_block_[memory_.slot(operand)];
            if (block != operand.block) wipe(operand);
            block = operand.block;
        } else if (memory_.alias_of(operand.rank) == Alias::front) {
            bool out = operand.space == Space::out;
            for (uint32_t block = 0; out && block < any_.blocks; ++block) wipe({operand.rank, Space::in, 0, block});
            if (!out) wipe({operand.rank, Space::out, 0, operand.rank});
        }
        at(operand, part) = content;
    }

    void wipe(const Operand& operand) {
        for (uint32_t part = 0; part < any_.parts; ++part) at(operand, part) = {};
    }

    void check(uint32_t rank, uint32_t block, uint32_t part) {
        Expected want = expected(any_.problem, rank, block);
        Operand where{rank, Space::out, 0, block};
        Value got = at(where, part).value;
        switch (want.what) {
            case Expected::What::unchanged:
                if (got != start(rank, block, part)) complain(where, part, got, "what it held before");
                return;
            case Expected::What::copy:
                if (got != values_.input(want.first, want.block, part)) complain(where, part, got, input(want));
                return;
            case Expected::What::reduction:
                return check_reduction(where, part, got, want);
        }
    }

    void check_reduction(const Operand& where, uint32_t part, Value got, const Expected& want) {
        using What = Values::Fold::What;
        Values::Fold fold = values_.fold(got);
        bool good = fold.what == What::good && fold.block == want.block && fold.part == part;
        if (!good || !values_.covers(fold, want.first, want.last)) {
            const char* why = fold.what == What::twice ? " (a rank is counted twice)" : "";
            return complain(where, part, got, cat("the reduction of ", input(want), " to @", want.last, why));
        }
        if (!fold.in_order && !options_.reorders) {
            findings_.add(Fault::order, memory_.text(where, part),
                          " is not folded in the order of the ranks: ", values_.text(got));
        }
        if (any_.problem.kind != Kind::allreduce) return;
        Value other = at({0, Space::out, 0, where.block}, part).value;
        if (other == got) return;
        findings_.add(Fault::not_same_bits, memory_.text(where, part), " is ", values_.text(got), ", but on rank 0 ",
                      values_.text(other));
    }

    static std::string input(const Expected& want) { return cat("in[", want.block, "]@", want.first); }

    void complain(const Operand& where, uint32_t part, Value got, const std::string& want) {
        if (!findings_.wants_text(Fault::placement)) return findings_.count();
        findings_.add(Fault::placement, memory_.text(where, part), " must hold ", want, " and holds ",
                      values_.text(got));
    }

    const Program& program_;
    const Schedule& any_;
    const Options& options_;
    Findings& findings_;
    Memory memory_;
    Values values_;
    std::vector<Content> contents_;     // by cell
    std::vector<uint32_t> slot_block_;  // by scratch slot: the block in it
    std::vector<uint32_t> sent_;        // by rank: parts
    std::vector<Value> sources_;
    uint32_t hops_ = 0;
};

// The longest chain of signals, each raised after the one before has been waited for.
uint32_t signal_chain(const Program& program, std::span<const uint32_t> order) {
    Queues queues(program, LaneMap::own_queue_per_lane);
    std::vector<uint32_t> chain(queues.count(), 0), at_node(program.nodes(), 0);
    uint32_t longest = 0;
    for (uint32_t node : order) {
        const Step& step = program.step(node);
        const Schedule& schedule = program.schedule(program.rank(node));
        uint32_t& here = chain[queues.queue(node)];
        for (uint32_t dep : schedule.deps_of(step)) here = std::max(here, at_node[program.node(schedule.rank, dep)]);
        if (step.op == Op::wait) here = std::max(here, at_node[program.partner(node)]);
        at_node[node] = here + (step.op == Op::signal ? 1 : 0);
        longest = std::max(longest, at_node[node]);
    }
    return longest;
}

}  // namespace

void check_placement(const Program& program, std::span<const uint32_t> order, const Options& options, Report& report,
                     Findings& findings) {
    Placement placement(program, options, findings);
    placement.run(order);
    placement.leave();
    report.hops = program.problem().kind == Kind::barrier ? signal_chain(program, order) : placement.hops();
    report.sent = placement.sent();
}

}  // namespace stepccl::prover
