// Communicators come and go a thousand times: nothing may pile up. Some are left to MPI_Finalize, together with
// MPI_COMM_SELF and a communicator of one rank. Option: --rounds N
#include <dirent.h>

#include <fstream>

#include "support.h"

namespace {

using namespace test;

size_t entries(const char* folder) {
    size_t count = 0;
    DIR* dir = opendir(folder);
    if (dir == nullptr) return 0;
    while (readdir(dir) != nullptr) ++count;
    closedir(dir);
    return count;
}

size_t lines(const char* file) {
    std::ifstream in(file);
    size_t count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
}

size_t resident_kib() {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("VmRSS:", 0) == 0) return std::stoul(line.substr(6));
    }
    return 0;
}

// What this process holds. Between barriers, as another rank may be late to give back its part.
struct Holdings {
    size_t files, maps, kib;
    static Holdings now() {
        must(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
        Holdings out = {entries("/proc/self/fd"), lines("/proc/self/maps"), resident_kib()};
        must(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
        return out;
    }
    std::string text() const {
        return std::to_string(files) + " files, " + std::to_string(maps) + " mappings, " + std::to_string(kib) + " KiB";
    }
};

void sum_on(MPI_Comm comm, const Buffer& send, const Buffer& recv, Report& report) {
    int n = 0;
    MPI_Comm_size(comm, &n);
    must(MPI_Allreduce(send.data(), recv.data(), 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    Bytes got = recv.get();
    int sum = 0;
    std::memcpy(&sum, got.data(), sizeof(sum));
    report.check(sum == n, "the sum of ones is the number of ranks");
}

Bytes one() {
    int value = 1;
    Bytes out(sizeof(value));
    std::memcpy(out.data(), &value, sizeof(value));
    return out;
}

void come_and_go(int rounds, const Buffer& send, const Buffer& recv, Report& report) {
    for (int round = 0; round < rounds; ++round) {
        MPI_Comm comm;
        must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
        sum_on(comm, send, recv, report);
        must(MPI_Comm_free(&comm), "MPI_Comm_free");
    }
}

}  // namespace

int main(int argc, char** argv) {
    Report report("mpi_lifecycle");
    int rank = start(&argc, &argv);
    int rounds = std::stoi(option(argc, argv, "--rounds", "1000"));
    Buffer send(Memory::device, one()), recv(Memory::device, sizeof(int));
    come_and_go(rounds / 10, send, recv, report);
    Holdings before = Holdings::now();
    come_and_go(rounds, send, recv, report);
    Holdings after = Holdings::now();
    std::string change =
        "after " + std::to_string(rounds) + " communicators " + before.text() + " became " + after.text();
    report.check(after.files <= before.files, "open files: " + change);
    report.check(after.maps <= before.maps + 16, "mappings: " + change);
    // The address sanitizer keeps what was freed, up to its own bound.
#ifndef __SANITIZE_ADDRESS__
    report.check(after.kib <= before.kib + 8 * static_cast<size_t>(rounds) + 4096, "memory: " + change);
#endif

    sum_on(MPI_COMM_SELF, send, recv, report);
    MPI_Comm alone, left[3];
    must(MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone), "MPI_Comm_split");
    sum_on(alone, send, recv, report);
    must(MPI_Comm_free(&alone), "MPI_Comm_free");
    for (MPI_Comm& comm : left) {  // never freed
        must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
        sum_on(comm, send, recv, report);
    }
    int code = report.finish();
    must(MPI_Finalize(), "MPI_Finalize");
    return code;
}
