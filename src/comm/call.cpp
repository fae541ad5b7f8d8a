#include "comm/call.h"

#include <numeric>

#include "base/text.h"
#include "coll/placement.h"

namespace stepccl {
namespace {

// n blocks that follow one another or lie where the lists say.
Layout blocks_of(const std::vector<uint64_t>& counts, const std::vector<uint64_t>& displs, uint64_t count, uint32_t n) {
    if (counts.empty()) return Layout::uniform(count, n);
    return displs.empty() ? Layout::packed(counts) : Layout::listed(counts, displs);
}

bool is_vector(const Call& call) { return info(call.kind).shape == Shape::vector; }

bool in_follows_out(const Call& call, uint32_t rank) {
    return call.in_place && call.kind != Kind::scatter && (!info(call.kind).rooted || rank == call.root);
}

bool out_follows_in(const Call& call, uint32_t rank) {
    return call.in_place && call.kind == Kind::scatter && rank == call.root;
}

bool has_any(bool (*has)(const Problem&, uint32_t, uint32_t) noexcept, const Problem& problem, uint32_t rank) {
    return has(problem, rank, rank) || has(problem, rank, 0);
}

}  // namespace

Problem problem_of(const Call& call, uint32_t n) { return {call.kind, n, call.root, call.in_place}; }

Layout in_layout(const Call& call, uint32_t rank, uint32_t n, uint32_t blocks) {
    if (is_vector(call)) return Layout::split(call.count, blocks);
    switch (call.kind) {
        case Kind::gather:
        case Kind::allgather:
            return in_follows_out(call, rank) ? out_layout(call, rank, n, blocks) : Layout::single(call.count, rank, n);
        case Kind::scatter:
            return blocks_of(call.send_counts, call.send_displs, call.count, n);
        case Kind::alltoall:
            return in_follows_out(call, rank) ? out_layout(call, rank, n, blocks)
                                              : blocks_of(call.send_counts, call.send_displs, call.count, n);
        case Kind::reduce_scatter:
            return blocks_of(call.recv_counts, {}, call.count, n);
        default:
            return Layout::uniform(0, n);
    }
}

Layout out_layout(const Call& call, uint32_t rank, uint32_t n, uint32_t blocks) {
    if (is_vector(call)) return Layout::split(call.count, blocks);
    switch (call.kind) {
        case Kind::gather:
        case Kind::allgather:
        case Kind::alltoall:
            return blocks_of(call.recv_counts, call.recv_displs, call.count, n);
        case Kind::scatter:
            return out_follows_in(call, rank) ? in_layout(call, rank, n, blocks) : Layout::single(call.count, rank, n);
        case Kind::reduce_scatter:
            return Layout::single(call.recv_counts.empty() ? call.count : call.recv_counts[rank], rank, n);
        default:
            return Layout::uniform(0, n);
    }
}

Layout scratch_layout(const Call& call, uint32_t rank, uint32_t n, uint32_t blocks) { return in_layout(call, rank, n, blocks); }

Buffers buffers_of(const Call& call, uint32_t rank, uint32_t n) {
    Problem problem = problem_of(call, n);
    uint64_t size = size_of(call.type);
    Buffers out;
    if (has_any(has_in, problem, rank)) {
        bool at_recv = in_follows_out(call, rank) || call.kind == Kind::bcast;
        out.in = at_recv ? call.recv : const_cast<void*>(call.send);
        out.in_bytes = in_layout(call, rank, n, n).end() * size;
    }
    bool undefined = call.kind == Kind::exscan && rank == 0;  // nobody looks at it
    if (has_any(has_out, problem, rank) && !undefined) {
        out.out = out_follows_in(call, rank) ? const_cast<void*>(call.send) : call.recv;
        out.out_bytes = out_layout(call, rank, n, n).end() * size;
    }
    return out;
}

std::optional<uint64_t> common_bytes(const Call& call, uint32_t n) {
    uint64_t size = size_of(call.type);
    switch (call.kind) {
        case Kind::gather:
        case Kind::scatter:
        case Kind::alltoall:
            return std::nullopt;
        case Kind::allgather:
        case Kind::reduce_scatter:
            if (call.recv_counts.empty()) return n * call.count * size;
            return std::accumulate(call.recv_counts.begin(), call.recv_counts.end(), uint64_t{0}) * size;
        default:
            return call.count * size;
    }
}

bool count_is_common(const Call& call) {
    return is_vector(call) || (call.kind == Kind::reduce_scatter && call.recv_counts.empty());
}

bool out_is_shared(Kind kind) {
    switch (kind) {
        case Kind::barrier:
        case Kind::reduce_scatter:
        case Kind::scan:
        case Kind::exscan:
            return false;
        default:
            return true;
    }
}

std::string describe(const Call& call) {
    const KindInfo& kind = info(call.kind);
    if (call.kind == Kind::barrier) return kind.name;
    std::string out = cat(kind.name, " of ", call.count, " ", name_of(call.type));
    if (kind.reduces) out += cat(" by ", name_of(call.op));
    if (kind.rooted) out += cat(", root ", call.root);
    return out;
}

}  // namespace stepccl
