/*
 * Events for controllers that use the ClusterCache. Called at the end of every reconcile that
 * leaves nothing under way, so that a controller finds the state it is told of.
 */
#include "clustercache/cluster_source.h"

#include "base/log.h"
#include "base/memory.h"
#include "clustercache/clustercache_internal.h"

struct cluster_source *cluster_source_new(const struct clustercache_source *source, size_t number)
{
    const size_t count = source->probe_failure_count;
    struct cluster_source *own = NEW(struct cluster_source);
    duration *durations = mem_realloc_array(NULL, count ? count : 1, sizeof(*durations));
    for (size_t i = 0; i < count; i++)
        durations[i] = source->probe_failures[i];
    own->number = number;
    own->source = *source;
    own->source.controller.ptr = mem_dup(source->controller.ptr, source->controller.len);
    own->source.probe_failures = durations;
    return own;
}

void cluster_source_free(struct cluster_source *source)
{
    list_remove(&source->link);
    mem_free((void *)source->source.controller.ptr);
    mem_free((void *)source->source.probe_failures);
    mem_free(source);
}

static void add_reason(struct buf *reasons, struct str reason)
{
    if (reasons->len)
        buf_add(reasons, STR(", "));
    buf_add(reasons, reason);
}

/*
 * A duration fires once per outage: it is due when the last success is longer ago than the
 * duration, and it has been told when the last event came after that moment.
 */
bool cluster_source_is_due(const struct cluster_source_facts *facts, const duration *durations,
                           size_t count, struct buf *reasons)
{
    const size_t begin = reasons->len;
    if (facts->did_connect)
        add_reason(reasons, STR("connect"));
    if (facts->did_disconnect)
        add_reason(reasons, STR("disconnect"));
    for (size_t i = 0; i < count; i++) {
        char text[DURATION_TEXT_MAX];
        const int64_t due = facts->last_success + durations[i];
        if (facts->last_event >= due || due >= facts->now)
            continue;
        add_reason(reasons, STR("health probe didn't succeed since more than "));
        buf_add(reasons, duration_write(durations[i], text));
    }
    return reasons->len > begin;
}

void cluster_source_tell_all(struct accessor *accessor, const struct object *cluster)
{
    struct cluster_source_facts facts = {
        .did_connect = accessor->did_connect,
        .did_disconnect = accessor->did_disconnect,
        .last_success = accessor->health.last_success,
        .now = accessor_now(accessor).now,
    };
    accessor->did_connect = accessor->did_disconnect = false;
    LIST_FOREACH (struct cluster_source, entry, &accessor->cache->sources, link) {
        const struct clustercache_source *source = &entry->source;
        int64_t *last_event = accessor_last_event(accessor, entry->number);
        SCOPED(buf) reasons = {0};
        facts.last_event = *last_event;
        if (!cluster_source_is_due(&facts, source->probe_failures, source->probe_failure_count,
                                   &reasons))
            continue;
        log_v(6, "Sending Cluster event", LOG_STR("targetController", source->controller),
              LOG_STR("reasons", buf_str(&reasons)));
        *last_event = facts.now;
        source->map(source->data, cluster, source->queue, QUEUE_NORMAL);
    }
}
