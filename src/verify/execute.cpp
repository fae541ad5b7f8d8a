#include "verify/execute.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "sched/text.h"
#include "verify/sample.h"

namespace stepccl {
namespace {

using sample::Element;
using sample::Region;

constexpr uint32_t kNobody = UINT32_MAX;

struct Queue {
    uint32_t rank = 0;
    std::vector<uint32_t> steps;
    size_t next = 0;
    // Of the step under way: what it has read and the mark it left where it will write.
    bool busy = false;
    std::vector<std::vector<Element>> read;
    uint64_t stamp = 0;
};

struct Rank {
    uint32_t call = 0;  // calls entered
    bool inside = false;
    std::vector<bool> done;  // by step, of this call
};

// Who may act: queues, then ranks' callers. An act is to start or end a copy or reduction, another step, or a caller's
// entry or exit.
class Run {
  public:
    Run(std::span<const Schedule> ranks, const Options& options, std::mt19937& random)
        : schedules_(ranks),
          any_(ranks[0]),
          options_(options),
          random_(random),
          memory_(any_, random),
          ranks_(ranks.size()) {
        flags_.assign(size_t{any_.problem.n} * any_.problem.n * any_.flags, 0);
        // Sometimes as the engine may map lanes at worst.
        LaneMap map = random() % 2 == 0 ? options.lane_map : LaneMap::own_queue_per_lane;
        for (uint32_t rank = 0; rank < ranks.size(); ++rank) add_queues(rank, map);
        priorities_.resize(queues_.size() + ranks_.size());
        for (uint32_t& priority : priorities_) priority = static_cast<uint32_t>(random_());
        uniform_ = random() % 2 == 0;
        for (uint32_t rank = 0; rank < ranks.size(); ++rank) fill_caller(rank);
    }

    std::string run() {
        for (const Schedule& schedule : schedules_) check_bounds(schedule);
        while (wrong_.empty()) {
            uint32_t actor = choose();
            if (actor == kNobody) break;
            act(actor);
        }
        if (wrong_.empty()) check_end();
        return wrong_;
    }

  private:
    template <typename... Args>
    void fail(const Args&... args) {
        if (wrong_.empty()) wrong_ = cat(args...);
    }

    void add_queues(uint32_t rank, LaneMap map) {
        const Schedule& schedule = schedules_[rank];
        size_t first = queues_.size();
        size_t count = map == LaneMap::own_queue_per_lane ? schedule.lanes.size() : map == LaneMap::one_queue ? 1 : 3;
        queues_.resize(first + count);
        for (uint32_t i = 0; i < schedule.steps.size(); ++i) {
            uint32_t lane = schedule.steps[i].lane;
            size_t kind = lane < schedule.lanes.size() ? static_cast<size_t>(schedule.lanes[lane]) : 0;
            size_t place = map == LaneMap::own_queue_per_lane ? lane : map == LaneMap::one_queue ? 0 : kind;
            queues_[first + place].steps.push_back(i);
        }
        for (size_t i = first; i < queues_.size(); ++i) queues_[i].rank = rank;
    }

    void check_bounds(const Schedule& schedule) {
        for (const Step& step : schedule.steps) {
            bool flag = step.op == Op::signal || step.op == Op::wait;
            const Flag& f = step.flag;
            if (flag && (f.owner >= ranks_.size() || f.writer >= ranks_.size() || f.index >= any_.flags))
                fail("no such flag");
            if (flag) continue;
            if (step.part != kWhole && step.part >= any_.parts) return fail("no such part");
            if (!memory_.exists(step.dst)) fail("no ", to_text(step.dst));
            for (const Operand& src : schedule.sources(step)) {
                if (!memory_.exists(src)) fail("no ", to_text(src));
            }
        }
    }

    bool may_act(uint32_t actor) {
        if (actor >= queues_.size()) {
            uint32_t rank = actor - static_cast<uint32_t>(queues_.size());
            if (ranks_[rank].inside) return finished(rank);
            return ranks_[rank].call < options_.calls;
        }
        const Queue& queue = queues_[actor];
        const Rank& rank = ranks_[queue.rank];
        if (!rank.inside || queue.next == queue.steps.size()) return false;
        if (queue.busy) return true;
        const Schedule& schedule = schedules_[queue.rank];
        const Step& step = schedule.steps[queue.steps[queue.next]];
        for (uint32_t dep : schedule.deps_of(step)) {
            if (!rank.done[dep]) return false;
        }
        return step.op != Op::wait || flag(step.flag) >= base(queue.rank) + step.value;
    }

    bool finished(uint32_t rank) const {
        return std::all_of(queues_.begin(), queues_.end(),
                           [&](const Queue& queue) { return queue.rank != rank || queue.next == queue.steps.size(); });
    }

    uint32_t choose() {
        std::vector<uint32_t> able;
        for (uint32_t i = 0; i < priorities_.size(); ++i) {
            if (may_act(i)) able.push_back(i);
        }
        if (able.empty()) return kNobody;
        if (uniform_) return able[random_() % able.size()];
        // Whoever has the highest priority runs on and on, so that others fall far behind.
        auto higher = [&](uint32_t a, uint32_t b) { return priorities_[a] < priorities_[b]; };
        uint32_t actor = *std::max_element(able.begin(), able.end(), higher);
        if (random_() % 8 == 0) priorities_[actor] = static_cast<uint32_t>(random_());
        return actor;
    }

    void act(uint32_t actor) {
        if (actor >= queues_.size()) {
            uint32_t rank = actor - static_cast<uint32_t>(queues_.size());
            return ranks_[rank].inside ? leave(rank) : enter(rank);
        }
        Queue& queue = queues_[actor];
        uint32_t index = queue.steps[queue.next];
        const Step& step = schedules_[queue.rank].steps[index];
        bool data = step.op == Op::copy || step.op == Op::reduce;
        if (data && !queue.busy) return start(queue, step);
        if (data) end(queue, step);
        if (step.op == Op::signal) flag(step.flag) = base(queue.rank) + step.value;
        ranks_[queue.rank].done[index] = true;
        ++queue.next;
    }

    void start(Queue& queue, const Step& step) {
        queue.busy = true;
        queue.read.clear();
        for (const Operand& src : schedules_[queue.rank].sources(step)) {
            Region from = memory_.region(src, step.part);
            queue.read.emplace_back(from.begin(), from.end());
        }
        queue.stamp = ++stamps_;
        Region to = memory_.region(step.dst, step.part);
        for (Element& element : to) element = sample::garbage(queue.stamp);
    }

    // What others changed meanwhile, under its eyes or under its hands, comes out as garbage.
    void end(Queue& queue, const Step& step) {
        queue.busy = false;
        Region to = memory_.region(step.dst, step.part);
        auto sources = schedules_[queue.rank].sources(step);
        std::vector<Element> elements;
        for (size_t i = 0; i < to.size(); ++i) {
            bool torn = to[i] != sample::garbage(queue.stamp);
            elements.clear();
            for (size_t s = 0; s < sources.size(); ++s) {
                Region from = memory_.region(sources[s], step.part);
                torn = torn || i >= from.size() || (from[i] != queue.read[s][i] && !inside(from[i], to));
                if (!torn) elements.push_back(queue.read[s][i]);
            }
            pending_.push_back(torn ? sample::garbage(++stamps_) : sample::combine(elements));
        }
        std::copy(pending_.begin(), pending_.end(), to.begin());
        pending_.clear();
    }

    static bool inside(const Element& element, Region region) {
        return !region.empty() && &element >= region.data() && &element < region.data() + region.size();
    }

    // The caller's own data, which nobody may touch before it enters and after it has left. The scratch is another
    // call's.
    void fill_caller(uint32_t rank) {
        for (Region region : owned(rank)) {
            for (Element& element : region) element = sample::garbage(caller_stamp(rank));
        }
    }

    void check_caller(uint32_t rank) {
        for (Region region : owned(rank)) {
            for (const Element& element : region) {
                if (element != sample::garbage(caller_stamp(rank)))
                    fail("rank ", rank, " was written to outside of its calls");
            }
        }
    }

    std::vector<Region> owned(uint32_t rank) {
        auto regions = memory_.caller(rank);
        if (options_.any_sequence) regions.push_back(memory_.scratch(rank));
        return regions;
    }

    uint64_t caller_stamp(uint32_t rank) const {
        return (uint64_t{1} << 40) + uint64_t{ranks_[rank].call} * ranks_.size() + rank;
    }

    void enter(uint32_t rank) {
        check_caller(rank);
        Rank& self = ranks_[rank];
        for (uint32_t block = 0; block < any_.blocks; ++block) {
            if (!has_in(any_.problem, rank, block)) continue;
            Region region = memory_.block(rank, Space::in, block);
            for (size_t i = 0; i < region.size(); ++i) region[i] = sample::input(self.call, rank, block, i);
        }
        self.inside = true;
        self.done.assign(schedules_[rank].steps.size(), false);
        for (Queue& queue : queues_) {
            if (queue.rank == rank) queue.next = 0;
        }
    }

    void leave(uint32_t rank) {
        for (uint32_t block = 0; block < any_.blocks; ++block) {
            if (has_out(any_.problem, rank, block)) check_out(rank, block);
            if (has_in(any_.problem, rank, block)) check_in(rank, block);
        }
        if (any_.problem.kind == Kind::barrier) check_barrier(rank);
        ranks_[rank].inside = false;
        ++ranks_[rank].call;
        fill_caller(rank);
    }

    void check_barrier(uint32_t rank) {
        for (const Rank& other : ranks_) {
            if (other.call + (other.inside ? 1 : 0) <= ranks_[rank].call)
                fail("rank ", rank, " left the barrier too early");
        }
    }

    void check_out(uint32_t rank, uint32_t block) {
        Expected want = expected(any_.problem, rank, block);
        Region got = memory_.block(rank, Space::out, block);
        for (size_t i = 0; i < got.size(); ++i) {
            if (!matches(rank, block, i, got[i], want))
                fail("rank ", rank, ": wrong out[", block, "] in call ", ranks_[rank].call + 1);
        }
    }

    bool matches(uint32_t rank, uint32_t block, size_t index, const Element& got, const Expected& want) {
        uint32_t call = ranks_[rank].call;
        if (want.what == Expected::What::copy) return got == sample::input(call, want.first, want.block, index);
        if (want.what == Expected::What::unchanged) {
            bool shared = alias(any_.problem, rank) == Alias::same;
            return got == (shared ? sample::input(call, rank, block, index) : sample::garbage(caller_stamp(rank)));
        }
        std::vector<Element> elements;
        for (uint32_t from = want.first; from <= want.last; ++from) {
            elements.push_back(sample::input(call, from, want.block, index));
        }
        Element all = sample::combine(elements);
        if (got.sum != all.sum) return false;
        if (!options_.reorders && (got.factor != all.factor || got.shift != all.shift)) return false;
        return any_.problem.kind != Kind::allreduce || same_bits(call, block, index, got);
    }

    // The first rank to leave says which bits.
    bool same_bits(uint32_t call, uint32_t block, size_t index, const Element& got) {
        auto [place, fresh] = trees_.try_emplace({call, block, index}, got.tree);
        return fresh || place->second == got.tree;
    }

    // Input that is not output as well is the caller's.
    void check_in(uint32_t rank, uint32_t block) {
        Alias shared = alias(any_.problem, rank);
        if (shared == Alias::front || (shared == Alias::same && has_out(any_.problem, rank, block))) return;
        Region region = memory_.block(rank, Space::in, block);
        for (size_t i = 0; i < region.size(); ++i) {
            if (region[i] != sample::input(ranks_[rank].call, rank, block, i))
                fail("rank ", rank, ": in[", block, "] was changed");
        }
    }

    void check_end() {
        for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            if (ranks_[rank].inside || ranks_[rank].call < options_.calls)
                return fail("stuck in call ", ranks_[rank].call + 1);
        }
        for (uint32_t rank = 0; rank < ranks_.size(); ++rank) check_caller(rank);
    }

    uint64_t base(uint32_t rank) const { return uint64_t{ranks_[rank].call} * any_.epochs; }
    uint64_t& flag(const Flag& flag) {
        return flags_[(size_t{flag.owner} * ranks_.size() + flag.writer) * any_.flags + flag.index];
    }

    std::span<const Schedule> schedules_;
    const Schedule& any_;
    const Options& options_;
    std::mt19937& random_;
    sample::Memory memory_;
    std::vector<Rank> ranks_;
    std::vector<Queue> queues_;
    std::vector<uint64_t> flags_;
    std::vector<uint32_t> priorities_;
    std::vector<Element> pending_;
    std::map<std::tuple<uint32_t, uint32_t, size_t>, uint64_t> trees_;
    bool uniform_ = false;
    uint64_t stamps_ = 0;
    std::string wrong_;
};

}  // namespace

std::string execute(std::span<const Schedule> ranks, const Options& options, std::mt19937& random) {
    return Run(ranks, options, random).run();
}

std::string execute_often(std::span<const Schedule> ranks, const Options& options, std::mt19937& random,
                          uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) {
        std::string wrong = execute(ranks, options, random);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace stepccl
