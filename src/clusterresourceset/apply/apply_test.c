/* The parts of applying that need no server. */
#include "base/buf.h"
#include "clusterresourceset/apply/apply_definition.h"
#include "clusterresourceset/apply/apply_difference.h"
#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/apply_redaction.h"
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

#define EXCERPT ", error found in #10 byte of ...|hunter2|..., bigger context ...|hunter2|..."

/* Adds the form with the value in the place of every "%s". */
static void fill_in(struct buf *out, const char *form, const char *value)
{
    struct str rest = str_from_c(form);
    size_t at;
    while ((at = str_find(rest, STR("%s"))) != STR_NONE) {
        buf_add(out, str_slice(rest, 0, at));
        buf_add(out, str_from_c(value));
        rest = str_skip(rest, at + 2);
    }
    buf_add(out, rest);
}

/* What a server quotes of a Secret, in the forms that servers and webhooks use. */
TEST(values_of_secrets_are_not_told)
{
    static const struct {
        const char *name, *message, *told;
    } cases[] = {
        {"an excerpt",          "v1.Secret.Data: decode base64: illegal" EXCERPT,
         "v1.Secret.Data: decode base64: illegal"                                                                                    },
        {"a field error",       "Secret \"s\" is invalid: data[k]: Invalid value: \"hunter2\": no",
         "Secret \"s\" is invalid: data[k]: Invalid value: \"…\": no"                                                              },
        {"a number",            "spec.port: Invalid value: 70000: must be less",
         "spec.port: Invalid value: …: must be less"                                                                               },
        {"a number at the end", "Duplicate value: 17",                                              "Duplicate value: …"           },
        {"escaped quotes",      "bad: \"a\\\"hunter2\\\"\" here",                                   "bad: \"…\" here"              },
        {"an open quote",       "bad: \"hunter2 and more",                                          "bad: \"…\""                   },
        {"a value as it is",    "denied: password hunter2 is too short",
         "denied: password … is too short"                                                                                         },
        {"a value in base64",   "denied: aHVudGVyMg== is too short",                                "denied: … is too short"       },
        {"a short value",       "denied: pin a1 is none, na1 is",                                   "denied: pin … is none, na1 is"},
        {"a number as it is",   "denied: port 70000, not 700001",                                   "denied: port …, not 700001"   },
        {"a line of a value",   "denied: the line second-line is bad",                              "denied: the line … is bad"    },
        {"names stay",
         "secrets \"s\" is forbidden: User \"system:x\" cannot create resource \"secrets\" in API "
         "group \"\" in the namespace \"n\"",                                                       "secrets \"s\" is forbidden: User \"system:x\" cannot create resource \"secrets\" in API "
         "group \"\" in the namespace \"n\""                                            },
    };
    OWNED(object)
    secret = object("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\","
                    "\"namespace\":\"n\"},\"data\":{\"k\":\"aHVudGVyMg==\"},\"short\":\"a1\","
                    "\"port\":70000,\"lines\":\"first\\nsecond-line\\n\"}");
    CHECK(apply_redaction_is_secret(secret));
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) told = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        apply_redaction_write(secret, str_from_c(cases[i].message), &told);
        CHECK_EQ(buf_str(&told), str_from_c(cases[i].told));
    }
}

/* Every form of a value in every form of words, with each of them in every place of the object. */
TEST(no_words_of_a_server_show_a_value)
{
    static const struct {
        const char *value, *quoted;
    } values[] = {
        {"\"hunter2-hunter2\"",               "hunter2-hunter2"     },
        {"\"aHVudGVyMi1odW50ZXIy\"",          "hunter2-hunter2"     },
        {"\"aHVudGVyMi1odW50ZXIy\"",          "aHVudGVyMi1odW50ZXIy"},
        {"\"one\\n  hunter2-hunter2  \\nx\"", "hunter2-hunter2"     },
        {"\"pässwörd\"",                    "pässwörd"          },
        {"\"a.*(b\"",                         "a.*(b"               },
        {"\"x7\"",                            "x7"                  },
        {"70707",                             "70707"               },
        {"0.125",                             "0.125"               },
        {"\"50% off\"",                       "50% off"             },
    };
    static const char *const places[] = {"\"data\":{\"k\":%s}", "\"stringData\":{\"k\":%s}",
                                         "\"spec\":{\"l\":[1,{\"k\":[%s]}]}", "\"type\":%s"};
    static const char *const words[] = {
        "denied: %s is too short",
        "%s",
        "Invalid value: \"%s\": must be else",
        "Invalid value: %s: must be else",
        "Duplicate value: %s",
        "(%s)",
        "got <%s>, want more",
        "spec.k=%s;",
        "'%s' and %s",
        "{\\\"k\\\":\\\"%s\\\"}",
        "\"%s",
    };
    for (size_t place = 0; place < COUNT(places); place++)
        for (size_t value = 0; value < COUNT(values); value++)
            for (size_t form = 0; form < COUNT(words); form++) {
                SCOPED(buf) member = {.limit = 0};
                SCOPED(buf) text = {.limit = 0};
                SCOPED(buf) message = {.limit = 0};
                SCOPED(buf) told = {.limit = 0};
                TEST_CASE("%s, %s, %s", places[place], values[value].value, words[form]);
                fill_in(&member, places[place], values[value].value);
                buf_print(&text, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",%.*s}",
                          STR_ARG(buf_str(&member)));
                OWNED(object) secret = object(buf_c(&text));
                fill_in(&message, words[form], values[value].quoted);
                apply_redaction_write(secret, buf_str(&message), &told);
                CHECK(!str_contains(buf_str(&told), str_from_c(values[value].quoted)));
            }
}

/* The cut may be anywhere in the value. */
TEST(a_message_that_is_cut_in_a_value_shows_no_beginning_of_it)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) value = {.limit = 0};
    for (int i = 0; i < 50; i++)
        buf_print(&value, "%d-hunter-", i);
    buf_print(&text, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"k\":\"%.*s\"}}",
              STR_ARG(buf_str(&value)));
    OWNED(object) secret = object(buf_c(&text));
    for (size_t before = 0; before < 1100; before += 7) {
        SCOPED(buf) message = {.limit = 0};
        SCOPED(buf) told = {.limit = 0};
        TEST_CASE("%zu bytes before it", before);
        for (size_t i = 0; i < before; i++)
            buf_add_char(&message, i % 8 == 7 ? ' ' : 'x');
        buf_add(&message, buf_str(&value));
        buf_add(&message, STR(" is not allowed here, and this is why"));
        for (int i = 0; i < 100; i++)
            buf_add(&message, STR(" because"));
        apply_redaction_write(secret, buf_str(&message), &told);
        CHECK(!str_contains(buf_str(&told), STR("hunt")));
    }
}

TEST(an_object_that_is_too_large_to_look_through_is_not_quoted_at_all)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) told = {.limit = 0};
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":["));
    for (int i = 0; i < 11000; i++)
        buf_print(&text, "\"value%d\",", i);
    buf_add(&text, STR("\"hunter2\"]}"));
    OWNED(object) secret = object(buf_c(&text));
    apply_redaction_write(secret, STR("denied: hunter2"), &told);
    CHECK_EQ(buf_str(&told),
             STR("the server's words are not shown: they may quote what is secret"));
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
