// Flag words: 32-bit values in memory that several streams and processes share. Writers wake sleepers by a futex, so
// that a wait does not burn a core; sleeps are short, because a plain copy or a host store can change a word too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace stepccl::emu {

uint32_t load_word(uint32_t* word) noexcept;               // acquire
void store_word(uint32_t* word, uint32_t value) noexcept;  // release, and wakes those who wait
// Stores the value in every word, in order; words of a short range may be flags, and those who wait are woken.
void fill_words(uint32_t* words, size_t count, uint32_t value) noexcept;

// Returns true once holds(*word), false when stop() says so first.
bool wait_word(uint32_t* word, const std::function<bool(uint32_t)>& holds, const std::function<bool()>& stop);

}  // namespace stepccl::emu
