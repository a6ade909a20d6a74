/*
 * drift_mend_run() goes through the objects in passes. A pass takes some of them, resource by
 * resource, through apply_objects(), which tells of each one that it read and applied, or dry-ran.
 */
#include "clusterresourceset/drift_mend.h"

#include "base/memory.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/apply/apply_redaction.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/apply/ownership.h"
#include "clusterresourceset/apply/ownership_loss.h"
#include "clusterresourceset/contest.h"
#include "clusterresourceset/drift_metrics.h"
#include "clusterresourceset/drift_objects.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/set.h"

enum mend_step {
    MEND_VERIFY,  /* after a restart: which objects have drifted? A report tells of them at once */
    MEND_REPORT,  /* tell what was changed */
    MEND_CONTEST, /* the same of objects that are left alone */
    MEND_REPAIR,
};

/* A pass: one step for some objects. */
struct mend_pass {
    struct drift_mend *mend;
    enum mend_step step;
    struct str manager;
    const struct drift_objects *objects;
    const struct map *ids; /* of those that are taken; NULL: all */
    struct map *drifted;   /* of MEND_VERIFY: gets the ids of those that have */
    /* Of the resource that is worked on. */
    struct str resource; /* "ConfigMap cm1" */
    struct apply_item *items;
    const struct drift_object **item_objects;
    size_t count;
};

void drift_mend_done(struct drift_mend *mend)
{
    failures_done(&mend->why);
    failures_done(&mend->repaired);
    apply_ledger_done(&mend->ledger);
}

static bool repairs(const struct drift_mend *mend)
{
    return plan_policy(mend->plan)->drift == DELIVERY_POLICY_DRIFT_REPAIR;
}

static struct crs_controllers *controllers_of(const struct mend_pass *pass)
{
    return set_controllers(placement_set(pass->mend->placement));
}

static struct placement_drift *drift_of(const struct mend_pass *pass)
{
    return placement_drift(pass->mend->placement);
}

/* By what is remembered of the object. */
static bool differs_from_memory(const struct mend_pass *pass, const struct drift_object *object,
                                const struct object *live)
{
    char text[OWNERSHIP_DIGEST_LEN + 1];
    const struct str uid = live ? object_uid(live) : STR("");
    const struct str ownership =
        live ? ownership_digest(live, pass->manager, &object->ignored, text) : STR("");
    return drift_memory_judge(&drift_of(pass)->memory, object->id, uid, ownership) != DRIFT_NONE;
}

/* The same, right before an object would be applied. Without a doubt it is. */
static bool is_drifted_now(void *data, const struct object *manifest, const struct object *live)
{
    const struct mend_pass *pass = data;
    const struct gvk gvk = apply_object_gvk(manifest);
    for (size_t i = 0; i < pass->count; i++)
        if (gvk_eq(gvk, apply_object_gvk(pass->items[i].object)) &&
            key_eq(object_key(manifest), pass->item_objects[i]->key))
            return differs_from_memory(pass, pass->item_objects[i], live);
    return true;
}

/* After a restart by what applying it would leave. */
static bool has_drifted(const struct mend_pass *pass, const struct drift_object *object,
                        const struct apply_object *apply)
{
    char text[OWNERSHIP_DIGEST_LEN + 1];
    if (pass->step != MEND_VERIFY)
        return differs_from_memory(pass, object, apply->live);
    return !apply->live ||
           !str_eq(ownership_digest(apply->live, pass->manager, &object->ignored, text),
                   apply->receipt.ownership);
}

static struct contest *open_contest(struct placement_drift *drift, struct str id)
{
    struct contest *contest = map_find(&drift->contests, id);
    if (!contest) {
        contest = NEW(struct contest);
        map_put(&drift->contests, id, contest);
    }
    return contest;
}

/* Tells in one of the lists what was changed of an object, and by whom. */
static void add_change(const struct mend_pass *pass, size_t index, const struct apply_object *apply,
                       struct failures *list, struct str reason)
{
    SCOPED(buf) text = {.limit = 0};
    const struct apply_item *item = &pass->items[index];
    const struct failed_object object = {
        .api_version = object_api_version(item->object),
        .kind = object_kind(item->object),
        .namespace = pass->item_objects[index]->key.namespace,
        .name = object_name(item->object),
        .resource = pass->resource,
        .key = item->key,
        .document = item->document,
    };
    const struct ownership_loss loss = {
        .live = apply->live,
        .applied = apply->answer,
        .manager = pass->manager,
        .ignored = &pass->item_objects[index]->ignored,
        .is_secret = item->is_secret || apply_redaction_is_secret(item->object),
    };
    ownership_loss_write(&loss, &text);
    failures_add(list, &object, reason, buf_str(&text));
}

/* From here on the object is remembered as it was put back. */
static void note_repaired(const struct mend_pass *pass, size_t index,
                          const struct apply_object *apply)
{
    struct placement_drift *drift = drift_of(pass);
    const struct drift_object *object = pass->item_objects[index];
    add_change(pass, index, apply, &pass->mend->repaired, STR("Repaired"));
    if (pass->mend->finding->type == DRIFT_FINDING_UNVERIFIED) /* no check has counted it */
        drift_metrics_note_detected(controllers_of(pass), object->kind);
    drift_metrics_note_repaired(controllers_of(pass), object->kind);
    pass->mend->has_made_anew |= drift_memory_judge(&drift->memory, object->id, apply->receipt.uid,
                                                    apply->receipt.ownership) != DRIFT_NONE;
    drift_memory_put(&drift->memory, object->id, apply->receipt.uid, apply->receipt.ownership);
    placement_drift_note_version(drift, object->kind, apply->receipt.version);
    drift->stamp++;
    contest_note_repair(open_contest(drift, object->id), pass->mend->now);
}

static void note_contested(const struct mend_pass *pass, size_t index,
                           const struct apply_object *apply)
{
    struct contest *contest = open_contest(drift_of(pass), pass->item_objects[index]->id);
    add_change(pass, index, apply, &pass->mend->why, STR("Contested"));
    pass->mend->tells_contest |= !contest->is_told;
    contest->is_told = true;
}

static void note_applied(void *data, size_t index, const struct apply_object *apply)
{
    struct mend_pass *pass = data;
    if (!has_drifted(pass, pass->item_objects[index], apply))
        return;
    switch (pass->step) {
    case MEND_VERIFY:
        map_put(pass->drifted, pass->item_objects[index]->id, NULL);
        if (!repairs(pass->mend))
            add_change(pass, index, apply, &pass->mend->why, STR("Drifted"));
        break;
    case MEND_REPORT:
        add_change(pass, index, apply, &pass->mend->why, STR("Drifted"));
        break;
    case MEND_CONTEST:
        note_contested(pass, index, apply);
        break;
    case MEND_REPAIR:
        note_repaired(pass, index, apply);
        break;
    }
}

/* The cluster was not asked about all objects: nothing is known of them. */
static bool is_cut_short(const struct error *err)
{
    static const enum error_code codes[] = {
        ERROR_CANCELED,   ERROR_UNREACHABLE, ERROR_NOT_CONNECTED, ERROR_TLS,
        ERROR_CONNECTION, ERROR_DEADLINE,    ERROR_UNAUTHORIZED};
    for (size_t i = 0; i < COUNT(codes); i++)
        if (error_is(err, codes[i]))
            return true;
    return false;
}

/* What a server refuses to explain has drifted all the same. Suspends. */
static struct error *send_resource(struct mend_pass *pass)
{
    struct drift_mend *mend = pass->mend;
    const bool is_repair = pass->step == MEND_REPAIR;
    struct apply_notices notices = {0};
    struct apply_report report;
    const struct apply_target target = {
        .client = cluster_connection_client(mend->connection),
        .discovery = cluster_connection_discovery(mend->connection),
        .field_manager = pass->manager,
        .policy = plan_policy(mend->plan),
        .mends = is_repair ? APPLY_MEND_REPAIR : APPLY_MEND_INSPECT,
        .has_drifted = is_drifted_now,
        .has_drifted_data = pass,
    };
    const struct apply_batch batch = {
        .resource = pass->resource,
        .items = pass->items,
        .count = pass->count,
        .strategy = APPLY_BY_POLICY,
        .failures = is_repair ? mend->refused : &mend->why,
        .unserved = mend->refused,
        .notices = &notices,
        .ledger = &mend->ledger,
        .applied = note_applied,
        .applied_data = pass,
    };
    struct error *err = apply_objects(&target, &batch, &report);
    if (is_cut_short(err))
        return err;
    error_free(err);
    return NULL;
}

/* Chooses the objects of one resource that are taken. */
static void choose_items(struct mend_pass *pass, size_t resource)
{
    struct arena *arena = pass->mend->arena;
    const struct plan *plan = pass->mend->plan;
    const struct resource_ref ref = plan_resource(plan, resource);
    const struct str kind = resource_kind_name(ref.kind);
    const struct content *content = resource_snapshot_content(plan_snapshot(plan, resource));
    const size_t most = content ? content_count(content) : 0;
    const struct apply_item *all = content ? apply_items_read(content, arena) : NULL;
    pass->resource = arena_print(arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(ref.name));
    pass->count = 0;
    pass->items = arena_alloc_array(arena, most + 1, sizeof(*pass->items));
    pass->item_objects = arena_alloc_array(arena, most + 1, sizeof(*pass->item_objects));
    for (size_t i = 0; all && i < pass->objects->count; i++) {
        const struct drift_object *object = &pass->objects->items[i];
        if (object->resource != resource || (pass->ids && !map_has(pass->ids, object->id)))
            continue;
        pass->items[pass->count] = all[object->item];
        pass->item_objects[pass->count++] = object;
    }
}

/* One step for the objects with these ids; NULL: for all. Suspends. */
static struct error *run_pass(const struct mend_pass *all, enum mend_step step,
                              const struct map *ids)
{
    struct mend_pass pass = *all;
    pass.step = step;
    pass.ids = ids;
    for (size_t i = 0; i < plan_resource_count(pass.mend->plan); i++) {
        choose_items(&pass, i);
        if (pass.count)
            TRY(send_resource(&pass));
    }
    return NULL;
}

/* What has been quiet for long is forgotten; what may not be repaired now goes to the other map. */
static void split_contested(const struct mend_pass *pass, const struct map *ids,
                            struct map *ret_free, struct map *ret_contested)
{
    struct placement_drift *drift = drift_of(pass);
    const int64_t now = pass->mend->now;
    MAP_FOREACH (entry, &drift->contests)
        if (contest_is_over(entry->value, now))
            map_remove(&drift->contests, map_key(entry));
    MAP_FOREACH (entry, ids) {
        struct contest *contest = map_find(&drift->contests, map_key(entry));
        const bool may = !contest || contest_may_repair(contest, now);
        map_put(may ? ret_free : ret_contested, map_key(entry), NULL);
    }
}

/* Suspends. */
static struct error *repair_objects(const struct mend_pass *pass, const struct map *ids)
{
    SCOPED(map) free_ids = {.release = NULL};
    SCOPED(map) contested = {.release = NULL};
    split_contested(pass, ids, &free_ids, &contested);
    TRY(run_pass(pass, MEND_CONTEST, &contested));
    if (map_count(&contested) && !failures_is_empty(&pass->mend->why))
        pass->mend->drift = DELIVERY_CONTESTED;
    return run_pass(pass, MEND_REPAIR, &free_ids);
}

/* Which objects have drifted; from here on they are remembered as applying leaves them. Suspends.
 */
static struct error *verify_objects(const struct mend_pass *pass)
{
    TRY(run_pass(pass, MEND_VERIFY, NULL));
    placement_drift_note_applied(drift_of(pass), &pass->mend->ledger,
                                 placement_drift_basis(pass->mend->plan));
    return NULL;
}

struct error *drift_mend_run(struct drift_mend *mend)
{
    const struct str manager =
        field_manager_of_set(mend->arena, set_key(placement_set(mend->placement)));
    SCOPED(map) drifted = {.release = NULL};
    struct drift_objects objects;
    struct mend_pass pass = {
        .mend = mend, .manager = manager, .objects = &objects, .drifted = &drifted};
    TRY(drift_objects_read(mend->plan, apply_policy_ignores_drift,
                           cluster_connection_discovery(mend->connection), mend->arena, &objects));
    const bool is_verified = mend->finding->type == DRIFT_FINDING_DRIFTED;
    if (!is_verified)
        TRY(verify_objects(&pass));
    const struct map *ids = is_verified ? &mend->finding->ids : &drifted;
    if (repairs(mend))
        TRY(repair_objects(&pass, ids));
    else if (is_verified)
        TRY(run_pass(&pass, MEND_REPORT, ids));
    if (!mend->drift && !failures_is_empty(&mend->why))
        mend->drift = DELIVERY_DRIFTED;
    return NULL;
}
