// A stream: operations that a thread of its own executes one after the other, while the caller goes on.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "emu/faults.h"
#include "emu/registry.h"

namespace stepccl::emu {

class Stream;

// A place in a stream: everything that was submitted up to `ticket`.
struct Point {
    std::shared_ptr<Stream> stream;
    uint64_t ticket = 0;
};

// What an operation is given while it runs.
struct Execution {
    Context& context;
    Random& random;
    std::vector<std::shared_ptr<Allocation>> pins;  // memory that a kernel found on its way, held until it ends
};

struct Operation {
    std::vector<Point> after;                           // other streams' work that must be complete first
    std::vector<std::shared_ptr<Allocation>> operands;  // must be live when it runs
    bool opaque = false;  // a kernel: its operands are known to the program only, so it counts as using all memory
    bool work = true;     // moves data or values: counted by the fault `lose`
    // An error makes the context unusable, as on a GPU. Empty: a place in the order and nothing to do.
    std::function<cuda::CuResult(Execution&)> run;
};

class Stream : public std::enable_shared_from_this<Stream> {
  public:
    Stream(Context& context, unsigned flags, uint64_t number);

    Context& context() const noexcept { return context_; }
    // Whether it takes turns with the legacy default stream.
    bool blocking() const noexcept { return (flags_ & cuda::CU_STREAM_NON_BLOCKING) == 0; }

    // Appends; only Context::submit calls it, which keeps the order among streams.
    uint64_t push(Operation operation);
    uint64_t submitted() const;
    bool done(uint64_t ticket) const;
    bool idle() const { return done(submitted()); }
    // Blocks until `ticket` is complete. False when `waiter` stopped first.
    bool wait(uint64_t ticket, const Context* waiter = nullptr) const;
    // The last operation not yet complete that uses the allocation; 0 when there is none.
    uint64_t last_use(const Allocation& allocation) const;
    // Takes no more work; the thread ends when the queue is empty.
    void close();

  private:
    void start();
    void work();
    void execute(Operation& operation);

    Context& context_;
    const unsigned flags_;
    Random random_;

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::deque<Operation> queue_;  // the front is being executed
    uint64_t submitted_ = 0, completed_ = 0;
    bool started_ = false, closed_ = false;
};

}  // namespace stepccl::emu
