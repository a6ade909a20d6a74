/* The parts of applying that need no server. */
#include "base/buf.h"
#include "clusterresourceset/apply/apply_definition.h"
#include "clusterresourceset/apply/apply_difference.h"
#include "clusterresourceset/apply/apply_failures.h"
#include "clusterresourceset/apply/apply_object.h"
#include "testing/test.h"

#define MAP(metadata, rest)                                                       \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"," \
    "\"namespace\":\"n\"" metadata "}" rest "}"
#define OWNED_BY_SERVER                                                                      \
    ",\"uid\":\"u\",\"resourceVersion\":\"7\",\"generation\":2,\"creationTimestamp\":\"t\"," \
    "\"managedFields\":[{\"manager\":\"m\"}],\"selfLink\":\"/s\",\"deletionTimestamp\":"     \
    "\"t\",\"deletionGracePeriodSeconds\":0"

static struct object *object(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

TEST(apply_difference)
{
    static const struct {
        const char *name, *live, *manifest, *patch;
    } cases[] = {
        {"equal",                                 MAP("",                                      ",\"data\":{\"a\":\"1\"}"),             MAP("",                                       ",\"data\":{\"a\":\"1\"}"),                        ""                                       },
        {"what the server owns",                  MAP(OWNED_BY_SERVER,                         ""),                                    MAP("",                                       ""),                                               ""                                       },
        {"what the server owns, in the manifest", MAP("",                                      ""),                                    MAP(OWNED_BY_SERVER,                          ""),                                               ""                                       },
        {"the status",                            MAP("",                                      ",\"status\":{\"a\":1}"),               MAP("",                                       ""),                                               ""                                       },
        {"the status, in the manifest",           MAP("",                                      ""),                                    MAP("",                                       ",\"status\":{\"a\":1}"),                          ""                                       },
        {"changed, added and removed",            MAP("",                                      ",\"data\":{\"a\":\"1\",\"b\":\"1\"}"),
         MAP("",                                                                                                                                                                     ",\"data\":{\"a\":\"2\",\"c\":\"3\"}"),
         "{\"data\":{\"a\":\"2\",\"c\":\"3\",\"b\":null}}"                                                                                                                                                                                                                       },
        {"a member that is gone",                 MAP("",                                      ",\"data\":{\"a\":\"1\"}"),             MAP("",                                       ""),
         "{\"data\":null}"                                                                                                                                                                                                                                                       },
        {"labels and annotations",                MAP(",\"labels\":{\"x\":\"1\",\"y\":\"1\"}", ""),
         MAP(",\"labels\":{\"x\":\"1\"},\"annotations\":{\"z\":\"1\"}",                                                                                                              ""),
         "{\"metadata\":{\"labels\":{\"y\":null},\"annotations\":{\"z\":\"1\"}}}"                                                                                                                                                                                                },
        {"arrays whole",                          MAP("",                                      ",\"spec\":{\"l\":[1,2]}"),             MAP("",                                       ",\"spec\":{\"l\":[1]}"),
         "{\"spec\":{\"l\":[1]}}"                                                                                                                                                                                                                                                },
        {"finalizers and owners of others",
         MAP(",\"finalizers\":[\"f\"],\"ownerReferences\":[{\"uid\":\"o\"}]",                  ""),                                    MAP("",                                       ""),                                               ""                                       },
        {"finalizers that the manifest lists",    MAP(",\"finalizers\":[\"f\"]",               ""),
         MAP(",\"finalizers\":[\"g\"]",                                                                                                                                              ""),                                               "{\"metadata\":{\"finalizers\":[\"g\"]}}"},
        {"finalizers that it empties",            MAP(",\"finalizers\":[\"f\"]",               ""),
         MAP(",\"finalizers\":[]",                                                                                                                                                   ""),                                               "{\"metadata\":{\"finalizers\":[]}}"     },
        {"finalizers that it deletes",            MAP(",\"finalizers\":[\"f\"]",               ""),
         MAP(",\"finalizers\":null",                                                                                                                                                 ""),                                               "{\"metadata\":{\"finalizers\":null}}"   },
        {"owners that it lists",                  MAP("",                                      ""),                                    MAP(",\"ownerReferences\":[{\"uid\":\"o\"}]", ""),
         "{\"metadata\":{\"ownerReferences\":[{\"uid\":\"o\"}]}}"                                                                                                                                                                                                                },
        {"null is nothing",                       MAP("",                                      ",\"spec\":{\"l\":[{}]}"),
         MAP(",\"creationTimestamp\":null",                                                                                                                                          ",\"data\":null,\"spec\":{\"l\":[{\"a\":null}]}"), ""                                       },
        {"null takes away",                       MAP("",                                      ",\"spec\":{\"a\":1,\"b\":1}"),
         MAP("",                                                                                                                                                                     ",\"spec\":{\"a\":null,\"b\":1}"),                 "{\"spec\":{\"a\":null}}"                },
        {"a namespace that the server cleared",   "{\"metadata\":{\"name\":\"a\"}}",
         "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"}}",                                                                        ""                                          },
        {"large numbers stay",                        MAP("",                                                                               ",\"spec\":{}"),
         MAP("",                                                                                                                                  ",\"spec\":{\"n\":12345678901234567890}"),
         "{\"spec\":{\"n\":12345678901234567890}}"                                                                       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        OWNED(object) live = object(cases[i].live);
        OWNED(object) manifest = object(cases[i].manifest);
        SCOPED(buf) patch = {.limit = 0};
        bool differs;
        CHECK_OK(apply_difference(object_root(live), object_root(manifest), &patch, &differs));
        CHECK_EQ(buf_str(&patch), str_from_c(cases[i].patch));
        CHECK_EQ(differs, cases[i].patch[0] != '\0');
    }
}

TEST(apply_object_explain)
{
    static const struct {
        const char *name, *object;
        enum apply_verb verb;
        const char *text;
    } cases[] = {
        {"core group",                                   MAP("", ""),       APPLY_CREATING,                                "creating object /v1, Kind=ConfigMap n/a: no"},
        {"other group, no namespace",
         "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRole\","
         "\"metadata\":{\"name\":\"r\"}}",                          APPLY_READING,                                  "reading object rbac.authorization.k8s.io/v1, Kind=ClusterRole r: no"                                        },
        {"patch",                                              MAP("",                                              ""),    APPLY_PATCHING,"patching object /v1, Kind=ConfigMap n/a: no"},
        {"nothing at all", "{}",       APPLY_CREATING, "creating object /, Kind= : no"                                                                                 },
        {"no version",               "{\"apiVersion\":\"a/b/c\",\"kind\":\"K\"}",                     APPLY_CREATING,
         "creating object /, Kind= : no"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        OWNED(object) of = object(cases[i].object);
        OWNED(error)
        err = apply_object_explain(of, cases[i].verb, error_new(ERROR_FORBIDDEN, "no"));
        CHECK_EQ(err->message, cases[i].text);
        CHECK(error_is(err, ERROR_FORBIDDEN));
    }
}

#define EXCERPT ", error found in #10 byte of ...|hunter2|..., bigger context ...|hunter2|..."

TEST(excerpts_of_secrets_are_not_told)
{
    OWNED(object)
    secret = object("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"}}");
    OWNED(error)
    err = apply_object_explain(
        secret, APPLY_CREATING,
        error_new(ERROR_BAD_REQUEST, "v1.Secret.Data: decode base64: illegal" EXCERPT));
    CHECK_EQ(err->message,
             "creating object /v1, Kind=Secret s: v1.Secret.Data: decode base64: illegal");
}

TEST(long_causes_are_cut_between_characters)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) of = object(MAP("", ""));
    for (size_t i = 0; i < APPLY_CAUSE_MAX; i++)
        buf_add(&text, STR("é"));
    OWNED(error)
    err = apply_object_explain(of, APPLY_CREATING, error_new(ERROR_INVALID, "%s", buf_c(&text)));
    const struct str message = str_from_c(err->message);
    CHECK(str_is_utf8(message));
    CHECK(str_ends_with(message, STR("é…")));
    CHECK(message.len < APPLY_CAUSE_MAX + 100);
}

#define DEFINITION(served, rest)                                                                   \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","           \
    "\"metadata\":{\"name\":\"webs.a.b\"},\"spec\":{\"group\":\"a.b\",\"names\":{\"kind\":"        \
    "\"Web\"},\"versions\":[{\"name\":\"v2\",\"served\":true},{\"name\":\"v1\",\"served\":" served \
    "}]}" rest "}"
#define CONDITION_OF(type, status) \
    ",\"status\":{\"conditions\":[{\"type\":\"" type "\",\"status\":\"" status "\"}]}"

TEST(apply_definition_brings)
{
    OWNED(object) definition = object(DEFINITION("true", ""));
    OWNED(object) old = object(DEFINITION("false", ""));
    OWNED(object) map = object(MAP("", ""));
    CHECK(apply_definition_brings(definition, GVK("a.b", "v1", "Web")));
    CHECK(apply_definition_brings(definition, GVK("a.b", "v2", "Web")));
    CHECK(!apply_definition_brings(definition, GVK("a.b", "v3", "Web")));
    CHECK(!apply_definition_brings(definition, GVK("a.c", "v1", "Web")));
    CHECK(!apply_definition_brings(definition, GVK("a.b", "v1", "Net")));
    CHECK(!apply_definition_brings(old, GVK("a.b", "v1", "Web")));
    CHECK(!apply_definition_brings(map, GVK("", "v1", "ConfigMap")));
}

TEST(apply_definition_state)
{
    static const struct {
        const char *name, *live;
        enum apply_definition_state state;
    } cases[] = {
        {"new",              DEFINITION("true",            ""),       APPLY_DEFINITION_PENDING},
        { "names accepted", DEFINITION("true", CONDITION_OF("NamesAccepted",  "True")),
         APPLY_DEFINITION_PENDING},
        {                                                              "names taken", DEFINITION("true", CONDITION_OF("NamesAccepted", "False")),
         APPLY_DEFINITION_REFUSED},
        {                                                              "established", DEFINITION("true",   CONDITION_OF("Established",  "True")),
         APPLY_DEFINITION_ESTABLISHED},
        {                                                          "established without the version",
         DEFINITION("false",   CONDITION_OF("Established",  "True")), APPLY_DEFINITION_REFUSED},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        OWNED(object) live = object(cases[i].live);
        CHECK_EQ((int)apply_definition_state(live, GVK("a.b", "v1", "Web")), (int)cases[i].state);
    }
}

static void add(struct apply_failures *failures, const char *text, enum error_code code)
{
    const struct apply_item item = {.key = STR("k"), .document = failures->report->failed + 1};
    apply_failures_add(failures, &item, error_new(code, "%s", text));
}

TEST(apply_failures_one_as_it_is_several_without_repeats)
{
    SCOPED(arena) arena = {0};
    static const struct {
        const char *name, *texts[4], *all;
    } cases[] = {
        {"none",     {0},                  ""         },
        {"one",      {"a"},                "a"        },
        {"the same", {"a", "a"},           "a"        },
        {"two",      {"a", "b"},           "[a, b]"   },
        {"repeats",  {"a", "b", "a", "c"}, "[a, b, c]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct apply_report report = {0};
        SCOPED(apply_failures) failures = {.arena = &arena, .report = &report};
        size_t count = 0;
        for (; count < COUNT(cases[i].texts) && cases[i].texts[count]; count++)
            add(&failures, cases[i].texts[count], ERROR_INVALID);
        OWNED(error) err = apply_failures_finish(&failures, NULL);
        CHECK_EQ(err ? err->message : "", cases[i].all);
        CHECK(!err || error_is(err, ERROR_INVALID));
        CHECK_EQ(report.failed, count);
        CHECK_EQ(report.failure_count, count);
    }
}

TEST(apply_failures_are_bounded)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    struct apply_report report = {0};
    SCOPED(apply_failures) failures = {.arena = &arena, .report = &report};
    for (int i = 0; i < 5000; i++) {
        buf_clear(&text);
        buf_print(&text, "%d%0300d", i, 0);
        add(&failures, buf_c(&text), i ? ERROR_INVALID : ERROR_FORBIDDEN);
    }
    OWNED(error) end = error_new(ERROR_UNREACHABLE, "gone");
    OWNED(error) err = apply_failures_finish(&failures, end);
    const struct str message = str_from_c(err->message);
    CHECK(error_is(err, ERROR_UNREACHABLE));
    CHECK(message.len < APPLY_LISTED_BYTES_MAX + 200);
    CHECK(str_ends_with(message, STR(", … and 4987 more]")));
    CHECK_EQ(report.failed, 5000);
    CHECK_EQ(report.failure_count, APPLY_FAILURES_MAX);
    CHECK_EQ(report.failures[7].document, 8);
    CHECK(str_starts_with(report.failures[7].text, STR("7000")));
    CHECK(arena.used < 64 * KILOBYTE);
}
