// Initialisation, devices and contexts.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

#include "harness.h"

namespace emu_test {
namespace {

std::string uuid(const Driver& driver, Device device) {
    Uuid out{};
    EXPECT_EQ(driver.device_get_uuid(&out, device), CUDA_SUCCESS);
    return std::string(out.bytes, sizeof out.bytes);
}

std::string uuid_text(const std::string& bytes) {
    std::string out = "GPU-";
    for (size_t i = 0; i < bytes.size(); ++i) {
        char hex[4];
        std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(bytes[i]));
        out += std::string(i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + hex;
    }
    return out;
}

// The PCI bus numbers of the visible devices, which tell the physical ones apart.
std::vector<int> buses(const Driver& driver) {
    int count = 0;
    EXPECT_EQ(driver.device_get_count(&count), CUDA_SUCCESS);
    std::vector<int> out(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(driver.device_get_attribute(&out[static_cast<size_t>(i)], CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i),
                  CUDA_SUCCESS);
    }
    return out;
}

TEST(EmuDevice, EightByDefault) {
    in_child({}, [] {
        auto driver = load_driver();
        EXPECT_EQ(driver->name(), "emulated");
        EXPECT_EQ(driver->version(), 13000);
        std::set<std::string> uuids;
        for (int i = 0; i < 8; ++i) {
            uuids.insert(uuid(*driver, i));
            EXPECT_EQ(uuid(*driver, i), uuid(*driver, i));
        }
        EXPECT_EQ(uuids.size(), 8u);
        Device device = -1;
        EXPECT_EQ(driver->device_get(&device, 7), CUDA_SUCCESS);
        EXPECT_EQ(device, 7);
        EXPECT_EQ(driver->device_get(&device, 8), CUDA_ERROR_INVALID_DEVICE);
        EXPECT_EQ(driver->device_get(&device, -1), CUDA_ERROR_INVALID_DEVICE);
        char name[64], cut[5];
        EXPECT_EQ(driver->device_get_name(name, sizeof name, 0), CUDA_SUCCESS);
        EXPECT_STREQ(name, "StepCCL Emulated GPU");
        EXPECT_EQ(driver->device_get_name(cut, sizeof cut, 0), CUDA_SUCCESS);
        EXPECT_STREQ(cut, "Step");
    });
}

TEST(EmuDevice, Attributes) {
    in_child({}, [] {
        auto driver = load_driver();
        auto get = [&](DeviceAttribute attribute) {
            int out = -1;
            EXPECT_EQ(driver->device_get_attribute(&out, attribute, 1), CUDA_SUCCESS);
            return out;
        };
        EXPECT_GT(get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 0);
        EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
        EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 0);
        EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
        EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT), 3);
        EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED), 1);
        EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS), 0);
        int can = -1;
        EXPECT_EQ(driver->device_can_access_peer(&can, 0, 1), CUDA_SUCCESS);
        EXPECT_EQ(can, 1);
        EXPECT_EQ(driver->device_can_access_peer(&can, 1, 1), CUDA_SUCCESS);
        EXPECT_EQ(can, 0);
    });
}

TEST(EmuDevice, VisibleDevices) {
    auto expect = [](const std::string& list, const std::vector<int>& physical) {
        in_child({{"CUDA_VISIBLE_DEVICES", list}, {"STEPCCL_EMU_DEVICES", "4"}}, [&] {
            std::vector<int> wanted;
            for (int index : physical) wanted.push_back(0x10 + index);
            EXPECT_EQ(buses(*load_driver()), wanted) << list;
        });
    };
    expect("2", {2});
    expect("3,1,0", {3, 1, 0});
    expect("1, 2", {1, 2});
    expect("1,7,2", {1});  // as CUDA does: nothing after the first that does not exist
    expect("1,1", {1});
    expect("0,rubbish", {0});
}

TEST(EmuDevice, VisibleByUuid) {
    FILE* file = std::tmpfile();
    in_child({}, [&] {
        auto driver = load_driver();
        std::fprintf(file, "%s,%s", uuid_text(uuid(*driver, 5)).c_str(), uuid_text(uuid(*driver, 2)).c_str());
    });
    std::rewind(file);
    char list[128] = {};
    ASSERT_NE(std::fgets(list, sizeof list, file), nullptr);
    std::fclose(file);
    in_child({{"CUDA_VISIBLE_DEVICES", list}}, [] {
        EXPECT_EQ(buses(*load_driver()), (std::vector<int>{0x15, 0x12}));
    });
}

TEST(EmuDevice, NoneVisible) {
    for (const char* list : {"", "-1", "GPU-"}) {
        in_child({{"CUDA_VISIBLE_DEVICES", list}}, [] {
            stepccl::Params params;
            ASSERT_TRUE(params.set("driver", "emulated", "test").ok());
            ASSERT_TRUE(params.set("driver_library", EMU_LIBRARY, "test").ok());
            auto driver = Driver::load(params);
            ASSERT_FALSE(driver.ok());
            EXPECT_EQ(driver.status().code(), stepccl::Code::ERR_NO_DRIVER);
            EXPECT_NE(driver.status().text().find("CUDA_ERROR_NO_DEVICE"), std::string::npos) << driver.status().text();
        });
    }
}

TEST(EmuContext, NothingWorksWithoutOne) {
    in_child({}, [] {
        auto driver = load_driver();
        unsigned flags = 9;
        int active = 9;
        EXPECT_EQ(driver->device_primary_ctx_get_state(0, &flags, &active), CUDA_SUCCESS);
        EXPECT_EQ(active, 0) << "loading the driver makes no context";
        Context* current = reinterpret_cast<Context*>(1);
        EXPECT_EQ(driver->ctx_get_current(&current), CUDA_SUCCESS);
        EXPECT_EQ(current, nullptr);
        DevicePtr memory = 0;
        Device device = 0;
        Stream* stream = nullptr;
        EXPECT_EQ(driver->mem_alloc(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
        EXPECT_EQ(driver->stream_create(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
        EXPECT_EQ(driver->stream_synchronize(nullptr), CUDA_ERROR_INVALID_CONTEXT);
        EXPECT_EQ(driver->ctx_get_device(&device), CUDA_ERROR_INVALID_CONTEXT);
        EXPECT_EQ(driver->ctx_pop_current(&current), CUDA_ERROR_INVALID_CONTEXT);
        EXPECT_EQ(driver->device_primary_ctx_release(0), CUDA_ERROR_INVALID_CONTEXT);
    });
}

TEST(EmuContext, TheStackOfEachThread) {
    in_child({}, [] {
        Gpu one(1), zero(0);
        auto current = [&] {
            Context* out = nullptr;
            EXPECT_EQ(zero->ctx_get_current(&out), CUDA_SUCCESS);
            return out;
        };
        EXPECT_EQ(current(), zero.context);
        {
            ContextGuard guard(*zero.driver, one.context);
            EXPECT_TRUE(guard.status().ok());
            Device device = -1;
            EXPECT_EQ(zero->ctx_get_device(&device), CUDA_SUCCESS);
            EXPECT_EQ(device, 1);
            std::thread([&] { EXPECT_EQ(current(), nullptr); }).join();
        }
        EXPECT_EQ(current(), zero.context);
        EXPECT_EQ(zero->ctx_set_current(nullptr), CUDA_SUCCESS);
        EXPECT_EQ(current(), nullptr);
        Context* rubbish = reinterpret_cast<Context*>(&current);
        EXPECT_EQ(zero->ctx_push_current(rubbish), CUDA_ERROR_INVALID_CONTEXT);
        EXPECT_FALSE(ContextGuard(*zero.driver, rubbish).status().ok());
    });
}

TEST(EmuContext, TheLastReleaseEndsEverything) {
    in_child({}, [] {
        Gpu gpu;
        Context* again = nullptr;
        EXPECT_EQ(gpu->device_primary_ctx_retain(&again, 0), CUDA_SUCCESS);
        EXPECT_EQ(again, gpu.context);
        EXPECT_EQ(gpu->device_primary_ctx_release(0), CUDA_SUCCESS);
        DevicePtr gate = gpu.upload<uint32_t>({0});
        Stream* stuck = gpu.stream();
        EXPECT_EQ(gpu->stream_wait_value32(stuck, gate, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
        EXPECT_EQ(gpu->device_primary_ctx_release(0), CUDA_SUCCESS);  // gives the wait up
        unsigned flags = 0;
        int active = 1;
        EXPECT_EQ(gpu->device_primary_ctx_get_state(0, &flags, &active), CUDA_SUCCESS);
        EXPECT_EQ(active, 0);
        DevicePtr memory = 0;
        EXPECT_EQ(gpu->mem_alloc(&memory, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        EXPECT_TRUE(read_faults(gate));
        EXPECT_EQ(gpu->device_primary_ctx_retain(&again, 0), CUDA_SUCCESS);
        EXPECT_EQ(gpu->stream_synchronize(stuck), CUDA_ERROR_INVALID_HANDLE);
        EXPECT_EQ(gpu.word(gpu.upload<uint32_t>({4})), 4u);
    });
}

TEST(EmuContext, AForkedChildIsInert) {
    in_child({}, [] {
        Gpu gpu;
        DevicePtr gate = gpu.upload<uint32_t>({0});
        EXPECT_EQ(gpu->stream_wait_value32(gpu.stream(), gate, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
        in_child({}, [&] {
            DevicePtr memory = 0;
            int count = 0;
            EXPECT_EQ(gpu->mem_alloc(&memory, 4), CUDA_ERROR_NOT_INITIALIZED);
            EXPECT_EQ(gpu->ctx_synchronize(), CUDA_ERROR_NOT_INITIALIZED);
            EXPECT_EQ(gpu->device_get_count(&count), CUDA_ERROR_NOT_INITIALIZED);
            EXPECT_EQ(gpu->init(0), CUDA_ERROR_NOT_INITIALIZED);
            EXPECT_TRUE(read_faults(gate));
            // No leak check here: what the parent's threads hold is out of reach in a child that has none of them.
            std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
        });
        EXPECT_EQ(gpu.word(gate), 0u);
    });
}

TEST(EmuContext, AProcessEndsWhileAStreamWaits) {
    in_child({}, [] {
        Gpu gpu;
        DevicePtr gate = gpu.upload<uint32_t>({0});
        for (int i = 0; i < 4; ++i) {
            Stream* stream = gpu.stream();
            EXPECT_EQ(gpu->stream_wait_value32(stream, gate, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
            EXPECT_EQ(gpu->memset_d32_async(gate, 5, 1, stream), CUDA_SUCCESS);
        }
        usleep(2000);  // the child's exit follows
    });
}

}  // namespace
}  // namespace emu_test
