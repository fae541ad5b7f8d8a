// Element types and operations of the MPI tests, with an independent scalar computation of what a reduction has to
// give.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "support.h"

namespace test {

enum class OpCode { sum, prod, min, max, land, lor, lxor, band, bor, bxor, minloc, maxloc };

struct Op {
    const char* name;
    MPI_Op mpi;
    OpCode code;
};

struct Type {
    const char* name;
    MPI_Datatype mpi;
    size_t bytes;
    // `count` random elements; the same key gives the same ones. They stay near 1 where a product of many must not
    // overflow.
    Bytes (*random)(size_t count, uint64_t key);
    bool (*applies)(OpCode op);
    // What is wrong with `result`, the reduction of one vector of each rank; "" when nothing is. Integers must be exact
    // and wrap; sums and products of floating point may differ by what rounding n times can make of the sum of the
    // magnitudes, whatever the order.
    std::string (*compare)(OpCode op, std::span<const Bytes> inputs, size_t count, const std::byte* result);
};

std::vector<Op> all_ops();
std::vector<Type> all_types();

}  // namespace test
