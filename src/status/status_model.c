/*
 * Builds the model of corset status.
 *
 * status_model_add_cluster() evaluates the selectors and makes the cells, so sets must be added
 * before. status_model_add_binding() and status_model_add_event() fill in cells.
 * status_model_finish() judges cells, then clusters, then sets, each from the results before.
 *
 * The message for a cell comes from four places, the best one first: an Event about the Cluster, if
 * it is not older than the failure that the binding records, that record, the part of the set's
 * condition that names the cluster, the whole message of the condition.
 */
#include "status/status_model.h"

#include <stdlib.h>
#include <string.h>

#include "apimachinery/condition.h"
#include "apimachinery/object.h"
#include "base/array.h"
#include "base/buf.h"
#include "clustercache/remote_connection_probe.h"
#include "clusterresourceset/conditions.h"
#include "clusterresourceset/drift_condition.h"
#include "clusterresourceset/health_condition.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/placement_state.h"
#include "clusterresourceset/prune_condition.h"
#include "clusterresourceset/rollout_condition.h"
#include "clusterresourceset/types/binding.h"
#include "clusterresourceset/types/delivery.h"
#include "json/path.h"
#include "status/status_since.h"

#define EVENT_PREFIX STR("ClusterResourceSet ")
#define PAUSED_WHY   STR("spec.paused is set")
#define TOLD_MAX     ((size_t)600)
#define MODEL_MAX    ((size_t)2048 * MEGABYTE)

static const char *const names[] = {
    [STATUS_FAILED] = "failed",       [STATUS_UNREACHABLE] = "unreachable",
    [STATUS_CONTESTED] = "contested", [STATUS_DRIFTED] = "drifted",
    [STATUS_HELD] = "held",           [STATUS_PRUNING] = "pruning",
    [STATUS_WAITING] = "waiting",     [STATUS_SETTLING] = "settling",
    [STATUS_PAUSED] = "paused",       [STATUS_DELETING] = "deleting",
    [STATUS_APPLIED] = "applied",     [STATUS_IDLE] = "idle",
};

const char *status_state_name(enum status_state state)
{
    return names[state];
}

bool status_state_is_fine(enum status_state state)
{
    return state == STATUS_APPLIED || state == STATUS_IDLE || state == STATUS_PAUSED;
}

bool status_state_is_applied(enum status_state state)
{
    return state == STATUS_APPLIED || state == STATUS_SETTLING || state == STATUS_DRIFTED ||
           state == STATUS_CONTESTED || state == STATUS_HELD || state == STATUS_PRUNING;
}

size_t status_count_applied(const size_t counts[static STATUS_STATES])
{
    size_t count = 0;
    for (size_t i = 0; i < STATUS_STATES; i++)
        count += status_state_is_applied((enum status_state)i) ? counts[i] : 0;
    return count;
}

bool status_model_shows(const struct status_model *model, enum status_state state)
{
    return !model->only_states || (model->only_states & (1U << state));
}

void status_model_done(struct status_model *model)
{
    for (size_t i = 0; i < model->set_count; i++)
        crs_spec_done(&model->sets[i]->spec);
    mem_free((void *)model->sets);
    mem_free((void *)model->clusters);
    map_done(&model->by_key);
    arena_done(&model->arena);
}

static struct key copy_key(struct arena *arena, struct key key)
{
    return (struct key){arena_str(arena, key.namespace), arena_str(arena, key.name)};
}

static timestamp created_at(const struct object *object)
{
    timestamp time;
    return object_creation_timestamp(object, &time) ? time : 0;
}

/* A condition without observedGeneration counts as current. */
static bool says_generation(const struct condition *condition, const struct object *object)
{
    return !condition->observed_generation ||
           condition->observed_generation == object_generation(object);
}

/* Cuts off the fixed words in front of messages: Cluster API's, and our own. */
static struct str without_preface(struct str message)
{
    static const struct str prefaces[] = {
        STR_INIT("Failed to apply ClusterResourceSet resources to Cluster: "),
        STR_INIT("Please check controller logs for errors: "),
        STR_INIT("Not everything is applied: "),
        STR_INIT("Clusters are paused: "),
        STR_INIT("Waiting for other sets: "),
        STR_INIT("rolling out: "),
        STR_INIT("The order between sets cannot be kept: "),
    };
    for (size_t i = 0; i < COUNT(prefaces); i++)
        if (str_starts_with(message, prefaces[i]))
            return str_skip(message, prefaces[i].len);
    return message;
}

/*
 * The conditions of a set, the worst first, and the status that says that not all is well.
 * ResourcesApplied speaks of the clusters alone; Failed knows of bookkeeping, too.
 */
static const struct {
    struct str type;
    enum condition_status bad;
    bool is_held;    /* with the reason of a pause; without it otherwise */
    bool has_failed; /* otherwise the set waits */
} judges[] = {
    {STR_INIT("ResourcesApplied"), CONDITION_FALSE,   false, true },
    {STR_INIT("Failed"),           CONDITION_TRUE,    false, true },
    {STR_INIT("ResourcesApplied"), CONDITION_UNKNOWN, false, false},
    {STR_INIT("InProgress"),       CONDITION_TRUE,    false, false},
    {STR_INIT("ResourcesApplied"), CONDITION_FALSE,   true,  false},
};

/* A condition about an earlier generation says nothing about the present one. */
static bool find_current(const struct object *object, struct str type,
                         struct condition *ret_condition)
{
    return condition_find(object_path(object, "status.conditions"), type, ret_condition) &&
           says_generation(ret_condition, object);
}

/* Another controller writes the fixed words alone. What we know of it is in Failed. */
static struct str find_details(const struct object *object, const struct condition *found)
{
    struct condition failed;
    const bool has_details = str_find(found->message, STR(": ")) != STR_NONE;
    return !has_details && find_current(object, STR("Failed"), &failed) &&
                   failed.status == CONDITION_TRUE && failed.message.len
               ? failed.message
               : found->message;
}

/* Something is not applied, nothing failed, and the controller goes on: other sets come first. */
static bool waits_for_sets(const struct object *object)
{
    struct condition found;
    return find_current(object, STR("ResourcesApplied"), &found) &&
           found.status == CONDITION_FALSE && str_eq(found.reason, STR("NotApplied")) &&
           find_current(object, STR("Failed"), &found) && found.status == CONDITION_FALSE &&
           find_current(object, STR("InProgress"), &found) && found.status == CONDITION_TRUE;
}

/* What a person has to mend before anything of the set is worked on, on any cluster. */
static bool is_refused(const struct object *object)
{
    struct condition found;
    return find_current(object, STR("ResourcesApplied"), &found) &&
           found.status == CONDITION_FALSE && str_eq(found.reason, STR("InternalError")) &&
           find_current(object, STR("Failed"), &found) && found.status == CONDITION_TRUE &&
           str_eq(found.reason, STR("operatorError"));
}

/* A resource is missing, cannot be used or is of the wrong type, and nothing graver failed. */
static bool lacks_resource(const struct object *object)
{
    static const struct str reasons[] = {STR_INIT("RetrievingResourceFailed"),
                                         STR_INIT("WrongSecretType"), STR_INIT("ResourceUnusable")};
    const struct json_value *condition;
    JSON_FOREACH (key, condition, object_path(object, "status.deprecated.v1beta1.conditions"))
        for (size_t i = 0; i < COUNT(reasons); i++)
            if (str_eq(json_path_str(condition, "type"), STR("ResourcesApplied")) &&
                str_eq(json_path_str(condition, "reason"), reasons[i]))
                return true;
    return false;
}

/* The first of `judges` that objects decides, and gives reason and message. */
static void read_conditions(struct status_model *model, struct status_set *set,
                            const struct object *object)
{
    struct condition found;
    set->is_current =
        find_current(object, STR("ResourcesApplied"), &found) && found.status == CONDITION_TRUE;
    for (size_t i = 0; i < COUNT(judges); i++) {
        if (!find_current(object, judges[i].type, &found) || found.status != judges[i].bad ||
            judges[i].is_held != str_eq(found.reason, STR(CONDITIONS_CLUSTER_PAUSED)))
            continue;
        set->is_current = false;
        set->is_held = judges[i].is_held;
        set->waits = judges[i].has_failed && waits_for_sets(object);
        set->has_failed = judges[i].has_failed && !set->waits;
        set->is_refused = set->has_failed && is_refused(object);
        set->lacks_resource = set->has_failed && lacks_resource(object);
        set->reason = arena_str(&model->arena, found.reason);
        set->message = arena_str(&model->arena,
                                 set->has_failed ? find_details(object, &found) : found.message);
        if (set->has_failed || set->is_held || set->waits)
            set->why = without_preface(set->message);
        return;
    }
}

static void read_drift(struct status_model *model, struct status_set *set,
                       const struct object *object)
{
    struct condition found;
    if (find_current(object, STR(DRIFT_CONDITION), &found) && found.status == CONDITION_FALSE)
        set->drift_why = arena_str(&model->arena, found.message);
}

static void read_health(struct status_model *model, struct status_set *set,
                        const struct object *object)
{
    struct condition found;
    set->has_health = find_current(object, STR(HEALTH_CONDITION), &found);
    if (set->has_health && found.status == CONDITION_FALSE)
        set->health_why = arena_str(&model->arena, found.message);
    model->has_health |= set->has_health;
}

static void read_prune(struct status_model *model, struct status_set *set,
                       const struct object *object)
{
    struct condition found;
    if (!find_current(object, STR(PRUNE_CONDITION), &found) || found.status != CONDITION_FALSE)
        return;
    set->prune_why = arena_str(&model->arena, found.message);
    set->is_prune_held = str_eq(found.reason, STR("Held"));
}

/* The condition says that there is a rollout, the annotation which one. */
static void read_rollout(struct status_model *model, struct status_set *set,
                         const struct object *object)
{
    struct condition found;
    const struct rollout_state state = rollout_read(object);
    set->has_rollout =
        condition_find(object_path(object, "status.conditions"), STR(ROLLOUT_CONDITION), &found) &&
        state.phase != ROLLOUT_NONE;
    model->has_rollouts |= set->has_rollout;
    if (!set->has_rollout)
        return;
    const struct str phase = rollout_phase_name(state.phase);
    set->revision = arena_str(&model->arena, str_from_c(state.revision));
    set->wave = state.phase == ROLLOUT_ROLLED_OUT
                    ? phase
                    : arena_print(&model->arena, "%s %.*s", state.wave, STR_ARG(phase));
}

/* Behind the fixed words the condition says that a change waits, if one does. */
static void read_pause(struct status_model *model, struct status_set *set,
                       const struct object *object)
{
    struct condition paused;
    if (!set->is_paused || !find_current(object, STR("Paused"), &paused) ||
        paused.status != CONDITION_TRUE)
        return;
    const size_t end = str_find(paused.message, STR("; "));
    if (end != STR_NONE)
        set->why = arena_str(&model->arena, str_skip(paused.message, end + 2));
}

/* only is a name, or empty for all. */
static bool is_asked_for(struct str only, const struct object *object)
{
    return !only.len || str_eq(only, object_name(object));
}

/* A selector that cannot be parsed makes the set fail here, whatever its status says. */
void status_model_add_set(struct status_model *model, const struct object *object)
{
    if (!is_asked_for(model->only_set, object))
        return;
    struct status_set *set = ARENA_NEW(&model->arena, struct status_set);
    struct str order;
    model->arena.limit = MODEL_MAX;
    set->key = copy_key(&model->arena, object_key(object));
    set->uid = arena_str(&model->arena, object_uid(object));
    set->created = created_at(object);
    set->is_paused = crs_is_paused(object);
    set->is_deleting = object_is_deleting(object);
    crs_spec_read(object, &set->spec);
    if (object_find_annotation(object, STR(ORDER_ANNOTATION), &order))
        set->depends_on = order_read(order, &model->arena);
    read_conditions(model, set, object);
    read_pause(model, set, object);
    read_drift(model, set, object);
    read_health(model, set, object);
    read_prune(model, set, object);
    read_rollout(model, set, object);
    set->policy = arena_str(&model->arena, crs_policy_name(object));
    model->has_policies |= crs_has_policy(object);
    status_since_read_set(set, object);
    if (set->spec.selector_error) {
        set->has_failed = true;
        set->message = arena_str(&model->arena, str_from_c(set->spec.selector_error->message));
        set->why = set->message;
    }
    ARRAY_PUSH(model->sets, model->set_count, model->set_capacity, set);
}

/* "env=prod,tier=1" */
static struct str write_labels(struct arena *arena, const struct json_value *labels)
{
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *value;
    JSON_FOREACH (key, value, labels)
        buf_print(&text, "%s%.*s=%.*s", text.len ? "," : "", STR_ARG(key),
                  STR_ARG(json_to_str(value)));
    return arena_str(arena, buf_str(&text));
}

/* "127.0.0.1:6443"; empty if the Cluster has no endpoint yet. */
static struct str write_endpoint(struct arena *arena, const struct object *cluster)
{
    int64_t port = 0;
    const struct str host = json_to_str(object_path(cluster, "spec.controlPlaneEndpoint.host"));
    if (!host.len)
        return STR("");
    json_to_int64(object_path(cluster, "spec.controlPlaneEndpoint.port"), &port);
    return arena_print(arena, "%.*s:%lld", STR_ARG(host), (long long)port);
}

/*
 * Makes a cell for every set that selects the cluster. As in Cluster API, an empty selector
 * selects nothing, and sets select clusters of their own namespace only.
 */
static void select_sets(struct status_model *model, struct status_cluster *cluster,
                        const struct object *object)
{
    size_t count = 0;
    struct status_cell *cells =
        arena_alloc_array(&model->arena, model->set_count + 1, sizeof(*cells));
    for (size_t i = 0; i < model->set_count && !cluster->is_deleting; i++) {
        struct status_set *set = model->sets[i];
        const struct selector *selector = &set->spec.selector;
        if (!str_eq(set->key.namespace, cluster->key.namespace) || selector->nothing ||
            selector_is_empty(selector) || set->spec.selector_error ||
            !selector_matches(selector, object_labels(object)))
            continue;
        cells[count++] = (struct status_cell){
            .set = set,
            .state = STATUS_WAITING,
            .resources = arena_alloc_array(&model->arena, set->spec.ref_count + 1,
                                           sizeof(struct status_resource))};
    }
    cluster->cells = cells;
    cluster->cell_count = count;
}

/*
 * The probe fails for a cluster that is still being made, too. That one is not lost, it waits.
 */
static void read_probe(struct status_model *model, struct status_cluster *cluster,
                       const struct object *object)
{
    struct condition probe;
    if (!cluster->is_provisioned || cluster->is_deleting ||
        !condition_find(object_path(object, "status.conditions"), REMOTE_CONNECTION_PROBE,
                        &probe) ||
        !remote_connection_probe_says_lost(&probe))
        return;
    const struct str why = remote_connection_probe_problem(probe.message);
    cluster->is_unreachable = true;
    cluster->lost_why = arena_str(&model->arena, why.len ? why : probe.reason);
}

/* With a single set, clusters that it does not select are left out. */
void status_model_add_cluster(struct status_model *model, const struct object *object)
{
    if (!is_asked_for(model->only_cluster, object) ||
        !selector_matches(&model->selector, object_labels(object)))
        return;
    struct status_cluster *cluster = ARENA_NEW(&model->arena, struct status_cluster);
    SCOPED(arena) scratch = {0};
    model->arena.limit = MODEL_MAX;
    cluster->key = copy_key(&model->arena, object_key(object));
    cluster->uid = arena_str(&model->arena, object_uid(object));
    cluster->created = created_at(object);
    cluster->is_deleting = object_is_deleting(object);
    cluster->is_paused = crs_cluster_is_paused(object);
    json_to_bool(object_path(object, "status.initialization.infrastructureProvisioned"),
                 &cluster->is_provisioned);
    cluster->endpoint = write_endpoint(&model->arena, object);
    cluster->labels = write_labels(&model->arena, object_labels(object));
    read_probe(model, cluster, object);
    status_since_read_cluster(cluster, object);
    select_sets(model, cluster, object);
    if (model->only_set.len && !cluster->cell_count)
        return;
    ARRAY_PUSH(model->clusters, model->cluster_count, model->cluster_capacity, cluster);
    map_put(&model->by_key, key_text(&scratch, cluster->key), cluster);
}

static struct status_cluster *find_by_key(const struct status_model *model, struct key key)
{
    SCOPED(arena) scratch = {0};
    return map_find(&model->by_key, key_text(&scratch, key));
}

/* Reads what the binding records about the resources of one set. */
static void read_cell(struct status_model *model, struct status_cell *cell,
                      const struct object *binding)
{
    for (size_t i = 0; i < cell->set->spec.ref_count; i++) {
        struct binding_resource found;
        struct status_resource *resource = &cell->resources[i];
        timestamp when;
        if (!binding_find_resource(binding, cell->set->key.name, cell->set->spec.refs[i], &found))
            continue;
        resource->is_known = true;
        resource->is_applied = found.applied;
        resource->hash = arena_str(&model->arena, found.hash);
        resource->time = arena_str(&model->arena, found.last_applied_time);
        cell->applied += found.applied;
        if (found.applied && timestamp_read(found.last_applied_time, &when) && when > cell->newest)
            cell->newest = when;
    }
}

static void read_delivery(struct status_model *model, struct status_cell *cell,
                          const struct object *binding)
{
    struct delivery *delivery;
    if (!delivery_exists(binding, cell->set->key.name))
        return;
    delivery = ARENA_NEW(&model->arena, struct delivery);
    if (!delivery_read(binding, cell->set->key.name, &model->arena, delivery))
        return;
    SCOPED(buf) text = {.limit = 0};
    cell->delivery = delivery;
    if (failures_is_empty(&delivery->failures))
        placement_drift_write_why(&delivery->unready, &text);
    else if (str_eq(delivery->state, STR("Failed")))
        failures_write(&delivery->failures, &text, TOLD_MAX);
    else
        placement_drift_write_why(&delivery->failures, &text);
    cell->told = arena_str(&model->arena, buf_str(&text));
}

void status_model_add_binding(struct status_model *model, const struct object *binding)
{
    struct status_cluster *cluster = find_by_key(model, object_key(binding));
    for (size_t i = 0; cluster && i < cluster->cell_count; i++) {
        read_cell(model, &cluster->cells[i], binding);
        read_delivery(model, &cluster->cells[i], binding);
    }
}

/* The time of the last occurrence, in the fields of both generations of Events. */
static timestamp event_time(const struct object *event)
{
    static const char *const paths[] = {"series.lastObservedTime", "lastTimestamp", "eventTime"};
    timestamp newest = 0, time;
    for (size_t i = 0; i < COUNT(paths); i++)
        if (timestamp_read(json_to_str(object_path(event, paths[i])), &time) && time > newest)
            newest = time;
    return newest;
}

/* The time of the first occurrence; 0 if it is not known. */
static timestamp event_first(const struct object *event)
{
    timestamp time;
    return timestamp_read(json_to_str(object_path(event, "eventTime")), &time) ||
                   timestamp_read(json_to_str(object_path(event, "firstTimestamp")), &time)
               ? time
               : 0;
}

/* Without a UID, in an Event of an earlier version, the time tells. */
static bool is_about_set(const struct object *event, const struct status_set *set)
{
    const struct str uid = json_to_str(object_path(event, "related.uid"));
    return uid.len ? str_eq(uid, set->uid) : event_time(event) >= set->created;
}

static bool is_about_cluster(const struct object *event, const struct status_cluster *cluster)
{
    const struct str uid = json_to_str(object_path(event, "involvedObject.uid"));
    return !uid.len || str_eq(uid, cluster->uid);
}

/*
 * The message has the form "ClusterResourceSet NAME: why". The newest Event counts, unless it is
 * about a set or a cluster that had the name before.
 */
void status_model_add_event(struct status_model *model, const struct object *event)
{
    struct str why = json_to_str(object_path(event, "message")), name;
    const struct key key = {object_namespace(event),
                            json_to_str(object_path(event, "involvedObject.name"))};
    struct status_cluster *cluster = find_by_key(model, key);
    const timestamp time = event_time(event);
    if (!cluster || !is_about_cluster(event, cluster) || !str_starts_with(why, EVENT_PREFIX))
        return;
    why = str_skip(why, EVENT_PREFIX.len);
    str_cut(&why, ':', &name);
    for (size_t i = 0; i < cluster->cell_count; i++) {
        struct status_cell *cell = &cluster->cells[i];
        if (!str_eq(cell->set->key.name, name) || time < cell->why_time ||
            !is_about_set(event, cell->set))
            continue;
        cell->why = arena_str(&model->arena, str_trim(why));
        cell->why_time = time;
        cell->why_first = event_first(event);
    }
}

/* True if the binding records a resource as not applied. */
static bool has_refused(const struct status_cell *cell)
{
    for (size_t i = 0; i < cell->set->spec.ref_count; i++)
        if (cell->resources[i].is_known && !cell->resources[i].is_applied)
            return true;
    return false;
}

/*
 * The part of a set's message about one cluster: "2 of 3 failed: a: why; b: why not; and 1 more".
 * The name must stand at the beginning of a part.
 */
static struct str part_about(struct str message, struct str cluster)
{
    while (message.len) {
        const size_t at = str_find(message, cluster);
        if (at == STR_NONE)
            return STR("");
        const bool begins =
            at == 0 || (at >= 2 && message.ptr[at - 1] == ' ' && strchr(":;", message.ptr[at - 2]));
        message = str_skip(message, at + cluster.len);
        if (!begins || !str_starts_with(message, STR(": ")))
            continue;
        message = str_skip(message, 2);
        return str_slice(message, 0, str_find(message, STR("; ")));
    }
    return STR("");
}

bool status_cell_is_recorded_failed(const struct status_cell *cell)
{
    return cell->delivery && str_eq(cell->delivery->state, STR("Failed")) && cell->told.len;
}

bool status_cell_is_unready(const struct status_cell *cell)
{
    return (cell->state == STATUS_SETTLING || cell->state == STATUS_FAILED) && cell->delivery &&
           cell->delivery->settling.len && !cell->set->is_refused;
}

/* Events are the most exact source, but they may be late or missing when there are many. */
static struct str find_why(const struct status_cluster *cluster, const struct status_cell *cell)
{
    if (cell->state == STATUS_APPLIED)
        return STR("");
    if (cell->state == STATUS_PAUSED && cluster->is_paused)
        return PAUSED_WHY;
    if (!cluster->is_provisioned)
        return STR("the cluster is not provisioned yet");
    if (cell->state == STATUS_UNREACHABLE)
        return cluster->lost_why;
    if (cell->state == STATUS_DRIFTED || cell->state == STATUS_CONTESTED)
        return cell->told;
    if (cell->state == STATUS_HELD || cell->state == STATUS_PRUNING)
        return cell->delivery->prune.message;
    if (cell->state == STATUS_FAILED && (cell->set->is_refused || cell->set->lacks_resource))
        return cell->set->why;
    if (status_cell_is_unready(cell))
        return cell->told;
    if (!cell->why.len && cell->state == STATUS_FAILED && cell->told.len)
        return cell->told;
    if (cell->why.len || !(cell->set->has_failed || cell->set->waits))
        return cell->why;
    const struct str part = part_about(cell->set->message, cluster->key.name);
    return part.len || cell->set->waits ? part : cell->set->why;
}

/* Of a set with a policy the record says what became of what was applied. */
static void read_record(const struct status_cell *cell, struct placement_facts *facts)
{
    static const struct {
        struct str recorded;
        enum delivery_drift drift;
        enum health_state health;
        enum delivery_prune_state prune;
    } states[] = {
        {STR_INIT("Failed"),    DELIVERY_UNDRIFTED, HEALTH_FAILED,   DELIVERY_PRUNE_NONE   },
        {STR_INIT("Drifted"),   DELIVERY_DRIFTED,   HEALTH_READY,    DELIVERY_PRUNE_NONE   },
        {STR_INIT("Contested"), DELIVERY_CONTESTED, HEALTH_READY,    DELIVERY_PRUNE_NONE   },
        {STR_INIT("Settling"),  DELIVERY_UNDRIFTED, HEALTH_SETTLING, DELIVERY_PRUNE_NONE   },
        {STR_INIT("Pruning"),   DELIVERY_UNDRIFTED, HEALTH_READY,    DELIVERY_PRUNE_PRUNING},
        {STR_INIT("Held"),      DELIVERY_UNDRIFTED, HEALTH_READY,    DELIVERY_PRUNE_HELD   },
    };
    for (size_t i = 0; cell->delivery && cell->delivery->revision.len && i < COUNT(states); i++) {
        if (!str_eq(cell->delivery->state, states[i].recorded))
            continue;
        facts->drift = states[i].drift;
        facts->health = states[i].health;
        facts->prune = states[i].prune;
    }
}

static enum status_state state_of_placement(enum placement_state state)
{
    static const enum status_state states[] = {
        [PLACEMENT_STATE_IDLE] = STATUS_IDLE,
        [PLACEMENT_STATE_APPLIED] = STATUS_APPLIED,
        [PLACEMENT_STATE_DELETING] = STATUS_DELETING,
        [PLACEMENT_STATE_PAUSED] = STATUS_PAUSED,
        [PLACEMENT_STATE_SETTLING] = STATUS_SETTLING,
        [PLACEMENT_STATE_PRUNING] = STATUS_PRUNING,
        [PLACEMENT_STATE_HELD] = STATUS_HELD,
        [PLACEMENT_STATE_WAITING] = STATUS_WAITING,
        [PLACEMENT_STATE_DRIFTED] = STATUS_DRIFTED,
        [PLACEMENT_STATE_CONTESTED] = STATUS_CONTESTED,
        [PLACEMENT_STATE_UNREACHABLE] = STATUS_UNREACHABLE,
        [PLACEMENT_STATE_FAILED] = STATUS_FAILED,
    };
    return states[state];
}

/* The rollout has not come to the cluster: what is applied there is another revision. */
static bool lacks_revision(const struct status_cell *cell)
{
    const struct status_set *set = cell->set;
    return set->has_rollout && cell->delivery && !str_eq(cell->delivery->revision, set->revision);
}

/*
 * Events come late, or not at all, when there are many: one that is older than the failure that the
 * binding records is about an earlier one.
 */
static void forget_old_event(struct status_cell *cell)
{
    if (!status_cell_is_recorded_failed(cell) || cell->why_time >= status_since_of_record(cell))
        return;
    cell->why = STR("");
    cell->why_time = cell->why_first = 0;
}

/*
 * An Event that is newer than the last application means that something failed since. What a
 * cluster that cannot be reached has now is not known, whatever was applied to it before. On a
 * paused Cluster what is recorded need not be the newest content. Of a set that is refused nothing
 * is looked after, whatever was applied before. A set that is paused or being deleted keeps what it
 * has applied, and what its conditions say of resources may have been mended since. To a cluster
 * that is not provisioned yet nothing was tried.
 */
static void judge_cell(const struct status_cluster *cluster, struct status_cell *cell)
{
    const struct status_set *set = cell->set;
    const bool is_told_later = cell->why.len && cell->why_time > cell->newest,
               has_all = cell->applied == set->spec.ref_count && !cluster->is_unreachable &&
                         !set->is_refused;
    struct placement_facts facts = {
        .is_deleting = set->is_deleting && (!has_all || cluster->is_paused),
        .is_paused = cluster->is_paused || (set->is_paused && !has_all),
        .is_unreachable = cluster->is_unreachable,
        .has_failed = !has_all && (set->is_refused || has_refused(cell) || is_told_later),
        .lacks_resource = set->lacks_resource && !set->is_paused && cluster->is_provisioned,
        .is_waiting = !has_all || lacks_revision(cell),
    };
    if (has_all)
        read_record(cell, &facts);
    cell->state = state_of_placement(placement_state_decide(&facts));
    if (cell->state == STATUS_FAILED)
        forget_old_event(cell);
    cell->why = find_why(cluster, cell);
    status_since_judge_cell(cluster, cell);
}

/* Of the clusters that a set has lost the first by name is told. */
static void note_lost(struct status_model *model, struct status_set *set,
                      const struct status_cluster *cluster)
{
    if (set->lost_cluster.len && str_cmp(set->lost_cluster, cluster->key.name) < 0)
        return;
    set->lost_cluster = cluster->key.name;
    set->lost_why = arena_print(&model->arena, "%.*s: %.*s", STR_ARG(cluster->key.name),
                                STR_ARG(cluster->lost_why));
}

/* Somebody knows of a pause, but perhaps not that the cluster cannot be reached meanwhile. */
static void judge_paused_cluster(struct status_model *model, struct status_cluster *cluster)
{
    cluster->state = STATUS_PAUSED;
    cluster->why = PAUSED_WHY;
    if (cluster->is_unreachable)
        cluster->why = arena_print(&model->arena, "%.*s; the cluster cannot be reached: %.*s",
                                   STR_ARG(PAUSED_WHY), STR_ARG(cluster->lost_why));
}

static struct status_set *find_set(const struct status_model *model, struct key key)
{
    for (size_t i = 0; i < model->set_count; i++)
        if (str_eq(model->sets[i]->key.namespace, key.namespace) &&
            str_eq(model->sets[i]->key.name, key.name))
            return model->sets[i];
    return NULL;
}

enum order_state status_model_judge_named(const struct status_model *model,
                                          const struct status_cluster *cluster, struct str named,
                                          const struct status_cell **ret_cell)
{
    const struct status_set *set = find_set(model, (struct key){cluster->key.namespace, named});
    struct order_facts facts = {.exists = set != NULL,
                                .is_watched = true,
                                .is_known = true,
                                .is_read = true,
                                .is_complete = true};
    *ret_cell = NULL;
    for (size_t i = 0; set && i < cluster->cell_count; i++)
        if (cluster->cells[i].set == set)
            *ret_cell = &cluster->cells[i];
    if (set) {
        facts.is_deleting = set->is_deleting;
        facts.has_selector = !set->spec.selector_error;
        facts.is_paused = set->is_paused;
        facts.is_refused = set->is_refused;
    }
    if (*ret_cell) {
        facts.is_selected = true;
        facts.is_applied = (*ret_cell)->applied == set->spec.ref_count;
        facts.has_failed = has_refused(*ret_cell);
        facts.is_unready = (*ret_cell)->delivery && (*ret_cell)->delivery->settling.len;
    }
    return order_decide(&facts);
}

/* The condition of a set tells of five clusters what they wait for. Of the others the sets that are
 * not applied there are told, if they have been read.
 */
static void explain_wait(struct status_model *model, const struct status_cluster *cluster,
                         struct status_cell *cell)
{
    const struct order_names *first = &cell->set->depends_on;
    SCOPED(buf) text = {.limit = 0};
    if (cell->state != STATUS_WAITING || cell->why.len || !cell->set->waits)
        return;
    for (size_t i = 0; !model->only_set.len && i < first->count; i++) {
        const struct status_cell *other;
        const enum order_state state =
            status_model_judge_named(model, cluster, first->names[i], &other);
        if (order_is_waited_for(state))
            order_write_wait(&text, first->names[i], state);
    }
    cell->why = text.len ? arena_str(&model->arena, buf_str(&text)) : cell->set->why;
}

/*
 * The state of a cluster that is not paused and can be reached is that of its worst cell. Also adds
 * up the counts of sets.
 */
static void judge_cluster(struct status_model *model, struct status_cluster *cluster)
{
    cluster->state = cluster->is_deleting ? STATUS_DELETING : STATUS_IDLE;
    for (size_t i = 0; i < cluster->cell_count; i++) {
        struct status_cell *cell = &cluster->cells[i];
        judge_cell(cluster, cell);
        explain_wait(model, cluster, cell);
        cluster->counts[cell->state]++;
        cluster->applied += cell->applied;
        cluster->wanted += cell->set->spec.ref_count;
        cell->set->clusters++;
        cell->set->counts[cell->state]++;
        cell->set->ready +=
            status_state_is_applied(cell->state) && cell->delivery && !cell->delivery->settling.len;
        if (cell->state == STATUS_UNREACHABLE)
            note_lost(model, cell->set, cluster);
        if (cell->state >= cluster->state)
            continue;
        cluster->state = cell->state;
        cluster->why = cell->why.len ? arena_print(&model->arena, "%.*s: %.*s",
                                                   STR_ARG(cell->set->key.name), STR_ARG(cell->why))
                                     : STR("");
    }
    if (cluster->is_paused && !cluster->is_deleting) {
        judge_paused_cluster(model, cluster);
    } else if (cluster->is_unreachable) {
        cluster->state = STATUS_UNREACHABLE;
        cluster->why = cluster->lost_why;
    }
    status_since_judge_cluster(cluster);
    model->cluster_counts[cluster->state]++;
}

/*
 * Applied requires that the controller says so for the present generation, and that all cells
 * agree. Those of paused Clusters cannot.
 */
static enum status_state judge_set(const struct status_set *set)
{
    if (set->is_deleting)
        return STATUS_DELETING;
    if (set->is_paused)
        return STATUS_PAUSED;
    if (set->has_failed || set->counts[STATUS_FAILED])
        return STATUS_FAILED;
    if (set->counts[STATUS_UNREACHABLE])
        return STATUS_UNREACHABLE;
    if (set->counts[STATUS_CONTESTED])
        return STATUS_CONTESTED;
    if (set->counts[STATUS_DRIFTED])
        return STATUS_DRIFTED;
    if (set->counts[STATUS_HELD] || set->is_prune_held)
        return STATUS_HELD;
    if (!set->clusters)
        return STATUS_IDLE;
    if (set->counts[STATUS_APPLIED] + set->counts[STATUS_SETTLING] + set->counts[STATUS_PRUNING] +
            set->counts[STATUS_PAUSED] <
        set->clusters)
        return STATUS_WAITING;
    if (set->counts[STATUS_SETTLING])
        return STATUS_SETTLING;
    if (set->counts[STATUS_PRUNING])
        return STATUS_PRUNING;
    return set->is_current ? STATUS_APPLIED : set->is_held ? STATUS_PAUSED : STATUS_WAITING;
}

/* The order of enum status_state, then namespace and name. */
static int compare(enum status_state a_state, struct key a, enum status_state b_state, struct key b)
{
    if (a_state != b_state)
        return a_state < b_state ? -1 : 1;
    const int by_namespace = str_cmp(a.namespace, b.namespace);
    return by_namespace ? by_namespace : str_cmp(a.name, b.name);
}

static int compare_sets(const void *a, const void *b)
{
    const struct status_set *one = *(struct status_set *const *)a;
    const struct status_set *other = *(struct status_set *const *)b;
    return compare(one->state, one->key, other->state, other->key);
}

static int compare_clusters(const void *a, const void *b)
{
    const struct status_cluster *one = *(struct status_cluster *const *)a;
    const struct status_cluster *other = *(struct status_cluster *const *)b;
    return compare(one->state, one->key, other->state, other->key);
}

/* With a choice of clusters only the sets that select one of them are of interest. */
static void drop_other_sets(struct status_model *model)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->set_count; i++) {
        if (model->sets[i]->clusters)
            model->sets[kept++] = model->sets[i];
        else
            crs_spec_done(&model->sets[i]->spec);
    }
    model->set_count = kept;
}

/* What the counts tell, where the conditions have nothing to say, or not yet. */
static struct str count_why(struct status_model *model, const struct status_set *set)
{
    const enum status_state state = set->state <= STATUS_DRIFTED ? set->state : STATUS_PAUSED;
    if ((state == STATUS_DRIFTED || state == STATUS_CONTESTED) && set->drift_why.len)
        return set->drift_why;
    if ((set->state == STATUS_HELD || set->state == STATUS_PRUNING ||
         set->state == STATUS_DELETING) &&
        set->prune_why.len)
        return set->prune_why;
    if ((state == STATUS_FAILED || set->state == STATUS_SETTLING) && set->health_why.len)
        return set->health_why;
    if (!set->counts[state] || set->is_paused)
        return STR("");
    const struct str lost = state == STATUS_UNREACHABLE ? set->lost_why : STR("");
    return arena_print(&model->arena, "%zu of %zu clusters %s%s%.*s", set->counts[state],
                       set->clusters, names[state], lost.len ? ": " : "", STR_ARG(lost));
}

/* Sets come after clusters, because judge_cluster() counts the cells of each set. */
void status_model_finish(struct status_model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++)
        judge_cluster(model, model->clusters[i]);
    if (model->only_cluster.len || !selector_is_empty(&model->selector))
        drop_other_sets(model);
    for (size_t i = 0; i < model->set_count; i++) {
        struct status_set *set = model->sets[i];
        set->state = judge_set(set);
        status_since_judge_set(set);
        model->set_counts[set->state]++;
        if (!set->why.len)
            set->why = count_why(model, set);
    }
    if (model->set_count)
        qsort((void *)model->sets, model->set_count, sizeof(*model->sets), compare_sets);
    if (model->cluster_count)
        qsort((void *)model->clusters, model->cluster_count, sizeof(*model->clusters),
              compare_clusters);
}

struct status_set *status_model_find_set(const struct status_model *model, struct str name)
{
    for (size_t i = 0; i < model->set_count; i++)
        if (str_eq(model->sets[i]->key.name, name))
            return model->sets[i];
    return NULL;
}

struct status_cluster *status_model_find_cluster(const struct status_model *model, struct str name)
{
    for (size_t i = 0; i < model->cluster_count; i++)
        if (str_eq(model->clusters[i]->key.name, name))
            return model->clusters[i];
    return NULL;
}

bool status_model_is_applied(const struct status_model *model)
{
    const bool is_chosen = !selector_is_empty(&model->selector);
    bool is_applied = !model->cluster_counts[STATUS_UNREACHABLE];
    for (size_t i = 0; i < STATUS_STATES; i++)
        if (!status_state_is_fine((enum status_state)i))
            is_applied &= !(is_chosen ? model->cluster_counts : model->set_counts)[i];
    return is_applied;
}
