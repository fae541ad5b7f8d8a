#include "harness.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace emu_test {
namespace {

constexpr unsigned kLimitSeconds = 120;

pid_t start_child(const Environment& environment, const std::function<void()>& body, int errors = -1) {
    std::fflush(nullptr);
    pid_t child = fork();
    if (child != 0) return child;
    if (errors >= 0) dup2(errors, STDERR_FILENO);
    alarm(kLimitSeconds);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    body();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
}

void expect_success(pid_t child, const char* which) {
    int status = 0;
    ASSERT_GT(child, 0) << "fork";
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << which << " was ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << which << " reported a failure";
}

sigjmp_buf fault_return;
void on_fault(int) {
    siglongjmp(fault_return, 1);
}

// Whether `touch` is ended by SIGSEGV.
bool faults(const std::function<void()>& touch) {
    struct sigaction action {
    }, before{};
    action.sa_handler = on_fault;
    sigaction(SIGSEGV, &action, &before);
    volatile bool faulted = true;
    if (sigsetjmp(fault_return, 1) == 0) {
        touch();
        faulted = false;
    }
    sigaction(SIGSEGV, &before, nullptr);
    return faulted;
}

}  // namespace

void in_child(const Environment& environment, const std::function<void()>& body) {
    expect_success(start_child(environment, body), "the child");
}

Ending run_child(const Environment& environment, const std::function<void()>& body) {
    FILE* errors = std::tmpfile();
    Ending out;
    pid_t child = start_child(environment, body, fileno(errors));
    EXPECT_GT(child, 0) << "fork";
    EXPECT_EQ(waitpid(child, &out.wait_status, 0), child);
    std::rewind(errors);
    for (int c = std::fgetc(errors); c != EOF; c = std::fgetc(errors)) out.errors += static_cast<char>(c);
    std::fclose(errors);
    return out;
}

void in_two_processes(const Environment& environment, const std::function<void(Link&)>& first,
                      const std::function<void(Link&)>& second) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    auto with = [&](int own, const std::function<void(Link&)>& body) {
        return [&ends, own, &body] {
            close(ends[1 - own]);  // so that the other's death is seen
            Link link(ends[own]);
            body(link);
        };
    };
    pid_t one = start_child(environment, with(0, first));
    pid_t two = start_child(environment, with(1, second));
    close(ends[0]);
    close(ends[1]);
    expect_success(one, "the first process");
    expect_success(two, "the second process");
}

void Link::write_all(const void* data, size_t bytes) {
    if (::send(fd_, data, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes)) return;
    ADD_FAILURE() << "the other process is gone";
    std::exit(1);
}

void Link::read_all(void* data, size_t bytes) {
    if (::recv(fd_, data, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes)) return;
    ADD_FAILURE() << "the other process is gone";
    std::exit(1);
}

std::shared_ptr<const Driver> load_driver() {
    stepccl::Params params;
    auto set = [&](const char* name, const char* value) { EXPECT_TRUE(params.set(name, value, "test").ok()); };
    set("driver", "emulated");
    set("driver_library", EMU_LIBRARY);
    auto driver = Driver::load(params);
    if (driver.ok()) return driver.value();
    ADD_FAILURE() << driver.status().text();
    std::exit(1);
}

Gpu::Gpu(Device device) : driver(load_driver()) {
    EXPECT_EQ(driver->device_primary_ctx_retain(&context, device), CUDA_SUCCESS);
    EXPECT_EQ(driver->ctx_set_current(context), CUDA_SUCCESS);
}

DevicePtr Gpu::alloc(size_t bytes) const {
    DevicePtr out = 0;
    EXPECT_EQ(driver->mem_alloc(&out, bytes), CUDA_SUCCESS);
    return out;
}

Stream* Gpu::stream(unsigned flags) const {
    Stream* out = nullptr;
    EXPECT_EQ(driver->stream_create(&out, flags), CUDA_SUCCESS);
    return out;
}

void Gpu::write_word(DevicePtr to, uint32_t value) const {
    Stream* own = stream();
    EXPECT_EQ(driver->stream_write_value32(own, to, value, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
    EXPECT_EQ(driver->stream_destroy(own), CUDA_SUCCESS);
}

bool read_faults(uint64_t address) {
    return faults([=] { static_cast<void>(*reinterpret_cast<volatile char*>(address)); });
}

bool write_faults(uint64_t address) {
    return faults([=] { *reinterpret_cast<volatile char*>(address) = 1; });
}

}  // namespace emu_test
