// Writes JSON, indented by two spaces.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

namespace stepccl::tools {

class Json {
  public:
    explicit Json(std::ostream& out) : out_(out) {}

    // Inside an object every value has a key; inside an array, and at the top, none.
    void open_object(std::string_view key = {}) { open(key, '{'); }
    void close_object() { close('}'); }
    void open_array(std::string_view key = {}) { open(key, '['); }
    void close_array() { close(']'); }

    void text(std::string_view key, std::string_view value) {
        begin(key);
        quote(value);
    }
    void boolean(std::string_view key, bool value) {
        begin(key);
        out_ << (value ? "true" : "false");
    }
    template <typename Number>
    requires std::is_arithmetic_v<Number>
    void number(std::string_view key, Number value) {
        begin(key);
        out_ << +value;
    }
    void null(std::string_view key) {
        begin(key);
        out_ << "null";
    }

  private:
    void open(std::string_view key, char bracket);
    void close(char bracket);
    void begin(std::string_view key);
    void new_line();
    void quote(std::string_view text);

    std::ostream& out_;
    size_t depth_ = 0;
    bool first_ = true;
};

}  // namespace stepccl::tools
