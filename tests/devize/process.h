// This process: what the environment asks for, its device, its device memory, and what it has counted.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace devize {

// What the environment says, see README.md.
struct Settings {
    bool send = false, recv = false;  // which buffers this rank moves
    bool verbose = false, statistics = false;
    size_t limit_bytes = 0;
};

enum class Kind {
#define DEVIZE_COLLECTIVE(Name, name, buffers, parameters, arguments) Name,
#include "collectives.def"
#undef DEVIZE_COLLECTIVE
    Reduce_local,
    count
};
enum class Form { blocking, nonblocking, persistent, count };

struct Counter {
    std::atomic<long> calls{0}, moved{0}, buffers{0}, left{0};
};

// Between MPI_Init and MPI_Finalize there is one.
class Process {
  public:
    static Process* get();  // null before and after
    static void begin();    // after PMPI_Init; ends the job when there is no device
    static void end();      // before PMPI_Finalize

    const Settings& settings() const { return settings_; }
    int rank() const { return rank_; }
    MPI_Comm own() const { return own_; }  // of this rank alone; returns errors
    Counter& counter(Kind kind, Form form);

    // Device memory of at least `bytes`, new or used before. Keeps what is put back, within bounds.
    void* allocate(size_t bytes);
    void put_back(void* block, size_t bytes);

  private:
    struct Spare {
        void* block;
        size_t bytes;
    };
    Process();
    ~Process();
    void bind_thread();
    void print_counters();

    Settings settings_;
    int rank_ = 0;
    int device_ = 0;
    MPI_Comm own_ = MPI_COMM_NULL;
    Counter counters_[static_cast<size_t>(Kind::count)][static_cast<size_t>(Form::count)];
    std::mutex mutex_;
    std::vector<Spare> spares_;  // the latest used last
    size_t spare_bytes_ = 0;
};

// Prints a line and ends the job.
[[noreturn]] void die(const char* format, ...) __attribute__((format(printf, 1, 2)));
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
const char* name_of(Kind kind);

}  // namespace devize
