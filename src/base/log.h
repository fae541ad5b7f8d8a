// Lines on standard error, each one write so that ranks do not mix: "stepccl: warn: [rank 2] text".
#pragma once

#include <string>
#include <string_view>

namespace stepccl {

enum class LogLevel : int { error, warn, info, debug };

// A value that is passed down, like the parameters. Copying is cheap. Thread-safe.
class Log {
  public:
    Log() = default;  // says errors and warnings
    Log(LogLevel level, std::string who) : level_(level), who_(std::move(who)) {}

    bool wants(LogLevel level) const noexcept { return level <= level_; }
    void operator()(LogLevel level, std::string_view text) const;
    LogLevel level() const noexcept { return level_; }

    // The same level, said by someone else, e.g. "rank 3".
    Log as(std::string who) const { return Log(level_, std::move(who)); }

  private:
    LogLevel level_ = LogLevel::warn;
    std::string who_;
};

// "error", "warn", "info", "debug"; anything else is warn.
LogLevel log_level_named(std::string_view name) noexcept;

}  // namespace stepccl
