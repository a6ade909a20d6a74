#include "clusterresourceset/apply/ignored.h"

#include "json/compare.h"
#include "testing/test.h"

#define MANAGED(fields) "\"managedFields\":[{\"manager\":\"x\"},{\"fieldsV1\":" fields "}]"
#define OBJECT(metadata, rest) \
    "{\"apiVersion\":\"v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"a\"" metadata "}" rest "}"
#define LIVE(fields, rest)  OBJECT(",\"resourceVersion\":\"7\"," MANAGED(fields), rest)
#define AFTER(rest)         OBJECT(",\"resourceVersion\":\"7\"", rest)
#define HOOKS(name, bundle) "{\"name\":\"" name "\",\"c\":{\"ca\":\"" bundle "\"}}"
#define KEYED               "{\"f:w\":{\"k:{\\\"name\\\":\\\"p\\\"}\":{\".\":{},\"f:c\":{\"f:ca\":{}}}}}"

static struct delivery_policy_texts one_path(struct str *path, const char *text)
{
    *path = str_from_c(text);
    return (struct delivery_policy_texts){path, 1};
}

TEST(what_others_may_change_is_taken_from_the_live_object)
{
    static const struct {
        const char *name, *path, *manifest, *live, *after;
    } cases[] = {
        {"a field",                           "/spec/replicas", OBJECT("", ",\"spec\":{\"replicas\":2,\"a\":1}"),
         LIVE("{}",                                                                                                                                                                                         ",\"spec\":{\"replicas\":7,\"a\":9}"),
         AFTER(",\"spec\":{\"replicas\":7,\"a\":1}")                                                                                                                                                                                                                                                                                                                                                         },
        {"not in the manifest",               "/spec/replicas", OBJECT("", ",\"spec\":{\"a\":1}"),
         LIVE("{}",                                                                                                                                                                                         ",\"spec\":{\"replicas\":7}"),                                                                                                                               AFTER(",\"spec\":{\"a\":1}")        },
        {"not in the cluster",                "/spec/replicas", OBJECT("", ",\"spec\":{\"replicas\":2,\"a\":1}"),
         LIVE("{}",                                                                                                                                                                                         ",\"spec\":{\"a\":1}"),                                                                                                                                      AFTER(",\"spec\":{\"a\":1}")        },
        {"a key with a slash",                "/data/a~1b~0c",  OBJECT("", ",\"data\":{\"a/b~c\":\"1\"}"),
         LIVE("{}",                                                                                                                                                                                         ",\"data\":{\"a/b~c\":\"2\"}"),                                                                                                                              AFTER(",\"data\":{\"a/b~c\":\"2\"}")},
        {"items by their keys, in any order", "/w/*/c/ca",
         OBJECT("",                                                        ",\"w\":[" HOOKS("p",                  "") "," HOOKS("q",                                                                        "") "," HOOKS("new",                                                                                                                                         "") "]"),
         LIVE(KEYED, ",\"w\":[" HOOKS("q", "Q") "," HOOKS("p", "P") "]"),
         AFTER(",\"w\":[" HOOKS("p", "P") "," HOOKS("q", "Q") "," HOOKS("new", "") "]")},
        {"one of them",               "/w/1/c/ca",             OBJECT("",             ",\"w\":[" HOOKS("p",                                                                              "") "," HOOKS("q",                                                                                                                                                    "") "]"),
         LIVE(KEYED,                                                                                                                                                                                                                                                                                                                       ",\"w\":[" HOOKS("q", "Q") "," HOOKS("p", "P") "]"),
         AFTER(",\"w\":[" HOOKS("p", "") "," HOOKS("q", "Q") "]")},
        {"a list without keys, as a whole",                       "/l/*/a",              OBJECT("",  ",\"l\":[{\"a\":1},{\"a\":2}]"),
         LIVE("{\"f:l\":{}}", ",\"l\":[{\"a\":3,\"b\":1}]"), AFTER(",\"l\":[{\"a\":3,\"b\":1}]")                                                                                                                                                                                                                                                                                                                                                                                          },
        {"no object where one is expected",                 "/spec/a/b",                        OBJECT("",                                       ",\"spec\":{\"a\":1}"),
         LIVE("{}",                                                                                                                                          ",\"spec\":[1]"),                                                                                                                                                                                                                                                                                                     AFTER(",\"spec\":{\"a\":1}")                                                                                                                                                                                                                                                                                                        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str path;
        const struct delivery_policy_texts paths = one_path(&path, cases[i].path);
        OWNED(object) manifest = NULL;
        OWNED(object) live = NULL;
        OWNED(object) kept = NULL;
        SCOPED(buf) text = {.limit = 0};
        OWNED(json_doc) after = NULL;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(object_read(str_from_c(cases[i].manifest), &manifest));
        CHECK_OK(object_read(str_from_c(cases[i].live), &live));
        CHECK_OK(ignored_keep(manifest, live, &paths, &kept));
        CHECK_OK(json_read(str_from_c(cases[i].after), &after));
        object_write(&text, kept);
        if (!json_equal(object_root(kept), json_doc_root(after)))
            CHECK_EQ(buf_str(&text), str_from_c(cases[i].after));
    }
}

TEST(fields_at_ignored_paths_do_not_count)
{
    static const struct {
        const char *name, *path, *fields, *left;
    } cases[] = {
        {"a field",                             "/spec/replicas", "{\"f:spec\":{\"f:replicas\":{},\"f:a\":{}}}",
         "{\"f:spec\":{\"f:a\":{}}}"                                                                                           },
        {"the only one, with what leads to it", "/spec/replicas",
         "{\"f:spec\":{\"f:replicas\":{}},\"f:a\":{}}",                                                          "{\"f:a\":{}}"},
        {"all there is",                        "/a",             "{\"f:a\":{}}",                                "{}"          },
        {"not there",                           "/b",             "{\"f:a\":{}}",                                "{\"f:a\":{}}"},
        {"of every item",                       "/w/*/c/ca",      KEYED,
         "{\"f:w\":{\"k:{\\\"name\\\":\\\"p\\\"}\":{\".\":{}}}}"                                                               },
        {"a list that is one field",            "/l/*/a",         "{\"f:l\":{},\"f:b\":{}}",                     "{\"f:b\":{}}"},
        {"all below it",                        "/w",             KEYED,                                         "{}"          },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str path;
        const struct delivery_policy_texts paths = one_path(&path, cases[i].path);
        SCOPED(buf) left = {.limit = 0};
        OWNED(json_doc) fields = NULL;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(json_read(str_from_c(cases[i].fields), &fields));
        ignored_write_fields(json_doc_root(fields), &paths, &left);
        CHECK_EQ(buf_str(&left), str_from_c(cases[i].left));
    }
}

TEST(rules_match_by_group_kind_and_name)
{
    struct str paths[] = {STR("/a"), STR("/b")};
    struct delivery_policy_ignore rules[] = {
        {.group = STR("apps"),       .kind = STR("Deploy*"), .paths = {&paths[0], 1}},
        {.namespace = STR("kube-*"), .name = STR("x"),       .paths = {&paths[1], 1}},
    };
    const struct delivery_policy policy = {.ignore = rules, .ignore_count = COUNT(rules)};
    const struct {
        const char *group, *kind, *namespace, *name;
        size_t count;
    } cases[] = {
        {"apps", "Deployment", "default",     "x", 1},
        {"apps", "Deployment", "kube-system", "x", 2},
        {"apps", "DaemonSet",  "kube-system", "y", 0},
        {"",     "Deployment", "kube-system", "x", 1},
    };
    SCOPED(arena) arena = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct gvk gvk = {str_from_c(cases[i].group), STR("v1"), str_from_c(cases[i].kind)};
        const struct key key = {str_from_c(cases[i].namespace), str_from_c(cases[i].name)};
        TEST_CASE("%zu", i);
        CHECK_EQ(ignored_paths(&policy, gvk, key, &arena).count, cases[i].count);
    }
    const uint64_t hash = ignored_hash(&policy);
    paths[1] = STR("/c");
    CHECK(ignored_hash(&policy) != hash);
}
