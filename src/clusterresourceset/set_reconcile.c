/*
 * Reconciles one ClusterResourceSet as a whole.
 *
 * reconcile_set() picks one of three ways, as Cluster API does: reconcile_paused(),
 * reconcile_delete() and reconcile_normal(). The normal one goes through these steps, unless the
 * set cannot be worked on (refuse_selector(), refuse_set()):
 *
 *   1. write Paused=False and, for a new generation, InProgress=True;
 *   2. make a plan: read the spec and the policy that it is delivered by, take a snapshot of each
 *      resource, and make the set an owner of it; a policy that cannot be followed ends it here;
 *   3. with waves, look which clusters may get it (set_rollout.h); then enqueue a placement for
 * each selected cluster whose binding does not meet the plan;
 *   4. write the status, if all placements are done or news have waited long enough.
 *
 * Nothing is applied here: placement_reconcile.c does that, for one cluster at a time. The last
 * placement that is done enqueues the set, which then gets to step 4.
 *
 * The rest of step 3, and step 4 up to the write, do not suspend, so that an event of a cluster
 * finds either the old plan or the new plan with all its placements.
 */
#include "async/loop.h"
#include "base/array.h"
#include "base/memory.h"
#include "clusterresourceset/cluster_doubt.h"
#include "clusterresourceset/conditions.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_check.h"
#include "clusterresourceset/drift_condition.h"
#include "clusterresourceset/health_check.h"
#include "clusterresourceset/health_condition.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/placement_health.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/prune_condition.h"
#include "clusterresourceset/prune_occasion.h"
#include "clusterresourceset/prune_removed.h"
#include "clusterresourceset/rollout_condition.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_delete.h"
#include "clusterresourceset/set_events.h"
#include "clusterresourceset/set_order.h"
#include "clusterresourceset/set_policy.h"
#include "clusterresourceset/set_rollout.h"
#include "clusterresourceset/set_status.h"
#include "controller/cache/cache.h"
#include "json/path.h"

/* What one reconcile finds out. */
struct set_reconcile {
    struct crs_set *set;
    struct arena arena;
    struct error *err; /* of resources and owner references: the set is retried with back-off */
    struct conditions_problem *problems;
    size_t problem_count, problem_capacity;
};

static void set_reconcile_done(struct set_reconcile *reconcile)
{
    error_free(reconcile->err);
    mem_free(reconcile->problems);
    arena_done(&reconcile->arena);
}

static void add_problem(struct set_reconcile *reconcile, struct conditions_problem problem)
{
    ARRAY_PUSH(reconcile->problems, reconcile->problem_count, reconcile->problem_capacity, problem);
}

static bool has_condition(const struct object *object, const struct condition *wanted)
{
    struct condition found;
    return condition_find(object_path(object, "status.conditions"), wanted->type, &found) &&
           found.status == wanted->status && str_eq(found.reason, wanted->reason) &&
           str_eq(found.message, wanted->message);
}

/* The generation of the condition InProgress; 0 without one. */
static int64_t generation_in_progress(const struct object *object)
{
    struct condition progress;
    return condition_find(object_path(object, "status.conditions"), STR("InProgress"), &progress)
               ? progress.observed_generation
               : 0;
}

/*
 * Writes what holds before any work: the set is not paused, and a new generation is in progress.
 * Without clusters there is no work, and nothing is in progress.
 */
static struct error *write_first_conditions(struct crs_set *set, bool has_clusters)
{
    const struct object *object = set_object(set);
    const int64_t generation = object_generation(object);
    const struct condition not_paused = conditions_not_paused(generation);
    struct condition written[2];
    size_t count = 0;
    int64_t observed = 0;
    json_to_int64(object_path(object, "status.observedGeneration"), &observed);
    if (!has_condition(object, &not_paused))
        written[count++] = not_paused;
    if (has_clusters && observed != generation && generation_in_progress(object) != generation)
        written[count++] = conditions_new_generation(generation);
    if (!count)
        return NULL;
    return set_write_status(set, &(struct set_status){.conditions = written, .count = count});
}

static void count_cluster(void *data, struct str name)
{
    (void)name;
    ++*(size_t *)data;
}

static size_t count_clusters(const struct crs_set *set, const struct selector *selector)
{
    size_t count = 0;
    cluster_index_each(set_controllers(set)->cluster_index, set_key(set).namespace, selector,
                       count_cluster, &count);
    return count;
}

/* "ConfigMap cm1" */
static struct str describe_resource(struct set_reconcile *reconcile, struct resource_ref ref)
{
    const struct str kind = resource_kind_name(ref.kind);
    return arena_print(&reconcile->arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(ref.name));
}

static void add_owner_reference(struct set_reconcile *reconcile, struct resource_ref ref)
{
    const struct crs_set *set = reconcile->set;
    const struct key key = {set_key(set).namespace, ref.name};
    struct error *err = resource_snapshots_add_owner(set_controllers(set)->snapshots, ref.kind, key,
                                                     set_owner_reference(set));
    if (!err)
        return;
    const struct str resource = describe_resource(reconcile, ref);
    err = error_wrap(err, "add an owner reference to %.*s", STR_ARG(resource));
    add_problem(reconcile, (struct conditions_problem){
                               .type = FAULT_BOOKKEEPING,
                               .resource = resource,
                               .name = ref.name,
                               .text = arena_str(&reconcile->arena, str_from_c(err->message))});
    reconcile->err = error_join(reconcile->err, err);
}

/*
 * Only resources that exist and are meant for sets get an owner reference, and none of a set that
 * is paused. Suspends.
 */
static void take_snapshots(struct set_reconcile *reconcile, struct plan *plan)
{
    const struct crs_set *set = reconcile->set;
    const struct crs_spec *spec = plan_spec(plan);
    const bool is_paused = crs_is_paused(set_object(set));
    for (size_t i = 0; i < spec->ref_count; i++) {
        const struct key key = {set_key(set).namespace, spec->refs[i].name};
        struct resource_snapshot *snapshot =
            resource_snapshots_get(set_controllers(set)->snapshots, spec->refs[i].kind, key);
        plan_add_snapshot(plan, snapshot);
        if (!is_paused && !fault_is_of_resource(resource_snapshot_fault(snapshot)))
            add_owner_reference(reconcile, spec->refs[i]);
    }
}

/* What is counted of the clusters that a paused set selects. */
struct paused_count {
    struct crs_set *set;
    const struct plan *plan;
    size_t clusters, waiting;
};

static void count_waiting(void *data, struct str cluster)
{
    struct paused_count *count = data;
    OWNED(object)
    binding = binding_store_find(set_controllers(count->set)->binding_store,
                                 (struct key){set_key(count->set).namespace, cluster});
    count->clusters++;
    count->waiting += !plan_is_recorded(count->plan, binding, set_key(count->set).name);
}

/*
 * Nothing is written but the condition. The plan is kept, so that events of resources find the set:
 * whoever changes one is told that the change waits. Suspends.
 */
static struct error *reconcile_paused(struct set_reconcile *reconcile)
{
    struct crs_set *set = reconcile->set;
    const int64_t generation = object_generation(set_object(set));
    struct paused_count count = {.set = set};
    TRY(set_close(set));
    OWNED(plan) plan = plan_new(set_object(set));
    const bool may_wait = !object_is_deleting(set_object(set)) &&
                          !plan_spec(plan)->selector_error &&
                          count_clusters(set, &plan_spec(plan)->selector);
    if (may_wait) {
        take_snapshots(reconcile, plan);
        count.plan = plan;
        cluster_index_each(set_controllers(set)->cluster_index, set_key(set).namespace,
                           &plan_spec(plan)->selector, count_waiting, &count);
    }
    set_put_plan(set, TAKE(plan));
    const struct condition paused =
        conditions_paused(count.waiting, count.clusters, generation, &reconcile->arena);
    return set_write_status(set, &(struct set_status){.conditions = &paused, .count = 1});
}

/* Placements of clusters that are no longer selected go. Their bindings stay as they are. */
static void drop_unselected_placements(struct crs_set *set)
{
    const struct selector *selector = &plan_spec(set_plan(set))->selector;
    MAP_FOREACH (entry, set_placements(set)) {
        const struct key cluster = {set_key(set).namespace, map_key(entry)};
        if (!cluster_index_selects(set_controllers(set)->cluster_index, cluster, selector))
            placement_drop(entry->value);
    }
}

/*
 * True if a placement needs no reconcile: the binding still has the version at which it met the
 * plan, or meets the plan again. A placement with a fault is retried with back-off by its own
 * queue, and at once when somebody has changed the set or a resource.
 */
static bool is_up_to_date(struct crs_set *set, struct placement *placement)
{
    SCOPED(arena) arena = {0};
    struct binding_store *store = set_controllers(set)->binding_store;
    const struct key key = {set_key(set).namespace, placement_cluster(placement)};
    const struct str good = placement_good_version(placement);
    if (!placement_is_reconciled(placement, set_plan(set)) ||
        placement_fault(placement)->type == FAULT_WAVE) /* its turn has come by now */
        return false;
    if (placement_fault(placement)->type)
        return !set_is_touched(set);
    const struct str version = binding_store_version(store, key, &arena);
    if (good.len && str_eq(version, good))
        return true;
    OWNED(object) binding = binding_store_find(store, key);
    if (!plan_is_met(set_plan(set), binding, set_owner_reference(set)))
        return false;
    placement_set_good_version(placement, version);
    return true;
}

/*
 * True if the rollout has not come to the cluster. What the cluster has instead is looked after, by
 * the plan it had. A fault that says more is left: the cluster failed, or cannot be reached.
 */
static bool hold_placement(struct crs_set *set, struct placement *placement)
{
    struct str why = {0};
    const enum fault_type fault = placement_fault(placement)->type;
    if (!set_rollout_waits(placement, set_plan(set), &why))
        return false;
    if (fault != FAULT_NO_CLIENT && fault != FAULT_CONNECTING &&
        !set_rollout_has_failed(placement) &&
        placement_set_fault(placement, &(struct fault){.type = FAULT_WAVE, .text = why}))
        set_note_news(set);
    drift_check_follow(set, placement);
    if (placement_plan(placement) != set_plan(set) &&
        !placement_is_reconciled(placement, placement_plan(placement)))
        placement_enqueue(set, placement_cluster(placement), QUEUE_NORMAL);
    return true;
}

static void enqueue_placement(void *data, struct str cluster)
{
    struct crs_set *set = data;
    struct placement *placement = placement_open(set, cluster);
    if (!placement_is_pending(placement) && hold_placement(set, placement))
        return;
    if (placement_is_pending(placement)) {
        if (set_is_touched(set) && placement_fault(placement)->type)
            placement_enqueue(set, cluster, QUEUE_NORMAL); /* it may run, and fail, right now */
        return;
    }
    if (is_up_to_date(set, placement)) {
        drift_check_follow(set, placement);
        health_check_follow(set, placement, HEALTH_CHECK_SOON);
        prune_removed_follow(set, placement);
        return;
    }
    const struct key key = {set_key(set).namespace, cluster};
    const bool is_in_doubt = cluster_index_is_in_doubt(set_controllers(set)->cluster_index, key);
    placement_set_pending(placement, true);
    placement_enqueue_after(set, cluster, is_in_doubt ? CLUSTER_DOUBT_PAUSE : 0, QUEUE_NORMAL);
}

static void enqueue_placements(struct crs_set *set)
{
    set_allow_placements(set);
    drop_unselected_placements(set);
    cluster_index_each(set_controllers(set)->cluster_index, set_key(set).namespace,
                       &plan_spec(set_plan(set))->selector, enqueue_placement, set);
    set_end_touch(set);
    prune_occasion_follow(set);
}

/* Faults of resources that are the same on every cluster. */
static void collect_resource_faults(struct set_reconcile *reconcile)
{
    const struct plan *plan = set_plan(reconcile->set);
    for (size_t i = 0; i < plan_resource_count(plan); i++) {
        const enum fault_type fault = resource_snapshot_fault(plan_snapshot(plan, i));
        if (!fault_is_of_resource(fault))
            continue;
        const struct resource_ref ref = plan_resource(plan, i);
        const struct str resource = describe_resource(reconcile, ref);
        const struct str text = resource_snapshot_text(plan_snapshot(plan, i));
        add_problem(reconcile,
                    (struct conditions_problem){fault, STR(""), resource, ref.name, text});
        if (fault != FAULT_MISSING)
            reconcile->err =
                error_join(reconcile->err, error_new(ERROR_UNKNOWN, "%.*s: %.*s", STR_ARG(resource),
                                                     STR_ARG(text)));
    }
}

/* The resource whose content no cluster can use and that this fault is about; STR_NONE: none. */
static size_t find_unusable_resource(const struct plan *plan, const struct fault *fault)
{
    for (size_t i = 0; fault->type == FAULT_NOT_APPLIED && i < plan_resource_count(plan); i++)
        if (resource_snapshot_fault(plan_snapshot(plan, i)) == FAULT_NOT_APPLIED &&
            fault->name.len && str_eq(plan_resource(plan, i).name, fault->name))
            return i;
    return STR_NONE;
}

/*
 * Whether no cluster can be given a content by the policy of the set. Clusters that have something
 * of the set stay as they are until it can be used (plan_is_met()) and have no fault, so that the
 * set itself has to tell.
 */
static bool is_withheld(const struct plan *plan, size_t index)
{
    return plan_policy(plan) &&
           resource_snapshot_fault(plan_snapshot(plan, index)) == FAULT_NOT_APPLIED;
}

/*
 * Adds the faults of placements and counts those that failed or wait. A content that cannot be used
 * is added once, without a cluster.
 */
static void collect_placement_faults(struct set_reconcile *reconcile,
                                     struct conditions_summary *summary)
{
    const struct plan *plan = set_plan(reconcile->set);
    bool *is_unusable =
        arena_alloc_array(&reconcile->arena, plan_resource_count(plan) + 1, sizeof(bool));
    for (size_t i = 0; i < plan_resource_count(plan); i++)
        is_unusable[i] = is_withheld(plan, i);
    MAP_FOREACH (entry, set_placements(reconcile->set)) {
        const struct fault *fault = placement_fault(entry->value);
        if (!fault->type)
            continue;
        summary->waiting += fault_is_wait(fault->type);
        summary->failed += fault->type != FAULT_PAUSED && !fault_is_wait(fault->type);
        const size_t unusable = find_unusable_resource(plan, fault);
        if (unusable != STR_NONE)
            is_unusable[unusable] = true;
        else
            add_problem(reconcile,
                        (struct conditions_problem){fault->type, map_key(entry), fault->resource,
                                                    fault->name, fault->text});
    }
    for (size_t i = 0; i < plan_resource_count(plan); i++)
        if (is_unusable[i])
            add_problem(reconcile,
                        (struct conditions_problem){
                            is_withheld(plan, i) ? FAULT_UNUSABLE : FAULT_NOT_APPLIED, STR(""),
                            describe_resource(reconcile, plan_resource(plan, i)),
                            plan_resource(plan, i).name,
                            resource_snapshot_text(plan_snapshot(plan, i))});
}

static bool find_contested(struct crs_set *set, struct condition *ret_found)
{
    return condition_find(object_path(set_object(set), "status.conditions"),
                          STR("ResourcesApplied"), ret_found) &&
           rivalry_is_contested(set_rivalry(set), ret_found, loop_now(set_controllers(set)->loop));
}

/* One event for each set: what to do about it is on a page. Suspends. */
static void tell_rival(struct set_reconcile *reconcile)
{
    struct rivalry *rivalry = set_rivalry(reconcile->set);
    struct str manager;
    if (rivalry->is_told)
        return;
    OWNED(error) err = set_find_rival(reconcile->set, &reconcile->arena, &manager);
    if (err)
        return;
    rivalry->is_told = true;
    set_events_record_rival(reconcile->set, manager);
}

/*
 * Decides about a condition that another controller has written over ours; see rivalry.h. Returns
 * false if nothing is to be written now: the set is reconciled again later. Suspends.
 */
static bool may_write_applied(struct set_reconcile *reconcile, struct conditions *made)
{
    struct crs_set *set = reconcile->set;
    struct condition found;
    if (!made->says_applied || !find_contested(set, &found))
        return true;
    made->says_applied = !rivalry_is_settled(set_rivalry(set), &made->applied, &found);
    const duration wait = made->says_applied
                              ? rivalry_wait(set_rivalry(set), loop_now(set_controllers(set)->loop))
                              : 0;
    tell_rival(reconcile);
    if (!wait)
        return true;
    set_retry_status(set);
    set_enqueue_after(set, wait);
    return false;
}

static bool has_progress(const struct object *object)
{
    struct condition found;
    return condition_find(object_path(object, "status.conditions"), STR("InProgress"), &found);
}

/* The conditions about one policy: those that are there, and the types of those that are not. */
struct policy_conditions {
    struct condition made[4];
    struct str dropped[4];
    size_t made_count, dropped_count;
};

/* DriftFree, as the placements have it recorded. */
static struct condition make_drift_condition(struct set_reconcile *reconcile)
{
    struct crs_set *set = reconcile->set;
    const size_t clusters = map_count(set_placements(set));
    struct condition_cluster *drifted =
        arena_alloc_array(&reconcile->arena, clusters + 1, sizeof(*drifted));
    size_t count = 0;
    MAP_FOREACH (entry, set_placements(set)) {
        const struct placement_drift *drift = placement_drift(entry->value);
        if (drift->drift || drift->is_unchecked)
            drifted[count++] = (struct condition_cluster){map_key(entry), str_from_c(drift->text),
                                                          (int)drift->drift};
    }
    return drift_condition_make(drifted, count, clusters, plan_generation(set_plan(set)),
                                &reconcile->arena);
}

/* True if a placement is not ready, with what is told of it. */
static bool find_unready(const struct plan *plan, struct placement *placement,
                         struct condition_cluster *ret_cluster)
{
    const struct fault *fault = placement_fault(placement);
    const struct placement_health *health = placement_health(placement);
    *ret_cluster = (struct condition_cluster){.name = placement_cluster(placement)};
    if (fault->type || !placement_is_reconciled(placement, plan)) {
        ret_cluster->rank = HEALTH_CONDITION_UNAPPLIED;
        ret_cluster->text = fault->type ? fault->text : STR("not applied yet");
        return true;
    }
    ret_cluster->rank =
        health->state == HEALTH_FAILED ? HEALTH_CONDITION_FAILED : HEALTH_CONDITION_SETTLING;
    ret_cluster->text = health->text ? str_from_c(health->text) : STR("not looked at yet");
    return health->state != HEALTH_READY;
}

/* Ready, by the same records. */
static struct condition make_health_condition(struct set_reconcile *reconcile)
{
    struct crs_set *set = reconcile->set;
    const size_t clusters = map_count(set_placements(set));
    struct condition_cluster *unready =
        arena_alloc_array(&reconcile->arena, clusters + 1, sizeof(*unready));
    size_t count = 0;
    MAP_FOREACH (entry, set_placements(set))
        count += find_unready(set_plan(set), entry->value, &unready[count]);
    return health_condition_make(unready, count, clusters, plan_generation(set_plan(set)),
                                 &reconcile->arena);
}

/* Pruned, by the same records. */
static struct condition make_prune_condition(struct set_reconcile *reconcile)
{
    return prune_occasion_condition(reconcile->set, plan_generation(set_plan(reconcile->set)),
                                    &reconcile->arena);
}

/* RolledOut, by the last look. */
static struct condition make_rollout_condition(struct set_reconcile *reconcile)
{
    const struct set_rollout *rollout = set_rollout(reconcile->set);
    return rollout_condition_make(rollout ? &rollout->decision : NULL,
                                  plan_generation(set_plan(reconcile->set)), &reconcile->arena);
}

static void add_policy_condition(struct set_reconcile *reconcile, bool is_asked_for,
                                 struct condition (*make)(struct set_reconcile *reconcile),
                                 struct str type, struct policy_conditions *conditions)
{
    if (is_asked_for)
        conditions->made[conditions->made_count++] = make(reconcile);
    else
        conditions->dropped[conditions->dropped_count++] = type;
}

static struct policy_conditions make_policy_conditions(struct set_reconcile *reconcile)
{
    const struct delivery_policy *policy = plan_policy(set_plan(reconcile->set));
    struct policy_conditions conditions = {.made_count = 0};
    add_policy_condition(reconcile, policy && policy->drift != DELIVERY_POLICY_DRIFT_IGNORE,
                         make_drift_condition, STR(DRIFT_CONDITION), &conditions);
    add_policy_condition(reconcile, policy && policy->health_timeout > 0, make_health_condition,
                         STR(HEALTH_CONDITION), &conditions);
    add_policy_condition(reconcile, policy && policy->prune_when, make_prune_condition,
                         STR(PRUNE_CONDITION), &conditions);
    add_policy_condition(reconcile, set_rollout_has_waves(set_plan(reconcile->set)),
                         make_rollout_condition, STR(ROLLOUT_CONDITION), &conditions);
    return conditions;
}

/*
 * Writes the conditions that follow from the summary, and an event if ResourcesApplied changes. A
 * set without clusters gets InProgress and Failed only where it had them before. Suspends.
 */
static struct error *write_conditions(struct set_reconcile *reconcile,
                                      const struct conditions_summary *summary)
{
    struct crs_set *set = reconcile->set;
    const int64_t generation = plan_generation(set_plan(set));
    struct conditions made = conditions_make(summary, generation, &reconcile->arena);
    if (!may_write_applied(reconcile, &made))
        return NULL;
    const struct policy_conditions by_policy = make_policy_conditions(reconcile);
    struct condition all[4 + COUNT(by_policy.made)] = {conditions_not_paused(generation)};
    size_t count = 1;
    if (made.says_applied)
        all[count++] = made.applied;
    if (summary->clusters || summary->count || has_progress(set_object(set))) {
        all[count++] = made.progress;
        all[count++] = made.failed;
    }
    for (size_t i = 0; i < by_policy.made_count; i++)
        all[count++] = by_policy.made[i];
    const bool is_news = made.says_applied && !has_condition(set_object(set), &made.applied);
    struct error *err =
        set_write_status(set, &(struct set_status){
                                  .conditions = all,
                                  .count = count,
                                  .dropped = by_policy.dropped,
                                  .dropped_count = by_policy.dropped_count,
                                  .v1beta1 = made.says_applied ? &made.v1beta1 : NULL,
                                  .observed_generation = made.is_success ? generation : 0,
                              });
    if (made.says_applied)
        rivalry_note_written(set_rivalry(set), err ? NULL : &made.applied);
    TRY(err);
    if (is_news)
        set_events_record_set(set, &made, summary->clusters);
    return NULL;
}

static bool says_not_applied(const struct object *object)
{
    struct condition found;
    return condition_find(object_path(object, "status.conditions"), STR("ResourcesApplied"),
                          &found) &&
           found.status == CONDITION_FALSE;
}

/* Problems of resources do not count in a set without clusters: nothing shall be applied. */
static struct error *update_status(struct set_reconcile *reconcile)
{
    struct crs_set *set = reconcile->set;
    struct condition found;
    const bool has_own_problems = reconcile->problem_count > 0;
    if (!set_status_is_due(set)) {
        if (has_own_problems != set_tells_own_problems(set) ||
            find_contested(set, &found)) /* what another controller wrote meanwhile may be wrong */
            set_note_news(set);
        return NULL;
    }
    collect_resource_faults(reconcile);
    struct conditions_summary summary = {
        .clusters = map_count(set_placements(set)),
        .pending = set_pending(set),
        .was_false = says_not_applied(set_object(set)),
        .rollout = set_rollout_describe(set, &reconcile->arena),
    };
    collect_placement_faults(reconcile, &summary);
    summary.problems = reconcile->problems;
    summary.count = summary.clusters ? reconcile->problem_count : 0;
    struct error *err = write_conditions(reconcile, &summary);
    if (err)
        set_retry_status(set);
    else
        set_put_own_problems(set, has_own_problems);
    return err;
}

/* The plan is kept, so that events of resources still find the set. Placements stay as they are. */
static struct error *refuse_selector(struct set_reconcile *reconcile, struct plan *plan)
{
    const struct str text = arena_print(&reconcile->arena, "unable to convert selector: %s",
                                        plan_spec(plan)->selector_error->message);
    const struct conditions_problem problem = {.type = FAULT_NO_SELECTOR, .text = text};
    const struct conditions_summary summary = {.problems = &problem, .count = 1};
    set_put_plan(reconcile->set, plan);
    TRY(write_conditions(reconcile, &summary));
    return error_new(ERROR_INVALID, "%.*s", STR_ARG(text));
}

/* Suspends. */
static struct error *read_policy(void *data, struct key key, struct delivery_policy **ret_policy)
{
    return policy_store_get(data, key, ret_policy);
}

/* What keeps the whole set back, for a placement. */
struct refusal {
    struct crs_set *set;
    struct fault fault;
};

static void refuse_placement(void *data, struct str cluster)
{
    const struct refusal *refusal = data;
    placement_set_fault(placement_open(refusal->set, cluster), &refusal->fault);
}

/*
 * Nothing of the set is applied, without its policy or against an order that cannot be kept, and
 * what is under way ends. The event of what was wrong enqueues the set. The plan has no snapshots,
 * but is kept: events find the set, and others that depend on it its selector. Takes the plan.
 * Suspends.
 */
static struct error *refuse_set(struct set_reconcile *reconcile, struct plan *plan,
                                enum fault_type type, struct str text)
{
    struct crs_set *set = reconcile->set;
    OWNED(plan) kept = plan;
    struct refusal refusal = {
        set, {.type = type, .text = text}
    };
    const struct conditions_problem problem = {.type = type, .text = text};
    TRY(set_close(set));
    set_put_plan(set, TAKE(kept));
    set_end_touch(set);
    drop_unselected_placements(set);
    cluster_index_each(set_controllers(set)->cluster_index, set_key(set).namespace,
                       &plan_spec(set_plan(set))->selector, refuse_placement, &refusal);
    return write_conditions(reconcile, &(struct conditions_summary){
                                           .clusters = map_count(set_placements(set)),
                                           .problems = &problem,
                                           .count = 1,
                                       });
}

static struct error *reconcile_normal(struct set_reconcile *reconcile)
{
    struct crs_set *set = reconcile->set;
    OWNED(plan) plan = plan_new(set_object(set));
    const size_t clusters = count_clusters(set, &plan_spec(plan)->selector);
    TRY(write_first_conditions(set, clusters > 0));
    if (plan_spec(plan)->selector_error)
        return refuse_selector(reconcile, TAKE(plan));
    const struct str order = set_order_refusal(set, &reconcile->arena);
    if (order.len)
        return refuse_set(reconcile, TAKE(plan), FAULT_ORDER, order);
    struct str problem;
    const struct set_policy_reader reader = {read_policy, set_controllers(set)->policies};
    struct error *unread =
        set_policy_find(set_object(set), plan, &reader, &reconcile->arena, &problem);
    if (problem.len)
        return error_join(unread, refuse_set(reconcile, TAKE(plan), FAULT_NO_POLICY, problem));
    if (clusters)
        take_snapshots(reconcile, plan);
    if (clusters)
        reconcile->err = error_join(reconcile->err, set_rollout_look(set, plan));
    set_put_plan(set, TAKE(plan));
    enqueue_placements(set);
    return update_status(reconcile);
}

/*
 * The finalizer goes last: until then a new process would go on with the deletion. By a policy
 * clusters lose their objects first.
 */
static struct error *reconcile_delete(struct crs_set *set)
{
    bool waits;
    TRY(set_close(set));
    TRY(prune_occasion_delete(set, &waits));
    if (waits)
        return NULL;
    TRY(set_remove_from_bindings(set));
    return set_write_finalizer(set, false);
}

/* The annotation is looked at after the finalizer is written: the answer is a newer copy. */
static struct error *reconcile_existing(struct set_reconcile *reconcile)
{
    struct crs_set *set = reconcile->set;
    const bool is_deleting = object_is_deleting(set_object(set));
    if (is_deleting && !object_has_finalizer(set_object(set), STR(CRS_FINALIZER)))
        return set_close(set);
    if (!is_deleting)
        TRY(set_write_finalizer(set, true));
    if (crs_is_paused(set_object(set)))
        return reconcile_paused(reconcile);
    return is_deleting ? reconcile_delete(set) : reconcile_normal(reconcile);
}

/* Drops the state of a set that is gone or has been replaced by another one of the same name. */
static struct error *drop_replaced_set(struct crs_controllers *controllers, struct key key,
                                       const struct object *object)
{
    struct crs_set *set = set_find(controllers, key);
    if (!set || (object && str_eq(object_uid(object), object_uid(set_object(set)))))
        return NULL;
    TRY(set_close(set));
    set_drop(set);
    return NULL;
}

/* Every set is reconciled within two periods; a snapshot that none of them used is not needed. */
static void sweep_snapshots(struct crs_controllers *controllers)
{
    const int64_t now = loop_now(controllers->loop);
    if (now < controllers->sweep_at)
        return;
    resource_snapshots_sweep(controllers->snapshots);
    controllers->sweep_at = now + 2 * controllers->options.sync_period;
}

/* ERROR_NOT_FOUND from a write means that the set was deleted meanwhile; its event comes. */
struct error *reconcile_set(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct crs_controllers *controllers = data;
    OWNED(object) object = cache_get(controllers->sets, key);
    (void)ret_result;
    sweep_snapshots(controllers);
    TRY(drop_replaced_set(controllers, key, object));
    if (!object)
        return NULL;
    SCOPED(set_reconcile) reconcile = {.set = set_open(controllers, key)};
    set_put_object(reconcile.set, object);
    struct error *err = error_ignore(reconcile_existing(&reconcile), ERROR_NOT_FOUND);
    return err ? err : TAKE(reconcile.err);
}
