/*
 * A watch is a position (a revision) in the history of one resource. It does not receive events; it
 * is told that there are some, and reads them from the history when its fiber runs.
 *
 * behind is true when the history holds an event for the watch behind its position. While it is
 * false, store_watch_notify() moves the position along with events that the filter does not match.
 * A quiet watch of a busy resource therefore never falls out of the history.
 */
#include "apiserver/storage/store_watch.h"

#include "apiserver/storage/store_internal.h"
#include "base/memory.h"

struct store_watch {
    struct list_link link;
    struct store *store;
    struct store_resource *resource;
    int64_t revision; /* everything up to here was delivered or does not match */
    bool behind;      /* the history holds an event for it */
    bool ended;       /* no more events will come */
    struct event arrived;
    uint32_t namespace_len, name_len;
    char filter[]; /* namespace and name */
};

/* Whether the watch has yet to deliver this event. */
static bool concerns(const struct store_watch *watch, const struct store_entry *entry)
{
    const struct str namespace = str_from(watch->filter, watch->namespace_len);
    const struct str name = str_from(watch->filter + watch->namespace_len, watch->name_len);
    const struct key key = object_text_key(entry->event.text);
    return entry->event.revision > watch->revision &&
           (str_is_empty(namespace) || str_eq(namespace, key.namespace)) &&
           (str_is_empty(name) || str_eq(name, key.name));
}

/* Called for each published write, before its group has been completely published. */
void store_watch_notify(struct store_resource *resource, const struct store_entry *entry)
{
    LIST_FOREACH (struct store_watch, watch, &resource->watches, link) {
        if (concerns(watch, entry)) {
            watch->behind = true;
            event_wake_all(&watch->arrived);
        } else if (!watch->behind && watch->revision < entry->event.revision) {
            watch->revision = entry->event.revision;
        }
    }
}

void store_event_done(struct store_event *event)
{
    object_text_free(event->text);
    object_text_free(event->previous);
    *event = (struct store_event){0};
}

static struct store_watch *watch_new(struct store *store, const struct store_watch_filter *filter)
{
    const struct str namespace = filter->key.namespace, name = filter->key.name;
    struct store_watch *watch = mem_alloc_zero(sizeof(*watch) + namespace.len + name.len);
    watch->store = store;
    watch->resource = store_ensure_resource(store, filter->resource);
    watch->namespace_len = (uint32_t) namespace.len;
    watch->name_len = (uint32_t)name.len;
    if (namespace.len)
        memcpy(watch->filter, namespace.ptr, namespace.len);
    if (name.len)
        memcpy(watch->filter + namespace.len, name.ptr, name.len);
    return watch;
}

struct error *store_watch_open(struct store *store, const struct store_watch_filter *filter,
                               int64_t revision, struct store_watch **ret_watch)
{
    const int64_t start = revision ? revision : store->revision;
    const struct store_resource *resource = store_find_resource(store, filter->resource);
    TRY(store_check_history(store, resource, start));
    struct store_watch *watch = watch_new(store, filter);
    watch->revision = start;
    watch->behind = true; /* until advance_watch() finds nothing */
    list_append(&watch->resource->watches, &watch->link);
    store->watches++;
    *ret_watch = watch;
    return NULL;
}

void store_watch_free(struct store_watch *watch)
{
    if (!watch)
        return;
    watch->store->watches--;
    list_remove(&watch->link);
    mem_free(watch);
}

/* The next event for this watch, or NULL. Events that the filter does not match are skipped. */
static const struct store_entry *advance_watch(struct store_watch *watch)
{
    const struct store_events *events = &watch->resource->events;
    for (size_t i = store_events_after(events, watch->revision); i < events->count; i++) {
        const struct store_entry *entry = store_events_at(events, i);
        const bool found = concerns(watch, entry);
        watch->revision = entry->event.revision;
        if (found)
            return entry;
    }
    watch->behind = false;
    return NULL;
}

/* The history is checked each time: it may have dropped events while the fiber waited. */
struct error *store_watch_next(struct store_watch *watch, struct store_event *ret_event)
{
    for (;;) {
        TRY(store_check_history(watch->store, watch->resource, watch->revision));
        const struct store_entry *entry = watch->behind ? advance_watch(watch) : NULL;
        if (entry) {
            *ret_event = entry->event;
            object_text_ref(ret_event->text);
            if (ret_event->previous)
                object_text_ref(ret_event->previous);
            return NULL;
        }
        if (watch->ended)
            return error_new(ERROR_GONE, "the watched resource is no more");
        TRY(event_wait(&watch->arrived, "a change"));
    }
}

void store_watch_end_all(struct store *store, struct str resource)
{
    struct store_resource *found = store_find_resource(store, resource);
    if (!found)
        return;
    LIST_FOREACH (struct store_watch, watch, &found->watches, link) {
        watch->ended = true;
        event_wake_all(&watch->arrived);
    }
}

/* A watch that is not behind has seen everything up to the newest durable revision. */
int64_t store_watch_revision(const struct store_watch *watch)
{
    const int64_t current = watch->store->revision;
    return watch->behind || watch->revision > current ? watch->revision : current;
}
