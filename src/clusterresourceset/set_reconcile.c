/*
 * One set as a whole: finalizer, pause, deletion, what it snapshots, whom it selects, its status.
 *
 * Its clusters are served elsewhere (placement_reconcile.c). A pass that finds all of them done
 * tells how it went; the last cluster that is done asks for such a pass.
 */
#include "async/loop.h"
#include "base/buf.h"
#include "base/memory.h"
#include "clusterresourceset/crs_internal.h"
#include "controller/cache/cache.h"
#include "json/path.h"

/* What one pass finds out. */
struct set_reconcile {
    struct crs_set *set;
    struct arena arena;
    struct error *err; /* what makes the set come again: resources and owner references */
    struct conditions_problem *items;
    size_t item_count, item_capacity;
};

static void set_reconcile_done(struct set_reconcile *pass)
{
    error_free(pass->err);
    mem_free(pass->items);
    arena_done(&pass->arena);
}

static void add_item(struct set_reconcile *pass, struct conditions_problem item)
{
    if (pass->item_count == pass->item_capacity) {
        pass->item_capacity = pass->item_capacity ? 2 * pass->item_capacity : 8;
        pass->items =
            mem_realloc_array(pass->items, pass->item_capacity, sizeof(struct conditions_problem));
    }
    pass->items[pass->item_count++] = item;
}

static bool has_condition(const struct object *object, const struct condition *wanted)
{
    struct condition found;
    return condition_find(object_path(object, "status.conditions"), wanted->type, &found) &&
           found.status == wanted->status && str_eq(found.reason, wanted->reason) &&
           str_eq(found.message, wanted->message);
}

static struct error *pause(struct crs_set *set)
{
    const struct condition paused = conditions_paused(true, object_generation(set->object));
    TRY(set_close(set));
    return set_write_status(set, &(struct set_status){.conditions = &paused, .count = 1});
}

/* Before anything is done for it, a new generation is said to be in progress. */
static struct error *begin(struct crs_set *set, bool has_clusters)
{
    const int64_t generation = object_generation(set->object);
    const struct condition all[] = {conditions_paused(false, generation),
                                    conditions_new_generation(generation)};
    struct condition said[COUNT(all)];
    size_t count = 0;
    int64_t observed = 0, progressing = 0;
    struct condition progress = {0};
    json_to_int64(object_path(set->object, "status.observedGeneration"), &observed);
    if (condition_find(object_path(set->object, "status.conditions"), STR("InProgress"), &progress))
        progressing = progress.observed_generation;
    if (!has_condition(set->object, &all[0]))
        said[count++] = all[0];
    if (has_clusters && observed != generation && progressing != generation)
        said[count++] = all[1];
    return count ? set_write_status(set, &(struct set_status){.conditions = said, .count = count})
                 : NULL;
}

static void count_one(void *data, struct str name)
{
    (void)name;
    ++*(size_t *)data;
}

static size_t count_clusters(const struct crs_set *set, const struct selector *selector)
{
    size_t count = 0;
    cluster_index_each(set->controllers->cluster_index, str_from_c(set->namespace), selector,
                       count_one, &count);
    return count;
}

static struct str ref_text(struct set_reconcile *pass, struct resource_ref ref)
{
    const struct str kind = resource_kind_name(ref.kind);
    return arena_print(&pass->arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(ref.name));
}

/* A resource that is there and meant for us carries a reference to the set. */
static void own(struct set_reconcile *pass, struct resource_ref ref)
{
    struct crs_set *set = pass->set;
    const struct key key = {str_from_c(set->namespace), ref.name};
    struct error *err = resource_snapshots_add_owner(set->controllers->snapshots, ref.kind, key,
                                                     set_owner_reference(set));
    if (!err)
        return;
    const struct str about = ref_text(pass, ref);
    err = error_wrap(err, "add an owner reference to %.*s", STR_ARG(about));
    add_item(pass, (struct conditions_problem){
                       .type = FAULT_BOOKKEEPING,
                       .resource = about,
                       .name = ref.name,
                       .text = arena_str(&pass->arena, str_from_c(err->message))});
    pass->err = error_join(pass->err, err);
}

/* Suspends. */
static void read_supplies(struct set_reconcile *pass, struct plan *plan)
{
    struct crs_set *set = pass->set;
    plan->snapshots =
        mem_realloc_array(NULL, plan->spec.ref_count + 1, sizeof(struct resource_snapshot *));
    for (size_t i = 0; i < plan->spec.ref_count; i++) {
        const struct resource_ref ref = plan->spec.refs[i];
        const struct key key = {str_from_c(set->namespace), ref.name};
        plan->snapshots[plan->snapshot_count++] =
            resource_snapshots_get(set->controllers->snapshots, ref.kind, key);
        const enum fault_type fault = resource_snapshot_fault(plan->snapshots[i]);
        if (fault == FAULT_NONE || fault == FAULT_NOT_APPLIED)
            own(pass, ref);
    }
}

static bool same_plan(const struct plan *a, const struct plan *b)
{
    if (!a || a->generation != b->generation || a->snapshot_count != b->snapshot_count)
        return false;
    for (size_t i = 0; i < a->snapshot_count; i++)
        if (!resource_snapshot_eq(a->snapshots[i], b->snapshots[i]))
            return false;
    return true;
}

/* A plan that wants the same is kept, so that nobody has to look at its clusters again. */
static void put_plan(struct crs_set *set, struct plan *plan)
{
    if (same_plan(set->plan, plan)) {
        plan_free(plan);
        return;
    }
    plan->round = set->plan ? set->plan->round + 1 : 1;
    plan_free(set->plan);
    set->plan = plan;
}

/* What is wrong with resources themselves, whatever the cluster. */
static void judge_supplies(struct set_reconcile *pass)
{
    const struct plan *plan = pass->set->plan;
    for (size_t i = 0; i < plan->snapshot_count; i++) {
        const enum fault_type fault = resource_snapshot_fault(plan->snapshots[i]);
        if (fault == FAULT_NONE || fault == FAULT_NOT_APPLIED)
            continue;
        const struct resource_ref ref = plan->spec.refs[i];
        const struct str about = ref_text(pass, ref);
        const struct str text = resource_snapshot_text(plan->snapshots[i]);
        add_item(pass, (struct conditions_problem){fault, STR(""), about, ref.name, text});
        if (fault != FAULT_MISSING)
            pass->err = error_join(
                pass->err, error_new(ERROR_UNKNOWN, "%.*s: %.*s", STR_ARG(about), STR_ARG(text)));
    }
}

/* Clusters that are no longer selected are none of ours; their bindings stay as they are. */
static void drop_others(struct crs_set *set)
{
    const struct str namespace = str_from_c(set->namespace);
    MAP_FOREACH (entry, &set->placements) {
        struct placement *placement = entry->value;
        if (!cluster_index_selects(set->controllers->cluster_index,
                                   (struct key){namespace, map_key(entry)},
                                   &set->plan->spec.selector))
            placement_drop(placement);
    }
}

/* The binding is as it was when it was found good, or is found good again. */
static bool is_settled(struct crs_set *set, struct placement *placement)
{
    SCOPED(arena) arena = {0};
    struct binding_store *binding_store = set->controllers->binding_store;
    const struct key key = {str_from_c(set->namespace), str_from_c(placement->cluster)};
    const struct str version = binding_store_version(binding_store, key, &arena);
    if (placement->round != set->plan->round)
        return false;
    if (placement->fault.type ||
        (placement->version && str_eq(version, str_from_c(placement->version))))
        return true; /* what failed comes again by itself */
    OWNED(object) binding = binding_store_find(binding_store, key);
    if (!plan_is_met(set->plan, binding, set_owner_reference(set)))
        return false;
    mem_free(placement->version);
    placement->version = mem_dup(version.ptr, version.len);
    return true;
}

static void visit_cluster(void *data, struct str name)
{
    struct crs_set *set = data;
    struct placement *placement = placement_open(set, name);
    if (placement->is_pending || is_settled(set, placement))
        return;
    placement_set_pending(placement, true);
    placement_enqueue(set, name, QUEUE_NORMAL);
}

/* Does not suspend: whoever is told of a cluster afterwards finds the set ready. */
static void open_units(struct crs_set *set)
{
    set->is_open = true;
    drop_others(set);
    cluster_index_each(set->controllers->cluster_index, str_from_c(set->namespace),
                       &set->plan->spec.selector, visit_cluster, set);
}

/* A content nobody can use is told once, not for every cluster. */
static bool is_told_once(const struct plan *plan, const struct fault *fault, bool *told)
{
    for (size_t i = 0; i < plan->snapshot_count; i++) {
        if (resource_snapshot_fault(plan->snapshots[i]) != FAULT_NOT_APPLIED || !fault->name ||
            !str_eq(plan->spec.refs[i].name, str_from_c(fault->name)) ||
            fault->type != FAULT_NOT_APPLIED)
            continue;
        told[i] = true;
        return true;
    }
    return false;
}

static size_t judge_units(struct set_reconcile *pass)
{
    const struct plan *plan = pass->set->plan;
    bool *told = arena_alloc_array(&pass->arena, plan->snapshot_count + 1, sizeof(bool));
    size_t failed = 0;
    MAP_FOREACH (entry, &pass->set->placements) {
        const struct placement *placement = entry->value;
        const struct fault *fault = &placement->fault;
        if (!fault->type)
            continue;
        failed++;
        if (!is_told_once(plan, fault, told))
            add_item(pass, (struct conditions_problem){
                               fault->type, map_key(entry), str_from_c(fault->resource),
                               str_from_c(fault->name), str_from_c(fault->text)});
    }
    for (size_t i = 0; i < plan->snapshot_count; i++)
        if (told[i])
            add_item(pass, (struct conditions_problem){FAULT_NOT_APPLIED, STR(""),
                                                       ref_text(pass, plan->spec.refs[i]),
                                                       plan->spec.refs[i].name,
                                                       resource_snapshot_text(plan->snapshots[i])});
    return failed;
}

static bool has_progress(const struct object *object)
{
    struct condition found;
    return condition_find(object_path(object, "status.conditions"), STR("InProgress"), &found);
}

/*
 * Without clusters only the generation and the pause are told, and that nothing goes on any more
 * where something did. Suspends.
 */
static struct error *write_report(struct set_reconcile *pass,
                                  const struct conditions_summary *account)
{
    struct crs_set *set = pass->set;
    const int64_t generation = set->plan->generation;
    const struct conditions report = conditions_make(account, generation, &pass->arena);
    struct condition all[4] = {conditions_paused(false, generation)};
    size_t count = 1;
    if (report.says_applied)
        all[count++] = report.applied;
    if (account->clusters || account->count || has_progress(set->object)) {
        all[count++] = report.progress;
        all[count++] = report.failed;
    }
    const bool is_told = has_condition(set->object, &report.applied) || !report.says_applied;
    TRY(set_write_status(set, &(struct set_status){
                                  .conditions = all,
                                  .count = count,
                                  .v1beta1 = report.says_applied ? &report.v1beta1 : NULL,
                                  .observed_generation = report.is_success ? generation : 0,
                              }));
    if (!is_told)
        set_events_record_set(set, &report, account->clusters);
    return NULL;
}

/* A pass that comes earlier takes the place of the one that was to come then. */
static void tell_later(struct crs_set *set, duration after)
{
    queue_add_after(set->controllers->queues[CRS_CONTROLLER_SETS], set_key(set), after,
                    QUEUE_NORMAL);
}

static struct error *tell(struct set_reconcile *pass)
{
    struct crs_set *set = pass->set;
    const duration early = set->due - loop_now(set->controllers->loop);
    if (set->pending && (!set->due || early > 0)) {
        if (set->due)
            tell_later(set, early);
        return NULL;
    }
    set->due = 0;
    judge_supplies(pass);
    struct conditions_summary account = {
        .clusters = map_count(&set->placements),
        .pending = set->pending,
        .failed = judge_units(pass),
    };
    account.items = pass->items;
    account.count = account.clusters ? pass->item_count : 0;
    struct error *err = write_report(pass, &account);
    if (err && !set->due)
        set->due = loop_now(set->controllers->loop);
    return err;
}

static struct error *refuse_selector(struct set_reconcile *pass, struct plan *plan)
{
    const struct str text = arena_print(&pass->arena, "unable to convert selector: %s",
                                        plan->spec.selector_error->message);
    const struct conditions_problem item = {.type = FAULT_NO_SELECTOR, .text = text};
    const struct conditions_summary account = {.items = &item, .count = 1};
    put_plan(pass->set, plan);
    TRY(write_report(pass, &account));
    return error_new(ERROR_INVALID, "%.*s", STR_ARG(text));
}

static struct error *serve(struct set_reconcile *pass)
{
    struct crs_set *set = pass->set;
    struct plan *plan = NEW(struct plan);
    plan->references = 1;
    plan->generation = object_generation(set->object);
    crs_spec_read(set->object, &plan->spec);
    const size_t clusters = count_clusters(set, &plan->spec.selector);
    struct error *err = begin(set, clusters > 0);
    if (err) {
        plan_free(plan);
        return err;
    }
    if (plan->spec.selector_error)
        return refuse_selector(pass, plan);
    if (clusters)
        read_supplies(pass, plan);
    put_plan(set, plan);
    open_units(set);
    return tell(pass);
}

static struct error *remove_set(struct crs_set *set)
{
    TRY(set_close(set));
    TRY(set_remove_from_bindings(set));
    return set_write_finalizer(set, false);
}

static struct error *go_through(struct set_reconcile *pass)
{
    struct crs_set *set = pass->set;
    const bool is_deleting = object_is_deleting(set->object);
    if (is_deleting && !object_has_finalizer(set->object, STR(CRS_FINALIZER)))
        return set_close(set);
    if (!is_deleting)
        TRY(set_write_finalizer(set, true));
    if (crs_is_paused(set->object))
        return pause(set);
    return is_deleting ? remove_set(set) : serve(pass);
}

/* One that is gone, or another one by now, leaves nothing behind. */
static struct error *settle(struct crs_controllers *controllers, struct key key,
                            const struct object *object)
{
    struct crs_set *set = set_find(controllers, key);
    if (!set || (object && str_eq(object_uid(object), object_uid(set->object))))
        return NULL;
    TRY(set_close(set));
    set_drop(set);
    return NULL;
}

/* Every set comes again within two periods; what none of them asked for since is not needed. */
static void sweep_supplies(struct crs_controllers *controllers)
{
    const int64_t now = loop_now(controllers->loop);
    if (now < controllers->sweep_at)
        return;
    resource_snapshots_sweep(controllers->snapshots);
    controllers->sweep_at = now + 2 * controllers->options.sync_period;
}

struct error *reconcile_set(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct crs_controllers *controllers = data;
    OWNED(object) object = cache_get(controllers->sets, key);
    (void)ret_result;
    sweep_supplies(controllers);
    TRY(settle(controllers, key, object));
    if (!object)
        return NULL;
    SCOPED(set_reconcile) pass = {.set = set_open(controllers, key)};
    set_put_object(pass.set, object);
    struct error *err = error_ignore(go_through(&pass), ERROR_NOT_FOUND);
    return err ? err : TAKE(pass.err);
}
