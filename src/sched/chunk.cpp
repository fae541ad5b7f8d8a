#include "sched/passes.h"

namespace stepccl {
namespace {

class Chunker {
  public:
    Chunker(const Schedule& from, uint32_t parts) : from_(from), to_(from), parts_(parts) {
        to_.parts = parts;
        to_.epochs = from.epochs * parts;
        to_.steps.clear();
    }

    Schedule run() && {
        if (from_.order == Order::by_part) {
            for (uint32_t part = 0; part < parts_; ++part) {
                for (const Step& step : from_.steps) emit(step, part);
            }
        } else {
            for (const Step& step : from_.steps) {
                for (uint32_t part = 0; part < parts_; ++part) emit(step, part);
            }
        }
        infer_order(to_);
        return std::move(to_);
    }

  private:
    static bool has_flag(const Step& step) { return step.op == Op::signal || step.op == Op::wait; }

    void emit(const Step& step, uint32_t part) {
        if (step.repeat == Repeat::first && part != 0) return;
        if (step.repeat == Repeat::last && part != parts_ - 1) return;
        Step& out = to_.steps.emplace_back(step);
        out.part = step.repeat == Repeat::each ? part : kWhole;
        if (has_flag(step) && !from_.once[step.flag.index]) out.value = value(step.value, part);
    }

    // Values grow in the order in which a lane raises them: part by part, or step by step.
    uint32_t value(uint32_t value, uint32_t part) const {
        return from_.order == Order::by_part ? part * from_.epochs + value : (value - 1) * parts_ + part + 1;
    }

    const Schedule& from_;
    Schedule to_;
    uint32_t parts_;
};

}  // namespace

Schedule chunk(const Schedule& schedule, uint32_t parts) {
    return Chunker(schedule, parts).run();
}

}  // namespace stepccl
