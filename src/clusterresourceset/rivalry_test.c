#include "clusterresourceset/rivalry.h"

#include "testing/test.h"

static struct condition condition(enum condition_status status, const char *reason,
                                  const char *message)
{
    return (struct condition){.type = STR("ResourcesApplied"),
                              .status = status,
                              .reason = str_from_c(reason),
                              .message = str_from_c(message),
                              .observed_generation = 2};
}

TEST(a_condition_is_contested_when_it_is_not_what_we_wrote)
{
    SCOPED(rivalry) rivalry = {0};
    const struct condition ours = condition(CONDITION_FALSE, "NotApplied", "failed: c1: why");
    const struct condition theirs = condition(CONDITION_FALSE, "NotApplied", "failed");
    const struct condition news = condition(CONDITION_FALSE, "NotApplied", "failed: c2: why");
    const struct condition well = condition(CONDITION_TRUE, "Applied", "");
    struct condition earlier = theirs;
    earlier.observed_generation = 1;
    CHECK(!rivalry_is_contested(&rivalry, &theirs, 0)); /* we wrote nothing so far */
    rivalry_note_written(&rivalry, &ours);
    CHECK(!rivalry_is_contested(&rivalry, &ours, 0));
    CHECK(rivalry_is_contested(&rivalry, &theirs, 0));
    CHECK(rivalry_is_settled(&rivalry, &ours, &theirs));
    CHECK(!rivalry_is_settled(&rivalry, &news, &theirs));
    CHECK(!rivalry_is_settled(&rivalry, &ours, &well));
    CHECK(!rivalry_is_settled(&rivalry, &well, &theirs));
    CHECK(!rivalry_is_settled(&rivalry, &ours, &earlier));
    rivalry_note_written(&rivalry, NULL);
    CHECK(!rivalry_is_contested(&rivalry, &theirs, 0));
}

TEST(what_is_contested_is_written_later_and_later)
{
    static const int seconds[] = {10, 20, 40, 80, 160, 320, 600, 600};
    SCOPED(rivalry) rivalry = {0};
    const struct condition ours = condition(CONDITION_FALSE, "NotApplied", "x");
    int64_t now = 5 * SECOND;
    for (size_t i = 0; i < COUNT(seconds); i++) {
        CHECK_EQ(rivalry_wait(&rivalry, now), 0);
        CHECK_EQ(rivalry_wait(&rivalry, now + SECOND), (seconds[i] - 1) * SECOND);
        now += seconds[i] * SECOND;
    }
    TEST_CASE("what we wrote stays, at first");
    rivalry_note_written(&rivalry, &ours);
    CHECK(!rivalry_is_contested(&rivalry, &ours, now - 1));
    CHECK_EQ(rivalry_wait(&rivalry, now), 0);
    CHECK_EQ(rivalry_wait(&rivalry, now), 600 * SECOND);
    TEST_CASE("what we wrote stays for the whole pause");
    now += 600 * SECOND;
    CHECK(!rivalry_is_contested(&rivalry, &ours, now));
    CHECK_EQ(rivalry_wait(&rivalry, now), 0);
    CHECK_EQ(rivalry_wait(&rivalry, now), 10 * SECOND);
    TEST_CASE("somebody waits for the outcome");
    rivalry_end_pause(&rivalry);
    CHECK_EQ(rivalry_wait(&rivalry, now), 0);
}

TEST(the_manager_that_wrote_conditions_last_is_found)
{
#define ENTRY(manager, subresource, time, fields)                                       \
    "{\"manager\":\"" manager "\",\"subresource\":\"" subresource "\",\"time\":\"" time \
    "\",\"fieldsV1\":" fields "}"
#define CONDITIONS "{\"f:status\":{\"f:conditions\":{\"k:{\\\"type\\\":\\\"Paused\\\"}\":{}}}}"
    static const struct {
        const char *name, *entries, *manager;
    } cases[] = {
        {"nobody",                                        "", ""      },
        {                       "we alone",    ENTRY("corset",                                            "status",                      "2026-01-01T00:00:05Z", CONDITIONS), ""},
        {                       "another one",
         ENTRY("manager",                                                                                                                                                 "status",                      "2026-01-01T00:00:01Z",
         CONDITIONS) "," ENTRY("corset", "status", "2026-01-01T00:00:05Z", CONDITIONS),
         "manager"},
        {                      "the last of two",
         ENTRY("new",                                                                                                                                                       "status", "2026-01-01T00:00:02Z",
         CONDITIONS) "," ENTRY("old", "status", "2026-01-01T00:00:01Z", CONDITIONS),
         "new"},
        { "the spec",                                                                          ENTRY("kubectl",                                                                                                                           "",                                                       "2026-01-01T00:00:01Z", CONDITIONS), ""},
        {                                                                   "no conditions",
         ENTRY("m","status",                                            "2026-01-01T00:00:01Z",
         "{\"f:status\":{\"f:observedGeneration\":{}}}"),
         ""},
        {"no time",                                                                                            ENTRY("m",                                                                                                                                                                                                                         "status",                                                          "", CONDITIONS), ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        OWNED(object) object = NULL;
        TEST_CASE("%s", cases[i].name);
        buf_print(&text, "{\"metadata\":{\"managedFields\":[%s]}}", cases[i].entries);
        CHECK_OK(object_read(buf_str(&text), &object));
        CHECK_EQ(rivalry_find_manager(object), str_from_c(cases[i].manager));
    }
#undef ENTRY
#undef CONDITIONS
}
