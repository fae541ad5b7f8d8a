// The compiled GPU kernels that this library carries.
#pragma once

#include <cstddef>
#include <span>

#include "base/datatype.h"

namespace stepccl::kernels {

// A fat binary for cuModuleLoadData, with the reduction kernels (kernel_name.h) of all types of one element size.
struct KernelImage {
    const char* name;      // "reduce_4"
    size_t element_bytes;  // size_of(type) of the types it serves
    const unsigned char* data;
    size_t bytes;
};

// All images, static storage; empty in a build without CUDA.
std::span<const KernelImage> kernel_images() noexcept;

// The image with the kernels of that type; null in a build without CUDA.
const KernelImage* kernel_image(Datatype type) noexcept;

}  // namespace stepccl::kernels
