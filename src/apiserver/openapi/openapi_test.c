#include "apiserver/openapi/openapi.h"

#include "apiserver/types/protobuf_wire.h"
#include "base/arena.h"
#include "json/compare.h"
#include "json/json_pointer_test.h"
#include "json/path.h"
#include "testing/test.h"

static struct kind_list builtin_kinds(struct arena *arena)
{
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    const struct kind **items = arena_alloc_array(arena, count, sizeof(*items));
    for (size_t i = 0; i < count; i++)
        items[i] = &kinds[i];
    return (struct kind_list){items, count};
}

static struct json_doc *write_document(const struct openapi_source *source)
{
    SCOPED(buf) text = {0};
    struct json_doc *doc = NULL;
    CHECK_OK(openapi_write(source, &text));
    CHECK_OK(json_read(buf_str(&text), &doc));
    return doc;
}

/* The document of the built-in kinds of a group and version, or of all in version 2. */
static struct json_doc *write_builtin(enum openapi_form form, struct str group, struct str version)
{
    SCOPED(arena) arena = {0};
    struct openapi_source source = {.form = form, .builtin = builtin_kinds(&arena)};
    struct kind_range range;
    if (form == OPENAPI_3) {
        CHECK(kind_range_find_version(source.builtin, group, version, &range));
        source.builtin.items += range.at;
        source.builtin.count = range.end - range.at;
    }
    return write_document(&source);
}

static bool has_element(const struct json_value *list, const struct json_value *wanted)
{
    const struct json_value *element;
    JSON_FOREACH (key, element, list)
        if (json_equal(element, wanted))
            return true;
    return false;
}

/* Equal but for descriptions and the order of lists. */
static void check_same(const struct json_value *seen, const struct json_value *expected)
{
    const struct json_value *value;
    if (json_type(expected) == JSON_OBJECT && json_type(seen) == JSON_OBJECT) {
        JSON_FOREACH (name, value, expected) {
            const struct json_value *found = json_get(seen, name);
            if (!found)
                test_fail(TEST_PLACE("member"), "%.*s is missing", STR_ARG(name));
            check_same(found, value);
        }
        JSON_FOREACH (name, value, seen)
            if (!json_get(expected, name) && !str_eq(name, STR("description")))
                test_fail(TEST_PLACE("member"), "%.*s is not expected", STR_ARG(name));
        return;
    }
    if (json_type(expected) == JSON_ARRAY && json_count(expected) == json_count(seen)) {
        JSON_FOREACH (key, value, expected)
            CHECK(has_element(seen, value));
        return;
    }
    SCOPED(buf) left = {0};
    SCOPED(buf) right = {0};
    json_write_canonical(&left, seen);
    json_write_canonical(&right, expected);
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

/* What a real API server published, without its descriptions and enums. */
TEST(schemas_of_builtin_types_are_those_of_kubernetes)
{
    struct str rest = test_data("kinds/openapi.jsonl"), line;
    OWNED(json_doc) document = NULL;
    SCOPED(buf) about = {0};
    while (str_cut(&rest, '\n', &line) || !str_is_empty(line)) {
        OWNED(json_doc) row_doc = NULL;
        SCOPED(buf) now = {0};
        int64_t form = 0;
        CHECK_OK(json_read(line, &row_doc));
        const struct json_value *row = json_doc_root(row_doc);
        const struct str group = json_path_str(row, "group"), at = json_path_str(row, "at");
        TEST_CASE("%.*s", STR_ARG(at));
        CHECK(json_to_int64(json_path(row, "form"), &form));
        buf_print(&now, "%d%.*s", (int)form, STR_ARG(group));
        if (!str_eq(buf_str(&now), buf_str(&about))) {
            json_doc_free(TAKE(document));
            document = write_builtin(form == 2 ? OPENAPI_2 : OPENAPI_3, group,
                                     json_path_str(row, "version"));
            buf_clear(&about);
            buf_add(&about, buf_str(&now));
        }
        check_same(json_pointer(json_doc_root(document), at), json_path(row, "value"));
    }
}

/* Every reference of a document leads to a schema. */
static void check_references(const struct json_value *value, const struct json_value *schemas)
{
    const struct json_value *child;
    const struct str ref =
        json_type(value) == JSON_OBJECT ? json_to_str(json_get(value, STR("$ref"))) : STR("");
    const size_t slash = str_find_last_char(ref, '/');
    if (ref.len && (slash == STR_NONE || !json_get(schemas, str_skip(ref, slash + 1))))
        test_fail(TEST_PLACE("$ref"), "%.*s leads nowhere", STR_ARG(ref));
    if (json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY)
        JSON_FOREACH (key, child, value)
            check_references(child, schemas);
}

TEST(every_reference_leads_to_a_schema)
{
    SCOPED(arena) arena = {0};
    const struct kind_list kinds = builtin_kinds(&arena);
    struct kind_range range;
    OWNED(json_doc) all = write_builtin(OPENAPI_2, STR(""), STR(""));
    check_references(json_doc_root(all), json_get(json_doc_root(all), STR("definitions")));
    for (size_t i = 0; i < kinds.count; i = range.end) {
        const struct gvk gvk = kinds.items[i]->gvk;
        TEST_CASE("%.*s/%.*s", STR_ARG(gvk.group), STR_ARG(gvk.version));
        range = kind_range_of_version(kinds, i);
        OWNED(json_doc) one = write_builtin(OPENAPI_3, gvk.group, gvk.version);
        check_references(json_doc_root(one), json_path(json_doc_root(one), "components.schemas"));
    }
}

#define META2 "{\"$ref\":\"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta\"}"
#define META3                                       \
    "{\"allOf\":[{\"$ref\":\"#/components/schemas/" \
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta\"}]}"
#define TEXT    "{\"type\":\"string\"}"
#define OBJECT2 "\"apiVersion\":" TEXT ",\"kind\":" TEXT ",\"metadata\":" META2
#define OBJECT3 "\"apiVersion\":" TEXT ",\"kind\":" TEXT ",\"metadata\":" META3

/* The schema of a member x of an object, and what is published of it. */
TEST(schemas_of_custom_resources_are_those_of_kubernetes)
{
    const struct {
        const char *name, *schema, *v2, *v3;
    } cases[] = {
        {"a text keeps what is said of it",
         "{\"type\":\"string\",\"pattern\":\"a+\",\"enum\":[\"a\",\"aa\"],\"default\":\"a\"}",                       "{\"type\":\"string\",\"pattern\":\"a+\",\"enum\":[\"a\",\"aa\"],\"default\":\"a\"}",
         "{\"type\":\"string\",\"pattern\":\"a+\",\"enum\":[\"a\",\"aa\"],\"default\":\"a\"}"},
        {"null has no type in version 2",                 "{\"type\":\"string\",\"nullable\":true}",                 "{}",
         "{\"type\":\"string\",\"nullable\":true}"                                           },
        {"what may be null is not required in version 2",
         "{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"properties\":{\"a\":" TEXT
         ",\"b\":{\"type\":\"string\",\"nullable\":true}}}",                                                         "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":" TEXT ",\"b\":{}}}",
         "{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"properties\":{\"a\":" TEXT
         ",\"b\":{\"type\":\"string\",\"nullable\":true}}}"                                  },
        {"two types are said in version 3",               "{\"x-kubernetes-int-or-string\":true}",
         "{\"x-kubernetes-int-or-string\":true}",                                                                                                                                                               "{\"x-kubernetes-int-or-string\":true,\"anyOf\":[{\"type\":\"integer\"},{\"type\":"
         "\"string\"}]}"                    },
        {"two types are said once",
         "{\"x-kubernetes-int-or-string\":true,\"anyOf\":[{\"type\":\"integer\"},{\"type\":"
         "\"string\"}]}",                                                                                            "{\"x-kubernetes-int-or-string\":true}",
         "{\"x-kubernetes-int-or-string\":true,\"anyOf\":[{\"type\":\"integer\"},{\"type\":"
         "\"string\"}]}"                                                                     },
        {"version 2 has no junctors",
         "{\"type\":\"integer\",\"not\":{\"enum\":[1]},\"oneOf\":[{\"minimum\":1}]}",                                "{\"type\":\"integer\"}",
         "{\"type\":\"integer\",\"not\":{\"enum\":[1]},\"oneOf\":[{\"minimum\":1}]}"         },
        {"unknown fields have no type in version 2",
         "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,\"properties\":{"
         "\"a\":" TEXT "}}",
         "{\"x-kubernetes-preserve-unknown-fields\":true}",                                                                                                                                                     "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,\"properties\":{"
         "\"a\":" TEXT "}}"       },
        {"a list of unknown fields",
         "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-"
         "fields\":true}}",                                                                                          "{\"type\":\"array\",\"items\":{\"x-kubernetes-preserve-unknown-fields\":true}}",
         "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-"
         "fields\":true}}"                                                                   },
        {"an embedded resource has metadata",
         "{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,\"properties\":{\"spec\":"
         "{\"type\":\"object\"}}}",                                                                                  "{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,\"required\":[\"kind\","
         "\"apiVersion\"],\"properties\":{\"spec\":{\"type\":\"object\"}," OBJECT2 "}}",
         "{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,\"required\":[\"kind\","
         "\"apiVersion\"],\"properties\":{\"spec\":{\"type\":\"object\"}," OBJECT3 "}}"      },
        {"an embedded resource with unknown fields",
         "{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,\"x-kubernetes-preserve-"
         "unknown-fields\":true}",                                                                                   "{\"x-kubernetes-embedded-resource\":true,\"x-kubernetes-preserve-unknown-fields\":true}",
         "{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,\"x-kubernetes-preserve-"
         "unknown-fields\":true,\"required\":[\"kind\",\"apiVersion\"],\"properties\":{" OBJECT3
         "}}"                                                                                },
        {"a map",                                         "{\"type\":\"object\",\"additionalProperties\":" TEXT "}",
         "{\"type\":\"object\",\"additionalProperties\":" TEXT "}",
         "{\"type\":\"object\",\"additionalProperties\":" TEXT "}"                           },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        for (int form = OPENAPI_2; form <= OPENAPI_3; form++) {
            SCOPED(buf) text = {0};
            OWNED(json_doc) expected = NULL;
            buf_print(&text,
                      "{\"spec\":{\"group\":\"run.example.com\",\"scope\":\"Namespaced\",\"names\":"
                      "{\"kind\":\"Thing\",\"plural\":\"things\",\"listKind\":\"ThingList\"},"
                      "\"versions\":[{\"name\":\"v1\",\"served\":true,\"schema\":{"
                      "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"x\":%s}}}}]}}",
                      cases[i].schema);
            struct openapi_definition definition = {.json = buf_str(&text)};
            const struct openapi_source source = {.form = (enum openapi_form)form,
                                                  .group = STR("run.example.com"),
                                                  .version = STR("v1"),
                                                  .items = &definition,
                                                  .count = 1};
            OWNED(json_doc) doc = write_document(&source);
            const struct json_value *schemas =
                json_path(json_doc_root(doc), form ? "components.schemas" : "definitions");
            CHECK_OK(json_read(str_from_c(form ? cases[i].v3 : cases[i].v2), &expected));
            check_same(
                json_path(json_get(schemas, STR("com.example.run.v1.Thing")), "properties.x"),
                json_doc_root(expected));
            check_references(json_doc_root(doc), schemas);
        }
    }
}

/* Schemas nest deeper than a small stack allows to recurse. */
TEST(deep_schemas_are_published)
{
    SCOPED(buf) text = {0};
    SCOPED(buf) out = {0};
    const size_t depth = 400;
    buf_add(&text, STR("{\"spec\":{\"group\":\"run.example.com\",\"names\":{\"kind\":\"Deep\","
                       "\"plural\":\"deeps\",\"listKind\":\"DeepList\"},\"versions\":[{\"name\":"
                       "\"v1\",\"served\":true,\"schema\":{\"openAPIV3Schema\":"));
    for (size_t i = 0; i < depth; i++)
        buf_add(&text, STR("{\"type\":\"object\",\"properties\":{\"a\":"));
    buf_add(&text, STR("{\"type\":\"boolean\"}"));
    for (size_t i = 0; i < depth; i++)
        buf_add(&text, STR("}}"));
    buf_add(&text, STR("}}]}}"));
    struct openapi_definition definition = {.json = buf_str(&text)};
    const struct openapi_source source = {.form = OPENAPI_3,
                                          .group = STR("run.example.com"),
                                          .version = STR("v1"),
                                          .items = &definition,
                                          .count = 1};
    CHECK_OK(openapi_write(&source, &out));
    CHECK_CONTAINS(buf_str(&out), STR("\"boolean\"}}}}}}}"));
}

/* Whether an operation has a parameter of this name in its query. */
static bool has_parameter(struct str operation, struct str name)
{
    struct wire_field field;
    while (wire_next(&operation, &field) == WIRE_FIELD) {
        const struct str query =
            wire_find_bytes(wire_find_bytes(wire_find_bytes(field.bytes, 1), 2), 3);
        if (field.number == 8 && str_eq(wire_find_bytes(query, 4), name))
            return true;
    }
    return false;
}

static bool has_extension(struct str operation, struct str name, struct str yaml)
{
    struct wire_field field;
    while (wire_next(&operation, &field) == WIRE_FIELD)
        if (field.number == 13 && str_eq(wire_find_bytes(field.bytes, 1), name) &&
            str_eq(wire_find_bytes(wire_find_bytes(field.bytes, 2), 2), yaml))
            return true;
    return false;
}

/* What kubectl 1.20 looks for before it asks for a dry run. */
TEST(openapi_v2_has_a_dry_run_of_every_kind)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) out = {0};
    const struct kind_list kinds = builtin_kinds(&arena);
    struct wire_field path;
    size_t found = 0;
    openapi_write_protobuf(kinds, &out);
    struct str paths = wire_find_bytes(buf_str(&out), 8);
    CHECK_EQ(wire_find_bytes(buf_str(&out), 1), STR("2.0"));
    for (size_t i = 0; i < kinds.count; i++) {
        SCOPED(buf) gvk = {0};
        if (!(kinds.items[i]->verbs & KIND_PATCH))
            continue;
        const struct gvk of = kinds.items[i]->gvk;
        buf_print(&gvk, "{\"group\":\"%.*s\",\"kind\":\"%.*s\",\"version\":\"%.*s\"}\n",
                  STR_ARG(of.group), STR_ARG(of.kind), STR_ARG(of.version));
        CHECK(wire_next(&paths, &path) == WIRE_FIELD);
        const struct str patch = wire_find_bytes(wire_find_bytes(path.bytes, 2), 8);
        CHECK(has_extension(patch, STR("x-kubernetes-group-version-kind"), buf_str(&gvk)));
        CHECK(has_parameter(patch, STR("dryRun")));
        CHECK(has_parameter(patch, STR("fieldValidation")));
        found++;
    }
    CHECK(found > 40);
    CHECK(wire_next(&paths, &path) == WIRE_END);
}
