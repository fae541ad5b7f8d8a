#include "tools/options.h"

#include <algorithm>

#include "base/params.h"

namespace stepccl::tools {
namespace {

Status unknown_option(std::string_view given, const po::options_description& options) {
    std::string word(given.substr(std::min(given.find_first_not_of('-'), given.size())));
    std::vector<std::string> owned;
    for (const auto& option : options.options()) owned.push_back(option->long_name());
    std::vector<std::string_view> names(owned.begin(), owned.end());
    auto near = nearest(word, names);
    return bad_option(cat("there is no option '", given, "'",
                          near ? cat("; did you mean --", *near, "?") : std::string("; see --help")));
}

}  // namespace

Status bad_option(const std::string& text) {
    return Status(Code::ERR_INVALID_ARGUMENT, text);
}

std::string listed(const std::vector<std::string_view>& words) {
    std::string out;
    for (std::string_view word : words) out += cat(" ", word);
    return out;
}

Status unknown_word(std::string_view what, std::string_view word, const std::vector<std::string_view>& words) {
    auto near = nearest(word, words);
    return bad_option(cat("there is no ", what, " '", word, "'",
                          near ? cat("; did you mean '", *near, "'?") : std::string(";"),
                          " There are:", listed(words)));
}

Result<po::variables_map> parse_command_line(int argc, const char* const* argv, const po::options_description& options,
                                             const char* positional) {
    po::options_description all;
    all.add(options).add_options()(positional, po::value<std::vector<std::string>>());
    po::positional_options_description words;
    words.add(positional, -1);
    po::variables_map out;
    try {
        namespace style = po::command_line_style;
        po::command_line_parser parser(argc, argv);
        parser.options(all).positional(words).style(style::unix_style & ~style::allow_guessing);
        po::store(parser.run(), out);
    } catch (const po::unknown_option& error) {
        return unknown_option(error.get_option_name(), options);
    } catch (const po::error& error) {
        return bad_option(cat(error.what(), "; see --help"));
    }
    return out;
}

Status read_size(const po::variables_map& given, const char* name, uint64_t least, uint64_t& out) {
    if (given.count(name) == 0) return {};
    const auto& text = given[name].as<std::string>();
    auto bytes = parse_size(text);
    if (!bytes || *bytes < least)
        return bad_option(
            cat("--", name, " takes bytes with K, M or G, as 64M, from ", least, " on, not '", text, "'"));
    out = *bytes;
    return {};
}

Status read_word(const po::variables_map& given, const char* name, const std::vector<std::string_view>& words,
                 size_t& out) {
    if (given.count(name) == 0) return {};
    const auto& text = given[name].as<std::string>();
    auto at = std::find(words.begin(), words.end(), text);
    if (at == words.end()) return bad_option(cat("--", name, " takes one of", listed(words), ", not '", text, "'"));
    out = static_cast<size_t>(at - words.begin());
    return {};
}

}  // namespace stepccl::tools
