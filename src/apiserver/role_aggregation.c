/*
 * One update goes over all ClusterRoles and writes those whose rules are not what they aggregate.
 *
 * A role that was written may itself be selected by another one (view, edit and admin are such a
 * chain), so passes are repeated until one of them writes nothing. Roles that select each other
 * would be free to exchange the order of their rules for ever: PASSES_MAX ends that.
 *
 * Writing suspends, and other fibers change roles meanwhile. Each role is therefore computed from
 * a scan of its own, right before it is written. Two updates at a time do no harm: the one that
 * ends last has seen everything that is durable.
 */
#include "apiserver/role_aggregation.h"

#include "apiserver/api.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/field_ownership.h"
#include "async/loop.h"
#include "base/array.h"
#include "base/log.h"
#include "json/compare.h"
#include "json/path.h"

#define MANAGER    STR("clusterrole-aggregation-controller")
#define PASSES_MAX 16

/* The ClusterRoles of an API at one moment, in the arena. */
struct cluster_roles {
    struct api *api;
    struct arena *arena;
    const struct json_value **items;
    size_t count, capacity;
    size_t next; /* position of next_role() */
};

static const struct kind *cluster_role_kind(void)
{
    return kinds_find(GVR("rbac.authorization.k8s.io", "v1", "clusterroles"));
}

static bool is_aggregated(const struct json_value *role)
{
    return json_type(json_get(role, STR("aggregationRule"))) == JSON_OBJECT;
}

static void add_role(struct cluster_roles *roles, struct str text)
{
    struct json_doc *doc = NULL;
    OWNED(error) unreadable = json_read(text, &doc);
    if (unreadable)
        return;
    json_doc_hold(roles->arena, doc);
    ARENA_ARRAY_PUSH(roles->arena, roles->items, roles->count, roles->capacity, json_doc_root(doc));
}

static bool add_stored_role(void *data, struct key key, struct object_text *text)
{
    (void)key;
    add_role(data, object_text_json(text));
    return true;
}

static bool has_role(const struct cluster_roles *roles, struct str name)
{
    for (size_t i = 0; i < roles->count; i++)
        if (str_eq(json_path_str(roles->items[i], "metadata.name"), name))
            return true;
    return false;
}

/*
 * An API that shares the bootstrap roles does not store them, but its own roles may select them.
 * Those of the shared roles that aggregate count with the rules they begin with.
 */
static void add_shared_roles(struct cluster_roles *roles)
{
    const size_t stored = roles->count;
    for (size_t i = 0; i < bootstrap_policy_count(); i++) {
        add_role(roles, str_from_c(bootstrap_policy(i)));
        const struct json_value *role = roles->items[roles->count - 1];
        const struct str name = json_path_str(role, "metadata.name");
        const struct cluster_roles own = {.items = roles->items, .count = stored};
        if (!str_eq(json_path_str(role, "kind"), STR("ClusterRole")) || has_role(&own, name) ||
            !rbac_has_role(roles->api->rbac, RBAC_CLUSTER_ROLE, STR(""), name))
            roles->count--;
    }
}

static struct error *collect_roles(struct cluster_roles *roles)
{
    struct store_page page;
    const struct store_range range = {.resource = cluster_role_kind()->stored_as};
    TRY(store_scan(roles->api->store, &range, add_stored_role, roles, &page));
    if (roles->api->shares_roles)
        add_shared_roles(roles);
    return NULL;
}

static const struct json_value *next_role(void *data)
{
    struct cluster_roles *roles = data;
    return roles->next < roles->count ? roles->items[roles->next++] : NULL;
}

/* One role on its way to the store. */
struct aggregation {
    struct api *api;
    struct arena *arena;
    const struct json_value *rules; /* the rules the role has to have */
    bool is_written;
};

/* No rules at all are written in several ways; they are the same. */
static bool has_rules(const struct json_value *role, const struct json_value *rules)
{
    const struct json_value *own = json_get(role, STR("rules"));
    return json_count(own) + json_count(rules) == 0 || json_equal(own, rules);
}

/* What the controller of Kubernetes applies: without rules the field is left out. */
static struct error *make_patch(const struct json_value *role, const struct json_value *rules,
                                struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    json_builder_object(&builder);
    json_builder_add_value(&builder, "apiVersion", json_get(role, STR("apiVersion")));
    json_builder_add_value(&builder, "kind", json_get(role, STR("kind")));
    json_builder_add_object(&builder, "metadata");
    json_builder_add_value(&builder, "name", json_path(role, "metadata.name"));
    json_builder_end(&builder);
    if (json_count(rules))
        json_builder_add_value(&builder, "rules", rules);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* Server-side apply of the rules, forced, as a request of the controller would be served. */
static struct error *apply_rules(const struct aggregation *aggregation,
                                 const struct json_value *role, struct json_doc **ret_doc)
{
    const struct kind *kind = cluster_role_kind();
    const struct field_ownership ownership = {.arena = aggregation->arena,
                                              .kind = kind,
                                              .manager = MANAGER,
                                              .now = loop_wall(aggregation->api->loop)};
    OWNED(json_doc) patch = NULL;
    OWNED(json_doc) merged = NULL;
    OWNED(json_doc) typed = NULL;
    TRY(make_patch(role, aggregation->rules, &patch));
    TRY(field_ownership_apply(&ownership, true, role, json_doc_root(patch), &merged));
    TRY(kind->ops->decode(kind, merged, NULL, &typed));
    return kind->ops->default_(kind, typed, ret_doc);
}

/* The edit of store_change(): the role may have changed since it was scanned. */
static struct error *write_rules(void *data, struct store_edit *edit)
{
    struct aggregation *aggregation = data;
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) doc = NULL;
    aggregation->is_written = false;
    if (!edit->previous)
        return NULL;
    TRY(codec_read_stored(cluster_role_kind(), edit->previous, &old));
    const struct json_value *role = json_doc_root(old);
    if (!is_aggregated(role) || has_rules(role, aggregation->rules))
        return NULL;
    TRY(apply_rules(aggregation, role, &doc));
    if (json_equal(json_doc_root(doc), role))
        return NULL;
    TRY(codec_write_edit(cluster_role_kind(), doc, STORE_PUT, edit, NULL));
    aggregation->is_written = true;
    return NULL;
}

/* Suspends if the role has to be written. */
static struct error *update_role(struct api *api, struct str name, bool *ret_is_written)
{
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) rules = NULL;
    struct cluster_roles roles = {.api = api, .arena = &arena};
    struct aggregation aggregation = {.api = api, .arena = &arena};
    const struct json_value *role = NULL;
    TRY(collect_roles(&roles));
    for (size_t i = 0; i < roles.count && !role; i++)
        if (str_eq(json_path_str(roles.items[i], "metadata.name"), name))
            role = roles.items[i];
    if (!role || !is_aggregated(role))
        return NULL;
    TRY(aggregate_cluster_role(&arena, role, next_role, &roles, &rules));
    aggregation.rules = json_doc_root(rules);
    if (has_rules(role, aggregation.rules))
        return NULL;
    /* Through the store: api_change() is the caller, and struct rbac does not use these rules. */
    const struct store_id id = api_id(cluster_role_kind(), (struct key){.name = name});
    TRY(store_change(api->store, id, STORE_ANY, write_rules, &aggregation, NULL));
    *ret_is_written = *ret_is_written || aggregation.is_written;
    return NULL;
}

struct aggregated_names {
    struct arena *arena;
    struct str *items;
    size_t count, capacity;
};

/* Most APIs have many roles and few that aggregate: text without the word need not be read. */
static bool add_aggregated_name(void *data, struct key key, struct object_text *text)
{
    struct aggregated_names *names = data;
    if (str_contains(object_text_json(text), STR("\"aggregationRule\"")))
        ARENA_ARRAY_PUSH(names->arena, names->items, names->count, names->capacity,
                         arena_str(names->arena, key.name));
    return true;
}

static struct error *update_all_roles(struct api *api, bool *ret_is_written)
{
    SCOPED(arena) arena = {.limit = 0};
    struct aggregated_names names = {.arena = &arena};
    struct store_page page;
    const struct store_range range = {.resource = cluster_role_kind()->stored_as};
    TRY(store_scan(api->store, &range, add_aggregated_name, &names, &page));
    for (size_t i = 0; i < names.count; i++)
        TRY(update_role(api, names.items[i], ret_is_written), "%.*s", STR_ARG(names.items[i]));
    return NULL;
}

/* Roles may aggregate roles that aggregate, so a change is followed until nothing is written. */
static struct error *update_until_settled(struct api *api)
{
    bool is_written = true;
    for (size_t pass = 0; is_written && pass < PASSES_MAX; pass++) {
        is_written = false;
        TRY(update_all_roles(api, &is_written));
    }
    return NULL;
}

void role_aggregation_update(struct api *api)
{
    OWNED(error) err = update_until_settled(api);
    if (err)
        log_error("Cannot update the rules of an aggregated ClusterRole", LOG_ERROR(err));
}
