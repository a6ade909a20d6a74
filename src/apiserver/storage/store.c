/*
 * Life cycle and reads of a store. The other parts are in files of their own:
 *
 *     store_write.c    accepts writes: decides them against the newest state of their object
 *     store_commit.c   commits accepted writes in groups and publishes them
 *     store_scan.c     visits objects in order, at the newest or an older revision
 *     store_watch.c    follows the changes of one resource
 *     store_hold.c     texts that are read slowly, for as long as the history reaches
 *     store_history.c  the events that watches and older revisions are read from
 *     store_compaction.c  which older revisions can be listed
 *     store_file.c     the SQLite file; store_file_load.c reads it at the start
 *     store_mark.c     the mark: a file that names the newest acknowledged revision
 *
 * Invariant: store->revision is durable and visible, store->accepted is the last revision that was
 * given to a write, and accepted >= revision. Objects live in store->resources as they are at
 * store->revision; newer states are in store->pending until they are durable.
 */
#include "apiserver/storage/store.h"

#include <assert.h>

#include "apiserver/storage/store_file.h"
#include "apiserver/storage/store_internal.h"
#include "async/worker.h"
#include "base/memory.h"

/* A record, its node in the tree, and its share of those above. */
#define COST_OF_RECORD 256

#define HISTORY_AGE    (5 * MINUTE)
#define HISTORY_EVENTS 1000
#define HISTORY_BYTES  (64 * MEGABYTE)
#define COMPACTION     (5 * MINUTE)

static void record_release(void *value)
{
    struct store_record *record = value;
    object_text_free(record->text);
    mem_free(record);
}

static void resource_release(void *value)
{
    struct store_resource *resource = value;
    assert(list_is_empty(&resource->watches) && list_is_empty(&resource->holds));
    tree_done(&resource->records);
    mem_free(resource->events.entries);
    mem_free(resource);
}

static struct store_compaction *new_compaction(duration interval)
{
    struct store_compaction *compaction = NEW(struct store_compaction);
    compaction->interval = interval;
    return compaction;
}

struct store *store_make(const struct store_options *options)
{
    struct store *store = NEW(struct store);
    store->revision = store->accepted = store->floor = STORE_FIRST_REVISION;
    store->resources.release = resource_release;
    store->history.age = options->history_age ? options->history_age : HISTORY_AGE;
    store->history.events_min = options->history_events ? options->history_events : HISTORY_EVENTS;
    store->history.bytes_max = options->history_bytes ? options->history_bytes : HISTORY_BYTES;
    if (options->compaction)
        store->compaction = new_compaction(options->compaction);
    store->room = INT64_MAX;
    store->budget.limit = options->limit;
    list_init(&store->queue);
    list_init(&store->group);
    return store;
}

int64_t store_cost(const struct object_text *text)
{
    return text ? (int64_t)object_text_size(text) + COST_OF_RECORD : 0;
}

/* What a worker thread has loaded counts for all from now on. */
static void join_budget(struct store *store, struct store_budget *parent)
{
    store->budget.parent = parent;
    store_budget_add(parent, store->budget.used);
}

void store_release(struct store *store)
{
    store_hold_forget(&store->history);
    store_budget_add(store->budget.parent, -store->budget.used);
    store_history_done(&store->history);
    map_done(&store->resources);
    map_done(&store->pending);
    mem_free(store->compaction);
    mem_free(store->accepted_loss);
    error_free(store->trouble);
    mem_free(store);
}

static void begin_compaction(struct store *store)
{
    if (store->compaction)
        store_compaction_begin(store->compaction, store->revision, loop_now(store->loop));
}

/* Stores that are never written to have nothing to forget. */
void store_compact(struct store *store)
{
    if (!store->compaction) {
        store->compaction = new_compaction(COMPACTION);
        begin_compaction(store);
    }
    store_compaction_advance(store->compaction, store->revision, loop_now(store->loop));
}

struct store *store_new(struct loop *loop, const struct store_options *options)
{
    assert(!options->path);
    struct store *store = store_make(options);
    store->loop = loop;
    begin_compaction(store);
    join_budget(store, options->budget);
    return store;
}

/* The state of a store_open(). It belongs to the worker thread until the worker has ended. */
struct opening {
    struct store *store;
    char *path;
    struct store_file_options options;
    struct error *err;
};

static void opening_free(struct opening *opening)
{
    if (!opening)
        return;
    if (opening->store) {
        store_file_close(opening->store->file);
        store_release(opening->store);
    }
    error_free(opening->err);
    mem_free(opening->path);
    mem_free(opening);
}
DEFINE_OWNED(opening)

static void opening_work(void *data)
{
    struct opening *opening = data;
    opening->err = store_file_open(&opening->options, opening->store, &opening->store->file);
}

/*
 * Called on the loop when store_open() was cancelled and the worker has ended. Closing a file that
 * was not changed takes no time.
 */
static void opening_discard(void *data)
{
    opening_free(data);
}

struct error *store_open(struct loop *loop, const struct store_options *options,
                         struct store **ret_store)
{
    OWNED(opening) opening = NEW(struct opening);
    opening->store = store_make(options);
    opening->path = mem_dup(options->path, strlen(options->path));
    opening->options = (struct store_file_options){
        .path = opening->path,
        .now = loop_wall(loop),
        .was_used = options->was_used,
        .accept_loss = options->accept_loss,
    };
    struct error *err = worker_run(opening_work, opening, opening_discard);
    if (err) {
        (void)TAKE(opening); /* opening_discard() frees it when the worker has ended */
        return err;
    }
    TRY(TAKE(opening->err));
    struct store *store = TAKE(opening->store);
    store->loop = loop;
    store->floor = store->accepted = store->revision; /* the history begins now */
    begin_compaction(store);
    store->room = store_file_room(store->file);
    join_budget(store, options->budget);
    if (store_file_is_full(store->file))
        store_begin_trouble(store, store_full_error());
    *ret_store = store;
    return NULL;
}

void store_free(struct store *store)
{
    if (!store)
        return;
    store_flush(store);
    assert(store->watches == 0 && !event_has_waiters(&store->advanced));
    store_release(store);
}

void store_object_done(struct store_object *object)
{
    object_text_free(object->text);
    *object = (struct store_object){0};
}

void store_key(struct buf *out, struct key key)
{
    buf_add(out, key.namespace);
    buf_add_char(out, '/');
    buf_add(out, key.name);
}

struct store_resource *store_find_resource(const struct store *store, struct str name)
{
    return map_find(&store->resources, name);
}

struct store_resource *store_ensure_resource(struct store *store, struct str name)
{
    struct store_resource *resource = store_find_resource(store, name);
    if (resource)
        return resource;
    resource = mem_alloc_zero(sizeof(*resource) + name.len + 1);
    if (name.len)
        memcpy(resource->name, name.ptr, name.len);
    resource->records.release = record_release;
    list_init(&resource->watches);
    list_init(&resource->holds);
    map_put(&store->resources, name, resource);
    return resource;
}

void store_begin_resource(struct store *store, struct str resource)
{
    if (store->revision > store->floor && !store_find_resource(store, resource))
        store_ensure_resource(store, resource)->events.dropped = store->revision;
}

/* Two rows with one key mean a damaged file; store_file_load.c reports it. */
bool store_load(struct store *store, struct str resource, struct store_record record)
{
    SCOPED(buf) key = {0};
    store_key(&key, object_text_key(record.text));
    struct store_record *copy = NEW(struct store_record);
    *copy = record;
    struct tree *records = &store_ensure_resource(store, resource)->records;
    struct store_record *former = tree_put(records, buf_str(&key), copy);
    store->objects++;
    store->budget.used += store_cost(record.text);
    if (former)
        record_release(former);
    return !former;
}

/*
 * The history is complete from store->floor on (the revision at which the store was opened) and,
 * for each resource, from the newest event that was dropped.
 */
struct error *store_check_history(const struct store *store, const struct store_resource *resource,
                                  int64_t revision)
{
    int64_t oldest = store->floor;
    if (resource && resource->events.dropped > oldest)
        oldest = resource->events.dropped;
    if (revision >= oldest)
        return NULL;
    return error_new(ERROR_EXPIRED, "too old resource version: %lld (%lld)", (long long)revision,
                     (long long)oldest);
}

const char *store_trouble(const struct store *store)
{
    return store->trouble ? store->trouble->message : NULL;
}

void store_on_trouble(struct store *store, store_trouble_fn *fn, void *data)
{
    store->on_trouble = fn;
    store->on_trouble_data = data;
    if (fn && store->trouble)
        fn(data);
}

const char *store_accepted_loss(const struct store *store)
{
    return store->accepted_loss;
}

int64_t store_revision(const struct store *store)
{
    return store->revision;
}

/* store->advanced wakes after each group of commits, so the revision is checked again. */
struct error *store_wait_revision(struct store *store, int64_t revision)
{
    while (store->revision < revision)
        TRY(event_wait(&store->advanced, "a revision"));
    return NULL;
}

struct error *store_get(struct store *store, struct store_id id, struct store_object *ret_object)
{
    SCOPED(buf) key = {0};
    store_key(&key, id.key);
    const struct store_resource *resource = store_find_resource(store, id.resource);
    const struct store_record *record =
        resource ? tree_find(&resource->records, buf_str(&key)) : NULL;
    if (!record)
        return error_new(ERROR_NOT_FOUND, "%.*s \"%.*s\" not found", STR_ARG(id.resource),
                         STR_ARG(id.key.name));
    *ret_object = (struct store_object){object_text_ref(record->text), record->revision};
    return NULL;
}
