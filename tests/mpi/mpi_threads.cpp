// MPI_THREAD_MULTIPLE: several threads, each with a communicator of its own, call blocking and nonblocking collectives
// on device buffers at the same time, while the first one makes and frees communicators. Option: --rounds N
#include <array>
#include <mutex>
#include <thread>

#include "support.h"

namespace {

using namespace test;

std::mutex report_lock;

Bytes bytes_of(const std::vector<int>& values) {
    Bytes out(values.size() * sizeof(int));
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

bool all_are(const Buffer& buffer, int want) {
    Bytes bytes = buffer.get();
    std::vector<int> got(bytes.size() / sizeof(int));
    std::memcpy(got.data(), bytes.data(), bytes.size());
    for (int value : got) {
        if (value != want) return false;
    }
    return true;
}

void check(Report& report, bool good, const std::string& what) {
    std::lock_guard lock(report_lock);
    report.check(good, what);
}

// A thread's buffers, made before all threads run and freed after: freeing device memory waits for all work of the
// device, so a thread that frees while others communicate waits for what the other ranks' threads may not have begun.
struct Work {
    explicit Work(int thread) : count(1 + 500 * thread) {
        for (Buffer* buffer : {&send, &recv, &other})
            *buffer = Buffer(Memory::device, static_cast<size_t>(count) * sizeof(int));
    }
    int count;
    Buffer send, recv, other;
};

void one_round(MPI_Comm comm, Work& work, int thread, int round, int rank, int n, Report& report) {
    std::string name = "thread " + std::to_string(thread) + ", round " + std::to_string(round) + ": ";
    int value = rank + thread + round, sum = n * (n - 1) / 2 + n * (thread + round);
    work.send.set(bytes_of(std::vector<int>(static_cast<size_t>(work.count), value)));
    MPI_Request request;
    must(MPI_Iallreduce(work.send.data(), work.other.data(), work.count, MPI_INT, MPI_SUM, comm, &request),
         "MPI_Iallreduce");
    must(MPI_Allreduce(work.send.data(), work.recv.data(), work.count, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    check(report, all_are(work.recv, sum), name + "MPI_Allreduce");
    must(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    check(report, all_are(work.other, sum), name + "MPI_Iallreduce");
    must(MPI_Bcast(work.send.data(), work.count, MPI_INT, round % n, comm), "MPI_Bcast");
    check(report, all_are(work.send, round % n + thread + round), name + "MPI_Bcast");
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int kThreads = 4;
    Report report("mpi_threads");
    int rank = start(&argc, &argv, true), n = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int rounds = std::stoi(option(argc, argv, "--rounds", "40"));
    std::array<MPI_Comm, kThreads> comms;
    for (MPI_Comm& comm : comms) must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    std::vector<Work> work;
    for (int t = 0; t < kThreads; ++t) work.emplace_back(t);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            take_device(rank);
            for (int round = 0; round < rounds; ++round) {
                MPI_Comm comm = comms[static_cast<size_t>(t)], inner = comm;
                if (t == 0) must(MPI_Comm_dup(comm, &inner), "MPI_Comm_dup");
                one_round(inner, work[static_cast<size_t>(t)], t, round, rank, n, report);
                if (t == 0) must(MPI_Comm_free(&inner), "MPI_Comm_free");
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (MPI_Comm& comm : comms) must(MPI_Comm_free(&comm), "MPI_Comm_free");
    int code = report.finish();
    must(MPI_Finalize(), "MPI_Finalize");
    return code;
}
