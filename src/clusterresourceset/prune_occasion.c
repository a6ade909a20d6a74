/*
 * scan_binding() finds the clusters that lose the set, by the bindings that are known. resolve()
 * compares their number with the policy. What is held gets a token; a cluster whose record names a
 * token that is approved goes on, as does one on which it has begun. So an approval lasts until the
 * last of its clusters is done, though there are fewer and fewer of them.
 */
#include "clusterresourceset/prune_occasion.h"

#include "async/loop.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/prune_condition.h"
#include "clusterresourceset/prune_note.h"
#include "clusterresourceset/prune_tell.h"
#include "clusterresourceset/prune_token.h"
#include "clusterresourceset/prune_withdraw.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_status.h"
#include "clusterresourceset/types/approval.h"
#include "clusterresourceset/types/crs_spec.h"
#include "controller/cache/cache.h"
#include "json/path.h"

#define LOOK_AGAIN  (30 * SECOND) /* at a set that is being deleted */
#define ORDER_PAUSE SECOND        /* until dependents that are being deleted are gone */
#define NAMES_SHOWN 5

/* A cluster that loses the set. */
struct loser {
    struct str name;
    struct delivery_prune prune; /* of its record */
    struct str revision;
    bool is_paused, is_connected;
};

struct scan {
    struct crs_set *set;
    enum prune_reason reason;
    const struct selector *selector;
    const struct delivery_policy *policy;
    struct arena arena;
    struct loser *losers;
    size_t count, capacity;
    size_t others;    /* clusters that keep the set */
    size_t abandoned; /* that should have lost it, and are given up: they count all the same */
};

static void scan_done(struct scan *scan)
{
    arena_done(&scan->arena);
}

static bool is_connected(struct crs_controllers *controllers, struct key cluster)
{
    OWNED(cluster_connection) connection = NULL;
    OWNED(error)
    err = clustercache_get_client(controllers->options.clustercache, cluster, &connection);
    return !err;
}

/* The text is not parsed if it cannot have a record. */
static bool scan_binding(void *data, struct object_text *text)
{
    struct scan *scan = data;
    struct crs_controllers *controllers = set_controllers(scan->set);
    const struct key key = object_text_key(text);
    struct delivery_mark mark;
    if (!str_contains(object_text_json(text), STR(DELIVERY_ANNOTATION)))
        return true;
    OWNED(object) binding = binding_store_find(controllers->binding_store, key);
    OWNED(object) cluster = cache_get(controllers->options.clusters, key);
    if (!cluster || object_is_deleting(cluster) ||
        !delivery_find_mark(binding, set_key(scan->set).name, &mark))
        return true;
    if (scan->reason == PRUNE_UNSELECTED &&
        selector_matches(scan->selector, object_labels(cluster))) {
        scan->others++;
        return true;
    }
    struct loser loser = {
        .name = arena_str(&scan->arena, key.name),
        .revision = arena_str(&scan->arena, str_from_c(mark.revision)),
        .is_paused = cluster_index_is_paused(controllers->cluster_index, key),
        .is_connected = is_connected(controllers, key),
    };
    delivery_find_prune(binding, set_key(scan->set).name, &scan->arena, &loser.prune);
    ARENA_ARRAY_PUSH(&scan->arena, scan->losers, scan->count, scan->capacity, loser);
    return true;
}

/* Caches that are not filled show too little. */
static bool scan_bindings(struct scan *scan)
{
    const struct crs_controllers *controllers = set_controllers(scan->set);
    if (!cache_is_synced(controllers->bindings) || !cache_is_synced(controllers->options.clusters))
        return false;
    cache_each(controllers->bindings, set_key(scan->set).namespace, scan_binding, scan);
    return true;
}

/* What the record of a cluster says is about this reason. */
static bool is_of_reason(const struct scan *scan, const struct loser *loser)
{
    return str_eq(loser->prune.reason, prune_reason_name(scan->reason));
}

static bool has_begun(const struct scan *scan, const struct loser *loser)
{
    return is_of_reason(scan, loser) && (loser->prune.state == DELIVERY_PRUNE_PRUNING ||
                                         loser->prune.state == DELIVERY_PRUNE_FAILED);
}

static bool is_approved(const struct scan *scan, const struct loser *loser)
{
    return is_of_reason(scan, loser) &&
           approval_is_given(set_object(scan->set), loser->prune.token);
}

/* The occasion that a deletion is held by stays the same, however many clusters are done. */
static struct str find_token(struct scan *scan, const struct str *rest, size_t count)
{
    char text[DELIVERY_REVISION_LEN + 1];
    const struct str uid = object_uid(set_object(scan->set));
    if (scan->reason == PRUNE_UNSELECTED)
        return prune_token(&scan->arena, uid, scan->reason,
                           plan_revision(set_plan(scan->set), text), rest, count);
    for (size_t i = 0; i < scan->count; i++)
        if (is_of_reason(scan, &scan->losers[i]) && scan->losers[i].prune.token.len)
            return scan->losers[i].prune.token;
    return prune_token(&scan->arena, uid, scan->reason, scan->losers[0].revision, NULL, 0);
}

static size_t count_clusters(const struct scan *scan)
{
    return scan->count + scan->others + scan->abandoned;
}

/* "needs approval prune/…: the set would be deleted on 2 of 10 clusters, more than …: c1, c2" */
static struct str explain_hold(struct scan *scan, const struct prune_occasion *occasion,
                               const struct str *rest, size_t count)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "needs approval %s: the set would be deleted on %zu of %zu clusters, more than "
              "maxClusters (%zu): ",
              occasion->token, count + scan->abandoned, count_clusters(scan), occasion->maximum);
    for (size_t i = 0; i < count && i < NAMES_SHOWN; i++)
        buf_print(&text, "%s%.*s", i ? ", " : "", STR_ARG(rest[i]));
    if (count > NAMES_SHOWN)
        buf_print(&text, " and %zu more", count - NAMES_SHOWN);
    return arena_str(&scan->arena, buf_str(&text));
}

static char *copy_text(struct str text)
{
    return text.len ? mem_dup(text.ptr, text.len) : NULL;
}

static void clear_occasion(struct prune_occasion *occasion)
{
    map_done(&occasion->clusters);
    mem_free(occasion->token);
    mem_free(occasion->message);
    *occasion = (struct prune_occasion){0};
}

/* One event for each token. */
static void tell_hold(struct crs_set *set)
{
    struct set_prune *prune = set_prune(set);
    const struct prune_occasion *occasion = &prune->occasion;
    if (!occasion->message || str_eq(str_from_c(prune->told), str_from_c(occasion->token)))
        return;
    mem_free(prune->told);
    prune->told = copy_text(str_from_c(occasion->token));
    prune_tell_held(set, NULL, str_from_c(occasion->message));
}

/* Decides which of the clusters may lose the set now. */
static void resolve(struct scan *scan)
{
    struct prune_occasion *occasion = &set_prune(scan->set)->occasion;
    struct str *rest = arena_alloc_array(&scan->arena, scan->count + 1, sizeof(*rest));
    size_t count = 0, under_way = 0;
    clear_occasion(occasion);
    if (!scan->count)
        return;
    occasion->reason = scan->reason;
    for (size_t i = 0; i < scan->count; i++) {
        const bool goes_on = is_approved(scan, &scan->losers[i]);
        under_way += !goes_on && has_begun(scan, &scan->losers[i]);
        if (goes_on || has_begun(scan, &scan->losers[i]))
            map_put(&occasion->clusters, scan->losers[i].name, scan->set);
        else
            rest[count++] = scan->losers[i].name;
    }
    const struct str token = find_token(scan, rest, count);
    occasion->token = copy_text(token);
    occasion->count = count + under_way + scan->abandoned;
    occasion->maximum =
        delivery_policy_at_most(scan->policy->prune_max_clusters, count_clusters(scan));
    const bool is_held = count && occasion->count > occasion->maximum &&
                         !approval_is_given(set_object(scan->set), token);
    for (size_t i = 0; i < count; i++)
        map_put(&occasion->clusters, rest[i], is_held ? NULL : scan->set);
    if (is_held)
        occasion->message = copy_text(explain_hold(scan, occasion, rest, count));
    tell_hold(scan->set);
}

/* What is held, and known to be, needs no look. */
static void enqueue_losers(const struct scan *scan)
{
    const struct prune_occasion *occasion = &set_prune(scan->set)->occasion;
    for (size_t i = 0; i < scan->count; i++) {
        const struct loser *loser = &scan->losers[i];
        const bool is_known = occasion->message && !map_find(&occasion->clusters, loser->name) &&
                              loser->prune.state == DELIVERY_PRUNE_HELD &&
                              str_eq(loser->prune.token, str_from_c(occasion->token)) &&
                              prune_note_find(scan->set, loser->name);
        if (!is_known)
            placement_enqueue(scan->set, loser->name, QUEUE_NORMAL);
    }
}

/* Notes of clusters that neither have nor lose the set go. */
static void sweep_notes(struct crs_set *set)
{
    struct map *notes = &set_prune(set)->notes;
    SCOPED(arena) arena = {0};
    struct str *gone = arena_alloc_array(&arena, map_count(notes) + 1, sizeof(*gone));
    size_t count = 0;
    MAP_FOREACH (entry, notes)
        if (!placement_find(set, map_key(entry)) && !prune_occasion_concerns(set, map_key(entry)))
            gone[count++] = arena_str(&arena, map_key(entry));
    for (size_t i = 0; i < count; i++)
        prune_note_drop(set, gone[i]);
}

bool prune_occasion_concerns(struct crs_set *set, struct str cluster)
{
    return map_has(&set_prune(set)->occasion.clusters, cluster);
}

void prune_occasion_follow(struct crs_set *set)
{
    const struct plan *plan = set_plan(set);
    SCOPED(scan)
    scan = {
        .set = set,
        .reason = PRUNE_UNSELECTED,
        .selector = &plan_spec(plan)->selector,
        .policy = plan_policy(plan),
    };
    if (scan.policy && scan.policy->prune_when & DELIVERY_POLICY_PRUNE_UNSELECTED &&
        scan_bindings(&scan)) {
        resolve(&scan);
        enqueue_losers(&scan);
    } else {
        clear_occasion(&set_prune(set)->occasion);
    }
    sweep_notes(set);
}

static struct condition_cluster describe_note(struct str cluster, const struct prune_note *note)
{
    static const int ranks[] = {
        [DELIVERY_PRUNE_DUE] = PRUNE_CONDITION_PRUNING,
        [DELIVERY_PRUNE_PRUNING] = PRUNE_CONDITION_PRUNING,
        [DELIVERY_PRUNE_FAILED] = PRUNE_CONDITION_FAILED,
        [DELIVERY_PRUNE_HELD] = PRUNE_CONDITION_HELD,
    };
    return (struct condition_cluster){
        .name = cluster,
        .text = note->message ? str_from_c(note->message) : STR("not looked at yet"),
        .rank = ranks[note->state],
    };
}

struct condition prune_occasion_condition(struct crs_set *set, int64_t generation,
                                          struct arena *arena)
{
    const struct set_prune *prune = set_prune(set);
    struct prune_condition made = {
        .clusters = arena_alloc_array(arena, map_count(&prune->notes) + 1, sizeof(*made.clusters)),
        .held = str_from_c(prune->occasion.message),
        .generation = generation,
    };
    MAP_FOREACH (entry, &prune->notes) {
        const struct prune_note *note = entry->value;
        made.kept += note->kept;
        if (note->state > DELIVERY_PRUNE_DONE)
            made.clusters[made.count++] = describe_note(map_key(entry), note);
    }
    return prune_condition_make(&made, arena);
}

/* The policy, if it asks for the deletion of objects with the set; NULL: nothing is deleted. */
static struct error *find_policy(const struct crs_set *set, struct delivery_policy **ret_policy)
{
    OWNED(delivery_policy) policy = NULL;
    TRY(prune_withdraw_read_policy(set, &policy));
    if (policy && policy->prune_when & DELIVERY_POLICY_PRUNE_DELETED)
        *ret_policy = TAKE(policy);
    return NULL;
}

/* Whether another set that depends on this one is being deleted, too: that one comes first. */
struct dependents {
    struct crs_controllers *controllers;
    bool is_one_deleting;
};

static void look_at_dependent(void *data, struct key key)
{
    struct dependents *dependents = data;
    OWNED(object) set = cache_get(dependents->controllers->sets, key);
    dependents->is_one_deleting |= set && object_is_deleting(set) &&
                                   object_has_finalizer(set, STR(CRS_FINALIZER)) &&
                                   crs_has_policy(set);
}

static bool waits_for_dependents(struct crs_set *set)
{
    struct dependents dependents = {.controllers = set_controllers(set)};
    order_graph_each_dependent(dependents.controllers->order_graph, set_key(set), look_at_dependent,
                               &dependents);
    return dependents.is_one_deleting;
}

/* Clusters that cannot be asked are not waited for any longer. */
static bool is_patience_over(const struct scan *scan)
{
    timestamp since;
    const struct str text =
        json_path_str(object_metadata(set_object(scan->set)), "deletionTimestamp");
    return timestamp_read(text, &since) &&
           loop_wall(set_controllers(scan->set)->loop) - since >= scan->policy->prune_abandon_after;
}

/*
 * Why a cluster is given up that should have lost the set by now; empty: it is not. What is under
 * way, and what waits for somebody to agree, is not given up.
 */
static struct str explain_end(struct scan *scan, const struct loser *loser)
{
    if (loser->is_paused)
        return STR("the Cluster is paused");
    if (!loser->is_connected)
        return STR("there is no connection");
    if (loser->prune.state == DELIVERY_PRUNE_PRUNING || loser->prune.state == DELIVERY_PRUNE_HELD)
        return STR("");
    return loser->prune.message.len ? arena_str(&scan->arena, loser->prune.message)
                                    : STR("nothing could be asked");
}

/* Takes those out that are given up, and says so on the Cluster. */
static void abandon_losers(struct scan *scan)
{
    const struct crs_controllers *controllers = set_controllers(scan->set);
    size_t left = 0;
    for (size_t i = 0; i < scan->count; i++) {
        const struct loser loser = scan->losers[i];
        const struct str why = explain_end(scan, &loser);
        if (!why.len) {
            scan->losers[left++] = loser;
            continue;
        }
        OWNED(object)
        cluster = cache_get(controllers->options.clusters,
                            (struct key){set_key(scan->set).namespace, loser.name});
        prune_tell_warning(scan->set, cluster, "PruneAbandoned",
                           arena_print(&scan->arena,
                                       "the set is deleted, and its objects stay here, for longer "
                                       "than abandonAfter: %.*s",
                                       STR_ARG(why)));
    }
    scan->abandoned = scan->count - left;
    scan->count = left;
}

static bool are_all_paused(const struct scan *scan)
{
    for (size_t i = 0; i < scan->count; i++)
        if (!scan->losers[i].is_paused)
            return false;
    return true;
}

/* Suspends. */
static struct error *write_condition(struct crs_set *set)
{
    SCOPED(arena) arena = {0};
    const struct condition condition =
        prune_occasion_condition(set, object_generation(set_object(set)), &arena);
    return set_write_status(set, &(struct set_status){.conditions = &condition, .count = 1});
}

/* Suspends. */
static struct error *delete_by_policy(struct crs_set *set, const struct delivery_policy *policy,
                                      bool *ret_waits)
{
    SCOPED(scan) scan = {.set = set, .reason = PRUNE_DELETED, .policy = policy};
    if (!scan_bindings(&scan) || waits_for_dependents(set)) {
        set_enqueue_after(set, ORDER_PAUSE);
        *ret_waits = true;
        return NULL;
    }
    if (are_all_paused(&scan))
        return NULL;
    if (is_patience_over(&scan))
        abandon_losers(&scan);
    resolve(&scan);
    if (!scan.count)
        return NULL;
    enqueue_losers(&scan);
    set_enqueue_after(set, LOOK_AGAIN);
    *ret_waits = true;
    return write_condition(set);
}

struct error *prune_occasion_delete(struct crs_set *set, bool *ret_waits)
{
    OWNED(delivery_policy) policy = NULL;
    *ret_waits = false;
    if (prune_withdraw_is_moved(set_object(set)))
        return NULL;
    TRY(find_policy(set, &policy));
    return policy ? delete_by_policy(set, policy, ret_waits) : NULL;
}
