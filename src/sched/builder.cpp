#include "sched/builder.h"

#include "sched/passes.h"

namespace stepccl {

const char* name_of(Op op) noexcept {
    switch (op) {
#define STEPCCL_OP(name, lanes, help) \
    case Op::name:                    \
        return #name;
#include "sched/ops.def"
#undef STEPCCL_OP
    }
    return "?";
}

Builder::Builder(const Problem& problem, uint32_t rank, uint32_t blocks) {
    schedule_.problem = problem;
    schedule_.rank = rank;
    schedule_.blocks = blocks;
    schedule_.epochs = 1;
}

uint32_t Builder::add_lane(LaneKind kind) {
    schedule_.lanes.push_back(kind);
    return static_cast<uint32_t>(schedule_.lanes.size() - 1);
}

uint32_t Builder::add_flag(bool once) {
    schedule_.once.push_back(once);
    return schedule_.flags++;
}

Step& Builder::add(Op op, uint32_t lane, Repeat repeat) {
    Step& step = schedule_.steps.emplace_back();
    step.op = op;
    step.lane = lane;
    step.repeat = repeat;
    step.first_src = static_cast<uint32_t>(schedule_.operands.size());
    return step;
}

void Builder::copy(uint32_t lane, Operand dst, Operand src, Repeat repeat) {
    Step& step = add(Op::copy, lane, repeat);
    step.dst = dst;
    step.nsrc = 1;
    schedule_.operands.push_back(src);
}

void Builder::reduce(uint32_t lane, Operand dst, std::span<const Operand> srcs) {
    Step& step = add(Op::reduce, lane, Repeat::each);
    step.dst = dst;
    step.nsrc = static_cast<uint32_t>(srcs.size());
    schedule_.operands.insert(schedule_.operands.end(), srcs.begin(), srcs.end());
}

void Builder::signal(uint32_t lane, uint32_t peer, uint32_t flag, Repeat repeat) {
    Step& step = add(Op::signal, lane, repeat);
    step.flag = {peer, rank(), flag};
    step.value = ++raised_[{peer, flag}];
}

void Builder::wait(uint32_t lane, uint32_t peer, uint32_t flag, Repeat repeat) {
    Step& step = add(Op::wait, lane, repeat);
    step.flag = {rank(), peer, flag};
    step.value = ++awaited_[{peer, flag}];
}

Schedule Builder::finish() && {
    infer_order(schedule_);
    return std::move(schedule_);
}

}  // namespace stepccl
