#include "framework/checksum_annotation.h"

#include "testing/test.h"

#define DOMAIN STR("corset.dev")
#define LONG   "a-name-that-is-longer-than-what-fits-into-the-name-of-an-annotation"

static struct object *annotated(const char *annotations)
{
    struct object *object = NULL;
    SCOPED(arena) arena = {0};
    CHECK_OK(object_read(arena_print(&arena, "{\"metadata\":{\"annotations\":{%s}}}", annotations),
                         &object));
    return object;
}

static bool needs(const struct checksum_annotation_parent *parents, size_t count,
                  const char *desired_annotations, const char *live_annotations)
{
    SCOPED(arena) arena = {0};
    OWNED(object) desired = annotated(desired_annotations);
    OWNED(object) live = annotated(live_annotations);
    const struct checksum_annotation_set set =
        checksum_annotation_set_new(&arena, DOMAIN, parents, count);
    return checksum_annotation_needs_apply(&arena, &set, desired, live);
}

TEST(fw_40_52_keys_of_markers)
{
    /* clang-format off: texts of one row belong together */
    const struct {
        const char *name, *namespace, *kind, *parent, *key;
    } cases[] = {
        {"in a namespace",     "default", "ConfigMap",    "web-config",
         "default.configmap.checksum.corset.dev/web-config"                                                    },
        {"the owner",          "default", "Web",          "w1",         "default.web.checksum.corset.dev/w1"   },
        {"cluster-scoped",     "",        "StorageClass", "big",
         "unknown.storageclass.checksum.corset.dev/big"                                                        },
        {"of an unknown kind", "default", "",             "x",          "default.unknown.checksum.corset.dev/x"},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        const struct checksum_annotation_parent parent = {
            .namespace = str_from_c(cases[i].namespace),
            .kind = str_from_c(cases[i].kind),
            .name = str_from_c(cases[i].parent),
        };
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(checksum_annotation_set_new(&arena, DOMAIN, &parent, 1).annotations[0].key,
                 str_from_c(cases[i].key));
    }
}

/* Hashes are those of sha256sum. */
TEST(names_that_do_not_fit_are_shortened)
{
    /* clang-format off: texts of one row belong together */
    const struct {
        const char *name, *fitted;
    } cases[] = {
        {"web-config",                                                       "web-config"                  },
        {"a",                                                                "a"                           },
        {"012345678901234567890123456789012345678901234567890123456789012",
         "012345678901234567890123456789012345678901234567890123456789012"                                 },
        {"0123456789012345678901234567890123456789012345678901234567890123",
         "0123456789012345678901234567890123456789012345-9674d9e078535b7c"                                 },
        {"system:node",                                                      "systemxnode-324d7600023a6958"},
        {":a",                                                               "xa-b5c5cc1fbe8fa86a"         },
        {"ends-in-",                                                         "ends-in--bd26972488aed98c"   },
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(checksum_annotation_fit_name(&arena, str_from_c(cases[i].name)),
                 str_from_c(cases[i].fitted));
    }
}

TEST(short_names_are_legal_at_the_beginning_of_a_dns_name)
{
    SCOPED(arena) arena = {0};
    const struct str names[] = {STR("System:Node_1"), STR("-a."), STR(LONG), STR("a.b")};
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct str name = checksum_annotation_short_name(&arena, names[i]);
        TEST_CASE("%.*s", STR_ARG(names[i]));
        CHECK(name.len <= 63);
        for (size_t j = 0; j < name.len; j++) {
            const char c = name.ptr[j];
            CHECK((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.');
        }
        CHECK(name.ptr[0] != '-' && name.ptr[0] != '.');
    }
}

TEST(parents_that_collide_have_their_groups_in_the_keys)
{
    SCOPED(arena) arena = {0};
    const struct checksum_annotation_parent parents[] = {
        {STR("default"), STR("a.dev"), STR("Web"),     STR("w1"), STR("1")},
        {STR("default"), STR(""),      STR("Service"), STR("w1"), STR("2")},
        {STR("default"), STR("b.dev"), STR("web"),     STR("w1"), STR("3")},
        {STR("default"), STR("c.dev"), STR("Web"),     STR("w2"), STR("4")},
        {STR("default"), STR(""),      STR("WEB"),     STR("w1"), STR("5")},
        {STR("unknown"), STR("a.dev"), STR("Big"),     STR("x"),  STR("6")},
        {STR(""),        STR("b.dev"), STR("Big"),     STR("x"),  STR("7")},
        {STR("default"), STR("c.dev"), STR("Web"),     STR("w2"), STR("4")},
    };
    const char *const keys[] = {
        "default.web.a.dev.checksum.corset.dev/w1", "default.service.checksum.corset.dev/w1",
        "default.web.b.dev.checksum.corset.dev/w1", "default.web.checksum.corset.dev/w2",
        "default.web.checksum.corset.dev/w1",       "unknown.big.a.dev.checksum.corset.dev/x",
        "unknown.big.b.dev.checksum.corset.dev/x",  "default.web.checksum.corset.dev/w2",
    };
    const struct checksum_annotation_set set =
        checksum_annotation_set_new(&arena, DOMAIN, parents, COUNT(parents));
    for (size_t i = 0; i < COUNT(keys); i++)
        CHECK_EQ(set.annotations[i].key, str_from_c(keys[i]));
}

#define OWNER  "\"default.web.checksum.corset.dev/w1\":\"2\""
#define CONFIG "\"default.configmap.checksum.corset.dev/c\":\"48213\""

TEST(fw_41_to_51_when_to_apply)
{
    const struct checksum_annotation_parent parents[] = {
        {STR("default"), STR("apps.corset.dev"), STR("Web"),       STR("w1"), STR("2")    },
        {STR("default"), STR(""),                STR("ConfigMap"), STR("c"),  STR("48213")},
    };
    /* clang-format off: texts of one row belong together */
    const struct {
        const char *name, *desired, *live;
        bool needs;
    } cases[] = {
        {"all current",         "",                                       OWNER "," CONFIG,                                                   false},
        {"others there too",    "",                                       OWNER "," CONFIG ",\"default.secret.checksum.corset.dev/s\":\"7\"",
         false                                                                                                                                     },
        {"a marker is missing", "",                                       OWNER,                                                              true },
        {"a marker differs",    "",                                       "\"default.web.checksum.corset.dev/w1\":\"1\"," CONFIG,             true },
        {"static missing",      "\"static.checksum.corset.dev/t\":\"x\"", OWNER "," CONFIG,                                                   true },
        {"static differs",      "\"static.checksum.corset.dev/t\":\"x\"",
         OWNER "," CONFIG ",\"static.checksum.corset.dev/t\":\"y\"",                                                                          true },
        {"static the same",     "\"static.checksum.corset.dev/t\":\"x\"",
         OWNER "," CONFIG ",\"static.checksum.corset.dev/t\":\"x\"",                                                                          false},
        {"version missing",     "\"corset.dev/version\":\"v2\"",          OWNER "," CONFIG,                                                   true },
        {"version differs",     "\"corset.dev/version\":\"v2\"",
         OWNER "," CONFIG ",\"version.checksum.corset.dev/applied\":\"v1\"",                                                                  true },
        {"version the same",    "\"corset.dev/version\":\"v2\"",
         OWNER "," CONFIG ",\"version.checksum.corset.dev/applied\":\"v2\"",                                                                  false},
        {"empty version",       "\"corset.dev/version\":\"\"",            OWNER "," CONFIG,                                                   false},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(needs(parents, COUNT(parents), cases[i].desired, cases[i].live), cases[i].needs);
    }
}

TEST(an_empty_version_equals_nothing_and_is_not_stored)
{
    const struct checksum_annotation_parent parent = {STR("default"), STR(""), STR("ConfigMap"),
                                                      STR("c"), STR("")};
    SCOPED(arena) arena = {0};
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) doc = NULL;
    OWNED(object) desired = annotated("");
    CHECK(needs(&parent, 1, "", ""));
    CHECK(needs(&parent, 1, "", "\"default.configmap.checksum.corset.dev/c\":\"\""));
    const struct checksum_annotation_set set =
        checksum_annotation_set_new(&arena, DOMAIN, &parent, 1);
    json_edit_init(&edit, object_root(desired));
    checksum_annotation_write(&arena, &set, desired, &edit);
    CHECK_OK(json_edit_finish(&edit, &doc));
    CHECK_EQ(
        json_count(json_get(json_get(json_doc_root(doc), STR("metadata")), STR("annotations"))), 0);
}

#define MANY 20000

TEST(many_parents_take_no_square_time)
{
    SCOPED(arena) arena = {0};
    struct checksum_annotation_parent *parents =
        arena_alloc_array(&arena, MANY, sizeof(struct checksum_annotation_parent));
    for (size_t i = 0; i < MANY; i++)
        parents[i] = (struct checksum_annotation_parent){STR("default"), STR(""), STR("ConfigMap"),
                                                         arena_print(&arena, "c-%zu", i), STR("1")};
    CHECK_EQ(checksum_annotation_set_new(&arena, DOMAIN, parents, MANY).count, MANY);
}
