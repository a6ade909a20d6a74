#include "cmd/approve_wave.h"

#include "clusterresourceset/rollout.h"
#include "testing/test.h"

/* A set whose rollout is in this state. */
static struct object *make_set(const char *state)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) annotation = {.limit = 0};
    struct object *set = NULL;
    buf_print(&annotation,
              "{\"revision\":\"9f2c01aa77de\",\"wave\":\"rest\",\"state\":\"%s\",\"since\":"
              "\"2026-11-15T22:10:00Z\"}",
              state);
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"S\",\"metadata\":{\"annotations\":{"
                       "\"" ROLLOUT_ANNOTATION "\":"));
    buf_add_json_string(&text, buf_str(&annotation));
    buf_add(&text, STR("}},\"status\":{\"conditions\":[{\"type\":\"RolledOut\",\"status\":"
                       "\"False\",\"reason\":\"x\",\"message\":\"3 of 6\"}]}}"));
    CHECK_OK(object_read(buf_str(&text), &set));
    return set;
}

TEST(a_wave_that_waits_is_approved_by_its_token)
{
    static const struct {
        const char *state, *wave, *token, *shown;
    } cases[] = {
        {"WaitingForApproval", "rest",  "9f2c01aa77de/rest",
         "  wave rest gets revision 9f2c01aa77de\n  3 of 6\n"                                                               },
        {"WaitingForApproval", "early", "",
         "wave early does not wait for an approval; wave rest: WaitingForApproval\n"                                        },
        {"Rolling",            "rest",  "",                  "wave rest does not wait for an approval; wave rest: Rolling\n"},
        {"",                   "rest",  "",                  "the set has no rollout\n"                                     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(buf) out = {.limit = 0};
        OWNED(object) set = make_set(cases[i].state);
        struct str token = {0};
        TEST_CASE("%s %s", cases[i].state, cases[i].wave);
        CHECK_EQ(approve_wave_find(set, str_from_c(cases[i].wave), &arena, &token, &out),
                 cases[i].token[0] != '\0');
        CHECK_EQ(token, str_from_c(cases[i].token));
        CHECK_EQ(buf_str(&out), str_from_c(cases[i].shown));
    }
}
