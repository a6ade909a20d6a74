#include "clusterresourceset/drift_watch.h"

#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "client/client.h"
#include "client/watch_stream.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_event.h"

/* Servers end a stream after this time, or up to twice as long. */
#define STREAM_TIME (20 * MINUTE)

/* A stream that ended sooner was of no use. */
#define STREAM_MIN MINUTE

#define PAUSE_FIRST SECOND
#define PAUSE_MAX   (5 * MINUTE)

/* Checks that events ask for are at least this far apart. */
#define CHECK_SPACING (10 * SECOND)

/* Over HTTP/1.1 each watch takes one of the 16 connections to a cluster. */
#define HTTP1_STREAMS_MAX 8

struct watched_kind {
    struct drift_watch *watch;
    struct watch_stream *stream;
    struct str name;   /* "apps/Deployment", in the map's key */
    int64_t opened_at; /* 0: not yet */
    bool is_wanted;    /* by the check that is running */
};

struct drift_watch {
    struct crs_controllers *controllers;
    struct key cluster;
    char *namespace, *name; /* of the cluster */
    struct cluster_connection *connection;
    struct map kinds; /* "group/kind" -> struct watched_kind */
    bool is_current, is_whole;
    bool has_failed; /* since the streams were opened last */
    size_t failures; /* in a row */
    int64_t checked_at;
    uint64_t dials; /* connections of the client when the streams were opened last */
};

static void watched_kind_free(void *data)
{
    struct watched_kind *kind = data;
    watch_stream_free(kind->stream);
    mem_free(kind);
}

static void drift_watch_free(void *data)
{
    struct drift_watch *watch = data;
    map_done(&watch->kinds);
    cluster_connection_free(watch->connection);
    mem_free(watch->namespace);
    mem_free(watch->name);
    mem_free(watch);
}

static struct client *client_of(const struct drift_watch *watch)
{
    return cluster_connection_client(watch->connection);
}

static struct str write_key(struct buf *out, struct key cluster)
{
    key_write(out, cluster);
    return buf_str(out);
}

struct drift_watch *drift_watch_find(const struct crs_controllers *controllers, struct key cluster)
{
    SCOPED(buf) key = {.limit = 0};
    return map_find(&controllers->drift_watches, write_key(&key, cluster));
}

void drift_watch_end(struct crs_controllers *controllers, struct key cluster)
{
    SCOPED(buf) key = {.limit = 0};
    struct drift_watch *watch = map_take(&controllers->drift_watches, write_key(&key, cluster));
    if (watch)
        drift_watch_free(watch);
}

void drift_watch_end_all(void *data)
{
    struct crs_controllers *controllers = data;
    while (map_count(&controllers->drift_watches))
        drift_watch_free(
            map_take(&controllers->drift_watches, map_key(map_first(&controllers->drift_watches))));
    map_done(&controllers->drift_watches);
}

/* HTTP/2 carries all watches on one connection. */
struct drift_watch *drift_watch_begin(struct crs_controllers *controllers, struct key cluster,
                                      struct cluster_connection *connection)
{
    SCOPED(buf) key = {.limit = 0};
    struct drift_watch *watch = drift_watch_find(controllers, cluster);
    if (watch && watch->connection == connection)
        return watch;
    drift_watch_end(controllers, cluster);
    watch = NEW(struct drift_watch);
    watch->namespace = mem_dup(cluster.namespace.ptr, cluster.namespace.len);
    watch->name = mem_dup(cluster.name.ptr, cluster.name.len);
    watch->cluster = (struct key){str_from_c(watch->namespace), str_from_c(watch->name)};
    watch->controllers = controllers;
    watch->connection = cluster_connection_ref(connection);
    watch->kinds.release = watched_kind_free;
    client_offer_http2(client_of(watch));
    map_put(&controllers->drift_watches, write_key(&key, cluster), watch);
    return watch;
}

bool drift_watch_is_current(const struct drift_watch *watch)
{
    if (!watch->is_current)
        return false;
    MAP_FOREACH (entry, &watch->kinds) {
        const struct watched_kind *kind = entry->value;
        if (!watch_stream_is_open(kind->stream))
            return watch->dials == client_dial_count(client_of(watch));
    }
    return true;
}

bool drift_watch_is_whole(const struct drift_watch *watch)
{
    return watch->is_whole;
}

int64_t drift_watch_checked_at(const struct drift_watch *watch)
{
    return watch->checked_at;
}

static void tell_event(struct watched_kind *kind, const struct watch_event *event)
{
    const struct drift_watch *watch = kind->watch;
    const int64_t now = loop_now(watch->controllers->loop);
    const int64_t next = watch->checked_at + CHECK_SPACING;
    drift_event_take(&(struct drift_event){
        .controllers = watch->controllers,
        .cluster = watch->cluster,
        .kind = kind->name,
        .event = event,
        .check_at = watch->checked_at && next > now ? next : now,
    });
}

static void on_changed(void *data, const struct watch_event *event)
{
    tell_event(data, event);
}

static void on_missed(void *data)
{
    tell_event(data, NULL);
}

duration drift_watch_pause(size_t failures)
{
    duration pause = PAUSE_FIRST;
    for (size_t i = 1; i < failures && pause < PAUSE_MAX; i++)
        pause *= 2;
    return failures == 0 ? 0 : pause < PAUSE_MAX ? pause : PAUSE_MAX;
}

/* All streams of a connection end with it: that is one failure. */
static void note_end(struct drift_watch *watch, bool is_failure)
{
    if (!is_failure)
        watch->failures = 0;
    else if (!watch->has_failed)
        watch->failures++;
    watch->has_failed |= is_failure;
}

static void on_ended(void *data, const struct error *err)
{
    const struct watched_kind *kind = data;
    struct drift_watch *watch = kind->watch;
    struct loop *loop = watch->controllers->loop;
    if (err) {
        log_v(4, "Watch for drift ended",
              LOG_KEY("Cluster", watch->cluster.namespace, watch->cluster.name),
              LOG_STR("kind", kind->name), LOG_ERROR(err));
        watch->is_current = false;
    }
    note_end(watch, err || loop_now(loop) - kind->opened_at < STREAM_MIN);
    const duration pause = drift_watch_pause(watch->failures);
    queue_add_after(watch->controllers->queues[CRS_CONTROLLER_DRIFT], watch->cluster,
                    pause ? random_jitter(loop_random(loop), pause, 0.5) : 0, QUEUE_NORMAL);
}

static const struct watch_stream_handler handler = {on_changed, on_missed, on_ended};

static struct watched_kind *add_kind(struct drift_watch *watch, struct str name, struct gvr gvr)
{
    struct watched_kind *kind = NEW(struct watched_kind);
    kind->watch = watch;
    kind->stream = watch_stream_new(client_of(watch), gvr,
                                    &(struct watch_stream_options){
                                        .label_selector = STR(APPLY_MANAGED_LABEL),
                                        .form = CLIENT_METADATA,
                                        .timeout = STREAM_TIME,
                                        .room = &watch->controllers->drift_room,
                                        .handler = &handler,
                                        .data = kind,
                                    });
    map_put(&watch->kinds, name, kind);
    kind->name = map_key(map_find_entry(&watch->kinds, name));
    return kind;
}

void drift_watch_begin_kinds(struct drift_watch *watch)
{
    watch->is_whole = true;
}

void drift_watch_note_kind(struct drift_watch *watch, struct str name, struct gvr gvr,
                           struct str version)
{
    struct watched_kind *kind = map_find(&watch->kinds, name);
    if (!kind && map_count(&watch->kinds) >= HTTP1_STREAMS_MAX &&
        !client_speaks_http2(client_of(watch))) {
        watch->is_whole = false;
        return;
    }
    if (!kind)
        kind = add_kind(watch, name, gvr);
    kind->is_wanted = true;
    if (!watch_stream_is_open(kind->stream))
        watch_stream_set_version(kind->stream, version);
}

void drift_watch_note_unwatched(struct drift_watch *watch)
{
    watch->is_whole = false;
}

void drift_watch_note_checked(struct drift_watch *watch)
{
    MAP_FOREACH (entry, &watch->kinds) {
        struct watched_kind *kind = entry->value;
        if (!kind->is_wanted)
            map_remove(&watch->kinds, map_key(entry));
        else
            kind->is_wanted = false;
    }
    watch->is_current = true;
    watch->checked_at = loop_now(watch->controllers->loop);
}

/* The server does not let us watch the kind, now or ever. */
static bool is_refused(const struct error *err)
{
    return error_is(err, ERROR_FORBIDDEN) || error_is(err, ERROR_NOT_FOUND) ||
           error_is(err, ERROR_METHOD_NOT_ALLOWED);
}

/* Suspends. A version that the server no longer has is listed anew. */
static struct error *open_stream(struct watched_kind *kind)
{
    struct drift_watch *watch = kind->watch;
    struct error *err = watch_stream_open(kind->stream);
    kind->opened_at = loop_now(watch->controllers->loop);
    if (is_refused(err)) {
        watch->is_whole = false;
        map_remove(&watch->kinds, kind->name);
        error_free(err);
        return NULL;
    }
    if (err)
        watch->is_current = false;
    return err;
}

struct error *drift_watch_open_streams(struct drift_watch *watch)
{
    watch->has_failed = false;
    MAP_FOREACH (entry, &watch->kinds) {
        struct watched_kind *kind = entry->value;
        if (!watch_stream_is_open(kind->stream))
            TRY(open_stream(kind), "Cluster %.*s/%.*s", STR_ARG(watch->cluster.namespace),
                STR_ARG(watch->cluster.name));
    }
    watch->dials = client_dial_count(client_of(watch));
    return NULL;
}

size_t drift_watch_count_open(const struct crs_controllers *controllers)
{
    size_t count = 0;
    MAP_FOREACH (entry, &controllers->drift_watches) {
        const struct drift_watch *watch = entry->value;
        MAP_FOREACH (kind, &watch->kinds)
            count += watch_stream_is_open(((struct watched_kind *)kind->value)->stream);
    }
    return count;
}
