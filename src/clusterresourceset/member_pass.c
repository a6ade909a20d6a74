/*
 * One set as a whole: finalizer, pause, deletion, what it supplies, whom it selects, its status.
 *
 * Its clusters are served elsewhere (unit_pass.c). A pass that finds all of them done tells how it
 * went; the last cluster that is done asks for such a pass.
 */
#include "async/loop.h"
#include "base/buf.h"
#include "base/memory.h"
#include "clusterresourceset/resourceset_internal.h"
#include "controller/cache/cache.h"
#include "json/path.h"

/* What one pass finds out. */
struct member_pass {
    struct member_set *set;
    struct arena arena;
    struct error *err; /* what makes the set come again: resources and owner references */
    struct report_item *items;
    size_t item_count, item_capacity;
};

static void member_pass_done(struct member_pass *pass)
{
    error_free(pass->err);
    mem_free(pass->items);
    arena_done(&pass->arena);
}

static void add_item(struct member_pass *pass, struct report_item item)
{
    if (pass->item_count == pass->item_capacity) {
        pass->item_capacity = pass->item_capacity ? 2 * pass->item_capacity : 8;
        pass->items =
            mem_realloc_array(pass->items, pass->item_capacity, sizeof(struct report_item));
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

static struct error *pause(struct member_set *set)
{
    const struct condition paused = report_paused(true, object_generation(set->object));
    TRY(member_close(set));
    return member_write_status(set, &(struct member_status){.conditions = &paused, .count = 1});
}

/* Before anything is done for it, a new generation is said to be in progress. */
static struct error *begin(struct member_set *set, bool has_clusters)
{
    const int64_t generation = object_generation(set->object);
    const struct condition all[] = {report_paused(false, generation), report_begin(generation)};
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
    return count ? member_write_status(set,
                                       &(struct member_status){.conditions = said, .count = count})
                 : NULL;
}

static void count_one(void *data, struct str name)
{
    (void)name;
    ++*(size_t *)data;
}

static size_t count_clusters(const struct member_set *set, const struct selector *selector)
{
    size_t count = 0;
    census_each(set->resourceset->census, str_from_c(set->namespace), selector, count_one, &count);
    return count;
}

static struct str ref_text(struct member_pass *pass, struct resource_ref ref)
{
    const struct str kind = resource_kind_name(ref.kind);
    return arena_print(&pass->arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(ref.name));
}

/* A resource that is there and meant for us carries a reference to the set. */
static void own(struct member_pass *pass, struct resource_ref ref)
{
    struct member_set *set = pass->set;
    const struct key key = {str_from_c(set->namespace), ref.name};
    struct error *err = supply_own(set->resourceset->supplies, ref.kind, key, member_owner(set));
    if (!err)
        return;
    const struct str about = ref_text(pass, ref);
    err = error_wrap(err, "add an owner reference to %.*s", STR_ARG(about));
    add_item(pass, (struct report_item){.trouble = TROUBLE_BOOKKEEPING,
                                        .resource = about,
                                        .name = ref.name,
                                        .text = arena_str(&pass->arena, str_from_c(err->message))});
    pass->err = error_join(pass->err, err);
}

/* Suspends. */
static void read_supplies(struct member_pass *pass, struct plan *plan)
{
    struct member_set *set = pass->set;
    plan->supplies = mem_realloc_array(NULL, plan->spec.ref_count + 1, sizeof(struct supply *));
    for (size_t i = 0; i < plan->spec.ref_count; i++) {
        const struct resource_ref ref = plan->spec.refs[i];
        const struct key key = {str_from_c(set->namespace), ref.name};
        plan->supplies[plan->supply_count++] =
            supply_get(set->resourceset->supplies, ref.kind, key);
        const enum trouble trouble = supply_trouble(plan->supplies[i]);
        if (trouble == TROUBLE_NONE || trouble == TROUBLE_NOT_APPLIED)
            own(pass, ref);
    }
}

static bool same_plan(const struct plan *a, const struct plan *b)
{
    if (!a || a->generation != b->generation || a->supply_count != b->supply_count)
        return false;
    for (size_t i = 0; i < a->supply_count; i++)
        if (!supply_eq(a->supplies[i], b->supplies[i]))
            return false;
    return true;
}

/* A plan that wants the same is kept, so that nobody has to look at its clusters again. */
static void put_plan(struct member_set *set, struct plan *plan)
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
static void judge_supplies(struct member_pass *pass)
{
    const struct plan *plan = pass->set->plan;
    for (size_t i = 0; i < plan->supply_count; i++) {
        const enum trouble trouble = supply_trouble(plan->supplies[i]);
        if (trouble == TROUBLE_NONE || trouble == TROUBLE_NOT_APPLIED)
            continue;
        const struct resource_ref ref = plan->spec.refs[i];
        const struct str about = ref_text(pass, ref);
        const struct str text = supply_text(plan->supplies[i]);
        add_item(pass, (struct report_item){trouble, STR(""), about, ref.name, text});
        if (trouble != TROUBLE_MISSING)
            pass->err = error_join(
                pass->err, error_new(ERROR_UNKNOWN, "%.*s: %.*s", STR_ARG(about), STR_ARG(text)));
    }
}

/* Clusters that are no longer selected are none of ours; their bindings stay as they are. */
static void drop_others(struct member_set *set)
{
    const struct str namespace = str_from_c(set->namespace);
    MAP_FOREACH (entry, &set->units) {
        struct unit *unit = entry->value;
        if (!census_selects(set->resourceset->census, (struct key){namespace, map_key(entry)},
                            &set->plan->spec.selector))
            unit_drop(unit);
    }
}

/* The binding is as it was when it was found good, or is found good again. */
static bool is_settled(struct member_set *set, struct unit *unit)
{
    SCOPED(arena) arena = {0};
    struct ledger *ledger = set->resourceset->ledger;
    const struct key key = {str_from_c(set->namespace), str_from_c(unit->cluster)};
    const struct str version = ledger_version(ledger, key, &arena);
    if (unit->round != set->plan->round)
        return false;
    if (unit->fault.trouble || (unit->version && str_eq(version, str_from_c(unit->version))))
        return true; /* what failed comes again by itself */
    OWNED(object) binding = ledger_peek(ledger, key);
    if (!plan_is_met(set->plan, binding, member_owner(set)))
        return false;
    mem_free(unit->version);
    unit->version = mem_dup(version.ptr, version.len);
    return true;
}

static void visit_cluster(void *data, struct str name)
{
    struct member_set *set = data;
    struct unit *unit = unit_open(set, name);
    if (unit->is_pending || is_settled(set, unit))
        return;
    unit_set_pending(unit, true);
    unit_enqueue(set, name, QUEUE_NORMAL);
}

/* Does not suspend: whoever is told of a cluster afterwards finds the set ready. */
static void open_units(struct member_set *set)
{
    set->is_open = true;
    drop_others(set);
    census_each(set->resourceset->census, str_from_c(set->namespace), &set->plan->spec.selector,
                visit_cluster, set);
}

/* A content nobody can use is told once, not for every cluster. */
static bool is_told_once(const struct plan *plan, const struct fault *fault, bool *told)
{
    for (size_t i = 0; i < plan->supply_count; i++) {
        if (supply_trouble(plan->supplies[i]) != TROUBLE_NOT_APPLIED || !fault->name ||
            !str_eq(plan->spec.refs[i].name, str_from_c(fault->name)) ||
            fault->trouble != TROUBLE_NOT_APPLIED)
            continue;
        told[i] = true;
        return true;
    }
    return false;
}

static size_t judge_units(struct member_pass *pass)
{
    const struct plan *plan = pass->set->plan;
    bool *told = arena_alloc_array(&pass->arena, plan->supply_count + 1, sizeof(bool));
    size_t failed = 0;
    MAP_FOREACH (entry, &pass->set->units) {
        const struct unit *unit = entry->value;
        const struct fault *fault = &unit->fault;
        if (!fault->trouble)
            continue;
        failed++;
        if (!is_told_once(plan, fault, told))
            add_item(pass, (struct report_item){fault->trouble, map_key(entry),
                                                str_from_c(fault->resource),
                                                str_from_c(fault->name), str_from_c(fault->text)});
    }
    for (size_t i = 0; i < plan->supply_count; i++)
        if (told[i])
            add_item(pass, (struct report_item){
                               TROUBLE_NOT_APPLIED, STR(""), ref_text(pass, plan->spec.refs[i]),
                               plan->spec.refs[i].name, supply_text(plan->supplies[i])});
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
static struct error *write_report(struct member_pass *pass, const struct report_account *account)
{
    struct member_set *set = pass->set;
    const int64_t generation = set->plan->generation;
    const struct report report = report_make(account, generation, &pass->arena);
    struct condition all[4] = {report_paused(false, generation)};
    size_t count = 1;
    if (report.says_applied)
        all[count++] = report.applied;
    if (account->clusters || account->count || has_progress(set->object)) {
        all[count++] = report.progress;
        all[count++] = report.failed;
    }
    const bool is_told = has_condition(set->object, &report.applied) || !report.says_applied;
    TRY(member_write_status(set, &(struct member_status){
                                     .conditions = all,
                                     .count = count,
                                     .v1beta1 = report.says_applied ? &report.v1beta1 : NULL,
                                     .observed_generation = report.is_success ? generation : 0,
                                 }));
    if (!is_told)
        tidings_of_set(set, &report, account->clusters);
    return NULL;
}

/* A pass that comes earlier takes the place of the one that was to come then. */
static void tell_later(struct member_set *set, duration after)
{
    queue_add_after(set->resourceset->queues[RESOURCESET_SETS], member_key(set), after,
                    QUEUE_NORMAL);
}

static struct error *tell(struct member_pass *pass)
{
    struct member_set *set = pass->set;
    const duration early = set->due - loop_now(set->resourceset->loop);
    if (set->pending && (!set->due || early > 0)) {
        if (set->due)
            tell_later(set, early);
        return NULL;
    }
    set->due = 0;
    judge_supplies(pass);
    struct report_account account = {
        .clusters = map_count(&set->units),
        .pending = set->pending,
        .failed = judge_units(pass),
    };
    account.items = pass->items;
    account.count = account.clusters ? pass->item_count : 0;
    struct error *err = write_report(pass, &account);
    if (err && !set->due)
        set->due = loop_now(set->resourceset->loop);
    return err;
}

static struct error *refuse_selector(struct member_pass *pass, struct plan *plan)
{
    const struct str text = arena_print(&pass->arena, "unable to convert selector: %s",
                                        plan->spec.selector_error->message);
    const struct report_item item = {.trouble = TROUBLE_NO_SELECTOR, .text = text};
    const struct report_account account = {.items = &item, .count = 1};
    put_plan(pass->set, plan);
    TRY(write_report(pass, &account));
    return error_new(ERROR_INVALID, "%.*s", STR_ARG(text));
}

static struct error *serve(struct member_pass *pass)
{
    struct member_set *set = pass->set;
    struct plan *plan = NEW(struct plan);
    plan->references = 1;
    plan->generation = object_generation(set->object);
    resource_set_read(set->object, &plan->spec);
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

static struct error *remove_set(struct member_set *set)
{
    TRY(member_close(set));
    TRY(member_withdraw(set));
    return member_set_finalizer(set, false);
}

static struct error *go_through(struct member_pass *pass)
{
    struct member_set *set = pass->set;
    const bool is_deleting = object_is_deleting(set->object);
    if (is_deleting && !object_has_finalizer(set->object, STR(RESOURCE_SET_FINALIZER)))
        return member_close(set);
    if (!is_deleting)
        TRY(member_set_finalizer(set, true));
    if (resource_set_is_paused(set->object))
        return pause(set);
    return is_deleting ? remove_set(set) : serve(pass);
}

/* One that is gone, or another one by now, leaves nothing behind. */
static struct error *settle(struct resourceset *resourceset, struct key key,
                            const struct object *object)
{
    struct member_set *set = member_find(resourceset, key);
    if (!set || (object && str_eq(object_uid(object), object_uid(set->object))))
        return NULL;
    TRY(member_close(set));
    member_drop(set);
    return NULL;
}

/* Every set comes again within two periods; what none of them asked for since is not needed. */
static void sweep_supplies(struct resourceset *resourceset)
{
    const int64_t now = loop_now(resourceset->loop);
    if (now < resourceset->sweep_at)
        return;
    supply_pool_sweep(resourceset->supplies);
    resourceset->sweep_at = now + 2 * resourceset->options.sync_period;
}

struct error *member_reconcile(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct resourceset *resourceset = data;
    OWNED(object) object = cache_get(resourceset->sets, key);
    (void)ret_result;
    sweep_supplies(resourceset);
    TRY(settle(resourceset, key, object));
    if (!object)
        return NULL;
    SCOPED(member_pass) pass = {.set = member_open(resourceset, key)};
    member_put_object(pass.set, object);
    struct error *err = error_ignore(go_through(&pass), ERROR_NOT_FOUND);
    return err ? err : TAKE(pass.err);
}
