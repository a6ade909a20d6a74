#include "clusterresourceset/types/content.h"

#include <stdio.h>

#include "base/base64.h"
#include "base/gzip.h"
#include "clusterresourceset/types/content_items.h"
#include "json/builder.h"
#include "json/edit.h"
#include "testing/test.h"

/* A ConfigMap ns/cm1, or a Secret ns/s1 whose values are encoded here. */
static struct object *make_resource(bool secret, const struct str *pairs, size_t count)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    struct object *object = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR("v1"));
    json_builder_add_str(&builder, "kind", secret ? STR("Secret") : STR("ConfigMap"));
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "namespace", STR("ns"));
    json_builder_add_str(&builder, "name", secret ? STR("s1") : STR("cm1"));
    json_builder_end(&builder);
    if (secret)
        json_builder_add_str(&builder, "type", STR(CONTENT_SECRET_TYPE));
    json_builder_add_object(&builder, "data");
    for (size_t i = 0; i < count; i++) {
        SCOPED(buf) encoded = {0};
        base64_encode(&encoded, pairs[2 * i + 1]);
        json_builder_key(&builder, pairs[2 * i]);
        json_builder_str(&builder, secret ? buf_str(&encoded) : pairs[2 * i + 1]);
    }
    json_builder_end(&builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    CHECK_OK(object_from_doc(doc, &object));
    return object;
}

static struct content *read_pairs(bool secret, const struct str *pairs, size_t count)
{
    OWNED(object) object = make_resource(secret, pairs, count);
    return content_read(object);
}

static struct content *read_one(struct str text)
{
    return read_pairs(false, (const struct str[]){STR("a"), text}, 1);
}

static struct str message_of(const struct content *content)
{
    return str_from_c(content_error(content) ? content_error(content)->message : "");
}

/* "Kind name, Kind name". */
static struct str list_names(const struct content *content, struct buf *out)
{
    for (size_t i = 0; i < content_count(content); i++)
        buf_print(out, "%s%.*s %.*s", i ? ", " : "",
                  STR_ARG(object_kind(content_object(content, i))),
                  STR_ARG(object_name(content_object(content, i))));
    return buf_str(out);
}

TEST(content_hash_is_of_values_in_the_order_of_keys)
{
    static const struct str pairs[] = {STR_INIT("b"), STR_INIT("z"), STR_INIT("a"), STR_INIT("xy")};
    static const struct str moved[] = {STR_INIT("a"), STR_INIT("x"), STR_INIT("b"), STR_INIT("yz")};
    const struct str hash =
        STR("sha256:3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282");
    OWNED(content) first = read_pairs(false, pairs, 2);
    OWNED(content) second = read_pairs(true, moved, 2);
    OWNED(content) third = read_one(STR("xyz"));
    OWNED(content) empty = read_one(STR(""));
    CHECK_EQ(content_hash(first), hash);
    CHECK_EQ(content_hash(second), hash);
    CHECK_EQ(content_hash(third), hash);
    CHECK_EQ(content_hash(empty),
             STR("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    CHECK(!content_error(empty));
}

/* A ConfigMap with one value and this default namespace. */
static struct content *read_with_namespace(const char *namespace, bool secret)
{
    static const struct str pairs[] = {STR_INIT("a"), STR_INIT("kind: A\n")};
    OWNED(object) plain = make_resource(secret, pairs, 1);
    SCOPED(json_edit) edit;
    OWNED(json_doc) doc = NULL;
    OWNED(object) object = NULL;
    json_edit_init(&edit, object_root(plain));
    if (namespace)
        json_edit_set_str(&edit,
                          JSON_PLACE_KEY("metadata.annotations", STR(CONTENT_DEFAULT_NAMESPACE)),
                          str_from_c(namespace));
    CHECK_OK(json_edit_finish(&edit, &doc));
    CHECK_OK(object_from_doc(doc, &object));
    return content_read(object);
}

TEST(content_default_namespace_counts_for_the_hash)
{
    OWNED(content) without = read_with_namespace(NULL, false);
    OWNED(content) first = read_with_namespace("argocd", false);
    OWNED(content) second = read_with_namespace("argo", false);
    OWNED(content) secret = read_with_namespace("argocd", true);
    CHECK_EQ(content_default_namespace(without), STR(""));
    CHECK_EQ(content_default_namespace(first), STR("argocd"));
    CHECK_EQ(content_count(first), 1);
    CHECK(!str_eq(content_hash(without), content_hash(first)));
    CHECK(!str_eq(content_hash(second), content_hash(first)));
    CHECK_EQ(content_hash(secret), content_hash(first));
}

TEST(content_default_namespace_must_be_one)
{
    static const char *const names[] = {"", "Argo", "a/b", "a.b"};
    for (size_t i = 0; i < COUNT(names); i++) {
        TEST_CASE("%s", names[i]);
        OWNED(content) content = read_with_namespace(names[i], false);
        CHECK_EQ(message_of(content), STR("the annotation corset.dev/default-namespace is not the "
                                          "name of a namespace"));
        CHECK_EQ(content_error_class(content), STR("default-namespace"));
        CHECK_EQ(content_count(content), 0);
        CHECK(content_hash(content).len);
    }
}

static void pack(struct str text, struct buf *out)
{
    OWNED(gzip_writer) writer = gzip_writer_new(6);
    gzip_write(writer, text, out);
    gzip_write_end(writer, out);
}

/* {"kind": …, "data": {"b": plain}, "binaryData": {"a": packed}}; a Secret has both in data. */
static struct content *read_packed(bool secret, struct str packed, const char *plain)
{
    SCOPED(buf) encoded = {0};
    SCOPED(buf) text = {0};
    OWNED(object) object = NULL;
    base64_encode(&encoded, packed);
    buf_print(&text, "{\"kind\":\"%s\",\"type\":\"" CONTENT_SECRET_TYPE "\",\"data\":{%s%s",
              secret ? "Secret" : "ConfigMap", plain, secret && plain[0] ? "," : "");
    buf_print(&text, secret ? "\"a\":\"%s\"}}" : "},\"binaryData\":{\"a\":\"%s\"}}",
              buf_c(&encoded));
    CHECK_OK(object_read(buf_str(&text), &object));
    return content_read(object);
}

TEST(content_that_is_gzip_is_unpacked)
{
    static const struct {
        const char *name, *plain, *names;
        bool secret;
    } cases[] = {
        {"a ConfigMap",                 "",                       "Namespace ns1, A a",     false},
        {"a ConfigMap with other data", "\"b\":\"kind: B\"",      "Namespace ns1, A a, B ", false},
        {"a Secret",                    "",                       "Namespace ns1, A a",     true },
        {"a Secret with other data",    "\"b\":\"a2luZDogQgo=\"", "Namespace ns1, A a, B ", true },
    };
    SCOPED(buf) packed = {0};
    pack(STR("kind: A\nmetadata: {name: a}\n"), &packed);
    pack(STR("---\nkind: Namespace\nmetadata: {name: ns1}\n"), &packed); /* a second member */
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(buf) names = {0};
        OWNED(content) content = read_packed(cases[i].secret, buf_str(&packed), cases[i].plain);
        CHECK_EQ(message_of(content), STR(""));
        CHECK_EQ(list_names(content, &names), str_from_c(cases[i].names));
        CHECK_EQ(content_key(content, 0), STR("a"));
    }
}

/* As Cluster API sees it: bytes that are no gzip count neither as data nor for the hash. */
TEST(content_other_binary_data_is_nothing)
{
    OWNED(content) with = read_packed(false, STR("\x89PNG"), "\"b\":\"kind: B\"");
    OWNED(content) without = read_one(STR("kind: B"));
    OWNED(content) alone = read_packed(false, STR("\x89PNG"), "");
    CHECK_EQ(content_hash(with), content_hash(without));
    CHECK_EQ(content_count(with), 1);
    CHECK_EQ(content_error_class(alone), STR("no-data"));
}

TEST(content_gzip_that_is_bad_or_too_large_is_told)
{
    SCOPED(buf) packed = {0};
    SCOPED(buf) bomb = {0};
    SCOPED(buf) large = {.limit = 64 * MEGABYTE};
    pack(STR("kind: A\nmetadata: {name: a}\n"), &packed);
    OWNED(content) cut = read_packed(true, str_slice(buf_str(&packed), 0, packed.len - 9), "");
    CHECK_CONTAINS(message_of(cut), STR("failed to unpack gzip: truncated"));
    CHECK_EQ(content_error_class(cut), STR("gzip"));
    CHECK(content_hash(cut).len);
    for (unsigned i = 1; large.len <= 16 * MEGABYTE; i = i * 1103515245U + 12345)
        buf_print(&large, "# %u\n", i);
    pack(buf_str(&large), &bomb);
    OWNED(content) too_large = read_packed(false, buf_str(&bomb), "\"b\":\"kind: B\"");
    CHECK_EQ(message_of(too_large), STR("failed to unpack gzip: gzip content is larger than "
                                        "16777216 bytes (key \"a\")"));
    buf_clear(&bomb);
    for (size_t i = 0; i < 2; i++) /* two members of which each alone would do */
        pack(str_slice(buf_str(&large), 0, 9 * MEGABYTE), &bomb);
    OWNED(content) together = read_packed(false, buf_str(&bomb), "");
    CHECK_CONTAINS(message_of(together), STR("larger than"));
}

TEST(content_tells_where_objects_come_from)
{
    static const struct str pairs[] = {
        STR_INIT("b.yaml"),
        STR_INIT("kind: A\n---\n# no\n---\nkind: Namespace\n"),
        STR_INIT("a.yaml"),
        STR_INIT("kind: B\n"),
    };
    OWNED(content) content = read_pairs(false, pairs, 2);
    CHECK_EQ(content_count(content), 3);
    CHECK_EQ(content_key(content, 0), STR("a.yaml"));
    CHECK_EQ(content_key(content, 1), STR("b.yaml"));
    CHECK_EQ(object_kind(content_object(content, 1)), STR("Namespace"));
    CHECK_EQ(content_document(content, 0), 1);
    CHECK_EQ(content_document(content, 1), 2);
    CHECK_EQ(content_document(content, 2), 1);
}

TEST(content_decodes_what_can_be_decoded)
{
    OWNED(object) object = NULL;
    CHECK_OK(object_read(STR("{\"kind\": \"Secret\", \"type\": \"" CONTENT_SECRET_TYPE "\","
                             " \"data\": {\"a\": \"a2luZDogQQo=!!\", \"b\": null}}"),
                         &object));
    OWNED(content) content = content_read(object);
    CHECK_EQ(message_of(content), STR(""));
    CHECK_EQ(content_count(content), 1);
    CHECK_EQ(object_kind(content_object(content, 0)), STR("A"));
}

TEST(content_without_use)
{
    static const struct {
        const char *name, *json, *class, *message;
        bool wrong_type;
    } cases[] = {
        {"no data",                   "{\"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"n\"}}", "no-data",
         "failed to get data field from resource /n",                                false},
        {"data that is none",         "{\"kind\": \"ConfigMap\", \"data\": [1]}",                   "no-data",
         "failed to get data field from resource /",                                 false},
        {"a number",                  "{\"kind\": \"ConfigMap\", \"data\": {\"a\": 1}}",            "no-data",
         "failed to get data field from resource /",                                 false},
        {"wrong type before no data", "{\"kind\": \"Secret\", \"type\": \"Opaque\"}",               "secret-type",
         "unsupported secret type, it must be addons.cluster.x-k8s.io/resource-set", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(object) object = NULL;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(object_read(str_from_c(cases[i].json), &object));
        OWNED(content) content = content_read(object);
        CHECK_EQ(content_error_class(content), str_from_c(cases[i].class));
        CHECK_EQ(message_of(content), str_from_c(cases[i].message));
        CHECK_EQ(str_from_c(content_error_whole(content)->message), str_from_c(cases[i].message));
        CHECK_EQ(content_has_wrong_type(content), cases[i].wrong_type);
        CHECK_EQ(content_hash(content), STR(""));
        CHECK_EQ(content_count(content), 0);
    }
}

#define FAILED "failed converting data to unstructured objects: "
#define SECOND FAILED "failed to unmarshal the 2nd yaml document: "

TEST(content_errors_name_key_line_and_column)
{
    static const struct {
        const char *name, *good, *bad, *message;
    } cases[] = {
        {"the only value, first document",  NULL,   "a: [\n",
         FAILED "failed to unmarshal the 1st yaml document: \"a: [\\n\": error converting YAML to "
                "JSON: yaml: line 2, column 1: did not find expected node content"                },
        {"the only value, second document", NULL,   "a: b\n---\nc: [\n",
         SECOND "\"c: [\\n\": error converting YAML to JSON: yaml: line 2, column 1: did not find "
                "expected node content (line 4, column 1)"                                        },
        {"one of two",                      "a: b", "a: b\n---\n- c\n",
         SECOND "\"- c\\n\": the document is a sequence, not a mapping (key \"bad\")"             },
        {"a separator",                     "a: b", "a: b\n---x\n",
         FAILED "failed to read yaml: invalid Yaml document separator: x (key \"bad\", line 2, "
                "column 1)"                                                                       },
        {"a JSON list",                     "a: b", "[{},\n 1]",
         FAILED "failed to read json list: line 2, column 2: expected a JSON object (key \"bad\")"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct str pairs[] = {STR("bad"), str_from_c(cases[i].bad), STR("a"),
                                    str_from_c(cases[i].good)};
        TEST_CASE("%s", cases[i].name);
        OWNED(content) content = read_pairs(false, pairs, cases[i].good ? 2 : 1);
        CHECK_EQ(message_of(content), str_from_c(cases[i].message));
        CHECK_EQ(str_from_c(content_error_whole(content)->message), str_from_c(cases[i].message));
    }
}

/* Whatever is wrong with it, "hunter2" is not told. */
TEST(content_errors_do_not_show_secrets)
{
    static const struct {
        const char *text, *class, *message;
    } cases[] = {
        {"a: b\n---\nhunter2: [\n", "syntax",
         SECOND "error converting YAML to JSON: yaml: line 2, column 1: did not find expected node "
                "content (line 4, column 1)"                                             },
        {"hunter2",                 "not-a-mapping",
         FAILED "failed to unmarshal the 1st yaml document: the document is a scalar, not a "
                "mapping"                                                                },
        {"a: *hunter2\n",           "anchor",
         FAILED "failed to unmarshal the 1st yaml document: an anchor that is unknown or inside of "
                "itself (line 1, column 4)"                                              },
        {"a: !!int hunter2\n",      "tag",
         FAILED
         "failed to unmarshal the 1st yaml document: a tag or a merge does not fit its value "
         "(line 1, column 4)"                                                            },
        {"? [hunter2]\n: x\n",      "map-key",
         FAILED "failed to unmarshal the 1st yaml document: a key that has no text form (line 1, "
                "column 3)"                                                              },
        {"hunter2: .inf\n",         "no-json-form",
         FAILED "failed to unmarshal the 1st yaml document: a number that is infinite or none at "
                "all (line 1, column 10)"                                                },
        {"a: b\n---hunter2\n",      "separator",
         FAILED "failed to read yaml: invalid Yaml document separator (line 2, column 1)"},
        {"[hunter2]",               "json-list",
         FAILED "failed to read json list: line 1, column 2: expected a JSON object"     },
        {"a: b\n...\nhunter2\n",    "trailing-content",
         FAILED "failed to unmarshal the 1st yaml document: error converting YAML to JSON: yaml: "
                "line 3, column 1: content after the end of the document"                },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].class);
        const struct str pairs[] = {STR("a"), str_from_c(cases[i].text)};
        OWNED(content) content = read_pairs(true, pairs, 1);
        CHECK_EQ(content_error_class(content), str_from_c(cases[i].class));
        CHECK_EQ(message_of(content), str_from_c(cases[i].message));
    }
}

TEST(content_errors_are_bounded)
{
    SCOPED(buf) text = {0};
    for (int i = 0; i < 20000; i++)
        buf_add(&text, STR("a\xc3\xa9: \"\\t\"\n"));
    buf_add(&text, STR("b: [\n"));
    OWNED(content) content = read_one(buf_str(&text));
    CHECK(message_of(content).len < 1400);
    CHECK(str_is_utf8(message_of(content)));
    CHECK_CONTAINS(message_of(content),
                   STR("…\": error converting YAML to JSON: yaml: line 20002"));
    CHECK(str_from_c(content_error_whole(content)->message).len > 20000);
}

TEST(content_expands_lists)
{
    static const struct {
        const char *name, *text, *names;
    } cases[] = {
        {"a list of v1",
         "{apiVersion: v1, kind: List, items: [{kind: Pod, metadata: {name: p}},"
         " {kind: Namespace, metadata: {name: ns}}]}",                                          "Namespace ns, Pod p"              },
        {"sorted with what is around it",
         "{kind: Pod, metadata: {name: a}}\n---\n"
         "{apiVersion: v1, kind: List, items: [{kind: Namespace, metadata: {name: ns}},"
         " {kind: Pod, metadata: {name: b}}]}\n---\n{kind: Pod, metadata: {name: c}}",          "Namespace ns, Pod a, Pod b, Pod c"},
        {"a typed list tells the kind",
         "{apiVersion: v1, kind: ConfigMapList, items: [{metadata: {name: a}}]}",               "ConfigMap a"                      },
        {"lists in lists",
         "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items:"
         " [{kind: A, metadata: {name: a}}]}, {kind: B, metadata: {name: b}}]}",                "A a, B b"                         },
        {"nothing in it",                 "{apiVersion: v1, kind: List, items: []}",            ""                                 },
        {"an item that is no object",     "{apiVersion: v1, kind: List, items: [1]}",           "List "                            },
        {"no items",                      "{apiVersion: v1, kind: List}",                       "List "                            },
        {"of another group",              "{apiVersion: a/v1, kind: List, items: [{kind: A}]}", "List "                            },
        {"a resource with such a name",
         "{apiVersion: a/v1, kind: AllowList, metadata: {name: x}, items: [{ip: a}]}",          "AllowList x"                      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) names = {0};
        TEST_CASE("%s", cases[i].name);
        OWNED(content) content = read_one(str_from_c(cases[i].text));
        CHECK_EQ(message_of(content), STR(""));
        CHECK_EQ(list_names(content, &names), str_from_c(cases[i].names));
    }
}

TEST(content_items_of_typed_lists_say_what_they_are)
{
    SCOPED(buf) text = {0};
    OWNED(content)
    content =
        read_one(STR("{apiVersion: a.b/v2, kind: ThingList, items: [{metadata: {name: a}}]}"));
    json_write(&text, object_root(content_object(content, 0)));
    CHECK_EQ(buf_str(&text),
             STR("{\"metadata\":{\"name\":\"a\"},\"apiVersion\":\"a.b/v2\",\"kind\":\"Thing\"}"));
}

TEST(content_expands_lists_so_deep_only)
{
    SCOPED(buf) text = {0};
    SCOPED(buf) names = {0};
    for (int i = 0; i < 2000; i++)
        buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["));
    for (int i = 0; i < 2000; i++)
        buf_add(&text, STR("]}"));
    OWNED(content) content = read_one(buf_str(&text));
    CHECK_EQ(list_names(content, &names), STR("List "));
}

static void repeat(struct buf *out, const char *text, size_t size)
{
    while (out->len < size)
        buf_add(out, str_from_c(text));
}

static size_t object_bytes(const struct content *content)
{
    size_t bytes = 0;
    for (size_t i = 0; i < content_count(content); i++)
        bytes += json_size(object_root(content_object(content, i)));
    return bytes;
}

/* What fits into a ConfigMap or Secret, with the worst in it. */
TEST(content_of_hostile_resources_is_bounded)
{
    static const struct {
        const char *name, *front, *repeated, *class;
        size_t size;
    } cases[] = {
        {"documents",          "",                                                       "a: b\n---\n", "",          40000  },
        {"too many documents", "",                                                       "{}\n---\n",   "too-large", 800000 },
        {"separators",         "",                                                       "---\n",       "",          1500000},
        {"items of a list",    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}", ",{}",
         "syntax",                                                                                                   1500000},
        {"brackets",           "a: ",                                                    "[",           "depth",     1500000},
        {"braces",             "",                                                       "{a: ",        "depth",     1500000},
        {"dashes",             "a:\n",                                                   "- ",          "depth",     1500000},
        {"spaces",             "",                                                       " ",           "",          1500000},
        {"aliases",
         "a: &a [x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\n"
         "c: &c [*b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c]\n"
         "e: &e [*d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e]\n"
         "g: &g [*f, *f, *f, *f, *f, *f, *f]\n",                                         "# x\n",       "aliasing",  10000  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        TEST_CASE("%s", cases[i].name);
        buf_add(&text, str_from_c(cases[i].front));
        repeat(&text, cases[i].repeated, cases[i].size);
        OWNED(content) content = read_one(buf_str(&text));
        CHECK_EQ(content_error_class(content), str_from_c(cases[i].class));
        CHECK(object_bytes(content) < 64 * MEGABYTE);
    }
}

TEST(content_of_a_list_with_too_many_items)
{
    SCOPED(buf) text = {0};
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}"));
    repeat(&text, ",{}", (size_t)3 * CONTENT_OBJECTS_MAX + 100);
    buf_add(&text, STR("]}"));
    OWNED(content) content = read_one(buf_str(&text));
    CHECK_EQ(content_error_class(content), STR("too-large"));
    CHECK_EQ(message_of(content), STR(FAILED "more than 10000 objects"));
    CHECK_EQ(content_count(content), 0);
}

/* What comes around the text of an object is many times the text. */
TEST(content_counts_what_small_objects_take)
{
    SCOPED(content_items) items = {0};
    for (size_t i = 0; i < 100; i++) {
        struct content_item item = {0};
        CHECK_OK(object_read(STR("{}"), &item.object));
        content_items_add(&items, item);
    }
    CHECK(items.bytes >= 100 * CONTENT_OBJECT_BYTES);
    const struct content_items_limits few = {100, 99 * CONTENT_OBJECT_BYTES};
    OWNED(error) err = content_items_check(&items, &few);
    CHECK(error_is(err, ERROR_TOO_LARGE));
}

/* The version of a typed list is copied into each item. */
TEST(content_of_a_list_whose_version_is_long)
{
    SCOPED(buf) text = {0};
    buf_add(&text, STR("{\"apiVersion\":\""));
    repeat(&text, "x", 50000);
    buf_add(&text, STR("\",\"kind\":\"AList\",\"items\":[{}"));
    repeat(&text, ",{}", text.len + (size_t)3 * (CONTENT_OBJECTS_MAX - 1));
    buf_add(&text, STR("]}"));
    OWNED(content) content = read_one(buf_str(&text));
    CHECK_EQ(content_error_class(content), STR("too-large"));
    CHECK_EQ(message_of(content), STR(FAILED "the objects take more than 50331648 bytes"));
    CHECK_EQ(content_count(content), 0);
}

static size_t size_of(bool secret, struct str text)
{
    OWNED(object) object = make_resource(secret, (const struct str[]){STR("a"), text}, 1);
    return content_size(object);
}

/* A size from COMPUTE_FROM (64 KiB) on keeps reading away from the loop. */
TEST(content_size_counts_what_may_grow_as_large)
{
    const size_t large = 64 * KILOBYTE;
    SCOPED(buf) text = {0};
    SCOPED(buf) packed = {0};
    repeat(&text, "- a: b\n", large);
    pack(buf_str(&text), &packed);
    CHECK(packed.len < KILOBYTE);
    CHECK(size_of(true, buf_str(&packed)) >= large);
    CHECK(size_of(true, buf_str(&text)) >= large);
    CHECK(size_of(false, buf_str(&text)) >= large);
    for (int secret = 0; secret < 2; secret++) {
        CHECK(size_of(secret, STR("a: &a [b]\nc: *a\n")) >= large);
        CHECK(size_of(secret, STR("verbs: [\"*\"]\n")) < KILOBYTE);
        CHECK(size_of(secret, STR("kind: A\n")) < KILOBYTE);
    }
}

static struct str digest_of(const char *json, char *text)
{
    OWNED(object) object = NULL;
    uint8_t digest[SHA256_LEN];
    CHECK_OK(object_read(str_from_c(json), &object));
    content_digest(object, digest);
    return sha256_hex(digest, text);
}

TEST(content_digest_tells_what_else_would_be_read)
{
#define MAP(metadata, rest) \
    "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"" metadata "}," rest "}"
    static const char base[] = MAP("", "\"data\":{\"a\":\"xy\",\"b\":\"z\"}");
    static const struct {
        const char *json;
        bool is_equal;
    } cases[] = {
        {MAP("",                                                      "\"data\":{\"b\":\"z\",\"a\":\"xy\"}"),                          true},
        {MAP(",\"labels\":{\"l\":\"v\"}",                                                           "\"data\":{\"a\":\"xy\",\"b\":\"z\"}"),                                                                                            true},
        {MAP("",                                                       "\"data\":{\"a\":\"x\",\"b\":\"yz\"}"),                           false},
        {MAP("","\"data\":{\"a\":\"xy\",\"c\":\"z\"}"),false},
        {MAP("",                                                      "\"data\":{\"a\":\"xy\"}"),                                                                                                                 false},
        {MAP("",                                                           "\"data\":{\"a\":\"xy\"},\"binaryData\":{\"b\":\"H4sI\"}"),                                                                                                                     false},
        {MAP("",                                                      "\"data\":{\"a\":\"xy\",\"b\":\"z\"},\"type\":\"t\""),     false},
        {MAP(",\"annotations\":{\"" CONTENT_DEFAULT_NAMESPACE "\":\"\"}",
         "\"data\":{\"a\":\"xy\",\"b\":\"z\"}"),
         false},
        {MAP("",                                                      "\"data\":{\"a\":\"xy\",\"b\":1}"),           false},
        {"{\"kind\":\"Secret\",\"data\":{\"a\":\"xy\",\"b\":\"z\"}}",                                                           false                                                           },
    };
    char expected[SHA256_HEX_LEN + 1], found[SHA256_HEX_LEN + 1];
    const struct str same = digest_of(base, expected);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].json);
        CHECK_EQ(str_eq(digest_of(cases[i].json, found), same), cases[i].is_equal);
    }
#undef MAP
}

/* Each value is small, their expansions are not: all of them together are bounded. */
TEST(content_limits_hold_for_all_values_together)
{
    enum { VALUES = 40 };
    SCOPED(buf) text = {0};
    struct str pairs[2 * VALUES];
    char keys[VALUES][8];
    buf_add(&text, STR("a: &a "));
    repeat(&text, "xxxxxxxx", 20000);
    buf_add(&text, STR("\nb: [x"));
    for (int i = 0; i < 100; i++)
        buf_add(&text, STR(", *a"));
    buf_add(&text, STR("]\n"));
    for (size_t i = 0; i < VALUES; i++) {
        snprintf(keys[i], sizeof(keys[i]), "k%02zu", i);
        pairs[2 * i] = str_from_c(keys[i]);
        pairs[2 * i + 1] = buf_str(&text);
    }
    OWNED(content) content = read_pairs(false, pairs, VALUES);
    CHECK_EQ(content_error_class(content), STR("aliasing"));
    CHECK_CONTAINS(message_of(content), STR("(key \"k"));
}

/* tests/support/data/manifests/README.md has the same table. */
TEST(content_of_manifests_as_people_apply_them)
{
    static const struct {
        const char *file;
        size_t count;
        const char *first, *last;
    } cases[] = {
        {"manifests/cni.yaml",            18, "Namespace",      "PodDisruptionBudget"           },
        {"manifests/csi.yaml",            13, "Namespace",      "DaemonSet"                     },
        {"manifests/metrics-server.yaml", 9,  "ServiceAccount", "APIService"                    },
        {"manifests/certificates.yaml",   19, "Namespace",      "ValidatingWebhookConfiguration"},
        {"manifests/list.yaml",           6,  "Namespace",      "NetworkPolicy"                 },
        {"manifests/array.json",          7,  "Namespace",      "Service"                       },
        {"manifests/secret-binary.yaml",  6,  "Namespace",      "Pod"                           },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].file);
        OWNED(content) content = read_one(test_data(cases[i].file));
        CHECK_EQ(message_of(content), STR(""));
        CHECK_EQ(content_count(content), cases[i].count);
        CHECK_EQ(object_kind(content_object(content, 0)), str_from_c(cases[i].first));
        CHECK_EQ(object_kind(content_object(content, cases[i].count - 1)),
                 str_from_c(cases[i].last));
    }
}
