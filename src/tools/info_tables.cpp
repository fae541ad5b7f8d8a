// Sections about what is compiled in: build, algorithms, types.

#include <iomanip>

#include "algo/registry.h"
#include "base/datatype.h"
#include "config.h"
#include "stepccl/stepccl.h"
#include "tools/info_sections.h"

namespace stepccl::tools {
namespace {

#ifdef STEPCCL_HAVE_CUDA_KERNELS
constexpr bool kHasKernels = true;
#else
constexpr bool kHasKernels = false;
#endif

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "gcc " __VERSION__;
#endif

}  // namespace

Status build_text(const InfoOptions&, std::ostream& out) {
    out << "StepCCL " << stepccl_version() << "\n  compiler: " << kCompiler << "\n  kernels for NVIDIA GPUs: "
        << (kHasKernels ? "yes" : "no; reductions on a real GPU are staged through the host") << "\n";
    return {};
}

Status build_json(const InfoOptions&, Json& out) {
    out.open_object("build");
    out.text("version", stepccl_version());
    out.text("compiler", kCompiler);
    out.boolean("cuda_kernels", kHasKernels);
    out.close_object();
    return {};
}

Status algorithms_text(const InfoOptions&, std::ostream& out) {
    out << "Algorithms (the first of a collective serves everything)\n";
    for (const Algorithm& row : algorithms()) {
        out << "  " << std::left << std::setw(15) << info(row.kind).name << std::setw(18) << row.name << row.help
            << (row.reorders ? "; for commutative operations" : "") << "\n";
    }
    return {};
}

Status algorithms_json(const InfoOptions&, Json& out) {
    out.open_array("algorithms");
    for (const Algorithm& row : algorithms()) {
        out.open_object();
        out.text("collective", info(row.kind).name);
        out.text("name", row.name);
        out.boolean("reorders", row.reorders);
        out.text("help", row.help);
        out.close_object();
    }
    out.close_array();
    return {};
}

Status types_text(const InfoOptions&, std::ostream& out) {
    out << "Element types, bytes, and the operations on them\n";
    for (size_t i = 0; i < kDatatypes; ++i) {
        auto type = static_cast<Datatype>(i);
        out << "  " << std::left << std::setw(12) << name_of(type) << std::right << std::setw(3) << size_of(type)
            << " ";
        for (size_t j = 0; j < kOperations; ++j) {
            if (applies(static_cast<Operation>(j), type)) out << " " << name_of(static_cast<Operation>(j));
        }
        out << "\n";
    }
    return {};
}

Status types_json(const InfoOptions&, Json& out) {
    out.open_array("types");
    for (size_t i = 0; i < kDatatypes; ++i) {
        auto type = static_cast<Datatype>(i);
        out.open_object();
        out.text("name", name_of(type));
        out.number("bytes", size_of(type));
        out.text("help", help_of(type));
        out.open_array("operations");
        for (size_t j = 0; j < kOperations; ++j) {
            if (applies(static_cast<Operation>(j), type)) out.text({}, name_of(static_cast<Operation>(j)));
        }
        out.close_array();
        out.close_object();
    }
    out.close_array();
    return {};
}

}  // namespace stepccl::tools
