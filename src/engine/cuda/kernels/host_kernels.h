// The reduction kernels for the emulated driver: the functors of the GPU kernels, run by one host thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace stepccl::kernels {

// What a host kernel asks of the driver that runs it. Every function gets `ctx` and must be set.
// Addresses are those in the ReduceWork: what a program gave to a launch, never what resolve returned.
struct HostKernelEnv {
    // Where the host may touch [device_address, device_address + bytes); null when that is not all valid memory.
    void* (*resolve)(void* ctx, uint64_t device_address, size_t bytes);
    // Returns true once (int32_t)(*flag - value) >= 0, with acquire order. False gives the launch up: an illegal
    // address, or a device that was lost or shut down meanwhile.
    bool (*wait_geq)(void* ctx, uint64_t flag_address, uint32_t value);
    // Writes a flag with release order. False: an illegal address.
    bool (*write_flag)(void* ctx, uint64_t flag_address, uint32_t value);
    void* ctx;
};

// Runs a launch: args as cuLaunchKernel takes them (args[0] points at a ReduceWork), grid and block in x.
// The entries are done in order: waits, fold, signals. False means that the launch stopped as on an illegal address:
// one that env refused, an operand not aligned to its element, or work that breaks reduce_work.h (arrivals not zero,
// no CTA, a block that is not 1 to 32 warps).
using HostKernel = bool (*)(void** args, unsigned grid, unsigned block, const HostKernelEnv& env);

// The kernel of that name (kernel_name.h); null when there is none.
HostKernel host_kernel(const char* name) noexcept;

}  // namespace stepccl::kernels
