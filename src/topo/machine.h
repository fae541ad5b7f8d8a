// A machine as plain data: what is there, how the GPUs are linked, and which rank uses which GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepccl {

// none: no way between them that a copy engine could take, as between nodes.
enum class LinkKind : uint8_t { none, pcie, nvlink, same_device };
const char* name_of(LinkKind kind) noexcept;

struct Link {
    LinkKind kind = LinkKind::none;
    double bytes_per_us = 0;  // one way, as the hardware is rated; a megabyte a second is one
    double latency_us = 0;    // that the link adds to a small copy
    bool operator==(const Link&) const = default;
};

struct Node {
    std::string name;
    uint32_t packages = 0;
    uint32_t numa_nodes = 0;
    uint32_t cores = 0;
    bool operator==(const Node&) const = default;
};

struct Gpu {
    std::string name;    // "GH100 [H200 SXM 141GB]"
    std::string pci_id;  // "0000:18:00.0", "" when it has none
    std::string uuid;    // "GPU-...", "" when it is not known
    uint32_t node = 0;
    int numa = -1;  // operating system's number of the nearest NUMA node, -1 when none is nearest
    bool operator==(const Gpu&) const = default;
};

struct Nic {
    std::string name;  // "mlx5_0"
    std::string pci_id;
    uint32_t node = 0;
    int numa = -1;
    bool operator==(const Nic&) const = default;
};

struct Machine {
    std::string source;  // where the knowledge comes from, for people
    std::vector<Node> nodes;
    std::vector<Gpu> gpus;
    std::vector<Nic> nics;
    std::vector<Link> links;  // gpus.size() * gpus.size(), row by row

    const Link& link(size_t from, size_t to) const { return links[from * gpus.size() + to]; }
    Link& link(size_t from, size_t to) { return links[from * gpus.size() + to]; }
    bool operator==(const Machine&) const = default;
};

// What links are rated at. Sources: 18 NVLinks of 25 GB/s each (H100, H200); PCIe 5.0 x16; copies inside an H200 as
// measured.
inline constexpr Link kNvlink18{LinkKind::nvlink, 450e3, 0};
inline constexpr Link kPcie5x16{LinkKind::pcie, 63e3, 1};
inline constexpr Link kSameDevice{LinkKind::same_device, 2.06e6, 0};

// A node of `gpus` GPUs with the same link between any two: what the emulated driver stands for.
Machine synthetic(uint32_t gpus, const Link& link = kNvlink18);
// The same for several nodes; nothing links GPUs of different nodes.
Machine synthetic(uint32_t nodes, uint32_t gpus_per_node, const Link& link = kNvlink18);
// Every link between two GPUs of one node becomes `link`: for what the driver knows and hwloc does not.
void set_links(Machine& machine, const Link& link);

// Where ranks are. place[rank].gpu is an index in Machine::gpus.
struct Place {
    uint32_t node = 0;
    uint32_t gpu = 0;
    bool operator==(const Place&) const = default;
};
using Placement = std::vector<Place>;

// n ranks, as many on each node as on the others (the first ones take what is left over), neighbours on one node, one
// GPU after the other, and round again where a node has more ranks than GPUs. Empty when a node has no GPU.
Placement spread(const Machine& machine, uint32_t n);

// The link that the data of a collective has to fear: the slowest between any two of the ranks. One rank has its own
// device.
Link weakest_link(const Machine& machine, const Placement& placement);

// A few lines for people.
std::string describe(const Machine& machine);

}  // namespace stepccl
