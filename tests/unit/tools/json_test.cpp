#include "tools/json.h"

#include <gtest/gtest.h>

#include <sstream>

namespace stepccl::tools {
namespace {

TEST(Json, WritesNestedValues) {
    std::ostringstream out;
    Json json(out);
    json.open_object();
    json.text("name", "a");
    json.number("count", 3u);
    json.number("byte", uint8_t{65});
    json.boolean("good", true);
    json.null("none");
    json.open_array("list");
    json.text({}, "x");
    json.open_object();
    json.close_object();
    json.close_array();
    json.open_array("empty");
    json.close_array();
    json.close_object();
    EXPECT_EQ(out.str(),
              "{\n  \"name\": \"a\",\n  \"count\": 3,\n  \"byte\": 65,\n  \"good\": true,\n  \"none\": null,\n  "
              "\"list\": [\n    \"x\",\n    "
              "{}\n  ],\n  \"empty\": []\n}\n");
}

TEST(Json, EscapesWhatWouldEndAText) {
    std::ostringstream out;
    Json json(out);
    json.open_array();
    json.text({}, "a\"b\\c\n\x01");
    json.close_array();
    EXPECT_EQ(out.str(), "[\n  \"a\\\"b\\\\c\\u000a\\u0001\"\n]\n");
}

}  // namespace
}  // namespace stepccl::tools
