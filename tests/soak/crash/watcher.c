#include "soak/crash/watcher.h"

#include <inttypes.h>
#include <stdlib.h>

#include "async/fiber.h"
#include "base/array.h"
#include "base/memory.h"
#include "client/watch.h"

/* A stream is given up after so many events at most, to be resumed. */
#define EVENTS_MAX 200

void watcher_done(struct watcher *watcher)
{
    map_done(&watcher->copy);
    mem_free(watcher->seen);
}

static void copy_put(struct watcher *watcher, struct str name, int64_t revision)
{
    map_put(&watcher->copy, name,
            (void *)revision); /* NOLINT(performance-no-int-to-ptr): a number, no address */
    ledger_show(&watcher->fixture->ledger, watcher->resource, name, revision);
}

static struct str namespace_of(const struct watcher *watcher)
{
    return watcher->is_selective ? STR("") : CRASH_FIXTURE_NAMESPACE;
}

static struct str selector_of(const struct watcher *watcher)
{
    return watcher->is_selective ? STR("crash=yes") : STR("crash");
}

static void move_to(struct watcher *watcher, int64_t revision)
{
    watcher->to = revision;
    if (revision > watcher->fixture->ledger.newest)
        watcher->fixture->ledger.newest = revision;
    event_wake_all(&watcher->fixture->changed);
}

static struct error *list(struct watcher *watcher)
{
    SCOPED(arena) arena = {0};
    struct object_list list;
    int64_t revision;
    const int64_t floor = watcher->fixture->ledger.newest;
    const struct client_list_options options = {.label_selector = selector_of(watcher)};
    TRY(client_list_page(watcher->fixture->client, crash_fixture_gvr(watcher->resource),
                         namespace_of(watcher), &options, &arena, &list));
    if (!str_to_int64(list.resource_version, &revision) || revision < floor)
        return error_new(ERROR_INVALID, "a list is of revision %.*s, though %" PRId64 " was told",
                         STR_ARG(list.resource_version), floor);
    map_clear(&watcher->copy);
    for (size_t i = 0; i < list.count; i++) {
        int64_t of_item;
        TRY(ledger_revision(list.items[i], &of_item));
        copy_put(watcher, object_name(list.items[i]), of_item);
    }
    watcher->seen_count = 0;
    watcher->is_listed = true;
    watcher->from = revision;
    move_to(watcher, revision);
    return NULL;
}

static void note(struct watcher *watcher, int64_t revision)
{
    ARRAY_PUSH(watcher->seen, watcher->seen_count, watcher->seen_capacity, revision);
}

static struct error *strange(const struct watcher *watcher, const char *what, struct str name,
                             int64_t revision)
{
    return error_new(ERROR_INVALID,
                     "a watch of %.*s at revision %" PRId64 " %s %.*s, revision %" PRId64,
                     STR_ARG(crash_fixture_gvr(watcher->resource).resource), watcher->to, what,
                     STR_ARG(name), revision);
}

static struct error *take(struct watcher *watcher, const struct watch_event *event)
{
    int64_t revision;
    TRY(ledger_revision(event->object, &revision));
    const struct str name = object_name(event->object);
    const bool is_known = map_has(&watcher->copy, name);
    if (event->type == WATCH_BOOKMARK) {
        if (revision < watcher->to)
            return strange(watcher, "was given an older bookmark", STR(""), revision);
        move_to(watcher, revision);
        return NULL;
    }
    watcher->events++;
    if (revision <= watcher->to)
        return strange(watcher, "was told again of", name, revision);
    if (is_known == (event->type == WATCH_ADDED))
        return strange(watcher, is_known ? "was told of the known" : "was not told of the new",
                       name, revision);
    note(watcher, revision);
    copy_put(watcher, name, revision);
    if (event->type == WATCH_DELETED)
        map_remove(&watcher->copy, name);
    move_to(watcher, revision);
    return NULL;
}

/* One stream, until it ends or we have had enough of it. */
static struct error *follow(struct watcher *watcher)
{
    char version[24];
    OWNED(watch) watch = NULL;
    const int len = snprintf(version, sizeof(version), "%" PRId64, watcher->to);
    const struct watch_options options = {
        .label_selector = selector_of(watcher),
        .resource_version = str_from(version, (size_t)len),
        .once = true,
    };
    TRY(watch_open(watcher->fixture->client, crash_fixture_gvr(watcher->resource),
                   namespace_of(watcher), &options, &watch));
    watcher->resumed++;
    const uint64_t most = 1 + random_below(&watcher->fixture->random, EVENTS_MAX);
    for (uint64_t i = 0; i < most; i++) {
        struct watch_event event;
        TRY(watch_next(watch, &event));
        if (event.type == WATCH_ENDED)
            return NULL;
        TRY(take(watcher, &event));
    }
    return NULL;
}

static struct error *act(struct watcher *watcher)
{
    if (!watcher->is_listed)
        return list(watcher);
    struct error *err = follow(watcher);
    if (!error_is(err, ERROR_EXPIRED) && !error_is(err, ERROR_GONE))
        return err;
    error_free(err);
    watcher->is_listed = false;
    watcher->expired++;
    return NULL;
}

struct error *watcher_run(void *data)
{
    struct watcher *watcher = data;
    for (;;) {
        struct error *err = act(watcher);
        const bool is_wrong = error_is(err, ERROR_INVALID); /* whenever it came */
        if (err && (is_wrong || !watcher->fixture->is_killed))
            return error_wrap(err, "watcher");
        error_free(err);
        if (watcher->fixture->is_killed)
            return NULL;
    }
}

struct error *watcher_wait(struct watcher *watcher, int64_t revision)
{
    while (!watcher->is_listed || watcher->to < revision)
        TRY(event_wait(&watcher->fixture->changed, "a watcher"),
            "watcher of %.*s at revision %" PRId64 ", to reach %" PRId64,
            STR_ARG(crash_fixture_gvr(watcher->resource).resource), watcher->to, revision);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static struct error *check_told(const struct watcher *watcher)
{
    const struct ledger *ledger = &watcher->fixture->ledger;
    const int64_t *revisions = ledger->acknowledged[watcher->resource];
    for (size_t i = 0; i < ledger->acknowledged_count[watcher->resource]; i++) {
        if (revisions[i] <= watcher->from || revisions[i] > watcher->to)
            continue;
        if (!bsearch(&revisions[i], watcher->seen, watcher->seen_count, sizeof(*watcher->seen),
                     compare))
            return strange(watcher, "was never told of", STR("a write"), revisions[i]);
    }
    return NULL;
}

struct error *watcher_check(const struct watcher *watcher, const struct map *listed)
{
    TRY(check_told(watcher));
    MAP_FOREACH (entry, listed)
        if (map_find(&watcher->copy, map_key(entry)) != entry->value)
            return strange(watcher, "missed", map_key(entry), (int64_t)entry->value);
    MAP_FOREACH (entry, &watcher->copy)
        if (!map_has(listed, map_key(entry)))
            return strange(watcher, "missed the end of", map_key(entry), (int64_t)entry->value);
    return NULL;
}
