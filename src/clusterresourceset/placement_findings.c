#include "clusterresourceset/placement_findings.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "clusterresourceset/drift_check.h"
#include "clusterresourceset/drift_mend.h"
#include "clusterresourceset/health_check.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/placement_reconcile_internal.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/prune_removed.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_events.h"

#define CHECK_DELAY (10 * SECOND) /* after a repair that left the digest of the record behind */

/* What a fiber finds out about drift. */
struct drift_look {
    struct placement_reconcile *reconcile;
    struct drift_mend *mend;
    struct error *err;
    bool is_done; /* false: it was cancelled */
};

static struct error *mend_in_fiber(void *data)
{
    struct drift_look *look = data;
    FIBER_TIMEOUT(placement_reconcile_time(look->reconcile));
    look->err = drift_mend_run(look->mend);
    look->is_done = !fiber_is_canceled(fiber_current());
    return NULL;
}

/* Suspends. An error is tried again with back-off: the next check brings another finding. */
static struct error *run_mend(struct placement_reconcile *reconcile, struct drift_mend *mend)
{
    struct drift_look look = {.reconcile = reconcile, .mend = mend};
    struct error *err = placement_reconcile_run(reconcile, "drift", mend_in_fiber, &look);
    OWNED(error) failure = look.err;
    TRY(err);
    if (!look.is_done)
        return error_new(ERROR_CANCELED, "the set or the cluster goes");
    return TAKE(failure);
}

/* Whether it is known of every object what the cluster has of it now. */
static bool complete_ledger(struct drift_mend *mend)
{
    const struct drift_finding *finding = mend->finding;
    if (mend->drift)
        return false;
    if (finding->type != DRIFT_FINDING_DRIFTED) /* after a restart all objects were looked at */
        return true;
    MAP_FOREACH (entry, &finding->ids)
        if (!map_has(&mend->ledger.objects, map_key(entry)))
            return false;
    apply_ledger_add_missing(&mend->ledger, &finding->seen);
    return map_count(&finding->seen) > 0;
}

/*
 * The digest for the record; empty: that stays. What is not known of every object, because a watch
 * told of one alone or somebody else put one right, the next check sees.
 */
static struct str find_mend_digest(struct placement_reconcile *reconcile, struct drift_mend *mend)
{
    char digest[APPLY_LEDGER_DIGEST_LEN + 1];
    if (mend->finding->type == DRIFT_FINDING_CLEAN)
        return arena_str(&reconcile->arena, str_from_c(mend->finding->digest));
    return complete_ledger(mend)
               ? arena_str(&reconcile->arena, apply_ledger_digest(&mend->ledger, digest))
               : STR("");
}

/*
 * A process that starts now would look at every object by a dry run, because the record has another
 * digest. With watches the check that renews it would come a minute after the event. It comes
 * earlier, and not at once, so that one check is enough for repairs that follow each other.
 */
static void ask_for_check(struct placement_reconcile *reconcile, const struct drift_mend *mend)
{
    if (mend->has_made_anew && !reconcile->mend_digest.len)
        placement_drift_note_due(placement_drift(reconcile->placement),
                                 loop_now(reconcile->controllers->loop) + CHECK_DELAY);
}

/* What a server does not let us repair has failed, as any object that it refuses. Suspends. */
static struct error *record_mend(struct placement_reconcile *reconcile, struct drift_mend *mend)
{
    const bool is_refused = !failures_is_empty(&reconcile->failures);
    reconcile->mend_digest = find_mend_digest(reconcile, mend);
    reconcile->mend = is_refused ? NULL : mend;
    reconcile->has_outcome = reconcile->has_mended = true;
    placement_reconcile_note_failures(reconcile);
    struct error *err = placement_reconcile_write(reconcile);
    reconcile->mend = NULL;
    TRY(err);
    reconcile->has_repaired = !failures_is_empty(&mend->repaired);
    ask_for_check(reconcile, mend);
    placement_drift(reconcile->placement)->reported = mend->finding->hash;
    placement_drift(reconcile->placement)->reported_versions = mend->finding->versions;
    set_events_record_mend(reconcile->placement, reconcile->cluster_object, mend);
    return placement_reconcile_explain(&reconcile->fault);
}

/* Keeps what is recorded, and adds since when no check for drift has succeeded. Suspends. */
static struct error *record_unchecked(struct placement_reconcile *reconcile, timestamp since)
{
    char text[TIMESTAMP_TEXT_MAX];
    reconcile->drift_unchecked = arena_str(&reconcile->arena, timestamp_write(since, text));
    reconcile->mend_digest = STR("");
    reconcile->has_outcome = reconcile->has_mended = true;
    return placement_reconcile_write(reconcile);
}

/*
 * Looks at what a check has found and records it. The finding is used up, whatever comes of it.
 * What nobody minds any more is taken back without asking the cluster. Suspends.
 */
static struct error *look_at_drift(struct placement_reconcile *reconcile)
{
    if (!plan_policy(reconcile->plan) || !placement_has_drift(reconcile->placement))
        return NULL;
    struct placement_drift *drift = placement_drift(reconcile->placement);
    SCOPED(drift_finding) finding = drift->finding;
    drift->finding = (struct drift_finding){0};
    if (finding.type == DRIFT_FINDING_UNCHECKED)
        return record_unchecked(reconcile, finding.since);
    const bool asks = finding.type > DRIFT_FINDING_CLEAN;
    if (!finding.type ||
        (asks && (!reconcile->connection || placement_reconcile_is_paused(reconcile))))
        return NULL;
    const struct failures none = {.arena = &reconcile->arena,
                                  .objects = plan_object_count(reconcile->plan)};
    SCOPED(drift_mend)
    mend = {
        .placement = reconcile->placement,
        .plan = reconcile->plan,
        .connection = reconcile->connection,
        .finding = &finding,
        .arena = &reconcile->arena,
        .refused = &reconcile->failures,
        .now = loop_now(reconcile->controllers->loop),
        .why = none,
        .repaired = none,
        .ledger = {.arena = &reconcile->arena},
    };
    if (asks)
        TRY(run_mend(reconcile, &mend));
    return record_mend(reconcile, &mend);
}

/* Records what a look has found. The finding is used up, whatever comes of it. Suspends. */
static struct error *record_health(struct placement_reconcile *reconcile)
{
    if (!plan_policy(reconcile->plan) || !placement_has_health(reconcile->placement))
        return NULL;
    struct placement_health *health = placement_health(reconcile->placement);
    reconcile->health = health->finding;
    reconcile->health.why.arena = &reconcile->health.arena;
    health->finding = (struct health_finding){0};
    if (!reconcile->health.type)
        return NULL;
    reconcile->mend_digest = STR("");
    reconcile->has_outcome = reconcile->has_mended = true;
    struct error *err = placement_reconcile_write(reconcile);
    health_finding_done(&reconcile->health);
    return err;
}

struct error *placement_findings_record(struct placement_reconcile *reconcile)
{
    TRY(look_at_drift(reconcile));
    TRY(record_health(reconcile));
    return prune_removed_run(reconcile);
}

/*
 * Remembers what was applied, and what the binding records of drift. Returns whether the latter is
 * news, which are told once: a new process finds them in the record.
 */
static bool keep_drift(struct placement_reconcile *reconcile, const struct object *binding)
{
    struct placement *placement = reconcile->placement;
    if (!plan_policy(reconcile->plan))
        return false;
    struct placement_drift *drift = placement_drift(placement);
    if (reconcile->has_outcome && !reconcile->has_mended && !reconcile->fault.type) {
        placement_drift_note_applied(drift, &reconcile->ledger,
                                     placement_drift_basis(reconcile->plan));
        drift->checked_at = loop_now(reconcile->controllers->loop);
    }
    const bool is_news = placement_drift_note_record(drift, binding, set_key(reconcile->set).name);
    if (is_news && reconcile->has_mended)
        set_events_record_drift(placement, reconcile->cluster_object);
    if (!reconcile->fault.type)
        drift_check_follow(reconcile->set, placement);
    return is_news;
}

/* The same of health. */
static bool keep_health(struct placement_reconcile *reconcile, const struct object *binding)
{
    struct placement *placement = reconcile->placement;
    const struct delivery_policy *policy = plan_policy(reconcile->plan);
    const bool is_applied =
        reconcile->has_outcome && !reconcile->has_mended && !reconcile->fault.type;
    bool is_news = false;
    if (policy && (policy->health_timeout || placement_has_health(placement))) {
        struct placement_health *health = placement_health(placement);
        if (is_applied)
            placement_health_note_applied(health, loop_wall(reconcile->controllers->loop));
        is_news = placement_health_note_record(health, binding, set_key(reconcile->set).name);
    }
    if (!reconcile->fault.type)
        health_check_follow(reconcile->set, placement,
                            is_applied || reconcile->has_repaired ? HEALTH_CHECK_AT_ONCE
                                                                  : HEALTH_CHECK_SOMETIME);
    return is_news;
}

bool placement_findings_keep(struct placement_reconcile *reconcile, const struct object *binding)
{
    const bool is_drift_news = keep_drift(reconcile, binding);
    const bool is_prune_news = prune_removed_keep(reconcile, binding);
    return keep_health(reconcile, binding) || is_drift_news || is_prune_news;
}
