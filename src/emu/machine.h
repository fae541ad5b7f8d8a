// The emulated machine as this process sees it: devices, memory and every object that has a handle. Made by cuInit and
// never destroyed, because streams' threads may run until the process is gone.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "emu/config.h"
#include "emu/context.h"
#include "emu/event.h"
#include "emu/faults.h"
#include "emu/module.h"
#include "emu/registry.h"
#include "emu/stream.h"

namespace stepccl::emu {

// Objects that a program knows by a pointer. A pointer that is not, or no longer, a handle is found out.
template <typename T>
class Handles {
  public:
    void add(const std::shared_ptr<T>& object) {
        std::lock_guard lock(mutex_);
        objects_[object.get()] = object;
    }
    std::shared_ptr<T> find(const void* handle) const {
        std::lock_guard lock(mutex_);
        auto it = objects_.find(handle);
        return it == objects_.end() ? nullptr : it->second;
    }
    // Finds it for the last time.
    std::shared_ptr<T> take(const void* handle) {
        std::lock_guard lock(mutex_);
        auto it = objects_.find(handle);
        if (it == objects_.end()) return nullptr;
        std::shared_ptr<T> object = std::move(it->second);
        objects_.erase(it);
        return object;
    }
    template <typename Predicate>
    void forget_if(const Predicate& predicate) {
        std::lock_guard lock(mutex_);
        std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
    }

  private:
    mutable std::mutex mutex_;
    std::map<const void*, std::shared_ptr<T>> objects_;
};

class Machine {
  public:
    // cuInit: reads the environment. Called again it does nothing.
    static cuda::CuResult initialise();
    // Null before cuInit, and in a child of a fork after it: as with CUDA, a child has no use of its parent's device.
    static Machine* get() noexcept;
    static bool in_forked_child() noexcept;

    Context* context(int ordinal) const noexcept;
    Context* context(const cuda::Context* handle) const noexcept;
    // Drops all that belongs to a context that was shut down.
    void forget(const Context& context);

    const Config config;
    FaultInjector faults;
    Registry registry;
    Handles<Stream> streams;
    Handles<Event> events;
    Handles<Module> modules;
    Handles<Function> functions;

  private:
    explicit Machine(Config settings);

    std::vector<std::unique_ptr<Context>> contexts_;
};

}  // namespace stepccl::emu
