#include "tools/info_options.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepccl::tools {
namespace {

Result<InfoOptions> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "stepccl_info");
    return parse_info_options(static_cast<int>(words.size()), words.data());
}

InfoOptions parsed(const std::vector<const char*>& words) {
    auto out = parse(words);
    EXPECT_TRUE(out.ok()) << out.status().text();
    return out.ok() ? out.value() : InfoOptions();
}

TEST(ParseInfoOptions, ShowsEverythingUnlessASectionIsNamed) {
    for (const auto& words : {std::vector<const char*>{}, {"--all"}, {"--json"}}) {
        InfoOptions options = parsed(words);
        EXPECT_TRUE(options.build && options.params && options.driver && options.topology && options.algorithms &&
                    options.types);
        EXPECT_FALSE(options.choose);
    }
    InfoOptions options = parsed({"-p", "--types"});
    EXPECT_TRUE(options.params && options.types);
    EXPECT_FALSE(options.build || options.driver || options.topology || options.algorithms);
}

TEST(ParseInfoOptions, ReadsWhatToChoose) {
    InfoOptions options = parsed({"--choose", "bcast", "-b", "4K", "--n", "6", "-z", "--xml", "a.xml", "--json"});
    EXPECT_EQ(options.choose, Kind::bcast);
    EXPECT_EQ(options.bytes, 4096u);
    EXPECT_EQ(options.ranks, 6u);
    EXPECT_TRUE(options.in_place);
    EXPECT_EQ(options.xml, "a.xml");
    EXPECT_TRUE(options.json);
    EXPECT_FALSE(options.build);
}

TEST(ParseInfoOptions, SaysWhatIsWrong) {
    for (const auto& [words, text] : std::vector<std::pair<std::vector<const char*>, const char*>>{
             {{"--parms"}, "did you mean --params"},
             {{"--choose", "allreduc"}, "did you mean 'allreduce'"},
             {{"--n", "3"}, "belongs to --choose"},
             {{"--choose", "scan", "--n", "x"}, "'x'"},
             {{"params"}, "'params' is no option"}}) {
        auto out = parse(words);
        ASSERT_FALSE(out.ok()) << text;
        EXPECT_NE(out.status().text().find(text), std::string::npos) << out.status().text();
    }
}

}  // namespace
}  // namespace stepccl::tools
