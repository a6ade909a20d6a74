#include "clusterresourceset/set_events.h"

#include "base/log.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/conditions.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_mend.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/rollout.h"
#include "clusterresourceset/set.h"
#include "controller/recorder.h"

/*
 * A placement can have both: some resources were applied and one was not. Whoever paused the
 * Cluster need not be told so; the set says that something waits, also if it is for another set. A
 * connection that is being made is no trouble yet.
 */
void set_events_record_placement(const struct placement *placement, const struct object *cluster,
                                 struct str applied)
{
    const struct crs_set *set = placement_set(placement);
    const struct str name = set_key(set).name;
    const struct fault *fault = placement_fault(placement);
    struct recorder *recorder = set_controllers(set)->options.recorder;
    if (!recorder || !cluster)
        return;
    const struct recorder_reference related = recorder_reference(set_object(set));
    struct recorder_reference about = recorder_reference(cluster);
    about.related = &related;
    if (applied.len)
        recorder_event(recorder, &about, RECORDER_NORMAL, "ResourcesApplied", "Apply",
                       "Applied %.*s of ClusterResourceSet %.*s", STR_ARG(applied), STR_ARG(name));
    if (fault->type && fault->type != FAULT_PAUSED && !fault_is_wait(fault->type) &&
        fault->type != FAULT_CONNECTING)
        recorder_event(recorder, &about, RECORDER_WARNING, "ResourcesNotApplied", "Apply",
                       "ClusterResourceSet %.*s: %.*s%s%.*s", STR_ARG(name),
                       STR_ARG(fault->resource), fault->resource.len ? ": " : "",
                       STR_ARG(fault->text));
}

/* One Event for each kind of notice: it names the first object and counts the others. */
void set_events_record_notices(const struct placement *placement, const struct object *cluster,
                               const struct apply_notices *notices)
{
    const struct crs_set *set = placement_set(placement);
    const struct key key = set_key(set);
    struct recorder *recorder = set_controllers(set)->options.recorder;
    if (!recorder || !cluster)
        return;
    const struct recorder_reference related = recorder_reference(set_object(set));
    struct recorder_reference about = recorder_reference(cluster);
    about.related = &related;
    if (notices->no_server_side)
        recorder_event(
            recorder, &about, RECORDER_WARNING, "MergePatched", "Apply",
            "ClusterResourceSet %.*s: the cluster does not know server-side apply, which "
            "needs Kubernetes 1.22; objects are merged, and fields that the manifest does "
            "not name are removed",
            STR_ARG(key.name));
    if (notices->merged_count)
        recorder_event(recorder, &about, RECORDER_WARNING, "MergePatched", "Apply",
                       "ClusterResourceSet %.*s: server-side apply does not take %.*s as it is "
                       "written, it was merged (%zu such): %.*s",
                       STR_ARG(key.name), STR_ARG(notices->merged), notices->merged_count,
                       STR_ARG(notices->merged_why));
    if (notices->taken_count)
        recorder_event(recorder, &about, RECORDER_WARNING, "TakenFromOtherSet", "Apply",
                       "ClusterResourceSet %.*s/%.*s took fields of %.*s from ClusterResourceSet "
                       "%.*s (%zu such objects): the last one to apply wins",
                       STR_ARG(key.namespace), STR_ARG(key.name), STR_ARG(notices->taken),
                       STR_ARG(notices->taken_from), notices->taken_count);
}

static void record_drift(const struct placement *placement, const struct object *cluster,
                         enum recorder_type type, const char *reason, struct str text)
{
    const struct crs_set *set = placement_set(placement);
    struct recorder *recorder = set_controllers(set)->options.recorder;
    if (!recorder || !cluster)
        return;
    const struct recorder_reference related = recorder_reference(set_object(set));
    struct recorder_reference about = recorder_reference(cluster);
    about.related = &related;
    recorder_event(recorder, &about, type, reason, "Apply", "ClusterResourceSet %.*s: %.*s",
                   STR_ARG(set_key(set).name), STR_ARG(text));
}

/* What is contested has an event for each pause instead. */
void set_events_record_drift(struct placement *placement, const struct object *cluster)
{
    const struct placement_drift *drift = placement_drift(placement);
    if (drift->drift == DELIVERY_DRIFTED)
        record_drift(placement, cluster, RECORDER_WARNING, "DriftDetected",
                     str_from_c(drift->text));
}

void set_events_record_mend(struct placement *placement, const struct object *cluster,
                            const struct drift_mend *mend)
{
    SCOPED(buf) text = {.limit = 0};
    if (!failures_is_empty(&mend->repaired)) {
        buf_add(&text, STR("put back: "));
        placement_drift_write_why(&mend->repaired, &text);
        record_drift(placement, cluster, RECORDER_NORMAL, "DriftRepaired", buf_str(&text));
    }
    if (!mend->tells_contest)
        return;
    buf_clear(&text);
    buf_add(&text, STR("changed after every repair, and left alone for a while: "));
    placement_drift_write_why(&mend->why, &text);
    record_drift(placement, cluster, RECORDER_WARNING, "DriftContested", buf_str(&text));
}

/* "another process" is one whose writes the server does not tell from ours. */
void set_events_record_rival(const struct crs_set *set, struct str manager)
{
    struct recorder *recorder = set_controllers(set)->options.recorder;
    const struct key key = set_key(set);
    if (!manager.len)
        manager = STR("another process");
    log_info("Another controller writes the conditions of a ClusterResourceSet, too",
             LOG_KEY("ClusterResourceSet", key.namespace, key.name), LOG_STR("manager", manager));
    if (!recorder)
        return;
    const struct recorder_reference about = recorder_reference(set_object(set));
    recorder_event(recorder, &about, RECORDER_WARNING, "OtherController", "Apply",
                   "%.*s writes the conditions of this set, too. Two controllers should not work "
                   "on one set: see docs/howto-migrate.md",
                   STR_ARG(manager));
}

/*
 * Has the message of the condition. A pause is intended and no reason for a warning, nor is an
 * order between sets, nor a connection that is being made. A rollout has events of its own.
 */
void set_events_record_set(const struct crs_set *set, const struct conditions *conditions,
                           size_t clusters)
{
    struct recorder *recorder = set_controllers(set)->options.recorder;
    if (!recorder || conditions->is_connecting || conditions->is_rolling)
        return;
    const struct recorder_reference about = recorder_reference(set_object(set));
    if (conditions->applied.status == CONDITION_TRUE)
        recorder_event(recorder, &about, RECORDER_NORMAL, "ResourcesApplied", "Apply",
                       "Everything is applied to %zu cluster%s", clusters,
                       clusters == 1 ? "" : "s");
    else if (str_eq(conditions->applied.reason, STR(CONDITIONS_CLUSTER_PAUSED)))
        recorder_event(recorder, &about, RECORDER_NORMAL, CONDITIONS_CLUSTER_PAUSED, "Apply",
                       "%.*s", STR_ARG(conditions->applied.message));
    else if (conditions->is_waiting)
        recorder_event(recorder, &about, RECORDER_NORMAL, "WaitingForSets", "Apply", "%.*s",
                       STR_ARG(conditions->applied.message));
    else
        recorder_event(recorder, &about, RECORDER_WARNING, "ResourcesNotApplied", "Apply", "%.*s",
                       STR_ARG(conditions->applied.message));
}

void set_events_record_rollout(const struct crs_set *set, const struct rollout_news *news,
                               struct str wave, const struct rollout_decision *decision)
{
    static const struct {
        enum recorder_type type;
        const char *reason, *text;
    } rows[] = {
        [ROLLOUT_NEWS_STARTED] = {RECORDER_NORMAL,  "WaveStarted",   "begins"     },
        [ROLLOUT_NEWS_FINISHED] = {RECORDER_NORMAL,  "WaveFinished",  "is finished"},
        [ROLLOUT_NEWS_HALTED] = {RECORDER_WARNING, "RolloutHalted", "is halted"  },
        [ROLLOUT_NEWS_ROLLED_OUT] = {RECORDER_NORMAL,  "RolledOut",     NULL         },
    };
    struct recorder *recorder = set_controllers(set)->options.recorder;
    const struct rollout_counts *counts = &decision->counts;
    const char *revision = decision->state.revision;
    if (!recorder)
        return;
    const struct recorder_reference about = recorder_reference(set_object(set));
    if (news->type == ROLLOUT_NEWS_ROLLED_OUT)
        recorder_event(recorder, &about, RECORDER_NORMAL, rows[news->type].reason, "Rollout",
                       "Revision %s is rolled out: %zu of %zu clusters have it, %zu failed",
                       revision, counts->done, counts->clusters, counts->failed);
    else
        recorder_event(recorder, &about, rows[news->type].type, rows[news->type].reason, "Rollout",
                       "Revision %s: wave %.*s %s; %zu of %zu clusters have it, %zu failed, and "
                       "%zu may",
                       revision, STR_ARG(wave), rows[news->type].text, counts->done,
                       counts->clusters, counts->failed, counts->tolerated);
}
