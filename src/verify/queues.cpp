#include "verify/queues.h"

#include "base/text.h"

namespace stepccl::prover {
namespace {

// Where a lane goes among its rank's queues.
uint32_t place(const Schedule& schedule, uint32_t lane, LaneMap map) {
    switch (map) {
        case LaneMap::own_queue_per_lane:
            return lane;
        case LaneMap::one_queue_per_kind:
            return static_cast<uint32_t>(schedule.lanes[lane]);
        case LaneMap::one_queue:
            return 0;
    }
    return 0;
}

uint32_t places(const Schedule& schedule, LaneMap map) {
    constexpr uint32_t kLaneKinds = 3;
    uint32_t lanes = static_cast<uint32_t>(schedule.lanes.size());
    return map == LaneMap::own_queue_per_lane ? lanes : map == LaneMap::one_queue_per_kind ? kLaneKinds : 1;
}

const char* text_of(LaneMap map) {
    switch (map) {
        case LaneMap::own_queue_per_lane:
            return "with a queue for every lane";
        case LaneMap::one_queue_per_kind:
            return "with one queue for all lanes of a kind";
        case LaneMap::one_queue:
            return "with one queue for all lanes of a rank";
    }
    return "";
}

class Runner {
  public:
    Runner(const Program& program, const Queues& queues) : program_(program), queues_(queues) {
        done_.assign(program.nodes(), false);
        next_.assign(queues.count(), 0);
        first_waiter_.assign(program.nodes(), kNone);
        next_waiter_.assign(queues.count(), kNone);
        order_.reserve(program.nodes());
    }

    void run() {
        for (uint32_t queue = 0; queue < queues_.count(); ++queue) {
            ready_.push_back(queue);
            while (!ready_.empty()) {
                uint32_t next = ready_.back();
                ready_.pop_back();
                advance(next);
            }
        }
    }

    std::vector<uint32_t> take_order() { return std::move(order_); }

    // Follows "waits for" from the first stuck queue until it ends or comes round.
    void explain(LaneMap map, Findings& findings) const {
        uint32_t queue = 0, stuck = 0;
        for (uint32_t i = queues_.count(); i-- > 0;) {
            if (head(i) != kNone) queue = i, ++stuck;
        }
        std::vector<uint32_t> path;
        while (queue != kNone && std::find(path.begin(), path.end(), queue) == path.end()) {
            path.push_back(queue);
            uint32_t awaited = blocker(head(queue));
            queue = awaited == kNone ? kNone : queues_.queue(awaited);
        }
        if (queue != kNone) path.erase(path.begin(), std::find(path.begin(), path.end(), queue));
        findings.add(Fault::deadlock, text_of(map), ", ", stuck, stuck == 1 ? " queue is" : " queues are",
                     " stuck: ", chain(path, queue != kNone));
    }

  private:
    uint32_t head(uint32_t queue) const {
        auto nodes = queues_.nodes(queue);
        return next_[queue] < nodes.size() ? nodes[next_[queue]] : kNone;
    }

    // A node that must be complete before `node` and is not; `node` itself when nothing is missing; kNone when nobody
    // ever will.
    uint32_t blocker(uint32_t node) const {
        const Step& step = program_.step(node);
        const Schedule& schedule = program_.schedule(program_.rank(node));
        for (uint32_t dep : schedule.deps_of(step)) {
            uint32_t other = program_.node(schedule.rank, dep);
            if (!done_[other]) return other;
        }
        if (step.op != Op::wait) return node;
        uint32_t signal = program_.partner(node);
        return signal == kNone || !done_[signal] ? signal : node;
    }

    void advance(uint32_t queue) {
        for (uint32_t node = head(queue); node != kNone; node = head(queue)) {
            uint32_t awaited = blocker(node);
            if (awaited != node) return sleep(queue, awaited);
            complete(node);
            ++next_[queue];
        }
    }

    void sleep(uint32_t queue, uint32_t awaited) {
        if (awaited == kNone) return;
        next_waiter_[queue] = first_waiter_[awaited];
        first_waiter_[awaited] = queue;
    }

    void complete(uint32_t node) {
        done_[node] = true;
        order_.push_back(node);
        for (uint32_t queue = first_waiter_[node]; queue != kNone; queue = next_waiter_[queue]) ready_.push_back(queue);
    }

    std::string chain(const std::vector<uint32_t>& path, bool cycle) const {
        std::string text;
        for (uint32_t queue : path) {
            uint32_t waiting = head(queue), awaited = blocker(waiting);
            text += cat(text.empty() ? "" : "; ", program_.text(waiting));
            if (awaited == kNone) return text + " waits for a value that nobody raises its flag to";
            text += cat(" waits for ", program_.text(awaited));
            if (head(queues_.queue(awaited)) != awaited)
                text += cat(", which stands behind ", program_.text(head(queues_.queue(awaited))));
        }
        return text + (cycle ? ": a cycle" : "");
    }

    const Program& program_;
    const Queues& queues_;
    std::vector<bool> done_;              // by node
    std::vector<uint32_t> next_;          // by queue: position of its head
    std::vector<uint32_t> first_waiter_;  // by node: a queue that sleeps until it is done
    std::vector<uint32_t> next_waiter_;   // by queue: another that sleeps for the same node
    std::vector<uint32_t> ready_;         // queues
    std::vector<uint32_t> order_;         // nodes
};

}  // namespace

Queues::Queues(const Program& program, LaneMap map) {
    first_of_rank_.push_back(0);
    for (uint32_t rank = 0; rank < program.n(); ++rank) {
        first_of_rank_.push_back(first_of_rank_.back() + places(program.schedule(rank), map));
    }
    queue_.resize(program.nodes());
    first_.assign(first_of_rank_.back() + 2, 0);
    for (uint32_t i = 0; i < program.nodes(); ++i) {
        uint32_t rank = program.rank(i);
        queue_[i] = first_of_rank_[rank] + place(program.schedule(rank), program.step(i).lane, map);
        ++first_[queue_[i] + 2];
    }
    for (size_t i = 2; i < first_.size(); ++i) first_[i] += first_[i - 1];
    list_.resize(program.nodes());
    for (uint32_t i = 0; i < program.nodes(); ++i) list_[first_[queue_[i] + 1]++] = i;
    first_.pop_back();
}

std::vector<uint32_t> run_queues(const Program& program, const Queues& queues, LaneMap map, Findings& findings) {
    Runner runner(program, queues);
    runner.run();
    std::vector<uint32_t> order = runner.take_order();
    if (order.size() < program.nodes()) runner.explain(map, findings);
    return order;
}

}  // namespace stepccl::prover
