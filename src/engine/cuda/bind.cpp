#include <algorithm>

#include "base/checked.h"
#include "base/text.h"
#include "engine/cuda/kernel_builder.h"
#include "engine/cuda/pad.h"
#include "engine/cuda/plan.h"
#include "sched/text.h"

namespace stepccl::cuda {
namespace {

class Binder {
  public:
    explicit Binder(const Binding& binding)
        : binding_(binding), schedule_(*binding.schedule), pads_(schedule_.problem.n), bytes_(size_of(binding.type)) {
        plan_.lanes = static_cast<uint32_t>(schedule_.lanes.size());
        plan_.epochs = schedule_.epochs;
        plan_.type = binding.type;
        plan_.op = binding.op;
        find_sources_of_order();
    }

    Result<Plan> run() && {
        for (uint32_t i = 0; i < schedule_.steps.size(); ++i) STEPCCL_TRY(add(i));
        plan_.lane_values = std::max(plan_.lane_values, kernel_.reductions());
        plan_.kernel = std::move(kernel_).finish(lane_flag(kernel_lane_));
        if (plan_.kernel.entries.size() > PadLayout::kArrivals) {
            return Status(Code::ERR_INTERNAL, cat("a reduction of ", plan_.kernel.entries.size(), " steps is too long; use fewer parts"));
        }
        return std::move(plan_);
    }

  private:
    // Order between lanes: events from one copy lane to another, flags where the reduction kernel is on either side, since
    // it is one launch that nobody can record an event inside.
    struct Order {
        bool by_event = false, by_flag = false;
        uint32_t event = 0, value = 0;
    };

    bool reduces(uint32_t lane) const { return schedule_.lanes[lane] == LaneKind::reduce; }

    void find_sources_of_order() {
        order_.resize(schedule_.steps.size());
        for (const Step& step : schedule_.steps) {
            for (uint32_t dep : schedule_.deps_of(step)) {
                bool kernel = reduces(step.lane) || reduces(schedule_.steps[dep].lane);
                (kernel ? order_[dep].by_flag : order_[dep].by_event) = true;
            }
        }
    }

    Status add(uint32_t index) {
        const Step& step = schedule_.steps[index];
        for (uint32_t dep : schedule_.deps_of(step)) await(step, dep);
        switch (step.op) {
            case Op::copy:
                STEPCCL_TRY(add_copy(step));
                break;
            case Op::reduce:
                STEPCCL_TRY(add_reduce(step));
                break;
            case Op::signal:
            case Op::wait:
                STEPCCL_TRY(add_flag(step));
                break;
            case Op::send:
            case Op::recv:
                return Status(Code::ERR_INTERNAL, "this engine has no network lanes");
        }
        announce(step, index);
        return {};
    }

    void await(const Step& step, uint32_t dep) {
        const Step& source = schedule_.steps[dep];
        if (reduces(step.lane) || reduces(source.lane)) {
            flag(step.lane, {true, Base::lane, lane_flag(source.lane), order_[dep].value});
        } else {
            command(Command::What::await, step.lane, order_[dep].event);
        }
    }

    void announce(const Step& step, uint32_t index) {
        Order& order = order_[index];
        if (order.by_event) {
            order.event = plan_.events++;
            command(Command::What::record, step.lane, order.event);
        }
        if (order.by_flag && reduces(step.lane)) {
            order.value = kernel_.reductions();
            kernel_.announce(order.value);
        } else if (order.by_flag) {
            order.value = ++lane_values_[step.lane];
            plan_.lane_values = std::max(plan_.lane_values, order.value);
            flag(step.lane, {false, Base::lane, lane_flag(step.lane), order.value});
        }
    }

    DevicePtr lane_flag(uint32_t lane) const { return binding_.pad[schedule_.rank] + pads_.lane_flag(lane); }

    Status add_flag(const Step& step) {
        DevicePtr pad = binding_.pad[step.flag.owner];
        if (pad == 0) return unreachable(step, step.flag.owner);
        flag(step.lane, {step.op == Op::wait, Base::epoch, pad + pads_.flag(step.flag.writer, step.flag.index), step.value});
        return {};
    }

    void flag(uint32_t lane, const FlagOp& op) {
        if (reduces(lane)) {
            launch(lane);
            return op.wait ? kernel_.wait(op) : kernel_.signal(op);
        }
        uint32_t index = static_cast<uint32_t>(plan_.flag_ops.size());
        plan_.flag_ops.push_back(op);
        extend(Command::What::flags, lane, index);
    }

    // Once, before everything else of its lane: the kernel waits by itself.
    void launch(uint32_t lane) {
        if (!kernel_.empty()) return;
        kernel_lane_ = lane;
        command(Command::What::launch, lane, 0);
    }

    Status add_copy(const Step& step) {
        Range dst, src;
        STEPCCL_TRY(locate(step, step.dst, dst));
        STEPCCL_TRY(locate(step, schedule_.sources(step)[0], src));
        note_mismatch(step, dst.bytes, src.bytes);
        uint64_t bytes = std::min(dst.bytes, src.bytes);
        if (bytes == 0) return {};
        plan_.copied_bytes += bytes;
        dst.bytes = src.bytes = bytes;
        bool joins = can_join(step.lane, dst, src);
        uint32_t index = static_cast<uint32_t>(plan_.copy_ops.size());
        plan_.copy_ops.push_back({dst.address, src.address, bytes});
        joins ? extend(Command::What::copies, step.lane, index) : command(Command::What::copies, step.lane, index, 1);
        return {};
    }

    // A batch promises no order inside: only copies that do not touch each other's memory share one.
    bool can_join(uint32_t lane, const Range& dst, const Range& src) const {
        if (plan_.commands.empty()) return true;
        const Command& last = plan_.commands.back();
        if (last.what != Command::What::copies || last.lane != lane) return true;
        for (uint32_t i = last.first; i < last.first + last.count; ++i) {
            const CopyOp& other = plan_.copy_ops[i];
            Range other_dst{other.dst, other.bytes}, other_src{other.src, other.bytes};
            if (dst.overlaps(other_dst) || dst.overlaps(other_src) || src.overlaps(other_dst)) return false;
        }
        return true;
    }

    Status add_reduce(const Step& step) {
        Range dst;
        STEPCCL_TRY(locate(step, step.dst, dst));
        std::vector<Range> srcs(step.nsrc);
        for (uint32_t i = 0; i < step.nsrc; ++i) {
            STEPCCL_TRY(locate(step, schedule_.sources(step)[i], srcs[i]));
            note_mismatch(step, dst.bytes, srcs[i].bytes);
            dst.bytes = std::min(dst.bytes, srcs[i].bytes);
        }
        for (Range& src : srcs) src.bytes = dst.bytes;
        launch(step.lane);
        kernel_.reduce(dst, srcs, dst.bytes / bytes_);
        plan_.reduced_bytes += dst.bytes;
        return {};
    }

    Status locate(const Step& step, const Operand& operand, Range& out) const {
        uint32_t part = step.part == kWhole ? 0 : step.part, parts = step.part == kWhole ? 1 : schedule_.parts;
        const Layout* layout = binding_.scratch_layout;
        DevicePtr base = 0;
        switch (operand.space) {
            case Space::in:
                layout = binding_.in_layout;
                base = operand.rank == schedule_.rank ? binding_.in : 0;
                break;
            case Space::out:
                layout = binding_.out_layouts[operand.rank];
                base = binding_.out[operand.rank];
                break;
            case Space::scratch:
                base = binding_.scratch[operand.rank];
                break;
        }
        if (layout == nullptr) return Status(Code::ERR_INTERNAL, cat("no layout for ", to_text(operand)));
        Extent share = layout->part(operand.block, binding_.round, binding_.rounds);
        uint64_t begin = split_point(share.count, part, parts), end = split_point(share.count, part + 1, parts);
        out.bytes = (end - begin) * bytes_;
        if (out.bytes == 0) return {};
        if (base == 0) return unreachable(step, operand.rank);
        uint64_t offset = operand.space == Space::scratch ? operand.slot * binding_.slot_bytes : share.offset * bytes_;
        out.address = base + offset + begin * bytes_;
        return {};
    }

    Status unreachable(const Step& step, uint32_t rank) const {
        return Status(Code::ERR_INTERNAL, cat("rank ", schedule_.rank, " does not reach a buffer of rank ", rank, " for: ", to_text(schedule_, step)));
    }

    void note_mismatch(const Step& step, uint64_t dst, uint64_t src) {
        if (dst == src || !plan_.mismatch.empty()) return;
        plan_.mismatch = cat("counts differ: ", src, " bytes sent, ", dst, " bytes expected, in: ", to_text(schedule_, step));
    }

    void command(Command::What what, uint32_t lane, uint32_t first, uint32_t count = 0) {
        plan_.commands.push_back({what, lane, first, count});
    }

    // One more operation for the last command if that is of the same lane and sort, else a new command.
    void extend(Command::What what, uint32_t lane, uint32_t index) {
        if (!plan_.commands.empty()) {
            Command& last = plan_.commands.back();
            if (last.what == what && last.lane == lane && last.first + last.count == index) return void(++last.count);
        }
        command(what, lane, index, 1);
    }

    const Binding& binding_;
    const Schedule& schedule_;
    PadLayout pads_;
    uint64_t bytes_;
    Plan plan_;
    std::vector<Order> order_;
    KernelBuilder kernel_;
    uint32_t kernel_lane_ = 0;
    uint32_t lane_values_[PadLayout::kLanes] = {};
};

}  // namespace

Result<Plan> bind(const Binding& binding) {
    return Binder(binding).run();
}

}  // namespace stepccl::cuda
