#include "topo/machine.h"

#include <algorithm>

#include "base/text.h"

namespace stepccl {
namespace {

constexpr const char* kLinkNames[] = {"none", "pcie", "nvlink", "same_device"};

std::string numa_text(int numa) {
    return numa < 0 ? std::string("no NUMA node of its own") : cat("NUMA node ", numa);
}

std::string describe_links(const Machine& machine) {
    std::string out;
    for (size_t from = 0; from < machine.gpus.size(); ++from) {
        out += cat("  GPU ", from, " to others:");
        for (size_t to = 0; to < machine.gpus.size(); ++to) {
            const Link& link = machine.link(from, to);
            if (to == from) {
                out += " -";
            } else if (link.kind == LinkKind::none) {
                out += " none";
            } else {
                out += cat(" ", name_of(link.kind), "(", link.bytes_per_us / 1e3, " GB/s)");
            }
        }
        out += "\n";
    }
    return out;
}

}  // namespace

const char* name_of(LinkKind kind) noexcept {
    return kLinkNames[static_cast<size_t>(kind)];
}

Machine synthetic(uint32_t gpus, const Link& link) {
    return synthetic(1, gpus, link);
}

Machine synthetic(uint32_t nodes, uint32_t gpus_per_node, const Link& link) {
    Machine out;
    out.source =
        cat("synthetic: ", nodes, " x ", gpus_per_node, " GPUs, ", name_of(link.kind), " between any two of a node");
    for (uint32_t node = 0; node < nodes; ++node) {
        out.nodes.push_back({cat("node", node), 1, 1, std::max(gpus_per_node, 1u)});
        for (uint32_t gpu = 0; gpu < gpus_per_node; ++gpu) out.gpus.push_back({cat("gpu", gpu), "", "", node, 0});
    }
    set_links(out, link);
    return out;
}

void set_links(Machine& machine, const Link& link) {
    size_t count = machine.gpus.size();
    machine.links.assign(count * count, Link{});
    for (size_t from = 0; from < count; ++from) {
        for (size_t to = 0; to < count; ++to) {
            if (machine.gpus[from].node == machine.gpus[to].node)
                machine.link(from, to) = from == to ? kSameDevice : link;
        }
    }
}

Placement spread(const Machine& machine, uint32_t n) {
    auto nodes = static_cast<uint32_t>(machine.nodes.size());
    std::vector<std::vector<uint32_t>> gpus(nodes);
    for (uint32_t gpu = 0; gpu < machine.gpus.size(); ++gpu) gpus[machine.gpus[gpu].node].push_back(gpu);
    Placement out;
    for (uint32_t node = 0; node < nodes; ++node) {
        uint32_t here = n / nodes + (node < n % nodes ? 1 : 0);
        if (here > 0 && gpus[node].empty()) return {};
        for (uint32_t i = 0; i < here; ++i) out.push_back({node, gpus[node][i % gpus[node].size()]});
    }
    return out;
}

Link weakest_link(const Machine& machine, const Placement& placement) {
    Link out = kSameDevice;
    for (const Place& from : placement) {
        for (const Place& to : placement) {
            const Link& link = machine.link(from.gpu, to.gpu);
            if (link.bytes_per_us < out.bytes_per_us) out = link;
        }
    }
    return out;
}

std::string describe(const Machine& machine) {
    std::string out = cat(machine.source, "\n");
    for (const Node& node : machine.nodes) {
        out += cat("  node ", node.name, ": ", node.packages, " package(s), ", node.numa_nodes, " NUMA node(s), ",
                   node.cores, " core(s)\n");
    }
    for (size_t i = 0; i < machine.gpus.size(); ++i) {
        const Gpu& gpu = machine.gpus[i];
        out +=
            cat("  GPU ", i, ": ", gpu.name, gpu.pci_id.empty() ? "" : " at ", gpu.pci_id, ", ", numa_text(gpu.numa));
        out += cat(gpu.uuid.empty() ? "" : ", ", gpu.uuid, "\n");
    }
    for (const Nic& nic : machine.nics) {
        out += cat("  NIC ", nic.name, nic.pci_id.empty() ? "" : " at ", nic.pci_id, ", ", numa_text(nic.numa), "\n");
    }
    if (machine.gpus.empty()) return out + "  no GPU\n";
    return out + describe_links(machine);
}

}  // namespace stepccl
