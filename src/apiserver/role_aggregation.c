/*
 * One update goes over all ClusterRoles that aggregate and writes those whose rules are not what
 * they aggregate. struct rbac knows which they are and what they select, so that no other role is
 * read.
 *
 * A role that was written may itself be selected by another one (view, edit and admin are such a
 * chain), so passes are repeated until one of them writes nothing. Roles that select each other
 * would be free to exchange the order of their rules for ever: PASSES_MAX ends that.
 *
 * Other fibers change roles meanwhile. Each role is therefore computed from texts of its own, right
 * before it is written. Two updates at a time do no harm: the one that
 * ends last has seen everything that is durable.
 */
#include "apiserver/role_aggregation.h"

#include "apiserver/api.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/field_ownership.h"
#include "apiserver/storage/store_draft.h"
#include "async/compute.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "json/compare.h"
#include "json/path.h"

#define MANAGER    STR("clusterrole-aggregation-controller")
#define PASSES_MAX 16

static const struct kind *cluster_role_kind(void)
{
    return kinds_find(GVR("rbac.authorization.k8s.io", "v1", "clusterroles"));
}

static bool is_aggregated(const struct json_value *role)
{
    return json_type(json_get(role, STR("aggregationRule"))) == JSON_OBJECT;
}

/* One role on its way to the store. */
struct aggregation {
    struct api *api;
    struct arena *arena;
    struct str name, role; /* the text of the role */
    struct str *sources;   /* texts of the roles it selects */
    size_t count;
    size_t size; /* of all texts */
    timestamp now;
    struct json_doc *rules; /* the rules the role has to have; NULL: those it has */
    bool is_written;
};

static void aggregation_done(struct aggregation *aggregation)
{
    json_doc_free(aggregation->rules);
}

static void release_text(void *text)
{
    object_text_free(text);
}

/* The text of a shared ClusterRole that begins every API; empty when there is none of this name. */
static struct str find_shared_role(struct str name)
{
    for (size_t i = 0; i < bootstrap_policy_count(); i++) {
        const struct str text = str_from_c(bootstrap_policy(i));
        OWNED(json_doc) doc = NULL;
        if (!str_contains(text, name))
            continue;
        OWNED(error) unreadable = json_read(text, &doc);
        const struct json_value *role = json_doc_root(doc);
        if (!unreadable && str_eq(json_path_str(role, "kind"), STR("ClusterRole")) &&
            str_eq(json_path_str(role, "metadata.name"), name))
            return text;
    }
    return STR("");
}

/*
 * An API that shares the bootstrap roles does not store them, but its own roles may select them.
 * Those of the shared roles that aggregate count with the rules they begin with.
 */
static struct str find_role(const struct aggregation *aggregation, struct str name)
{
    SCOPED(store_object) found = {0};
    const struct store_id id = api_id(cluster_role_kind(), (struct key){.name = name});
    OWNED(error) gone = store_get(aggregation->api->store, id, &found);
    if (gone)
        return aggregation->api->shares_roles ? find_shared_role(name) : STR("");
    arena_hold(aggregation->arena, release_text, object_text_ref(found.text));
    return object_text_json(found.text);
}

/* What more than this says does not fit into a role, unless it says the same again and again. */
#define SELECTED_MAX ((size_t)8 * MEGABYTE)

static struct error *count_text(struct aggregation *aggregation, struct str text)
{
    aggregation->size += text.len;
    if (aggregation->size > SELECTED_MAX)
        return error_new(ERROR_TOO_LARGE,
                         "the roles that are selected have more than %zu bytes; select fewer or "
                         "smaller roles",
                         SELECTED_MAX);
    return NULL;
}

/* Finds the texts of the role and of those that it selects. Suspends. */
static struct error *collect_texts(struct aggregation *aggregation)
{
    struct rbac_strings names;
    TRY(rbac_selected_roles(aggregation->api->rbac, aggregation->arena, aggregation->name, &names));
    aggregation->sources =
        arena_alloc_array(aggregation->arena, names.count, sizeof(aggregation->sources[0]));
    aggregation->role = find_role(aggregation, aggregation->name);
    TRY(count_text(aggregation, aggregation->role));
    for (size_t i = 0; i < names.count; i++) {
        const struct str text = find_role(aggregation, names.items[i]);
        TRY(count_text(aggregation, text));
        aggregation->sources[aggregation->count++] = text;
        TRY(fiber_yield_in_time());
    }
    return NULL;
}

/* The roles as aggregate_cluster_role() asks for them. */
struct role_walk {
    const struct aggregation *aggregation;
    struct arena *arena;
    size_t next;
};

/* Roles that cannot be read, or were deleted meanwhile, are passed over. */
static const struct json_value *next_role(void *data)
{
    struct role_walk *walk = data;
    while (walk->next < walk->aggregation->count) {
        struct json_doc *doc = NULL;
        OWNED(error) unreadable = json_read(walk->aggregation->sources[walk->next++], &doc);
        if (unreadable)
            continue;
        json_doc_hold(walk->arena, doc);
        return json_doc_root(doc);
    }
    return NULL;
}

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
    const struct field_ownership ownership = {
        .arena = aggregation->arena, .kind = kind, .manager = MANAGER, .now = aggregation->now};
    OWNED(json_doc) patch = NULL;
    OWNED(json_doc) merged = NULL;
    OWNED(json_doc) typed = NULL;
    TRY(make_patch(role, json_doc_root(aggregation->rules), &patch));
    TRY(field_ownership_apply(&ownership, true, role, json_doc_root(patch), &merged));
    TRY(kind->ops->decode(kind, merged, NULL, &typed));
    return kind->ops->default_(kind, typed, ret_doc);
}

/*
 * The draft of store_draft_change(): the role may have changed since it was read. May run on a
 * worker thread.
 */
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
    if (!is_aggregated(role) || has_rules(role, json_doc_root(aggregation->rules)))
        return NULL;
    TRY(apply_rules(aggregation, role, &doc));
    if (json_equal(json_doc_root(doc), role))
        return NULL;
    TRY(codec_write_edit(cluster_role_kind(), doc, STORE_PUT, edit, NULL));
    aggregation->is_written = true;
    return NULL;
}

/* The rules that the role has to have, unless it has them. May run on a worker thread. */
static struct error *compute_rules(void *data)
{
    struct aggregation *aggregation = data;
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) role = NULL;
    OWNED(json_doc) rules = NULL;
    struct role_walk walk = {aggregation, &arena, 0};
    if (aggregation->role.len == 0)
        return NULL;
    TRY(json_read(aggregation->role, &role));
    if (!is_aggregated(json_doc_root(role)))
        return NULL;
    TRY(aggregate_cluster_role(&arena, json_doc_root(role), next_role, &walk, &rules));
    if (!has_rules(json_doc_root(role), json_doc_root(rules)))
        aggregation->rules = TAKE(rules);
    return NULL;
}

/* Suspends. */
static struct error *update_role(struct api *api, struct str name, bool *ret_is_written)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(aggregation)
    aggregation = {.api = api, .arena = &arena, .name = name, .now = loop_wall(api->loop)};
    TRY(collect_texts(&aggregation));
    TRY(compute_sized(aggregation.size, compute_rules, &aggregation));
    if (!aggregation.rules)
        return NULL;
    /* Through the store: api_decide() is the caller, and struct rbac does not use these rules. */
    const struct store_id id = api_id(cluster_role_kind(), (struct key){.name = name});
    const struct store_decision decision = {
        .draft = write_rules, .data = &aggregation, .size = aggregation.size};
    TRY(store_draft_change(api->store, id, STORE_ANY, &decision, NULL));
    *ret_is_written = *ret_is_written || aggregation.is_written;
    return NULL;
}

static int name_cmp(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* A role that cannot be updated keeps its rules, and the others are updated all the same. */
static struct error *update_all_roles(struct api *api, bool *ret_is_written)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_strings names = rbac_aggregating_roles(api->rbac, &arena);
    if (names.count)
        qsort(names.items, names.count, sizeof(names.items[0]), name_cmp);
    for (size_t i = 0; i < names.count; i++) {
        OWNED(error) err = update_role(api, names.items[i], ret_is_written);
        if (error_is(err, ERROR_CANCELED) || error_is(err, ERROR_DEADLINE))
            return TAKE(err);
        if (err)
            log_error("Cannot update the rules of an aggregated ClusterRole",
                      LOG_STR("role", names.items[i]), LOG_ERROR(err));
        TRY(fiber_yield_in_time());
    }
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
