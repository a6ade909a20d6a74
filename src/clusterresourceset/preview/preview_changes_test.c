#include "clusterresourceset/preview/preview_changes.h"

#include "base/buf.h"
#include "clusterresourceset/preview/preview_secrets.h"
#include "testing/test.h"

static struct json_doc *read(const char *text)
{
    struct json_doc *doc = NULL;
    if (text)
        CHECK_OK(json_read(str_from_c(text), &doc));
    return doc;
}

static const struct json_value *root(const struct json_doc *doc)
{
    return doc ? json_doc_root(doc) : NULL;
}

static void write_value(const struct preview_value *value, struct buf *out)
{
    if (value->type == JSON_ABSENT)
        buf_add(out, STR("-"));
    else if (value->secret)
        buf_print(out, "#%zu", value->secret);
    else
        buf_add(out, value->text);
}

/* "path: before -> after; path: reordered" */
static void write_changes(const struct preview_changes *changes, struct buf *out)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct preview_change *change = &changes->items[i];
        buf_print(out, "%s%.*s: ", i ? "; " : "", STR_ARG(change->path));
        if (change->is_order) {
            buf_add(out, STR("reordered"));
            continue;
        }
        write_value(&change->before, out);
        buf_add(out, STR(" -> "));
        write_value(&change->after, out);
    }
}

static void check_changes(const char *before, const char *after, struct preview_secrets *secrets,
                          const char *expected)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    struct preview_changes changes;
    OWNED(json_doc) old = read(before);
    OWNED(json_doc) new = read(after);
    preview_changes_find(root(old), root(new), secrets, &arena, &changes);
    write_changes(&changes, &text);
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(changes_are_found_where_they_are)
{
    static const struct {
        const char *name, *before, *after, *changes;
    } cases[] = {
        {"nothing",                  "{\"a\":1}",                                                     "{\"a\":1.0}",                                                               ""                                 },
        {"a value",                  "{\"spec\":{\"a\":1}}",                                          "{\"spec\":{\"a\":2}}",                                                      "spec.a: 1 -> 2"                   },
        {"come and gone",            "{\"a\":\"x\"}",                                                 "{\"b\":true}",                                                              "a: x -> -; b: - -> true"          },
        {"a whole part",             "{}",                                                            "{\"a\":{\"b\":1,\"c\":[2]}}",                                               "a.b: - -> 1; a.c[0]: - -> 2"      },
        {"an empty part",            "{\"a\":{}}",                                                    "{}",                                                                        "a: {} -> -"                       },
        {"another type",             "{\"a\":{\"b\":1}}",                                             "{\"a\":\"x\"}",                                                             "a.b: 1 -> -; a: - -> x"           },
        {"null and nothing",         "{\"a\":null}",                                                  "{}",                                                                        "a: null -> -"                     },
        {"names that are no words",  "{\"data\":{\"a.yaml\":\"1\"}}",
         "{\"data\":{\"a.yaml\":\"2\"}}",                                                                                                                                          "data[a.yaml]: 1 -> 2"             },
        {"what the server writes",
         "{\"metadata\":{\"uid\":\"1\",\"resourceVersion\":\"1\",\"generation\":1,"
         "\"creationTimestamp\":\"1\",\"managedFields\":[1]},\"status\":{\"a\":1}}",                  "{\"metadata\":{\"uid\":\"2\",\"resourceVersion\":\"2\",\"generation\":2}}", ""                                 },
        {"the same names elsewhere",
         "{\"spec\":{\"uid\":\"1\",\"status\":1,\"metadata\":{\"uid\":1}}}",                          "{\"spec\":{\"uid\":\"2\",\"status\":2,\"metadata\":{\"uid\":2}}}",
         "spec.uid: 1 -> 2; spec.status: 1 -> 2; spec.metadata.uid: 1 -> 2"                                                                                                                                           },
        {"items by name",
         "{\"containers\":[{\"name\":\"a\",\"image\":\"1\"},{\"name\":\"cni\",\"image\":\"v1.2\"}]}",
         "{\"containers\":[{\"name\":\"a\",\"image\":\"1\"},{\"name\":\"cni\",\"image\":\"v1.3\"}]}",
         "containers[cni].image: v1.2 -> v1.3"                                                                                                                                                                        },
        {"an item before others",    "{\"l\":[{\"name\":\"b\",\"v\":1}]}",
         "{\"l\":[{\"name\":\"a\",\"v\":1},{\"name\":\"b\",\"v\":1}]}",                                                                                                            "l[a].name: - -> a; l[a].v: - -> 1"},
        {"items in another order",   "{\"l\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
         "{\"l\":[{\"name\":\"b\"},{\"name\":\"a\"}]}",                                                                                                                            "l: reordered"                     },
        {"items by port",            "{\"l\":[{\"port\":80,\"p\":1},{\"port\":81,\"p\":1}]}",
         "{\"l\":[{\"port\":81,\"p\":2},{\"port\":80,\"p\":1}]}",                                                                                                                  "l[81].p: 1 -> 2; l: reordered"    },
        {"names that are not apart", "{\"l\":[{\"name\":\"a\",\"v\":1},{\"name\":\"a\",\"v\":2}]}",
         "{\"l\":[{\"name\":\"a\",\"v\":1},{\"name\":\"a\",\"v\":3}]}",                                                                                                            "l[1].v: 2 -> 3"                   },
        {"items without names",      "{\"l\":[1,2]}",                                                 "{\"l\":[1,3,4]}",                                                           "l[1]: 2 -> 3; l[2]: - -> 4"       },
        {"nothing before",           NULL,                                                            "{\"kind\":\"A\"}",                                                          "kind: - -> A"                     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        check_changes(cases[i].before, cases[i].after, NULL, cases[i].changes);
    }
}

TEST(equal_secrets_have_equal_numbers_and_items_no_names)
{
    SCOPED(preview_secrets) secrets = {0};
    check_changes("{\"data\":{\"a\":\"x\",\"b\":\"y\"}}", "{\"data\":{\"a\":\"y\",\"b\":\"z\"}}",
                  &secrets, "data.a: #1 -> #2; data.b: #2 -> #3");
    check_changes("{\"l\":[{\"name\":\"hunter2\",\"v\":\"x\"}]}",
                  "{\"l\":[{\"name\":\"hunter2\",\"v\":7}]}", &secrets, "l[0].v: #1 -> #4");
    check_changes("{\"a\":{}}", "{\"a\":{\"b\":[\"z\"]}}", &secrets, "a.b[0]: - -> #3");
}

/* Every kind of value in every place that a manifest can have one: none of it is kept. */
TEST(no_byte_of_a_secret_is_kept)
{
    static const char *const values[] = {
        "\"hunter2\"",
        "\"aHVudGVyMg==\"",
        "70707070",
        "7.0707e300",
        "\"hunter2\\nhunter2\"",
        "[\"hunter2\"]",
        "{\"k\":\"hunter2\"}",
        "[{\"name\":\"hunter2\",\"v\":\"hunter2\"}]",
        "[{\"key\":\"hunter2\"},{\"key\":\"aHVudGVyMg==\"}]",
        "[[70707070]]",
    };
    static const char *const places[] = {
        "{\"data\":{\"k\":%s}}",
        "{\"stringData\":{\"k\":%s}}",
        "{\"metadata\":{\"name\":%s}}",
        "{\"metadata\":{\"annotations\":{\"a/b\":%s}}}",
        "{\"spec\":{\"a\":[{\"b\":%s}]}}",
        "{\"spec\":[1,%s]}",
        "{\"type\":%s}",
    };
    for (size_t place = 0; place < COUNT(places); place++)
        for (size_t one = 0; one < COUNT(values); one++)
            for (size_t other = 0; other <= COUNT(values); other++) {
                SCOPED(preview_secrets) secrets = {0};
                SCOPED(arena) arena = {0};
                SCOPED(buf) before = {.limit = 0};
                SCOPED(buf) after = {.limit = 0};
                SCOPED(buf) kept = {.limit = 0};
                struct preview_changes changes;
                const char *next = other < COUNT(values) ? values[other] : "null";
                TEST_CASE("%s: %s, %s", places[place], values[one], next);
                struct str form = str_from_c(places[place]);
                const size_t at = str_find(form, STR("%s"));
                buf_print(&before, "%.*s%s%s", (int)at, form.ptr, values[one], form.ptr + at + 2);
                buf_print(&after, "%.*s%s%s", (int)at, form.ptr, next, form.ptr + at + 2);
                OWNED(json_doc) old = read(buf_c(&before));
                OWNED(json_doc) new = read(buf_c(&after));
                preview_changes_find(root(old), root(new), &secrets, &arena, &changes);
                CHECK_EQ(changes.count > 0, one != other);
                for (size_t i = 0; i < changes.count; i++) {
                    buf_add(&kept, changes.items[i].path);
                    buf_add(&kept, changes.items[i].before.text);
                    buf_add(&kept, changes.items[i].after.text);
                }
                CHECK(!str_contains(buf_str(&kept), STR("hunter2")));
                CHECK(!str_contains(buf_str(&kept), STR("aHVudGVy")));
                CHECK(!str_contains(buf_str(&kept), STR("7070")));
                MAP_FOREACH (entry, &secrets.digests)
                    CHECK_EQ(map_key(entry).len, 32);
            }
}

TEST(many_and_long_changes_are_bounded_and_still_compared)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    struct preview_changes one, other;
    buf_add(&text, STR("{\"a\":{"));
    for (int i = 0; i < PREVIEW_CHANGES_MAX + 5; i++)
        buf_print(&text, "\"k%d\":%d,", i, i);
    buf_add(&text, STR("\"long\":\""));
    for (size_t i = 0; i < PREVIEW_TEXT_MAX; i++)
        buf_add_char(&text, 'x');
    buf_add(&text, STR("1\"}}"));
    OWNED(json_doc) first = read(buf_c(&text));
    preview_changes_find(NULL, root(first), NULL, &arena, &one);
    CHECK_EQ(one.count, PREVIEW_CHANGES_MAX);
    CHECK_EQ(one.omitted, 6);
    text.ptr[text.len - 4] = '2';
    OWNED(json_doc) second = read(buf_c(&text));
    preview_changes_find(NULL, root(second), NULL, &arena, &other);
    CHECK(one.hash != other.hash);
    preview_changes_find(json_get(json_get(root(first), STR("a")), STR("long")),
                         json_get(json_get(root(second), STR("a")), STR("long")), NULL, &arena,
                         &one);
    CHECK_EQ(one.count, 1);
    CHECK(one.items[0].before.is_cut && one.items[0].after.is_cut);
    CHECK_EQ(one.items[0].before.text.len, PREVIEW_TEXT_MAX);
}

/* The stack of a fiber is small; what is deeper is compared whole. */
TEST(deep_values_are_compared_whole)
{
    SCOPED(arena) arena = {0};
    struct buf texts[2] = {{.limit = 0}, {.limit = 0}};
    struct preview_changes changes;
    for (int i = 0; i < 2; i++) {
        for (int depth = 0; depth < 5000; depth++)
            buf_add(&texts[i], STR("{\"a\":"));
        buf_print(&texts[i], "%d", i);
        for (int depth = 0; depth < 5000; depth++)
            buf_add_char(&texts[i], '}');
    }
    OWNED(json_doc) before = read(buf_c(&texts[0]));
    OWNED(json_doc) after = read(buf_c(&texts[1]));
    preview_changes_find(root(before), root(after), NULL, &arena, &changes);
    CHECK_EQ(changes.count, 1);
    buf_done(&texts[0]);
    buf_done(&texts[1]);
}
