#include "tools/sched_args.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "tools/options.h"

namespace stepccl::tools {
namespace {

struct CommandRow {
    const char* name;
    size_t least_words, most_words;
    const char* options;  // those it takes, with spaces around each
    const char* usage;
};

constexpr CommandRow kCommands[] = {
    {"list", 0, 0, " n ", "list [--n N]"},
    {"print", 2, 2, " n rank root in-place parts ",
     "print KIND ALGORITHM --n N [--rank R] [--root R] [--in-place] [--parts P]"},
    {"diff", 3, 3, " n rank root in-place parts ",
     "diff KIND ALGORITHM ALGORITHM --n N [--rank R] [--root R] [--in-place] [--parts P]"},
    {"verify", 0, 2, " all n max-n parts json ",
     "verify (KIND [ALGORITHM] | --all) [--n N | --max-n N] [--parts LIST] [--json]"},
    {"mutate", 0, 0, " seed count runs ", "mutate [--seed S] [--count N] [--runs N]"},
};

po::options_description options() {
    po::options_description out("Options", 120);
    auto text = [] { return po::value<std::string>(); };
    out.add_options()("n", text(), "number of ranks")                                    //
        ("max-n", text(), "verify all numbers of ranks from 1 to this [16]")             //
        ("rank", text(), "whose schedule [0]")                                           //
        ("root", text(), "root of a rooted kind [0]")                                    //
        ("in-place", "the input is where the result goes")                               //
        ("parts", text(), "number of parts [1]; for verify a list [1,2,3,8]")            //
        ("all", "verify all algorithms")                                                 //
        ("json", "say the result as JSON")                                               //
        ("seed", text(), "where random choices begin [1]")                               //
        ("count", text(), "how many mutants [2000]")                                     //
        ("runs", text(), "random interleavings in which each mutant is executed [200]")  //
        ("help,h", "this text")                                                          //
        ("version,V", "the version");
    return out;
}

Status numbers(const po::variables_map& given, const char* name, std::vector<uint32_t>& out) {
    if (given.count(name) == 0) return {};
    for (std::string_view piece : split(given[name].as<std::string>(), ',')) {
        uint32_t& value = out.emplace_back();
        auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
        if (error == std::errc() && end == piece.data() + piece.size() && value > 0) continue;
        return bad_option(cat("--", name, " takes numbers from 1 on, separated by commas, not '", piece, "'"));
    }
    return {};
}

Status read_number(const po::variables_map& given, const char* name, uint32_t least, std::optional<uint32_t>& out) {
    return given.count(name) == 0 ? Status() : tools::read_number(given, name, least, out.emplace());
}

Status read_values(SchedArgs& args, const po::variables_map& given) {
    STEPCCL_TRY(read_number(given, "n", 1, args.n));
    STEPCCL_TRY(read_number(given, "max-n", 1, args.max_n));
    STEPCCL_TRY(tools::read_number(given, "rank", 0, args.rank));
    STEPCCL_TRY(tools::read_number(given, "root", 0, args.root));
    STEPCCL_TRY(numbers(given, "parts", args.parts));
    STEPCCL_TRY(tools::read_number(given, "seed", 0, args.seed));
    STEPCCL_TRY(tools::read_number(given, "count", 1, args.count));
    STEPCCL_TRY(tools::read_number(given, "runs", 1, args.runs));
    args.in_place = given.count("in-place") != 0;
    args.all = given.count("all") != 0;
    args.json = given.count("json") != 0;
    args.help = given.count("help") != 0;
    args.version = given.count("version") != 0;
    if (given.count("words") != 0) args.words = given["words"].as<std::vector<std::string>>();
    return {};
}

Status check_one_schedule(const SchedArgs& args) {
    if (!args.n) return bad_option(cat(args.command, " needs --n, the number of ranks"));
    if (args.rank >= *args.n) return bad_option(cat("--rank must be below --n, which is ", *args.n));
    if (args.root >= *args.n) return bad_option(cat("--root must be below --n, which is ", *args.n));
    if (args.parts.size() > 1) return bad_option(cat(args.command, " takes one number of parts"));
    return {};
}

Status check_verify(const SchedArgs& args) {
    if (args.n && args.max_n) return bad_option("give --n or --max-n, not both");
    if (args.all != args.words.empty()) return bad_option("give what to verify, or --all");
    return {};
}

Status check_command(SchedArgs& args, const po::variables_map& given) {
    if (args.words.empty()) return bad_option("no command; see stepccl_sched --help");
    args.command = args.words.front();
    args.words.erase(args.words.begin());
    std::vector<std::string_view> names;
    for (const CommandRow& row : kCommands) names.emplace_back(row.name);
    auto row = std::find(names.begin(), names.end(), args.command);
    if (row == names.end()) return unknown_word("command", args.command, names);
    const CommandRow& command = kCommands[row - names.begin()];
    if (args.words.size() < command.least_words || args.words.size() > command.most_words) {
        return bad_option(cat("usage: stepccl_sched ", command.usage));
    }
    for (const auto& [name, value] : given) {
        if (name == "words" || std::string_view(command.options).find(cat(" ", name, " ")) != std::string_view::npos)
            continue;
        return bad_option(cat(command.name, " takes no --", name, "; usage: stepccl_sched ", command.usage));
    }
    if (args.command == "print" || args.command == "diff") return check_one_schedule(args);
    return args.command == "verify" ? check_verify(args) : Status();
}

}  // namespace

Result<SchedArgs> parse_sched_args(int argc, const char* const* argv) {
    auto given = parse_command_line(argc, argv, options(), "words");
    if (!given.ok()) return given.status();
    SchedArgs args;
    STEPCCL_TRY(read_values(args, given.value()));
    if (args.help || args.version) return args;
    STEPCCL_TRY(check_command(args, given.value()));
    return args;
}

std::string sched_usage() {
    std::ostringstream out;
    out << "Prints, compares and proves the schedules of collectives.\n\nUsage:\n";
    for (const CommandRow& row : kCommands) out << "  stepccl_sched " << row.usage << "\n";
    out << "\n" << options() << "\nExit status: 0, 1 for a finding or a difference, 2 for a wrong command line.\n";
    return std::move(out).str();
}

}  // namespace stepccl::tools
