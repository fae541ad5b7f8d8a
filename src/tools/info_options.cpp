#include "tools/info_options.h"

#include <sstream>

#include "base/text.h"
#include "tools/options.h"

namespace stepccl::tools {
namespace {

po::options_description options() {
    po::options_description out("Options", 120);
    auto text = [] { return po::value<std::string>(); };
    out.add_options()("all,a", "everything but --choose; so without any section, too")             //
        ("build", "version and how it was built")                                                  //
        ("params,p", "parameters, with their values and where those come from")                    //
        ("driver,d", "the GPU driver and its devices, or why there is none")                       //
        ("topology,t", "nodes, GPUs, links and network cards")                                     //
        ("algorithms,l", "the algorithms of every collective")                                     //
        ("types", "element types, and the operations on them")                                     //
        ("choose", text(), "explain which algorithm serves this collective, and why")              //
        ("bytes,b", text(), "for --choose: size of the whole message, with K, M or G [1M]")        //
        ("n", text(), "for --choose: number of ranks [as many as GPUs]")                           //
        ("in-place,z", "for --choose: the input is where the result goes")                         //
        ("xml", text(), "look at this machine, recorded by lstopo --of xml, instead of this one")  //
        ("json", "say it as JSON")                                                                 //
        ("help,h", "this text")                                                                    //
        ("version,V", "the version");
    return out;
}

Status read_choose(const po::variables_map& given, InfoOptions& out) {
    STEPCCL_TRY(read_size(given, "bytes", 0, out.bytes));
    STEPCCL_TRY(read_number(given, "n", 1, out.ranks));
    out.in_place = given.count("in-place") != 0;
    for (const char* name : {"bytes", "n", "in-place"}) {
        if (given.count(name) != 0 && given.count("choose") == 0)
            return bad_option(cat("--", name, " belongs to --choose COLLECTIVE"));
    }
    if (given.count("choose") == 0) return {};
    const auto& word = given["choose"].as<std::string>();
    out.choose = kind_named(word);
    if (out.choose) return {};
    std::vector<std::string_view> names;
    for (size_t i = 0; i < kKinds; ++i) names.emplace_back(info(static_cast<Kind>(i)).name);
    return unknown_word("collective", word, names);
}

void read_sections(const po::variables_map& given, InfoOptions& out) {
    auto has = [&](const char* name) { return given.count(name) != 0; };
    bool any = has("build") || has("params") || has("driver") || has("topology") || has("algorithms") || has("types") ||
               has("choose");
    bool all = has("all") || !any;
    out.build = all || has("build");
    out.params = all || has("params");
    out.driver = all || has("driver");
    out.topology = all || has("topology");
    out.algorithms = all || has("algorithms");
    out.types = all || has("types");
}

}  // namespace

Result<InfoOptions> parse_info_options(int argc, const char* const* argv) {
    auto given = parse_command_line(argc, argv, options(), "words");
    STEPCCL_TRY(given.status());
    const po::variables_map& values = given.value();
    InfoOptions out;
    out.help = values.count("help") != 0;
    out.version = values.count("version") != 0;
    if (out.help || out.version) return out;
    if (values.count("words") != 0) {
        const auto& word = values["words"].as<std::vector<std::string>>()[0];
        return bad_option(
            cat("'", word, "' is no option; sections are named --", word, " or so, see stepccl_info --help"));
    }
    read_sections(values, out);
    STEPCCL_TRY(read_choose(values, out));
    out.json = values.count("json") != 0;
    if (values.count("xml") != 0) out.xml = values["xml"].as<std::string>();
    return out;
}

std::string info_usage() {
    std::ostringstream out;
    out << "Shows what StepCCL is built with, how it is set, what it finds and what it would do.\n\n"
        << "Usage: stepccl_info [options]\n       stepccl_info --choose COLLECTIVE [--bytes B] [--n N] [--in-place]\n\n"
        << options()
        << "\nExit status: 0, 1 when something is wrong (as a bad parameter in the environment), 2 for a wrong command "
           "line.\n";
    return std::move(out).str();
}

}  // namespace stepccl::tools
