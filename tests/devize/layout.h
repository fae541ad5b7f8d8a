// Which bytes of a buffer a collective looks at.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace devize {

// `count` elements, one behind the other, at a distance in bytes from the buffer's address.
struct Block {
    MPI_Aint offset;
    MPI_Count count;
    MPI_Datatype type;
};

// Bytes that lie together.
struct Run {
    ptrdiff_t offset;
    size_t bytes;
};

// The runs in ascending order. It holds no datatype: a program may free its types while a nonblocking call is on its
// way.
struct Layout {
    ptrdiff_t low = 0;
    ptrdiff_t high = 0;
    std::vector<Run> runs;
    size_t bytes() const { return static_cast<size_t>(high - low); }
};

// Null when MPI must see the arguments as they are: wrong ones, or a reach of more than `limit` bytes from the first
// byte to the last. `own` is a communicator that returns errors.
std::optional<Layout> layout_of(const std::vector<Block>& blocks, size_t limit, MPI_Comm own);

// The extent of a type; 0 for none.
MPI_Aint extent_of(MPI_Datatype type);

}  // namespace devize
