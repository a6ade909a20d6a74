#include "peers/conformance/wording.h"

#include "testing/test.h"

TEST(times_and_ages_are_recognised)
{
    const struct {
        const char *text;
        bool is_time, is_age;
    } cases[] = {
        {"2026-11-15T08:33:42Z",        true,  false},
        {"2026-11-15T08:33:42.123456Z", true,  false},
        {"2026-11-15T08:33:42.Z",       false, false},
        {"2026-11-15T08:33:42+00:00",   false, false},
        {"at 2026-11-15T08:33:42Z",     false, false},
        {"5s",                          false, true },
        {"3m2s",                        false, true },
        {"4y2d",                        false, true },
        {"2s3m",                        false, false},
        {"<unknown>",                   false, true },
        {"5",                           false, false},
        {"",                            false, true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wording_time time;
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(wording_is_time(str_from_c(cases[i].text), &time), cases[i].is_time);
        CHECK_EQ(wording_is_age(str_from_c(cases[i].text)), cases[i].is_age);
    }
}

TEST(numbers_of_versions_are_masked)
{
    const struct {
        const char *text, *masked;
    } cases[] = {
        {"no resource version",                                                                      "no resource version"            },
        {"too old resource version: 12 (345)",                                                       "too old resource version: # (#)"},
        {"Too large resource version: 12, current: 3, so",
         "Too large resource version: 12, current: #, so"                                                                             },
        {"the ResourceVersion in the precondition (12) is not the ResourceVersion in record (3). x",
         "the ResourceVersion in the precondition (#) is not the ResourceVersion in record (#). x"                                    },
        {"ResourceVersion in precondition: 1, ResourceVersion in object meta: 2",
         "ResourceVersion in precondition: #, ResourceVersion in object meta: #"                                                      },
        {"too old resource version: x (1)",                                                          "too old resource version: x (1)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        CHECK_EQ(wording_mask_versions(&arena, str_from_c(cases[i].text)),
                 str_from_c(cases[i].masked));
    }
}

TEST(uuids_are_found)
{
    const struct str text =
        STR("uid 0a1b2c3d-0000-4000-8000-00000000000a, not 0A1B2C3D-0000-4000-8000-00000000000A");
    CHECK_EQ(wording_find_uuid(text, 0), 4u);
    CHECK_EQ(wording_find_uuid(text, 5), STR_NONE);
    CHECK_EQ(wording_find_uuid(STR("0a1b2c3d"), 0), STR_NONE);
}
