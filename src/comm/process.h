// Which process a rank is, and whether it still lives.
#pragma once

#include <cstdint>
#include <string>

namespace stepccl {

// A process on this machine. The start time tells it from a later one that got the same pid.
struct ProcessId {
    int32_t pid = 0;
    uint64_t start_time = 0;  // clock ticks since boot
    bool operator==(const ProcessId&) const = default;
};

ProcessId this_process();

// Whether it runs: not when it has ended, is a zombie, or another process has its pid.
bool alive(const ProcessId& process);

// What two ranks must share to share memory: the same kernel boot and the same pid namespace. Never empty.
std::string node_identity();

}  // namespace stepccl
