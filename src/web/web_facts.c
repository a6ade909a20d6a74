#include "web/web_facts.h"

#include <stdlib.h>

#include "base/array.h"
#include "clusterresourceset/rollout.h"
#include "json/json.h"
#include "json/path.h"

#define NOT_APPLIED STR("ResourcesNotApplied")
#define EVENTS_MAX  ((size_t)50000)

static void release_policy(void *policy)
{
    delivery_policy_free(policy);
}

void web_facts_done(struct web_facts *facts)
{
    status_model_done(&facts->model);
    map_done(&facts->policies);
    map_done(&facts->rollouts);
    mem_free(facts->events);
    arena_done(&facts->arena);
}

struct str web_kind_resource(enum web_kind kind)
{
    static const struct str resources[WEB_KINDS] = {
        [WEB_KIND_SETS] = STR_INIT("clusterresourcesets"),
        [WEB_KIND_CLUSTERS] = STR_INIT("clusters"),
        [WEB_KIND_BINDINGS] = STR_INIT("clusterresourcesetbindings"),
        [WEB_KIND_POLICIES] = STR_INIT("deliverypolicies"),
        [WEB_KIND_CLUSTER_EVENTS] = STR_INIT("events"),
        [WEB_KIND_SET_EVENTS] = STR_INIT("events"),
    };
    return resources[kind];
}

static timestamp read_time(struct str text)
{
    timestamp time;
    return timestamp_read(text, &time) ? time : 0;
}

/* Others may have written anything there: what cannot be read is no rollout. */
static void add_rollout(struct web_facts *facts, const struct object *set)
{
    struct str text;
    OWNED(json_doc) doc = NULL;
    SCOPED(arena) scratch = {0};
    if (!object_find_annotation(set, STR(ROLLOUT_ANNOTATION), &text))
        return;
    OWNED(error) err = json_read(text, &doc);
    if (err)
        return;
    const struct json_value *root = json_doc_root(doc);
    struct web_rollout *rollout = ARENA_NEW(&facts->arena, struct web_rollout);
    rollout->revision = arena_str(&facts->arena, json_path_str(root, "revision"));
    rollout->wave = arena_str(&facts->arena, json_path_str(root, "wave"));
    rollout->state = arena_str(&facts->arena, json_path_str(root, "state"));
    rollout->since = read_time(json_path_str(root, "since"));
    if (rollout->state.len)
        map_put(&facts->rollouts, key_text(&scratch, object_key(set)), rollout);
}

static void add_set(struct web_facts *facts, const struct object *set)
{
    status_model_add_set(&facts->model, set);
    add_rollout(facts, set);
}

static void add_cluster(struct web_facts *facts, const struct object *cluster)
{
    status_model_add_cluster(&facts->model, cluster);
}

static void add_binding(struct web_facts *facts, const struct object *binding)
{
    status_model_add_binding(&facts->model, binding);
}

static void add_policy(struct web_facts *facts, const struct object *object)
{
    struct delivery_policy *policy = NULL;
    SCOPED(arena) scratch = {0};
    if (!facts->schema)
        return;
    OWNED(error) err = delivery_policy_read(facts->schema, object, &policy);
    if (err)
        return;
    facts->policies.release = release_policy;
    delivery_policy_free(map_put(&facts->policies, key_text(&scratch, object_key(object)), policy));
}

static timestamp event_time(const struct object *event)
{
    static const char *const paths[] = {"series.lastObservedTime", "lastTimestamp", "eventTime"};
    timestamp newest = 0;
    for (size_t i = 0; i < COUNT(paths); i++) {
        const timestamp time = read_time(json_to_str(object_path(event, paths[i])));
        newest = time > newest ? time : newest;
    }
    return newest;
}

static struct str copy(struct web_facts *facts, const struct object *object, const char *path)
{
    return arena_str(&facts->arena, json_to_str(object_path(object, path)));
}

/* The model knows one reason of Events about Clusters. */
static void add_event(struct web_facts *facts, const struct object *event)
{
    const struct str reason = json_to_str(object_path(event, "reason"));
    const struct str kind = json_to_str(object_path(event, "involvedObject.kind"));
    if (str_eq(reason, NOT_APPLIED) && str_eq(kind, STR("Cluster")))
        status_model_add_event(&facts->model, event);
    if (facts->event_count >= EVENTS_MAX)
        return;
    const struct web_event row = {
        .time = event_time(event),
        .type = copy(facts, event, "type"),
        .reason = copy(facts, event, "reason"),
        .message = copy(facts, event, "message"),
        .kind = copy(facts, event, "involvedObject.kind"),
        .about = {arena_str(&facts->arena, object_namespace(event)),
                  copy(facts, event, "involvedObject.name")},
    };
    ARRAY_PUSH(facts->events, facts->event_count, facts->event_capacity, row);
}

void web_facts_add(struct web_facts *facts, enum web_kind kind, const struct object *object)
{
    static void (*const add[WEB_KINDS])(struct web_facts *, const struct object *) = {
        [WEB_KIND_SETS] = add_set,
        [WEB_KIND_CLUSTERS] = add_cluster,
        [WEB_KIND_BINDINGS] = add_binding,
        [WEB_KIND_POLICIES] = add_policy,
        [WEB_KIND_CLUSTER_EVENTS] = add_event,
        [WEB_KIND_SET_EVENTS] = add_event,
    };
    facts->arena.limit = 1024 * MEGABYTE;
    add[kind](facts, object);
}

/* Newest first; those of one time by what they are about, so that the order is always the same. */
static int compare_events(const void *a, const void *b)
{
    const struct web_event *one = a, *other = b;
    if (one->time != other->time)
        return one->time > other->time ? -1 : 1;
    const int by_namespace = str_cmp(one->about.namespace, other->about.namespace);
    if (by_namespace)
        return by_namespace;
    const int by_name = str_cmp(one->about.name, other->about.name);
    return by_name ? by_name : str_cmp(one->message, other->message);
}

void web_facts_finish(struct web_facts *facts)
{
    status_model_finish(&facts->model);
    if (facts->event_count)
        qsort(facts->events, facts->event_count, sizeof(*facts->events), compare_events);
}

const struct delivery_policy *web_facts_policy(const struct web_facts *facts,
                                               const struct status_set *set)
{
    SCOPED(arena) scratch = {0};
    const struct key key = {set->key.namespace, set->policy};
    return set->policy.len ? map_find(&facts->policies, key_text(&scratch, key)) : NULL;
}

const struct web_rollout *web_facts_rollout(const struct web_facts *facts,
                                            const struct status_set *set)
{
    SCOPED(arena) scratch = {0};
    return map_find(&facts->rollouts, key_text(&scratch, set->key));
}
