/*
 * set_rollout_look() collects the facts of all clusters, decides, and writes the annotation if the
 * state has changed; then it decides once more, because others ran meanwhile. The last decision is
 * kept without a suspension in between.
 *
 * A slot that was given to a cluster is taken when set_rollout_begin() notes that the revision is
 * being applied. Between the check of the placement and that note nothing suspends, and every look
 * counts what was noted, so that no slot is given out twice.
 */
#include "clusterresourceset/set_rollout.h"

#include <stdlib.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "async/loop.h"
#include "base/array.h"
#include "base/memory.h"
#include "client/client.h"
#include "clustercache/cluster_connection.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_turn.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/rollout.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_events.h"
#include "clusterresourceset/set_status.h"
#include "clusterresourceset/types/approval.h"
#include "controller/cache/cache.h"

#define WRITES_MAX 5 /* of one look: each of them is followed by a decision */

/* Looks of one set are this far apart, and more the more clusters there are. */
#define LOOK_PAUSE         (20 * MILLISECOND)
#define LOOK_PAUSE_CLUSTER (20 * MICROSECOND)

struct rollout_look {
    struct crs_set *set;
    const struct plan *plan;
    struct arena arena;
    char revision[DELIVERY_REVISION_LEN + 1];
    struct rollout_cluster *clusters;
    size_t count, capacity;
};

static void rollout_look_done(struct rollout_look *look)
{
    arena_done(&look->arena);
}

bool set_rollout_has_waves(const struct plan *plan)
{
    return plan && plan_policy(plan) && plan_policy(plan)->wave_count > 0;
}

/* A binding that has not changed is not read again. */
static enum rollout_stage find_stage(struct placement *placement, const struct plan *plan,
                                     struct str revision, struct key cluster)
{
    SCOPED(arena) arena = {0};
    struct placement_turn *turn = placement_turn(placement);
    struct binding_store *store = set_controllers(placement_set(placement))->binding_store;
    const struct str version = binding_store_version(store, cluster, &arena);
    const bool has_health = plan_policy(plan)->health_timeout > 0;
    if (version.len && str_eq(version, str_from_c(turn->version)) &&
        str_eq(revision, str_from_c(turn->stage_revision)) && turn->has_health == has_health)
        return turn->stage;
    OWNED(object) binding = binding_store_find(store, cluster);
    mem_free(turn->version);
    turn->version = version.len ? mem_dup(version.ptr, version.len) : NULL;
    memcpy(turn->stage_revision, revision.ptr, sizeof(turn->stage_revision));
    turn->has_health = has_health;
    turn->stage = placement_turn_stage(plan, binding, set_key(placement_set(placement)).name);
    return turn->stage;
}

/* Only asked of clusters that never had the set. Times are in whole seconds. */
static bool is_new_cluster(struct placement *placement, struct key cluster)
{
    struct placement_turn *turn = placement_turn(placement);
    const struct crs_set *set = placement_set(placement);
    timestamp made = 0, set_made = 0;
    if (turn->is_age_known)
        return turn->is_new;
    OWNED(object) object = cache_get(set_controllers(set)->options.clusters, cluster);
    turn->is_age_known = object != NULL;
    turn->is_new = object && object_creation_timestamp(object, &made) &&
                   object_creation_timestamp(set_object(set), &set_made) && made > set_made;
    return turn->is_new;
}

/* A connection that is being made is waited for. */
static bool is_unreachable(struct placement *placement, struct key cluster)
{
    struct crs_controllers *controllers = set_controllers(placement_set(placement));
    const enum fault_type fault = placement_fault(placement)->type;
    OWNED(cluster_connection) connection = NULL;
    OWNED(error)
    offline = clustercache_get_client(controllers->options.clustercache, cluster, &connection);
    return fault == FAULT_WAITING ||
           (offline &&
            (fault == FAULT_NO_CLIENT ||
             clustercache_get_health(controllers->options.clustercache, cluster).is_lost));
}

/* What is known of one cluster now, for the revision of the plan. */
static struct rollout_cluster read_cluster(struct placement *placement, const struct plan *plan,
                                           struct str revision)
{
    const struct crs_set *set = placement_set(placement);
    const struct cluster_index *index = set_controllers(set)->cluster_index;
    const struct placement_turn *turn = placement_turn(placement);
    const struct key cluster = {set_key(set).namespace, placement_cluster(placement)};
    const struct str running = str_from_c(turn->running);
    struct rollout_cluster facts = {
        .wave = rollout_wave_of(plan_policy(plan), cluster_index_labels(index, cluster)),
        .stage = placement_fault(placement)->type == FAULT_NO_ROOM
                     ? ROLLOUT_FAILED
                     : find_stage(placement, plan, revision, cluster),
        .is_unreachable = is_unreachable(placement, cluster),
        .is_paused = cluster_index_is_paused(index, cluster),
        .runs = running.len && str_eq(running, revision),
        .runs_other = running.len && !str_eq(running, revision),
    };
    if (turn->has_other_values)
        facts.stage = placement_turn_outdate(facts.stage);
    facts.is_new = facts.stage == ROLLOUT_ABSENT && is_new_cluster(placement, cluster);
    return facts;
}

static void add_cluster(void *data, struct str name)
{
    struct rollout_look *look = data;
    struct placement *placement = placement_open(look->set, name);
    struct rollout_cluster cluster =
        read_cluster(placement, look->plan, str_from_c(look->revision));
    cluster.name = placement_cluster(placement);
    ARENA_ARRAY_PUSH(&look->arena, look->clusters, look->count, look->capacity, cluster);
}

static int compare_clusters(const void *a, const void *b)
{
    const struct rollout_cluster *one = a, *other = b;
    return str_cmp(one->name, other->name);
}

static struct rollout_decision decide(struct rollout_look *look)
{
    struct crs_set *set = look->set;
    struct crs_controllers *controllers = set_controllers(set);
    const struct rollout_state before = rollout_read(set_object(set));
    struct str tokens = {0};
    object_find_annotation(set_object(set), STR(APPROVAL_ANNOTATION), &tokens);
    look->count = 0;
    cluster_index_each(controllers->cluster_index, set_key(set).namespace,
                       &plan_spec(look->plan)->selector, add_cluster, look);
    if (look->count)
        qsort(look->clusters, look->count, sizeof(*look->clusters), compare_clusters);
    const struct rollout_facts facts = {
        .policy = plan_policy(look->plan),
        .revision = str_from_c(look->revision),
        .is_incomplete = !plan_is_whole(look->plan),
        .tokens = tokens,
        .now = loop_wall(controllers->loop),
        .clusters = look->clusters,
        .count = look->count,
    };
    return rollout_decide(&before, &facts);
}

static void keep_turn(const struct rollout_look *look, const struct rollout_state *state,
                      const struct rollout_cluster *cluster)
{
    struct placement_turn *turn = placement_turn(placement_find(look->set, cluster->name));
    SCOPED(buf) why = {.limit = 0};
    turn->hold = cluster->hold;
    turn->seen = *cluster;
    turn->seen.name = (struct str){0};
    turn->saw_other_values = turn->has_other_values;
    memcpy(turn->revision, look->revision, sizeof(turn->revision));
    rollout_write_hold(state, rollout_wave_name(plan_policy(look->plan), cluster->wave),
                       cluster->hold, &why);
    mem_free(turn->why);
    turn->why = why.len ? mem_dup(why.ptr, why.len) : NULL;
}

static void keep_decision(const struct rollout_look *look, const struct rollout_decision *decision)
{
    struct crs_set *set = look->set;
    const int64_t now = loop_now(set_controllers(set)->loop);
    for (size_t i = 0; i < look->count; i++)
        keep_turn(look, &decision->state, &look->clusters[i]);
    set_put_rollout(set, decision);
    set_rollout(set)->look_at = now + LOOK_PAUSE + (duration)look->count * LOOK_PAUSE_CLUSTER;
    if (decision->look_after > 0)
        set_enqueue_after(set, decision->look_after);
}

/* Suspends. What another process wrote meanwhile is read, and decided by. */
static struct error *write_state(struct crs_set *set, const struct rollout_state *state)
{
    SCOPED(buf) text = {.limit = 0};
    rollout_write(state, &text);
    return error_ignore(set_write_annotation(set, STR(ROLLOUT_ANNOTATION), buf_str(&text)),
                        ERROR_CONFLICT);
}

/* Events follow the write: a state that another process wrote is not told twice. */
static void tell_news(const struct rollout_look *look, const struct rollout_decision *decision)
{
    const struct delivery_policy *policy = plan_policy(look->plan);
    const struct rollout_state now = rollout_read(set_object(look->set));
    if (!rollout_state_eq(&now, &decision->state))
        return;
    for (size_t i = 0; i < decision->news_count; i++)
        set_events_record_rollout(look->set, &decision->news[i],
                                  rollout_wave_name(policy, decision->news[i].wave), decision);
    set_note_news(look->set);
}

static struct error *run_look(struct rollout_look *look)
{
    for (size_t i = 0; i < WRITES_MAX; i++) {
        const struct rollout_state before = rollout_read(set_object(look->set));
        const struct rollout_decision decision = decide(look);
        if (rollout_state_eq(&before, &decision.state)) {
            keep_decision(look, &decision);
            return NULL;
        }
        TRY(write_state(look->set, &decision.state), "write the annotation " ROLLOUT_ANNOTATION);
        tell_news(look, &decision);
    }
    return error_new(ERROR_CONFLICT, "another writer changes the annotation " ROLLOUT_ANNOTATION);
}

/* Many placements may end at the same time: a look serves all of them. */
static bool is_too_early(struct crs_set *set, const struct rollout_look *look)
{
    const struct set_rollout *rollout = set_rollout(set);
    const int64_t now = loop_now(set_controllers(set)->loop);
    if (!rollout || set_is_touched(set) || now >= rollout->look_at ||
        strcmp(rollout->decision.state.revision, look->revision) != 0)
        return false;
    set_enqueue_after(set, rollout->look_at - now);
    return true;
}

static struct error *keep_binding(void *data, struct object *binding)
{
    binding_store_put(data, binding);
    return NULL;
}

/*
 * The cache of a process that was elected may be behind what the one before has written, and a
 * decision by old records gives the same slots to others. So the bindings of a namespace are read
 * from the server once before the first decision there. Suspends.
 */
static struct error *read_bindings(struct crs_set *set)
{
    struct crs_controllers *controllers = set_controllers(set);
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_sink sink = {.each = keep_binding, .data = controllers->binding_store};
    const struct str namespace = set_key(set).namespace;
    if (!controllers->options.is_elected || map_find(&controllers->read_namespaces, namespace))
        return NULL;
    TRY(client_list_each(controllers->options.client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, namespace,
                         NULL, &sink, &version),
        "read the ClusterResourceSetBindings of namespace %.*s before the first decision about a "
        "rollout",
        STR_ARG(namespace));
    map_put(&controllers->read_namespaces, namespace, controllers);
    return NULL;
}

struct error *set_rollout_look(struct crs_set *set, const struct plan *plan)
{
    SCOPED(rollout_look) look = {.set = set, .plan = plan};
    if (!set_rollout_has_waves(plan)) {
        set_put_rollout(set, NULL);
        return NULL;
    }
    TRY(read_bindings(set));
    plan_revision(plan, look.revision);
    return is_too_early(set, &look) ? NULL : run_look(&look);
}

bool set_rollout_waits(struct placement *placement, const struct plan *plan, struct str *ret_why)
{
    char text[DELIVERY_REVISION_LEN + 1];
    return set_rollout_has_waves(plan) &&
           placement_turn_waits(placement_turn(placement), plan_revision(plan, text), ret_why);
}

void set_rollout_note_values(struct placement *placement, const struct plan *plan,
                             const struct object *binding)
{
    if (set_rollout_has_waves(plan))
        placement_turn(placement)->has_other_values =
            plan_has_other_values(plan, binding, set_key(placement_set(placement)).name);
}

bool set_rollout_has_failed(const struct placement *placement)
{
    return placement_fault(placement)->type == FAULT_NOT_APPLIED &&
           placement_turn((struct placement *)placement)->seen.stage == ROLLOUT_FAILED;
}

void set_rollout_begin(struct placement *placement, const struct plan *plan)
{
    if (set_rollout_has_waves(plan))
        plan_revision(plan, placement_turn(placement)->running);
}

void set_rollout_end(struct placement *placement)
{
    if (placement_has_turn(placement))
        placement_turn(placement)->running[0] = 0;
}

static bool are_same_facts(const struct rollout_cluster *a, const struct rollout_cluster *b)
{
    return a->wave == b->wave && a->stage == b->stage && a->is_unreachable == b->is_unreachable &&
           a->is_paused == b->is_paused && a->runs == b->runs && a->runs_other == b->runs_other;
}

void set_rollout_note(struct placement *placement)
{
    char text[DELIVERY_REVISION_LEN + 1];
    struct crs_set *set = placement_set(placement);
    const struct plan *plan = set_plan(set);
    if (!set_rollout_has_waves(plan) || !set_is_open(set))
        return;
    const struct placement_turn *turn = placement_turn(placement);
    const struct str revision = plan_revision(plan, text);
    const struct rollout_cluster now = read_cluster(placement, plan, revision);
    if (!str_eq(str_from_c(turn->revision), revision) || !are_same_facts(&now, &turn->seen))
        set_enqueue(set, QUEUE_NORMAL);
}

struct str set_rollout_describe(struct crs_set *set, struct arena *arena)
{
    const struct set_rollout *rollout = set_rollout(set);
    if (!rollout || rollout->decision.state.phase == ROLLOUT_ROLLED_OUT ||
        rollout->decision.state.phase == ROLLOUT_NONE)
        return STR("");
    const struct str phase = rollout_phase_name(rollout->decision.state.phase);
    return arena_print(arena, "wave %s (%.*s)", rollout->decision.state.wave, STR_ARG(phase));
}
