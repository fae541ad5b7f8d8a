// 2-D and batched copies.
#include <algorithm>

#include "harness.h"

namespace emu_test {
namespace {

TEST(EmuCopy, TwoDimensions) {
    in_child({}, [] {
        Gpu gpu;
        constexpr size_t kSrcPitch = 10, kDstPitch = 7, kWidth = 4, kHeight = 3, kSrcX = 2, kSrcY = 1, kDstX = 1;
        std::vector<uint8_t> src(kSrcPitch * 5), dst(kDstPitch * kHeight, 0), expected = dst;
        for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<uint8_t>(i + 1);
        for (size_t y = 0; y < kHeight; ++y) {
            for (size_t x = 0; x < kWidth; ++x) {
                expected[y * kDstPitch + kDstX + x] = src[(y + kSrcY) * kSrcPitch + kSrcX + x];
            }
        }
        Memcpy2D copy{};
        copy.src_memory_type = CU_MEMORYTYPE_HOST, copy.src_host = src.data();
        copy.src_pitch = kSrcPitch, copy.src_x_bytes = kSrcX, copy.src_y = kSrcY;
        copy.dst_memory_type = CU_MEMORYTYPE_DEVICE, copy.dst_device = gpu.upload(dst);
        copy.dst_pitch = kDstPitch, copy.dst_x_bytes = kDstX;
        copy.width_bytes = kWidth, copy.height = kHeight;
        Stream* stream = gpu.stream();
        EXPECT_EQ(gpu->memcpy_2d_async(&copy, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu.download<uint8_t>(copy.dst_device, dst.size()), expected);

        Memcpy2D tall = copy, wide = copy, thin = copy, array = copy, empty = copy;
        tall.height = 4;
        wide.width_bytes = 7;
        thin.dst_pitch = 4;
        array.src_memory_type = CU_MEMORYTYPE_ARRAY;
        empty.height = 0;
        for (const Memcpy2D* wrong : {&tall, &wide, &thin, &array}) {
            EXPECT_EQ(gpu->memcpy_2d_async(wrong, stream), CUDA_ERROR_INVALID_VALUE);
        }
        EXPECT_EQ(gpu->memcpy_2d_async(&empty, stream), CUDA_SUCCESS);
    });
}

// Many small copies from `src` to `dst` in one batch, all with the same attributes.
struct Batch {
    Batch(DevicePtr dst, DevicePtr src, size_t piece, size_t count) : sizes(count, piece) {
        for (size_t i = 0; i < count; ++i) {
            dsts.push_back(dst + i * piece);
            srcs.push_back(src + i * piece);
        }
        attributes.source_access_order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    }
    CuResult submit(const Gpu& gpu, Stream* stream) {
        return gpu->memcpy_batch_async(dsts.data(), srcs.data(), sizes.data(), sizes.size(), &attributes, &first, 1,
                                       stream);
    }
    std::vector<DevicePtr> dsts, srcs;
    std::vector<size_t> sizes;
    CopyAttributes attributes{};
    size_t first = 0;
};

std::vector<uint32_t> counting(size_t n) {
    std::vector<uint32_t> out(n);
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<uint32_t>(i * 2654435761u);
    return out;
}

TEST(EmuCopy, ABatchCopiesEverything) {
    for (const char* faults : {"", "reorder,delay=200"}) {
        in_child({{"STEPCCL_EMU_FAULTS", faults}}, [] {
            Gpu gpu;
            Stream* stream = gpu.stream();
            auto values = counting(64);
            DevicePtr src = gpu.upload(values), dst = gpu.alloc(256);
            Batch batch(dst, src, 4, 64);
            EXPECT_EQ(batch.submit(gpu, stream), CUDA_SUCCESS);
            // One place in the stream's order, however the inside is ordered.
            std::vector<uint32_t> seen(64);
            EXPECT_EQ(gpu->memcpy_dtoh_async(seen.data(), dst, 256, stream), CUDA_SUCCESS);
            EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
            EXPECT_EQ(seen, values);
        });
    }
}

// Eight copies onto the same word: which one is last says in which order they were done.
uint32_t last_of_batch(const char* faults) {
    FILE* result = std::tmpfile();
    in_child({{"STEPCCL_EMU_FAULTS", faults}}, [&] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        DevicePtr src = gpu.upload<uint32_t>({0, 1, 2, 3, 4, 5, 6, 7}), dst = gpu.alloc(4);
        Batch batch(dst, src, 4, 8);
        std::fill(batch.dsts.begin(), batch.dsts.end(), dst);
        EXPECT_EQ(batch.submit(gpu, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        uint32_t last = gpu.word(dst);
        std::fwrite(&last, sizeof last, 1, result);
    });
    std::rewind(result);
    uint32_t last = 99;
    EXPECT_EQ(std::fread(&last, sizeof last, 1, result), 1u);
    std::fclose(result);
    return last;
}

TEST(EmuCopy, ABatchIsOutOfOrderWhenAskedTo) {
    EXPECT_EQ(last_of_batch("seed=1"), 7u);
    bool reordered = false;
    for (int seed = 1; seed <= 5 && !reordered; ++seed) {
        reordered = last_of_batch(("reorder,seed=" + std::to_string(seed)).c_str()) != 7;
    }
    EXPECT_TRUE(reordered);
    EXPECT_EQ(last_of_batch("reorder,seed=9"), last_of_batch("reorder,seed=9")) << "a seed repeats itself";
}

TEST(EmuCopy, WhatABatchRefuses) {
    in_child({}, [] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        DevicePtr src = gpu.upload(counting(8)), dst = gpu.alloc(32);
        auto good = [&] { return Batch(dst, src, 4, 8); };
        EXPECT_EQ(good().submit(gpu, nullptr), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(good().submit(gpu, stream_legacy()), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(good().submit(gpu, stream_per_thread()), CUDA_SUCCESS);
        Batch outside = good(), empty = good(), late = good(), unordered = good();
        outside.dsts[7] = dst + 30;
        empty.sizes[3] = 0;
        late.first = 1;
        unordered.attributes.source_access_order = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
        for (Batch* wrong : {&outside, &empty, &late, &unordered}) {
            EXPECT_EQ(wrong->submit(gpu, stream), CUDA_ERROR_INVALID_VALUE);
        }
        EXPECT_EQ(gpu->memcpy_batch_async(nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, stream),
                  CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(gpu->ctx_synchronize(), CUDA_SUCCESS);
    });
}

TEST(EmuCopy, ASourceMayBePromisedForTheCallOnly) {
    in_child({}, [] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        DevicePtr gate = gpu.upload<uint32_t>({0}), dst = gpu.alloc(8);
        uint32_t now = 1, later = 1;
        EXPECT_EQ(gpu->stream_wait_value32(stream, gate, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
        Batch batch(dst, 0, 4, 2);
        batch.srcs = {Gpu::address(&now), Gpu::address(&later)};
        CopyAttributes attributes[2] = {};
        attributes[0].source_access_order = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
        attributes[1].source_access_order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
        size_t indices[] = {0, 1};
        EXPECT_EQ(gpu->memcpy_batch_async(batch.dsts.data(), batch.srcs.data(), batch.sizes.data(), 2, attributes,
                                          indices, 2, stream),
                  CUDA_SUCCESS);
        now = later = 2;
        gpu.write_word(gate, 1);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu.download<uint32_t>(dst, 2), (std::vector<uint32_t>{1, 2}));
    });
}

TEST(EmuCopy, Fills) {
    in_child({}, [] {
        Gpu gpu;
        Stream* stream = gpu.stream();
        DevicePtr memory = gpu.alloc(16);
        EXPECT_EQ(gpu->memset_d32_async(memory, 0x01020304, 4, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->memset_d8_async(memory + 5, 0xee, 6, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->memset_d8_async(memory, 0xff, 0, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu.download<uint32_t>(memory, 4),
                  (std::vector<uint32_t>{0x01020304, 0xeeeeee04, 0x01eeeeee, 0x01020304}));
        constexpr size_t kMany = 100'000;
        DevicePtr many = gpu.alloc(kMany * 4 + 4);
        EXPECT_EQ(gpu->memset_d32_async(many, 7, kMany, stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(gpu.download<uint32_t>(many, kMany), std::vector<uint32_t>(kMany, 7));
        EXPECT_EQ(gpu.word(many + kMany * 4), 0xa5a5a5a5u);
    });
}

}  // namespace
}  // namespace emu_test
