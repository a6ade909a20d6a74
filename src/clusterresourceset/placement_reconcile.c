/*
 * One set on one cluster: what is needed is applied, and the binding says how it went.
 *
 * Nothing is asked of anybody when the binding, as it is known, says that nothing is needed. When
 * something is, the binding is read anew before the cluster is touched: what it records as applied
 * once is never applied again, however far caches are behind. Only where applying again does no
 * harm, and all was well the last time, is the write left to find out that others were there.
 */
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/crs_internal.h"
#include "clusterresourceset/service_gate.h"
#include "clusterresourceset/types/binding.h"

#define CONFLICT_PAUSE (100 * MILLISECOND)
#define NO_CLIENT_WAIT (5 * MINUTE) /* a connection wakes us; this is in case that was missed */
#define TELL_AFTER     (5 * SECOND)
#define WRITE_TIME     MINUTE              /* of what is noted after applying */
#define OBJECT_TIME    (250 * MILLISECOND) /* at 20 requests a second, and some patience */

struct placement_reconcile {
    struct crs_set *set;
    struct placement *placement;
    struct plan *plan;
    struct key cluster;
    struct object *cluster_object;
    struct arena arena;
    struct object *binding;
    struct workload *workload;
    struct binding_resource *results;
    size_t result_count;
    struct fault fault; /* texts in the arena */
    struct buf applied; /* names, for people */
    int64_t begun;
    bool is_unfinished; /* others wrote the binding all the time: again, soon */
    struct reconcile_result *result;
};

static void placement_reconcile_done(struct placement_reconcile *pass)
{
    plan_free(pass->plan);
    object_free(pass->cluster_object);
    object_free(pass->binding);
    workload_free(pass->workload);
    buf_done(&pass->applied);
    arena_done(&pass->arena);
}

/* The first fault of its rank is told; a worse one takes its place. */
static void blame(struct placement_reconcile *pass, enum fault_type fault, struct str resource,
                  struct str name, struct str text)
{
    if (pass->fault.type >= fault)
        return;
    pass->fault = (struct fault){
        .type = fault,
        .resource = (char *)arena_c(&pass->arena, resource),
        .name = (char *)arena_c(&pass->arena, name),
        .text = (char *)arena_c(&pass->arena, text),
    };
}

static struct str resource_text(struct placement_reconcile *pass, struct resource_ref ref)
{
    const struct str kind = resource_kind_name(ref.kind);
    return arena_print(&pass->arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(ref.name));
}

static struct str now_text(struct placement_reconcile *pass)
{
    char text[TIMESTAMP_TEXT_MAX];
    const struct str now = timestamp_write(loop_wall(pass->set->controllers->loop), text);
    return arena_str(&pass->arena, now);
}

static void record(struct placement_reconcile *pass, struct resource_ref ref, bool applied,
                   struct str hash)
{
    pass->results[pass->result_count++] = (struct binding_resource){
        .ref = ref, .applied = applied, .hash = hash, .last_applied_time = now_text(pass)};
}

/* What was applied is told to the binding that was asked; another one is another cluster's. */
static struct error *edit_binding(void *data, struct object *binding, struct object **ret_binding)
{
    const struct placement_reconcile *pass = data;
    if (pass->result_count && !str_eq(object_uid(binding), object_uid(pass->binding)))
        return error_new(ERROR_NOT_FOUND, "the binding has been replaced by another one");
    const struct binding_change change = {
        .owner = set_owner_reference(pass->set),
        .resources = pass->results,
        .count = pass->result_count,
        .named = pass->plan->spec.refs,
        .named_count = pass->plan->spec.ref_count,
    };
    return binding_record(binding, &change, ret_binding);
}

/*
 * A conflict that is all that happened comes again soon and is no error. A set that is going, or
 * that is another one by now, leaves no trace.
 */
static struct error *write_binding(struct placement_reconcile *pass)
{
    struct crs_controllers *controllers = pass->set->controllers;
    if (!pass->set->is_open)
        return NULL;
    struct error *err =
        binding_store_change(controllers->binding_store, pass->cluster, edit_binding, pass);
    if (error_is(err, ERROR_CONFLICT) && !pass->fault.type) {
        error_free(err);
        pass->result->requeue_after = CONFLICT_PAUSE;
        pass->is_unfinished = true;
        return NULL;
    }
    err = error_wrap(err, "failed to patch ClusterResourceSetBinding %.*s/%.*s",
                     STR_ARG(pass->cluster.namespace), STR_ARG(pass->cluster.name));
    if (err)
        blame(pass, FAULT_BOOKKEEPING, STR(""), STR(""), str_from_c(err->message));
    return err;
}

static struct error *ensure_binding(struct placement_reconcile *pass)
{
    object_free(TAKE(pass->binding));
    struct error *err = binding_store_ensure(pass->set->controllers->binding_store, pass->cluster,
                                             set_owner_reference(pass->set), &pass->binding);
    err = error_wrap(err, "failed to get or create ClusterResourceSetBinding %.*s/%.*s",
                     STR_ARG(pass->cluster.namespace), STR_ARG(pass->cluster.name));
    if (err)
        blame(pass, FAULT_BOOKKEEPING, STR(""), STR(""), str_from_c(err->message));
    return err;
}

/* As the server has it now. */
static struct error *refresh_binding(struct placement_reconcile *pass)
{
    struct object *fresh = NULL;
    struct error *err =
        binding_store_read(pass->set->controllers->binding_store, pass->cluster, &fresh);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return ensure_binding(pass);
    }
    if (err) {
        blame(pass, FAULT_BOOKKEEPING, STR(""), STR(""), str_from_c(err->message));
        return err;
    }
    object_free(pass->binding);
    pass->binding = fresh;
    return NULL;
}

/* Talking to a cluster runs in a fiber that can be cancelled when the set or the cluster goes. */
struct talk {
    struct placement_reconcile *pass;
    const struct content *content;
    bool is_first; /* the binding knows nothing of it */
    struct apply_report report;
    struct error *err;
    bool is_done;
};

/* A cluster that hangs is given up early (apply.h); one that goes on has time for all objects. */
static duration time_to_apply(const struct placement_reconcile *pass)
{
    duration time = pass->set->controllers->options.apply_timeout;
    for (size_t i = 0; i < pass->plan->snapshot_count; i++) {
        const struct content *content = resource_snapshot_content(pass->plan->snapshots[i]);
        time += content ? (duration)content_count(content) * OBJECT_TIME : 0;
    }
    return time;
}

static struct error *talk_to_cluster(void *data)
{
    struct talk *talk = data;
    struct placement_reconcile *pass = talk->pass;
    const struct apply_target target = {workload_client(pass->workload),
                                        workload_discovery(pass->workload), talk->is_first};
    FIBER_TIMEOUT(pass->begun + time_to_apply(pass) - loop_now(pass->set->controllers->loop));
    talk->err = apply_content(&target, talk->content,
                              pass->plan->spec.strategy == RESOURCE_RECONCILE ? APPLY_RECONCILE
                                                                              : APPLY_ONCE,
                              &pass->arena, &talk->report);
    talk->is_done = !fiber_is_canceled(fiber_current());
    return NULL;
}

static struct error *run_talk(struct talk *talk)
{
    SCOPED(scope) scope = {0};
    struct placement *placement = talk->pass->placement;
    placement->work = &scope;
    scope_start(&scope, "apply", talk_to_cluster, talk);
    struct error *err = scope_wait(&scope);
    if (err) {
        scope_cancel(&scope);
        placement->work = NULL;
        return err;
    }
    placement->work = NULL;
    return talk->is_done ? NULL : error_new(ERROR_CANCELED, "the set or the cluster goes");
}

/* "ConfigMap cm1, key a, document 2" of what failed first. */
static struct str where(struct placement_reconcile *pass, struct resource_ref ref,
                        const struct apply_report *report)
{
    const struct str resource = resource_text(pass, ref);
    if (!report->failure_count)
        return resource;
    const struct apply_failure *first = &report->failures[0];
    return arena_print(&pass->arena, "%.*s, key %.*s, document %zu", STR_ARG(resource),
                       STR_ARG(first->key), first->document);
}

static struct error *apply(struct placement_reconcile *pass, size_t index, bool is_first)
{
    const struct resource_ref ref = pass->plan->spec.refs[index];
    const struct resource_snapshot *snapshot = pass->plan->snapshots[index];
    struct talk talk = {
        .pass = pass, .content = resource_snapshot_content(snapshot), .is_first = is_first};
    struct error *err = run_talk(&talk);
    OWNED(error) failure = talk.err;
    TRY(err);
    record(pass, ref, !failure, resource_snapshot_hash(snapshot));
    if (failure) {
        blame(pass, FAULT_NOT_APPLIED, where(pass, ref, &talk.report), ref.name,
              str_from_c(failure->message));
        log_error("Failed to apply resource",
                  LOG_KEY("Cluster", pass->cluster.namespace, pass->cluster.name),
                  LOG_STR("resource", resource_text(pass, ref)),
                  LOG_INT("failed", talk.report.failed), LOG_ERROR(failure));
        return NULL;
    }
    const struct str name = resource_text(pass, ref);
    buf_print(&pass->applied, "%s%.*s", pass->applied.len ? ", " : "", STR_ARG(name));
    return NULL;
}

/* What cannot be used is recorded once; the same again changes nothing. */
static void refuse(struct placement_reconcile *pass, size_t index,
                   const struct binding_resource *found, struct str text)
{
    const struct resource_ref ref = pass->plan->spec.refs[index];
    if (!found || found->applied || found->hash.len)
        record(pass, ref, false, STR(""));
    blame(pass, FAULT_NOT_APPLIED, resource_text(pass, ref), ref.name, text);
}

static struct error *serve(struct placement_reconcile *pass, size_t index)
{
    const struct plan *plan = pass->plan;
    const struct resource_snapshot *snapshot = plan->snapshots[index];
    const enum fault_type fault = resource_snapshot_fault(snapshot);
    struct binding_resource there;
    if (fault && fault != FAULT_NOT_APPLIED)
        return NULL; /* the set tells of it */
    const bool is_there = binding_find_resource(pass->binding, str_from_c(pass->set->name),
                                                plan->spec.refs[index], &there);
    const struct binding_resource *found = is_there ? &there : NULL;
    if (!binding_needs(plan->spec.strategy, found, resource_snapshot_hash(snapshot)))
        return NULL;
    if (plan->spec.strategy == RESOURCE_STRATEGY_UNKNOWN) {
        refuse(pass, index, found,
               arena_print(&pass->arena, "unsupported or empty resource strategy: \"%.*s\"",
                           STR_ARG(plan->spec.strategy_text)));
        return NULL;
    }
    if (fault) {
        refuse(pass, index, found, resource_snapshot_text(snapshot));
        return NULL;
    }
    return apply(pass, index, !found);
}

static struct error *serve_all(struct placement_reconcile *pass)
{
    for (size_t i = 0; i < pass->plan->snapshot_count; i++)
        TRY(serve(pass, i));
    return NULL;
}

/* Nobody connects to a Cluster that is filtered out: then it is not down, and waiting is no use. */
static struct str why_no_client(struct placement_reconcile *pass, const struct error *err)
{
    const struct crs_controllers *controllers = pass->set->controllers;
    if (watches_has_label(controllers, pass->cluster_object))
        return str_from_c(err->message);
    return arena_print(&pass->arena,
                       "the Cluster lacks the label " CRS_WATCH_FILTER_LABEL
                       "=%s, without which this controller does not connect to it",
                       controllers->watch_filter);
}

/* No connection: the binding has our entry all the same, and the connection's event wakes us. */
static struct error *wait_for_client(struct placement_reconcile *pass, struct error *err)
{
    blame(pass, FAULT_NO_CLIENT, STR(""), STR(""), why_no_client(pass, err));
    error_free(err);
    pass->result->requeue_after = NO_CLIENT_WAIT;
    return write_binding(pass);
}

static struct error *check_server(struct placement_reconcile *pass)
{
    struct str version = {0};
    OWNED(error) unknown = workload_server_version(pass->workload, &version);
    struct error *err = service_gate_check(workload_client(pass->workload), version, pass->cluster);
    if (err)
        blame(pass, FAULT_NO_SERVICE, STR(""), STR(""), str_from_c(err->message));
    return err;
}

/* What the last pass found good; whoever changed it since is met by a conflict. */
static bool can_write_unread(const struct placement_reconcile *pass)
{
    return pass->plan->spec.strategy == RESOURCE_RECONCILE && pass->placement->version;
}

static struct error *work(struct placement_reconcile *pass)
{
    struct crs_controllers *controllers = pass->set->controllers;
    const bool was_known = pass->binding != NULL;
    if (!was_known)
        TRY(ensure_binding(pass));
    struct error *err =
        clustercache_get_client(controllers->options.clustercache, pass->cluster, &pass->workload);
    if (err)
        return wait_for_client(pass, err);
    err = check_server(pass);
    if (err)
        return error_join(err, write_binding(pass));
    if (was_known && !can_write_unread(pass))
        TRY(refresh_binding(pass));
    TRY(serve_all(pass));
    TRY(write_binding(pass));
    return pass->fault.type
               ? error_new(ERROR_UNKNOWN, "%s: %s", pass->fault.resource, pass->fault.text)
               : NULL;
}

static struct error *run(struct placement_reconcile *pass)
{
    struct binding_store *binding_store = pass->set->controllers->binding_store;
    const struct plan *plan = pass->plan;
    pass->results =
        arena_alloc_array(&pass->arena, plan->snapshot_count + 1, sizeof(struct binding_resource));
    pass->binding = binding_store_find(binding_store, pass->cluster);
    if (plan_is_met(plan, pass->binding, set_owner_reference(pass->set)))
        return NULL;
    if (plan_is_recorded(plan, pass->binding, set_owner_reference(pass->set)))
        return write_binding(pass); /* whose it is needs no connection */
    return work(pass);
}

/*
 * The set's status follows once all its clusters are done, or a while after the first news. These
 * stay due until they are told: when the set gets to it, a cluster may be at work once more.
 */
static void tell_set(struct crs_set *set)
{
    struct crs_controllers *controllers = set->controllers;
    struct queue *queue = controllers->queues[CRS_CONTROLLER_SETS];
    const bool is_new = !set->due;
    if (is_new)
        set->due = loop_now(controllers->loop) + TELL_AFTER;
    if (!set->pending)
        queue_add(queue, set_key(set), QUEUE_NORMAL);
    else if (is_new)
        queue_add_after(queue, set_key(set), TELL_AFTER, QUEUE_NORMAL);
}

/* Others may have left something of ours out of what they wrote while we were at work. */
static void note_version(struct placement *placement, const struct placement_reconcile *pass)
{
    mem_free(TAKE(placement->version));
    OWNED(object)
    binding = binding_store_find(pass->set->controllers->binding_store, pass->cluster);
    if (pass->fault.type || !plan_is_met(pass->plan, binding, set_owner_reference(pass->set)))
        return;
    const struct str version = object_resource_version(binding);
    placement->version = mem_dup(version.ptr, version.len);
}

/* What was found out, if it is still of interest. */
static void conclude(struct placement_reconcile *pass)
{
    struct placement *placement = pass->placement;
    const bool is_first = placement->round != pass->plan->round;
    if (pass->is_unfinished)
        return;
    const struct fault *fault = &pass->fault;
    const bool is_news = placement_set_fault(placement, fault->type, str_from_c(fault->resource),
                                             str_from_c(fault->name), str_from_c(fault->text));
    placement->round = pass->plan->round;
    note_version(placement, pass);
    if (pass->applied.len || is_news)
        set_events_record_placement(placement, pass->cluster_object, buf_str(&pass->applied));
    if (placement->round != pass->set->plan->round) {
        placement_enqueue(pass->set, str_from_c(placement->cluster), QUEUE_NORMAL);
        return; /* still pending: the plan has changed meanwhile */
    }
    placement_set_pending(placement, false);
    if (is_first || is_news || pass->set->due)
        tell_set(pass->set);
}

static void leave(struct placement_reconcile *pass, const struct error *err)
{
    struct placement *placement = pass->placement;
    struct crs_set *set = pass->set;
    const bool is_over =
        set->is_open && !placement->is_dropped && !(err && fiber_is_canceled(fiber_current()));
    placement->runs = false;
    set->running--;
    event_wake_all(&set->has_stopped);
    if (placement->is_dropped)
        placement_drop(placement);
    else if (is_over)
        conclude(pass);
    else
        placement_set_pending(placement, false);
}

static void drop_if_known(struct crs_set *set, struct str cluster)
{
    struct placement *placement = placement_find(set, cluster);
    if (!placement)
        return;
    placement_drop(placement);
    tell_set(set);
}

/* Nothing was selected when the plan was made: what to apply has to be read first. */
static void ask_for_plan(struct crs_set *set, struct str cluster)
{
    struct placement *placement = placement_find(set, cluster);
    if (placement)
        placement_set_pending(placement, false);
    queue_add(set->controllers->queues[CRS_CONTROLLER_SETS], set_key(set), QUEUE_NORMAL);
}

static struct error *run_unit(struct placement_reconcile *pass)
{
    struct crs_set *set = pass->set;
    pass->plan = plan_ref(set->plan);
    pass->placement = placement_open(set, pass->cluster.name);
    placement_set_pending(pass->placement, true);
    pass->placement->runs = true;
    set->running++;
    FIBER_TIMEOUT(time_to_apply(pass) + WRITE_TIME);
    struct error *err = run(pass);
    const bool is_abandoned = !set->is_open || pass->placement->is_dropped;
    leave(pass, err);
    if (!is_abandoned)
        return err;
    error_free(err);
    return NULL;
}

struct error *reconcile_placement(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct crs_controllers *controllers = data;
    struct str set_name, cluster_name;
    if (!placement_split_key(key.name, &set_name, &cluster_name))
        return NULL;
    struct crs_set *set = set_find(controllers, (struct key){key.namespace, set_name});
    if (!set || !set->is_open)
        return NULL;
    const struct key cluster = {key.namespace, cluster_name};
    if (!cluster_index_selects(controllers->cluster_index, cluster, &set->plan->spec.selector)) {
        drop_if_known(set, cluster_name);
        return NULL;
    }
    if (!plan_is_complete(set->plan)) {
        ask_for_plan(set, cluster_name);
        return NULL;
    }
    SCOPED(placement_reconcile)
    pass = {
        .set = set,
        .cluster = cluster,
        .cluster_object = cache_get(controllers->options.clusters, cluster),
        .result = ret_result,
        .begun = loop_now(controllers->loop),
    };
    return run_unit(&pass);
}
