// Errors are values: a code from status.def and a text that says who, what, where and what to do next.
// The first function that knows the cause writes the text (and logs it); the others pass it on.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace stepccl {

enum class Code : int {
#define STEPCCL_STATUS(name, value, text) name = value,
#include "stepccl/status.def"
#undef STEPCCL_STATUS
};

// The text of a code alone, e.g. "invalid argument". Never null.
const char* code_text(Code code) noexcept;

class [[nodiscard]] Status {
  public:
    Status() = default;
    Status(Code code, std::string text) : code_(code), text_(std::move(text)) {}

    bool ok() const noexcept { return code_ == Code::SUCCESS; }
    Code code() const noexcept { return code_; }
    const std::string& text() const noexcept { return text_; }

  private:
    Code code_ = Code::SUCCESS;
    std::string text_;
};

// A value or the Status that says why there is none. value() may be asked only when ok().
template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {}

    bool ok() const noexcept { return state_.index() == 0; }
    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    Status status() const { return ok() ? Status() : std::get<1>(state_); }

  private:
    std::variant<T, Status> state_;
};

}  // namespace stepccl

// Returns the Status of `expression` from the calling function unless it is a success.
#define STEPCCL_TRY(expression)                                                      \
    do {                                                                             \
        if (::stepccl::Status try_status = (expression); !try_status.ok()) return try_status; \
    } while (0)
