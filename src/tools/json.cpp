#include "tools/json.h"

namespace stepccl::tools {

void Json::open(std::string_view key, char bracket) {
    begin(key);
    out_ << bracket;
    ++depth_;
    first_ = true;
}

void Json::close(char bracket) {
    --depth_;
    if (!first_) new_line();
    out_ << bracket;
    first_ = false;
    if (depth_ == 0) out_ << "\n";
}

void Json::begin(std::string_view key) {
    if (!first_) out_ << ",";
    if (depth_ > 0) new_line();
    first_ = false;
    if (key.empty()) return;
    quote(key);
    out_ << ": ";
}

void Json::new_line() {
    out_ << "\n" << std::string(2 * depth_, ' ');
}

void Json::quote(std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    out_ << '"';
    for (char c : text) {
        auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out_ << '\\' << c;
        else if (code < 0x20)
            out_ << "\\u00" << kHex[code >> 4] << kHex[code & 15];
        else
            out_ << c;
    }
    out_ << '"';
}

}  // namespace stepccl::tools
