#include "emu/words.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>

namespace stepccl::emu {
namespace {

constexpr int kYields = 8;  // cores are few and shared: hardly any spinning
constexpr long kFirstSleepNs = 100'000, kLongestSleepNs = 2'000'000;

// Not private: the other side may be another process that maps the same memory elsewhere.
void sleep_on(uint32_t* word, uint32_t seen, long nanoseconds) noexcept {
    timespec limit{0, nanoseconds};
    // Woken, timed out, interrupted or changed meanwhile: the caller looks again in every case.
    static_cast<void>(syscall(SYS_futex, word, FUTEX_WAIT, seen, &limit, nullptr, 0));
}

}  // namespace

uint32_t load_word(uint32_t* word) noexcept {
    return std::atomic_ref<uint32_t>(*word).load(std::memory_order_acquire);
}

void store_word(uint32_t* word, uint32_t value) noexcept {
    std::atomic_ref<uint32_t>(*word).store(value, std::memory_order_release);
    static_cast<void>(syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0));
}

void fill_words(uint32_t* words, size_t count, uint32_t value) noexcept {
    constexpr size_t kFlags = 64;  // a wake is a system call: a long range is data, and a sleeper looks again by itself
    for (size_t i = 0; i < count; ++i) {
        if (count <= kFlags) {
            store_word(words + i, value);
        } else {
            std::atomic_ref<uint32_t>(words[i]).store(value, std::memory_order_release);
        }
    }
}

bool wait_word(uint32_t* word, const std::function<bool(uint32_t)>& holds, const std::function<bool()>& stop) {
    long nanoseconds = kFirstSleepNs;
    for (int round = 0;; ++round) {
        uint32_t seen = load_word(word);
        if (holds(seen)) return true;
        if (stop()) return false;
        if (round < kYields) {
            sched_yield();
        } else {
            sleep_on(word, seen, nanoseconds);
            nanoseconds = std::min(nanoseconds * 2, kLongestSleepNs);
        }
    }
}

}  // namespace stepccl::emu
