// The device buffers of calls that are on their way.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "move.h"

namespace devize {

// Thread-safe. While MPI completes requests their entries are out of the table, because MPI may give a completed
// request's handle to another thread's call at once.
class Requests {
  public:
    // A call that has begun with result `rc`; the buffers are kept until the request is complete.
    int started(std::unique_ptr<Move> move, int rc, MPI_Request request);
    int initialized(std::unique_ptr<Move> move, int rc, MPI_Request request);

    // Copies to the device what persistent requests are about to send.
    void start(int count, const MPI_Request* requests);

    struct Entry {
        std::unique_ptr<Move> move;
        bool persistent = false, active = false;
    };
    struct Taken {
        int index;
        MPI_Request handle;
        Entry entry;
    };
    std::vector<Taken> take(int count, const MPI_Request* requests);
    // After MPI's function: ends what is complete, puts the rest back.
    void settle(std::vector<Taken> taken, const MPI_Request* requests);
    // After MPI_Request_free has succeeded.
    void freed(std::vector<Taken> taken);
    void clear();

  private:
    void put(MPI_Request handle, Entry entry);

    std::mutex mutex_;
    std::map<MPI_Request, Entry> entries_;
    std::vector<Entry> orphans_;  // of requests that were freed while active
};

}  // namespace devize
