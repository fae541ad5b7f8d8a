#include "base/datatype.h"

#include <array>

namespace stepccl {
namespace {

struct DatatypeRow {
    const char* name;
    size_t bytes;
    TypeClass type_class;
    const char* help;
};

struct OperationRow {
    const char* name;
    uint32_t classes;
    const char* help;
};

constexpr std::array<DatatypeRow, kDatatypes> kTypeRows = {{
#define STEPCCL_DATATYPE(name, ctype, bytes, type_class, help) {#name, bytes, type_class, help},
#include "stepccl/datatypes.def"
#undef STEPCCL_DATATYPE
}};

constexpr std::array<OperationRow, kOperations> kOperationRows = {{
#define STEPCCL_OPERATION(name, classes, help) {#name, classes, help},
#include "stepccl/operations.def"
#undef STEPCCL_OPERATION
}};

const DatatypeRow& row(Datatype type) { return kTypeRows[static_cast<size_t>(type)]; }
const OperationRow& row(Operation op) { return kOperationRows[static_cast<size_t>(op)]; }

template <typename Id, typename Rows>
std::optional<Id> find(const Rows& rows, std::string_view name) {
    for (size_t i = 0; i < rows.size(); ++i) {
        if (name == rows[i].name) return static_cast<Id>(i);
    }
    return std::nullopt;
}

}  // namespace

size_t size_of(Datatype type) noexcept { return row(type).bytes; }
// Complex numbers and pairs are two of something, and aligned as that.
size_t alignment_of(Datatype type) noexcept {
    bool two = (class_of(type) & (STEPCCL_CLASS_COMPLEX | STEPCCL_CLASS_PAIR)) != 0;
    return two ? size_of(type) / 2 : size_of(type);
}

TypeClass class_of(Datatype type) noexcept { return row(type).type_class; }
const char* name_of(Datatype type) noexcept { return row(type).name; }
const char* name_of(Operation op) noexcept { return row(op).name; }
const char* help_of(Datatype type) noexcept { return row(type).help; }
const char* help_of(Operation op) noexcept { return row(op).help; }

std::optional<Datatype> datatype_named(std::string_view name) noexcept { return find<Datatype>(kTypeRows, name); }
std::optional<Operation> operation_named(std::string_view name) noexcept {
    return find<Operation>(kOperationRows, name);
}

bool applies(Operation op, Datatype type) noexcept { return (row(op).classes & class_of(type)) != 0; }

}  // namespace stepccl
