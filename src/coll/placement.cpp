#include "coll/placement.h"

namespace stepccl {

Alias alias(const Problem& problem, uint32_t rank) noexcept {
    if (!problem.in_place) return Alias::none;
    switch (problem.kind) {
        case Kind::barrier:
        case Kind::bcast:
            return Alias::none;
        case Kind::gather:
        case Kind::scatter:
        case Kind::reduce:
            return rank == problem.root ? Alias::same : Alias::none;
        case Kind::reduce_scatter:
            return Alias::front;
        case Kind::allgather:
        case Kind::alltoall:
        case Kind::allreduce:
        case Kind::scan:
        case Kind::exscan:
            return Alias::same;
    }
    return Alias::none;
}

bool has_in(const Problem& problem, uint32_t rank, uint32_t block) noexcept {
    switch (problem.kind) {
        case Kind::barrier:
            return false;
        case Kind::bcast:
        case Kind::scatter:
            return rank == problem.root;
        case Kind::gather:
        case Kind::allgather:
            return block == rank;
        default:
            return true;
    }
}

bool has_out(const Problem& problem, uint32_t rank, uint32_t block) noexcept {
    switch (problem.kind) {
        case Kind::barrier:
            return false;
        case Kind::bcast:
            return rank != problem.root;
        case Kind::gather:
        case Kind::reduce:
            return rank == problem.root;
        case Kind::scatter:
        case Kind::reduce_scatter:
            return block == rank;
        default:
            return true;
    }
}

Expected expected(const Problem& problem, uint32_t rank, uint32_t block) noexcept {
    using What = Expected::What;
    switch (problem.kind) {
        case Kind::barrier:
            return {};
        case Kind::bcast:
        case Kind::scatter:
            return {What::copy, problem.root, problem.root, block};
        case Kind::gather:
        case Kind::allgather:
            return {What::copy, block, block, block};
        case Kind::alltoall:
            return {What::copy, block, block, rank};
        case Kind::allreduce:
        case Kind::reduce:
        case Kind::reduce_scatter:
            return {What::reduction, 0, problem.n - 1, block};
        case Kind::scan:
            return {What::reduction, 0, rank, block};
        case Kind::exscan:
            if (rank == 0) return {};
            return {What::reduction, 0, rank - 1, block};
    }
    return {};
}

}  // namespace stepccl
