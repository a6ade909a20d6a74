/*
 * Facts about named sets come from the cache of sets, from the state of the set, and from the
 * binding of the cluster, which has the entries of all sets. Whatever is not certain counts against
 * beginning: a set that has not been looked at since it changed is ORDER_UNKNOWN.
 *
 * The facts are those that are known now, and nothing suspends between reading them and keeping the
 * fault in the placement. So a wake-up finds either the placement that waits or facts that are not
 * read yet.
 */
#include "clusterresourceset/set_order.h"

#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/order.h"
#include "clusterresourceset/order_graph.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/types/binding.h"
#include "clusterresourceset/watches.h"
#include "controller/cache/cache.h"
#include "json/compare.h"

#define NAMES_TOLD 3 /* of the sets that a placement waits for */

struct str set_order_refusal(struct crs_set *set, struct arena *arena)
{
    struct order_graph *graph = set_controllers(set)->order_graph;
    const struct order_names names = order_graph_names(graph, set_key(set));
    if (names.problem.len || !names.count)
        return arena_str(arena, names.problem);
    const struct str cycle = order_graph_find_cycle(graph, set_key(set), arena);
    if (!cycle.len)
        return cycle;
    return arena_print(arena,
                       "sets depend on each other: %.*s, by their annotations " ORDER_ANNOTATION
                       "; none of them is applied until one of these names is taken out",
                       STR_ARG(cycle));
}

/* Of its resources as the set wants them there; ApplyOnce wants no more than that they were. */
static void read_results(const struct plan *plan, const struct object *binding, struct str set,
                         struct order_facts *facts)
{
    const bool reconciles = plan_spec(plan)->strategy == RESOURCE_RECONCILE;
    facts->is_complete = true;
    facts->is_applied = binding && binding_has_entry(binding, set);
    for (size_t i = 0; i < plan_resource_count(plan); i++) {
        const struct resource_snapshot *snapshot = plan_snapshot(plan, i);
        struct binding_resource found = {0};
        binding_find_resource(binding, set, plan_resource(plan, i), &found);
        const bool is_usable = !resource_snapshot_fault(snapshot);
        const bool is_same = is_usable && str_eq(found.hash, resource_snapshot_hash(snapshot));
        facts->is_complete &= is_usable || (found.applied && !reconciles);
        facts->is_applied &= found.applied && (is_same || !reconciles);
        facts->has_failed |= found.hash.len && !found.applied;
        facts->has_other |= found.applied && reconciles && !is_same;
    }
}

/*
 * The newest copy of the set is in the cache. Its state here is older while its key is still in the
 * queue: by its uid, by its generation, or because the set or a resource of it has been touched
 * since. The touch of a paused set lasts until the end of the pause.
 */
static bool is_looked_at(const struct crs_set *state, const struct object *set)
{
    return state && set_plan(state) && str_eq(object_uid(set_object(state)), object_uid(set)) &&
           plan_generation(set_plan(state)) == object_generation(set) &&
           (crs_is_paused(set) || !set_is_touched(state));
}

/*
 * Whether a set with health does not say that it is ready with its present revision. A paused set
 * is judged by its record alone, because its plan has no policy.
 */
static bool is_unready(const struct plan *plan, const struct object *binding, struct str set)
{
    const bool has_health = plan_policy(plan) && plan_policy(plan)->health_timeout;
    struct delivery_mark mark = {0};
    delivery_find_mark(binding, set, &mark);
    return mark.is_unready || (has_health && !plan_has_revision(plan, binding, set));
}

static enum order_state judge_named(struct crs_controllers *controllers, struct key key,
                                    struct key cluster, const struct object *binding)
{
    OWNED(object) set = cache_get(controllers->sets, key);
    struct crs_set *state = set_find(controllers, key);
    struct order_facts facts = {.exists = set != NULL};
    if (set) {
        facts.is_deleting = object_is_deleting(set);
        facts.is_watched = watches_has_label(controllers, set);
        facts.is_paused = crs_is_paused(set);
        facts.is_known = is_looked_at(state, set);
    }
    if (facts.is_known) {
        const struct plan *plan = set_plan(state);
        facts.has_selector = !plan_spec(plan)->selector_error;
        facts.is_selected =
            cluster_index_selects(controllers->cluster_index, cluster, &plan_spec(plan)->selector);
        facts.is_refused = !set_is_open(state) && !facts.is_paused;
        facts.is_read = plan_is_complete(plan);
        read_results(plan, binding, key.name, &facts);
        facts.is_unready = is_unready(plan, binding, key.name);
    }
    return order_decide(&facts);
}

bool set_order_waits(struct crs_set *set, struct key cluster, struct arena *arena,
                     struct set_order_wait *ret_wait)
{
    struct crs_controllers *controllers = set_controllers(set);
    const struct key key = set_key(set);
    const struct order_names names = order_graph_names(controllers->order_graph, key);
    SCOPED(buf) text = {.limit = 0};
    size_t waits = 0;
    if (!names.count && !names.problem.len)
        return false;
    OWNED(object) binding = binding_store_find(controllers->binding_store, cluster);
    if (binding_has_begun(binding, key.name))
        return false;
    if (names.problem.len) { /* the set itself is about to say so */
        *ret_wait = (struct set_order_wait){arena_str(arena, names.problem), true};
        return true;
    }
    for (size_t i = 0; i < names.count; i++) {
        const enum order_state state =
            judge_named(controllers, (struct key){key.namespace, names.names[i]}, cluster, binding);
        if (!order_is_waited_for(state))
            continue;
        if (waits++ < NAMES_TOLD)
            order_write_wait(&text, names.names[i], state);
        ret_wait->is_unknown |= state == ORDER_UNKNOWN;
    }
    if (waits > NAMES_TOLD)
        buf_print(&text, ", and for %zu more", waits - NAMES_TOLD);
    ret_wait->text = arena_str(arena, buf_str(&text));
    return waits > 0;
}

static void wake_placement(struct crs_set *set, const struct placement *placement)
{
    if (placement_fault(placement)->type == FAULT_WAITING)
        placement_enqueue(set, placement_cluster(placement), QUEUE_NORMAL);
}

/* A binding was written: who waits on its cluster looks again. */
struct cluster_wake {
    struct crs_controllers *controllers;
    struct str cluster;
};

static void wake_on_cluster(void *data, struct key key)
{
    const struct cluster_wake *wake = data;
    struct crs_set *set = set_find(wake->controllers, key);
    const struct placement *placement = set ? placement_find(set, wake->cluster) : NULL;
    if (placement)
        wake_placement(set, placement);
}

void set_order_wake_cluster(struct crs_controllers *controllers, struct key cluster)
{
    struct cluster_wake wake = {controllers, cluster.name};
    order_graph_each(controllers->order_graph, cluster.namespace, wake_on_cluster, &wake);
}

static void wake_set(void *data, struct key key)
{
    struct crs_set *set = set_find(data, key);
    if (!set)
        return;
    MAP_FOREACH (entry, set_placements(set))
        wake_placement(set, entry->value);
}

void set_order_wake_dependents(const struct crs_set *set)
{
    struct crs_controllers *controllers = set_controllers(set);
    order_graph_each_dependent(controllers->order_graph, set_key(set), wake_set, controllers);
}

/* A set without a state has not been looked at yet, or is none of ours. */
static void enqueue_follower(void *data, struct key key)
{
    struct crs_set *set = set_find(data, key);
    if (set)
        set_enqueue(set, QUEUE_NORMAL);
}

/* The text is not parsed if it cannot have the annotation, as that of most sets. */
static struct object *read_annotated(const struct object_text *text)
{
    struct object *object = NULL;
    if (text && str_contains(object_text_json(text), STR(ORDER_ANNOTATION)))
        error_free(object_text_read(text, &object));
    return object;
}

/* Whether the set came or went, or what those that name it go by has changed. */
static bool is_other_to_dependents(const struct cache_event *event)
{
    OWNED(object) old = NULL;
    OWNED(object) now = NULL;
    if (!event->old || !event->now)
        return true;
    OWNED(error) old_err = object_text_read(event->old, &old);
    OWNED(error) now_err = object_text_read(event->now, &now);
    return old_err || now_err || !str_eq(object_uid(old), object_uid(now)) ||
           object_is_deleting(old) != object_is_deleting(now) ||
           !json_equal(object_labels(old), object_labels(now));
}

/*
 * The followers of a set are the same before and after its annotation changes, because they follow
 * by their own annotations. Among them are all sets of the cycles that the change opens or closes.
 */
void set_order_map(void *data, const struct cache_event *event, struct queue *queue, int priority)
{
    struct crs_controllers *controllers = data;
    struct order_graph *graph = controllers->order_graph;
    const struct key key = object_text_key(event->now ? event->now : event->old);
    OWNED(object) now = read_annotated(event->now);
    struct str text = {0};
    (void)queue;
    (void)priority;
    if (now)
        object_find_annotation(now, STR(ORDER_ANNOTATION), &text);
    if (order_graph_put(graph, key, text))
        order_graph_each_follower(graph, key, enqueue_follower, controllers);
    if (order_graph_is_named(graph, key) && is_other_to_dependents(event))
        order_graph_each_dependent(graph, key, wake_set, controllers);
}
