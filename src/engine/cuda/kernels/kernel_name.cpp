#include "engine/cuda/kernels/kernel_name.h"

#include <array>
#include <string>

#include "base/text.h"

namespace stepccl::kernels {
namespace {

using Names = std::array<std::array<std::string, kOperations>, kDatatypes>;

Names make_names() {
    Names names;
    for (size_t t = 0; t < kDatatypes; ++t) {
        for (size_t o = 0; o < kOperations; ++o) {
            const auto type = static_cast<Datatype>(t);
            const auto op = static_cast<Operation>(o);
            if (applies(op, type)) names[t][o] = cat("stepccl_reduce_", name_of(type), '_', name_of(op));
        }
    }
    return names;
}

}  // namespace

const char* kernel_name(Datatype type, Operation op) noexcept {
    static const Names names = make_names();
    const std::string& name = names[static_cast<size_t>(type)][static_cast<size_t>(op)];
    return name.empty() ? nullptr : name.c_str();
}

}  // namespace stepccl::kernels
