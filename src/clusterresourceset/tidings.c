/* Events: what was applied where, and what failed, on the set and on the Cluster. */
#include "clusterresourceset/resourceset_internal.h"
#include "controller/recorder.h"

void tidings_of_unit(const struct unit *unit, const struct object *cluster, struct str applied)
{
    const struct member_set *set = unit->set;
    struct recorder *recorder = set->resourceset->options.recorder;
    if (!recorder || !cluster)
        return;
    const struct recorder_reference about = recorder_reference(cluster);
    if (applied.len)
        recorder_event(recorder, &about, RECORDER_NORMAL, "ResourcesApplied", "Apply",
                       "Applied %.*s of ClusterResourceSet %s", STR_ARG(applied), set->name);
    if (!unit->fault.trouble)
        return;
    const char *resource = unit->fault.resource ? unit->fault.resource : "";
    recorder_event(recorder, &about, RECORDER_WARNING, "ResourcesNotApplied", "Apply",
                   "ClusterResourceSet %s: %s%s%s", set->name, resource, *resource ? ": " : "",
                   unit->fault.text ? unit->fault.text : "");
}

void tidings_of_set(const struct member_set *set, const struct report *report, size_t clusters)
{
    struct recorder *recorder = set->resourceset->options.recorder;
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
