#include "support.h"

#include <algorithm>

namespace test {

void Report::fail(const std::string& what) {
    if (++failures_ > 20) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "%s: rank %d: FAILED %s\n", program_, rank, what.c_str());
}

void Report::check(bool good, const std::string& what) {
    ++checks_;
    if (!good) fail(what);
}

int Report::finish(uint64_t seed) {
    long mine[2] = {checks_, failures_}, all[2] = {0, 0};
    must(MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        std::printf("%s: %ld checks, %ld failures, seed %llu\n", program_, all[0], all[1],
                    static_cast<unsigned long long>(seed));
        std::fflush(stdout);
    }
    return all[1] == 0 && all[0] != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void must(stepccl_status_t status, const char* what) {
    if (status == STEPCCL_SUCCESS) return;
    std::fprintf(stderr, "%s failed: %s\n", what, stepccl_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void must(int rc, const char* what) {
    if (rc == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(rc, text, &length);
    std::fprintf(stderr, "%s failed: %s\n", what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

Buffer::Buffer(Memory memory, const Bytes& content) : memory_(memory), bytes_(content.size()) {
    size_t all = bytes_ + 2 * kGuard;
    if (memory_ == Memory::device) {
        void* address = nullptr;
        must(stepccl_mem_alloc(&address, all), "stepccl_mem_alloc");
        base_ = static_cast<std::byte*>(address);
    } else {
        base_ = static_cast<std::byte*>(std::malloc(all));
    }
    Bytes image(all, kGuardByte);
    std::copy(content.begin(), content.end(), image.begin() + kGuard);
    must(stepccl_mem_copy(base_, image.data(), all), "stepccl_mem_copy");
}

Buffer::~Buffer() {
    if (base_ == nullptr) return;
    if (memory_ == Memory::device) {
        must(stepccl_mem_free(base_), "stepccl_mem_free");
    } else {
        std::free(base_);
    }
}

void Buffer::swap(Buffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
}

void Buffer::set(const Bytes& content) {
    if (!content.empty()) must(stepccl_mem_copy(data(), content.data(), content.size()), "stepccl_mem_copy");
}

Bytes Buffer::get() const {
    Bytes out(bytes_);
    if (bytes_ != 0) must(stepccl_mem_copy(out.data(), data(), bytes_), "stepccl_mem_copy");
    return out;
}

bool Buffer::guards_intact() const {
    if (base_ == nullptr) return true;
    Bytes guards(2 * kGuard);
    must(stepccl_mem_copy(guards.data(), base_, kGuard), "stepccl_mem_copy");
    must(stepccl_mem_copy(guards.data() + kGuard, base_ + kGuard + bytes_, kGuard), "stepccl_mem_copy");
    return std::all_of(guards.begin(), guards.end(), [](std::byte b) { return b == kGuardByte; });
}

uint64_t mix(uint64_t a, uint64_t b) {
    return Random(a * 0x100000001B3u ^ b).next();
}

Bytes random_bytes(size_t bytes, uint64_t key) {
    Random random(key);
    Bytes out(bytes);
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = random.next();
        std::memcpy(out.data() + i, &word, std::min<size_t>(8, bytes - i));
    }
    return out;
}

std::string option(int argc, char** argv, const char* name, const char* otherwise) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], name) == 0) return argv[i + 1];
    }
    return otherwise;
}

void take_device(int rank) {
    stepccl_driver_info_t driver = {};
    driver.size = sizeof(driver);
    must(stepccl_driver_query(&driver), "stepccl_driver_query");
    if (driver.devices == 0) {
        std::fprintf(stderr, "no GPU driver (%s): set STEPCCL_DRIVER=emulated\n", driver.reason);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    must(stepccl_device_set(rank % driver.devices), "stepccl_device_set");
}

int start(int* argc, char*** argv, bool many_threads) {
    int provided = MPI_THREAD_SINGLE, rank = 0;
    if (many_threads) {
        must(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
    } else {
        must(MPI_Init(argc, argv), "MPI_Init");
    }
    if (many_threads && provided != MPI_THREAD_MULTIPLE) {
        std::fprintf(stderr, "this Open MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    take_device(rank);
    return rank;
}

stepccl_counters_t counters() {
    stepccl_counters_t out = {};
    out.size = sizeof(out);
    must(stepccl_counters(&out), "stepccl_counters");
    return out;
}

}  // namespace test
