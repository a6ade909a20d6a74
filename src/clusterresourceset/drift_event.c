#include "clusterresourceset/drift_event.h"

#include "async/loop.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/apply/ignored.h"
#include "clusterresourceset/apply/ownership.h"
#include "clusterresourceset/contest.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_check.h"
#include "clusterresourceset/drift_metrics.h"
#include "clusterresourceset/health_check.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/placement_values.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/set.h"

/* A repair may fail, and the digest in the record is renewed by a check alone. */
#define CHECK_AFTER_FINDING MINUTE

/* The event as one set sees it. */
struct seen_event {
    const struct drift_event *event;
    struct crs_set *set;
    struct placement *placement;
    struct placement_drift *drift;
    struct gvk gvk; /* without a version */
    struct key key; /* of the object */
    struct str id;
    struct arena arena;
};

static void ask_for_check(const struct seen_event *seen, int64_t due)
{
    const struct drift_event *event = seen->event;
    const int64_t now = loop_now(event->controllers->loop);
    placement_drift_note_due(seen->drift, due);
    queue_add_after(event->controllers->queues[CRS_CONTROLLER_DRIFT], event->cluster,
                    due > now ? due - now : 0, QUEUE_NORMAL);
}

static bool is_left_alone(const struct seen_event *seen)
{
    const struct contest *contest = map_find(&seen->drift->contests, seen->id);
    return contest && contest->until > loop_now(seen->event->controllers->loop);
}

/* Whether the manifest says that the object is not looked at. Few do. */
static bool is_ignored(struct seen_event *seen)
{
    OWNED(plan) plan = placement_values_plan_now(seen->placement);
    for (size_t i = 0; plan && i < plan_resource_count(plan); i++) {
        const struct content *content = resource_snapshot_content(plan_snapshot(plan, i));
        const struct apply_item *items = content ? apply_items_read(content, &seen->arena) : NULL;
        for (size_t j = 0; content && j < content_count(content); j++) {
            const struct object *manifest = items[j].object;
            const struct str namespace = object_namespace(manifest);
            if (apply_policy_ignores_drift(manifest) &&
                str_eq(object_name(manifest), seen->key.name) &&
                str_eq(object_kind(manifest), seen->gvk.kind) &&
                (!namespace.len || str_eq(namespace, seen->key.namespace)))
                return true;
        }
    }
    return false;
}

static bool is_applied(const struct seen_event *seen)
{
    OWNED(object)
    binding = binding_store_find(seen->event->controllers->binding_store, seen->event->cluster);
    return drift_check_is_applied(seen->set, seen->placement, binding);
}

/* What a check would find if nothing else had changed since the last one. */
static void leave_finding(struct seen_event *seen, struct str uid, struct str ownership)
{
    struct placement_drift *drift = seen->drift;
    const int64_t now = loop_now(seen->event->controllers->loop);
    if (drift_memory_note(&drift->memory, seen->id, true))
        drift_metrics_note_detected(seen->event->controllers, seen->event->kind);
    if (drift->finding.type == DRIFT_FINDING_CLEAN ||
        drift->finding.type == DRIFT_FINDING_UNCHECKED)
        drift_finding_done(&drift->finding);
    if (drift->finding.type == DRIFT_FINDING_NONE)
        drift->finding.type = DRIFT_FINDING_DRIFTED;
    if (drift->finding.type == DRIFT_FINDING_DRIFTED)
        drift_finding_add(&drift->finding, seen->id, uid, ownership);
    placement_enqueue(seen->set, seen->event->cluster.name, QUEUE_NORMAL);
    ask_for_check(seen, now + CHECK_AFTER_FINDING);
}

/* We or somebody else have put it right. A record that says otherwise is renewed by a check. */
static void note_undrifted(const struct seen_event *seen)
{
    struct drift_memory *memory = &seen->drift->memory;
    if (!drift_memory_has_drifted(memory, seen->id))
        return;
    if (seen->drift->drift)
        ask_for_check(seen, seen->event->check_at);
    else
        drift_memory_note(memory, seen->id, false);
}

/* The object, or that there is none, by what is remembered of it. */
static void judge_object(struct seen_event *seen, const struct object *live)
{
    char text[OWNERSHIP_DIGEST_LEN + 1];
    const struct plan *plan = placement_plan(seen->placement);
    const struct delivery_policy_texts ignored =
        ignored_paths(plan_policy(plan), seen->gvk, seen->key, &seen->arena);
    const struct str manager = field_manager_of_set(&seen->arena, set_key(seen->set));
    const struct str uid = live ? object_uid(live) : STR("");
    const struct str ownership = live ? ownership_digest(live, manager, &ignored, text) : STR("");
    const enum drift verdict = drift_memory_judge(&seen->drift->memory, seen->id, uid, ownership);
    if (verdict != DRIFT_UNKNOWN) /* it is an object of the set, changed in whatever way */
        health_check_note_change(seen->placement, seen->gvk.group, seen->gvk.kind);
    if (verdict == DRIFT_UNKNOWN || is_left_alone(seen))
        return;
    if (verdict == DRIFT_NONE) {
        note_undrifted(seen);
        return;
    }
    if (placement_values_is_large(seen->placement)) { /* too much work for each event */
        ask_for_check(seen, seen->event->check_at);
        return;
    }
    if (is_ignored(seen))
        return;
    if (seen->drift->drift || !is_applied(seen))
        ask_for_check(seen, seen->event->check_at);
    else
        leave_finding(seen, uid, ownership);
}

static void take_for_set(const struct drift_event *event, struct crs_set *set,
                         struct placement *placement)
{
    struct seen_event seen = {
        .event = event,
        .set = set,
        .placement = placement,
        .drift = placement_drift(placement),
    };
    struct str kind = event->kind;
    str_cut(&kind, '/', &seen.gvk.group);
    seen.gvk.kind = kind;
    if (!event->event || seen.drift->basis != placement_drift_basis(placement_plan(
                                                  placement))) { /* nothing to compare with */
        health_check_note_change(placement, seen.gvk.group, seen.gvk.kind);
        ask_for_check(&seen, event->check_at);
        return;
    }
    const struct object *object = event->event->object;
    seen.key = object_key(object);
    seen.id = arena_print(&seen.arena, "%.*s %.*s/%.*s", STR_ARG(event->kind),
                          STR_ARG(seen.key.namespace), STR_ARG(seen.key.name));
    judge_object(&seen, event->event->type == WATCH_DELETED ? NULL : object);
    arena_done(&seen.arena);
}

void drift_event_take(const struct drift_event *event)
{
    MAP_FOREACH (entry, &event->controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        struct placement *placement = str_eq(set_key(set).namespace, event->cluster.namespace)
                                          ? placement_find(set, event->cluster.name)
                                          : NULL;
        if (placement && placement_has_drift(placement) && drift_check_minds(set))
            take_for_set(event, set, placement);
    }
}
