#include "framework/owner_watches.h"

#include "framework/framework_internal.h"
#include "testing/test.h"

#define PLAIN "{\"metadata\":{\"name\":\"a\"}}"
#define CLASSED(name) \
    "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"corset.dev/class\":\"" name "\"}}}"

static struct object_text *read(const char *text)
{
    struct object_text *read = NULL;
    if (text)
        CHECK_OK(object_text_from_json(str_from_c(text), &read));
    return read;
}

/* Whether an event of these two sides passes; NULL: there is no such side. */
static bool passes(controller_filter_fn *filter, const char *class_name, const char *old,
                   const char *now)
{
    OWNED(object_text) before = read(old);
    OWNED(object_text) after = read(now);
    struct framework framework = {
        .options = {.domain = STR("corset.dev"), .class_name = str_from_c(class_name)}
    };
    struct owner_watch owner_watch = {.framework = &framework};
    const struct cache_event event = {.type = !old   ? CACHE_ADDED
                                              : !now ? CACHE_DELETED
                                                     : CACHE_UPDATED,
                                      .old = before,
                                      .now = after};
    return filter(&owner_watch, &event);
}

TEST(fw_90_the_class_decides)
{
    const struct {
        const char *name, *class_name, *old, *now;
        bool passes;
    } cases[] = {
        {"no class, no annotation",       "",  NULL,         PLAIN,        true },
        {"no class, empty annotation",    "",  NULL,         CLASSED(""),  true },
        {"no class, another's",           "",  NULL,         CLASSED("a"), false},
        {"our class",                     "a", NULL,         CLASSED("a"), true },
        {"another class",                 "a", NULL,         CLASSED("b"), false},
        {"our class, no annotation",      "a", NULL,         PLAIN,        false},
        {"our class, empty annotation",   "a", NULL,         CLASSED(""),  false},
        {"deleted, ours",                 "a", CLASSED("a"), NULL,         true },
        {"deleted, another's",            "a", CLASSED("b"), NULL,         false},
        {"updated, it comes to us",       "a", PLAIN,        CLASSED("a"), true },
        {"updated, it leaves us (FW-91)", "a", CLASSED("a"), CLASSED("b"), true },
        {"updated, never ours",           "a", PLAIN,        CLASSED("b"), false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(
            passes(owner_watches_filter_owner, cases[i].class_name, cases[i].old, cases[i].now),
            cases[i].passes);
        CHECK_EQ(
            passes(owner_watches_filter_watched, cases[i].class_name, cases[i].old, cases[i].now),
            cases[i].passes);
    }
}

#define META(rest) "{\"metadata\":{\"name\":\"a\"" rest "},\"spec\":{\"x\":1},\"status\":{\"y\":1}}"

TEST(updates_of_an_owner_that_change_its_status_alone_are_dropped)
{
    /* clang-format off: texts of one row belong together */
    const struct {
        const char *name, *now;
        bool passes;
    } cases[] = {
        {"nothing",         META(""),                                                                  false},
        {"resourceVersion", META(",\"resourceVersion\":\"2\""),                                        false},
        {"managedFields",   META(",\"managedFields\":[{}]"),                                           false},
        {"status",          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"x\":1},\"status\":{\"y\":2}}",
         false                                                                                              },
        {"no status",       "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"x\":1}}",                      false},
        {"spec",            "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"x\":2},\"status\":{\"y\":1}}", true },
        {"no spec",         "{\"metadata\":{\"name\":\"a\"},\"status\":{\"y\":1}}",                    true },
        {"generation",      META(",\"generation\":2"),                                                 true },
        {"labels",          META(",\"labels\":{\"a\":\"b\"}"),                                         true },
        {"annotations",     META(",\"annotations\":{\"a\":\"b\"}"),                                    true },
        {"finalizers",      META(",\"finalizers\":[\"a\"]"),                                           true },
        {"owners",          META(",\"ownerReferences\":[{\"name\":\"a\"}]"),                           true },
        {"deletion",        META(",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""),                   true },
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(passes(owner_watches_filter_owner, "", META(""), cases[i].now), cases[i].passes);
        CHECK(passes(owner_watches_filter_watched, "", META(""), cases[i].now));
        CHECK_EQ(passes(owner_watches_filter_owner, "", cases[i].now, META("")), cases[i].passes);
    }
}
