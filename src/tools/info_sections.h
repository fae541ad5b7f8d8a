// The sections of stepccl_info. Each writes itself as text or as JSON.
#pragma once

#include <ostream>

#include "base/status.h"
#include "tools/info_options.h"
#include "tools/json.h"

namespace stepccl::tools {

struct Section {
    bool InfoOptions::*wanted;  // null: wanted when there is something to choose
    Status (*text)(const InfoOptions& options, std::ostream& out);
    Status (*json)(const InfoOptions& options, Json& out);
};

Status build_text(const InfoOptions& options, std::ostream& out);
Status build_json(const InfoOptions& options, Json& out);
Status params_text(const InfoOptions& options, std::ostream& out);
Status params_json(const InfoOptions& options, Json& out);
Status driver_text(const InfoOptions& options, std::ostream& out);
Status driver_json(const InfoOptions& options, Json& out);
Status topology_text(const InfoOptions& options, std::ostream& out);
Status topology_json(const InfoOptions& options, Json& out);
Status algorithms_text(const InfoOptions& options, std::ostream& out);
Status algorithms_json(const InfoOptions& options, Json& out);
Status types_text(const InfoOptions& options, std::ostream& out);
Status types_json(const InfoOptions& options, Json& out);
Status choose_text(const InfoOptions& options, std::ostream& out);
Status choose_json(const InfoOptions& options, Json& out);

}  // namespace stepccl::tools
