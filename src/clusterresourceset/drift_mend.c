#include "clusterresourceset/drift_mend.h"

#include "base/array.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/apply_redaction.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/apply/ownership.h"
#include "clusterresourceset/apply/ownership_loss.h"
#include "clusterresourceset/drift_objects.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/set.h"

/* The objects of one resource that are looked at. */
struct mend_batch {
    struct drift_mend *mend;
    struct str manager;
    struct str resource; /* "ConfigMap cm1" */
    struct apply_item *items;
    const struct drift_object **objects; /* of the items */
    size_t count;
};

void drift_mend_done(struct drift_mend *mend)
{
    failures_done(&mend->why);
    apply_ledger_done(&mend->ledger);
}

/* By what is remembered of the object; after a restart, by what applying it would leave. */
static bool has_drifted(const struct mend_batch *batch, const struct drift_object *object,
                        const struct apply_object *apply)
{
    char text[OWNERSHIP_DIGEST_LEN + 1];
    const struct drift_memory *memory = &placement_drift(batch->mend->placement)->memory;
    const struct str uid = apply->live ? object_uid(apply->live) : STR("");
    const struct str ownership =
        apply->live ? ownership_digest(apply->live, batch->manager, text) : STR("");
    if (batch->mend->finding->type == DRIFT_FINDING_UNVERIFIED)
        return !apply->live || !str_eq(ownership, apply->receipt.ownership);
    return drift_memory_judge(memory, object->id, uid, ownership) != DRIFT_NONE;
}

static void add_why(const struct mend_batch *batch, size_t index, struct str text)
{
    const struct apply_item *item = &batch->items[index];
    const struct failed_object object = {
        .api_version = object_api_version(item->object),
        .kind = object_kind(item->object),
        .namespace = batch->objects[index]->key.namespace,
        .name = object_name(item->object),
        .resource = batch->resource,
        .key = item->key,
        .document = item->document,
    };
    failures_add(&batch->mend->why, &object, STR("Drifted"), text);
}

static void note_looked_at(void *data, size_t index, const struct apply_object *apply)
{
    struct mend_batch *batch = data;
    const struct apply_item *item = &batch->items[index];
    SCOPED(buf) text = {.limit = 0};
    if (!has_drifted(batch, batch->objects[index], apply))
        return;
    ownership_loss_write(apply->live, apply->answer, batch->manager,
                         item->is_secret || apply_redaction_is_secret(item->object), &text);
    add_why(batch, index, buf_str(&text));
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

/* Suspends. */
static struct error *look_at_batch(struct mend_batch *batch)
{
    struct drift_mend *mend = batch->mend;
    struct apply_notices notices = {0};
    struct apply_report report;
    const struct apply_target target = {
        .client = cluster_connection_client(mend->connection),
        .discovery = cluster_connection_discovery(mend->connection),
        .field_manager = batch->manager,
        .policy = plan_policy(mend->plan),
        .mends = APPLY_MEND_INSPECT,
    };
    const struct apply_batch apply = {
        .resource = batch->resource,
        .items = batch->items,
        .count = batch->count,
        .strategy = APPLY_BY_POLICY,
        .failures = &mend->why, /* what a server refuses to explain has drifted all the same */
        .notices = &notices,
        .ledger = &mend->ledger,
        .applied = note_looked_at,
        .applied_data = batch,
    };
    struct error *err = apply_objects(&target, &apply, &report);
    if (!failures_is_empty(&mend->why))
        mend->drift = DELIVERY_DRIFTED;
    return is_cut_short(err) ? err : (error_free(err), NULL);
}

/* Chooses the objects of one resource that the finding is about. */
static void fill_batch(struct mend_batch *batch, size_t resource,
                       const struct drift_objects *objects)
{
    struct arena *arena = batch->mend->arena;
    const struct plan *plan = batch->mend->plan;
    const struct drift_finding *finding = batch->mend->finding;
    const struct str kind = resource_kind_name(plan_resource(plan, resource).kind);
    const struct str name = plan_resource(plan, resource).name;
    const struct content *content = resource_snapshot_content(plan_snapshot(plan, resource));
    const struct apply_item *all = content ? apply_items_read(content, arena) : NULL;
    batch->resource = arena_print(arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(name));
    batch->count = 0;
    batch->items = arena_alloc_array(arena, objects->count + 1, sizeof(*batch->items));
    batch->objects = arena_alloc_array(arena, objects->count + 1, sizeof(*batch->objects));
    for (size_t i = 0; all && i < objects->count; i++) {
        const struct drift_object *object = &objects->items[i];
        if (object->resource != resource ||
            (finding->type == DRIFT_FINDING_DRIFTED && !map_has(&finding->ids, object->id)))
            continue;
        batch->items[batch->count] = all[object->item];
        batch->objects[batch->count++] = object;
    }
}

struct error *drift_mend_run(struct drift_mend *mend)
{
    struct drift_objects objects;
    struct mend_batch batch = {
        .mend = mend,
        .manager = field_manager_of_set(mend->arena, set_key(placement_set(mend->placement))),
    };
    mend->why.arena = mend->ledger.arena = mend->arena;
    mend->why.objects = plan_object_count(mend->plan);
    TRY(drift_objects_read(mend->plan, cluster_connection_discovery(mend->connection), mend->arena,
                           &objects));
    for (size_t i = 0; i < plan_resource_count(mend->plan); i++) {
        fill_batch(&batch, i, &objects);
        if (batch.count)
            TRY(look_at_batch(&batch));
    }
    return NULL;
}
