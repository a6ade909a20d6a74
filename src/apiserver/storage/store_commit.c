/*
 * Commits accepted writes in groups.
 *
 *     store_accept()   appends a write to the queue and posts on_kick() behind all that is ready
 *     on_kick()        starts a commit unless one is under way
 *     start_commit()   moves up to GROUP_MAX writes into the group; a worker thread commits it
 *     finish_commit()  publishes the group, or fails it together with the queue, and goes on
 *
 * While a group is on its way to the disk, the next group gathers in the queue: the more writers
 * there are, the more of them share a sync. Only one group is under way at a time, so the file has
 * one writer. A store without a file takes the same path, with the worker left out.
 *
 * If a group fails, the queue fails with it: its writes were decided on states that never became
 * durable.
 *
 * Beside that, the mark is synced on another worker thread MARK_DELAY after a group, while others
 * are under way, and the log is checkpointed when nothing was written for IDLE_TIME: what is in the
 * database itself does not depend on the log any more. After a group that failed, and on a full
 * disk, the file is tried every RECOVERY_EVERY until it can be written. A backup has its turns
 * between commits as a guest.
 */
#include <assert.h>

#include "apiserver/storage/store_file.h"
#include "apiserver/storage/store_internal.h"
#include "apiserver/storage/store_reserve.h"
#include "async/fiber.h"
#include "base/memory.h"
#include "base/metrics.h"

/* Limits the duration of a transaction, and thereby how long the first writer of a group waits. */
#define GROUP_MAX 4096
#define IDLE_TIME (2 * SECOND)

/* What the writes of a group may need on a full disk; one write may need more by itself. */
#define FULL_GROUP_NEED ((int64_t)STORE_RESERVE_SIZE / 2)

/* How often a file that could not be written is tried again. */
#define RECOVERY_EVERY (1 * SECOND)

/* Syncs of the mark compete with those of commits for the disk, so one serves many groups. */
#define MARK_DELAY (20 * MILLISECOND)

/* Resources contain no NUL, so the separator makes the combination unambiguous. */
static void pending_key(struct buf *out, struct str resource, struct key key)
{
    buf_add(out, resource);
    buf_add_char(out, '\0');
    store_key(out, key);
}

struct store_write *store_find_pending(const struct store *store, struct store_id id)
{
    if (map_count(&store->pending) == 0)
        return NULL;
    SCOPED(buf) key = {0};
    pending_key(&key, id.resource, id.key);
    return map_find(&store->pending, buf_str(&key));
}

static struct tree *records_of(const struct store_write *write)
{
    return &write->resource->records;
}

/* Puts the write's text into the tree. The former text, or NULL, is handed over. */
static struct object_text *put_record(struct store *store, const struct store_write *write,
                                      struct str key)
{
    struct store_record *record = tree_find(records_of(write), key);
    struct object_text *former = record ? record->text : NULL;
    store_budget_add(&store->budget, store_cost(write->text) - store_cost(former));
    if (!record) {
        record = NEW(struct store_record);
        tree_put(records_of(write), key, record);
        store->objects++;
    }
    *record = (struct store_record){object_text_ref(write->text), write->revision, write->row,
                                    write->sum};
    return former;
}

/* Removes the record of a deleted object. The text is handed over. */
static struct object_text *take_record(struct store *store, const struct store_write *write,
                                       struct str key)
{
    struct store_record *record = tree_take(records_of(write), key);
    assert(record); /* it existed or was pending when the write was accepted */
    struct object_text *former = record->text;
    store_budget_add(&store->budget, -store_cost(former));
    mem_free(record);
    store->objects--;
    return former;
}

/* Makes a durable write visible: the object, its event and the revision. */
static void publish_write(struct store *store, const struct store_write *write)
{
    SCOPED(buf) key = {0};
    store_key(&key, object_text_key(write->text));
    struct object_text *previous = write->is_delete ? take_record(store, write, buf_str(&key))
                                                    : put_record(store, write, buf_str(&key));
    store->revision = write->revision;
    const struct store_entry *entry =
        store_history_add(&store->history, (struct store_entry){
                                               .resource = write->resource,
                                               .event = {.type = write->is_delete ? STORE_DELETED
                                                                 : previous       ? STORE_MODIFIED
                                                                                  : STORE_ADDED,
                                                         .revision = write->revision,
                                                         .text = object_text_ref(write->text),
                                                         .previous = previous},
                                               .time = loop_now(store->loop),
    });
    store_watch_notify(write->resource, entry);
}

/* Only the newest write of an object stands in store->pending. An older one leaves it alone. */
static void forget_pending(struct store *store, const struct store_write *write)
{
    SCOPED(buf) key = {0};
    pending_key(&key, str_from_c(write->resource->name), object_text_key(write->text));
    if (map_find(&store->pending, buf_str(&key)) == write)
        map_remove(&store->pending, buf_str(&key));
    if (map_count(&store->pending) == 0)
        map_clear(&store->pending); /* releases the table of an idle store */
}

/*
 * Gives all writes of a list their outcome and drops the list's references. err is NULL for
 * success.
 */
static void settle_writes(struct store *store, struct list *writes, const struct error *err)
{
    struct list_link *link;
    while ((link = list_take_first(writes))) {
        OWNED(store_write) write = LIST_ENTRY(link, struct store_write, link);
        forget_pending(store, write);
        store_budget_add(&store->budget, -write->growth);
        write->state = err ? WRITE_FAILED : WRITE_DURABLE;
        write->err = err ? error_copy(err) : NULL;
        event_wake_all(&write->settled); /* the writer runs before the watches */
        if (!err)
            publish_write(store, write);
    }
}

static void start_commit(struct store *store);

static void submit_job(struct store *store, struct loop_job *job, void (*work)(void *data),
                       void (*finished)(struct loop_job *job))
{
    *job = (struct loop_job){.work = work, .finished = finished, .data = store};
    struct loop_backend *backend = loop_backend(store->loop);
    backend->ops->submit(backend, job);
}

/* Runs on a worker thread, while another one may commit the next group. */
static void mark_work(void *data)
{
    const struct store *store = data;
    store_file_sync_mark(store->file);
}

static void schedule_mark(struct store *store);

static void on_marked(struct loop_job *job)
{
    struct store *store = job->data;
    store->is_marking = false;
    if (store->closer)
        fiber_wake(store->closer);
    else if (store->mark_is_stale)
        schedule_mark(store);
}

static void on_mark_due(void *data)
{
    struct store *store = data;
    store->is_marking = true;
    store->mark_is_stale = false;
    submit_job(store, &store->mark_job, mark_work, on_marked);
}

/* A mark that is written while a sync is under way is synced after that. */
static void schedule_mark(struct store *store)
{
    store->mark_is_stale = true;
    if (!store->is_marking && !timer_is_started(&store->mark_timer))
        timer_start(store->loop, &store->mark_timer, loop_now(store->loop) + MARK_DELAY,
                    on_mark_due, store);
}

static void checkpoint_work(void *data)
{
    const struct store *store = data;
    store_file_checkpoint(store->file);
}

static void start_guest(struct store *store);

/*
 * The file is free again. A guest comes before the next commit. What gathered meanwhile is
 * committed, unless on_kick() is still to come: writers are ready then that can have a part in it.
 */
static void go_on(struct store *store)
{
    if (store->guest) {
        start_guest(store);
    } else if (!list_is_empty(&store->queue)) {
        if (!list_link_is_in(&store->kick.link))
            start_commit(store);
    } else if (store->closer) {
        fiber_wake(store->closer);
    }
}

static void on_checkpointed(struct loop_job *job)
{
    struct store *store = job->data;
    store->is_tending = false;
    go_on(store);
}

static void guest_work(void *data)
{
    const struct store *store = data;
    store->guest->work(store->guest->data);
}

static void on_guest_finished(struct loop_job *job)
{
    struct store *store = job->data;
    struct store_guest *guest = TAKE(store->guest);
    guest->is_done = true;
    fiber_wake(guest->fiber);
    on_checkpointed(job);
}

static void start_guest(struct store *store)
{
    store->is_tending = true;
    submit_job(store, &store->job, guest_work, on_guest_finished);
}

void store_run_between(struct store *store, void (*work)(void *data), void *data)
{
    OWNED_PTR struct store_guest *guest = NEW(struct store_guest);
    assert(!store->guest && store->file);
    *guest = (struct store_guest){.work = work, .data = data, .fiber = fiber_current()};
    store->guest = guest;
    if (list_is_empty(&store->group) && !store->is_tending)
        start_guest(store);
    while (!guest->is_done)
        fiber_park_uninterrupted("work on a store's file");
}

static void on_idle(void *data)
{
    struct store *store = data;
    if (!list_is_empty(&store->group) || !list_is_empty(&store->queue) || store->closer ||
        store->is_tending)
        return;
    store->is_tending = true;
    submit_job(store, &store->job, checkpoint_work, on_checkpointed);
}

static void tell_trouble(struct store *store)
{
    if (store->on_trouble)
        store->on_trouble(store->on_trouble_data);
}

static void end_trouble(struct store *store)
{
    timer_stop(store->loop, &store->recovery);
    store->is_full = false;
    if (!store->trouble)
        return;
    error_free(TAKE(store->trouble));
    tell_trouble(store);
}

static void recovery_work(void *data)
{
    struct store *store = data;
    store->has_recovered = store_file_recover(store->file);
}

static void on_recovery_due(void *data);

static void schedule_recovery(struct store *store, duration delay)
{
    if (!store->closer)
        timer_start(store->loop, &store->recovery, loop_now(store->loop) + delay, on_recovery_due,
                    store);
}

static void on_recovery_tried(struct loop_job *job)
{
    struct store *store = job->data;
    store->room = store_file_room(store->file);
    if (store->has_recovered)
        end_trouble(store);
    else
        schedule_recovery(store, RECOVERY_EVERY);
    on_checkpointed(job);
}

/* Does nothing beside a commit, which uses the file. */
static void on_recovery_due(void *data)
{
    struct store *store = data;
    if (!list_is_empty(&store->group) || store->is_tending) {
        schedule_recovery(store, RECOVERY_EVERY);
        return;
    }
    if (store->is_full)
        store_file_declare_full(store->file);
    store->is_tending = true;
    submit_job(store, &store->job, recovery_work, on_recovery_tried);
}

struct error *store_full_error(void)
{
    return error_new(ERROR_IO, "write to the store: no space left on device");
}

void store_begin_trouble(struct store *store, struct error *err)
{
    error_free(store->trouble);
    store->trouble = err;
    store->is_full |= store_file_is_full(store->file);
    tell_trouble(store);
    if (!timer_is_started(&store->recovery))
        schedule_recovery(store, RECOVERY_EVERY);
}

/* The first attempt to recover is made at once: an empty log may be room enough. */
void store_declare_full(struct store *store)
{
    store->is_full = true;
    store_begin_trouble(store, store_full_error());
    schedule_recovery(store, 0);
}

/* A group of a store with a file is durable. */
static void look_after_file(struct store *store)
{
    if (store->closer)
        return; /* closing does both */
    schedule_mark(store);
    timer_start(store->loop, &store->idle, loop_now(store->loop) + IDLE_TIME, on_idle, store);
}

/* Called on the loop when the group is durable or has failed. */
static void finish_commit(struct store *store, const struct error *err)
{
    if (store->commit_seconds)
        metrics_observe(store->commit_seconds,
                        (double)(loop_now(store->loop) - store->commit_begun) / (double)SECOND);
    store->queued_need -= store->group_need;
    if (store->file)
        store->room = store_file_room(store->file);
    if (err) {
        store->failed_commits++;
        settle_writes(store, &store->group, err);
        settle_writes(store, &store->queue, err);
        store->queued_need = 0;
        store_begin_trouble(store, error_copy(err));
    } else {
        store->commits++;
        store_compact(store);
        settle_writes(store, &store->group, NULL);
        store_history_trim(&store->history, loop_now(store->loop));
        store_hold_release(store);
        event_wake_all(&store->advanced);
        if (store->file)
            look_after_file(store);
        if (!store->is_full)
            end_trouble(store);
    }
    go_on(store);
}

/* Runs on a worker thread. The loop's thread does not touch the group meanwhile. */
static void on_work(void *data)
{
    struct store *store = data;
    store->job_err = store_file_commit(store->file, &store->group);
}

static void on_finished(struct loop_job *job)
{
    struct store *store = job->data;
    OWNED(error) err = TAKE(store->job_err);
    finish_commit(store, err);
}

static void fill_group(struct store *store)
{
    store->group_need = 0;
    for (size_t i = 0; i < GROUP_MAX; i++) {
        struct list_link *link = list_take_first(&store->queue);
        if (!link)
            break;
        list_append(&store->group, link);
        store->group_need += LIST_ENTRY(link, struct store_write, link)->need;
        if (store->is_full && store->group_need >= FULL_GROUP_NEED)
            break;
    }
}

static void start_commit(struct store *store)
{
    fill_group(store);
    store->commit_begun = loop_now(store->loop);
    if (!store->file) {
        finish_commit(store, NULL);
        return;
    }
    if (store->is_full)
        store_file_declare_full(store->file);
    submit_job(store, &store->job, on_work, on_finished);
}

static void on_kick(void *data)
{
    struct store *store = data;
    if (list_is_empty(&store->group) && !list_is_empty(&store->queue) && !store->is_tending)
        start_commit(store);
}

void store_accept(struct store *store, struct store_write *write)
{
    SCOPED(buf) key = {0};
    pending_key(&key, str_from_c(write->resource->name), object_text_key(write->text));
    map_put(&store->pending, buf_str(&key), write);
    list_append(&store->queue, &store_write_ref(write)->link);
    store->accepted = write->revision;
    store->queued_need += write->need;
    store_budget_add(&store->budget, write->growth);
    store->writes++;

    /* Writers that are ready now share the commit. */
    store->kick.run = on_kick;
    store->kick.name = "store commit";
    store->kick.data = store;
    loop_post_late(store->loop, &store->kick);
}

static void close_work(void *data)
{
    struct store *store = data;
    store_file_close(TAKE(store->file));
}

static void on_closed(struct loop_job *job)
{
    struct store *store = job->data;
    store->closed = true;
    fiber_wake(store->closer);
}

static bool is_busy(const struct store *store)
{
    return !list_is_empty(&store->group) || !list_is_empty(&store->queue) || store->is_tending ||
           store->is_marking;
}

/* Called once, by store_free(). Whatever ends wakes the closer, which looks whether all has. */
void store_flush(struct store *store)
{
    if (!store->file) {
        loop_withdraw(&store->kick);
        on_kick(store);
        return;
    }
    store->closer = fiber_current();
    timer_stop(store->loop, &store->idle);
    timer_stop(store->loop, &store->mark_timer);
    timer_stop(store->loop, &store->recovery);
    while (is_busy(store))
        fiber_park_uninterrupted("the last writes of a store");
    loop_withdraw(&store->kick);

    submit_job(store, &store->job, close_work, on_closed);
    while (!store->closed)
        fiber_park_uninterrupted("a store's file to be closed");
}
