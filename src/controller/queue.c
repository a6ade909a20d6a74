/*
 * The life of a key, as states of its entry (queue_internal.h):
 *
 *     add      IDLE, COOLING -> READY if it is due now, else DELAYED
 *     timer    DELAYED -> READY;  COOLING -> removed
 *     take     READY -> HELD
 *     done     HELD -> READY or DELAYED if it was added meanwhile, else COOLING, IDLE or removed
 *
 * "ready" is ordered by queue_turns, "later" by time. One timer runs for the first entry of
 * "later". Back-off and the shared token bucket are those of controller-runtime's default rate
 * limiter: the later of both times counts.
 */
#include "controller/queue.h"

#include <assert.h>
#include <limits.h>

#include "async/loop.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "controller/queue_internal.h"

#define BACKOFF_FIRST_DEFAULT (5 * MILLISECOND)
#define BACKOFF_MAX_DEFAULT   (1000 * SECOND)
#define RATE_DEFAULT          10
#define BURST_DEFAULT         100

/* The key of the map. Valid until the next call. */
static struct str entry_text(struct queue *queue, struct key key)
{
    buf_clear(&queue->scratch);
    buf_add(&queue->scratch, key.namespace);
    buf_add_char(&queue->scratch, '/');
    buf_add(&queue->scratch, key.name);
    return buf_str(&queue->scratch);
}

static struct queue_entry *find_entry(const struct queue *queue, struct key key)
{
    /* Writing to scratch does not change the state of the queue. */
    return map_find(&queue->entries, entry_text((struct queue *)queue, key));
}

static struct queue_entry *get_entry(struct queue *queue, struct key key)
{
    const struct str text = entry_text(queue, key);
    struct queue_entry *entry = map_find(&queue->entries, text);
    if (entry)
        return entry;
    entry = mem_alloc_zero(sizeof(*entry) + text.len);
    memcpy(entry->text, text.ptr, text.len);
    entry->text_len = text.len;
    entry->key.namespace = str_from(entry->text, key.namespace.len);
    entry->key.name = str_from(entry->text + key.namespace.len + 1, key.name.len);
    map_put(&queue->entries, text, entry);
    return entry;
}

static double to_seconds(duration span)
{
    return (double)span / SECOND;
}

static double read_unfinished(void *data)
{
    const struct queue *queue = data;
    const int64_t now = loop_now(queue->loop);
    duration sum = 0;
    LIST_FOREACH (struct queue_entry, entry, &queue->held, link)
        sum += now - entry->started;
    return to_seconds(sum);
}

/* The list of held entries is in the order of their starts. */
static double read_longest(void *data)
{
    const struct queue *queue = data;
    struct list_link *first = list_first(&queue->held);
    return first ? to_seconds(loop_now(queue->loop) -
                              LIST_ENTRY(first, struct queue_entry, link)->started)
                 : 0;
}

struct queue *queue_new(struct loop *loop, const struct queue_options *options)
{
    struct queue *queue = NEW(struct queue);
    queue->loop = loop;
    queue->options = *options;
    queue->options.name = (struct str){0}; /* was borrowed; the metrics have a copy */
    if (!queue->options.backoff_first)
        queue->options.backoff_first = BACKOFF_FIRST_DEFAULT;
    if (!queue->options.backoff_max)
        queue->options.backoff_max = BACKOFF_MAX_DEFAULT;
    if (queue->options.rate == 0)
        queue->options.rate = RATE_DEFAULT;
    if (!queue->options.burst)
        queue->options.burst = BURST_DEFAULT;
    queue->tokens = (double)queue->options.burst;
    queue->counted = loop_now(loop);
    queue->entries.release = mem_free;
    list_init(&queue->held);
    queue_turns_init(&queue->ready, options->parties ? options->workers : 0, options->target_max);
    queue_metrics_init(&queue->metrics, options->metrics, options->name);
    metrics_set_source(queue->metrics.unfinished, read_unfinished, queue);
    metrics_set_source(queue->metrics.longest, read_longest, queue);
    return queue;
}

void queue_free(struct queue *queue)
{
    if (!queue)
        return;
    assert(!event_has_waiters(&queue->changed));
    timer_stop(queue->loop, &queue->timer);
    metrics_set_source(queue->metrics.unfinished, NULL, NULL);
    metrics_set_source(queue->metrics.longest, NULL, NULL);
    queue_metrics_done(&queue->metrics);
    map_done(&queue->entries);
    queue_turns_done(&queue->ready);
    queue_heap_done(&queue->later);
    buf_done(&queue->scratch);
    mem_free(queue);
}

static struct queue_parties parties_of(const struct queue *queue, const struct queue_entry *entry)
{
    static const struct queue_parties everybody;
    return queue->options.parties ? queue->options.parties(entry->key) : everybody;
}

/* workqueue_adds_total counts keys that become ready, not calls of queue_add(). */
static void make_ready(struct queue *queue, struct queue_entry *entry)
{
    entry->state = QUEUE_ENTRY_READY;
    entry->since = loop_now(queue->loop);
    queue_turns_add(&queue->ready, &entry->turn, parties_of(queue, entry), entry->priority);
    metrics_inc(queue->metrics.adds);
    metrics_inc(queue_metrics_depth(&queue->metrics, entry->priority));
    event_wake_one(&queue->changed);
}

static void leave_later(struct queue *queue, struct queue_entry *entry)
{
    queue_heap_remove(&queue->later, &entry->node);
    entry->state = QUEUE_ENTRY_IDLE;
}

static void enter_later(struct queue *queue, struct queue_entry *entry,
                        enum queue_entry_state state, int64_t at)
{
    entry->state = state;
    queue_heap_add(&queue->later, &entry->node, at);
}

/*
 * The key neither waits nor is held. The entry is removed unless its failures or its last start
 * must be remembered.
 */
static void retire_entry(struct queue *queue, struct queue_entry *entry)
{
    const int64_t spaced =
        queue->options.spacing && entry->started ? entry->started + queue->options.spacing : 0;
    entry->state = QUEUE_ENTRY_IDLE;
    if (spaced > loop_now(queue->loop))
        enter_later(queue, entry, QUEUE_ENTRY_COOLING, spaced);
    else if (!entry->failures)
        map_remove(&queue->entries, str_from(entry->text, entry->text_len));
}

static void on_timer(void *data);

/* Called whenever the first entry of "later" may have changed. */
static void set_timer(struct queue *queue)
{
    const struct queue_heap_node *first = queue_heap_first(&queue->later);
    if (!first)
        timer_stop(queue->loop, &queue->timer);
    else if (!timer_is_started(&queue->timer) || queue->timer.due != first->rank)
        timer_start(queue->loop, &queue->timer, first->rank, on_timer, queue);
}

/* Makes DELAYED entries ready and retires COOLING ones whose time has come. */
static void promote_due(struct queue *queue)
{
    const int64_t now = loop_now(queue->loop);
    for (struct queue_heap_node *node;
         (node = queue_heap_first(&queue->later)) && node->rank <= now;) {
        struct queue_entry *entry = CONTAINER_OF(node, struct queue_entry, node);
        const bool delayed = entry->state == QUEUE_ENTRY_DELAYED;
        leave_later(queue, entry);
        if (delayed)
            make_ready(queue, entry);
        else
            retire_entry(queue, entry);
    }
    set_timer(queue);
}

static void on_timer(void *data)
{
    promote_due(data);
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* Remembers for queue_done() that a held key was added: the earlier time, the higher priority. */
static void note_wanted(struct queue_entry *entry, int64_t at, int priority)
{
    entry->wanted_at = entry->wanted && entry->wanted_at < at ? entry->wanted_at : at;
    entry->wanted_priority = entry->wanted ? max_int(entry->wanted_priority, priority) : priority;
    entry->wanted = true;
}

/* Raises the priority of a ready entry, which goes behind others of the new priority. */
static void raise_ready(struct queue *queue, struct queue_entry *entry, int priority)
{
    if (priority <= entry->priority)
        return;
    metrics_add(queue_metrics_depth(&queue->metrics, entry->priority), -1);
    entry->priority = priority;
    queue_turns_raise(&entry->turn, priority);
    metrics_inc(queue_metrics_depth(&queue->metrics, priority));
}

/* Makes an entry wait until a time, merged with the time and priority for which it waits already.
 */
static void delay_entry(struct queue *queue, struct queue_entry *entry, int64_t at, int priority)
{
    if (entry->state == QUEUE_ENTRY_DELAYED) {
        at = entry->node.rank < at ? entry->node.rank : at;
        priority = max_int(entry->priority, priority);
    }
    if (entry->state != QUEUE_ENTRY_IDLE)
        leave_later(queue, entry);
    entry->priority = priority;
    if (at <= loop_now(queue->loop))
        make_ready(queue, entry);
    else
        enter_later(queue, entry, QUEUE_ENTRY_DELAYED, at);
    set_timer(queue);
}

static void add_entry(struct queue *queue, struct queue_entry *entry, int64_t at, int priority)
{
    if (entry->state == QUEUE_ENTRY_HELD)
        note_wanted(entry, at, priority);
    else if (entry->state == QUEUE_ENTRY_READY)
        raise_ready(queue, entry, priority);
    else
        delay_entry(queue, entry, at, priority);
}

/* options.spacing delays a key that was started a short time ago. */
void queue_add(struct queue *queue, struct key key, int priority)
{
    const int64_t now = loop_now(queue->loop);
    struct queue_entry *entry = get_entry(queue, key);
    const int64_t spaced =
        queue->options.spacing && entry->started ? entry->started + queue->options.spacing : now;
    add_entry(queue, entry, spaced > now ? spaced : now, priority);
}

/* now + span, without overflow. */
static int64_t later_than(int64_t now, duration span)
{
    return span < FOREVER - now ? now + span : FOREVER;
}

void queue_add_after(struct queue *queue, struct key key, duration after, int priority)
{
    if (after > 0)
        metrics_inc(queue->metrics.retries);
    const int64_t now = loop_now(queue->loop);
    add_entry(queue, get_entry(queue, key), after > 0 ? later_than(now, after) : now, priority);
}

/* Takes a token, which may not exist yet, and returns the time until it exists. */
static duration take_token(struct queue *queue)
{
    if (queue->options.rate < 0)
        return 0;
    const int64_t now = loop_now(queue->loop);
    queue->tokens += to_seconds(now - queue->counted) * queue->options.rate;
    queue->counted = now;
    if (queue->tokens > (double)queue->options.burst)
        queue->tokens = (double)queue->options.burst;
    queue->tokens -= 1;
    return queue->tokens < 0 ? (duration)(-queue->tokens / queue->options.rate * SECOND) : 0;
}

/* Doubles with each failure, without overflow. */
static duration backoff_of(const struct queue *queue, size_t failures)
{
    const struct queue_options *options = &queue->options;
    duration span = options->backoff_first;
    for (size_t i = 0; i < failures && span < options->backoff_max; i++)
        span = span > options->backoff_max / 2 ? options->backoff_max : span * 2;
    return span < options->backoff_max ? span : options->backoff_max;
}

void queue_add_failed(struct queue *queue, struct key key, int priority)
{
    struct queue_entry *entry = get_entry(queue, key);
    const duration own = backoff_of(queue, entry->failures++), common = take_token(queue);
    const duration after = (own > common ? own : common) + queue->options.spacing;
    metrics_inc(queue->metrics.retries);
    add_entry(queue, entry, later_than(loop_now(queue->loop), after), priority);
}

/* An entry in any other state than IDLE is removed later, by retire_entry(). */
void queue_forget(struct queue *queue, struct key key)
{
    struct queue_entry *entry = find_entry(queue, key);
    if (!entry)
        return;
    entry->failures = 0;
    if (entry->state == QUEUE_ENTRY_IDLE)
        retire_entry(queue, entry);
}

/* False if there is no key that may be taken. */
static bool hold_next(struct queue *queue, struct queue_item *ret_item)
{
    struct queue_turn *turn = queue_turns_take(&queue->ready);
    if (!turn)
        return false;
    struct queue_entry *entry = CONTAINER_OF(turn, struct queue_entry, turn);
    const int64_t now = loop_now(queue->loop);
    metrics_add(queue_metrics_depth(&queue->metrics, entry->priority), -1);
    metrics_observe(queue->metrics.queue_duration, to_seconds(now - entry->since));
    entry->state = QUEUE_ENTRY_HELD;
    entry->started = now;
    entry->wanted = false;
    list_append(&queue->held, &entry->link);
    *ret_item = (struct queue_item){entry->key, entry->priority};
    return true;
}

/* promote_due() is called here too: the timer may fire later than a worker asks. */
struct error *queue_take(struct queue *queue, struct queue_item *ret_item)
{
    for (;;) {
        promote_due(queue);
        if (hold_next(queue, ret_item))
            return NULL;
        TRY(event_wait(&queue->changed, "a key"));
    }
}

/* A key that could not be taken before, for its target or its tenant, may be taken now. */
void queue_done(struct queue *queue, const struct queue_item *item)
{
    struct queue_entry *entry = find_entry(queue, item->key);
    assert(entry && entry->state == QUEUE_ENTRY_HELD);
    metrics_observe(queue->metrics.work_duration,
                    to_seconds(loop_now(queue->loop) - entry->started));
    list_remove(&entry->link);
    queue_turns_end(&queue->ready, &entry->turn);
    if (queue_turns_ready(&queue->ready))
        event_wake_one(&queue->changed);
    entry->state = QUEUE_ENTRY_IDLE;
    if (entry->wanted) {
        delay_entry(queue, entry, entry->wanted_at, entry->wanted_priority);
    } else {
        retire_entry(queue, entry);
        set_timer(queue);
    }
}

/* The list of held entries is in the order of their starts. */
size_t queue_held_longer(const struct queue *queue, duration span)
{
    const int64_t now = loop_now(queue->loop);
    size_t count = 0;
    LIST_FOREACH (struct queue_entry, entry, &queue->held, link) {
        if (now - entry->started < span)
            break;
        count++;
    }
    return count;
}

void queue_set_workers(struct queue *queue, size_t workers)
{
    if (queue->options.parties)
        queue->ready.workers = workers;
}

size_t queue_ready(const struct queue *queue)
{
    return queue_turns_ready(&queue->ready);
}
