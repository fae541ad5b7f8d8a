// What the MPI test programs share: buffers on the device or the host with guards around them, random data that every
// rank can make again, and one line for each failure.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "stepccl/stepccl.h"

namespace test {

using Bytes = std::vector<std::byte>;

enum class Memory { host, device };

// Counts checks and failures of this rank; the program's exit code comes from all ranks'.
class Report {
  public:
    explicit Report(const char* program) : program_(program) {}
    void check(bool good, const std::string& what);
    void fail(const std::string& what);
    // Collective. Rank 0 prints the total. The exit code.
    int finish(uint64_t seed = 0);

  private:
    const char* program_;
    long checks_ = 0;
    long failures_ = 0;
};

// Ends the job when a call that has to work does not.
void must(stepccl_status_t status, const char* what);
void must(int rc, const char* what);

// Memory with guard bytes before and behind it. Device memory is written and read by copies only.
class Buffer {
  public:
    Buffer() = default;
    Buffer(Memory memory, const Bytes& content);
    Buffer(Memory memory, size_t bytes) : Buffer(memory, Bytes(bytes, kFill)) {}
    ~Buffer();
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept { return swap(other), *this; }

    void* data() const { return base_ == nullptr ? nullptr : base_ + kGuard; }
    size_t size() const { return bytes_; }
    void set(const Bytes& content);
    Bytes get() const;
    bool guards_intact() const;

    static constexpr std::byte kFill{0xC3};

  private:
    static constexpr size_t kGuard = 256;
    static constexpr std::byte kGuardByte{0x7E};
    void swap(Buffer& other) noexcept;

    Memory memory_ = Memory::host;
    std::byte* base_ = nullptr;
    size_t bytes_ = 0;
};

// A generator that any rank can run again: the same key gives the same numbers.
class Random {
  public:
    explicit Random(uint64_t key) : state_(key) { next(); }
    uint64_t next() {
        uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

  private:
    uint64_t state_;
};

Bytes random_bytes(size_t bytes, uint64_t key);
uint64_t mix(uint64_t a, uint64_t b);

// "--name value" on the command line, or `otherwise`.
std::string option(int argc, char** argv, const char* name, const char* otherwise);

// MPI_Init, or MPI_Init_thread for many threads, and a device for this rank; returns the rank. Without a driver it says
// so and ends the program.
int start(int* argc, char*** argv, bool many_threads = false);
// The calling thread's current device is the rank's. start() does it for its own thread.
void take_device(int rank);

stepccl_counters_t counters();

}  // namespace test
