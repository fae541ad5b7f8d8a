#include "base/status.h"

namespace stepccl {

const char* code_text(Code code) noexcept {
    switch (code) {
#define STEPCCL_STATUS(name, value, text) \
    case Code::name:                      \
        return text;
#include "stepccl/status.def"
#undef STEPCCL_STATUS
    }
    return "unknown status";
}

}  // namespace stepccl
