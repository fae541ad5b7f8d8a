// How an algorithm writes a schedule down: lanes, flags and scratch by name, values and order inside the rank inferred.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <utility>

#include "sched/schedule.h"

namespace stepccl {

class Builder {
  public:
    // `blocks` is Schedule::blocks.
    Builder(const Problem& problem, uint32_t rank, uint32_t blocks);

    const Problem& problem() const noexcept { return schedule_.problem; }
    uint32_t n() const noexcept { return schedule_.problem.n; }
    uint32_t rank() const noexcept { return schedule_.rank; }
    uint32_t root() const noexcept { return schedule_.problem.root; }
    bool is_root() const noexcept { return rank() == root(); }
    bool in_place() const noexcept { return schedule_.problem.in_place; }
    // The rank `distance` behind this one on the ring of ranks.
    uint32_t ahead(uint32_t distance) const noexcept { return (rank() + distance) % n(); }
    uint32_t behind(uint32_t distance) const noexcept { return (rank() + n() - distance % n()) % n(); }

    // Resources. All ranks must ask for the same ones in the same order.
    uint32_t copy_lane() { return add_lane(LaneKind::copy); }
    uint32_t reduce_lane() { return add_lane(LaneKind::reduce); }
    // A flag that is raised for every part; one that is raised as often however many parts there are.
    uint32_t flag() { return add_flag(false); }
    uint32_t flag_once() { return add_flag(true); }
    // `count` more slots; the first of them.
    uint32_t scratch(uint32_t count) { return std::exchange(schedule_.scratch_slots, schedule_.scratch_slots + count); }
    // How often any one flag is raised at most, on any pair of ranks, in a schedule of one part. 1 unless said otherwise.
    void epochs(uint32_t most) { schedule_.epochs = most; }
    void order(Order order) { schedule_.order = order; }

    // Operands.
    Operand in(uint32_t rank, uint32_t block) const { return {rank, Space::in, 0, block}; }
    Operand out(uint32_t rank, uint32_t block) const { return {rank, Space::out, 0, block}; }
    Operand scratch(uint32_t rank, uint32_t slot, uint32_t block) const { return {rank, Space::scratch, slot, block}; }

    // Steps. `repeat` is for what is said once however many parts there are.
    void copy(uint32_t lane, Operand dst, Operand src, Repeat repeat = Repeat::each);
    void reduce(uint32_t lane, Operand dst, std::span<const Operand> srcs);
    void reduce(uint32_t lane, Operand dst, std::initializer_list<Operand> srcs) {
        reduce(lane, dst, std::span(srcs.begin(), srcs.size()));
    }
    // The k-th signal to a peer by a flag raises it to k; the k-th wait for that peer's flag waits for k.
    void signal(uint32_t lane, uint32_t peer, uint32_t flag, Repeat repeat = Repeat::each);
    void wait(uint32_t lane, uint32_t peer, uint32_t flag, Repeat repeat = Repeat::each);

    // The schedule of one part, its order inside the rank inferred from what steps read and write.
    Schedule finish() &&;

  private:
    uint32_t add_lane(LaneKind kind);
    uint32_t add_flag(bool once);
    Step& add(Op op, uint32_t lane, Repeat repeat);

    Schedule schedule_;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> raised_, awaited_;  // (peer, flag) -> last value
};

}  // namespace stepccl
