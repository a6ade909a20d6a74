/* Events: what was applied where, and what failed, on the set and on the Cluster. */
#include "clusterresourceset/crs_internal.h"
#include "controller/recorder.h"

void set_events_record_placement(const struct placement *placement, const struct object *cluster,
                                 struct str applied)
{
    const struct crs_set *set = placement->set;
    struct recorder *recorder = set->controllers->options.recorder;
    if (!recorder || !cluster)
        return;
    const struct recorder_reference about = recorder_reference(cluster);
    if (applied.len)
        recorder_event(recorder, &about, RECORDER_NORMAL, "ResourcesApplied", "Apply",
                       "Applied %.*s of ClusterResourceSet %s", STR_ARG(applied), set->name);
    if (!placement->fault.type)
        return;
    const char *resource = placement->fault.resource ? placement->fault.resource : "";
    recorder_event(recorder, &about, RECORDER_WARNING, "ResourcesNotApplied", "Apply",
                   "ClusterResourceSet %s: %s%s%s", set->name, resource, *resource ? ": " : "",
                   placement->fault.text ? placement->fault.text : "");
}

void set_events_record_set(const struct crs_set *set, const struct conditions *report,
                           size_t clusters)
{
    struct recorder *recorder = set->controllers->options.recorder;
    if (!recorder)
        return;
    const struct recorder_reference about = recorder_reference(set->object);
    if (report->applied.status == CONDITION_TRUE)
        recorder_event(recorder, &about, RECORDER_NORMAL, "ResourcesApplied", "Apply",
                       "Everything is applied to %zu cluster%s", clusters,
                       clusters == 1 ? "" : "s");
    else
        recorder_event(recorder, &about, RECORDER_WARNING, "ResourcesNotApplied", "Apply", "%.*s",
                       STR_ARG(report->applied.message));
}
