/*
 * withdraw_cluster() reads the Cluster from the server, asks the guards, reads the lists and asks
 * the guards again. Before the first deletion the record says that it has begun: from then on the
 * cluster does not count as one to which the set is applied, whatever is left there.
 */
#include "clusterresourceset/prune_withdraw.h"

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "client/client.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/prune_guard.h"
#include "clusterresourceset/prune_note.h"
#include "clusterresourceset/prune_run.h"
#include "clusterresourceset/prune_tell.h"
#include "clusterresourceset/prune_token.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/types/approval.h"
#include "clusterresourceset/types/binding.h"
#include "clusterresourceset/types/crs_spec.h"
#include "controller/cache/cache.h"

#define MOVE_ANNOTATION "clusterctl.cluster.x-k8s.io/delete-for-move"
#define JUDGE_PAUSE     SECOND        /* until objects were counted on other clusters */
#define WAIT_PAUSE      (30 * SECOND) /* for a connection, or the end of a pause */

struct withdraw {
    struct crs_controllers *controllers;
    struct key set, cluster;
    struct arena arena;
    struct str uid; /* of the set */
    enum prune_reason reason;
    struct delivery_policy *policy;
    struct object *binding, *cluster_object;
    struct cluster_connection *connection;
    struct prune_run run;
    struct prune_facts facts;
    enum prune_decision decision;
    struct str why;
    struct str token; /* that was agreed to; empty: none was */
    struct reconcile_result *result;
};

static void withdraw_done(struct withdraw *withdraw)
{
    prune_run_done(&withdraw->run);
    delivery_policy_free(withdraw->policy);
    object_free(withdraw->binding);
    object_free(withdraw->cluster_object);
    cluster_connection_free(withdraw->connection);
    arena_done(&withdraw->arena);
}

bool prune_withdraw_is_moved(const struct object *set)
{
    struct str value;
    return object_find_annotation(set, STR(MOVE_ANNOTATION), &value);
}

struct error *prune_withdraw_read_policy(const struct crs_set *set,
                                         struct delivery_policy **ret_policy)
{
    const struct key key = {set_key(set).namespace, crs_policy_name(set_object(set))};
    if (!key.name.len)
        return NULL;
    struct error *err = policy_store_get(set_controllers(set)->policies, key, ret_policy);
    return error_ignore(error_ignore(err, ERROR_NOT_FOUND), ERROR_INVALID);
}

/* A set that selects the cluster again gets its objects there again. */
bool prune_withdraw_takes(struct crs_set *set, struct key cluster)
{
    const struct prune_occasion *occasion = &set_prune(set)->occasion;
    if (!map_has(&occasion->clusters, cluster.name))
        return false;
    if (occasion->reason == PRUNE_DELETED)
        return !set_is_open(set) && object_is_deleting(set_object(set));
    return set_is_open(set) && !cluster_index_selects(set_controllers(set)->cluster_index, cluster,
                                                      &plan_spec(set_plan(set))->selector);
}

/* The state of the set, if it is still the one; NULL: it is gone. */
static struct crs_set *find_set(const struct withdraw *withdraw)
{
    struct crs_set *set = set_find(withdraw->controllers, withdraw->set);
    return set && str_eq(object_uid(set_object(set)), withdraw->uid) ? set : NULL;
}

static bool asks_for(const struct withdraw *withdraw, const struct delivery_policy *policy)
{
    static const unsigned bits[] = {
        [PRUNE_UNSELECTED] = DELIVERY_POLICY_PRUNE_UNSELECTED,
        [PRUNE_DELETED] = DELIVERY_POLICY_PRUNE_DELETED,
    };
    return policy && policy->prune_when & bits[withdraw->reason];
}

/* By what is known now, without a request. */
static bool may_go_on(void *data)
{
    const struct withdraw *withdraw = data;
    struct crs_controllers *controllers = withdraw->controllers;
    struct crs_set *set = find_set(withdraw);
    OWNED(object) cluster = cache_get(controllers->options.clusters, withdraw->cluster);
    if (!set || crs_is_paused(set_object(set)) || !cluster || object_is_deleting(cluster) ||
        !str_eq(object_uid(cluster), object_uid(withdraw->cluster_object)) ||
        crs_cluster_is_paused(cluster) || !prune_withdraw_takes(set, withdraw->cluster))
        return false;
    if (withdraw->reason == PRUNE_DELETED)
        return !prune_withdraw_is_moved(set_object(set));
    return !set_is_touched(set) && asks_for(withdraw, plan_policy(set_plan(set))) &&
           !selector_matches(&plan_spec(set_plan(set))->selector, object_labels(cluster));
}

static void note_deleted(void *data, struct str kind)
{
    const struct withdraw *withdraw = data;
    prune_tell_deleted(withdraw->controllers, kind);
}

/* Whether the Cluster as it was read is one that the set selects. */
static bool is_selected(const struct withdraw *withdraw, const struct crs_set *set)
{
    return withdraw->reason == PRUNE_UNSELECTED && withdraw->cluster_object &&
           selector_matches(&plan_spec(set_plan(set))->selector,
                            object_labels(withdraw->cluster_object));
}

/*
 * The token that was agreed to: of the present occasion, or of the one that the record was held by,
 * which may have had more clusters. In the arena; empty: none was.
 */
static struct str find_approved(struct withdraw *withdraw, struct crs_set *set)
{
    struct delivery_prune prune;
    const struct str token = str_from_c(set_prune(set)->occasion.token);
    if (approval_is_given(set_object(set), token))
        return arena_str(&withdraw->arena, token);
    return delivery_find_prune(withdraw->binding, withdraw->set.name, &withdraw->arena, &prune) &&
                   str_eq(prune.reason, prune_reason_name(withdraw->reason)) &&
                   approval_is_given(set_object(set), prune.token)
               ? prune.token
               : STR("");
}

/* The set is there: the caller has looked it up since it last waited. */
static void decide(struct withdraw *withdraw, struct crs_set *set)
{
    const struct crs_controllers *controllers = withdraw->controllers;
    const struct prune_occasion *occasion = &set_prune(set)->occasion;
    const struct object *cluster = withdraw->cluster_object;
    const bool goes_on = map_find(&occasion->clusters, withdraw->cluster.name) != NULL;
    struct prune_facts *facts = &withdraw->facts;
    facts->reason = withdraw->reason;
    facts->is_asked_for = asks_for(withdraw, withdraw->policy);
    facts->is_cache_known = cache_is_synced(controllers->sets) &&
                            cache_is_synced(controllers->bindings) &&
                            cache_is_synced(controllers->options.clusters);
    facts->is_moved = prune_withdraw_is_moved(set_object(set));
    facts->is_there = cluster != NULL;
    facts->is_deleting = cluster && object_is_deleting(cluster);
    facts->is_paused = (cluster && crs_cluster_is_paused(cluster)) ||
                       cluster_index_is_paused(controllers->cluster_index, withdraw->cluster);
    facts->is_selected = is_selected(withdraw, set);
    facts->is_connected = withdraw->connection != NULL;
    facts->objects = withdraw->run.doomed.count;
    facts->max_objects = (size_t)withdraw->policy->prune_max_objects;
    facts->clusters = goes_on ? 0 : occasion->count;
    facts->max_clusters = occasion->maximum;
    withdraw->token = find_approved(withdraw, set);
    facts->is_approved = withdraw->token.len > 0;
    withdraw->decision = prune_guard_decide(facts, &withdraw->why);
}

/* The Cluster as the server has it, and whether the connection is to the cluster of the record. */
static struct error *read_facts(struct withdraw *withdraw)
{
    struct str uid = {0}, recorded = {0};
    struct error *err = client_get(withdraw->controllers->options.client, GVR_CLUSTERS,
                                   withdraw->cluster, NULL, &withdraw->cluster_object);
    TRY(error_ignore(err, ERROR_NOT_FOUND), "read Cluster %.*s/%.*s",
        STR_ARG(withdraw->cluster.namespace), STR_ARG(withdraw->cluster.name));
    TRY(cluster_connection_cluster_uid(withdraw->connection, &uid));
    if (withdraw->binding)
        object_find_annotation(withdraw->binding, STR(BINDING_CLUSTER_UID), &recorded);
    withdraw->facts.is_same = uid.len && str_eq(uid, recorded);
    return NULL;
}

/* What was agreed to stays in the record until all is done. Suspends. */
static struct error *write_note(const struct withdraw *withdraw, struct delivery_prune prune)
{
    if (!prune.token.len)
        prune.token = withdraw->token;
    prune.reason = prune_reason_name(withdraw->reason);
    return prune_note_write(withdraw->controllers, withdraw->set, withdraw->cluster, &prune, NULL);
}

/* The name of another cluster that is held because of its objects; empty: none. */
static struct str find_held_elsewhere(const struct withdraw *withdraw, struct crs_set *set)
{
    const struct prune_occasion *occasion = &set_prune(set)->occasion;
    MAP_FOREACH (entry, &set_prune(set)->notes) {
        const struct prune_note *note = entry->value;
        if (note->state == DELIVERY_PRUNE_HELD &&
            note->judged == PRUNE_NOTE_JUDGED(withdraw->reason) &&
            note->objects > withdraw->facts.max_objects &&
            map_find(&occasion->clusters, map_key(entry)) &&
            !str_eq(map_key(entry), withdraw->cluster.name))
            return map_key(entry);
    }
    return STR("");
}

/*
 * Whether objects are still to be counted on another cluster that loses the set. One that cannot be
 * asked, failed, or has begun is not waited for.
 */
static bool is_unjudged(const struct withdraw *withdraw, struct crs_set *set, struct str name)
{
    const struct prune_note *note = prune_note_find(set, name);
    struct crs_controllers *controllers = withdraw->controllers;
    const struct key cluster = {withdraw->cluster.namespace, name};
    OWNED(cluster_connection) connection = NULL;
    if (note && note->judged == PRUNE_NOTE_JUDGED(withdraw->reason))
        return false;
    if (note && !note->is_removed && note->state != DELIVERY_PRUNE_HELD &&
        (note->state > DELIVERY_PRUNE_DUE || note->message))
        return false;
    if (cluster_index_is_paused(controllers->cluster_index, cluster))
        return false;
    OWNED(error)
    offline = clustercache_get_client(controllers->options.clustercache, cluster, &connection);
    return !offline || !clustercache_get_health(controllers->options.clustercache, cluster).is_lost;
}

static bool has_unjudged(const struct withdraw *withdraw, struct crs_set *set)
{
    MAP_FOREACH (entry, &set_prune(set)->occasion.clusters)
        if (entry->value && !str_eq(map_key(entry), withdraw->cluster.name) &&
            is_unjudged(withdraw, set, map_key(entry)))
            return true;
    return false;
}

static void note_judged(const struct withdraw *withdraw, struct crs_set *set)
{
    prune_note_open(set, withdraw->cluster.name)->judged = PRUNE_NOTE_JUDGED(withdraw->reason);
}

/* What is held somewhere is deleted nowhere: so objects are counted everywhere first. */
static void decide_together(struct withdraw *withdraw, struct crs_set *set)
{
    note_judged(withdraw, set);
    decide(withdraw, set);
    if (withdraw->decision != PRUNE_DELETE || withdraw->facts.is_approved ||
        !withdraw->run.doomed.count)
        return;
    if (find_held_elsewhere(withdraw, set).len)
        withdraw->decision = PRUNE_HOLD;
    else if (has_unjudged(withdraw, set))
        withdraw->decision = PRUNE_WAIT;
}

/* "needs approval prune/…: 25 objects would be deleted, more than maxObjects (20): …" */
static struct str explain_objects(struct withdraw *withdraw, struct crs_set *set)
{
    SCOPED(buf) text = {.limit = 0};
    const char *token = set_prune(set)->occasion.token;
    const size_t count = withdraw->run.doomed.count, max = withdraw->facts.max_objects;
    buf_print(&text, "needs approval %s: %zu object%s would be deleted", token ? token : "", count,
              count == 1 ? "" : "s");
    if (count > max) {
        buf_print(&text, ", more than maxObjects (%zu): ", max);
    } else {
        const struct str other = find_held_elsewhere(withdraw, set);
        buf_print(&text, ", and more than maxObjects (%zu) on %.*s: ", max, STR_ARG(other));
    }
    prune_run_write_doomed(&withdraw->run, &text);
    return arena_str(&withdraw->arena, buf_str(&text));
}

/* Objects that the record counts; the lists are not read while clusters are held. */
static size_t count_recorded(struct withdraw *withdraw)
{
    struct delivery delivery = {0};
    delivery_read(withdraw->binding, withdraw->set.name, &withdraw->arena, &delivery);
    return delivery.failures.objects;
}

/* Suspends. */
static struct error *hold(struct withdraw *withdraw, struct crs_set *set)
{
    const struct prune_occasion *occasion = &set_prune(set)->occasion;
    const bool is_of_objects = withdraw->facts.is_listed;
    const struct prune_note *before = prune_note_find(set, withdraw->cluster.name);
    const struct delivery_prune prune = {
        .state = DELIVERY_PRUNE_HELD,
        .objects = is_of_objects ? withdraw->run.doomed.count : count_recorded(withdraw),
        .token = arena_str(&withdraw->arena, str_from_c(occasion->token)),
        .message = is_of_objects ? explain_objects(withdraw, set)
                                 : arena_str(&withdraw->arena, str_from_c(occasion->message)),
    };
    if (is_of_objects && !(before && before->state == DELIVERY_PRUNE_HELD &&
                           str_eq(str_from_c(before->token), prune.token)))
        prune_tell_held(set, withdraw->cluster_object, prune.message);
    return write_note(withdraw, prune);
}

static struct error *forget_set(void *data, struct object *binding, struct object **ret_binding)
{
    const struct withdraw *withdraw = data;
    return binding_forget(binding, crs_owner_reference(withdraw->set.name, withdraw->uid),
                          ret_binding);
}

/* Nothing is left but what is kept. Suspends. */
static struct error *finish(struct withdraw *withdraw)
{
    TRY(binding_store_change_or_delete(withdraw->controllers->binding_store, withdraw->cluster,
                                       forget_set, withdraw),
        "take the set out of ClusterResourceSetBinding %.*s/%.*s",
        STR_ARG(withdraw->cluster.namespace), STR_ARG(withdraw->cluster.name));
    struct crs_set *set = find_set(withdraw);
    if (!set)
        return NULL;
    prune_note_drop(set, withdraw->cluster.name);
    map_remove(&set_prune(set)->occasion.clusters, withdraw->cluster.name);
    set_note_news(set);
    set_enqueue(set, QUEUE_NORMAL);
    return NULL;
}

/* Objects that were deleted are still there. Suspends. */
static struct error *wait_for_left(struct withdraw *withdraw, struct crs_set *set)
{
    const struct prune_run *run = &withdraw->run;
    const struct delivery_prune prune = {
        .state = DELIVERY_PRUNE_PRUNING,
        .objects = run->doomed.count - run->deleted,
        .message = run->left
                       ? arena_print(&withdraw->arena, "%zu object%s deleted, still there: %.*s",
                                     run->left, run->left == 1 ? "" : "s",
                                     STR_ARG(buf_str(&run->left_names)))
                       : STR("objects have changed meanwhile and are looked at again"),
    };
    struct prune_note *note = prune_note_open(set, withdraw->cluster.name);
    withdraw->result->requeue_after =
        run->left ? prune_note_next_pause(note, loop_now(withdraw->controllers->loop)) : SECOND;
    return write_note(withdraw, prune);
}

/* After the deletions. Finalizers that do not go are told, and not waited for any longer. */
static struct error *conclude(struct withdraw *withdraw)
{
    const struct prune_run *run = &withdraw->run;
    struct crs_set *set = find_set(withdraw);
    if (!set)
        return NULL;
    prune_tell_run(set, withdraw->cluster_object, run);
    if (run->must_look_again || (run->left && !run->is_overdue))
        return wait_for_left(withdraw, set);
    if (run->left)
        prune_tell_warning(set, withdraw->cluster_object, "PruneAbandoned",
                           arena_print(&withdraw->arena,
                                       "%zu object%s deleted and still there after 5 minutes, not "
                                       "waited for any longer: %.*s",
                                       run->left, run->left == 1 ? "" : "s",
                                       STR_ARG(buf_str(&run->left_names))));
    return finish(withdraw);
}

/* Reads the lists and deletes what they show, if the guards agree. Suspends. */
static struct error *look_and_delete(struct withdraw *withdraw)
{
    TRY(prune_run_look(&withdraw->run));
    withdraw->facts.is_listed = true;
    struct crs_set *set = find_set(withdraw);
    if (!set || !prune_withdraw_takes(set, withdraw->cluster))
        return NULL;
    decide_together(withdraw, set);
    if (withdraw->decision == PRUNE_HOLD)
        return hold(withdraw, set);
    if (withdraw->decision == PRUNE_WAIT)
        withdraw->result->requeue_after = JUDGE_PAUSE;
    if (withdraw->decision != PRUNE_DELETE)
        return NULL;
    TRY(write_note(withdraw, (struct delivery_prune){.state = DELIVERY_PRUNE_PRUNING,
                                                     .objects = withdraw->run.doomed.count}));
    TRY(prune_run_delete(&withdraw->run));
    return conclude(withdraw);
}

static struct error *begin_run(struct withdraw *withdraw, struct crs_set *set)
{
    const struct prune_note *note = prune_note_find(set, withdraw->cluster.name);
    withdraw->run = (struct prune_run){
        .client = cluster_connection_client(withdraw->connection),
        .discovery = cluster_connection_discovery(withdraw->connection),
        .arena = &withdraw->arena,
        .manager = field_manager_of_set(&withdraw->arena, withdraw->set),
        .policy = withdraw->policy,
        .kinds = delivery_read_kinds(withdraw->binding, withdraw->set.name, &withdraw->arena),
        .is_overdue = prune_note_is_overdue(note, loop_now(withdraw->controllers->loop)),
        .may_go_on = may_go_on,
        .note_deleted = note_deleted,
        .data = withdraw,
    };
    return look_and_delete(withdraw);
}

/* Suspends. */
static struct error *withdraw_cluster(struct withdraw *withdraw)
{
    TRY(read_facts(withdraw));
    struct crs_set *set = find_set(withdraw);
    if (!set || !prune_withdraw_takes(set, withdraw->cluster))
        return NULL;
    decide(withdraw, set);
    if (withdraw->decision == PRUNE_HOLD)
        return hold(withdraw, set);
    if (withdraw->decision == PRUNE_LOOK)
        return begin_run(withdraw, set);
    if (withdraw->decision == PRUNE_WAIT)
        withdraw->result->requeue_after = WAIT_PAUSE;
    note_judged(withdraw, set); /* the others do not wait for it */
    return NULL;
}

/* What went wrong goes into the record; the queue tries again. Suspends. */
static struct error *note_failure(struct withdraw *withdraw, struct error *err)
{
    struct crs_set *set = find_set(withdraw);
    if (!err || error_is(err, ERROR_CANCELED) || fiber_is_canceled(fiber_current()) || !set) {
        withdraw->result->requeue_after = SECOND;
        return error_ignore(err, ERROR_CANCELED);
    }
    const bool has_begun = withdraw->facts.is_listed && withdraw->decision == PRUNE_DELETE;
    const struct delivery_prune prune = {
        .state = has_begun ? DELIVERY_PRUNE_FAILED : DELIVERY_PRUNE_DUE,
        .objects = withdraw->run.doomed.count - withdraw->run.deleted,
        .message = str_from_c(err->message),
    };
    return error_join(err, write_note(withdraw, prune));
}

/* No request is made while there is no connection or the Cluster is paused. */
struct error *prune_withdraw_reconcile(struct crs_controllers *controllers, struct crs_set *set,
                                       struct key cluster, struct reconcile_result *ret_result)
{
    SCOPED(withdraw)
    withdraw = {
        .controllers = controllers,
        .cluster = cluster,
        .reason = set_prune(set)->occasion.reason,
        .binding = binding_store_find(controllers->binding_store, cluster),
        .result = ret_result,
    };
    withdraw.set = key_copy(&withdraw.arena, set_key(set));
    withdraw.uid = arena_str(&withdraw.arena, object_uid(set_object(set)));
    OWNED(error)
    offline =
        clustercache_get_client(controllers->options.clustercache, cluster, &withdraw.connection);
    if (offline || cluster_index_is_paused(controllers->cluster_index, cluster)) {
        ret_result->requeue_after = WAIT_PAUSE;
        return NULL;
    }
    FIBER_TIMEOUT(controllers->options.apply_timeout);
    TRY(prune_withdraw_read_policy(set, &withdraw.policy));
    if (!withdraw.policy)
        return NULL;
    struct error *err = withdraw_cluster(&withdraw);
    return err ? note_failure(&withdraw, err) : NULL;
}
