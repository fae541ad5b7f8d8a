// Order inside a rank, from what its steps read and write: the last writer of every cell and the readers since are
// remembered, per lane only the latest step, since a lane keeps its own order.

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "coll/placement.h"
#include "sched/passes.h"

namespace stepccl {
namespace {

// A cell is a buffer's block and part. Buffers that share memory share cells.
using Cell = uint64_t;

struct Users {
    std::vector<uint32_t> writers, readers;  // steps, at most one a lane
};

class Inference {
  public:
    explicit Inference(Schedule& schedule) : schedule_(schedule) {}

    void run() {
        schedule_.deps.clear();
        for (uint32_t i = 0; i < schedule_.steps.size(); ++i) visit(i);
    }

  private:
    void visit(uint32_t index) {
        Step& step = schedule_.steps[index];
        found_.clear();
        bool writes = step.op == Op::copy || step.op == Op::reduce || step.op == Op::recv;
        for (const Operand& src : schedule_.sources(step)) touch(src, step, index, false);
        if (writes) touch(step.dst, step, index, true);
        keep_latest(step.lane);
        step.first_dep = static_cast<uint32_t>(schedule_.deps.size());
        step.ndeps = static_cast<uint32_t>(found_.size());
        schedule_.deps.insert(schedule_.deps.end(), found_.begin(), found_.end());
    }

    void touch(const Operand& operand, const Step& step, uint32_t index, bool write) {
        uint32_t first = step.part == kWhole ? 0 : step.part;
        uint32_t last = step.part == kWhole ? schedule_.parts : step.part + 1;
        for (uint32_t part = first; part < last; ++part) access(operand, part, index, write);
    }

    void access(const Operand& operand, uint32_t part, uint32_t index, bool write) {
        Alias shared = operand.space == Space::scratch ? Alias::none : alias(schedule_.problem, operand.rank);
        if (shared == Alias::front) {
            across(operand, index, write);
        } else {
            Space space = shared == Alias::same ? Space::out : operand.space;
            // A scratch slot holds one block at a time; the verifier objects to a schedule that mixes blocks in a slot.
            bool slot = operand.space == Space::scratch;
            use(cell(operand.rank, space, slot ? operand.slot : operand.block, part), index, write);
        }
    }

    // Out lies across the blocks of in: the whole buffer is one cell for out, and in's blocks have theirs as well.
    void across(const Operand& operand, uint32_t index, bool write) {
        if (operand.space == Space::out) {
            for (uint32_t block = 0; block < schedule_.blocks; ++block) {
                use(cell(operand.rank, Space::in, block, 0), index, write);
            }
        } else {
            use(cell(operand.rank, Space::in, operand.block, 0), index, write);
        }
    }

    static Cell cell(uint32_t rank, Space space, uint32_t index, uint32_t part) {
        return (static_cast<Cell>(rank) << 40) | (static_cast<Cell>(space) << 38) | (static_cast<Cell>(index) << 16) | part;
    }

    void use(Cell where, uint32_t index, bool write) {
        Users& users = users_[where];
        found_.insert(found_.end(), users.writers.begin(), users.writers.end());
        if (write) {
            found_.insert(found_.end(), users.readers.begin(), users.readers.end());
            users.readers.clear();
            users.writers.assign(1, index);
        } else {
            remember(users.readers, index);
        }
    }

    // A later reader of the same lane stands for the earlier ones.
    void remember(std::vector<uint32_t>& steps, uint32_t index) {
        auto same_lane = [&](uint32_t other) { return schedule_.steps[other].lane == schedule_.steps[index].lane; };
        steps.erase(std::remove_if(steps.begin(), steps.end(), same_lane), steps.end());
        steps.push_back(index);
    }

    // Of the steps found, those on other lanes, the latest of each.
    void keep_latest(uint32_t own_lane) {
        std::sort(found_.begin(), found_.end(), std::greater<>());
        found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
        uint64_t seen = uint64_t{1} << own_lane;
        std::vector<uint32_t> kept;
        for (uint32_t step : found_) {
            uint64_t lane = uint64_t{1} << schedule_.steps[step].lane;
            if ((seen & lane) == 0) kept.push_back(step);
            seen |= lane;
        }
        std::reverse(kept.begin(), kept.end());
        found_ = std::move(kept);
    }

    Schedule& schedule_;
    std::unordered_map<Cell, Users> users_;
    std::vector<uint32_t> found_;
};

}  // namespace

void infer_order(Schedule& schedule) { Inference(schedule).run(); }

}  // namespace stepccl
