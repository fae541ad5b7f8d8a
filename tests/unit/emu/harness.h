// What the tests of the emulated driver share. A process can initialise a driver only once, and faults come from its
// environment, so every test runs its body in a child process of its own; the parent never loads the driver.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/driver.h"

namespace emu_test {

using namespace stepccl::cuda;

using Environment = std::map<std::string, std::string>;

// Runs `body` in a child process with these variables added; the test fails if a check in it failed, if it died, or if
// it did not end within two minutes.
void in_child(const Environment& environment, const std::function<void()>& body);

// What a child of a given exit status or signal printed on standard error, for children that are meant to end badly.
struct Ending {
    int wait_status = 0;
    std::string errors;
};
Ending run_child(const Environment& environment, const std::function<void()>& body);

// The two ends of a conversation between processes that are forked before either has the driver.
class Link {
  public:
    explicit Link(int fd) : fd_(fd) {}
    template <typename T>
    void send(const T& value) {
        write_all(&value, sizeof value);
    }
    template <typename T>
    T receive() {
        T value{};
        read_all(&value, sizeof value);
        return value;
    }

  private:
    void write_all(const void* data, size_t bytes);
    void read_all(void* data, size_t bytes);
    int fd_;
};
// Runs both bodies, each in a process of its own, and fails the test when a check in either failed.
void in_two_processes(const Environment& environment, const std::function<void(Link&)>& first,
                      const std::function<void(Link&)>& second);

// The emulated driver of the build tree. Ends the process when it cannot be loaded.
std::shared_ptr<const Driver> load_driver();

// The driver with the primary context of `device` current in this thread.
struct Gpu {
    explicit Gpu(Device device = 0);
    const Driver* operator->() const { return driver.get(); }

    DevicePtr alloc(size_t bytes) const;
    Stream* stream(unsigned flags = CU_STREAM_NON_BLOCKING) const;
    template <typename T>
    DevicePtr upload(const std::vector<T>& values) const {
        DevicePtr out = alloc(values.size() * sizeof(T));
        EXPECT_EQ(driver->memcpy(out, address(values.data()), values.size() * sizeof(T)), CUDA_SUCCESS);
        return out;
    }
    template <typename T>
    std::vector<T> download(DevicePtr from, size_t count) const {
        std::vector<T> out(count);
        EXPECT_EQ(driver->memcpy(address(out.data()), from, count * sizeof(T)), CUDA_SUCCESS);
        return out;
    }
    uint32_t word(DevicePtr from) const { return download<uint32_t>(from, 1)[0]; }
    // Writes a flag from a stream of its own, so that it overtakes whatever waits for it.
    void write_word(DevicePtr to, uint32_t value) const;
    static DevicePtr address(const void* host) { return reinterpret_cast<DevicePtr>(host); }

    std::shared_ptr<const Driver> driver;
    Context* context = nullptr;
};

// Whether a read, or a write, of this address is a SIGSEGV.
bool read_faults(uint64_t address);
bool write_faults(uint64_t address);

}  // namespace emu_test
