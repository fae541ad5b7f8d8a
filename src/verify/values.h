// What memory holds, as expressions over the ranks' inputs. Equal expressions have equal numbers, and only those.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/verify.h"

namespace stepccl::prover {

using Value = uint32_t;

class Values {
  public:
    Values(uint32_t ranks, uint32_t blocks, uint32_t parts);

    static constexpr Value kUndefined = 0;
    // What a rank's input holds when it enters, and what its output held before.
    Value input(uint32_t rank, uint32_t block, uint32_t part) const { return 1 + index(rank, block, part); }
    Value before(uint32_t rank, uint32_t block, uint32_t part) const { return 1 + leaves_ + index(rank, block, part); }
    Value reduction(std::span<const Value> sources);

    // How a reduction may fail to be one over ranks first..last.
    struct Fold {
        enum class What : uint8_t { good, undefined, twice, mixed } what = What::good;
        uint32_t block = 0, part = 0;
        uint32_t first = 0, last = 0;  // of the ranks folded, when they are consecutive and in order
        bool in_order = true;
        uint32_t ranks = 0;  // index of a set in sets_, when they are not
    };
    Fold fold(Value value) const;
    // Whether just the ranks first..last are folded, in whatever order.
    bool covers(const Fold& fold, uint32_t first, uint32_t last) const;

    // "in[3]@0 + in[3]@1 + ...", as the expression is bracketed.
    std::string text(Value value) const;

  private:
    struct Node {
        uint32_t first_source, sources;
        Fold fold;
    };
    uint32_t index(uint32_t rank, uint32_t block, uint32_t part) const {
        return (rank * blocks_ + block) * parts_ + part;
    }
    std::span<const Value> sources(const Node& node) const {
        return {sources_.data() + node.first_source, node.sources};
    }
    Fold fold_of(std::span<const Value> sources);
    void join(Fold& all, const Fold& next);
    uint32_t new_set();
    bool add_to_set(uint32_t set, const Fold& fold);
    void grow();
    size_t slot_for(std::span<const Value> sources) const;
    void print(std::string& out, Value value) const;

    uint32_t ranks_, blocks_, parts_, leaves_, words_;
    std::vector<Node> nodes_;      // value 1 + 2 * leaves_ + i
    std::vector<Value> sources_;   // of all nodes
    std::vector<uint64_t> sets_;   // of ranks, words_ each
    std::vector<uint32_t> table_;  // hash table of nodes, 1 + index; 0 is free
};

}  // namespace stepccl::prover
