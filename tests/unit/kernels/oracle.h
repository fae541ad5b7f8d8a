// What a reduction must give, computed element by element in other ways than the kernels do it, and data to reduce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "base/datatype.h"

namespace stepccl::oracle {

// The value of a binary16 or bfloat16, and the nearest one of a value (ties to even), by frexp and ldexp.
double decode16(Datatype type, uint16_t bits);
uint16_t encode16(Datatype type, double value);

// Folds one element of each source, first to last, into `result`.
void fold(Datatype type, Operation op, std::span<const void* const> sources, void* result);

// Whether two elements are the same bits, any NaN counting as the same and padding as nothing.
bool same(Datatype type, const void* a, const void* b);

// Fills `count` elements: extremes, subnormals, infinities, both zeros and equal values come often; NaN never.
void fill(Datatype type, std::mt19937& random, void* elements, size_t count);

}  // namespace stepccl::oracle
