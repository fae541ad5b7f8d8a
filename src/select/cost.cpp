#include "select/cost.h"

#include <algorithm>

#include "coll/placement.h"

namespace stepccl {
namespace {

// Of the busiest rank, in blocks of block_bytes.
struct Work {
    double block_bytes = 0;
    double hops = 0;
    double sent = 0;
    double port = 0;    // blocks through its busier direction
    double rounds = 0;  // reductions one after the other
};

bool ends_at_root(const CallShape& call) {
    Problem problem{call.kind, call.n, 0, false};
    return info(call.kind).rooted && has_out(problem, 0, 0) && !has_out(problem, 1, 1);
}

double block_bytes(const Algorithm& algorithm, const CallShape& call) {
    return static_cast<double>(call.bytes.value_or(0)) / algorithm.blocks(call.n);
}

Work work_of(const Algorithm& algorithm, const CallShape& call) {
    Work out;
    out.block_bytes = block_bytes(algorithm, call);
    if (call.n < 2) return out;
    out.hops = algorithm.steps(call.n);
    out.sent = algorithm.sent(call.n);
    // Where the result is at the root alone, the block that each of the others sends last meets n - 2 more at the root.
    out.port = out.sent + (ends_at_root(call) ? call.n - 2 : 0);
    if (!info(call.kind).reduces) return out;
    // A vector in blocks is first reduced and then brought together again, in as many hops.
    bool gathered = info(call.kind).shape == Shape::vector && algorithm.blocks(call.n) > 1;
    out.rounds = gathered ? (algorithm.steps(call.n) + 1) / 2 : algorithm.steps(call.n);
    return out;
}

// The own block that has to get from one buffer to the other.
double local_bytes(const CallShape& call) {
    const KindInfo& kind = info(call.kind);
    bool copied = kind.shape == Shape::blocks || (kind.reduces && call.n == 1);
    if (call.in_place || !copied) return 0;
    return static_cast<double>(call.bytes.value_or(0)) / call.n;
}

double posting_us(const Work& work, const CostModel& model) {
    return work.hops * model.post_batch_us + work.sent * (model.post_copy_us + model.post_signal_us) +
           work.rounds * model.post_kernel_us;
}

}  // namespace

CostModel h200_costs(uint32_t reduce_ctas) {
    CostModel out;
    out.reduce_bytes_per_us = std::min(87e3 * reduce_ctas, 4.2e6);
    return out;
}

uint32_t most_parts(const Algorithm& algorithm, const CallShape& call) {
    double elements = block_bytes(algorithm, call) / std::max(call.element_bytes, 1u);
    return static_cast<uint32_t>(std::clamp(elements, 1.0, static_cast<double>(kMostParts)));
}

double predict_us(const Algorithm& algorithm, const CallShape& call, const Link& link, const CostModel& model,
                  uint32_t parts) {
    Work work = work_of(algorithm, call);
    double rate = link.bytes_per_us > 0 ? link.bytes_per_us * model.payload_share : model.unlinked_bytes_per_us;
    double wire = work.port * work.block_bytes / rate;
    double path = std::max(work.hops, work.port) * work.block_bytes / rate;
    double others = call.n > 1 && work.rounds > 0 ? call.n - 1 : 0;
    // What arrives is read once; each round reads what was there before and writes its result.
    double reduce_path = (others + 2 * work.rounds) * work.block_bytes / model.reduce_bytes_per_us;
    double reduce = others > 0 ? reduce_path * std::min(work.port, others) / others : 0;
    double busiest = std::max({wire, reduce, local_bytes(call) / model.local_bytes_per_us});
    double fill = std::max(path + reduce_path - busiest, 0.0);
    return model.call_us + work.hops * (model.hop_us + link.latency_us) + work.rounds * model.reduce_start_us +
           busiest + fill / parts + parts * posting_us(work, model);
}

}  // namespace stepccl
