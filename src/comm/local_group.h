// The ranks of a communicator on one node: how they meet, wait for one another and notice that one of them has gone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/params.h"
#include "comm/control_block.h"
#include "comm/shared_memory.h"

namespace stepccl {

// How ranks meet, given by the caller of the library.
struct Bootstrap {
    uint32_t rank = 0, n = 1;
    std::function<bool(const void* mine, void* all, size_t bytes)> allgather;
    std::function<bool()> progress;  // false ends a wait
    std::string name;
};

class LocalGroup {
  public:
    // Collective. A null pointer with `reason` filled when the ranks do not share a node or memory: on all ranks alike.
    static Result<std::unique_ptr<LocalGroup>> meet(Bootstrap bootstrap, const Params& params, const Log& log, std::string& reason);

    uint32_t rank() const noexcept { return bootstrap_.rank; }
    uint32_t n() const noexcept { return bootstrap_.n; }
    const std::string& name() const noexcept { return bootstrap_.name; }
    const ControlBlock& control() const noexcept { return control_; }
    RankSlot& own() const { return control_.slot(rank()); }
    bool same_process(uint32_t peer) const { return control_.slot(peer).process == process_; }

    // Waits until `come(rank)` holds for every rank. ERR_PEER_FAILED when one that has not come has died or another rank reports a
    // failure, ERR_TIMEOUT after timeout_us. `doing` says what, for the message.
    Status wait_for_all(const std::function<bool(uint32_t rank)>& come, const std::string& doing);
    // A barrier on the host that gathers a vote: false in `unanimous` when any rank voted false.
    Status barrier(bool vote, bool& unanimous, const std::string& doing);

    // One turn of a wait: the caller's progress, then, now and then, whether `missing` lives and nobody has failed.
    class Watch {
      public:
        Watch(LocalGroup& node, std::string doing);
        // `missing(rank)`: whether this rank is still waited for.
        Status turn(const std::function<bool(uint32_t)>& missing);

      private:
        Status look(const std::function<bool(uint32_t)>& missing);
        LocalGroup& group_;
        std::string doing_;
        uint64_t turns_ = 0;
        uint64_t started_us_, looked_us_;
    };

    // Tells the others, with the first failure's text; returns it as this rank's status.
    Status fail(Status status);
    Status failure() const;

  private:
    LocalGroup(Bootstrap bootstrap, const Params& params, const Log& log)
        : bootstrap_(std::move(bootstrap)), timeout_us_(static_cast<uint64_t>(params.timeout_us)), log_(log) {}

    Bootstrap bootstrap_;
    uint64_t timeout_us_;
    Log log_;
    ProcessId process_ = this_process();
    std::unique_ptr<SharedMemory> memory_;
    ControlBlock control_;
};

}  // namespace stepccl
