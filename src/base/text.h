// Small helpers for texts: std::format is not in g++ 12.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace stepccl {

// The arguments one after the other, as operator<< prints them.
template <typename... Args>
std::string cat(const Args&... args) {
    std::ostringstream out;
    (out << ... << args);
    return std::move(out).str();
}

// The pieces between separators; views into `text`.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    for (size_t begin = 0;;) {
        size_t end = text.find(separator, begin);
        out.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
        if (end == std::string_view::npos) return out;
        begin = end + 1;
    }
}

}  // namespace stepccl
