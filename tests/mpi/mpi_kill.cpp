// The last rank kills itself while all ranks are in large all-reduces; the others must get an error from MPI, and soon.
// Each of them says so on standard output; mpi_kill.sh reads it, and looks for the message of the library. The process
// ends without MPI_Finalize, as it would wait for the dead rank.
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <unistd.h>

#include "support.h"

int main(int argc, char** argv) {
    using namespace test;
    int rank = start(&argc, &argv), n = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    constexpr int kCount = 16 << 20;  // 64 MiB of floats
    Buffer send(Memory::device, size_t{kCount} * 4), recv(Memory::device, size_t{kCount} * 4);
    must(MPI_Allreduce(send.data(), recv.data(), 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");

    std::atomic<int> calls{0};
    std::thread killer;
    if (rank == n - 1) {
        killer = std::thread([&] {
            while (calls.load() < 2) std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            kill(getpid(), SIGKILL);
        });
    }
    int rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS) {
        ++calls;
        rc = MPI_Allreduce(send.data(), recv.data(), kCount, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
    }
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(rc, text, &length);
    std::printf("mpi_kill: rank %d got an error: %s\n", rank, text);
    std::fflush(stdout);
    // A second call on the broken communicator fails at once instead of waiting.
    rc = MPI_Allreduce(send.data(), recv.data(), kCount, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
    std::printf("mpi_kill: rank %d, once more: %s\n", rank, rc == MPI_SUCCESS ? "success" : "an error again");
    std::fflush(stdout);
    _exit(0);
}
