// What STEPCCL_EMU_* and CUDA_VISIBLE_DEVICES ask for, as one value that is read once, at cuInit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/cuda/driver_api.h"

namespace stepccl::emu {

// The call number `call` (from 1) of `function` returns `code`.
struct FailRule {
    std::string function;
    uint64_t call = 0;
    cuda::CuResult code = cuda::CUDA_ERROR_UNKNOWN;
};

// Zero or false: the fault is off.
struct Faults {
    uint64_t delay_us = 0;
    bool reorder = false, noipc = false, noipc_open = false;
    uint64_t lose = 0, corrupt = 0, seed = 1;
    std::vector<FailRule> fail;
};

struct Config {
    unsigned devices = 8;
    uint64_t memory_bytes = uint64_t{4} << 30;
    std::vector<unsigned> visible;  // physical devices in the order of their ordinals
    Faults faults;
};

// An error's text names the variable and what was expected.
Result<Config> read_config(const char* const* environment);

// Stable for a device of a host, different on every device and host.
cuda::Uuid device_uuid(unsigned physical);

// "cuMemAlloc_v2" -> "cuMemAlloc": users name functions as CUDA's documentation does.
std::string plain_name(std::string_view symbol);

}  // namespace stepccl::emu
