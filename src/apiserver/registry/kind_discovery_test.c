#include "apiserver/registry/kind_discovery.h"

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
    else
        kind_discovery_aggregated(out, kinds, str_eq(name, STR("core")));
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
    CHECK_EQ(out.len, (size_t)0);
}

TEST(discovery_of_no_kinds)
{
    SCOPED(buf) out = {0};
    kind_discovery_groups(&out, (struct kind_list){NULL, 0});
    CHECK_EQ(buf_str(&out), STR("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}"));
}
