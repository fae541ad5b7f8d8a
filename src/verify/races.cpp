// The last write of every cell and the reads since are kept. An access that is ordered after them is ordered after all
// before, so that nothing else has to be kept (FastTrack: Flanagan, Freund 2009).

#include "verify/races.h"

#include "verify/clocks.h"
#include "verify/memory.h"

namespace stepccl::prover {
namespace {

struct Cell {
    Moment write;
    Moment read;        // one of the reads since
    uint32_t more = 0;  // the others: an index into Races::more_, or 0
};

// A scratch slot holds one block at a time. Blocks differ in size, so all parts of one overlap all parts of another.
struct Slot {
    uint32_t block = kNone;
    bool written = false;                       // since it holds this block
    std::vector<Moment> old_writes, old_reads;  // of the block before
};

class Races {
  public:
    Races(const Program& program, const Queues& queues, const Options& options, Findings& findings)
        : program_(program),
          queues_(queues),
          options_(options),
          findings_(findings),
          memory_(program.schedule(0)),
          clocks_(program, queues),
          cells_(memory_.cells()),
          slots_(memory_.all_slots()),
          raised_(program.nodes(), 0),
          more_(1) {}

    void run(std::span<const uint32_t> order) {
        turns();
        for (call_ = 1; call_ <= options_.calls; ++call_) {
            for (uint32_t node : order) visit(node);
            turns();
        }
    }

  private:
    void visit(uint32_t node) {
        clocks_.begin(node);
        const Step& step = program_.step(node);
        node_ = node;
        if (step.op == Op::signal) check_raise(node);
        if (step.op == Op::copy || step.op == Op::reduce) {
            for (const Operand& src : program_.schedule(program_.rank(node)).sources(step))
                access(src, step.part, false);
            access(step.dst, step.part, true);
        }
        clocks_.end(node);
    }

    void check_raise(uint32_t node) {
        uint32_t lower = program_.partner(node);
        raised_[node] = call_;
        if (lower == kNone || (raised_[lower] == call_ && clocks_.before_node(lower))) return;
        findings_.add(Fault::race, program_.text(node), " may raise its flag before ", program_.text(lower), " has");
    }

    // What the callers do with their buffers between calls, and what other calls do with the scratch.
    void turns() {
        const Schedule& any = program_.schedule(0);
        node_ = kNone;
        for (uint32_t rank = 0; rank < program_.n(); ++rank) {
            clocks_.begin_turn(rank);
            if (any.problem.kind == Kind::barrier) check_barrier(rank);
            for (uint32_t block = 0; block < any.blocks; ++block) {
                if (has_in(any.problem, rank, block)) touch_all({rank, Space::in, 0, block});
                if (has_out(any.problem, rank, block)) touch_all({rank, Space::out, 0, block});
            }
            for (uint32_t slot = 0; options_.any_sequence && slot < memory_.slots(); ++slot) {
                access({rank, Space::scratch, slot, kNone - 1}, kWhole, true);
            }
            clocks_.end_turn(rank);
        }
    }

    // Nobody leaves before all have entered.
    void check_barrier(uint32_t rank) {
        for (uint32_t other = 0; call_ > 0 && other < program_.n(); ++other) {
            if (clocks_.before({clocks_.caller(other), call_})) continue;
            findings_.add(Fault::placement, "rank ", rank, " may leave call ", call_, " before rank ", other,
                          " has entered it");
        }
    }

    void touch_all(const Operand& operand) {
        for (uint32_t part = 0; part < memory_.parts(); ++part) touch(operand, part, true);
    }

    void access(const Operand& operand, uint32_t part, bool write) {
        if (operand.space == Space::scratch) enter_slot(operand, write);
        auto [first, last] = memory_.range(part);
        for (uint32_t i = first; i < last; ++i) touch(operand, i, write);
        if (operand.space != Space::scratch && memory_.alias_of(operand.rank) == Alias::front) across(operand, write);
    }

    // Out lies somewhere across the blocks of in.
    void across(const Operand& operand, bool write) {
        bool out = operand.space == Space::out;
        Operand other{operand.rank, out ? Space::in : Space::out, 0, operand.rank};
        for (uint32_t block = 0; block < program_.schedule(0).blocks; ++block) {
            other.block = out ? block : operand.rank;
            for (uint32_t part = 0; part < memory_.parts(); ++part) compare(other, part, write);
            if (!out) return;
        }
    }

    // All accesses while a slot held the block before must come before the first one to the next; then they are
    // forgotten at the block after that, provided that something was written in between.
    void enter_slot(const Operand& operand, bool write) {
        Slot& slot = slots_[memory_.slot(operand)];
        if (slot.block != operand.block) {
            if (slot.written) slot.old_writes.clear(), slot.old_reads.clear();
            for (uint32_t part = 0; part < memory_.parts(); ++part) retire(cells_[memory_.cell(operand) + part], slot);
            slot.block = operand.block;
            slot.written = false;
        }
        slot.written |= write;
        for (Moment moment : slot.old_writes) order(moment, true, operand, 0, write);
        for (Moment moment : slot.old_reads) {
            if (write) order(moment, false, operand, 0, write);
        }
    }

    void retire(Cell& cell, Slot& slot) {
        bool known = !slot.old_writes.empty() && slot.old_writes.back() == cell.write;
        if (cell.write.position != 0 && !known) slot.old_writes.push_back(cell.write);
        if (cell.read.position != 0) slot.old_reads.push_back(cell.read);
        slot.old_reads.insert(slot.old_reads.end(), more_[cell.more].begin(), more_[cell.more].end());
        more_[cell.more].clear();
        cell = {{}, {}, cell.more};
    }

    void compare(const Operand& operand, uint32_t part, bool write) {
        const Cell& cell = cells_[memory_.cell(operand) + part];
        order(cell.write, true, operand, part, write);
        if (!write) return;
        order(cell.read, false, operand, part, write);
        for (Moment moment : more_[cell.more]) order(moment, false, operand, part, write);
    }

    void touch(const Operand& operand, uint32_t part, bool write) {
        compare(operand, part, write);
        Cell& cell = cells_[memory_.cell(operand) + part];
        if (write) {
            cell.write = clocks_.now();
            cell.read = {};
            more_[cell.more].clear();
        } else if (cell.read.position == 0 || clocks_.before(cell.read)) {
            cell.read = clocks_.now();
        } else {
            add_read(cell);
        }
    }

    void add_read(Cell& cell) {
        if (cell.more == 0) {
            cell.more = static_cast<uint32_t>(more_.size());
            more_.emplace_back();
        }
        std::vector<Moment>& reads = more_[cell.more];
        std::erase_if(reads, [&](Moment moment) { return clocks_.before(moment); });
        reads.push_back(clocks_.now());
    }

    void order(Moment earlier, bool wrote, const Operand& operand, uint32_t part, bool write) {
        if (clocks_.before(earlier)) return;
        if (!findings_.wants_text(Fault::race)) return findings_.count();
        std::string first = text(earlier, wrote, operand), second = text(clocks_.now(), write, operand);
        findings_.add(Fault::race, "nothing orders ", first, " and ", second, ", at ", where(operand, part));
    }

    std::string where(const Operand& operand, uint32_t part) const {
        if (node_ != kNone) return memory_.text(operand, part);
        // Callers touch scratch slots whole, whatever block is in them.
        return operand.space == Space::scratch ? cat("scratch", operand.slot, "@", operand.rank)
                                               : memory_.text(operand, part);
    }

    std::string text(Moment moment, bool write, const Operand& operand) const {
        if (clocks_.is_caller(moment)) return caller_text(operand, moment.position - 1);
        auto nodes = queues_.nodes(moment.queue);
        size_t index = (moment.position - 1) % nodes.size(), call = (moment.position - 1) / nodes.size() + 1;
        return cat(program_.text(nodes[index]), write ? " writing" : " reading", " in call ", call);
    }

    static std::string caller_text(const Operand& operand, uint32_t turn) {
        std::string who = operand.space == Space::scratch ? "a call of another schedule on" : "the caller of";
        return cat(who, " rank ", operand.rank,
                   turn == 0 ? std::string(" before it enters") : cat(" after it has left call ", turn));
    }

    const Program& program_;
    const Queues& queues_;
    const Options& options_;
    Findings& findings_;
    Memory memory_;
    Clocks clocks_;
    std::vector<Cell> cells_;
    std::vector<Slot> slots_;
    std::vector<uint32_t> raised_;  // by signal: in which call last
    std::vector<std::vector<Moment>> more_;
    uint32_t call_ = 0;
    uint32_t node_ = kNone;
};

}  // namespace

void check_races(const Program& program, const Queues& queues, std::span<const uint32_t> order, const Options& options,
                 Findings& findings) {
    Races(program, queues, options, findings).run(order);
}

}  // namespace stepccl::prover
