/*
 * The rules of an aggregated ClusterRole, computed as pkg/controller/clusterroleaggregation does:
 * selector by selector, the selected roles by name, every rule once. role_aggregation.c keeps them
 * in the store; struct rbac resolves aggregation by itself.
 */
#include "apimachinery/selector.h"
#include "apiserver/auth/auth.h"
#include "base/array.h"
#include "base/map.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/path.h"

struct roles {
    const struct json_value **items;
    size_t count, capacity;
};

static int name_cmp(const void *a, const void *b)
{
    return str_cmp(json_path_str(*(const struct json_value *const *)a, "metadata.name"),
                   json_path_str(*(const struct json_value *const *)b, "metadata.name"));
}

/* All other roles, sorted by name. */
static struct roles collect_roles(struct arena *arena, struct str name, next_cluster_role_fn *next,
                                  void *data)
{
    struct roles roles = {.items = NULL};
    for (const struct json_value *role; (role = next(data));)
        if (!str_eq(json_path_str(role, "metadata.name"), name))
            ARENA_ARRAY_PUSH(arena, roles.items, roles.count, roles.capacity, role);
    if (roles.count)
        qsort(roles.items, roles.count, sizeof(roles.items[0]), name_cmp);
    return roles;
}

/* An object has at most so many bytes; see endpoints/body.h. */
#define RULES_MAX ((size_t)3 * MEGABYTE)

/* The rules that were found so far. */
struct found_rules {
    struct json_builder *builder;
    struct map seen; /* canonical texts, by which rules are compared */
    size_t size;     /* of these texts */
};

static void found_rules_done(struct found_rules *found)
{
    map_done(&found->seen);
}

static struct error *add_rules(struct found_rules *found, const struct json_value *role)
{
    const struct json_value *rule;
    SCOPED(buf) text = {.limit = 0};
    JSON_FOREACH (key, rule, json_get(role, STR("rules"))) {
        buf_clear(&text);
        json_write_canonical(&text, rule);
        if (map_has(&found->seen, buf_str(&text)))
            continue;
        map_put(&found->seen, buf_str(&text), NULL);
        found->size += text.len;
        if (found->size > RULES_MAX)
            return error_new(ERROR_TOO_LARGE,
                             "the rules of the roles that are selected have more than %zu bytes; "
                             "select fewer or smaller roles",
                             RULES_MAX);
        json_builder_value(found->builder, rule);
    }
    return NULL;
}

/* The roles that one selector selects. */
static struct error *add_selected(struct found_rules *found, const struct roles *roles,
                                  const struct selector *selector)
{
    for (size_t i = 0; i < roles->count; i++)
        if (selector_matches(selector, json_path(roles->items[i], "metadata.labels")))
            TRY(add_rules(found, roles->items[i]));
    return NULL;
}

struct error *aggregate_cluster_role(struct arena *arena, const struct json_value *role,
                                     next_cluster_role_fn *next, void *data,
                                     struct json_doc **ret_rules)
{
    const struct json_value *value,
        *selectors = json_path(role, "aggregationRule.clusterRoleSelectors");
    SCOPED(json_builder) builder = {.limit = 0};
    SCOPED(found_rules) found = {.builder = &builder};
    *ret_rules = NULL;
    if (json_type(json_get(role, STR("aggregationRule"))) != JSON_OBJECT)
        return NULL;
    const struct roles roles =
        collect_roles(arena, json_path_str(role, "metadata.name"), next, data);
    json_builder_array(&builder);
    JSON_FOREACH (key, value, selectors) {
        struct selector selector;
        TRY(selector_from_value(arena, value, &selector), "read aggregationRule");
        TRY(add_selected(&found, &roles, &selector));
    }
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_rules);
}
