// Arithmetic on sizes that says when it overflows instead of wrapping.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace stepccl {

template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checked_mul(T a, T b) noexcept {
    T out{};
    if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
    return out;
}

template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checked_add(T a, T b) noexcept {
    T out{};
    if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
    return out;
}

// floor(total * i / n) without overflow for i <= n.
[[nodiscard]] constexpr uint64_t split_point(uint64_t total, uint64_t i, uint64_t n) noexcept {
    return total / n * i + total % n * i / n;
}

// The next multiple of `alignment`, a power of two.
[[nodiscard]] constexpr uint64_t align_up(uint64_t value, uint64_t alignment) noexcept {
    return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace stepccl
