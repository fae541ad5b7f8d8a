// Launches of host kernels on plain memory, with every flag operation recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/cuda/kernels/host_kernels.h"
#include "engine/cuda/kernels/reduce_work.h"

namespace stepccl::kernels {

inline uint64_t address_of(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

// A ReduceWork whose arrays grow as entries are added.
struct Work {
    std::vector<ReduceEntry> entries;
    std::vector<uint64_t> srcs;
    std::vector<FlagRef> flags;
    std::vector<uint32_t> arrivals;

    void add(const void* dst, uint64_t count, const std::vector<const void*>& sources,
             const std::vector<FlagRef>& waits = {}, const std::vector<FlagRef>& signals = {}) {
        auto size = [](const auto& list) { return static_cast<uint32_t>(list.size()); };
        entries.push_back({address_of(dst), count, size(srcs), size(sources), size(flags), size(waits),
                           size(flags) + size(waits), size(signals)});
        for (const void* source : sources) srcs.push_back(address_of(source));
        flags.insert(flags.end(), waits.begin(), waits.end());
        flags.insert(flags.end(), signals.begin(), signals.end());
        arrivals.push_back(0);
    }
    ReduceWork argument() const {
        return {address_of(entries.data()),
                address_of(srcs.data()),
                address_of(flags.data()),
                address_of(arrivals.data()),
                static_cast<uint32_t>(entries.size()),
                0};
    }
};

// What a driver does for a host kernel; the defaults know every address and find every flag reached.
struct Driver {
    std::vector<std::string> events;  // "wait ADDRESS VALUE" and "signal ADDRESS VALUE"
    std::function<void*(uint64_t, size_t)> resolve = [](uint64_t at, size_t) { return reinterpret_cast<void*>(at); };
    std::function<bool(const std::string&)> on_event = [](const std::string&) { return true; };

    bool event(const char* what, uint64_t address, uint32_t value) {
        events.push_back(std::string(what) + ' ' + std::to_string(address) + ' ' + std::to_string(value));
        return on_event(events.back());
    }
    HostKernelEnv env() {
        return {[](void* self, uint64_t at, size_t bytes) { return static_cast<Driver*>(self)->resolve(at, bytes); },
                [](void* self, uint64_t at, uint32_t v) { return static_cast<Driver*>(self)->event("wait", at, v); },
                [](void* self, uint64_t at, uint32_t v) { return static_cast<Driver*>(self)->event("signal", at, v); },
                this};
    }
    bool launch(HostKernel kernel, const Work& work, unsigned grid = 4, unsigned block = 64) {
        ReduceWork argument = work.argument();
        void* args[] = {&argument};
        return kernel(args, grid, block, env());
    }
};

}  // namespace stepccl::kernels
