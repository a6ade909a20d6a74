/*
 * Which name is looked up when.
 *
 * A struct lookup is what all callers of one name wait for. It waits in the line of its kind, runs
 * on a worker thread, and ends. begin_lookups() begins the one that was asked for first among the
 * first of each line whose kind has room, so that no kind waits for another one.
 *
 * A lookup without callers is dropped if it has not begun. One that runs stays and keeps its place
 * until the thread returns, because the thread is busy for as long. It is found under its name
 * meanwhile: who asks again waits for the same thread.
 */
#include "net/lookups.h"

#include <netdb.h>

#include "async/event.h"
#include "async/loop.h"
#include "base/list.h"
#include "base/map.h"
#include "base/memory.h"
#include "net/lookup.h"

/* How long a failure is the answer: as long as the lookup has taken, within these bounds. */
#define FAILURE_KEPT_MIN (5 * SECOND)
#define FAILURE_KEPT_MAX (30 * SECOND)

#define SLOW_KEPT  (10 * MINUTE) /* how long a name is known to be slow */
#define NAMES_KEPT 1000          /* that were found, and as many that were not */

enum lookup_kind { LOOKUP_FOUND_BEFORE, LOOKUP_NEW, LOOKUP_SLOW, LOOKUP_KINDS };

struct lookups {
    int refs;
    struct loop *loop;
    lookup_fn *look_up;
    struct map by_host; /* that wait or run */
    struct list lines[LOOKUP_KINDS];
    struct list running;
    uint64_t asked;
    struct map found;    /* names; the values are NULL */
    struct map troubles; /* struct trouble */
};

/* Of a name that was not found, or took long. */
struct trouble {
    int status;
    int64_t failed_until, slow_until;
};

struct lookup {
    struct lookups *lookups; /* one reference */
    struct list_link link;   /* in its line, or among those that run */
    enum lookup_kind kind;
    uint64_t number; /* in the order of asking */
    int64_t begun;
    bool is_running, has_ended;
    size_t callers;
    struct event ended;
    struct loop_job job;
    struct lookup_answer answer;
    char host[];
};

static _Thread_local struct lookups *of_this_thread; /* borrowed */

struct lookups *lookups_new(struct loop *loop, lookup_fn *look_up)
{
    struct lookups *lookups = NEW(struct lookups);
    *lookups = (struct lookups){
        .refs = 1,
        .loop = loop,
        .look_up = look_up,
        .troubles = {.release = mem_free},
    };
    for (enum lookup_kind kind = 0; kind < LOOKUP_KINDS; kind++)
        list_init(&lookups->lines[kind]);
    list_init(&lookups->running);
    return lookups;
}

struct lookups *lookups_of(struct loop *loop)
{
    if (of_this_thread && of_this_thread->loop == loop)
        of_this_thread->refs++;
    else
        of_this_thread = lookups_new(loop, lookup_by_system);
    return of_this_thread;
}

void lookups_free(struct lookups *lookups)
{
    if (!lookups || --lookups->refs > 0)
        return;
    if (of_this_thread == lookups)
        of_this_thread = NULL;
    map_done(&lookups->by_host);
    map_done(&lookups->found);
    map_done(&lookups->troubles);
    mem_free(lookups);
}

/* From the time a running lookup has lasted so long on, it counts as slow. */
static bool is_slow(const struct lookup *lookup, int64_t now)
{
    return lookup->kind == LOOKUP_SLOW || now - lookup->begun >= LOOKUPS_SLOW_FROM;
}

static bool has_room(const struct lookups *lookups, enum lookup_kind kind)
{
    const int64_t now = loop_now(lookups->loop);
    size_t all = 0, others = 0, slow = 0;
    LIST_FOREACH (const struct lookup, lookup, &lookups->running, link) {
        all++;
        others += lookup->kind != LOOKUP_FOUND_BEFORE;
        slow += is_slow(lookup, now);
    }
    return all < LOOKUPS_MAX && (kind == LOOKUP_FOUND_BEFORE || others < LOOKUPS_NEW_MAX) &&
           (kind != LOOKUP_SLOW || slow < LOOKUPS_SLOW);
}

/* The lookup whose turn it is, or NULL. */
static struct lookup *next_lookup(const struct lookups *lookups)
{
    struct lookup *next = NULL;
    for (enum lookup_kind kind = 0; kind < LOOKUP_KINDS; kind++) {
        struct list_link *link = list_first(&lookups->lines[kind]);
        if (!link || !has_room(lookups, kind))
            continue;
        struct lookup *first = LIST_ENTRY(link, struct lookup, link);
        if (!next || first->number < next->number)
            next = first;
    }
    return next;
}

static void begin_lookups(struct lookups *lookups)
{
    struct loop_backend *backend = loop_backend(lookups->loop);
    struct lookup *next;
    while ((next = next_lookup(lookups))) {
        list_remove(&next->link);
        list_append(&lookups->running, &next->link);
        next->is_running = true;
        next->begun = loop_now(lookups->loop);
        backend->ops->submit(backend, &next->job);
    }
}

static void lookup_free(struct lookup *lookup)
{
    lookups_free(lookup->lookups);
    mem_free(lookup->answer.result);
    mem_free(lookup);
}

/* Takes the lookup away from its name and its list. */
static void take_out(struct lookup *lookup)
{
    list_remove(&lookup->link);
    map_remove(&lookup->lookups->by_host, str_from_c(lookup->host));
}

/* Puts a name behind all others. The one that was put first is forgotten when there is no room. */
static void remember_name(struct map *names, struct str host, void *value)
{
    map_remove(names, host);
    map_put(names, host, value);
    if (map_count(names) > NAMES_KEPT)
        map_remove(names, map_key(map_first(names)));
}

static duration failure_kept(duration took)
{
    return took < FAILURE_KEPT_MIN   ? FAILURE_KEPT_MIN
           : took > FAILURE_KEPT_MAX ? FAILURE_KEPT_MAX
                                     : took;
}

/* Errors of this machine say nothing about the name. */
static void remember_outcome(const struct lookup *lookup)
{
    struct lookups *lookups = lookup->lookups;
    const struct str host = str_from_c(lookup->host);
    const int status = lookup->answer.status;
    const int64_t now = loop_now(lookups->loop);
    const bool took_long = now - lookup->begun >= LOOKUPS_SLOW_FROM;
    if (status == EAI_SYSTEM || status == EAI_MEMORY)
        return;
    if (status == 0 && !took_long) {
        map_remove(&lookups->troubles, host);
        remember_name(&lookups->found, host, NULL);
        return;
    }
    struct trouble *trouble = NEW(struct trouble);
    trouble->status = status;
    trouble->failed_until = status ? now + failure_kept(now - lookup->begun) : 0;
    trouble->slow_until = took_long ? now + SLOW_KEPT : 0;
    map_remove(&lookups->found, host);
    remember_name(&lookups->troubles, host, trouble);
}

static void run_lookup(void *data)
{
    struct lookup *lookup = data;
    lookup->lookups->look_up(lookup->host, &lookup->answer);
}

/* Called on the loop when the thread has returned. No caller may be left by then. */
static void on_looked_up(struct loop_job *job)
{
    struct lookup *lookup = CONTAINER_OF(job, struct lookup, job);
    remember_outcome(lookup);
    take_out(lookup);
    lookup->has_ended = true;
    begin_lookups(lookup->lookups);
    event_wake_all(&lookup->ended);
    if (!lookup->callers)
        lookup_free(lookup);
}

static enum lookup_kind kind_of(const struct lookups *lookups, const char *host)
{
    const struct trouble *trouble = map_find(&lookups->troubles, str_from_c(host));
    if (trouble && trouble->slow_until > loop_now(lookups->loop))
        return LOOKUP_SLOW;
    return map_has(&lookups->found, str_from_c(host)) ? LOOKUP_FOUND_BEFORE : LOOKUP_NEW;
}

static struct lookup *add_lookup(struct lookups *lookups, const char *host)
{
    const size_t size = strlen(host) + 1;
    struct lookup *lookup = mem_alloc(sizeof(*lookup) + size);
    *lookup = (struct lookup){
        .lookups = lookups,
        .kind = kind_of(lookups, host),
        .number = lookups->asked++,
        .job = {.work = run_lookup, .finished = on_looked_up, .data = lookup},
    };
    memcpy(lookup->host, host, size);
    lookups->refs++;
    list_append(&lookups->lines[lookup->kind], &lookup->link);
    map_put(&lookups->by_host, str_from_c(host), lookup);
    begin_lookups(lookups);
    return lookup;
}

/* One caller less. The last one drops what has not begun. */
static void leave_lookup(struct lookup *lookup)
{
    struct lookups *lookups = lookup->lookups;
    struct loop_backend *backend = loop_backend(lookups->loop);
    if (--lookup->callers)
        return;
    if (!lookup->has_ended) {
        if (lookup->is_running && !backend->ops->withdraw(backend, &lookup->job))
            return; /* on_looked_up() frees it */
        take_out(lookup);
        begin_lookups(lookups);
    }
    lookup_free(lookup);
}

/* The answer of a lookup that has ended. Each caller has a result of its own. */
static struct lookup_answer copy_answer(const struct lookup_answer *answer)
{
    struct lookup_answer copy = *answer;
    if (answer->result) {
        copy.result = mem_alloc(sizeof(*copy.result));
        *copy.result = *answer->result;
    }
    return copy;
}

struct error *lookups_find(struct lookups *lookups, const char *host,
                           struct lookup_answer *ret_answer)
{
    const struct trouble *trouble = map_find(&lookups->troubles, str_from_c(host));
    if (trouble && trouble->failed_until > loop_now(lookups->loop)) {
        *ret_answer = (struct lookup_answer){.status = trouble->status};
        return NULL;
    }
    struct lookup *lookup = map_find(&lookups->by_host, str_from_c(host));
    if (!lookup)
        lookup = add_lookup(lookups, host);
    lookup->callers++;
    struct error *err = NULL;
    while (!lookup->has_ended && !err)
        err = event_wait(&lookup->ended, "a name to be looked up");
    if (lookup->has_ended) {
        error_free(err); /* it was interrupted as well: the answer counts */
        err = NULL;
        *ret_answer = copy_answer(&lookup->answer);
    }
    leave_lookup(lookup);
    return err;
}
