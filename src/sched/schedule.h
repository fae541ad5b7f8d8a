// A collective as one rank's part of it: small steps on symbolic blocks. One schedule serves every count, type and
// address. docs/ir.md tells the rules; in short:
// - Steps of one lane happen in the order of `steps`. A step of another lane happens after it only if `deps` says so.
// - Order between ranks comes from signal/wait and send/recv alone.
// - A flag is a counter with one writer; a wait holds for the value or more. Values are 1..epochs, and all ranks agree on
//   `epochs`; the engine adds a base, which grows by `epochs` from call to call, so that flags are never reset.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coll/problem.h"

namespace stepccl {

enum class Op : uint8_t {
#define STEPCCL_OP(name, lanes, help) name,
#include "sched/ops.def"
#undef STEPCCL_OP
};
const char* name_of(Op op) noexcept;

enum class Space : uint8_t { in, out, scratch };

// A block of some rank's buffer; Step::part says which part of it.
struct Operand {
    uint32_t rank = 0;
    Space space = Space::in;
    uint32_t slot = 0;  // of scratch: each slot has room for one block, whichever
    uint32_t block = 0;
    bool operator==(const Operand&) const = default;
};

// Flag `index` that `writer` raises and `owner` waits for, in the owner's signal pad.
struct Flag {
    uint32_t owner = 0;
    uint32_t writer = 0;
    uint32_t index = 0;
    bool operator==(const Flag&) const = default;
};

inline constexpr uint32_t kWhole = UINT32_MAX;  // Step::part: all parts at once

// How often a step stands in a schedule of several parts.
enum class Repeat : uint8_t {
    each,   // once a part
    first,  // once, with the first part
    last,   // once, with the last part, for all parts
};

struct Step {
    Op op = Op::copy;
    uint32_t lane = 0;
    Repeat repeat = Repeat::each;
    uint32_t part = kWhole;
    Operand dst;             // copy, reduce, recv
    uint32_t first_src = 0;  // copy, reduce, send: sources are operands[first_src .. first_src + nsrc)
    uint32_t nsrc = 0;
    Flag flag;               // signal, wait
    uint32_t value = 0;      // signal, wait: 1..epochs
    uint32_t peer = 0;       // send, recv
    uint32_t first_dep = 0;  // deps[first_dep .. first_dep + ndeps): earlier steps on other lanes that must be complete
    uint32_t ndeps = 0;
};

enum class LaneKind : uint8_t { copy, reduce, net };

// In which order the parts of a call pass through the lanes.
enum class Order : uint8_t {
    by_part,  // all steps of part 0, then all of part 1: direct algorithms, where a part soon meets its reduction
    by_step,  // all parts of a step, then the next step: rings, where a part travels while the next one is worked on
};

struct Schedule {
    Problem problem;
    uint32_t rank = 0;
    std::string algorithm;
    uint32_t blocks = 1;  // B: how many blocks a vector is cut into; n for kinds of shape blocks
    uint32_t parts = 1;
    uint32_t scratch_slots = 0;  // the same on all ranks
    uint32_t flags = 0;          // flags a pair of ranks, the same on all ranks
    std::vector<bool> once;      // by flag: raised as often however many parts there are, the same on all ranks
    uint32_t epochs = 0;         // the same on all ranks
    Order order = Order::by_part;
    std::vector<LaneKind> lanes;
    std::vector<Step> steps;
    std::vector<Operand> operands;
    std::vector<uint32_t> deps;

    std::span<const Operand> sources(const Step& step) const { return {operands.data() + step.first_src, step.nsrc}; }
    std::span<const uint32_t> deps_of(const Step& step) const { return {deps.data() + step.first_dep, step.ndeps}; }
};

}  // namespace stepccl
