#include "verify/values.h"

#include <algorithm>

#include "base/text.h"

namespace stepccl::prover {
namespace {

constexpr size_t kLongestText = 400;

size_t hash_of(std::span<const Value> values) {
    uint64_t hash = values.size();
    for (Value value : values) {
        hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29;
    }
    return hash;
}

}  // namespace

Values::Values(uint32_t ranks, uint32_t blocks, uint32_t parts)
    : ranks_(ranks),
      blocks_(blocks),
      parts_(parts),
      leaves_(ranks * blocks * parts),
      words_((ranks + 63) / 64),
      table_(64) {}

Value Values::reduction(std::span<const Value> sources) {
    if (sources.size() == 1) return sources[0];
    if (nodes_.size() * 2 >= table_.size()) grow();
    size_t slot = slot_for(sources);
    if (table_[slot] == 0) {
        Node node{static_cast<uint32_t>(sources_.size()), static_cast<uint32_t>(sources.size()), fold_of(sources)};
        sources_.insert(sources_.end(), sources.begin(), sources.end());
        nodes_.push_back(node);
        table_[slot] = static_cast<uint32_t>(nodes_.size());
    }
    return 2 * leaves_ + table_[slot];
}

size_t Values::slot_for(std::span<const Value> wanted) const {
    size_t mask = table_.size() - 1;
    for (size_t slot = hash_of(wanted) & mask;; slot = (slot + 1) & mask) {
        if (table_[slot] == 0) return slot;
        if (std::ranges::equal(sources(nodes_[table_[slot] - 1]), wanted)) return slot;
    }
}

void Values::grow() {
    table_.assign(table_.size() * 2, 0);
    for (uint32_t i = 0; i < nodes_.size(); ++i) table_[slot_for(sources(nodes_[i]))] = i + 1;
}

Values::Fold Values::fold(Value value) const {
    if (value > 2 * leaves_) return nodes_[value - 2 * leaves_ - 1].fold;
    Fold out;
    if (value == kUndefined || value > leaves_) {
        out.what = Fold::What::undefined;
        return out;
    }
    out.part = (value - 1) % parts_;
    out.block = (value - 1) / parts_ % blocks_;
    out.first = out.last = (value - 1) / parts_ / blocks_;
    return out;
}

Values::Fold Values::fold_of(std::span<const Value> sources) {
    Fold all = fold(sources[0]);
    if (!all.in_order) {
        // The first source's set stays its own.
        uint32_t set = new_set();
        add_to_set(set, all);
        all.ranks = set;
    }
    for (Value source : sources.subspan(1)) {
        if (all.what == Fold::What::good) join(all, fold(source));
    }
    return all;
}

void Values::join(Fold& all, const Fold& next) {
    if (next.what != Fold::What::good) {
        all.what = next.what;
    } else if (next.block != all.block || next.part != all.part) {
        all.what = Fold::What::mixed;
    } else if (all.in_order && next.in_order && next.first == all.last + 1) {
        all.last = next.last;
    } else {
        if (all.in_order) {
            uint32_t set = new_set();
            add_to_set(set, all);
            all.ranks = set;
            all.in_order = false;
        }
        if (!add_to_set(all.ranks, next)) all.what = Fold::What::twice;
    }
}

uint32_t Values::new_set() {
    sets_.resize(sets_.size() + words_);
    return static_cast<uint32_t>(sets_.size() / words_ - 1);
}

// False when a rank is in it already.
bool Values::add_to_set(uint32_t set, const Fold& fold) {
    bool fresh = true;
    uint64_t* to = sets_.data() + size_t{set} * words_;
    auto add = [&](uint32_t word, uint64_t bits) {
        fresh = fresh && (to[word] & bits) == 0;
        to[word] |= bits;
    };
    if (fold.in_order) {
        for (uint32_t rank = fold.first; rank <= fold.last; ++rank) add(rank / 64, uint64_t{1} << rank % 64);
    } else {
        for (uint32_t word = 0; word < words_; ++word) add(word, sets_[size_t{fold.ranks} * words_ + word]);
    }
    return fresh;
}

bool Values::covers(const Fold& fold, uint32_t first, uint32_t last) const {
    if (fold.in_order) return fold.first == first && fold.last == last;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
        bool in = (sets_[size_t{fold.ranks} * words_ + rank / 64] >> rank % 64 & 1) != 0;
        if (in != (first <= rank && rank <= last)) return false;
    }
    return true;
}

std::string Values::text(Value value) const {
    std::string out;
    print(out, value);
    if (out.size() > kLongestText) out = out.substr(0, kLongestText) + " ...";
    return out;
}

void Values::print(std::string& out, Value value) const {
    if (out.size() > kLongestText) return;
    if (value == kUndefined) {
        out += "nothing defined";
    } else if (value > 2 * leaves_) {
        const char* separator = "(";
        for (Value source : sources(nodes_[value - 2 * leaves_ - 1])) {
            out += separator;
            print(out, source);
            separator = " op ";
        }
        out += ")";
    } else {
        uint32_t leaf = (value - 1) % leaves_;
        const char* what = value > leaves_ ? "what was in out[" : "in[";
        out += cat(what, leaf / parts_ % blocks_, "]@", leaf / parts_ / blocks_);
        if (parts_ > 1) out += cat(" part ", leaf % parts_);
    }
}

}  // namespace stepccl::prover
