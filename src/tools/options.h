// What the tools' command lines have in common: errors are values, with a hint.
#pragma once

#include <boost/program_options.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "base/text.h"

namespace stepccl::tools {

namespace po = boost::program_options;

Status bad_option(const std::string& text);
// " a b c"
std::string listed(const std::vector<std::string_view>& words);
// "there is no <what> 'wrod'; did you mean 'word'? There are: ..."
Status unknown_word(std::string_view what, std::string_view word, const std::vector<std::string_view>& words);

// Options by their full names only; words that are no options are collected under `positional`, a vector of
// std::string.
Result<po::variables_map> parse_command_line(int argc, const char* const* argv, const po::options_description& options,
                                             const char* positional);

// These leave `out` alone when the option was not given.
Status read_size(const po::variables_map& given, const char* name, uint64_t least, uint64_t& out);
Status read_word(const po::variables_map& given, const char* name, const std::vector<std::string_view>& words,
                 size_t& out);

template <typename Number>
Status read_number(const po::variables_map& given, const char* name, std::type_identity_t<Number> least, Number& out) {
    if (given.count(name) == 0) return {};
    const auto& text = given[name].as<std::string>();
    Number value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least) {
        return bad_option(cat("--", name, " takes a number from ", least, " on, not '", text, "'"));
    }
    out = value;
    return {};
}

}  // namespace stepccl::tools
