// What MPI says about the buffers of each collective, on this rank.
#pragma once

#include <mpi.h>

#include <vector>

#include "layout.h"

namespace devize {

// One buffer argument. Without blocks MPI does not look at it, and its address may be anything.
struct Side {
    const void* buffer = nullptr;
    std::vector<Block> touched;  // read or written
    std::vector<Block> written;
};

// A buffer that is read and written counts as a receive buffer; that of bcast is a send buffer at the root.
struct Call {
    bool usable = true;  // false: intercommunicators and wrong arguments, which MPI gets as they are
    Side send, recv;
};

// DEVIZE_LIST (a, b) is a, b: takes the parentheses off a column of the table.
#define DEVIZE_LIST(...) __VA_ARGS__
#define DEVIZE_COLLECTIVE(Name, name, buffers, parameters, arguments) Call describe_##name parameters;
#include "collectives.def"
#undef DEVIZE_COLLECTIVE
Call describe_reduce_local(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op);

}  // namespace devize
