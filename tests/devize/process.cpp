#include "process.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "stepccl/stepccl.h"

namespace devize {
namespace {

constexpr size_t kSpares = 16, kSpareBytes = 64 << 20;
std::atomic<Process*> the_process;

std::string environment(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : value;
}

Settings read_settings(int rank) {
    Settings out;
    std::string mode = environment("DEVIZE_MODE", "all");
    if (mode != "all" && mode != "send" && mode != "recv" && mode != "odd" && mode != "off")
        die("DEVIZE_MODE is '%s'; it may be all, send, recv, odd or off", mode.c_str());
    bool here = mode == "all" || (mode == "odd" && rank % 2 == 1);
    out.send = here || mode == "send";
    out.recv = here || mode == "recv";
    out.verbose = environment("DEVIZE_VERBOSE", "0") != "0";
    out.statistics = environment("DEVIZE_STATISTICS", "0") != "0";
    out.limit_bytes = std::strtoull(environment("DEVIZE_LIMIT_BYTES", "1073741824").c_str(), nullptr, 0);
    return out;
}

void print(const char* format, std::va_list arguments) {
    Process* process = Process::get();
    std::string line = "devize: ";
    if (process != nullptr) line += "rank " + std::to_string(process->rank()) + ": ";
    char text[512];
    std::vsnprintf(text, sizeof(text), format, arguments);
    line += std::string(text) + "\n";
    std::fputs(line.c_str(), stderr);
}

}  // namespace

void die(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    PMPI_Abort(MPI_COMM_WORLD, 70);
    std::abort();
}

void say(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

const char* name_of(Kind kind) {
    static const char* const names[] = {
#define DEVIZE_COLLECTIVE(Name, name, buffers, parameters, arguments) #Name,
#include "collectives.def"
#undef DEVIZE_COLLECTIVE
        "Reduce_local"};
    return names[static_cast<size_t>(kind)];
}

Process* Process::get() {
    return the_process.load();
}

void Process::begin() {
    the_process = new Process;
}

void Process::end() {
    Process* process = the_process.exchange(nullptr);
    if (process != nullptr && process->settings_.statistics) process->print_counters();
    delete process;
}

Process::Process() {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    settings_ = read_settings(rank_);
    if (PMPI_Comm_dup(MPI_COMM_SELF, &own_) != MPI_SUCCESS ||
        PMPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        die("no communicator of its own");
    if (!settings_.send && !settings_.recv) return;
    stepccl_driver_info_t driver{};
    driver.size = sizeof(driver);
    if (stepccl_driver_query(&driver) != STEPCCL_SUCCESS) die("%s", stepccl_last_error());
    if (driver.devices == 0) die("there is no device: %s", driver.reason);
    device_ = std::atoi(environment("OMPI_COMM_WORLD_LOCAL_RANK", "0").c_str()) % driver.devices;
    bind_thread();
}

Process::~Process() {
    for (const Spare& spare : spares_) stepccl_mem_free(spare.block);
    PMPI_Comm_free(&own_);
}

// A thread of the program that is new to the driver gets this rank's device.
void Process::bind_thread() {
    thread_local bool bound = false;
    if (bound) return;
    if (stepccl_device_set(device_) != STEPCCL_SUCCESS) die("%s", stepccl_last_error());
    bound = true;
}

Counter& Process::counter(Kind kind, Form form) {
    return counters_[static_cast<size_t>(kind)][static_cast<size_t>(form)];
}

void* Process::allocate(size_t bytes) {
    bind_thread();
    bytes = std::bit_ceil(bytes);
    {
        std::lock_guard lock(mutex_);
        auto found =
            std::find_if(spares_.rbegin(), spares_.rend(), [&](const Spare& spare) { return spare.bytes == bytes; });
        if (found != spares_.rend()) {
            void* block = found->block;
            spares_.erase(std::next(found).base());
            spare_bytes_ -= bytes;
            return block;
        }
    }
    void* block = nullptr;
    if (stepccl_mem_alloc(&block, bytes) != STEPCCL_SUCCESS) die("%s", stepccl_last_error());
    return block;
}

void Process::put_back(void* block, size_t bytes) {
    bind_thread();
    bytes = std::bit_ceil(bytes);
    std::vector<void*> surplus;
    {
        std::lock_guard lock(mutex_);
        spares_.push_back({block, bytes});
        spare_bytes_ += bytes;
        while (spares_.size() > kSpares || spare_bytes_ > kSpareBytes) {
            surplus.push_back(spares_.front().block);
            spare_bytes_ -= spares_.front().bytes;
            spares_.erase(spares_.begin());
        }
    }
    for (void* old : surplus)
        if (stepccl_mem_free(old) != STEPCCL_SUCCESS) die("%s", stepccl_last_error());
}

// Collective over MPI_COMM_WORLD.
void Process::print_counters() {
    static const char* const prefix[] = {"", "I", ""};
    static const char* const suffix[] = {"", "", "_init"};
    for (size_t kind = 0; kind < static_cast<size_t>(Kind::count); ++kind)
        for (size_t form = 0; form < static_cast<size_t>(Form::count); ++form) {
            Counter& mine = counters_[kind][form];
            long here[4] = {mine.calls, mine.moved, mine.buffers, mine.left}, all[4] = {0, 0, 0, 0};
            PMPI_Reduce(here, all, 4, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
            if (rank_ != 0 || all[0] == 0) continue;
            std::string name = name_of(static_cast<Kind>(kind));
            if (form == 1) name[0] = static_cast<char>(name[0] | 0x20);
            std::fprintf(stderr, "devize: %s%s%s: %ld calls, %ld moved, %ld buffers, %ld left alone\n", prefix[form],
                         name.c_str(), suffix[form], all[0], all[1], all[2], all[3]);
        }
    stepccl_counters_t counters{};
    counters.size = sizeof(counters);
    if (stepccl_counters(&counters) != STEPCCL_SUCCESS) die("%s", stepccl_last_error());
    uint64_t here[3] = {counters.native_calls, counters.staged_calls, counters.host_calls}, all[3] = {0, 0, 0};
    PMPI_Reduce(here, all, 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank_ != 0) return;
    std::fprintf(stderr, "devize: StepCCL: %" PRIu64 " calls native, %" PRIu64 " staged, %" PRIu64 " host\n", all[0],
                 all[1], all[2]);
}

}  // namespace devize
