// Shows what StepCCL is built with, how it is set, what it finds and what it would do.

#include <iostream>
#include <sstream>

#include "config.h"
#include "stepccl/stepccl.h"
#include "tools/info_sections.h"

namespace stepccl::tools {
namespace {

constexpr Section kSections[] = {
    {&InfoOptions::build, build_text, build_json},
    {&InfoOptions::driver, driver_text, driver_json},
    {&InfoOptions::topology, topology_text, topology_json},
    {&InfoOptions::params, params_text, params_json},
    {&InfoOptions::algorithms, algorithms_text, algorithms_json},
    {&InfoOptions::types, types_text, types_json},
    {nullptr, choose_text, choose_json},
};

bool wanted(const Section& section, const InfoOptions& options) {
    return section.wanted == nullptr ? options.choose.has_value() : options.*section.wanted;
}

// A section that fails is left out, and the others are shown all the same. The first failure is returned.
Status write(const InfoOptions& options, std::ostream& out) {
    Status failed;
    Json json(out);
    if (options.json) json.open_object();
    const char* between = "";
    for (const Section& section : kSections) {
        if (!wanted(section, options)) continue;
        std::ostringstream text;
        Status status = options.json ? section.json(options, json) : section.text(options, text);
        if (status.ok() && !options.json) out << between << text.str(), between = "\n";
        if (failed.ok()) failed = status;
    }
    if (options.json) json.close_object();
    return failed;
}

int complain(const Status& status, int code) {
    std::cerr << "stepccl_info: " << status.text() << "\n";
    return code;
}

int run(int argc, char** argv) {
    auto parsed = parse_info_options(argc, argv);
    if (!parsed.ok()) return complain(parsed.status(), 2);
    const InfoOptions& options = parsed.value();
    if (options.help || options.version) {
        std::cout << (options.help ? info_usage() : std::string("stepccl_info (StepCCL) " PACKAGE_VERSION "\n"));
        return std::cout.flush() ? 0 : 1;
    }
    Status status = write(options, std::cout);
    // A bad parameter is worth saying whatever section was asked for.
    if (status.ok() && stepccl_param_check() != STEPCCL_SUCCESS)
        status = Status(Code::ERR_PARAMETER, stepccl_last_error());
    if (!std::cout.flush()) return complain(Status(Code::ERR_FILE, "standard output could not be written"), 1);
    return status.ok() ? 0 : complain(status, 1);
}

}  // namespace
}  // namespace stepccl::tools

int main(int argc, char** argv) {
    return stepccl::tools::run(argc, argv);
}
