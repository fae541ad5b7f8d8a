// How the driver's table is loaded, and how its errors read.
#include <dlfcn.h>

#include <cstdlib>
#include <fstream>

#include "harness.h"

namespace emu_test {
namespace {

using stepccl::Code;
using stepccl::Params;

Params params(const std::string& driver, const std::string& library = "") {
    Params out;
    EXPECT_TRUE(out.set("driver", driver, "test").ok());
    EXPECT_TRUE(out.set("driver_library", library, "test").ok());
    return out;
}

void expect_error(const Params& which, const std::vector<std::string>& pieces) {
    auto driver = Driver::load(which);
    ASSERT_FALSE(driver.ok());
    EXPECT_EQ(driver.status().code(), Code::ERR_NO_DRIVER);
    for (const std::string& piece : pieces) {
        EXPECT_NE(driver.status().text().find(piece), std::string::npos) << driver.status().text();
    }
}

TEST(DriverTable, WhatCannotBeLoaded) {
    in_child({}, [] {
        expect_error(params("none"), {"driver = none"});
        expect_error(params("emulated", "/no/such/file.so"), {"/no/such/file.so", "driver_library"});
        expect_error(params("nvidia", "/no/such/file.so"), {"/no/such/file.so", "emulated"});
        expect_error(params("auto", "/no/such/file.so"), {"driver = auto"});
        std::string not_a_library = testing::TempDir() + "stepccl_not_a_library.so";
        std::ofstream(not_a_library) << "text";
        expect_error(params("emulated", not_a_library), {not_a_library});
        std::remove(not_a_library.c_str());
    });
}

TEST(DriverTable, AMissingFunctionIsNamed) {
    in_child({}, [] { expect_error(params("nvidia", "libm.so.6"), {"libm.so.6", "cuInit"}); });
}

TEST(DriverTable, EveryFunctionIsThere) {
    in_child({}, [] {
        auto driver = load_driver();
#define STEPCCL_DRIVER(name, symbol, optional, result, args) EXPECT_NE(driver->name, nullptr) << #symbol;
#include "engine/cuda/driver.def"
#undef STEPCCL_DRIVER
        EXPECT_EQ(driver->library(), EMU_LIBRARY);
    });
}

TEST(DriverTable, TheEmulatedOneIsFoundNearTheProgram) {
    in_child({}, [] {
        auto driver = Driver::load(params("emulated"));
        ASSERT_TRUE(driver.ok()) << driver.status().text();
        EXPECT_EQ(driver.value()->name(), "emulated");
    });
}

TEST(DriverTable, AProcessWithoutItHasNoDriver) {
    in_child({}, [] {
        Params emulated = params("emulated", EMU_LIBRARY);
        EXPECT_FALSE(Driver::process_has_driver(emulated));
        EXPECT_FALSE(Driver::process_has_driver(params("none")));
        auto driver = load_driver();
        EXPECT_TRUE(Driver::process_has_driver(emulated));
        EXPECT_TRUE(Driver::process_has_driver(emulated)) << "asking changes nothing";
        EXPECT_FALSE(Driver::process_has_driver(params("none")));
        EXPECT_FALSE(Driver::process_has_driver(params("emulated", "/no/such/file.so")));
        driver.reset();
        EXPECT_TRUE(Driver::process_has_driver(emulated)) << "a driver stays loaded";
    });
}

TEST(DriverTable, ItsFunctionsAreItsOwn) {
    in_child({}, [] {
        load_driver();
        EXPECT_EQ(dlsym(RTLD_DEFAULT, "cuInit"), nullptr) << "the library's names must not reach the program";
    });
}

TEST(DriverTable, ErrorsReadWell) {
    in_child({}, [] {
        auto driver = load_driver();
        EXPECT_TRUE(driver->check(CUDA_SUCCESS, "cuMemAlloc(1048576)").ok());
        auto status = driver->check(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc(1048576)");
        EXPECT_EQ(status.code(), Code::ERR_OUT_OF_MEMORY);
        EXPECT_EQ(status.text(), "cuMemAlloc(1048576): CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
        EXPECT_EQ(driver->check(CUDA_ERROR_NOT_SUPPORTED, "x").code(), Code::ERR_UNSUPPORTED);
        EXPECT_EQ(driver->check(CUDA_ERROR_ILLEGAL_ADDRESS, "x").code(), Code::ERR_DRIVER);
        EXPECT_EQ(driver->check(static_cast<CuResult>(12345), "x").text(), "x: error 12345 of the GPU driver");
    });
}

}  // namespace
}  // namespace emu_test
