#include "peers/conformance/binding.h"

#include "testing/test.h"

#define UID_A STR("00000000-0000-4000-8000-00000000000a")
#define UID_B STR("00000000-0000-4000-8000-00000000000b")
#define UID_C STR("00000000-0000-4000-8000-00000000000c")

TEST(variables_are_filled_in)
{
    const struct {
        const char *name, *text, *result;
        enum binding_escape escape;
    } cases[] = {
        {"none",                     "plain {a} {{}}",   "plain {a} {{}}",   BINDING_PLAIN  },
        {"one",                      "<{{a}}>",          "<x/y>",            BINDING_PLAIN  },
        {"several",                  "{{a}}{{a}}",       "x/yx/y",           BINDING_PLAIN  },
        {"escaped, alone",           "/p/{{a}}",         "/p/x%2Fy",         BINDING_SEGMENT},
        {"unknown",                  "{{b}}",            "unset-variable-b", BINDING_PLAIN  },
        {"repeated",                 "[{{repeat:z:3}}]", "[zzz]",            BINDING_PLAIN  },
        {"braces of something else", "{{a b}}{{a}}",     "{{a b}}x/y",       BINDING_PLAIN  },
    };
    SCOPED(binding) binding = {0};
    binding_set(&binding, STR("a"), STR("old"));
    binding_set(&binding, STR("a"), STR("x/y"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(binding_fill(&binding, &arena, str_from_c(cases[i].text), cases[i].escape),
                 str_from_c(cases[i].result));
    }
}

TEST(uids_are_one_to_one)
{
    SCOPED(binding) binding = {0};
    SCOPED(arena) arena = {0};
    CHECK(binding_uid(&binding, UID_A, UID_B));
    CHECK(binding_uid(&binding, UID_A, UID_B));
    CHECK(!binding_uid(&binding, UID_A, UID_C));
    CHECK(!binding_uid(&binding, UID_C, UID_B));
    CHECK(binding_uid(&binding, UID_B, UID_A));
    binding_begin_group(&binding);
    CHECK(!binding_uid(&binding, UID_A, UID_C));
    const struct str key = STR("k:{\"uid\":\"00000000-0000-4000-8000-00000000000a\"}");
    const struct str other = STR("k:{\"uid\":\"00000000-0000-4000-8000-00000000000b\"}");
    CHECK_EQ(binding_to_actual(&binding, &arena, key), other);
    CHECK_EQ(binding_to_recorded(&binding, &arena, other), key);
    CHECK_EQ(binding_to_actual(&binding, &arena, UID_C), UID_C);
}

TEST(versions_are_ordered_as_recorded)
{
    const struct {
        const char *name;
        int64_t recorded, actual;
        bool fits;
    } cases[] = {
        {"the first",             10, 100, true },
        {"again",                 10, 100, true },
        {"it changed since",      10, 101, false},
        {"a later one",           20, 200, true },
        {"one between",           15, 150, true },
        {"later, but not larger", 21, 200, false},
        {"earlier, but larger",   5,  100, false},
        {"an earlier one",        5,  1,   true },
        {"between, out of order", 12, 150, false},
    };
    SCOPED(binding) binding = {0};
    SCOPED(arena) arena = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(binding_version(&binding, &arena, cases[i].recorded, cases[i].actual).len == 0,
                 cases[i].fits);
    }
    TEST_CASE("another group");
    binding_begin_group(&binding);
    CHECK_EQ(binding_version(&binding, &arena, 10, 3), STR(""));
}

TEST(captured_names_stand_for_recorded_ones)
{
    SCOPED(binding) binding = {0};
    SCOPED(arena) arena = {0};
    OWNED(json_doc) capture = NULL, *actual = NULL, *recorded = NULL;
    CHECK_OK(
        json_read(STR("{\"gen_name\":\"/name\",\"n\":\"/number\",\"none\":\"/none\"}"), &capture));
    CHECK_OK(json_read(STR("{\"name\":\"a-bcdfg\",\"number\":7}"), &actual));
    CHECK_OK(json_read(STR("{\"name\":\"a-zzzzz\",\"number\":5}"), &recorded));
    binding_capture(&binding, &arena, json_doc_root(capture), json_doc_root(actual),
                    json_doc_root(recorded));
    CHECK_EQ(binding_fill(&binding, &arena, STR("{{gen_name}} {{n}} {{none}}"), BINDING_PLAIN),
             STR("a-bcdfg 7 unset-variable-none"));
    CHECK_EQ(binding_rename(&binding, &arena, STR("\"a-zzzzz\" not found")),
             STR("\"a-bcdfg\" not found"));
    CHECK_EQ(binding_find_name(&binding, STR("a-zzzzz")), STR("a-bcdfg"));
}
