#include "topo/discover.h"

#include <hwloc.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/text.h"
#include "topo/hwloc_machine.h"

namespace stepccl {
namespace {

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

Status system_error(const char* what) {
    return Status(Code::ERR_SYSTEM, cat("hwloc: ", what, " failed: ", std::strerror(errno)));
}

// A topology that will contain PCI and OS devices once it is loaded.
Result<Topology> fresh_topology() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return system_error("hwloc_topology_init");
    Topology out(raw);
    if (hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) != 0) {
        return system_error("hwloc_topology_set_io_types_filter");
    }
    return out;
}

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

Result<std::string> read_file(const std::string& path) {
    std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
    std::string out;
    char piece[4096];
    for (size_t got = 1; file && got > 0; out.append(piece, got)) got = std::fread(piece, 1, sizeof(piece), file.get());
    // A folder opens, but cannot be read.
    if (file && !std::ferror(file.get())) return out;
    int error = errno;
    return Status(Code::ERR_FILE, cat("topology file '", path, "' cannot be read: ", std::strerror(error)));
}

Status wrong_file(const std::string& path, const char* what) {
    return Status(Code::ERR_FILE, cat("topology file '", path, "' ", what, "; write one with: lstopo --of xml FILE"));
}

}  // namespace

Result<Machine> discover_host(const Log& log) {
    auto topology = fresh_topology();
    if (!topology.ok()) return topology.status();
    if (hwloc_topology_load(topology.value().get()) != 0) return system_error("hwloc_topology_load");
    Machine out = machine_of(topology.value().get(), "this host, by hwloc");
    log(LogLevel::debug, cat("topology: ", describe(out)));
    return out;
}

Result<Machine> read_xml(const std::string& path) {
    auto text = read_file(path);
    if (!text.ok()) return text.status();
    const std::string& xml = text.value();
    size_t first = xml.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || xml[first] != '<') return wrong_file(path, "is not XML");
    // hwloc would take the null for part of the text otherwise, and cannot be told more than an int.
    if (xml.size() >= INT32_MAX) return wrong_file(path, "is too long");
    auto topology = fresh_topology();
    if (!topology.ok()) return topology.status();
    hwloc_topology_t raw = topology.value().get();
    if (hwloc_topology_set_xmlbuffer(raw, xml.c_str(), static_cast<int>(xml.size() + 1)) != 0 ||
        hwloc_topology_load(raw) != 0) {
        return wrong_file(path, "is not an hwloc topology");
    }
    return machine_of(raw, cat("recorded in ", path));
}

}  // namespace stepccl
