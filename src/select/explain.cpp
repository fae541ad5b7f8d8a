#include <iomanip>

#include "base/params.h"
#include "base/text.h"
#include "select/choose.h"

namespace stepccl {
namespace {

constexpr const char* kEngineNames[] = {"copy engines"};

std::string one_decimal(double value) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(1) << value;
    return std::move(out).str();
}

std::string title(const Choice& choice) {
    const CallShape& call = choice.call;
    std::string size =
        call.bytes ? cat(" of ", format_size(*call.bytes)) : std::string(" of a size that not every rank knows");
    std::string link = choice.link.bytes_per_us > 0
                           ? cat(name_of(choice.link.kind), " ", one_decimal(choice.link.bytes_per_us / 1e3), " GB/s")
                           : std::string("no link known");
    return cat(info(call.kind).name, call.kind == Kind::barrier ? "" : size, " on ", call.n, " rank(s)",
               call.in_place ? ", in place" : "", call.commutative ? "" : ", not commutative", ", ", link, "\n");
}

std::string verdict(const Choice& choice, const Candidate& candidate) {
    if (candidate.algorithm == choice.algorithm) return "chosen";
    if (!candidate.eligible) return "not eligible: it reorders, and the operation does not commute";
    if (candidate.predicted_us <= choice.predicted_us) return "not what the override asks for";
    return cat("slower: ", one_decimal(candidate.predicted_us / choice.predicted_us), " times the time of ",
               choice.algorithm->name);
}

std::string parts_reason(const Choice& choice) {
    if (choice.wanted_parts != 0 && choice.parts < choice.wanted_parts) {
        return cat(choice.parts, " part(s) instead of ", choice.wanted_parts, ": there are no more elements");
    }
    if (choice.wanted_parts != 0) return cat(choice.parts, " part(s), as was asked for");
    if (choice.parts == 1) return "one part: posting more costs more than overlapping saves";
    return cat(choice.parts, " parts: hops and reductions overlap, and more would cost more to post");
}

}  // namespace

const char* name_of(Engine engine) noexcept {
    return kEngineNames[static_cast<size_t>(engine)];
}

std::vector<std::string> reasons(const Choice& choice) {
    std::vector<std::string> out;
    if (!choice.rule.empty()) {
        out.push_back(cat(choice.algorithm->name, ": the rule '", choice.rule, "' asks for it"));
    } else if (choice.candidates.size() == 1) {
        out.push_back(cat(choice.algorithm->name, ": there is no other algorithm for ", info(choice.call.kind).name));
    } else {
        out.push_back(
            cat(choice.algorithm->name, ": the least predicted time of ", choice.candidates.size(), " algorithms"));
    }
    if (!choice.passed_over.empty()) {
        out.push_back(cat("the rule '", choice.passed_over, "' is passed over: that algorithm reorders"));
    }
    if (choice.call.bytes || choice.wanted_parts != 0) out.push_back(parts_reason(choice));
    if (!choice.call.bytes)
        out.push_back("priced as if it were empty: not every rank knows the size, and all must choose alike");
    if (choice.call.n > 1 && choice.link.bytes_per_us <= 0) {
        out.push_back("priced as if through host memory: nothing is known to link the GPUs");
    }
    return out;
}

std::string explain(const Choice& choice) {
    std::string out = title(choice);
    out += cat("  ", choice.algorithm->name, " in ", choice.parts, " part(s) by ", name_of(choice.engine), ", ",
               one_decimal(choice.predicted_us), " us predicted\n");
    for (const std::string& reason : reasons(choice)) out += cat("  - ", reason, "\n");
    out += "  candidates:\n";
    for (const Candidate& candidate : choice.candidates) {
        std::ostringstream line;
        line << "    " << std::left << std::setw(18) << candidate.algorithm->name << std::right << std::setw(3)
             << candidate.parts << " part(s)" << std::setw(12) << one_decimal(candidate.predicted_us) << " us  "
             << verdict(choice, candidate) << "\n";
        out += line.str();
    }
    return out;
}

}  // namespace stepccl
