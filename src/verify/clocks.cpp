#include "verify/clocks.h"

namespace stepccl::prover {

Clocks::Clocks(const Program& program, const Queues& queues)
    : program_(program), queues_(queues), width_(queues.count() + program.n()) {
    position_.assign(width_, 0);
    held_.assign(width_, 0);
    values_.assign(width_, 0);
    uses_.assign(1, width_);
    node_position_.assign(program.nodes(), 0);
    node_clock_.assign(program.nodes(), 0);
    followers_.assign(program.nodes(), 0);
    for (uint32_t i = 0; i < program.nodes(); ++i) {
        const Schedule& schedule = program.schedule(program.rank(i));
        for (uint32_t dep : schedule.deps_of(program.step(i))) ++followers_[program.node(schedule.rank, dep)];
        if (program.step(i).op == Op::wait) ++followers_[program.partner(i)];
    }
    left_ = followers_;
}

uint32_t Clocks::fresh() {
    if (free_.empty()) {
        free_.push_back(static_cast<uint32_t>(uses_.size()));
        uses_.push_back(0);
        values_.resize(values_.size() + width_);
    }
    uint32_t id = free_.back();
    free_.pop_back();
    uses_[id] = 1;
    return id;
}

// `queue` learns that `moment` has happened, and all that clock `id` knows.
void Clocks::learn(uint32_t queue, Moment moment, uint32_t id) {
    uint32_t own = held_[queue];
    if (moment.position == 0 || clock(own)[moment.queue] >= moment.position) return;
    uint32_t target = uses_[own] == 1 ? own : fresh();
    const uint32_t *a = clock(own), *b = clock(id);
    uint32_t* out = clock(target);
    for (uint32_t i = 0; i < width_; ++i) out[i] = a[i] < b[i] ? b[i] : a[i];
    out[moment.queue] = moment.position;
    if (target != own) release(own);
    held_[queue] = target;
}

void Clocks::learn_node(uint32_t queue, uint32_t node) {
    uint32_t other = queues_.queue(node);
    if (other != queue) learn(queue, {other, node_position_[node]}, node_clock_[node]);
    if (--left_[node] == 0) release(node_clock_[node]);
}

void Clocks::begin(uint32_t node) {
    const Step& step = program_.step(node);
    const Schedule& schedule = program_.schedule(program_.rank(node));
    current_ = queues_.queue(node);
    for (uint32_t dep : schedule.deps_of(step)) learn_node(current_, program_.node(schedule.rank, dep));
    if (step.op == Op::wait) learn_node(current_, program_.partner(node));
    node_position_[node] = ++position_[current_];
}

void Clocks::end(uint32_t node) {
    if (followers_[node] == 0) return;
    node_clock_[node] = held_[current_];
    left_[node] = followers_[node];
    ++uses_[held_[current_]];
}

void Clocks::begin_turn(uint32_t rank) {
    current_ = caller(rank);
    for (uint32_t queue = queues_.first_of_rank(rank); queue < queues_.first_of_rank(rank + 1); ++queue) {
        learn(current_, {queue, position_[queue]}, held_[queue]);
    }
    ++position_[current_];
}

void Clocks::end_turn(uint32_t rank) {
    for (uint32_t queue = queues_.first_of_rank(rank); queue < queues_.first_of_rank(rank + 1); ++queue) {
        learn(queue, now(), held_[current_]);
    }
}

}  // namespace stepccl::prover
