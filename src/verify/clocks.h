// Happens-before as vector clocks: one component a queue, and one a rank's caller.
#pragma once

#include <vector>

#include "verify/queues.h"

namespace stepccl::prover {

// The `position`-th thing (from 1 on) that happened on a queue; 0 is nothing.
struct Moment {
    uint32_t queue = 0;
    uint32_t position = 0;
    bool operator==(const Moment&) const = default;
};

// Fed with nodes and turns of callers in an order in which they can happen. A clock changes only when its queue learns
// something, so clocks are shared: a signal or a step that others depend on just keeps its queue's clock alive.
class Clocks {
  public:
    Clocks(const Program& program, const Queues& queues);

    // From begin to end, a node is what `before` and `now` are about.
    void begin(uint32_t node);
    void end(uint32_t node);
    // The caller of `rank` returns from one call, when all lanes are done, and enters the next.
    void begin_turn(uint32_t rank);
    void end_turn(uint32_t rank);

    Moment now() const { return {current_, position_[current_]}; }
    bool before(Moment moment) const {
        return moment.queue == current_ || clock(held_[current_])[moment.queue] >= moment.position;
    }
    // Whether a node of the current call, already seen, is ordered before.
    bool before_node(uint32_t node) const { return before({queues_.queue(node), node_position_[node]}); }

    uint32_t caller(uint32_t rank) const noexcept { return queues_.count() + rank; }
    bool is_caller(Moment moment) const noexcept { return moment.queue >= queues_.count(); }

  private:
    const uint32_t* clock(uint32_t id) const { return values_.data() + size_t{id} * width_; }
    uint32_t* clock(uint32_t id) { return values_.data() + size_t{id} * width_; }
    uint32_t fresh();
    void release(uint32_t id) {
        if (--uses_[id] == 0) free_.push_back(id);
    }
    void learn(uint32_t queue, Moment moment, uint32_t id);
    void learn_node(uint32_t queue, uint32_t node);

    const Program& program_;
    const Queues& queues_;
    uint32_t width_;
    uint32_t current_ = 0;
    std::vector<uint32_t> position_;              // by queue
    std::vector<uint32_t> held_;                  // by queue: its clock, but for its own component, which is position_
    std::vector<uint32_t> node_position_;         // by node
    std::vector<uint32_t> node_clock_;            // by node that others wait for
    std::vector<uint32_t> followers_;             // by node: how many wait for it
    std::vector<uint32_t> left_;                  // by node: of these, how many are still to come in this call
    std::vector<uint32_t> values_, uses_, free_;  // the clocks
};

}  // namespace stepccl::prover
