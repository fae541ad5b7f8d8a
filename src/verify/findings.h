// Collects findings, up to a number of texts.
#pragma once

#include <algorithm>

#include "base/text.h"
#include "verify/verify.h"

namespace stepccl::prover {

class Findings {
  public:
    Findings(Report& report, size_t texts) : report_(report), texts_(texts) {}

    // The text is made only if it is kept.
    template <typename... Args>
    void add(Fault fault, const Args&... args) {
        if (wants_text(fault)) report_.findings.push_back({fault, cat(args...)});
        count();
    }
    // One of a kind is always kept.
    bool wants_text(Fault fault) const { return report_.findings.size() < texts_ || !report_.has(fault); }
    // A finding whose text nobody wants.
    void count() { ++report_.found; }
    uint64_t found() const noexcept { return report_.found; }

  private:
    Report& report_;
    size_t texts_;
};

}  // namespace stepccl::prover
