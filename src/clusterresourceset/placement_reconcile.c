/*
 * Reconciles one placement: applies to one cluster what it lacks of one set, and records the
 * results in the binding of the cluster.
 *
 *   reconcile_placement()    finds the set and checks that it still selects the cluster
 *     placement_values_use() puts values of the Cluster into the objects of the plan
 *     apply_missing()        compares plan and binding; connects; writes the binding at the end
 *       check_identity()     is the binding about this cluster?
 *       hold_changes()       leaves a paused Cluster alone
 *       hold_for_order()     lets other sets come first
 *       hold_for_wave()      lets other clusters come first
 *       take_place()         is there room in the binding?
 *       record_beginning()   with waves: the cluster is one that has begun
 *       apply_resource()     decides about one ConfigMap or Secret
 *         apply_in_fiber()   applies its objects, in a fiber that can be cancelled
 *       placement_reconcile_note_failures()  makes one fault of the objects that failed
 *       placement_findings_record()  when all was applied: what checks of drift and health found
 *   finish_reconcile()       keeps the findings in the placement and informs the set
 *
 * No request is made if the binding, as far as it is known here, meets the plan. Otherwise the
 * binding is read from the server before the cluster is touched: a resource that the binding
 * records as applied must not be applied again by ApplyOnce, however old the cache is. Only
 * Reconcile may skip that read, if the last reconcile found all well. Applying again does no harm
 * then, and the write of the binding fails with a conflict if another process has changed it.
 *
 * A reconcile has two kinds of failure. A fault is what conditions and events show. An error makes
 * the queue try again with back-off. Nearly always both are set.
 */
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/apply/apply_ledger.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/cluster_doubt.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_mend.h"
#include "clusterresourceset/identity.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_findings.h"
#include "clusterresourceset/placement_health.h"
#include "clusterresourceset/placement_reconcile_internal.h"
#include "clusterresourceset/placement_turn.h"
#include "clusterresourceset/placement_values.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/prune_withdraw.h"
#include "clusterresourceset/server_version.h"
#include "clusterresourceset/service_gate.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_events.h"
#include "clusterresourceset/set_order.h"
#include "clusterresourceset/set_rollout.h"
#include "clusterresourceset/types/binding.h"
#include "clusterresourceset/types/delivery.h"
#include "clusterresourceset/types/failures.h"
#include "clusterresourceset/watches.h"
#include "controller/cache/cache.h"

#define PLACES_OF_OTHERS 10 /* entries that controllers we do not know of may add meanwhile */
#define CONFLICT_PAUSE   (100 * MILLISECOND)
#define LOST_PAUSE       SECOND        /* the deletion of the binding enqueues it before that */
#define NO_ROOM_RETRY    (5 * MINUTE)  /* until a set that goes has made room */
#define NO_CLIENT_RETRY  (5 * MINUTE)  /* a new connection enqueues the placement before that */
#define CONNECTING_RETRY (30 * SECOND) /* while it is being made: what keeps it is told */
#define WRITE_TIME       MINUTE        /* for the binding, after the time for applying is over */
#define OBJECT_TIME      (250 * MILLISECOND) /* at 20 requests a second, with some to spare */
#define FAULT_TEXT_MAX   ((size_t)600)       /* of several failures together */
#define LOG_NAMES_MAX    ((size_t)8 * 1024)  /* bytes of names in a line of the log */

static void placement_reconcile_done(struct placement_reconcile *reconcile)
{
    plan_free(reconcile->plan);
    object_free(reconcile->cluster_object);
    object_free(reconcile->binding);
    cluster_connection_free(reconcile->connection);
    error_free(reconcile->unknown);
    buf_done(&reconcile->applied);
    failures_done(&reconcile->failures);
    apply_ledger_done(&reconcile->ledger);
    health_finding_done(&reconcile->health);
    arena_done(&reconcile->arena);
}

/* Copies the texts. The gravest fault is kept, the first of equal ones. */
static void note_fault(struct placement_reconcile *reconcile, const struct fault *fault)
{
    struct arena *arena = &reconcile->arena;
    if (fault_is_graver(fault, &reconcile->fault))
        reconcile->fault =
            (struct fault){fault->type, arena_str(arena, fault->resource),
                           arena_str(arena, fault->name), arena_str(arena, fault->text)};
}

/* For faults that concern no single resource. Returns the error. */
static struct error *note_error(struct placement_reconcile *reconcile, enum fault_type type,
                                struct error *err)
{
    if (err)
        note_fault(reconcile, &(struct fault){.type = type, .text = str_from_c(err->message)});
    return err;
}

/* "ConfigMap cm1" */
static struct str describe_resource(struct placement_reconcile *reconcile, struct resource_ref ref)
{
    const struct str kind = resource_kind_name(ref.kind);
    return arena_print(&reconcile->arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(ref.name));
}

static void add_result(struct placement_reconcile *reconcile, struct resource_ref ref, bool applied,
                       struct str hash)
{
    char text[TIMESTAMP_TEXT_MAX];
    const struct str now = timestamp_write(loop_wall(reconcile->controllers->loop), text);
    reconcile->results[reconcile->result_count++] =
        (struct binding_resource){.ref = ref,
                                  .applied = applied,
                                  .hash = hash,
                                  .last_applied_time = arena_str(&reconcile->arena, now)};
}

/* False if the Cluster has gone since the reconcile began, be there another one by its name or not.
 */
static bool is_same_cluster(const struct placement_reconcile *reconcile)
{
    OWNED(object_text)
    now = cache_get_text(reconcile->controllers->options.clusters, reconcile->cluster);
    return now && reconcile->cluster_object &&
           str_eq(object_text_uid(now), object_uid(reconcile->cluster_object));
}

/* True if another cluster has come in the place of the one that was worked on. */
static bool is_replaced(const struct placement_reconcile *reconcile)
{
    OWNED(cluster_connection) now = NULL;
    OWNED(error)
    offline = clustercache_get_client(reconcile->controllers->options.clustercache,
                                      reconcile->cluster, &now);
    const struct str uid = now ? cluster_connection_known_uid(now) : STR("");
    return uid.len && reconcile->cluster_uid.len && !str_eq(uid, reconcile->cluster_uid);
}

/* Nothing is applied that could not be recorded. Trying again soon is of no use. */
static void refuse_for_room(struct placement_reconcile *reconcile)
{
    const struct str text = arena_print(
        &reconcile->arena,
        "ClusterResourceSetBinding %.*s/%.*s has the entries of %d sets, which is all it can hold; "
        "the set cannot be recorded there and is not applied until another one goes",
        STR_ARG(reconcile->cluster.namespace), STR_ARG(reconcile->cluster.name),
        BINDING_ENTRIES_MAX);
    note_fault(reconcile, &(struct fault){.type = FAULT_NO_ROOM, .text = text});
    reconcile->result->requeue_after = NO_ROOM_RETRY;
    reconcile->is_refused = true;
}

/* What the record says of readiness: what a look found, what it said before, or that all settles.
 */
static struct health_record find_health(struct placement_reconcile *reconcile,
                                        const struct delivery *before, struct str now)
{
    const struct delivery_policy *policy = plan_policy(reconcile->plan);
    if (reconcile->is_beginning)
        return (struct health_record){0};
    if (reconcile->health.type)
        return health_record_find(before, &reconcile->health, &reconcile->arena);
    if (!policy || !policy->health_timeout || !failures_is_empty(&reconcile->failures))
        return (struct health_record){0};
    return reconcile->has_mended ? health_record_keep(before)
                                 : health_record_begin(reconcile->plan, now, &reconcile->arena);
}

/*
 * Attempts that failed with the revision. A cluster that cannot be reached is not at fault, and
 * what checks find is no attempt.
 */
static size_t count_attempts(const struct placement_reconcile *reconcile,
                             const struct delivery_mark *mark, struct str revision)
{
    const size_t before = str_eq(str_from_c(mark->revision), revision) ? mark->attempts : 0;
    const bool is_attempt = !reconcile->has_mended || reconcile->is_unfilled;
    if (reconcile->is_beginning || !is_attempt || reconcile->is_in_doubt)
        return before;
    if (failures_is_empty(&reconcile->failures))
        return 0;
    return before < ROLLOUT_ATTEMPTS ? before + 1 : before;
}

/*
 * Puts the results into the newest copy of the binding. Results go only into the binding that was
 * read before applying: a binding with a different UID belongs to a new Cluster of the same name.
 * What is true of a Cluster that went is written nowhere, and a binding that is full stays as it
 * is.
 */
static struct error *edit_binding(void *data, struct object *binding, struct object **ret_binding)
{
    struct placement_reconcile *reconcile = data;
    const struct crs_spec *spec = plan_spec(reconcile->plan);
    if (!is_same_cluster(reconcile)) {
        *ret_binding = object_ref(binding);
        return NULL;
    }
    if (!binding_has_room(binding, set_key(reconcile->set).name)) {
        refuse_for_room(reconcile);
        *ret_binding = object_ref(binding);
        return NULL;
    }
    if (reconcile->result_count && !str_eq(object_uid(binding), object_uid(reconcile->binding)))
        return error_new(ERROR_NOT_FOUND, "the binding has been replaced by another one");
    char text[TIMESTAMP_TEXT_MAX], revision[DELIVERY_REVISION_LEN + 1];
    char digest[APPLY_LEDGER_DIGEST_LEN + 1];
    const bool has_policy = plan_policy(reconcile->plan) != NULL;
    struct delivery_progress progress = {.is_incomplete = !plan_is_whole(reconcile->plan),
                                         .kinds = reconcile->ledger.kinds,
                                         .kind_count = reconcile->ledger.kind_count};
    const struct drift_mend *mend = reconcile->mend;
    if (has_policy) {
        progress.revision = plan_revision(reconcile->plan, revision);
        progress.values = plan_values(reconcile->plan);
        progress.digest = reconcile->has_mended ? reconcile->mend_digest
                                                : apply_ledger_digest(&reconcile->ledger, digest);
        progress.has_waves = set_rollout_has_waves(reconcile->plan);
        progress.is_applying = reconcile->is_beginning;
        if (reconcile->is_beginning)
            progress.digest = STR("");
    }
    struct delivery before = {0};
    struct delivery_mark mark = {0};
    const struct str now = timestamp_write(loop_wall(reconcile->controllers->loop), text);
    bool has_mark = false;
    if (has_policy) {
        delivery_read(binding, set_key(reconcile->set).name, &reconcile->arena, &before);
        has_mark = delivery_find_mark(binding, set_key(reconcile->set).name, &mark);
        if (progress.has_waves)
            progress.attempts = count_attempts(reconcile, &mark, progress.revision);
    }
    const bool has_begun = !reconcile->is_unfilled || has_mark; /* else it has still to adopt */
    const struct health_record health = find_health(reconcile, &before, now);
    const bool is_drift_known = !reconcile->health.type && !reconcile->drift_unchecked.len;
    const bool keeps_drift = !is_drift_known && mark.drift;
    const struct delivery_outcome outcome = {
        .failures = mend          ? &mend->why
                    : keeps_drift ? &before.failures
                                  : &reconcile->failures,
        .drift = mend          ? mend->drift
                 : keeps_drift ? mark.drift
                               : DELIVERY_UNDRIFTED,
        .progress = has_policy && has_begun ? &progress : NULL,
        .unready = health.is_unready ? &health.unready : NULL,
        .unchecked = health.unchecked,
        .drift_unchecked =
            reconcile->health.type ? before.drift_unchecked : reconcile->drift_unchecked,
        .now = now,
        .is_prune_due = has_policy && !reconcile->has_mended &&
                        plan_policy(reconcile->plan)->prune_when & DELIVERY_POLICY_PRUNE_REMOVED,
        .keeps_prune = reconcile->has_mended,
    };
    const struct binding_change change = {
        .owner = set_owner_reference(reconcile->set),
        .resources = reconcile->results,
        .count = reconcile->result_count,
        .named = spec->refs,
        .named_count = spec->ref_count,
        .cluster_uid = reconcile->cluster_uid,
        .outcome = reconcile->has_outcome ? &outcome : NULL,
    };
    if (binding_is_of_other_cluster(binding, reconcile->cluster_uid))
        return error_new(ERROR_NOT_FOUND, "the binding is about another cluster now");
    if (is_replaced(reconcile)) /* while this write waited for another one */
        return error_new(ERROR_NOT_FOUND, "the cluster is another one now");
    return binding_record(binding, &change, ret_binding);
}

/*
 * If conflicts are all that went wrong, the placement is reconciled again soon, without an error. A
 * set that is closed is being deleted or replaced, and must not appear in the binding again.
 */
struct error *placement_reconcile_write(struct placement_reconcile *reconcile)
{
    if (!set_is_open(reconcile->set))
        return NULL;
    struct error *err = binding_store_change(reconcile->controllers->binding_store,
                                             reconcile->cluster, edit_binding, reconcile);
    if (error_is(err, ERROR_CONFLICT) && !reconcile->fault.type) {
        error_free(err);
        reconcile->result->requeue_after = CONFLICT_PAUSE;
        reconcile->is_unfinished = true;
        return NULL;
    }
    err = error_wrap(err, "failed to patch ClusterResourceSetBinding %.*s/%.*s",
                     STR_ARG(reconcile->cluster.namespace), STR_ARG(reconcile->cluster.name));
    return note_error(reconcile, FAULT_BOOKKEEPING, err);
}

static struct error *ensure_binding(struct placement_reconcile *reconcile)
{
    object_free(TAKE(reconcile->binding));
    struct error *err =
        binding_store_ensure(reconcile->controllers->binding_store, reconcile->cluster,
                             set_owner_reference(reconcile->set), &reconcile->binding);
    err = error_wrap(err, "failed to get or create ClusterResourceSetBinding %.*s/%.*s",
                     STR_ARG(reconcile->cluster.namespace), STR_ARG(reconcile->cluster.name));
    return note_error(reconcile, FAULT_BOOKKEEPING, err);
}

/* Reads the binding from the server; makes it if it has been deleted. */
static struct error *refresh_binding(struct placement_reconcile *reconcile)
{
    struct object *fresh = NULL;
    struct error *err =
        binding_store_read(reconcile->controllers->binding_store, reconcile->cluster, &fresh);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return ensure_binding(reconcile);
    }
    TRY(note_error(reconcile, FAULT_BOOKKEEPING, err));
    object_free(reconcile->binding);
    reconcile->binding = fresh;
    return NULL;
}

/*
 * For all resources together. A cluster that hangs is given up early, see apply.h; a cluster that
 * makes progress has time for all of its objects.
 */
duration placement_reconcile_time(const struct placement_reconcile *reconcile)
{
    return reconcile->controllers->options.apply_timeout +
           (duration)plan_object_count(reconcile->plan) * OBJECT_TIME;
}

/* The objects of one resource, on their way to the cluster. */
struct resource_apply {
    struct placement_reconcile *reconcile;
    struct str resource; /* "ConfigMap cm1" */
    const struct content *content;
    bool is_first; /* see struct apply_target */
    struct apply_report report;
    struct error *err;
    bool is_done; /* false: it was cancelled, and err says nothing about the resource */
};

static struct error *apply_in_fiber(void *data)
{
    struct resource_apply *apply = data;
    struct placement_reconcile *reconcile = apply->reconcile;
    struct delivery_mark mark;
    const struct apply_target target = {
        .client = cluster_connection_client(reconcile->connection),
        .discovery = cluster_connection_discovery(reconcile->connection),
        .field_manager = field_manager_of_set(&reconcile->arena, set_key(reconcile->set)),
        .policy = plan_policy(reconcile->plan),
        .adopts = !delivery_find_mark(reconcile->binding, set_key(reconcile->set).name, &mark) ||
                  (!mark.is_applied && !mark.has_failed && !mark.digest[0]),
        .is_first = apply->is_first,
    };
    FIBER_TIMEOUT(reconcile->begun + placement_reconcile_time(reconcile) -
                  loop_now(reconcile->controllers->loop));
    const struct apply_batch batch = {
        .resource = apply->resource,
        .items = apply_items_read(apply->content, &reconcile->arena),
        .count = content_count(apply->content),
        .strategy = plan_strategy(reconcile->plan, reconcile->controllers->options.reconcile_with),
        .failures = &reconcile->failures,
        .notices = &reconcile->notices,
        .ledger = plan_policy(reconcile->plan) ? &reconcile->ledger : NULL,
    };
    apply->err = apply_objects(&target, &batch, &apply->report);
    apply->is_done = !fiber_is_canceled(fiber_current());
    return NULL;
}

/* Remembers what came of one resource, for the binding and the event. */
static void note_applied(struct placement_reconcile *reconcile, size_t index,
                         const struct resource_apply *apply)
{
    add_result(reconcile, plan_resource(reconcile->plan, index), !apply->err,
               resource_snapshot_hash(plan_snapshot(reconcile->plan, index)));
    if (!apply->err)
        buf_print(&reconcile->applied, "%s%.*s", reconcile->applied.len ? ", " : "",
                  STR_ARG(apply->resource));
}

/* A resource that cannot be used is recorded once: the same record again would change nothing. */
static void refuse_resource(struct placement_reconcile *reconcile, size_t index,
                            struct plan_step step)
{
    const struct resource_ref ref = plan_resource(reconcile->plan, index);
    const struct failed_object whole = {.name = ref.name,
                                        .resource = describe_resource(reconcile, ref)};
    const struct str text =
        step.action == PLAN_REFUSE_STRATEGY
            ? arena_print(&reconcile->arena, "unsupported or empty resource strategy: \"%.*s\"",
                          STR_ARG(plan_spec(reconcile->plan)->strategy_text))
            : resource_snapshot_text(plan_snapshot(reconcile->plan, index));
    if (!step.is_recorded)
        add_result(reconcile, ref, false, STR(""));
    failures_add(&reconcile->failures, &whole, error_code_name(ERROR_INVALID), text);
}

/* "ConfigMap cm1, key a, document 2": where the only object that failed stands. */
static struct str describe_place(struct placement_reconcile *reconcile,
                                 const struct failed_object *object)
{
    return arena_print(&reconcile->arena, "%.*s, key %.*s, document %zu", STR_ARG(object->resource),
                       STR_ARG(object->key), object->document);
}

/*
 * Makes one fault of all failures. A content that cannot be used has the name of its resource, by
 * which the set finds out that no cluster gets it.
 */
void placement_reconcile_note_failures(struct placement_reconcile *reconcile)
{
    const struct failures *failures = &reconcile->failures;
    const struct failed_object *single = failures_find_single(failures);
    struct fault fault = {.type = FAULT_NOT_APPLIED};
    SCOPED(buf) text = {.limit = 0};
    if (failures_is_empty(failures))
        return;
    if (!failures->failed) {
        fault.resource = failures->first->first->resource;
        fault.name = failures->first->first->name;
        buf_add(&text, failures->first->message);
    } else {
        if (single)
            fault.resource = describe_place(reconcile, single);
        failures_write(failures, &text, FAULT_TEXT_MAX);
    }
    fault.text = buf_str(&text);
    note_fault(reconcile, &fault);
}

/* One line of the log: a cause and some of its objects. Returns the first that did not fit. */
static const struct failed_object *log_objects(const struct placement_reconcile *reconcile,
                                               const struct failure_cause *cause,
                                               const struct failed_object *object)
{
    const struct key cluster = reconcile->cluster, set = set_key(reconcile->set);
    SCOPED(buf) names = {.limit = 0};
    for (; object && names.len < LOG_NAMES_MAX; object = object->next) {
        buf_add(&names, names.len ? STR(", ") : STR(""));
        failed_object_write(object, &names);
    }
    log_error("Failed to apply", LOG_KEY("Cluster", cluster.namespace, cluster.name),
              LOG_KEY("ClusterResourceSet", set.namespace, set.name),
              LOG_INT("failed", (int64_t)cause->count), LOG_STR("err", cause->message),
              LOG_STR("objects", buf_str(&names)));
    return object;
}

/* Every object that failed has a place in the log, once for each outcome. */
static void log_failures(const struct placement_reconcile *reconcile)
{
    const struct failures *failures = &reconcile->failures;
    const struct key cluster = reconcile->cluster;
    for (const struct failure_cause *cause = failures->first; cause; cause = cause->next)
        for (const struct failed_object *object = cause->first; object;)
            object = log_objects(reconcile, cause, object);
    if (failures->omitted_causes)
        log_error("Failed to apply more objects",
                  LOG_KEY("Cluster", cluster.namespace, cluster.name),
                  LOG_INT("failed", (int64_t)failures->omitted_objects));
}

/*
 * Runs a fiber that is cancelled when the set or the cluster goes. It is over when this returns,
 * and what it wrote is final. Suspends.
 */
struct error *placement_reconcile_run(struct placement_reconcile *reconcile, const char *name,
                                      fiber_fn run, void *data)
{
    SCOPED(scope) scope = {0}; /* leaving the function joins the fiber */
    placement_set_scope(reconcile->placement, &scope);
    scope_start(&scope, name, run, data);
    struct error *err = scope_wait(&scope);
    if (err)
        scope_cancel(&scope);
    placement_set_scope(reconcile->placement, NULL);
    return err;
}

/*
 * Errors end the reconcile: the set or the cluster goes. An object that fails is no error here: the
 * next resource is applied all the same.
 */
static struct error *apply_resource(struct placement_reconcile *reconcile, size_t index)
{
    if (placement_is_dropped(reconcile->placement))
        return error_new(ERROR_CANCELED, "the cluster goes");
    const struct plan_step step =
        plan_step(reconcile->plan, index, reconcile->binding, set_key(reconcile->set).name);
    if (step.action == PLAN_SKIP)
        return NULL;
    if (step.action != PLAN_APPLY) {
        refuse_resource(reconcile, index, step);
        return NULL;
    }
    struct resource_apply apply = {
        .reconcile = reconcile,
        .resource = describe_resource(reconcile, plan_resource(reconcile->plan, index)),
        .content = resource_snapshot_content(plan_snapshot(reconcile->plan, index)),
        .is_first = step.is_first,
    };
    struct error *err = placement_reconcile_run(reconcile, "apply", apply_in_fiber, &apply);
    OWNED(error) failure = apply.err;
    TRY(err);
    reconcile->is_in_doubt |= failure && cluster_doubt_is_cast_by(failure->code);
    if (!apply.is_done) {
        failures_clear(&reconcile->failures); /* what was cut short says nothing about objects */
        return error_new(ERROR_CANCELED, "the set or the cluster goes");
    }
    note_applied(reconcile, index, &apply);
    return NULL;
}

/*
 * The error of the last attempt to connect says more than that there is no connection. There is
 * never one to a Cluster that the watch filter excludes, so that is the reason then.
 */
static struct fault explain_no_client(struct placement_reconcile *reconcile,
                                      const struct error *err)
{
    const struct crs_controllers *controllers = reconcile->controllers;
    const struct clustercache_health health =
        clustercache_get_health(controllers->options.clustercache, reconcile->cluster);
    struct fault fault = {.type = FAULT_NO_CLIENT, .text = str_from_c(err->message)};
    if (!watches_has_label(controllers, reconcile->cluster_object)) {
        fault.text = arena_print(&reconcile->arena,
                                 "the Cluster lacks the label " CRS_WATCH_FILTER_LABEL
                                 "=%s, without which this controller does not connect to it",
                                 controllers->watch_filter);
    } else if (!health.is_lost) {
        fault.type = FAULT_CONNECTING;
        fault.text = arena_print(&reconcile->arena, "not connected yet%s%.*s",
                                 health.problem.len ? ": " : "", STR_ARG(health.problem));
    } else if (health.problem.len) {
        fault.text = health.problem;
    }
    return fault;
}

/*
 * Without a connection the binding gets the entry of the set, without results. This is no error:
 * the ClusterCache enqueues the placement when there is a connection.
 */
static struct error *wait_for_client(struct placement_reconcile *reconcile, struct error *err)
{
    const struct fault fault = explain_no_client(reconcile, err);
    note_fault(reconcile, &fault);
    error_free(err);
    reconcile->is_in_doubt = true;
    reconcile->result->requeue_after =
        fault.type == FAULT_CONNECTING ? CONNECTING_RETRY : NO_CLIENT_RETRY;
    return placement_reconcile_write(reconcile);
}

bool placement_reconcile_is_paused(const struct placement_reconcile *reconcile)
{
    return cluster_index_is_paused(reconcile->controllers->cluster_index, reconcile->cluster);
}

/* The event of the Cluster that is no longer paused enqueues the placement. */
static void hold_changes(struct placement_reconcile *reconcile)
{
    note_fault(reconcile,
               &(struct fault){.type = FAULT_PAUSED,
                               .text = STR("nothing new is applied while spec.paused is set")});
}

/*
 * True if other sets come first on the cluster. No request is made then, and what ends the wait
 * enqueues the placement (set_order.h). While one of them has not been looked at, nothing is
 * certain: the placement stays pending, and the set tells of it only if that takes long.
 */
static bool hold_for_order(struct placement_reconcile *reconcile)
{
    struct set_order_wait wait = {0};
    if (!set_order_waits(reconcile->set, reconcile->cluster, &reconcile->arena, &wait))
        return false;
    note_fault(reconcile, &(struct fault){.type = FAULT_WAITING, .text = wait.text});
    reconcile->is_unfinished = wait.is_unknown;
    if (wait.is_unknown && placement_set_fault(reconcile->placement, &reconcile->fault))
        set_note_news(reconcile->set);
    return true;
}

/*
 * True if the rollout has not come to the cluster: no request is made, and the set enqueues the
 * placement when it has. A cluster that failed, and may be tried again only later, goes on to say
 * why it failed, and the queue brings it again.
 */
static bool hold_for_wave(struct placement_reconcile *reconcile, struct error **ret_err)
{
    struct str why = {0};
    const struct placement *placement = reconcile->placement;
    *ret_err = NULL;
    if (!set_rollout_waits(reconcile->placement, set_plan(reconcile->set), &why))
        return false;
    if (set_rollout_has_failed(placement)) {
        note_fault(reconcile, placement_fault(placement));
        *ret_err = placement_reconcile_explain(&reconcile->fault);
        return true;
    }
    if (reconcile->is_unfilled)
        failures_clear(&reconcile->failures); /* values are looked for when its turn has come */
    note_fault(reconcile, &(struct fault){.type = FAULT_WAVE, .text = why});
    return true;
}

/* The sets of the namespace, which may all be about to add their entries. */
static size_t count_sets(const struct placement_reconcile *reconcile)
{
    size_t count = 0;
    MAP_FOREACH (entry, &reconcile->controllers->sets_by_key)
        count += str_eq(set_key(entry->value).namespace, reconcile->cluster.namespace);
    return count;
}

/*
 * Makes sure that what is applied can be recorded. The check of the copy that was read is enough
 * while all the sets there are would fit; otherwise the set takes its place in the binding before
 * the first object is created. That is one write more, so it is not done without need. Suspends.
 */
static struct error *take_place(struct placement_reconcile *reconcile)
{
    const struct str set = set_key(reconcile->set).name;
    if (!binding_has_room(reconcile->binding, set))
        refuse_for_room(reconcile);
    if (reconcile->is_refused || binding_has_entry(reconcile->binding, set) ||
        binding_entry_count(reconcile->binding) + count_sets(reconcile) + PLACES_OF_OTHERS <=
            BINDING_ENTRIES_MAX)
        return NULL;
    TRY(placement_reconcile_write(reconcile));
    object_free(TAKE(reconcile->binding));
    reconcile->binding =
        binding_store_find(reconcile->controllers->binding_store, reconcile->cluster);
    if (!reconcile->is_refused && !binding_has_entry(reconcile->binding, set)) {
        reconcile->result->requeue_after = CONFLICT_PAUSE;
        reconcile->is_unfinished = true;
    }
    return NULL;
}

/*
 * A version that is not known passes, as in service_gate_applies_to(). A UID that is not known does
 * not: what is applied now and recorded without it would be believed of any cluster that comes
 * later.
 */
static struct error *check_service(struct placement_reconcile *reconcile)
{
    if (reconcile->unknown)
        return note_error(reconcile, FAULT_NO_SERVICE, TAKE(reconcile->unknown));
    struct str version = {0};
    OWNED(error) unknown = cluster_connection_least_version(reconcile->connection, &version);
    const struct str refusal = server_version_policy_refusal(&reconcile->arena, version);
    if (plan_policy(reconcile->plan) && refusal.len)
        return note_error(reconcile, FAULT_NOT_APPLIED,
                          error_new(ERROR_INVALID, "%.*s", STR_ARG(refusal)));
    return note_error(reconcile, FAULT_NO_SERVICE,
                      service_gate_check(cluster_connection_client(reconcile->connection), version,
                                         reconcile->cluster));
}

/* See the top of the file. A good version says that the last reconcile found all well. */
static bool may_write_unread(const struct placement_reconcile *reconcile)
{
    return plan_spec(reconcile->plan)->strategy == RESOURCE_RECONCILE &&
           placement_good_version(reconcile->placement).len;
}

/*
 * Drops what the binding records if it is about another cluster than the one that is connected. A
 * UID that cannot be read just now is asked for again later; what is recorded is believed until
 * then.
 */
static struct error *check_identity(struct placement_reconcile *reconcile)
{
    struct error *unknown =
        cluster_connection_cluster_uid(reconcile->connection, &reconcile->cluster_uid);
    if (unknown) {
        if (fiber_is_canceled(fiber_current()))
            return unknown;
        reconcile->is_in_doubt = cluster_doubt_is_cast_by(unknown->code);
        reconcile->unknown =
            error_wrap(unknown, "cannot read Namespace kube-system, by which a cluster is known");
        reconcile->result->requeue_after = IDENTITY_RETRY;
        return NULL;
    }
    if (!is_same_cluster(reconcile))
        return error_new(ERROR_CANCELED, "the cluster goes");
    struct error *err =
        identity_check(reconcile->controllers, reconcile->cluster_object, reconcile->cluster_uid);
    return note_error(reconcile, FAULT_BOOKKEEPING, err);
}

/*
 * Applies one resource after the other. A pause meanwhile cancels the present one; what was applied
 * before is recorded all the same.
 */
static struct error *apply_resources(struct placement_reconcile *reconcile)
{
    for (size_t i = 0;
         i < plan_resource_count(reconcile->plan) && !placement_reconcile_is_paused(reconcile);
         i++) {
        struct error *err = apply_resource(reconcile, i);
        if (err && placement_reconcile_is_paused(reconcile) && set_is_open(reconcile->set) &&
            !placement_is_dropped(reconcile->placement) && !fiber_is_canceled(fiber_current()))
            err = error_ignore(err, ERROR_CANCELED);
        TRY(err);
    }
    if (placement_reconcile_is_paused(reconcile))
        hold_changes(reconcile);
    return NULL;
}

/* The error that makes the queue try again. A pause or a full binding does not end by trying. */
struct error *placement_reconcile_explain(const struct fault *fault)
{
    if (!fault->type || fault->type == FAULT_PAUSED || fault->type == FAULT_NO_ROOM)
        return NULL;
    return error_new(ERROR_UNKNOWN, "%.*s%s%.*s", STR_ARG(fault->resource),
                     fault->resource.len ? ": " : "", STR_ARG(fault->text));
}

/* Nothing is applied of a set whose values the Cluster does not have. Suspends. */
static struct error *record_unfilled(struct placement_reconcile *reconcile)
{
    reconcile->mend_digest = STR("");
    reconcile->has_outcome = reconcile->has_mended = true;
    placement_reconcile_note_failures(reconcile);
    TRY(placement_reconcile_write(reconcile));
    return placement_reconcile_explain(&reconcile->fault);
}

/*
 * With waves: records that the cluster has begun before its first object is applied, so that it is
 * counted whatever becomes of the process. A further attempt finds that recorded. Suspends.
 */
static struct error *record_beginning(struct placement_reconcile *reconcile)
{
    char text[DELIVERY_REVISION_LEN + 1];
    struct delivery_mark mark;
    if (!set_rollout_has_waves(reconcile->plan))
        return NULL;
    if (!set_is_open(reconcile->set))
        return error_new(ERROR_CANCELED, "the set goes");
    set_rollout_begin(reconcile->placement, reconcile->plan);
    if (delivery_find_mark(reconcile->binding, set_key(reconcile->set).name, &mark) &&
        !mark.is_applied && str_eq(str_from_c(mark.revision), plan_revision(reconcile->plan, text)))
        return NULL;
    reconcile->is_beginning = reconcile->has_outcome = true;
    struct error *err = placement_reconcile_write(reconcile);
    reconcile->is_beginning = reconcile->has_outcome = false;
    if (!err && !set_is_open(reconcile->set))
        return error_new(ERROR_CANCELED, "the set goes");
    return err;
}

/* The part of apply_missing() with a connection: applies and records what came of it. Suspends. */
static struct error *apply_and_record(struct placement_reconcile *reconcile, bool was_known)
{
    struct error *err = check_service(reconcile);
    if (err)
        return error_join(err, placement_reconcile_write(reconcile));
    if (was_known && !may_write_unread(reconcile))
        TRY(refresh_binding(reconcile));
    if (plan_is_met(reconcile->plan, reconcile->binding, set_owner_reference(reconcile->set)))
        return placement_findings_record(reconcile); /* the answer to an earlier write was lost */
    if (hold_for_order(reconcile)) /* others may have changed while the binding was read */
        return NULL;
    TRY(take_place(reconcile));
    if (reconcile->is_refused || reconcile->is_unfinished)
        return NULL;
    struct error *held = NULL;
    if (hold_for_wave(reconcile, &held)) /* another cluster may have come first meanwhile */
        return held;
    TRY(record_beginning(reconcile));
    if (reconcile->is_refused || reconcile->is_unfinished)
        return NULL;
    TRY(apply_resources(reconcile));
    reconcile->has_outcome = !placement_reconcile_is_paused(reconcile);
    placement_reconcile_note_failures(reconcile);
    TRY(placement_reconcile_write(reconcile));
    return placement_reconcile_explain(&reconcile->fault);
}

/* Returns an error for every fault that trying again may mend. Suspends. */
static struct error *apply_missing(struct placement_reconcile *reconcile)
{
    struct crs_controllers *controllers = reconcile->controllers;
    TRY(note_error(reconcile, FAULT_BOOKKEEPING, placement_values_use(reconcile)));
    if (reconcile->is_unfinished)
        return NULL;
    const struct plan *plan = reconcile->plan;
    const struct owner_reference owner = set_owner_reference(reconcile->set);
    if (binding_is_lost(controllers, reconcile->cluster)) {
        reconcile->result->requeue_after = LOST_PAUSE;
        reconcile->is_unfinished = true;
        return NULL;
    }
    OWNED(error)
    offline = clustercache_get_client(controllers->options.clustercache, reconcile->cluster,
                                      &reconcile->connection);
    if (!offline && !placement_reconcile_is_paused(reconcile))
        TRY(check_identity(reconcile));
    reconcile->binding = binding_store_find(controllers->binding_store, reconcile->cluster);
    const bool is_filled = !reconcile->is_unfilled;
    if (is_filled)
        set_rollout_note_values(reconcile->placement, plan, reconcile->binding);
    if (is_filled && plan_is_met(plan, reconcile->binding, owner)) {
        struct error *err = placement_findings_record(reconcile);
        if (!err && reconcile->is_held)
            hold_for_wave(reconcile, &err);
        return err;
    }
    if (is_filled && plan_is_recorded(plan, reconcile->binding, owner.name)) {
        reconcile->has_outcome = !plan_policy(plan);
        return placement_reconcile_write(
            reconcile); /* the owner reference and the record: no connection */
    }
    if (placement_reconcile_is_paused(reconcile)) {
        hold_changes(reconcile);
        return NULL;
    }
    if (hold_for_order(reconcile))
        return NULL;
    struct error *held = NULL;
    if ((!offline || !is_filled) && hold_for_wave(reconcile, &held))
        return held;
    const bool was_known = reconcile->binding != NULL;
    if (!was_known)
        TRY(ensure_binding(reconcile));
    if (!binding_has_room(reconcile->binding, owner.name)) {
        refuse_for_room(reconcile);
        return NULL;
    }
    if (!is_filled)
        return record_unfilled(reconcile);
    if (offline)
        return wait_for_client(reconcile, TAKE(offline));
    return apply_and_record(reconcile, was_known);
}

/* Looks at the binding once more: another writer may have dropped our entry meanwhile. */
static struct str find_good_version(const struct placement_reconcile *reconcile,
                                    const struct object *binding)
{
    const bool is_good = !reconcile->fault.type &&
                         plan_is_met(reconcile->plan, binding, set_owner_reference(reconcile->set));
    return is_good ? object_resource_version(binding) : (struct str){0};
}

/* Another number for other notices. 0: there are none. */
static uint32_t notices_digest(const struct apply_notices *notices)
{
    if (!notices->no_server_side && !notices->merged_count && !notices->taken_count)
        return 0;
    uint64_t hash = (uint64_t)notices->no_server_side + 2 * notices->merged_count;
    hash = str_hash(notices->merged, hash);
    hash = str_hash(notices->merged_why, hash);
    hash = str_hash(notices->taken, hash + notices->taken_count);
    hash = str_hash(notices->taken_from, hash);
    const uint32_t digest = (uint32_t)(hash ^ (hash >> 32));
    return digest ? digest : 1;
}

static void tell_notices(const struct placement_reconcile *reconcile)
{
    if (placement_set_notices(reconcile->placement, notices_digest(&reconcile->notices)))
        set_events_record_notices(reconcile->placement, reconcile->cluster_object,
                                  &reconcile->notices);
}

/* Keeps the findings. If the set has a new plan by now, the placement stays pending and goes again.
 */
static void keep_findings(struct placement_reconcile *reconcile)
{
    struct placement *placement = reconcile->placement;
    const bool is_first = !placement_is_reconciled(placement, reconcile->plan);
    bool is_news = placement_set_fault(placement, &reconcile->fault);
    if (placement_set_failures(placement, failures_digest(&reconcile->failures)))
        log_failures(reconcile);
    reconcile->result->is_told = !is_news || !failures_is_empty(&reconcile->failures);
    OWNED(object)
    binding = binding_store_find(reconcile->controllers->binding_store, reconcile->cluster);
    if (!reconcile->is_unfilled)
        set_rollout_note_values(placement, reconcile->plan, binding);
    placement_set_reconciled(placement, reconcile->plan);
    placement_set_good_version(placement, find_good_version(reconcile, binding));
    if (reconcile->applied.len || is_news)
        set_events_record_placement(placement, reconcile->cluster_object,
                                    buf_str(&reconcile->applied));
    tell_notices(reconcile);
    is_news |= placement_findings_keep(reconcile, binding);
    if (find_good_version(reconcile, binding).len && set_rollout_has_waves(reconcile->plan) &&
        !plan_policy(reconcile->plan)->has_values)
        placement_turn_hold(placement_turn(placement), reconcile->plan);
    if (!placement_is_reconciled(placement, set_plan(reconcile->set)) && !reconcile->is_held) {
        placement_enqueue(reconcile->set, reconcile->cluster.name, QUEUE_NORMAL);
        return;
    }
    placement_set_pending(placement, false);
    if (is_first || is_news || set_has_news(reconcile->set))
        set_note_news(reconcile->set);
}

/*
 * Ends the reconcile. Findings are kept unless the set was closed, the placement was dropped, or
 * the process stops. An unfinished placement stays pending: the queue brings it again soon.
 */
static void finish_reconcile(struct placement_reconcile *reconcile, const struct error *err)
{
    const bool is_interrupted = err && fiber_is_canceled(fiber_current());
    if (reconcile->is_in_doubt || reconcile->result_count)
        cluster_index_set_doubt(reconcile->controllers->cluster_index, reconcile->cluster,
                                reconcile->is_in_doubt);
    if (!placement_end(reconcile->placement))
        return;
    if (!set_is_open(reconcile->set) || is_interrupted)
        placement_set_pending(reconcile->placement, false);
    else if (!reconcile->is_unfinished)
        keep_findings(reconcile);
    set_rollout_note(reconcile->placement);
}

/* True if the set can go on with the cluster. Otherwise the placement goes, or the set comes first.
 */
static bool can_reconcile(struct crs_controllers *controllers, struct crs_set *set,
                          struct key cluster)
{
    struct placement *placement = placement_find(set, cluster.name);
    const struct plan *plan = set_plan(set);
    if (!cluster_index_selects(controllers->cluster_index, cluster, &plan_spec(plan)->selector)) {
        if (placement) {
            placement_drop(placement);
            set_note_news(set);
        }
        return false;
    }
    if (plan_is_complete(plan))
        return true;
    if (placement) /* the plan was made without clusters: the set has to read the resources first */
        placement_set_pending(placement, false);
    set_enqueue(set, QUEUE_NORMAL);
    return false;
}

struct error *reconcile_placement(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct crs_controllers *controllers = data;
    struct str set_name, cluster_name;
    if (!placement_split_key(key.name, &set_name, &cluster_name))
        return NULL;
    const struct key cluster = {key.namespace, cluster_name};
    if (!set_name.len)
        return identity_reconcile(controllers, cluster, ret_result);
    struct crs_set *set = set_find(controllers, (struct key){key.namespace, set_name});
    if (set && prune_withdraw_takes(set, cluster))
        return prune_withdraw_reconcile(controllers, set, cluster, ret_result);
    if (!set || !set_is_open(set) || !can_reconcile(controllers, set, cluster))
        return NULL;
    SCOPED(placement_reconcile)
    reconcile = {
        .controllers = controllers,
        .set = set,
        .placement = placement_open(set, cluster_name),
        .plan = plan_ref(placement_plan(placement_open(set, cluster_name))),
        .cluster = cluster,
        .cluster_object = cache_get(controllers->options.clusters, cluster),
        .result = ret_result,
        .begun = loop_now(controllers->loop),
    };
    reconcile.results = arena_alloc_array(&reconcile.arena, plan_resource_count(reconcile.plan) + 1,
                                          sizeof(struct binding_resource));
    reconcile.failures.arena = reconcile.ledger.arena = &reconcile.arena;
    reconcile.failures.objects = plan_object_count(reconcile.plan);
    FIBER_TIMEOUT(placement_reconcile_time(&reconcile) + WRITE_TIME);
    reconcile.is_held = reconcile.plan != set_plan(set);
    placement_begin(reconcile.placement);
    OWNED(error) err = apply_missing(&reconcile);
    const bool is_abandoned = !set_is_open(set) || placement_is_dropped(reconcile.placement);
    set_rollout_end(reconcile.placement);
    finish_reconcile(&reconcile, err);
    return is_abandoned ? NULL : TAKE(err);
}
