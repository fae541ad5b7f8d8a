#include "engine/cuda/kernels/images.h"

#include "config.h"

#if defined(STEPCCL_HAVE_CUDA_KERNELS)

// One image for each element size. The assembler reads the files that nvcc wrote (local.mk), relative to the build
// folder, where make compiles.
__asm__(R"(
    .macro stepccl_image size
    .balign 64
    .globl stepccl_reduce_\size, stepccl_reduce_\size\()_end
    .hidden stepccl_reduce_\size, stepccl_reduce_\size\()_end
stepccl_reduce_\size:
    .incbin "src/engine/cuda/kernels/reduce_\size\().fatbin"
stepccl_reduce_\size\()_end:
    .byte 0
    .endm

    .pushsection .rodata
    stepccl_image 1
    stepccl_image 2
    stepccl_image 4
    stepccl_image 8
    stepccl_image 16
    .popsection
)");

#define STEPCCL_IMAGES(row) row(1) row(2) row(4) row(8) row(16)

#define STEPCCL_DECLARE(size)                                                                     \
    extern "C" __attribute__((visibility("hidden"))) const unsigned char stepccl_reduce_##size[]; \
    extern "C" __attribute__((visibility("hidden"))) const unsigned char stepccl_reduce_##size##_end[];
STEPCCL_IMAGES(STEPCCL_DECLARE)

#define STEPCCL_ROW(size)                          \
    {"reduce_" #size, size, stepccl_reduce_##size, \
     static_cast<size_t>(stepccl_reduce_##size##_end - stepccl_reduce_##size)},

#endif

namespace stepccl::kernels {

std::span<const KernelImage> kernel_images() noexcept {
#if defined(STEPCCL_HAVE_CUDA_KERNELS)
    static const KernelImage images[] = {STEPCCL_IMAGES(STEPCCL_ROW)};
    return images;
#else
    return {};
#endif
}

const KernelImage* kernel_image(Datatype type) noexcept {
    for (const KernelImage& image : kernel_images()) {
        if (image.element_bytes == size_of(type)) return &image;
    }
    return nullptr;
}

}  // namespace stepccl::kernels
