#include "base/log.h"

#include <unistd.h>

#include "base/text.h"

namespace stepccl {
namespace {
constexpr std::string_view kNames[] = {"error", "warn", "info", "debug"};
}

LogLevel log_level_named(std::string_view name) noexcept {
    for (int i = 0; i < 4; ++i) {
        if (name == kNames[i]) return static_cast<LogLevel>(i);
    }
    return LogLevel::warn;
}

void Log::operator()(LogLevel level, std::string_view text) const {
    if (!wants(level)) return;
    std::string line = cat("stepccl: ", kNames[static_cast<int>(level)], ": ",
                           who_.empty() ? std::string() : cat("[", who_, "] "), text, "\n");
    ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    (void)written;  // nowhere left to report to
}

}  // namespace stepccl
