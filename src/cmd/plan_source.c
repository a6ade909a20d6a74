#include "cmd/plan_source.h"

#include "apimachinery/wellknown.h"
#include "base/array.h"
#include "base/memory.h"
#include "client/client.h"
#include "clusterresourceset/set_policy.h"
#include "clusterresourceset/types/policy_schema.h"
#include "cmd/management_client.h"
#include "cmd/render_input.h"
#include "cmd/terminal.h"

#define NAMES_NOTED 5 /* of Clusters, in a note */

void plan_source_done(struct plan_source *source)
{
    for (size_t i = 0; i < source->set_count; i++)
        plan_free(source->sets[i].plan);
    for (size_t i = 0; i < source->cluster_count; i++) {
        object_free(source->clusters[i].object);
        object_free(source->clusters[i].binding);
    }
    mem_free(source->sets);
    mem_free(source->clusters);
    content_items_done(&source->files);
    content_items_done(&source->policies);
    map_done(&source->snapshots);
    map_done(&source->named);
    policy_schema_free(source->schema);
    buf_done(&source->notes);
    arena_done(&source->arena);
}

struct error *plan_source_add_file(struct plan_source *source, const char *name)
{
    struct error *err = render_input_read(name, &source->files, &source->policies);
    if (!error_is(err, ERROR_PARSE) && !error_is(err, ERROR_INVALID))
        return err;
    error_free(err);
    return error_new(
        ERROR_INVALID,
        "%s: cannot be read as ConfigMaps and Secrets; 'corset render -f %s' says why, "
        "and may quote it",
        name, name);
}

/* Of several in the files the last one, as kubectl apply would leave it. */
static const struct object *find_item(const struct plan_source *source,
                                      const struct content_items *items, struct str kind,
                                      struct str name)
{
    for (size_t i = items->count; i > 0; i--) {
        const struct object *object = items->items[i - 1].object;
        const struct str namespace = object_namespace(object);
        if (str_eq(object_kind(object), kind) && str_eq(object_name(object), name) &&
            (!namespace.len || str_eq(namespace, source->namespace)))
            return object;
    }
    return NULL;
}

static const struct object *find_file(const struct plan_source *source, struct resource_ref ref)
{
    return find_item(source, &source->files, resource_kind_name(ref.kind), ref.name);
}

/* A resource that does not exist is part of the plan; one that may not be read makes none. */
static struct error *fetch_snapshot(const struct plan_source *source, struct client *client,
                                    struct resource_ref ref,
                                    struct resource_snapshot **ret_snapshot)
{
    const struct key key = {source->namespace, ref.name};
    OWNED(object) object = NULL;
    OWNED(error)
    err = client_get(client, ref.kind == RESOURCE_SECRET ? GVR_SECRETS : GVR_CONFIG_MAPS, key, NULL,
                     &object);
    if (err && !error_is(err, ERROR_NOT_FOUND))
        return TAKE(err);
    *ret_snapshot = err ? resource_snapshot_absent(err) : resource_snapshot_read(object);
    return NULL;
}

static void release_snapshot(void *value)
{
    resource_snapshot_free(value);
}

/* Each resource is read once, however many sets name it. A new reference. Suspends. */
static struct error *read_snapshot(struct plan_source *source, struct client *client,
                                   struct resource_ref ref, struct resource_snapshot **ret_snapshot)
{
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%.*s/%.*s", STR_ARG(resource_kind_name(ref.kind)), STR_ARG(ref.name));
    struct resource_snapshot *snapshot = map_find(&source->snapshots, buf_str(&name));
    if (!snapshot) {
        const struct object *file = find_file(source, ref);
        if (file)
            snapshot = resource_snapshot_read(file);
        else
            TRY(fetch_snapshot(source, client, ref, &snapshot));
        source->snapshots.release = release_snapshot;
        map_put(&source->snapshots, buf_str(&name), snapshot);
    }
    *ret_snapshot = resource_snapshot_ref(snapshot);
    return NULL;
}

static void note_set(struct plan_source *source, const struct object *set, const char *what)
{
    buf_print(&source->notes, "set %.*s %s\n", STR_ARG(object_name(set)), what);
}

/* A policy of the files or of the management cluster. */
struct policy_reading {
    struct plan_source *source;
    struct client *client;
};

/* Suspends. */
static struct error *read_policy(void *data, struct key key, struct delivery_policy **ret_policy)
{
    const struct policy_reading *reading = data;
    struct plan_source *source = reading->source;
    const struct object *file =
        find_item(source, &source->policies, STR(DELIVERY_POLICY_KIND), key.name);
    OWNED(object) fetched = NULL;
    map_put(&source->named, key.name, source);
    if (!source->schema)
        source->schema = policy_schema_new();
    if (!file)
        TRY(client_get(reading->client, GVR_DELIVERY_POLICIES, key, NULL, &fetched));
    return delivery_policy_read(source->schema, file ? file : fetched, ret_policy);
}

/* Suspends. */
static struct error *add_snapshots(struct plan_source *source, struct client *client,
                                   struct plan *plan)
{
    const struct crs_spec *spec = plan_spec(plan);
    for (size_t i = 0; i < spec->ref_count; i++) {
        struct resource_snapshot *snapshot = NULL;
        TRY(read_snapshot(source, client, spec->refs[i], &snapshot));
        plan_add_snapshot(plan, snapshot);
    }
    return NULL;
}

/*
 * A set that is being deleted applies nothing any more, and one without a policy that can be
 * followed applies nothing either. Suspends.
 */
static struct error *add_set(struct plan_source *source, struct client *client,
                             const struct object *set)
{
    OWNED(plan) plan = plan_new(set);
    struct policy_reading reading = {source, client};
    const struct set_policy_reader reader = {read_policy, &reading};
    struct str problem;
    if (object_is_deleting(set)) {
        note_set(source, set, "is being deleted and is left out");
        return NULL;
    }
    if (crs_is_paused(set))
        note_set(source, set, "is paused: nothing of it is applied before it is resumed");
    if (plan_spec(plan)->selector_error)
        note_set(source, set, "selects nothing, because its selector cannot be used");
    TRY(set_policy_find(set, plan, &reader, &source->arena, &problem));
    if (!problem.len)
        TRY(add_snapshots(source, client, plan));
    ARRAY_GROW(source->sets, source->set_count, source->set_capacity);
    source->sets[source->set_count++] = (struct preview_set){
        .key = {arena_str(&source->arena, object_namespace(set)),
                arena_str(&source->arena, object_name(set))},
        .plan = TAKE(plan),
        .problem = problem,
    };
    return NULL;
}

/* Objects of a list, kept until all of it is read: what is done with them suspends. */
struct listed {
    struct object **items;
    size_t count, capacity;
};

static void listed_done(struct listed *listed)
{
    for (size_t i = 0; i < listed->count; i++)
        object_free(listed->items[i]);
    mem_free(listed->items);
}

static struct error *keep_listed(void *data, struct object *object)
{
    struct listed *listed = data;
    ARRAY_PUSH(listed->items, listed->count, listed->capacity, object_ref(object));
    return NULL;
}

static void forget_listed(void *data)
{
    struct listed *listed = data;
    listed_done(listed);
    *listed = (struct listed){0};
}

static struct error *list_objects(const struct plan_source *source, struct client *client,
                                  struct gvr gvr, struct str selector, struct listed *listed)
{
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_options options = {.label_selector = selector};
    const struct client_list_sink sink = {keep_listed, forget_listed, listed};
    return management_client_explain(
        client_list_each(client, gvr, source->namespace, &options, &sink, &version));
}

static struct error *read_sets(struct plan_source *source, struct client *client)
{
    SCOPED(listed) listed = {0};
    if (source->set.len) {
        OWNED(object) set = NULL;
        const struct key key = {source->namespace, source->set};
        struct error *err = client_get(client, GVR_CLUSTER_RESOURCE_SETS, key, NULL, &set);
        if (error_is(err, ERROR_NOT_FOUND) && err->details) {
            error_free(err);
            return error_new(ERROR_NOT_FOUND,
                             "there is no ClusterResourceSet %.*s in namespace %.*s",
                             STR_ARG(key.name), STR_ARG(key.namespace));
        }
        TRY(management_client_explain(err));
        return add_set(source, client, set);
    }
    TRY(list_objects(source, client, GVR_CLUSTER_RESOURCE_SETS, STR(""), &listed));
    for (size_t i = 0; i < listed.count; i++)
        TRY(add_set(source, client, listed.items[i]));
    return NULL;
}

static struct object *find_binding(const struct listed *bindings, struct str cluster)
{
    size_t low = 0, high = bindings->count; /* a server lists by name */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = str_cmp(object_name(bindings->items[middle]), cluster);
        if (order == 0)
            return object_ref(bindings->items[middle]);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Clusters spread over all of them, so that a sample is none of the first names alone. */
static void choose_sample(struct plan_source *source, struct listed *selected)
{
    const size_t count = selected->count,
                 most = source->sample && source->sample < count ? source->sample : count;
    for (size_t i = 0; i < most; i++) {
        const struct preview_fleet_cluster cluster = {
            .object = object_ref(selected->items[i * count / most])};
        ARRAY_PUSH(source->clusters, source->cluster_count, source->cluster_capacity, cluster);
    }
    source->left_out = count - most;
}

static void note_paused(struct plan_source *source)
{
    size_t count = 0;
    SCOPED(buf) names = {.limit = 0};
    for (size_t i = 0; i < source->cluster_count; i++) {
        const struct object *cluster = source->clusters[i].object;
        if (crs_cluster_is_paused(cluster) && count++ < NAMES_NOTED)
            buf_print(&names, "%s%.*s", count > 1 ? ", " : "", STR_ARG(object_name(cluster)));
    }
    if (count)
        buf_print(&source->notes,
                  "%zu Cluster%s paused and get%s nothing before that ends: %.*s%s\n", count,
                  count == 1 ? " is" : "s are", count == 1 ? "s" : "", STR_ARG(buf_str(&names)),
                  count > NAMES_NOTED ? ", …" : "");
}

/* A Cluster without a binding has nothing of the set yet. Suspends. */
static struct error *read_cluster(struct plan_source *source, struct client *client)
{
    const struct key key = {source->namespace, source->cluster};
    OWNED(object) cluster = NULL;
    OWNED(object) binding = NULL;
    TRY(management_client_explain(client_get(client, GVR_CLUSTERS, key, NULL, &cluster)));
    TRY(error_ignore(client_get(client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, key, NULL, &binding),
                     ERROR_NOT_FOUND));
    const struct preview_fleet_cluster read = {TAKE(cluster), TAKE(binding)};
    ARRAY_PUSH(source->clusters, source->cluster_count, source->cluster_capacity, read);
    return NULL;
}

static struct error *read_clusters(struct plan_source *source, struct client *client)
{
    const struct preview_fleet fleet = {.sets = source->sets, .set_count = source->set_count};
    SCOPED(listed) listed = {0};
    SCOPED(listed) selected = {0};
    SCOPED(listed) bindings = {0};
    TRY(list_objects(source, client, GVR_CLUSTERS, source->selector, &listed));
    for (size_t i = 0; i < listed.count; i++)
        if (preview_fleet_selects(&fleet, listed.items[i]))
            ARRAY_PUSH(selected.items, selected.count, selected.capacity,
                       object_ref(listed.items[i]));
    choose_sample(source, &selected);
    TRY(list_objects(source, client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, STR(""), &bindings));
    for (size_t i = 0; i < source->cluster_count; i++)
        source->clusters[i].binding =
            find_binding(&bindings, object_name(source->clusters[i].object));
    note_paused(source);
    return NULL;
}

static void note_unused_policies(struct plan_source *source)
{
    for (size_t i = 0; i < source->policies.count; i++) {
        const struct str name = object_name(source->policies.items[i].object);
        if (!map_has(&source->named, name) ||
            !find_item(source, &source->policies, STR(DELIVERY_POLICY_KIND), name))
            buf_print(&source->notes,
                      "DeliveryPolicy %.*s is of no set of namespace %.*s that is planned\n",
                      STR_ARG(name), STR_ARG(source->namespace));
    }
}

/* A file that no set names is most likely a mistake. */
static void note_unused(struct plan_source *source)
{
    for (size_t i = 0; i < source->files.count; i++) {
        const struct object *file = source->files.items[i].object;
        struct resource_ref ref = {.name = object_name(file)};
        SCOPED(buf) name = {.limit = 0};
        resource_kind_from(object_kind(file), &ref.kind);
        buf_print(&name, "%.*s/%.*s", STR_ARG(object_kind(file)), STR_ARG(ref.name));
        if (map_has(&source->snapshots, buf_str(&name)) && find_file(source, ref))
            continue;
        buf_print(&source->notes, "%.*s %.*s is in no set of namespace %.*s that is planned\n",
                  STR_ARG(object_kind(file)), STR_ARG(ref.name), STR_ARG(source->namespace));
    }
}

struct error *plan_source_read(struct plan_source *source, struct client *client)
{
    TRY(read_sets(source, client));
    note_unused(source);
    note_unused_policies(source);
    return source->cluster.len ? read_cluster(source, client) : read_clusters(source, client);
}
