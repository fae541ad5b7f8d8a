#include "topo/hwloc_machine.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/text.h"

namespace stepccl {
namespace {

constexpr unsigned kNvidia = 0x10de;
constexpr unsigned kDisplay = 0x03;  // first byte of the PCI class of VGA and 3D controllers

struct Found {
    Machine machine;
    std::vector<hwloc_obj_t> gpus;
};

uint32_t count(hwloc_topology_t topology, hwloc_obj_type_t type) {
    return static_cast<uint32_t>(std::max(hwloc_get_nbobjs_by_type(topology, type), 0));
}

std::string info_of(hwloc_obj_t object, const char* name) {
    const char* value = hwloc_obj_get_info_by_name(object, name);
    return value == nullptr ? std::string() : std::string(value);
}

std::string pci_id(hwloc_obj_t pci) {
    const auto& at = pci->attr->pcidev;
    char out[32];
    std::snprintf(out, sizeof(out), "%04x:%02x:%02x.%01x", at.domain, at.bus, at.dev, at.func);
    return out;
}

// The NUMA node that is nearest, when there is one.
int numa_of(hwloc_topology_t topology, hwloc_obj_t device) {
    hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, device);
    if (near == nullptr || near->nodeset == nullptr || hwloc_bitmap_weight(near->nodeset) != 1) return -1;
    return hwloc_bitmap_first(near->nodeset);
}

bool is_gpu(hwloc_obj_t pci) {
    return pci->attr->pcidev.vendor_id == kNvidia && pci->attr->pcidev.class_id >> 8 == kDisplay;
}

// The PCI device that `object` is, or belongs to.
hwloc_obj_t pci_of(hwloc_obj_t object) {
    while (object != nullptr && object->type != HWLOC_OBJ_PCI_DEVICE) object = object->parent;
    return object;
}

// NVML's and CUDA's names of a device are OS devices below it.
std::string child_info(hwloc_obj_t pci, const char* name) {
    for (hwloc_obj_t child = pci->io_first_child; child != nullptr; child = child->next_sibling) {
        if (auto value = info_of(child, name); !value.empty()) return value;
    }
    return {};
}

Gpu gpu_of(hwloc_topology_t topology, hwloc_obj_t pci) {
    Gpu out;
    out.name = child_info(pci, "GPUModel");
    if (out.name.empty()) out.name = info_of(pci, "PCIDevice");
    if (out.name.empty()) out.name = "NVIDIA GPU";
    out.pci_id = pci_id(pci);
    out.uuid = child_info(pci, "NVIDIAUUID");
    out.numa = numa_of(topology, pci);
    return out;
}

void find_gpus(hwloc_topology_t topology, Found& found) {
    for (hwloc_obj_t pci = nullptr; (pci = hwloc_get_next_pcidev(topology, pci)) != nullptr;) {
        if (is_gpu(pci)) found.gpus.push_back(pci);
    }
    // The order of CUDA_DEVICE_ORDER=PCI_BUS_ID.
    std::sort(found.gpus.begin(), found.gpus.end(), [](hwloc_obj_t a, hwloc_obj_t b) { return pci_id(a) < pci_id(b); });
    for (hwloc_obj_t pci : found.gpus) found.machine.gpus.push_back(gpu_of(topology, pci));
}

// InfiniBand and RoCE devices; Ethernet only where there is no verbs device on the same card.
void find_nics(hwloc_topology_t topology, Machine& machine) {
    for (hwloc_obj_osdev_type_t wanted : {HWLOC_OBJ_OSDEV_OPENFABRICS, HWLOC_OBJ_OSDEV_NETWORK}) {
        for (hwloc_obj_t os = nullptr; (os = hwloc_get_next_osdev(topology, os)) != nullptr;) {
            hwloc_obj_t pci = pci_of(os);
            if (os->attr->osdev.type != wanted || pci == nullptr || os->name == nullptr) continue;
            std::string id = pci_id(pci);
            bool known =
                std::any_of(machine.nics.begin(), machine.nics.end(), [&](const Nic& nic) { return nic.pci_id == id; });
            if (!known) machine.nics.push_back({os->name, id, 0, numa_of(topology, os)});
        }
    }
}

// The slower of two slots; some virtual machines do not say.
Link pcie_between(hwloc_obj_t a, hwloc_obj_t b) {
    double gigabytes = std::min(a->attr->pcidev.linkspeed, b->attr->pcidev.linkspeed);
    Link out = kPcie5x16;
    if (gigabytes > 0) out.bytes_per_us = gigabytes * 1e3;
    return out;
}

size_t index_of(const Found& found, hwloc_obj_t object) {
    auto at = std::find(found.gpus.begin(), found.gpus.end(), pci_of(object));
    return static_cast<size_t>(at - found.gpus.begin());
}

[[maybe_unused]] bool is_switch(hwloc_obj_t object) {
    return object != nullptr && object->subtype != nullptr && std::string_view(object->subtype) == "NVSwitch";
}

// GPUs that only NVSwitches join: their bandwidth to the switches becomes one between them. Where there is no switch
// hwloc would empty the matrix.
void reach_through_switches([[maybe_unused]] hwloc_topology_t topology, [[maybe_unused]] hwloc_distances_s* matrix) {
#if HWLOC_API_VERSION >= 0x00020500
    if (std::none_of(matrix->objs, matrix->objs + matrix->nbobjs, is_switch)) return;
    // A failure leaves the matrix as it is, and the GPUs joined by PCIe.
    (void)hwloc_distances_transform(topology, matrix, HWLOC_DISTANCES_TRANSFORM_MERGE_SWITCH_PORTS, nullptr, 0);
    (void)hwloc_distances_transform(topology, matrix, HWLOC_DISTANCES_TRANSFORM_TRANSITIVE_CLOSURE, nullptr, 0);
#endif
}

// hwloc gives megabytes a second between OS devices; 0 where there is no NVLink.
void add_nvlinks(Found& found, const hwloc_distances_s& matrix) {
    for (unsigned i = 0; i < matrix.nbobjs; ++i) {
        for (unsigned j = 0; j < matrix.nbobjs; ++j) {
            size_t from = index_of(found, matrix.objs[i]), to = index_of(found, matrix.objs[j]);
            auto rate = static_cast<double>(matrix.values[i * matrix.nbobjs + j]);
            if (from == to || std::max(from, to) >= found.gpus.size() || rate <= 0) continue;
            found.machine.link(from, to) = {LinkKind::nvlink, rate, 0};
        }
    }
}

void find_links(hwloc_topology_t topology, Found& found) {
    set_links(found.machine, kPcie5x16);
    for (size_t from = 0; from < found.gpus.size(); ++from) {
        for (size_t to = 0; to < found.gpus.size(); ++to) {
            if (from != to) found.machine.link(from, to) = pcie_between(found.gpus[from], found.gpus[to]);
        }
    }
    unsigned wanted = 1;
    hwloc_distances_s* matrix = nullptr;
    if (hwloc_distances_get_by_name(topology, "NVLinkBandwidth", &wanted, &matrix, 0) != 0 || wanted == 0) return;
    reach_through_switches(topology, matrix);
    add_nvlinks(found, *matrix);
    hwloc_distances_release(topology, matrix);
}

}  // namespace

Machine machine_of(hwloc_topology* topology, std::string source) {
    Found found;
    found.machine.source = std::move(source);
    std::string name = info_of(hwloc_get_root_obj(topology), "HostName");
    found.machine.nodes.push_back({name.empty() ? std::string("node0") : name, count(topology, HWLOC_OBJ_PACKAGE),
                                   count(topology, HWLOC_OBJ_NUMANODE), count(topology, HWLOC_OBJ_CORE)});
    find_gpus(topology, found);
    find_nics(topology, found.machine);
    find_links(topology, found);
    return std::move(found.machine);
}

}  // namespace stepccl
