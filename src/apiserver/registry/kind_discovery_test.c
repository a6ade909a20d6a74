#include "apiserver/registry/kind_discovery.h"

#include "apiserver/types/protobuf_wire.h"
#include "base/arena.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

static const struct kind_subresource custom_parts[] = {
    {.name = "status",                             .verbs = KIND_GET | KIND_PATCH | KIND_UPDATE},
    { .name = "scale",
     .verbs = KIND_GET | KIND_PATCH | KIND_UPDATE,
     .gvk = {STR_INIT("autoscaling"), STR_INIT("v1"), STR_INIT("Scale")}},
};
static const struct str short_names[] = {STR_INIT("gd")};
static const struct str categories[] = {STR_INIT("all")};

/* As the recorded CRDs make them. */
static const struct kind custom[] = {
    {.gvk = {STR_INIT("crd.run.example.com"), STR_INIT("v1"), STR_INIT("Gadget")},
     .plural = STR_INIT("gadgets"),
     .singular = STR_INIT("gadget"),
     .namespaced = true,
     .short_names = {short_names, 1},
     .categories = {categories, 1},
     .verbs = KIND_ALL,
     .is_custom = true,
     .subresources = custom_parts,
     .subresource_count = COUNT(custom_parts)},
    {.gvk = {STR_INIT("ver.run.example.com"), STR_INIT("v1"), STR_INIT("Multi")},
     .plural = STR_INIT("multis"),
     .verbs = KIND_ALL,
     .is_custom = true},
    {.gvk = {STR_INIT("ver.run.example.com"), STR_INIT("v1beta1"), STR_INIT("Multi")},
     .plural = STR_INIT("multis"),
     .verbs = KIND_ALL,
     .is_custom = true           },
};

static struct kind_list all_kinds(struct arena *arena)
{
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    const struct kind **items = arena_alloc_array(arena, count + COUNT(custom), sizeof(*items));
    for (size_t i = 0; i < count; i++)
        items[i] = &kinds[i];
    for (size_t i = 0; i < COUNT(custom); i++)
        items[count + i] = &custom[i];
    return (struct kind_list){items, count + COUNT(custom)};
}

static void call(struct buf *out, struct kind_list kinds, const struct json_value *row)
{
    const struct str name = json_path_str(row, "call"), group = json_path_str(row, "group"),
                     version = json_path_str(row, "version");
    if (str_eq(name, STR("versions")))
        kind_discovery_versions(out, STR("server.example.com:6443"));
    else if (str_eq(name, STR("groups")))
        kind_discovery_groups(out, kinds);
    else if (str_eq(name, STR("group")))
        CHECK(kind_discovery_group(out, kinds, group));
    else if (str_eq(name, STR("resources")))
        CHECK(kind_discovery_resources(out, kinds, group, version));
    else if (str_eq(name, STR("core")) || str_eq(name, STR("all")))
        kind_discovery_aggregated(out, kinds, str_eq(name, STR("core")));
    else if (str_eq(name, STR("v3")))
        CHECK(kind_openapi_v3(out, kinds, group, version));
    else
        kind_openapi_v2(out, kinds);
}

/* A member, an element, or "[key=value]": the element whose member at a path is that. */
static const struct json_value *step(struct arena *arena, const struct json_value *value,
                                     struct str token)
{
    const struct json_value *element;
    size_t index;
    if (json_type(value) == JSON_ARRAY && json_path_index(token, &index))
        return json_at(value, index);
    if (!str_starts_with(token, STR("[")))
        return json_get(value, token);
    struct str wanted = str_slice(token, 1, token.len - 1), key;
    str_cut(&wanted, '=', &key);
    char *path = arena_alloc(arena, key.len + 1);
    memcpy(path, key.ptr, key.len);
    path[key.len] = '\0';
    JSON_FOREACH (name, element, value)
        if (str_eq(json_path_str(element, path), wanted))
            return element;
    return NULL;
}

static void check_expected(struct arena *arena, const struct json_value *seen,
                           const struct json_value *expected)
{
    const struct json_value *token;
    SCOPED(buf) left = {0};
    SCOPED(buf) right = {0};
    JSON_FOREACH (key, token, json_path(expected, "at"))
        seen = step(arena, seen, json_to_str(token));
    CHECK(seen != NULL);
    json_write_canonical(&left, seen);
    json_write_canonical(&right, json_path(expected, "value"));
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

/* What a real API server answered, as far as it was recorded. */
TEST(discovery_is_that_of_kubernetes)
{
    SCOPED(arena) arena = {0};
    const struct kind_list kinds = all_kinds(&arena);
    struct str rest = test_data("kinds/discovery.jsonl"), line;
    while (str_cut(&rest, '\n', &line) || !str_is_empty(line)) {
        OWNED(json_doc) row = NULL;
        OWNED(json_doc) doc = NULL;
        SCOPED(buf) out = {0};
        const struct json_value *expected;
        CHECK_OK(json_read(line, &row));
        TEST_CASE("%.*s", STR_ARG(json_path_str(json_doc_root(row), "id")));
        call(&out, kinds, json_doc_root(row));
        CHECK_OK(json_read(buf_str(&out), &doc));
        JSON_FOREACH (key, expected, json_path(json_doc_root(row), "expected"))
            check_expected(&arena, json_doc_root(doc), expected);
    }
}

TEST(discovery_of_what_is_not_there)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) out = {0};
    const struct kind_list kinds = all_kinds(&arena);
    CHECK(!kind_discovery_group(&out, kinds, STR("nosuch.example.com")));
    CHECK(!kind_discovery_group(&out, kinds, STR("")));
    CHECK(!kind_discovery_resources(&out, kinds, STR("apps"), STR("v9")));
    CHECK(!kind_discovery_resources(&out, kinds, STR(""), STR("v9")));
    CHECK(!kind_openapi_v3(&out, kinds, STR("nosuch.example.com"), STR("v1")));
    CHECK_EQ(out.len, (size_t)0);
}

TEST(discovery_of_no_kinds)
{
    SCOPED(buf) out = {0};
    kind_discovery_groups(&out, (struct kind_list){NULL, 0});
    CHECK_EQ(buf_str(&out), STR("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}"));
}

TEST(openapi_index_names_every_version)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) out = {0};
    OWNED(json_doc) doc = NULL;
    const struct kind_list kinds = all_kinds(&arena);
    kind_openapi_v3_index(&out, kinds, STR(""));
    CHECK_OK(json_read(buf_str(&out), &doc));
    const struct json_value *paths = json_get(json_doc_root(doc), STR("paths"));
    const struct str core = json_path_str(json_get(paths, STR("api/v1")), "serverRelativeURL");
    const struct str beta = json_path_str(json_get(paths, STR("apis/ver.run.example.com/v1beta1")),
                                          "serverRelativeURL");
    CHECK(str_starts_with(core, STR("/openapi/v3/api/v1?hash=")));
    CHECK(str_starts_with(beta, STR("/openapi/v3/apis/ver.run.example.com/v1beta1?hash=")));
    buf_clear(&out);
    kind_openapi_v3_index(&out, kinds, STR("/clusters/a"));
    CHECK_CONTAINS(buf_str(&out), STR("\"/clusters/a/openapi/v3/api/v1?hash="));
}

TEST(openapi_hash_changes_with_the_content)
{
    const struct kind *one[] = {&custom[0]}, *other[] = {&custom[0], &custom[0]};
    struct kind more = custom[0];
    SCOPED(buf) before = {0};
    SCOPED(buf) same = {0};
    SCOPED(buf) after = {0};
    more.plural = STR("widgets");
    other[1] = &more;
    kind_openapi_v3_index(&before, (struct kind_list){one, 1}, STR(""));
    kind_openapi_v3_index(&same, (struct kind_list){one, 1}, STR(""));
    kind_openapi_v3_index(&after, (struct kind_list){other, 2}, STR(""));
    CHECK_EQ(buf_str(&before), buf_str(&same));
    CHECK(!str_eq(buf_str(&before), buf_str(&after)));
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
    const struct kind_list kinds = all_kinds(&arena);
    struct wire_field path;
    size_t found = 0;
    kind_openapi_v2_protobuf(&out, kinds);
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
    CHECK(found > 50);
    CHECK(wire_next(&paths, &path) == WIRE_END);
}
