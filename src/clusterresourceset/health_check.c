/*
 * reconcile_health() looks at one cluster: it collects the placements there whose look is due and
 * their objects, reads one list of each kind, then single objects that no list has, and judges.
 *
 * Others run while the cluster is asked. So the placements are looked up again at the end, and one
 * to which something was applied meanwhile gets no finding: it is looked at again soon.
 */
#include "clusterresourceset/health_check.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "base/array.h"
#include "base/random.h"
#include "base/shorten.h"
#include "client/client.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_check.h"
#include "clusterresourceset/drift_objects.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_health.h"
#include "clusterresourceset/placement_values.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/set.h"
#include "framework/readiness.h"

#define FIRST_LOOK     SECOND
#define SOON           (30 * SECOND)
#define ERROR_RETRY    (30 * SECOND)
#define CHANGE_SPACING (10 * SECOND) /* between looks that changes ask for */
#define TELL_PAUSE     (10 * SECOND) /* between two records that say the same of the whole */
#define TEXT_MAX       ((size_t)500) /* bytes of reason and message of an object */
#define TURN           64            /* objects that are judged before others have their turn */

/* What a list or a read said of an object. */
struct looked_object {
    const struct drift_object *object;
    struct looked_object *other; /* the same object, in another set */
    bool is_seen, is_ready;
    struct str reason, message;
};

/* One set on the cluster. */
struct looked_placement {
    struct key set;
    struct plan *plan;
    uint64_t stamp; /* when the look began */
    struct looked_object *objects;
    size_t count;
};

struct health_check {
    struct crs_controllers *controllers;
    struct key cluster;
    struct cluster_connection *connection;
    struct arena arena;
    struct looked_placement *placements;
    size_t count, capacity;
    struct map objects; /* "group/kind ns/name" -> the first struct looked_object */
    struct map kinds;   /* "group/kind" -> const struct discovery_mapping */
    struct str kind;    /* the one that is being listed */
    size_t listed;      /* objects that were judged */
};

static void health_check_done(struct health_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        plan_free(check->placements[i].plan);
    map_done(&check->objects);
    map_done(&check->kinds);
    cluster_connection_free(check->connection);
    arena_done(&check->arena);
}

/* What the policy of the set allows; 0: it has no health. */
static duration find_timeout(const struct crs_set *set)
{
    const struct plan *plan = set_plan(set);
    const struct delivery_policy *policy = plan ? plan_policy(plan) : NULL;
    return policy ? policy->health_timeout : 0;
}

/* The cluster has all of the plan, and nothing is about to change there. */
static bool is_settled(struct crs_set *set, struct placement *placement,
                       const struct object *binding)
{
    const struct plan *plan = placement_plan(placement);
    const enum fault_type fault = placement_fault(placement)->type;
    return set_is_open(set) && find_timeout(set) && !placement_is_pending(placement) &&
           (!fault || (fault == FAULT_WAVE && plan != set_plan(set))) &&
           placement_is_reconciled(placement, plan) &&
           plan_is_met(plan, binding, set_owner_reference(set)) &&
           plan_has_revision(plan, binding, set_key(set).name);
}

/* The placement of a set on the cluster that is looked at from time to time; NULL: there is none.
 */
static struct placement *find_followed(const struct health_check *check, struct crs_set *set)
{
    struct placement *placement = str_eq(set_key(set).namespace, check->cluster.namespace)
                                      ? placement_find(set, check->cluster.name)
                                      : NULL;
    return placement && placement_has_health(placement) && placement_health(placement)->is_followed
               ? placement
               : NULL;
}

/* What is about to change is followed again when it is reconciled. */
static void collect_placements(struct health_check *check)
{
    const int64_t now = loop_now(check->controllers->loop);
    OWNED(object)
    binding = binding_store_find(check->controllers->binding_store, check->cluster);
    MAP_FOREACH (entry, &check->controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        struct placement *placement = find_followed(check, set);
        if (!placement || placement_health(placement)->look_at > now)
            continue;
        bool waits = false;
        struct plan *plan =
            is_settled(set, placement, binding) ? placement_values_plan(placement, &waits) : NULL;
        if (waits) {
            placement_health(placement)->look_at = now + VALUES_ROOM_PAUSE;
            continue;
        }
        if (!plan) {
            placement_health(placement)->is_followed = false;
            continue;
        }
        const struct looked_placement looked = {
            .set = {arena_str(&check->arena, set_key(set).namespace),
                    arena_str(&check->arena, set_key(set).name)},
            .plan = plan,
            .stamp = placement_health(placement)->stamp,
        };
        ARENA_ARRAY_PUSH(&check->arena, check->placements, check->count, check->capacity, looked);
    }
}

/* The placement, if it is still what it was when the look began. */
static struct placement *find_placement(const struct health_check *check,
                                        const struct looked_placement *looked)
{
    struct crs_set *set = set_find(check->controllers, looked->set);
    struct placement *placement = set ? placement_find(set, check->cluster.name) : NULL;
    OWNED(object)
    binding = binding_store_find(check->controllers->binding_store, check->cluster);
    return placement && placement_has_health(placement) &&
                   placement_health(placement)->stamp == looked->stamp &&
                   plan_round(placement_plan(placement)) == plan_round(looked->plan) &&
                   is_settled(set, placement, binding)
               ? placement
               : NULL;
}

static void add_object(struct health_check *check, struct looked_object *object)
{
    struct looked_object *first = map_find(&check->objects, object->object->id);
    if (first) {
        object->other = first->other;
        first->other = object;
    } else {
        map_put(&check->objects, object->object->id, object);
    }
    if (object->object->mapping)
        map_put(&check->kinds, object->object->kind, (void *)object->object->mapping);
}

/* Suspends for kinds that are not known yet. */
static struct error *collect_objects(struct health_check *check, struct looked_placement *looked)
{
    struct drift_objects objects;
    TRY(drift_objects_read(looked->plan, health_leaves_out,
                           cluster_connection_discovery(check->connection), &check->arena,
                           &objects));
    looked->objects = arena_alloc_array(&check->arena, objects.count + 1, sizeof(*looked->objects));
    for (size_t i = 0; i < objects.count; i++) {
        looked->objects[i] = (struct looked_object){.object = &objects.items[i]};
        add_object(check, &looked->objects[i]);
    }
    looked->count = objects.count;
    return NULL;
}

/* A cluster may send long texts. */
static struct str copy_short(struct health_check *check, struct str text)
{
    SCOPED(buf) copy = {.limit = 0};
    shorten_text(&copy, text, TEXT_MAX);
    return arena_str(&check->arena, buf_str(&copy));
}

static void judge_object(struct health_check *check, struct looked_object *object,
                         const struct object *live)
{
    const struct readiness found =
        readiness_check(live, false, loop_wall(check->controllers->loop));
    object->is_seen = true;
    object->is_ready = found.state == GRAPH_READY;
    if (object->is_ready)
        return;
    object->reason = copy_short(check, found.reason);
    object->message = copy_short(check, found.message);
}

static struct error *judge_listed(void *data, struct object *live)
{
    struct health_check *check = data;
    SCOPED(buf) id = {.limit = 0};
    const struct key key = object_key(live);
    buf_print(&id, "%.*s %.*s/%.*s", STR_ARG(check->kind), STR_ARG(key.namespace),
              STR_ARG(key.name));
    for (struct looked_object *object = map_find(&check->objects, buf_str(&id)); object;
         object = object->other)
        judge_object(check, object, live);
    return ++check->listed % TURN ? NULL : fiber_yield(); /* a list may be long */
}

static void forget_listed(void *data)
{
    const struct health_check *check = data;
    MAP_FOREACH (entry, &check->objects)
        for (struct looked_object *object = entry->value; object; object = object->other)
            object->is_seen = object->is_seen && !str_eq(object->object->kind, check->kind);
}

/*
 * The newest objects are asked for: what an older one says of itself may be true of what it was
 * before the apply. Suspends.
 */
static struct error *list_kind(struct health_check *check, const struct discovery_mapping *mapping)
{
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_options options = {.label_selector = STR(APPLY_MANAGED_LABEL)};
    const struct client_list_sink sink = {judge_listed, forget_listed, check};
    return drift_objects_list(check->connection, mapping, &options, &sink, &version);
}

/* The words are those of an apply that fails because of it. */
static void note_unserved(struct health_check *check, struct looked_object *object)
{
    const struct object *manifest = object->object->manifest->object;
    const struct str kind = object_kind(manifest), api_version = object_api_version(manifest);
    object->reason = STR("NoKind");
    object->message = arena_print(&check->arena, "no matches for kind \"%.*s\" in version \"%.*s\"",
                                  STR_ARG(kind), STR_ARG(api_version));
}

static struct error *read_unseen(struct health_check *check, struct looked_placement *looked)
{
    for (size_t i = 0; i < looked->count; i++) {
        struct looked_object *object = &looked->objects[i];
        OWNED(object) live = NULL;
        if (object->is_seen)
            continue;
        if (!object->object->mapping) {
            note_unserved(check, object);
            continue;
        }
        TRY(drift_object_read(check->connection, object->object, NULL, &live));
        if (live)
            judge_object(check, object, live);
        else
            object->reason = STR("NotFound");
    }
    return NULL;
}

/* Asks the cluster for everything. Suspends. */
static struct error *look_at_cluster(struct health_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        TRY(collect_objects(check, &check->placements[i]));
    MAP_FOREACH (entry, &check->kinds) {
        check->kind = map_key(entry);
        TRY(list_kind(check, entry->value), "list objects of kind %.*s", STR_ARG(check->kind));
    }
    for (size_t i = 0; i < check->count; i++)
        TRY(read_unseen(check, &check->placements[i]), "read objects of ClusterResourceSet %.*s",
            STR_ARG(check->placements[i].set.name));
    return NULL;
}

/* What an object from a Secret says of itself may have values of the Secret. */
static void add_unready(const struct plan *plan, const struct looked_object *looked,
                        struct health_finding *finding)
{
    struct arena *arena = &finding->arena;
    const struct drift_object *object = looked->object;
    const struct resource_ref ref = plan_resource(plan, object->resource);
    const struct str kind = resource_kind_name(ref.kind);
    const struct apply_item *item = object->manifest;
    const bool tells_message = looked->message.len && !item->is_secret;
    const struct failed_object failed = {
        .api_version = object_api_version(item->object),
        .kind = object_kind(item->object),
        .namespace = object->key.namespace,
        .name = object->key.name,
        .resource = arena_print(arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(ref.name)),
        .key = item->key,
        .document = item->document,
    };
    const struct str reason = looked->reason.len ? looked->reason : STR("NotReady");
    failures_add(&finding->why, &failed, reason,
                 arena_print(arena, "not ready: %.*s%s%.*s", STR_ARG(reason),
                             tells_message ? ": " : "",
                             (int)(tells_message ? looked->message.len : 0), looked->message.ptr));
}

static duration elapsed_since(timestamp since, timestamp now)
{
    return now > since ? now - since : 0;
}

static void schedule_look(const struct health_check *check, struct placement_health *health,
                          duration after)
{
    health->look_at = loop_now(check->controllers->loop) + after;
}

/* Whether the record has to say something else than it does. */
static bool is_news(const struct placement_health *health, enum health_state state, uint32_t digest,
                    int64_t now)
{
    if (state != health->state || health->is_unchecked)
        return true;
    return state != HEALTH_READY && digest != health->reported &&
           (!health->told_at || now - health->told_at >= TELL_PAUSE);
}

static void leave_finding(const struct health_check *check, struct placement *placement,
                          struct health_finding *finding)
{
    struct placement_health *health = placement_health(placement);
    health_finding_done(&health->finding);
    health->finding = *finding;
    health->finding.why.arena = &health->finding.arena;
    *finding = (struct health_finding){0};
    placement_enqueue(placement_set(placement), check->cluster.name, QUEUE_NORMAL);
}

/* Judges the placement as a whole, and leaves a finding if that is news. */
static void judge_placement(const struct health_check *check, const struct looked_placement *looked)
{
    struct placement *placement = find_placement(check, looked);
    if (!placement)
        return;
    struct placement_health *health = placement_health(placement);
    const timestamp now = loop_wall(check->controllers->loop);
    const int64_t now_loop = loop_now(check->controllers->loop);
    const duration timeout = find_timeout(placement_set(placement));
    struct health_finding finding = {
        .type = HEALTH_FINDING_LOOKED,
        .since = health->state == HEALTH_READY ? now : health->since,
    };
    finding.why =
        (struct failures){.arena = &finding.arena, .objects = plan_object_count(looked->plan)};
    for (size_t i = 0; i < looked->count; i++)
        if (!looked->objects[i].is_ready)
            add_unready(looked->plan, &looked->objects[i], &finding);
    const duration elapsed = elapsed_since(finding.since, now);
    const enum health_state state = health_decide(finding.why.failed, elapsed, timeout);
    const uint32_t digest = failures_digest(&finding.why);
    finding.is_overdue = state == HEALTH_FAILED;
    health->checked = now;
    schedule_look(
        check, health,
        health_next_look(state, elapsed, timeout, drift_check_draw_interval(check->controllers)));
    if (is_news(health, state, digest, now_loop)) {
        health->reported = digest;
        health->told_at = now_loop;
        leave_finding(check, placement, &finding);
    }
    health_finding_done(&finding);
}

/* Called when a look failed. The record stays; after some time, once, it also says since when. */
static void note_unchecked(const struct health_check *check, const struct looked_placement *looked,
                           bool is_paused, bool has_failed)
{
    struct placement *placement = find_placement(check, looked);
    if (!placement)
        return;
    struct placement_health *health = placement_health(placement);
    const timestamp now = loop_wall(check->controllers->loop);
    const duration interval = check->controllers->options.drift_check;
    const duration timeout = find_timeout(placement_set(placement));
    const duration pause = health_next_look(health->state, elapsed_since(health->since, now),
                                            timeout, drift_check_draw_interval(check->controllers));
    schedule_look(check, health, has_failed && pause > ERROR_RETRY ? ERROR_RETRY : pause);
    if (is_paused || health->is_unchecked || health->finding.type ||
        !health_is_unchecked(health->state, elapsed_since(health->checked, now), interval))
        return;
    struct health_finding finding = {.type = HEALTH_FINDING_UNCHECKED, .since = health->checked};
    leave_finding(check, placement, &finding);
}

/* The time until the next look at the cluster; 0: none is due. */
static duration find_next(const struct health_check *check)
{
    const int64_t now = loop_now(check->controllers->loop);
    duration next = 0;
    MAP_FOREACH (entry, &check->controllers->sets_by_key) {
        struct placement *placement = find_followed(check, entry->value);
        if (!placement)
            continue;
        const int64_t left = placement_health(placement)->look_at - now;
        const duration wait = left > 0 ? left : 1;
        next = !next || wait < next ? wait : next;
    }
    return next;
}

/*
 * Without a connection, and while the Cluster is paused, nothing is asked. After an error the next
 * look is as late as it would have been, and not later than in half a minute.
 */
struct error *reconcile_health(void *data, struct key key, struct reconcile_result *ret_result)
{
    SCOPED(health_check) check = {.controllers = data, .cluster = key};
    collect_placements(&check);
    if (check.count) {
        const bool is_paused = cluster_index_is_paused(check.controllers->cluster_index, key);
        OWNED(error)
        offline = clustercache_get_client(check.controllers->options.clustercache, key,
                                          &check.connection);
        struct error *err = offline || is_paused ? NULL : look_at_cluster(&check);
        for (size_t i = 0; i < check.count; i++)
            if (offline || is_paused || err)
                note_unchecked(&check, &check.placements[i], is_paused, err != NULL);
            else
                judge_placement(&check, &check.placements[i]);
        if (err) /* the queue brings the key again at once, and nothing is due then */
            return err;
    }
    ret_result->requeue_after = find_next(&check);
    return NULL;
}

/* The policy has no health any more: what the record and the condition say of it is removed. */
static void end_telling(struct crs_set *set, struct placement *placement)
{
    struct placement_health *health = placement_health(placement);
    if (health->state == HEALTH_READY && !health->is_unchecked) {
        placement_drop_health(placement);
        return;
    }
    if (health->finding.type == HEALTH_FINDING_OFF)
        return;
    health->is_followed = false;
    health_finding_done(&health->finding);
    health->finding.type = HEALTH_FINDING_OFF;
    placement_enqueue(set, placement_cluster(placement), QUEUE_NORMAL);
}

static duration find_first_wait(struct crs_controllers *controllers,
                                const struct placement_health *health, enum health_check_when when)
{
    if (when == HEALTH_CHECK_AT_ONCE || health->state != HEALTH_READY)
        return FIRST_LOOK;
    const duration spread = when == HEALTH_CHECK_SOON ? SOON : controllers->options.drift_check;
    return FIRST_LOOK + (duration)random_below(loop_random(controllers->loop), (uint64_t)spread);
}

void health_check_follow(struct crs_set *set, struct placement *placement,
                         enum health_check_when when)
{
    struct crs_controllers *controllers = set_controllers(set);
    const struct key cluster = {set_key(set).namespace, placement_cluster(placement)};
    if (!find_timeout(set)) {
        if (!plan_policy(set_plan(set)))
            placement_drop_health(placement); /* the record goes with the policy */
        else if (placement_has_health(placement))
            end_telling(set, placement);
        return;
    }
    struct placement_health *health = placement_health(placement);
    if (health->is_followed && when != HEALTH_CHECK_AT_ONCE)
        return;
    const duration wait = find_first_wait(controllers, health, when);
    health->is_followed = true;
    health->look_at = loop_now(controllers->loop) + wait;
    if (!health->checked)
        health->checked = loop_wall(controllers->loop);
    queue_add_after(controllers->queues[CRS_CONTROLLER_HEALTH], cluster, wait, QUEUE_LOW);
}

void health_check_note_change(struct placement *placement, struct str group, struct str kind)
{
    struct crs_set *set = placement_set(placement);
    struct crs_controllers *controllers = set_controllers(set);
    const struct key cluster = {set_key(set).namespace, placement_cluster(placement)};
    struct placement_health *health =
        placement_has_health(placement) ? placement_health(placement) : NULL;
    if (!health || !health->is_followed || !readiness_has_rules(group, kind))
        return;
    const duration passed = elapsed_since(health->checked, loop_wall(controllers->loop));
    const duration left = CHANGE_SPACING - passed;
    const duration wait = left < FIRST_LOOK ? FIRST_LOOK : left;
    const int64_t look_at = loop_now(controllers->loop) + wait;
    if (look_at >= health->look_at)
        return;
    health->look_at = look_at;
    queue_add_after(controllers->queues[CRS_CONTROLLER_HEALTH], cluster, wait, QUEUE_NORMAL);
}
