#include "apiserver/managedfields/field_walk.h"

#include "json/compare.h"
#include "testing/test.h"

static const char thing_schema[] =
    "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{"
    "\"s\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"},\"b\":{\"type\":\"boolean\"},"
    "\"x\":{\"x-kubernetes-int-or-string\":true},"
    "\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "\"am\":{\"type\":\"object\",\"x-kubernetes-map-type\":\"atomic\",\"additionalProperties\":{"
    "\"type\":\"string\"}},"
    "\"al\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"set\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}},"
    "\"map\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":["
    "\"k\"],\"items\":{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"type\":"
    "\"string\"},\"v\":{\"type\":\"string\"}}}},"
    "\"free\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}}}";

struct bench {
    struct arena arena;
    struct field_walk walk;
    struct schema *schema;
    struct field_type type;
};

static void bench_init(struct bench *bench)
{
    OWNED(json_doc) doc = NULL;
    *bench = (struct bench){.schema = NULL};
    struct field_errors errors = {.arena = &bench->arena};
    CHECK_OK(json_read(str_from_c(thing_schema), &doc));
    bench->schema = schema_compile(json_doc_root(doc), STR("s"), &errors);
    CHECK(bench->schema);
    field_walk_init(&bench->walk, &bench->arena);
    bench->type = field_type_of_schema(bench->schema);
}

static void bench_done(struct bench *bench)
{
    arena_done(&bench->arena);
    schema_free(bench->schema);
}

/* Of the spec alone; NULL stays NULL. */
static const struct json_value *spec(struct bench *bench, const char *text)
{
    struct json_doc *doc = NULL;
    if (!text)
        return NULL;
    const struct str whole = arena_print(&bench->arena, "{\"spec\":%s}", text);
    CHECK_OK(json_read(whole, &doc));
    arena_hold(&bench->arena, (void (*)(void *))json_doc_free, doc);
    return json_doc_root(doc);
}

static void add_path(void *data, struct str path)
{
    struct buf *out = data;
    if (str_starts_with(path, STR(".spec.")))
        path = str_skip(path, STR(".spec").len);
    buf_add(out, out->len ? STR(" ") : STR(""));
    buf_add(out, path);
}

static void check_paths(const struct field_set *set, const char *expected)
{
    SCOPED(buf) seen = {.limit = 0};
    field_set_visit(set, add_path, &seen);
    CHECK_EQ(buf_str(&seen), str_from_c(expected));
}

TEST(field_walk_check_words_what_does_not_fit)
{
    static const struct {
        const char *spec, *message;
    } cases[] = {
        {"{\"s\":\"a\",\"n\":1,\"b\":true,\"x\":\"a\",\"free\":{\"q\":[{}]}}", NULL                                                             },
        {"{\"s\":null,\"m\":null,\"set\":null}",                               NULL                                                             },
        {"{\"nope\":1}",                                                       ".spec.nope: field not declared in schema"                       },
        {"[1]",                                                                ".spec: expected map, got &{[1]}"                                },
        {"{\"s\":1}",                                                          ".spec.s: expected string, got &value.valueUnstructured{Value:1}"},
        {"{\"s\":{\"a\":\"b\"}}",
         ".spec.s: expected string, got "
         "&value.valueUnstructured{Value:map[string]interface {}{\"a\":\"b\"}}"                                                                 },
        {"{\"n\":\"x\"}",                                                      ".spec.n: expected numeric (int or float), got string"           },
        {"{\"b\":\"x\"}",                                                      ".spec.b: expected boolean, got &{x}"                            },
        {"{\"x\":[]}",                                                         ".spec.x: expected any scalar, got &{[]}"                        },
        {"{\"al\":\"x\"}",                                                     ".spec.al: expected list, got &{x}"                              },
        {"{\"al\":[\"a\",1]}",                                                 ".spec.al[1]: expected string, got "
                               "&value.valueUnstructured{Value:1}"                                                },
        {"{\"set\":[\"a\",\"a\"]}",                                            ".spec.set: duplicate entries for key [=\"a\"]"                  },
        {"{\"set\":[null]}",                                                   ".spec.set: element 0: associative list without keys has an element "
                             "that's an explicit null"                                                              },
        {"{\"map\":[{\"v\":\"a\"}]}",
         ".spec.map: element 0: associative list with keys has an element that omits key field "
         "\"k\" (and doesn't have default value)"                                                                                               },
        {"{\"map\":[1]}",
         ".spec.map: element 0: associative list with keys may not have non-map elements"                                                       },
        {"{\"map\":[{\"k\":\"a\",\"w\":1}]}",                                  ".spec.map[k=\"a\"].w: field not declared in schema"             },
        {"{\"s\":1,\"n\":\"x\"}",                                              "errors:\n"
                                  "  .spec.s: expected string, got "
                                  "&value.valueUnstructured{Value:1}\n"
                                  "  .spec.n: expected numeric (int or float), got string"                     },
    };
    struct bench bench;
    bench_init(&bench);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].spec);
        const struct json_value *value = spec(&bench, cases[i].spec);
        OWNED(error) err = field_walk_check(&bench.walk, bench.type, value, false);
        CHECK_EQ(err != NULL, cases[i].message != NULL);
        if (err)
            CHECK_EQ(str_from_c(err->message), str_from_c(cases[i].message));
    }
    CHECK_OK(
        field_walk_check(&bench.walk, bench.type, spec(&bench, "{\"set\":[\"a\",\"a\"]}"), true));
    bench_done(&bench);
}

TEST(field_walk_set_names_leaves)
{
    static const struct {
        const char *spec, *fields;
    } cases[] = {
        {"{}",                                    ".spec"                                        },
        {"{\"s\":\"a\",\"n\":1}",                 ".n .s"                                        },
        {"{\"s\":null}",                          ".s"                                           },
        {"{\"m\":{}}",                            ".m"                                           },
        {"{\"m\":{\"a\":\"b\"}}",                 ".m.a"                                         },
        {"{\"am\":{\"a\":\"b\"},\"al\":[\"x\"]}", ".al .am"                                      },
        {"{\"set\":[]}",                          ""                                             },
        {"{\"set\":[\"b\",\"a\"]}",               ".set[=\"a\"] .set[=\"b\"]"                    },
        {"{\"map\":[{\"k\":\"a\",\"v\":\"b\"}]}", ".map[k=\"a\"] .map[k=\"a\"].k .map[k=\"a\"].v"},
        {"{\"free\":{\"a\":{\"b\":[1]}}}",        ".free.a .free.a.b"                            },
    };
    struct bench bench;
    bench_init(&bench);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].spec);
        const struct field_set set =
            field_walk_set(&bench.walk, bench.type, spec(&bench, cases[i].spec));
        check_paths(&set, cases[i].fields);
    }
    bench_done(&bench);
}

TEST(field_walk_compare_tells_what_changed)
{
    static const struct {
        const char *before, *after, *added, *modified, *removed;
    } cases[] = {
        {"{\"s\":\"a\"}",                         "{\"s\":\"a\"}",                "",                              "",        ""            },
        {"{\"s\":\"a\",\"n\":1}",                 "{\"s\":\"b\"}",                "",                              ".s",      ".n"          },
        {"{}",                                    "{\"m\":{\"a\":\"b\"}}",        ".m .m.a",                       "",        ""            },
        {"{\"m\":{\"a\":\"b\",\"c\":\"d\"}}",     "{\"m\":{\"a\":\"x\"}}",        "",                              ".m.a",    ".m.c"        },
        {"{\"m\":{\"a\":\"b\"}}",                 "{\"m\":{}}",                   "",                              "",        ".m.a"        },
        {"{\"m\":{\"a\":\"b\"}}",                 "{}",                           "",                              "",        ".m .m.a"     },
        {"{\"am\":{\"a\":\"b\"}}",                "{\"am\":{\"a\":\"c\"}}",       "",                              ".am",     ""            },
        {"{\"n\":1}",                             "{\"n\":1.0}",                  "",                              "",        ""            },
        {"{\"set\":[\"a\",\"b\"]}",               "{\"set\":[\"b\",\"c\"]}",      ".set[=\"c\"]",                  "",        ".set[=\"a\"]"},
        {"{\"set\":[\"a\",\"b\"]}",               "{\"set\":[\"b\",\"a\"]}",      "",                              "",        ""            },
        {"{\"set\":[\"a\"]}",                     "{\"set\":[\"a\",\"a\"]}",      ".set[=\"a\"]",                  "",        ".set[=\"a\"]"},
        {"{\"set\":[\"a\",\"a\"]}",               "{\"set\":[\"a\"]}",            ".set[=\"a\"]",                  "",        ".set[=\"a\"]"},
        {"{\"map\":[{\"k\":\"a\",\"v\":\"1\"}]}",
         "{\"map\":[{\"k\":\"a\",\"v\":\"2\"},{\"k\":\"b\"}]}",                   ".map[k=\"b\"] .map[k=\"b\"].k",
         ".map[k=\"a\"].v",                                                                                                   ""            },
        {"{\"free\":{\"a\":1}}",                  "{\"free\":{\"a\":{\"b\":1}}}", ".free.a.b",                     ".free.a", ""            },
    };
    struct bench bench;
    bench_init(&bench);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s -> %s", cases[i].before, cases[i].after);
        const struct field_changes changes = field_walk_compare(
            &bench.walk, bench.type, spec(&bench, cases[i].before), spec(&bench, cases[i].after));
        check_paths(&changes.added, cases[i].added);
        check_paths(&changes.modified, cases[i].modified);
        check_paths(&changes.removed, cases[i].removed);
    }
    bench_done(&bench);
}

TEST(field_walk_merge_keeps_what_only_one_says)
{
    static const struct {
        const char *name, *base, *patch, *merged;
    } cases[] = {
        {"members",             "{\"s\":\"a\",\"n\":1}",                               "{\"s\":\"b\"}",           "{\"s\":\"b\",\"n\":1}"                                                        },
        {"null is a value",     "{\"s\":\"a\"}",                                       "{\"s\":null}",            "{\"s\":null}"                                                                 },
        {"null empties no map", "{\"m\":{\"a\":\"b\"}}",                               "{\"m\":null}",            "{\"m\":{\"a\":\"b\"}}"                                                        },
        {"atomic map",          "{\"am\":{\"a\":\"b\"}}",                              "{\"am\":{\"c\":\"d\"}}",
         "{\"am\":{\"c\":\"d\"}}"                                                                                                                                                                },
        {"atomic list",         "{\"al\":[\"a\",\"b\"]}",                              "{\"al\":[\"c\"]}",        "{\"al\":[\"c\"]}"                                                             },
        {"set, behind",         "{\"set\":[\"a\",\"b\"]}",                             "{\"set\":[\"b\",\"c\"]}",
         "{\"set\":[\"a\",\"b\",\"c\"]}"                                                                                                                                                         },
        {"set, in front",       "{\"set\":[\"b\",\"c\"]}",                             "{\"set\":[\"a\",\"b\"]}",
         "{\"set\":[\"a\",\"b\",\"c\"]}"                                                                                                                                                         },
        {"set, turned round",   "{\"set\":[\"a\",\"b\",\"c\"]}",                       "{\"set\":[\"c\",\"a\"]}",
         "{\"set\":[\"b\",\"c\",\"a\"]}"                                                                                                                                                         },
        {"set with duplicates", "{\"set\":[\"a\",\"b\",\"a\"]}",                       "{\"set\":[\"a\"]}",
         "{\"set\":[\"a\",\"b\"]}"                                                                                                                                                               },
        {"map",                 "{\"map\":[{\"k\":\"a\",\"v\":\"1\"},{\"k\":\"b\"}]}",
         "{\"map\":[{\"k\":\"b\",\"v\":\"2\"},{\"k\":\"c\"}]}",                                                   "{\"map\":[{\"k\":\"a\",\"v\":\"1\"},{\"k\":\"b\",\"v\":\"2\"},{\"k\":\"c\"}]}"},
        {"other forms",         "{\"free\":{\"a\":{\"b\":1}}}",                        "{\"free\":{\"a\":2}}",
         "{\"free\":{\"a\":2}}"                                                                                                                                                                  },
    };
    struct bench bench;
    bench_init(&bench);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json_value *merged = NULL;
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(field_walk_merge(&bench.walk, bench.type, spec(&bench, cases[i].base),
                                  spec(&bench, cases[i].patch), &merged));
        json_write(&text, json_get(merged, STR("spec")));
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].merged));
    }
    bench_done(&bench);
}

TEST(field_walk_remove_takes_fields_out)
{
    static const struct {
        const char *value, *fields, *left;
    } cases[] = {
        {"{\"s\":\"a\",\"n\":1}",                               "{\"s\":\"x\"}",             "{\"n\":1}"        },
        {"{\"m\":{\"a\":\"b\"}}",                               "{\"m\":{\"a\":\"\"}}",      "{\"m\":null}"     },
        {"{\"set\":[\"a\",\"b\"]}",                             "{\"set\":[\"a\"]}",         "{\"set\":[\"b\"]}"},
        {"{\"map\":[{\"k\":\"a\",\"v\":\"1\"},{\"k\":\"b\"}]}", "{\"map\":[{\"k\":\"b\"}]}",
         "{\"map\":[{\"k\":\"a\",\"v\":\"1\"}]}"                                                                },
        {"{\"s\":\"a\"}",                                       "{\"n\":1}",                 "{\"s\":\"a\"}"    },
    };
    struct bench bench;
    bench_init(&bench);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json_value *left = NULL;
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", cases[i].value);
        const struct field_set fields =
            field_walk_set(&bench.walk, bench.type, spec(&bench, cases[i].fields));
        CHECK_OK(field_walk_remove(&bench.walk, bench.type, spec(&bench, cases[i].value), &fields,
                                   &left));
        json_write(&text, json_get(left, STR("spec")));
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].left));
    }
    bench_done(&bench);
}

TEST(field_walk_folds_what_became_atomic)
{
    struct bench bench;
    OWNED(json_doc) doc = NULL;
    struct field_set set;
    bench_init(&bench);
    CHECK_OK(json_read(STR("{\"f:spec\":{\"f:am\":{\"f:a\":{}},\"f:m\":{\"f:a\":{}}}}"), &doc));
    CHECK_OK(field_set_read(&bench.arena, json_doc_root(doc), &set));
    set = field_walk_fold_atomic(&bench.walk, bench.type, set);
    check_paths(&set, ".am .m.a");
    set = field_walk_with_ancestors(&bench.walk, bench.type, set);
    check_paths(&set, ".spec .am .m .m.a");
    bench_done(&bench);
}
