#include "base/params.h"

#include <gtest/gtest.h>

#include <set>

namespace stepccl {
namespace {

size_t index_of(std::string_view name) {
    for (size_t i = 0; i < param_table().size(); ++i) {
        if (name == param_table()[i].name) return i;
    }
    return param_table().size();
}

TEST(Params, EveryRowIsWellFormed) {
    std::set<std::string> names;
    for (const ParamInfo& row : param_table()) {
        Params params;
        EXPECT_TRUE(params.set(row.name, row.default_value, "test").ok()) << row.name << " = " << row.default_value;
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
        EXPECT_GE(row.level, 1);
        EXPECT_LE(row.level, 9);
        EXPECT_GT(std::string_view(row.help).size(), 10u) << row.name;
    }
}

TEST(Params, DefaultsAndSources) {
    Params params;
    EXPECT_EQ(params.priority, 95);
    EXPECT_EQ(params.scratch_bytes, 256u << 20);
    EXPECT_EQ(params.source(index_of("priority")), "default");
    ASSERT_TRUE(params.set("priority", "7", "somebody").ok());
    EXPECT_EQ(params.priority, 7);
    EXPECT_EQ(params.text(index_of("priority")), "7");
    EXPECT_EQ(params.source(index_of("priority")), "somebody");
}

TEST(Params, RefusesWhatIsMalformedAndKeepsTheValue) {
    Params params;
    for (auto [name, value] : {std::pair{"priority", "x"}, {"priority", "101"}, {"priority", "-1"}, {"priority", "7 "}, {"priority", ""},
                               {"scratch_bytes", "12Q"}, {"scratch_bytes", "1"}, {"enable", "maybe"}, {"driver", "nvidea"}}) {
        Status status = params.set(name, value, "the test");
        EXPECT_EQ(status.code(), Code::ERR_PARAMETER) << name << "=" << value;
        EXPECT_NE(status.text().find("the test"), std::string::npos) << status.text();
    }
    EXPECT_EQ(params.priority, 95);
    EXPECT_EQ(params.driver, "auto");
    EXPECT_NE(params.set("driver", "nvidea", "t").text().find("'nvidia'"), std::string::npos);
}

TEST(Params, UnknownNamesGetAHint) {
    Params params;
    Status status = params.set("timeout", "5", "test");
    EXPECT_EQ(status.code(), Code::ERR_PARAMETER);
    EXPECT_NE(params.set("pirority", "5", "test").text().find("did you mean 'priority'"), std::string::npos);
}

TEST(Params, Environment) {
    Params params;
    const char* good[] = {"HOME=/", "STEPCCL_PARTS=3", "OMPI_MCA_coll_stepccl_priority=12", "STEPCCL_EMU_DEVICES=2", "ODD", nullptr};
    ASSERT_TRUE(apply_environment(params, good).ok());
    EXPECT_EQ(params.parts, 3);
    EXPECT_EQ(params.priority, 12);
    const char* bad[] = {"STEPCCL_PARTZ=3", nullptr};
    Status status = apply_environment(params, bad);
    EXPECT_EQ(status.code(), Code::ERR_PARAMETER);
    EXPECT_NE(status.text().find("STEPCCL_PARTZ"), std::string::npos);
    EXPECT_NE(status.text().find("'parts'"), std::string::npos);
}

TEST(Sizes, ParseAndFormat) {
    EXPECT_EQ(parse_size("0"), 0u);
    EXPECT_EQ(parse_size("64k"), 65536u);
    EXPECT_EQ(parse_size("1.5M"), 1572864u);
    EXPECT_EQ(parse_size("2G"), 2147483648u);
    for (const char* bad : {"", "K", "-1", "+1", "1.5", "1e3", "1KK", "18446744073709551616", "99999999999T", "nan", " 1"}) {
        EXPECT_FALSE(parse_size(bad).has_value()) << bad;
    }
    EXPECT_EQ(format_size(0), "0");
    EXPECT_EQ(format_size(1000), "1000");
    EXPECT_EQ(format_size(65536), "64K");
    EXPECT_EQ(format_size(uint64_t{3} << 30), "3G");
}

}  // namespace
}  // namespace stepccl
