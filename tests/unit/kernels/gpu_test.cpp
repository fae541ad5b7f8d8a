// The kernels on a GPU, where there is one, against the same launches on the host.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "engine/cuda/kernels/images.h"
#include "engine/cuda/kernels/kernel_name.h"
#include "gpu.h"
#include "launch.h"
#include "oracle.h"

namespace stepccl::kernels {
namespace {

struct Shape {
    unsigned grid, block;
};
constexpr Shape kShapes[] = {{1, 32}, {7, 96}, {132, 32}, {4, 1024}, {33, 256}};

// Device memory and its copy on the host, handed out from the front. Addresses are the device's.
class Arena {
  public:
    static constexpr size_t kBytes = size_t{16} << 20;
    static constexpr uint8_t kUnused = 0xa5;

    void clear() {
        std::memset(copy_.data(), kUnused, used_);
        used_ = 0;
    }
    // `bytes` that begin `offset` bytes after a 256-byte boundary, with room before and after.
    const char* take(size_t bytes, size_t offset = 0) {
        const size_t at = used_ + 256 + offset;
        used_ = (at + bytes + 511) / 256 * 256;
        EXPECT_LE(used_, kBytes);
        return reinterpret_cast<const char*>(device_ + at);
    }
    void* host(uint64_t address) { return copy_.data() + (address - device_); }
    void* host(const void* address) { return host(address_of(address)); }
    template <typename T>
    const char* put(const std::vector<T>& list) {
        const char* at = take(list.size() * sizeof(T));
        if (!list.empty()) std::memcpy(host(at), list.data(), list.size() * sizeof(T));
        return at;
    }
    void upload() { TestGpu::instance().upload(device_, copy_.data(), used_); }
    std::vector<uint8_t> download() {
        std::vector<uint8_t> bytes(used_);
        TestGpu::instance().download(bytes.data(), device_, used_);
        return bytes;
    }
    size_t position(const void* address) const { return address_of(address) - device_; }
    const std::vector<uint8_t>& copy() const { return copy_; }

  private:
    uint64_t device_ = TestGpu::instance().allocate(kBytes);
    std::vector<uint8_t> copy_ = std::vector<uint8_t>(kBytes, kUnused);
    size_t used_ = 0;
};

// The launch argument of `work`, whose arrays are put into the arena.
ReduceWork placed(Arena& arena, const Work& work) {
    ReduceWork argument = work.argument();
    argument.entries = address_of(arena.put(work.entries));
    argument.srcs = address_of(arena.put(work.srcs));
    argument.flags = address_of(arena.put(work.flags));
    argument.arrivals = address_of(arena.put(work.arrivals));
    return argument;
}

class GpuTest : public testing::Test {
  protected:
    void SetUp() override {
        if (kernel_images().empty()) GTEST_SKIP() << "built without CUDA";
        if (!TestGpu::missing().empty()) GTEST_SKIP() << TestGpu::missing();
        static Arena shared;
        arena_ = &shared;
        arena_->clear();
    }
    static void* function(Datatype type, Operation op) {
        static std::map<const KernelImage*, void*> modules;
        const KernelImage* image = kernel_image(type);
        void*& module = modules[image];
        if (module == nullptr) module = TestGpu::instance().load(image->data);
        return TestGpu::instance().function(module, kernel_name(type, op));
    }
    // The same launch on the host's copy.
    bool run_on_host(Datatype type, Operation op, ReduceWork& argument) {
        Driver driver;
        driver.resolve = [this](uint64_t at, size_t) { return arena_->host(at); };
        void* args[] = {&argument};
        return host_kernel(kernel_name(type, op))(args, 1, 32, driver.env());
    }
    // `nsrc` sources of `count` elements at offsets[s % size]; into < 0 folds into memory of its own.
    void check(Datatype type, Operation op, size_t nsrc, size_t count, const std::vector<size_t>& offsets, int into,
               Shape shape) {
        arena_->clear();
        const size_t bytes = count * size_of(type);
        std::vector<const void*> sources;
        for (size_t s = 0; s < nsrc; ++s) {
            sources.push_back(arena_->take(bytes, offsets[s % offsets.size()]));
            oracle::fill(type, random_, arena_->host(sources.back()), count);
        }
        const void* dst = into < 0 ? arena_->take(bytes, offsets[0]) : sources[static_cast<size_t>(into)];
        Work work;
        work.add(dst, count, sources);
        ReduceWork argument = placed(*arena_, work);
        arena_->upload();
        void* args[] = {&argument};
        TestGpu::instance().launch(function(type, op), shape.grid, shape.block, args);
        TestGpu::instance().wait();
        ASSERT_TRUE(run_on_host(type, op, argument));
        compare(type, arena_->position(dst), count);
    }

    Arena* arena_ = nullptr;
    std::mt19937 random_{7};

  private:
    // The destination element by element, everything else byte by byte.
    void compare(Datatype type, size_t dst, size_t count) {
        std::vector<uint8_t> gpu = arena_->download();
        const std::vector<uint8_t>& host = arena_->copy();
        const size_t size = size_of(type);
        for (size_t i = 0; i < count; ++i) {
            ASSERT_TRUE(oracle::same(type, gpu.data() + dst + i * size, host.data() + dst + i * size))
                << "element " << i;
        }
        std::memcpy(gpu.data() + dst, host.data() + dst, count * size);
        ASSERT_EQ(std::memcmp(gpu.data(), host.data(), gpu.size()), 0)
            << "something beside the destination was written";
    }
};

TEST_F(GpuTest, EveryKernelGivesWhatTheHostGives) {
    size_t launches = 0;
    for (size_t k = 0; k < kDatatypes * kOperations; ++k) {
        const auto type = static_cast<Datatype>(k / kOperations);
        const auto op = static_cast<Operation>(k % kOperations);
        if (!applies(op, type)) continue;
        // Together at a 16-byte boundary, together beside one, apart, and as little aligned as C allows.
        const size_t size = size_of(type);
        const size_t least = (class_of(type) & (STEPCCL_CLASS_COMPLEX | STEPCCL_CLASS_PAIR)) != 0 ? size / 2 : size;
        const std::vector<std::vector<size_t>> layouts = {
            {0}, {size}, {0, size, 3 * size}, {least}, {16 - least, least}};
        for (const auto& layout : layouts) {
            for (size_t nsrc : {1u, 2u, 3u, 6u}) {
                for (size_t count : {1u, 31u, 1000u, 40001u}) {
                    const int into = static_cast<int>(launches % (nsrc + 1)) - 1;
                    const Shape shape = kShapes[launches++ % std::size(kShapes)];
                    ASSERT_NO_FATAL_FAILURE(check(type, op, nsrc, count, layout, into, shape))
                        << kernel_name(type, op) << ", " << nsrc << " sources of " << count << ", into " << into << ", "
                        << shape.grid << " CTAs of " << shape.block;
                }
            }
        }
    }
    EXPECT_EQ(launches, 113u * 5 * 4 * 4);
}

// A chain of entries: the first waits for a flag of the host, each later one for its predecessor's, across the wrap.
TEST_F(GpuTest, FlagsOrderTheEntries) {
    for (Shape shape : kShapes) {
        arena_->clear();
        constexpr size_t kEntries = 50, kCount = 3000;
        std::vector<const void*> steps;
        for (size_t i = 0; i <= kEntries; ++i) steps.push_back(arena_->take(kCount * sizeof(int)));
        const char* one = arena_->put(std::vector<int>(kCount, 1));
        oracle::fill(Datatype::int32, random_, arena_->host(steps[0]), kCount);
        const char* flags = arena_->put(std::vector<uint32_t>(kEntries + 1, 0xfffffff0u));
        const auto flag = [&](size_t i) { return FlagRef{address_of(flags) + 4 * i, static_cast<uint32_t>(i) - 8, 0}; };
        Work work;
        for (size_t i = 0; i < kEntries; ++i) {
            work.add(steps[i + 1], i % 7 == 3 ? 0 : kCount, {steps[i - (i % 7 == 4 ? 1 : 0)], one}, {flag(i)},
                     {flag(i + 1)});
        }
        ReduceWork argument = placed(*arena_, work);
        arena_->upload();
        void* args[] = {&argument};
        TestGpu::instance().launch(function(Datatype::int32, Operation::sum), shape.grid, shape.block, args);
        TestGpu::instance().write_flag(flag(0).address, flag(0).value);
        TestGpu::instance().wait();
        ASSERT_TRUE(run_on_host(Datatype::int32, Operation::sum, argument));
        for (size_t i = 0; i <= kEntries; ++i) *static_cast<uint32_t*>(arena_->host(flag(i).address)) = flag(i).value;
        const std::vector<uint8_t> gpu = arena_->download();
        EXPECT_EQ(std::memcmp(gpu.data(), arena_->copy().data(), gpu.size()), 0)
            << "results, flags or arrivals, " << shape.grid << " CTAs of " << shape.block;
    }
}

}  // namespace
}  // namespace stepccl::kernels
