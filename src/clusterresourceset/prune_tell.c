#include "clusterresourceset/prune_tell.h"

#include "base/buf.h"
#include "base/metrics.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/prune_note.h"
#include "clusterresourceset/prune_run.h"
#include "clusterresourceset/set.h"
#include "controller/recorder.h"

enum { DELETED, HELD };

static const struct metrics_family families[] = {
    [DELETED] = METRICS_COUNTER("corset_prune_deleted_total",
                                "Objects that were deleted in clusters by prune.", "kind"),
    [HELD] = METRICS_GAUGE("corset_prune_held_objects",
                           "Objects that prune does not delete before somebody agrees.", NULL),
};

void prune_tell_deleted(struct crs_controllers *controllers, struct str kind)
{
    if (controllers->options.metrics)
        metrics_inc(METRICS_SERIES(controllers->options.metrics, &families[DELETED], kind));
}

static void collect_held(void *data)
{
    struct crs_controllers *controllers = data;
    size_t held = 0;
    MAP_FOREACH (entry, &controllers->sets_by_key)
        MAP_FOREACH (found, &set_prune(entry->value)->notes) {
            const struct prune_note *note = found->value;
            held += note->state == DELIVERY_PRUNE_HELD ? note->objects : 0;
        }
    metrics_set(metrics_series(controllers->options.metrics, &families[HELD], NULL, 0),
                (double)held);
}

void prune_tell_add(struct crs_controllers *controllers)
{
    struct metrics *metrics = controllers->options.metrics;
    if (!metrics)
        return;
    metrics_register(metrics, families, COUNT(families));
    controllers->prune_collector =
        (struct metrics_collector){.collect = collect_held, .data = controllers};
    metrics_add_collector(metrics, &controllers->prune_collector);
}

void prune_tell_remove(struct crs_controllers *controllers)
{
    metrics_remove_collector(&controllers->prune_collector);
}

/* About the Cluster, or about the set if there is none. */
static void record_event(const struct crs_set *set, const struct object *cluster,
                         enum recorder_type type, const char *reason, struct str text)
{
    struct recorder *recorder = set_controllers(set)->options.recorder;
    if (!recorder)
        return;
    const struct recorder_reference of_set = recorder_reference(set_object(set));
    struct recorder_reference about = cluster ? recorder_reference(cluster) : of_set;
    if (cluster)
        about.related = &of_set;
    recorder_event(recorder, &about, type, reason, "Prune", "ClusterResourceSet %.*s: %.*s",
                   STR_ARG(set_key(set).name), STR_ARG(text));
}

static void write_count(struct buf *out, const char *what, size_t count, struct str names)
{
    if (!count)
        return;
    buf_print(out, "%s%s %zu object%s", out->len ? "; " : "", what, count, count == 1 ? "" : "s");
    if (names.len)
        buf_print(out, ": %.*s", STR_ARG(names));
}

void prune_tell_run(const struct crs_set *set, const struct object *cluster,
                    const struct prune_run *run)
{
    SCOPED(buf) text = {.limit = 0};
    if (!run->deleted && !run->given_up)
        return;
    write_count(&text, "deleted", run->deleted, buf_str(&run->deleted_names));
    write_count(&text, "gave up to other sets", run->given_up, STR(""));
    write_count(&text, "kept", run->kept, buf_str(&run->kept_names));
    record_event(set, cluster, RECORDER_NORMAL, "Pruned", buf_str(&text));
}

void prune_tell_held(const struct crs_set *set, const struct object *cluster, struct str message)
{
    record_event(set, cluster, RECORDER_WARNING, "PruneHeld", message);
}

void prune_tell_warning(const struct crs_set *set, const struct object *cluster, const char *reason,
                        struct str text)
{
    record_event(set, cluster, RECORDER_WARNING, reason, text);
}
