#include "tools/perf_data.h"

#include <algorithm>
#include <cstring>

#include "coll/placement.h"
#include "tools/perf_values.h"

namespace stepccl::tools {
namespace {

// A byte that is neither a small number nor a usual float, and differs from buffer to buffer.
constexpr unsigned char kSendPoison = 0xa5, kRecvPoison = 0xd7;

// Where a block lies.
struct Piece {
    bool at_recv;
    uint64_t offset;  // in elements
    uint32_t block;
};

bool in_blocks(const PerfCase& c) {
    return info(c.problem.kind).shape == Shape::blocks;
}
uint32_t blocks_of(const PerfCase& c) {
    return in_blocks(c) ? c.problem.n : c.problem.kind == Kind::barrier ? 0 : 1;
}

uint32_t blocks_in(const PerfCase& c, uint32_t rank, bool (*has)(const Problem&, uint32_t, uint32_t) noexcept) {
    uint32_t out = 0;
    for (uint32_t block = 0; block < blocks_of(c); ++block) out += has(c.problem, rank, block) ? 1 : 0;
    return out;
}

// bcast has its source in recv; else data in place lie in the buffer of n blocks.
bool input_at_recv(const PerfCase& c, uint32_t rank) {
    if (c.problem.kind == Kind::bcast) return true;
    return alias(c.problem, rank) != Alias::none && c.problem.kind != Kind::scatter;
}

bool output_at_recv(const PerfCase& c, uint32_t rank) {
    return !(c.problem.kind == Kind::scatter && alias(c.problem, rank) != Alias::none);
}

// In a buffer of one block it lies in front; so does a result across the input (reduce_scatter in place).
std::vector<Piece> inputs(const PerfCase& c, uint32_t rank) {
    bool at_recv = input_at_recv(c, rank);
    bool alone = blocks_in(c, rank, has_in) == 1 && !at_recv;
    std::vector<Piece> out;
    for (uint32_t block = 0; block < blocks_of(c); ++block) {
        if (has_in(c.problem, rank, block)) out.push_back({at_recv, alone ? 0 : block * c.count, block});
    }
    return out;
}

std::vector<Piece> outputs(const PerfCase& c, uint32_t rank) {
    bool at_recv = output_at_recv(c, rank);
    bool alone = blocks_in(c, rank, has_out) == 1 && at_recv;
    std::vector<Piece> out;
    for (uint32_t block = 0; block < blocks_of(c); ++block) {
        if (has_out(c.problem, rank, block)) out.push_back({at_recv, alone ? 0 : block * c.count, block});
    }
    return out;
}

uint64_t end_of(const std::vector<Piece>& pieces, bool at_recv, uint64_t count) {
    uint64_t out = 0;
    for (const Piece& piece : pieces) {
        if (piece.at_recv == at_recv) out = std::max(out, piece.offset + count);
    }
    return out;
}

uint64_t elements(const PerfCase& c, uint32_t rank, bool at_recv) {
    return std::max(end_of(inputs(c, rank), at_recv, c.count), end_of(outputs(c, rank), at_recv, c.count));
}

std::vector<unsigned char>& image(Images& images, bool at_recv) {
    return at_recv ? images.recv : images.send;
}
const std::vector<unsigned char>& image(const Images& images, bool at_recv) {
    return at_recv ? images.recv : images.send;
}

// Only what has an operation needs values that suit it.
Operation flavour(const PerfCase& c) {
    return info(c.problem.kind).reduces ? c.op : Operation::bxor;
}

template <typename Codec>
typename Codec::Value input(const PerfCase& c, uint32_t rank, uint64_t element) {
    return Codec::random(random_bits(c.seed, rank, element), flavour(c));
}

template <typename Codec>
Folded<typename Codec::Value> expected_value(const PerfCase& c, const Expected& what, uint64_t element) {
    auto value = input<Codec>(c, what.first, element);
    Folded<typename Codec::Value> out{value, Codec::magnitude(value)};
    for (uint32_t rank = what.first + 1; what.what == Expected::What::reduction && rank <= what.last; ++rank) {
        value = input<Codec>(c, rank, element);
        out.value = Codec::fold(c.op, out.value, value);
        long double size = Codec::magnitude(value);
        out.magnitude = c.op == Operation::prod ? out.magnitude * size : out.magnitude + size;
    }
    return out;
}

template <typename Codec>
uint64_t wrong_in_piece(const PerfCase& c, uint32_t rank, const Piece& piece, const unsigned char* got) {
    Expected what = expected(c.problem, rank, piece.block);
    uint32_t terms = what.what == Expected::What::reduction ? what.last - what.first + 1 : 1;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < c.count; ++i, got += Codec::kBytes) {
        auto value = expected_value<Codec>(c, what, what.block * c.count + i);
        wrong += Codec::close(value, Codec::load(got), c.op, terms) ? 0 : 1;
    }
    return wrong;
}

uint64_t changed_elements(const unsigned char* a, const unsigned char* b, uint64_t bytes, uint64_t size) {
    if (std::memcmp(a, b, bytes) == 0) return 0;
    uint64_t out = 0;
    for (uint64_t at = 0; at < bytes; at += size)
        out += std::memcmp(a + at, b + at, std::min(size, bytes - at)) == 0 ? 0 : 1;
    return out;
}

// Everything that is no output must be as before. What lies behind a result across its input is nobody's.
uint64_t changed_elsewhere(const PerfCase& c, uint32_t rank, bool at_recv, const Images& before, const Images& after) {
    uint64_t size = size_of(c.type), end = elements(c, rank, at_recv), at = 0, out = 0;
    const auto &a = image(before, at_recv), &b = image(after, at_recv);
    auto compare = [&](uint64_t from, uint64_t to) { out += changed_elements(&a[from], &b[from], to - from, size); };
    for (const Piece& piece : outputs(c, rank)) {
        if (piece.at_recv != at_recv || expected(c.problem, rank, piece.block).what == Expected::What::unchanged)
            continue;
        compare(at * size, piece.offset * size);
        at = alias(c.problem, rank) == Alias::front ? end : piece.offset + c.count;
    }
    compare(at * size, a.size());
    return out;
}

}  // namespace

uint64_t whole_bytes(const PerfCase& c) {
    return c.count * size_of(c.type) * blocks_of(c);
}

Images before(const PerfCase& c, uint32_t rank) {
    uint64_t size = size_of(c.type);
    Images out;
    out.send.assign(elements(c, rank, false) * size + kGuardBytes, kSendPoison);
    out.recv.assign(elements(c, rank, true) * size + kGuardBytes, kRecvPoison);
    with_codec(c.type, [&]<typename Codec>() {
        for (const Piece& piece : inputs(c, rank)) {
            unsigned char* to = &image(out, piece.at_recv)[piece.offset * size];
            for (uint64_t i = 0; i < c.count; ++i, to += size)
                Codec::store(to, input<Codec>(c, rank, piece.block * c.count + i));
        }
    });
    return out;
}

uint64_t wrong_elements(const PerfCase& c, uint32_t rank, const Images& before, const Images& after) {
    uint64_t size = size_of(c.type), out = 0;
    for (bool at_recv : {false, true}) out += changed_elsewhere(c, rank, at_recv, before, after);
    for (const Piece& piece : outputs(c, rank)) {
        if (expected(c.problem, rank, piece.block).what == Expected::What::unchanged) continue;
        const unsigned char* got = &image(after, piece.at_recv)[piece.offset * size];
        out += with_codec(c.type, [&]<typename Codec>() { return wrong_in_piece<Codec>(c, rank, piece, got); });
    }
    return out;
}

}  // namespace stepccl::tools
