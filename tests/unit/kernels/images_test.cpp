// The embedded fat binaries: each GPU code in them has an entry for every operation on every type of its size.
#include "engine/cuda/kernels/images.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/cuda/kernels/kernel_name.h"

namespace stepccl::kernels {
namespace {

// The pieces of an image that begin with an ELF header: one for each architecture, uncompressed as nvcc leaves them.
std::vector<std::string_view> binaries(const KernelImage& image) {
    const std::string_view all(reinterpret_cast<const char*>(image.data), image.bytes);
    const std::string_view magic("\177ELF", 4);
    std::vector<std::string_view> found;
    for (size_t at = all.find(magic); at != std::string_view::npos;) {
        const size_t next = all.find(magic, at + 1);
        found.push_back(all.substr(at, next == std::string_view::npos ? next : next - at));
        at = next;
    }
    return found;
}

class ImagesTest : public testing::Test {
  protected:
    void SetUp() override {
        if (kernel_images().empty()) GTEST_SKIP() << "built without CUDA";
    }
};

TEST_F(ImagesTest, EveryTypeHasOne) {
    for (size_t t = 0; t < kDatatypes; ++t) {
        const KernelImage* image = kernel_image(static_cast<Datatype>(t));
        ASSERT_NE(image, nullptr) << name_of(static_cast<Datatype>(t));
        EXPECT_EQ(image->element_bytes, size_of(static_cast<Datatype>(t)));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(image->data) % 8, 0u);
    }
}

TEST_F(ImagesTest, EveryArchitectureHasEveryKernel) {
    size_t kernels = 0;
    for (size_t t = 0; t < kDatatypes; ++t) {
        const auto type = static_cast<Datatype>(t);
        const auto codes = binaries(*kernel_image(type));
        if (codes.empty()) GTEST_SKIP() << "the images are compressed";
        for (size_t o = 0; o < kOperations; ++o) {
            const char* name = kernel_name(type, static_cast<Operation>(o));
            if (name == nullptr) continue;
            ++kernels;
            // The section that holds the kernel's code, with the NUL that ends its name.
            const std::string section = std::string("\0.text.", 7) + name + '\0';
            for (std::string_view code : codes) EXPECT_NE(code.find(section), code.npos) << name;
        }
    }
    EXPECT_EQ(kernels, 113u);
}

}  // namespace
}  // namespace stepccl::kernels
