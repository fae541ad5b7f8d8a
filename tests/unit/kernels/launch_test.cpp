// What a launch does around the folds: names, flags, and stopping at what a GPU would fault on.
#include <gtest/gtest.h>

#include <set>

#include "engine/cuda/kernels/kernel_name.h"
#include "engine/cuda/kernels/reduce_body.h"
#include "launch.h"

namespace stepccl::kernels {
namespace {

const HostKernel kSum = host_kernel("stepccl_reduce_float32_sum");

std::string event(const char* what, const uint32_t& flag, uint32_t value) {
    return std::string(what) + ' ' + std::to_string(address_of(&flag)) + ' ' + std::to_string(value);
}

TEST(KernelName, ExistsExactlyWhereTheOperationIsDefined) {
    std::set<std::string> names;
    for (size_t t = 0; t < kDatatypes; ++t) {
        for (size_t o = 0; o < kOperations; ++o) {
            const auto type = static_cast<Datatype>(t);
            const auto op = static_cast<Operation>(o);
            const char* name = kernel_name(type, op);
            ASSERT_EQ(name != nullptr, applies(op, type));
            if (name == nullptr) continue;
            EXPECT_TRUE(names.insert(name).second) << name;
            EXPECT_NE(host_kernel(name), nullptr) << name;
        }
    }
    EXPECT_EQ(names.size(), 113u);
    EXPECT_EQ(std::string(kernel_name(Datatype::float_int, Operation::minloc)), "stepccl_reduce_float_int_minloc");
}

TEST(HostKernel, UnknownNamesHaveNone) {
    EXPECT_EQ(host_kernel("stepccl_reduce_float32_minloc"), nullptr);
    EXPECT_EQ(host_kernel("stepccl_reduce_float32"), nullptr);
    EXPECT_EQ(host_kernel(""), nullptr);
}

class LaunchTest : public testing::Test {
  protected:
    float a_[2] = {1, 2}, b_[2] = {10, 20}, c_[2] = {100, 200};
    float first_[2] = {}, second_[2] = {};
    uint32_t flags_[6] = {};
    Work work_;
    Driver driver_;

    FlagRef flag(size_t i, uint32_t value) { return {address_of(&flags_[i]), value, 0}; }

    // first = a + b, then second = first + c.
    void add_two_entries() {
        work_.add(first_, 2, {a_, b_}, {flag(0, 7), flag(1, 8)}, {flag(2, 9)});
        work_.add(second_, 2, {first_, c_}, {flag(3, 10)}, {flag(4, 11), flag(5, 12)});
    }
};

TEST_F(LaunchTest, WaitsFoldsAndSignalsInOrder) {
    add_two_entries();
    std::vector<float> seen;
    driver_.on_event = [&](const std::string&) {
        seen.insert(seen.end(), {first_[0], second_[1]});
        return true;
    };
    ASSERT_TRUE(driver_.launch(kSum, work_));
    EXPECT_EQ(driver_.events,
              (std::vector<std::string>{event("wait", flags_[0], 7), event("wait", flags_[1], 8),
                                        event("signal", flags_[2], 9), event("wait", flags_[3], 10),
                                        event("signal", flags_[4], 11), event("signal", flags_[5], 12)}));
    // Nothing is written before the waits hold, everything before the first signal.
    EXPECT_EQ(seen, (std::vector<float>{0, 0, 0, 0, 11, 0, 11, 0, 11, 222, 11, 222}));
}

TEST_F(LaunchTest, AnEntryWithoutElementsWaitsAndSignals) {
    work_.add(nullptr, 0, {}, {flag(0, 1)}, {flag(1, 2)});
    ASSERT_TRUE(driver_.launch(kSum, work_));
    EXPECT_EQ(driver_.events, (std::vector<std::string>{event("wait", flags_[0], 1), event("signal", flags_[1], 2)}));
}

TEST_F(LaunchTest, ALaunchWithoutEntriesDoesNothing) {
    driver_.resolve = [](uint64_t, size_t) -> void* { return nullptr; };
    EXPECT_TRUE(driver_.launch(kSum, work_));
}

TEST_F(LaunchTest, EveryAddressGoesThroughTheDriver) {
    // The program's addresses lie a fixed distance from where the memory really is.
    constexpr uint64_t kDistance = 0x10000;
    work_.add(reinterpret_cast<char*>(first_) + kDistance, 2,
              {reinterpret_cast<char*>(a_) + kDistance, reinterpret_cast<char*>(b_) + kDistance});
    ReduceWork argument = work_.argument();
    for (uint64_t* address : {&argument.entries, &argument.srcs, &argument.flags, &argument.arrivals}) {
        *address += kDistance;
    }
    driver_.resolve = [](uint64_t at, size_t) { return reinterpret_cast<void*>(at - kDistance); };
    void* args[] = {&argument};
    ASSERT_TRUE(kSum(args, 1, 32, driver_.env()));
    EXPECT_EQ(first_[1], 22);
}

TEST_F(LaunchTest, AnIllegalAddressStopsTheLaunch) {
    for (const void* illegal : std::initializer_list<const void*>{a_, b_, first_}) {
        work_ = {};
        driver_ = {};
        first_[0] = 0;
        work_.add(first_, 2, {a_, b_}, {}, {flag(2, 9)});
        driver_.resolve = [illegal](uint64_t at, size_t bytes) {
            if (at != address_of(illegal)) return reinterpret_cast<void*>(at);
            EXPECT_EQ(bytes, 2 * sizeof(float));
            return static_cast<void*>(nullptr);
        };
        EXPECT_FALSE(driver_.launch(kSum, work_));
        EXPECT_EQ(first_[0], 0);
        EXPECT_TRUE(driver_.events.empty());
    }
}

TEST_F(LaunchTest, AWaitThatFailsStopsTheLaunch) {
    add_two_entries();
    driver_.on_event = [&](const std::string& e) { return e != event("wait", flags_[1], 8); };
    EXPECT_FALSE(driver_.launch(kSum, work_));
    EXPECT_EQ(driver_.events.size(), 2u);
    EXPECT_EQ(first_[0], 0);
}

TEST_F(LaunchTest, ASignalThatFailsStopsTheLaunch) {
    add_two_entries();
    driver_.on_event = [&](const std::string& e) { return e != event("signal", flags_[2], 9); };
    EXPECT_FALSE(driver_.launch(kSum, work_));
    EXPECT_EQ(driver_.events.size(), 3u);
    EXPECT_EQ(second_[0], 0);
}

TEST_F(LaunchTest, WorkThatBreaksTheContractStopsTheLaunch) {
    add_two_entries();
    EXPECT_FALSE(driver_.launch(kSum, work_, 0, 32));
    EXPECT_FALSE(driver_.launch(kSum, work_, 1, 48));
    EXPECT_FALSE(driver_.launch(kSum, work_, 1, 2048));
    work_.arrivals[0] = 1;
    EXPECT_FALSE(driver_.launch(kSum, work_));
    work_ = {};
    work_.add(reinterpret_cast<char*>(first_) + 2, 1, {a_, b_});
    EXPECT_FALSE(driver_.launch(kSum, work_)) << "a float at an odd multiple of two bytes";
    work_ = {};
    work_.add(first_, 1, {});
    EXPECT_FALSE(driver_.launch(kSum, work_)) << "no source";
    EXPECT_EQ(first_[0], 0);
}

// Whether the GPU may use 16-byte accesses, and from which element on.
TEST(ElementsToBoundary, NeedsOneDistanceForAll) {
    const auto distance = [](uint64_t dst, std::vector<uint64_t> srcs, uint64_t count) {
        return elements_to_boundary(Operands<float>(dst, srcs.data(), static_cast<uint32_t>(srcs.size())), count);
    };
    EXPECT_EQ(distance(0x100, {0x200, 0x1000}, 50), 0u);
    EXPECT_EQ(distance(0x104, {0x204, 0x1004}, 50), 3u);
    EXPECT_EQ(distance(0x10c, {0x20c}, 50), 1u);
    EXPECT_EQ(distance(0x104, {0x204}, 2), 2u) << "the entry ends before the boundary";
    EXPECT_EQ(distance(0x100, {0x200, 0x1004}, 50), 50u) << "the second source never shares a boundary";
    EXPECT_EQ(distance(0x102, {0x202}, 50), 50u) << "a boundary inside an element";
}

}  // namespace
}  // namespace stepccl::kernels
