// Element types and reduction operations as values; the rows are in datatypes.def and operations.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stepccl {

// What operations apply to a type; or-ed in an operation's row.
enum TypeClass : uint32_t {
    STEPCCL_CLASS_INTEGER = 1,
    STEPCCL_CLASS_FLOAT = 2,
    STEPCCL_CLASS_COMPLEX = 4,
    STEPCCL_CLASS_LOGICAL = 8,
    STEPCCL_CLASS_PAIR = 16,
};

enum class Datatype : uint8_t {
#define STEPCCL_DATATYPE(name, ctype, bytes, type_class, help) name,
#include "stepccl/datatypes.def"
#undef STEPCCL_DATATYPE
};

enum class Operation : uint8_t {
#define STEPCCL_OPERATION(name, classes, help) name,
#include "stepccl/operations.def"
#undef STEPCCL_OPERATION
};

inline constexpr size_t kDatatypes = 0
#define STEPCCL_DATATYPE(name, ctype, bytes, type_class, help) +1
#include "stepccl/datatypes.def"
#undef STEPCCL_DATATYPE
    ;
inline constexpr size_t kOperations = 0
#define STEPCCL_OPERATION(name, classes, help) +1
#include "stepccl/operations.def"
#undef STEPCCL_OPERATION
    ;

size_t size_of(Datatype type) noexcept;
// What an address of elements is a multiple of.
size_t alignment_of(Datatype type) noexcept;
TypeClass class_of(Datatype type) noexcept;
const char* name_of(Datatype type) noexcept;
const char* name_of(Operation op) noexcept;
const char* help_of(Datatype type) noexcept;
const char* help_of(Operation op) noexcept;
std::optional<Datatype> datatype_named(std::string_view name) noexcept;
std::optional<Operation> operation_named(std::string_view name) noexcept;

// Whether `op` is defined on `type`.
bool applies(Operation op, Datatype type) noexcept;

}  // namespace stepccl
