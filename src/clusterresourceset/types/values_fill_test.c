#include "clusterresourceset/types/values_fill.h"

#include "base/buf.h"
#include "testing/test.h"

/* A value that would be another document, and another field, if it were put into YAML text. */
#define NASTY "\\\"}\\n---\\nkind: Secret\\nx: {y: \\\"((cluster.name))"

#define CLUSTER                                                                                       \
    "{\"metadata\":{\"name\":\"c1\",\"namespace\":\"ns\",\"labels\":{\"env\":\"prod\",\"x\":\"" NASTY \
    "\",\"yes\":\"true\",\"seven\":\"7\",\"zeros\":\"007\",\"plus\":\"+7\",\"huge\":"                 \
    "\"9223372036854775808\",\"low\":\"-9223372036854775808\",\"empty\":\"\"}},\"spec\":{"            \
    "\"n\":3,\"list\":[],\"off\":false}}"

static struct content *read_content(const char *kind, const char *manifest)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) resource = NULL;
    buf_print(&text, "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"cm1\"},",
              kind);
    buf_add(&text, STR("\"data\":{\"a\":"));
    buf_add_json_string(&text, str_from_c(manifest));
    buf_add(&text, STR("}}"));
    CHECK_OK(object_read(buf_str(&text), &resource));
    struct content *content = content_read(resource);
    CHECK(!content_error(content));
    return content;
}

/* The content for a Cluster; NULL with failures. */
static struct content *fill_for(struct str cluster_text, const struct content *content,
                                struct failures *failures)
{
    SCOPED(values_use) use = {.has_tokens = NULL};
    SCOPED(values) values = {0};
    OWNED(object) cluster = NULL;
    CHECK_OK(object_read(cluster_text, &cluster));
    values_use_find(content, &use);
    values_read(&use.names, cluster, &values);
    struct values_fill fill = {
        .values = &values,
        .cluster = object_key(cluster),
        .resource = STR("ConfigMap cm1"),
        .failures = failures,
    };
    return values_fill_content(&fill, content, &use);
}

static struct content *fill_content(const struct content *content, struct failures *failures)
{
    return fill_for(STR(CLUSTER), content, failures);
}

/* What becomes of a manifest with this text, as JSON; or the failure. */
static void fill_text(const char *manifest, struct buf *out)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    OWNED(content) content = read_content("ConfigMap", manifest);
    OWNED(content) filled = fill_content(content, &failures);
    if (!filled) {
        buf_add(out, failures.first->message);
        return;
    }
    for (size_t i = 0; i < content_count(filled); i++)
        json_write(out, object_root(content_object(filled, i)));
    CHECK_EQ(content_hash(filled), content_hash(content));
    CHECK_EQ(content_count(filled), content_count(content));
}

TEST(values_are_put_into_texts)
{
    static const struct {
        const char *manifest, *filled;
    } cases[] = {
        {"a: ((cluster.name))",                                                   "{\"a\":\"c1\"}"                                },
        {"a: x-((cluster.name)).((cluster.namespace))-y",                         "{\"a\":\"x-c1.ns-y\"}"                         },
        {"a: [1, ((cluster.label \"env\")), {b: ((cluster.field \"/spec/n\"))}]",
         "{\"a\":[1,\"prod\",{\"b\":\"3\"}]}"                                                                                     },
        {"a: ((cluster.label \"seven\" as int))",                                 "{\"a\":7}"                                     },
        {"a: ((cluster.label \"low\" as int))",                                   "{\"a\":-9223372036854775808}"                  },
        {"a: ((cluster.field \"/spec/n\" as int))",                               "{\"a\":3}"                                     },
        {"a: ((cluster.label \"yes\" as bool))",                                  "{\"a\":true}"                                  },
        {"a: ((cluster.field \"/spec/off\" as bool))",                            "{\"a\":false}"                                 },
        {"a: ((cluster.label \"yes\"))",                                          "{\"a\":\"true\"}"                              },
        {"a: x((cluster.label \"empty\"))",                                       "{\"a\":\"x\"}"                                 },
        {"a: ((cluster.label \"x\"))",                                            "{\"a\":\"" NASTY "\"}"                         },
        {"((cluster.name)): 1\nb: ((cluster.name))",                              "{\"((cluster.name))\":1,\"b\":\"c1\"}"         },
        {"a: echo $(( 1 + 2 )) ((cluster.x)) ((",                                 "{\"a\":\"echo $(( 1 + 2 )) ((cluster.x)) ((\"}"},
        {"a: [true, null, 1.0, {}, []]\nb: ((cluster.name))",
         "{\"a\":[true,null,1,{},[]],\"b\":\"c1\"}"                                                                               },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", cases[i].manifest);
        fill_text(cases[i].manifest, &text);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].filled));
    }
}

TEST(a_value_that_cannot_be_put_in_is_told_with_path_token_and_cluster)
{
    static const struct {
        const char *manifest, *message;
    } cases[] = {
        {"spec: {a: [0, ((cluster.label \"no\"))]}",
         "spec.a[1]: ((cluster.label \"no\")): Cluster ns/c1 has no such label"       },
        {"a: ((cluster.annotation \"no\"))",
         "a: ((cluster.annotation \"no\")): Cluster ns/c1 has no such annotation"     },
        {"a.b/c: ((cluster.field \"/spec/x\"))",
         "[\"a.b/c\"]: ((cluster.field \"/spec/x\")): Cluster ns/c1 has no such field"},
        {"a: ((cluster.field \"/spec/list\"))",
         "a: ((cluster.field \"/spec/list\")): Cluster ns/c1 has no text, number or truth value "
         "there"                                                                      },
        {"a: ((cluster.label \"env\" as int))",
         "a: ((cluster.label \"env\" as int)): Cluster ns/c1 has a value that is no whole number "
         "of 64 bits"                                                                 },
        {"a: ((cluster.label \"zeros\" as int))",
         "a: ((cluster.label \"zeros\" as int)): Cluster ns/c1 has a value that is no whole number "
         "of 64 bits"                                                                 },
        {"a: ((cluster.label \"plus\" as int))",
         "a: ((cluster.label \"plus\" as int)): Cluster ns/c1 has a value that is no whole number "
         "of 64 bits"                                                                 },
        {"a: ((cluster.label \"huge\" as int))",
         "a: ((cluster.label \"huge\" as int)): Cluster ns/c1 has a value that is no whole number "
         "of 64 bits"                                                                 },
        {"a: ((cluster.label \"empty\" as int))",
         "a: ((cluster.label \"empty\" as int)): Cluster ns/c1 has a value that is no whole number "
         "of 64 bits"                                                                 },
        {"a: ((cluster.label \"seven\" as bool))",
         "a: ((cluster.label \"seven\" as bool)): Cluster ns/c1 has a value that is neither true "
         "nor false"                                                                  },
        {"a: n=((cluster.label \"seven\" as int))",
         "a: ((cluster.label \"seven\" as int)): Cluster ns/c1 can give a number or a truth value "
         "for a whole text alone"                                                     },
        {"a: ((cluster.name))((cluster.label \"seven\" as int))",
         "a: ((cluster.label \"seven\" as int)): Cluster ns/c1 can give a number or a truth value "
         "for a whole text alone"                                                     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", cases[i].manifest);
        fill_text(cases[i].manifest, &text);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].message));
    }
}

TEST(each_object_that_fails_has_its_place)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    OWNED(content)
    content = read_content("ConfigMap", "a: 1\n---\nkind: A\nmetadata: {name: x}\nb: "
                                        "((cluster.label \"no\"))\n---\nc: ((cluster.name))\n---\n"
                                        "kind: B\nb: ((cluster.label \"no\"))\n");
    CHECK(!fill_content(content, &failures));
    CHECK_EQ(failures.failed, (size_t)2);
    const struct failed_object *first = failures.first->first;
    CHECK_EQ(first->resource, STR("ConfigMap cm1"));
    CHECK_EQ(first->key, STR("a"));
    CHECK_EQ(first->document, (size_t)2);
    CHECK_EQ(first->name, STR("x"));
    CHECK_EQ(first->next->document, (size_t)4);
}

/* An object without tokens is the same object, not a copy of it. */
TEST(objects_without_tokens_are_shared)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    OWNED(content) content = read_content("ConfigMap", "a: 1\n---\nb: ((cluster.name))\n");
    OWNED(content) filled = fill_content(content, &failures);
    CHECK(content_object(filled, 0) == content_object(content, 0));
    CHECK(content_object(filled, 1) != content_object(content, 1));
    CHECK_EQ(content_key(filled, 1), STR("a"));
    CHECK_EQ(content_document(filled, 1), (size_t)2);
}

/* Many tokens make a small text large. */
TEST(what_values_make_too_large_is_refused)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) manifest = {.limit = 0};
    SCOPED(buf) cluster = {.limit = 0};
    SCOPED(failures) failures = {.arena = &arena};
    buf_print(&cluster,
              "{\"metadata\":{\"name\":\"c1\",\"namespace\":\"ns\",\"annotations\":{\"a\":"
              "\"%0*d\"}}}",
              (int)VALUES_TEXT_MAX, 0);
    for (size_t part = 0; part < 2; part++) { /* one text, then many */
        buf_add(&manifest, part ? STR("---\nb:\n") : STR("a: "));
        for (size_t i = 0; i <= VALUES_FILL_MAX / VALUES_TEXT_MAX; i++)
            buf_print(&manifest, "%s((cluster.annotation \"a\"))%s", part ? "- " : "",
                      part ? "\n" : "");
        buf_add_char(&manifest, '\n');
    }
    OWNED(content) content = read_content("ConfigMap", buf_c(&manifest));
    CHECK(!fill_for(buf_str(&cluster), content, &failures));
    CHECK_EQ(failures.failed, (size_t)2);
    CHECK_EQ(failures.first->message, STR("with the values of Cluster ns/c1 the objects of the set "
                                          "take more than 16 MiB"));
}

TEST(more_values_than_a_set_may_use_are_told)
{
    for (size_t count = VALUES_COUNT_MAX; count <= VALUES_COUNT_MAX + 1; count++) {
        SCOPED(arena) arena = {0};
        SCOPED(buf) manifest = {.limit = 0};
        SCOPED(buf) cluster = {.limit = 0};
        SCOPED(failures) failures = {.arena = &arena};
        buf_add(&cluster, STR("{\"metadata\":{\"name\":\"c1\",\"namespace\":\"ns\",\"labels\":{"));
        for (size_t i = 0; i < count; i++) {
            buf_print(&cluster, "%s\"k%zu\":\"x\"", i ? "," : "", i);
            buf_print(&manifest, "k%zu: ((cluster.label \"k%zu\"))\n", i, i);
        }
        buf_add(&cluster, STR("}}}"));
        OWNED(content) content = read_content("ConfigMap", buf_c(&manifest));
        OWNED(content) filled = fill_for(buf_str(&cluster), content, &failures);
        TEST_CASE("%zu", count);
        CHECK_EQ(filled != NULL, count == VALUES_COUNT_MAX);
        if (!filled)
            CHECK_EQ(failures.first->message,
                     STR("k64: ((cluster.label \"k64\")): Cluster ns/c1 gives 64 values at most, "
                         "and the set uses more"));
    }
}

/* The walk uses no stack along a document. */
TEST(deep_documents_are_filled)
{
    SCOPED(buf) manifest = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    buf_add(&manifest, STR("{\"a\":"));
    for (size_t i = 0; i < 900; i++)
        buf_add_char(&manifest, '[');
    buf_add(&manifest, STR("\"((cluster.name))\""));
    for (size_t i = 0; i < 900; i++)
        buf_add_char(&manifest, ']');
    buf_add_char(&manifest, '}');
    fill_text(buf_c(&manifest), &text);
    CHECK(str_contains(buf_str(&text), STR("[[[\"c1\"]]]")));
}
