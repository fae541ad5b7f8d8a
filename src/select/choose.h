// Which algorithm serves a call, in how many parts. Pure: the same arguments give the same choice, so ranks that call
// it with the same arguments agree. The caller sees to that: link, model and override must not differ between the
// ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "select/cost.h"
#include "select/override.h"

namespace stepccl {

enum class Engine : uint8_t { copy_engines };
const char* name_of(Engine engine) noexcept;

// An algorithm that was looked at.
struct Candidate {
    const Algorithm* algorithm = nullptr;
    uint32_t parts = 1;
    double predicted_us = 0;
    bool eligible = true;  // else it reorders, and the operation does not commute
};

struct Choice {
    const Algorithm* algorithm = nullptr;
    uint32_t parts = 1;
    Engine engine = Engine::copy_engines;
    double predicted_us = 0;
    // For the explanation.
    CallShape call;
    Link link;
    std::vector<Candidate> candidates;  // in the order of algorithms.def
    std::string rule;                   // the rule that was obeyed, "" when the cost model decided
    std::string passed_over;            // a rule that fits but asks for an algorithm that is not eligible
    uint32_t wanted_parts = 0;          // that a rule or the parameter asked for, 0 when the cost model decided
};

Choice choose(const CallShape& call, const Link& link, const CostModel& model, const Override& override);

// Why it was chosen, one reason a line.
std::vector<std::string> reasons(const Choice& choice);
// The whole story for people: the choice, the reasons, and every candidate with its predicted time and why it was not
// taken.
std::string explain(const Choice& choice);

}  // namespace stepccl
