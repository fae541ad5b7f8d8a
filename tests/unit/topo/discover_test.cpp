#include "topo/discover.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "base/text.h"

namespace stepccl {
namespace {

std::string data(const char* name) {
    return cat(TOPO_DATA "/", name);
}

Machine read(const char* name) {
    auto machine = read_xml(data(name));
    EXPECT_TRUE(machine.ok()) << machine.status().text();
    return machine.ok() ? machine.value() : Machine();
}

TEST(ReadXml, FindsFourGpusWithNvlinks) {
    Machine machine = read("hgx4.xml");
    ASSERT_EQ(machine.nodes.size(), 1u);
    EXPECT_EQ(machine.nodes[0], (Node{"hgx4", 2, 2, 4}));
    ASSERT_EQ(machine.gpus.size(), 4u) << "the ASPEED display controller is no GPU of ours";
    EXPECT_EQ(machine.gpus[0], (Gpu{"NVIDIA H200", "0000:18:00.0", "GPU-00000000-1111-2222-3333-444444444444", 0, 0}));
    EXPECT_EQ(machine.gpus[2], (Gpu{"NVIDIA H200", "0000:9a:00.0", "GPU-00000002-1111-2222-3333-444444444444", 0, 1}));
    for (size_t from = 0; from < 4; ++from) {
        for (size_t to = 0; to < 4; ++to) {
            Link expected = from == to ? kSameDevice : Link{LinkKind::nvlink, 450e3, 0};
            EXPECT_EQ(machine.link(from, to), expected) << from << " to " << to;
        }
    }
}

// Two NVSwitches, to which each GPU has 250 and 200 GB/s.
TEST(ReadXml, SeesThroughSwitches) {
    Machine machine = read("hgx_switched.xml");
    ASSERT_EQ(machine.gpus.size(), 2u) << "a switch is no GPU";
    EXPECT_EQ(machine.link(0, 1), (Link{LinkKind::nvlink, 450e3, 0}));
    EXPECT_EQ(machine.link(1, 0), (Link{LinkKind::nvlink, 450e3, 0}));
}

TEST(ReadXml, NamesACardByItsVerbsDevice) {
    Machine machine = read("hgx4.xml");
    ASSERT_EQ(machine.nics.size(), 2u);
    EXPECT_EQ(machine.nics[0], (Nic{"mlx5_0", "0000:1a:00.0", 0, 0}));
    EXPECT_EQ(machine.nics[1], (Nic{"mlx5_1", "0000:9b:00.0", 0, 1}));
}

TEST(ReadXml, TakesTheSlowerSlotWhereThereIsNoNvlink) {
    Machine machine = read("pcie2.xml");
    ASSERT_EQ(machine.gpus.size(), 2u);
    EXPECT_EQ(machine.gpus[0].pci_id, "0000:41:00.0") << "in the order of their addresses";
    EXPECT_EQ(machine.gpus[0].name, "AD102GL [L40S]");
    EXPECT_EQ(machine.gpus[0].uuid, "");
    EXPECT_EQ(machine.link(0, 1).kind, LinkKind::pcie);
    EXPECT_NEAR(machine.link(0, 1).bytes_per_us, 15753.8, 0.1);
    ASSERT_EQ(machine.nics.size(), 1u);
    EXPECT_EQ(machine.nics[0].name, "eno1");
}

TEST(ReadXml, KnowsAMachineWithoutGpus) {
    Machine machine = read("cpu_only.xml");
    EXPECT_TRUE(machine.gpus.empty());
    EXPECT_EQ(machine.nodes[0].cores, 2u);
}

void expect_error(const std::string& path, const char* words) {
    auto machine = read_xml(path);
    ASSERT_FALSE(machine.ok()) << path;
    EXPECT_EQ(machine.status().code(), Code::ERR_FILE);
    EXPECT_NE(machine.status().text().find(path), std::string::npos) << machine.status().text();
    EXPECT_NE(machine.status().text().find(words), std::string::npos) << machine.status().text();
}

std::string written(const char* name, const std::string& text) {
    std::string path = cat(testing::TempDir(), "/", name);
    std::ofstream(path) << text;
    return path;
}

TEST(ReadXml, SaysWhyAFileIsNoUse) {
    expect_error("/no/such/file.xml", "No such file");
    expect_error(testing::TempDir(), "cannot be read");
    expect_error(written("empty.xml", ""), "is not XML");
    expect_error(written("text.xml", "Hello\n"), "is not XML");
    expect_error(written("other.xml", "<?xml version=\"1.0\"?>\n<html><body/></html>\n"), "is not an hwloc topology");
    expect_error(written("cut.xml", "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n  <object type=\"Machine\""),
                 "is not an hwloc topology");
}

TEST(DiscoverHost, FindsAtLeastACore) {
    auto machine = discover_host(Log(LogLevel::error, "test"));
    ASSERT_TRUE(machine.ok()) << machine.status().text();
    ASSERT_EQ(machine.value().nodes.size(), 1u);
    EXPECT_GE(machine.value().nodes[0].cores, 1u);
    EXPECT_EQ(machine.value().links.size(), machine.value().gpus.size() * machine.value().gpus.size());
}

}  // namespace
}  // namespace stepccl
