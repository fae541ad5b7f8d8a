// Sections about this process and its machine: parameters, driver, topology, choice.

#include <iomanip>

#include "base/params.h"
#include "base/text.h"
#include "select/choose.h"
#include "stepccl/stepccl.h"
#include "tools/info_sections.h"
#include "topo/discover.h"

namespace stepccl::tools {
namespace {

Status library_status(stepccl_status_t status) {
    if (status == STEPCCL_SUCCESS) return {};
    return Status(static_cast<Code>(status), stepccl_last_error());
}

Result<stepccl_param_t> param_at(size_t index) {
    stepccl_param_t out{};
    out.size = sizeof(out);
    STEPCCL_TRY(library_status(stepccl_param_get(index, &out)));
    return out;
}

// The parameters as the pure layers take them.
Result<Params> params_now() {
    Params out;
    for (size_t i = 0; i < stepccl_param_count(); ++i) {
        auto row = param_at(i);
        STEPCCL_TRY(row.status());
        STEPCCL_TRY(out.set(row.value().name, row.value().value, row.value().source));
    }
    return out;
}

Result<stepccl_driver_info_t> driver_now() {
    stepccl_driver_info_t out{};
    out.size = sizeof(out);
    STEPCCL_TRY(library_status(stepccl_driver_query(&out)));
    return out;
}

// As cuDriverGetVersion counts: 13000 is 13.0.
std::string version_text(int version) {
    return cat(version / 1000, ".", version % 1000 / 10);
}

Result<Machine> machine_now(const InfoOptions& options) {
    if (!options.xml.empty()) return read_xml(options.xml);
    auto params = params_now();
    STEPCCL_TRY(params.status());
    if (!params.value().topology_file.empty()) return read_xml(params.value().topology_file);
    auto driver = driver_now();
    STEPCCL_TRY(driver.status());
    if (std::string_view(driver.value().name) == "emulated")
        return synthetic(static_cast<uint32_t>(driver.value().devices));
    return discover_host(Log(log_level_named(params.value().log), {}));
}

void write_gpu(Json& out, const Gpu& gpu) {
    out.open_object();
    out.text("name", gpu.name);
    out.text("pci", gpu.pci_id);
    out.text("uuid", gpu.uuid);
    out.number("node", gpu.node);
    gpu.numa < 0 ? out.null("numa") : out.number("numa", gpu.numa);
    out.close_object();
}

void write_links(Json& out, const Machine& machine) {
    out.open_array("links");
    for (size_t from = 0; from < machine.gpus.size(); ++from) {
        for (size_t to = 0; to < machine.gpus.size(); ++to) {
            const Link& link = machine.link(from, to);
            if (from == to || link.kind == LinkKind::none) continue;
            out.open_object();
            out.number("from", from);
            out.number("to", to);
            out.text("kind", name_of(link.kind));
            out.number("gb_s", link.bytes_per_us / 1e3);
            out.close_object();
        }
    }
    out.close_array();
}

Result<Choice> choice_now(const InfoOptions& options) {
    auto params = params_now();
    STEPCCL_TRY(params.status());
    auto override = parse_override(params.value().algorithm);
    STEPCCL_TRY(override.status());
    override.value().parts = static_cast<uint32_t>(params.value().parts);
    auto machine = machine_now(options);
    STEPCCL_TRY(machine.status());
    auto gpus = static_cast<uint32_t>(machine.value().gpus.size());
    uint32_t n = options.ranks != 0 ? options.ranks : gpus;
    if (gpus == 0)
        return Status(Code::ERR_NO_DRIVER,
                      "no GPU to choose for: give a machine by --xml, or set STEPCCL_DRIVER=emulated");
    CallShape call{*options.choose, n, options.bytes, 1, true, options.in_place};
    Link link = weakest_link(machine.value(), spread(machine.value(), n));
    return choose(call, link, h200_costs(static_cast<uint32_t>(params.value().reduce_ctas)), override.value());
}

}  // namespace

Status params_text(const InfoOptions&, std::ostream& out) {
    STEPCCL_TRY(library_status(stepccl_param_check()));
    out << "Parameters (NAME is coll_stepccl_NAME for MCA, STEPCCL_NAME in capitals in the environment)\n";
    for (size_t i = 0; i < stepccl_param_count(); ++i) {
        auto row = param_at(i);
        STEPCCL_TRY(row.status());
        const stepccl_param_t& param = row.value();
        out << "  " << param.name << " = " << (*param.value == '\0' ? "\"\"" : param.value) << "  (" << param.source
            << ")\n      " << param.help << "\n      " << param.type << (*param.range == '\0' ? "" : " ") << param.range
            << ", default " << (*param.default_value == '\0' ? "\"\"" : param.default_value) << ", level "
            << param.level << "\n";
    }
    return {};
}

Status params_json(const InfoOptions&, Json& out) {
    STEPCCL_TRY(library_status(stepccl_param_check()));
    out.open_array("parameters");
    for (size_t i = 0; i < stepccl_param_count(); ++i) {
        auto row = param_at(i);
        STEPCCL_TRY(row.status());
        const stepccl_param_t& param = row.value();
        out.open_object();
        out.text("name", param.name);
        out.text("value", param.value);
        out.text("source", param.source);
        out.text("type", param.type);
        out.text("default", param.default_value);
        out.text("range", param.range);
        out.number("level", param.level);
        out.text("help", param.help);
        out.close_object();
    }
    out.close_array();
    return {};
}

Status driver_text(const InfoOptions&, std::ostream& out) {
    auto driver = driver_now();
    STEPCCL_TRY(driver.status());
    const stepccl_driver_info_t& info = driver.value();
    out << "Driver: " << info.name << "\n";
    if (*info.library != '\0')
        out << "  library: " << info.library << "\n  CUDA version: " << version_text(info.version) << "\n";
    out << "  devices: " << info.devices << "\n";
    if (*info.reason != '\0') out << "  reason: " << info.reason << "\n";
    return {};
}

Status driver_json(const InfoOptions&, Json& out) {
    auto driver = driver_now();
    STEPCCL_TRY(driver.status());
    const stepccl_driver_info_t& info = driver.value();
    out.open_object("driver");
    out.text("name", info.name);
    out.text("library", info.library);
    out.number("version", info.version);
    out.number("devices", info.devices);
    out.text("reason", info.reason);
    out.close_object();
    return {};
}

Status topology_text(const InfoOptions& options, std::ostream& out) {
    auto machine = machine_now(options);
    STEPCCL_TRY(machine.status());
    out << "Topology: " << describe(machine.value());
    return {};
}

Status topology_json(const InfoOptions& options, Json& out) {
    auto machine = machine_now(options);
    STEPCCL_TRY(machine.status());
    out.open_object("topology");
    out.text("source", machine.value().source);
    out.open_array("nodes");
    for (const Node& node : machine.value().nodes) {
        out.open_object();
        out.text("name", node.name);
        out.number("packages", node.packages);
        out.number("numa_nodes", node.numa_nodes);
        out.number("cores", node.cores);
        out.close_object();
    }
    out.close_array();
    out.open_array("gpus");
    for (const Gpu& gpu : machine.value().gpus) write_gpu(out, gpu);
    out.close_array();
    out.open_array("nics");
    for (const Nic& nic : machine.value().nics) {
        out.open_object();
        out.text("name", nic.name);
        out.text("pci", nic.pci_id);
        nic.numa < 0 ? out.null("numa") : out.number("numa", nic.numa);
        out.close_object();
    }
    out.close_array();
    write_links(out, machine.value());
    out.close_object();
    return {};
}

Status choose_text(const InfoOptions& options, std::ostream& out) {
    auto choice = choice_now(options);
    STEPCCL_TRY(choice.status());
    out << explain(choice.value());
    return {};
}

Status choose_json(const InfoOptions& options, Json& out) {
    auto made = choice_now(options);
    STEPCCL_TRY(made.status());
    const Choice& choice = made.value();
    out.open_object("choice");
    out.text("collective", info(choice.call.kind).name);
    out.number("bytes", *choice.call.bytes);
    out.number("n", choice.call.n);
    out.text("algorithm", choice.algorithm->name);
    out.number("parts", choice.parts);
    out.text("engine", name_of(choice.engine));
    out.number("predicted_us", choice.predicted_us);
    out.open_array("reasons");
    for (const std::string& reason : reasons(choice)) out.text({}, reason);
    out.close_array();
    out.open_array("candidates");
    for (const Candidate& candidate : choice.candidates) {
        out.open_object();
        out.text("algorithm", candidate.algorithm->name);
        out.number("parts", candidate.parts);
        out.number("predicted_us", candidate.predicted_us);
        out.boolean("eligible", candidate.eligible);
        out.close_object();
    }
    out.close_array();
    out.close_object();
    return {};
}

}  // namespace stepccl::tools
