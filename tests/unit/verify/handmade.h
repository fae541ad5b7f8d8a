// Schedules written by hand for the prover's tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sched/builder.h"
#include "sched/passes.h"
#include "verify/verify.h"

namespace stepccl {

// The schedules of all ranks; `write` is called for each.
inline std::vector<Schedule> all_ranks(const Problem& problem, uint32_t blocks,
                                       const std::function<void(Builder&)>& write) {
    std::vector<Schedule> out;
    for (uint32_t rank = 0; rank < problem.n; ++rank) {
        Builder builder(problem, rank, blocks);
        write(builder);
        out.push_back(std::move(builder).finish());
    }
    return out;
}

// All findings as text, for messages; empty when there are none.
inline std::string texts(const Report& report) {
    std::string out;
    for (const Finding& finding : report.findings)
        out += std::string(name_of(finding.fault)) + ": " + finding.text + "\n";
    return out;
}

// Whether there is a finding of this fault whose text contains `words`, and none of another fault.
inline bool only(const Report& report, Fault fault, const std::string& words = "") {
    bool found = false;
    for (const Finding& finding : report.findings) {
        if (finding.fault != fault) return false;
        found = found || finding.text.find(words) != std::string::npos;
    }
    return found;
}

// A right all-gather of two or more ranks: what the faults are seeded into.
struct Push {
    bool ready = true;         // tells that its buffers may be written
    bool await_ready = true;   // waits for the others' word
    bool await_blocks = true;  // waits for the others' blocks before it leaves

    void operator()(Builder& b) const {
        uint32_t lane = b.copy_lane(), free = b.flag(), sent = b.flag();
        Operand own = b.in(b.rank(), b.rank());
        for (uint32_t d = 1; ready && d < b.n(); ++d) b.signal(lane, b.ahead(d), free);
        for (uint32_t d = 1; await_ready && d < b.n(); ++d) b.wait(lane, b.behind(d), free);
        b.copy(lane, b.out(b.rank(), b.rank()), own);
        for (uint32_t d = 1; d < b.n(); ++d) {
            b.copy(lane, b.out(b.ahead(d), b.rank()), own);
            b.signal(lane, b.ahead(d), sent);
        }
        for (uint32_t d = 1; await_blocks && d < b.n(); ++d) b.wait(lane, b.behind(d), sent);
    }
};

// An all-gather in which every rank fetches the others' blocks, with or without a last word that it has done so.
struct Pull {
    bool acknowledge = true;

    void operator()(Builder& b) const {
        uint32_t lane = b.copy_lane(), ready = b.flag(), fetched = b.flag();
        for (uint32_t d = 1; d < b.n(); ++d) b.signal(lane, b.ahead(d), ready);
        b.copy(lane, b.out(b.rank(), b.rank()), b.in(b.rank(), b.rank()));
        for (uint32_t d = 1; d < b.n(); ++d) {
            b.wait(lane, b.behind(d), ready);
            b.copy(lane, b.out(b.rank(), b.behind(d)), b.in(b.behind(d), b.behind(d)));
            b.signal(lane, b.behind(d), fetched);
        }
        for (uint32_t d = 1; acknowledge && d < b.n(); ++d) b.wait(lane, b.ahead(d), fetched);
    }
};

// An all-reduce of vectors of one block by way of a slot for every rank. `sources` gives the order in which a rank
// folds.
struct OneShot {
    std::function<std::vector<uint32_t>(uint32_t rank, uint32_t n)> sources = in_order;
    bool ready = true;

    static std::vector<uint32_t> in_order(uint32_t, uint32_t n) {
        std::vector<uint32_t> out;
        for (uint32_t rank = 0; rank < n; ++rank) out.push_back(rank);
        return out;
    }

    void operator()(Builder& b) const {
        uint32_t lane = b.copy_lane(), reduce = b.reduce_lane(), free = b.flag(), sent = b.flag(),
                 slots = b.scratch(b.n());
        for (uint32_t d = 1; ready && d < b.n(); ++d) b.signal(lane, b.ahead(d), free);
        for (uint32_t d = 1; ready && d < b.n(); ++d) b.wait(lane, b.behind(d), free);
        for (uint32_t d = 1; d < b.n(); ++d) {
            b.copy(lane, b.scratch(b.ahead(d), slots + b.rank(), 0), b.in(b.rank(), 0));
            b.signal(lane, b.ahead(d), sent);
        }
        for (uint32_t d = 1; d < b.n(); ++d) b.wait(reduce, b.behind(d), sent);
        std::vector<Operand> operands;
        for (uint32_t rank : sources(b.rank(), b.n())) {
            operands.push_back(rank == b.rank() ? b.in(rank, 0) : b.scratch(b.rank(), slots + rank, 0));
        }
        b.reduce(reduce, b.out(b.rank(), 0), operands);
    }
};

}  // namespace stepccl
