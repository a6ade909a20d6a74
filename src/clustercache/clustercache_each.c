/*
 * One question to many clusters.
 *
 * select_clusters() makes a clustercache_ask for each cluster, in order. begin_asks() starts them,
 * each on a fiber of its own, as far as the window and the memory allow; it is called whenever one
 * of both has grown. run_ask() sends the request and then watches the answer arrive without reading
 * it, so that the windows of HTTP bound what waits. take_turns() goes through the clusters in order
 * on the fiber of the caller: it waits for the answer, takes it from the fiber and gives it to the
 * function, which reads it.
 *
 * Questions do not hold up the controllers. In each iteration of the loop one request of all
 * questions is sent, and one of the callers reads answers for STEP, in a turn of the CPU: what the
 * controllers wait for comes in between, and the turn waits while a probe is about to begin.
 * Clusters that were asked one by one also answer one by one.
 *
 * An ask reserves CLUSTERCACHE_EACH_AHEAD bytes of the memory while more may arrive, and what it
 * holds when its answer is whole. The one whose turn it is when it begins reserves nothing.
 */
#include "clustercache/clustercache_each.h"

#include <stdlib.h>

#include "apimachinery/object.h"
#include "apimachinery/selector.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/array.h"
#include "client/client.h"
#include "clustercache/cluster_callers.h"
#include "clustercache/clustercache_internal.h"
#include "http/client.h"

#define STEP (MILLISECOND / 5)

struct each_run;

struct clustercache_ask {
    struct each_run *run;
    struct key cluster;                    /* in the arena of the run */
    struct cluster_connection *connection; /* a reference while the request is under way */
    struct http_response *response;
    struct error *err; /* why there is no answer */
    size_t reserved;   /* of the memory */
    bool has_head;     /* the answer has begun, or err is set */
    bool is_turn;      /* the caller reads from now on */
    bool is_running;   /* its fiber has not ended */
};

struct each_run {
    struct list_link link; /* in the memory */
    struct clustercache *cache;
    const struct clustercache_each_options *options;
    struct clustercache_each_memory *memory;
    struct clustercache_each_summary *summary;
    struct clustercache_ask *asks;
    size_t count, capacity;
    size_t begun;   /* asks that were started */
    size_t turn;    /* the one whose turn it is */
    size_t running; /* fibers */
    struct event changed;
    struct scope scope;
    struct arena arena;
};

static size_t memory_limit(const struct clustercache_each_memory *memory)
{
    return memory->limit ? memory->limit : CLUSTERCACHE_EACH_MEMORY;
}

static duration or_default(duration given)
{
    return given ? given : CLUSTERCACHE_EACH_WAIT;
}

static int compare_keys(struct key a, struct key b)
{
    const int by_namespace = str_cmp(a.namespace, b.namespace);
    return by_namespace ? by_namespace : str_cmp(a.name, b.name);
}

static int compare_asks(const void *a, const void *b)
{
    return compare_keys(((const struct clustercache_ask *)a)->cluster,
                        ((const struct clustercache_ask *)b)->cluster);
}

static bool is_named(const struct clustercache_each_options *options, struct key cluster)
{
    for (size_t i = 0; i < options->cluster_count; i++)
        if (key_eq(options->clusters[i], cluster))
            return true;
    return !options->cluster_count;
}

/* A ClusterCache without Clusters, which only knows connections, has no labels either. */
static bool is_selected(const struct clustercache *cache, const struct selector *selector,
                        struct key cluster)
{
    struct cache *clusters = cache->config->options.clusters;
    if (!selector)
        return true;
    OWNED(object) object = clusters ? cache_get(clusters, cluster) : NULL;
    return selector_matches(selector, object ? object_labels(object) : NULL);
}

static bool wants_cluster(const struct each_run *run, struct key cluster)
{
    const struct clustercache_each_options *options = run->options;
    if (options->namespace.len && !str_eq(options->namespace, cluster.namespace))
        return false;
    if (options->from.name.len && compare_keys(cluster, options->from) < 0)
        return false;
    return is_named(options, cluster) && is_selected(run->cache, options->selector, cluster) &&
           (!options->admits || options->admits(options->admits_data, cluster));
}

static void select_clusters(struct each_run *run)
{
    MAP_FOREACH (entry, &run->cache->accessors) {
        const struct accessor *accessor = entry->value;
        if (wants_cluster(run, accessor->key))
            ARENA_ARRAY_PUSH(&run->arena, run->asks, run->count, run->capacity,
                             (struct clustercache_ask){
                                 .run = run, .cluster = key_copy(&run->arena, accessor->key)});
    }
    if (run->count)
        qsort(run->asks, run->count, sizeof(*run->asks), compare_asks);
    run->summary->asked = run->count;
}

static void begin_asks(struct each_run *run);

static void give_memory(struct clustercache_ask *ask, size_t kept)
{
    struct clustercache_each_memory *memory = ask->run->memory;
    if (kept >= ask->reserved)
        return;
    memory->used -= ask->reserved - kept;
    ask->reserved = kept;
    LIST_FOREACH (struct each_run, run, &memory->runs, link)
        begin_asks(run);
}

static struct error *send_query(struct clustercache_ask *ask, struct str query)
{
    const struct clustercache_each_options *options = ask->run->options;
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("Accept"),
                         options->accept.len ? options->accept : STR("application/json")));
    const struct client_stream_request request = {
        .path = options->path,
        .query = query,
        .headers = &headers,
        .agent = options->agent,
        .as = options->as,
    };
    FIBER_TIMEOUT(or_default(options->first_byte));
    return cluster_callers_stream(ask->connection, &request, &ask->response);
}

static struct error *send_ask(struct clustercache_ask *ask)
{
    const struct clustercache_each_options *options = ask->run->options;
    SCOPED(buf) query = {.limit = 64 * KILOBYTE};
    buf_add(&query, options->query);
    if (options->add_query)
        options->add_query(options->add_query_data, ask->cluster, &query);
    TRY(buf_check(&query));
    return send_query(ask, buf_str(&query));
}

/* A cluster that has filled its window waits for its turn without a limit. */
static struct error *watch_arrival(struct clustercache_ask *ask)
{
    while (!ask->is_turn && !http_response_has_ended(ask->response)) {
        const bool is_full = http_response_held(ask->response) >= CLUSTERCACHE_EACH_AHEAD;
        FIBER_TIMEOUT(is_full ? FOREVER : or_default(ask->run->options->silence));
        TRY(http_response_wait_arrival(ask->response));
    }
    return NULL;
}

static struct error *run_ask(void *data)
{
    struct clustercache_ask *ask = data;
    struct each_run *run = ask->run;
    struct error *err = cpu_gate_pass(&run->cache->asking);
    if (!err)
        err = send_ask(ask);
    ask->err = err;
    ask->has_head = true;
    event_wake_all(&run->changed);
    if (!err)
        ask->err = watch_arrival(ask);
    ask->is_running = false;
    run->running--;
    event_wake_all(&run->changed);
    if (ask->err)
        give_memory(ask, 0);
    else if (http_response_has_ended(ask->response))
        give_memory(ask, http_response_held(ask->response));
    begin_asks(run);
    return NULL;
}

/* Says why there is no connection, as far as the ClusterCache knows. */
static struct error *explain_down(const struct clustercache *cache, struct key cluster,
                                  struct error *err)
{
    const struct clustercache_health health = clustercache_get_health(cache, cluster);
    if (!health.problem.len)
        return err;
    struct error *told = error_new(err->code, "not connected: %.*s", STR_ARG(health.problem));
    error_free(err);
    return told;
}

static void begin_ask(struct clustercache_ask *ask)
{
    struct each_run *run = ask->run;
    struct error *err =
        clustercache_get_uncached_client(run->cache, ask->cluster, &ask->connection);
    if (err) {
        ask->err = explain_down(run->cache, ask->cluster, err);
        ask->has_head = true;
        return;
    }
    if (run->begun != run->turn) {
        ask->reserved = CLUSTERCACHE_EACH_AHEAD;
        run->memory->used += ask->reserved;
    }
    ask->is_running = true;
    run->running++;
    scope_start(&run->scope, "question to a cluster", run_ask, ask);
}

/* Clusters begin in order: the one whose turn it is has always begun, or is the next to begin. */
static void begin_asks(struct each_run *run)
{
    const size_t window = run->options->window ? run->options->window : CLUSTERCACHE_EACH_WINDOW;
    while (run->begun < run->count && run->running < window) {
        const bool has_room =
            run->memory->used + CLUSTERCACHE_EACH_AHEAD <= memory_limit(run->memory);
        if (!has_room && run->begun != run->turn)
            return;
        begin_ask(&run->asks[run->begun]);
        run->begun++;
    }
}

static void add_failure(struct each_run *run, struct key cluster, const struct error *err)
{
    struct clustercache_each_summary *summary = run->summary;
    ARENA_ARRAY_PUSH(&summary->arena, summary->failures, summary->failure_count,
                     summary->failure_capacity,
                     (struct clustercache_each_failure){
                         .cluster = key_copy(&summary->arena, cluster),
                         .code = err->code,
                         .reason = arena_str(&summary->arena, str_from_c(err->message)),
                     });
}

static void drop_response(struct clustercache_ask *ask)
{
    if (!ask->response)
        return;
    http_response_free(TAKE(ask->response));
    cluster_callers_leave(ask->connection);
}

/* The answer is read or given up. */
static void end_ask(struct clustercache_ask *ask)
{
    drop_response(ask);
    cluster_connection_free(TAKE(ask->connection));
    error_free(TAKE(ask->err));
    give_memory(ask, 0);
}

/* Suspends until the answer has begun and its fiber has left it to the caller. */
static struct error *await_answer(struct clustercache_ask *ask)
{
    struct each_run *run = ask->run;
    begin_asks(run);
    while (!ask->has_head)
        TRY(event_wait(&run->changed, "the answer of a cluster"));
    ask->is_turn = true;
    if (ask->response)
        http_response_wake(ask->response);
    while (ask->is_running)
        TRY(event_wait(&run->changed, "the answer of a cluster"));
    return NULL;
}

static struct error *take_turn(struct clustercache_ask *ask, clustercache_each_fn *each, void *data)
{
    struct each_run *run = ask->run;
    TRY(await_answer(ask));
    if (ask->err) {
        add_failure(run, ask->cluster, ask->err);
        return NULL;
    }
    struct clustercache_answer answer = {
        .cluster = ask->cluster,
        .status = http_response_status(ask->response),
        .headers = http_response_headers(ask->response),
        .ask = ask,
    };
    const size_t failures = run->summary->failure_count;
    TRY(each(data, &answer));
    if (run->summary->failure_count == failures)
        run->summary->answered++;
    return NULL;
}

/* Suspends when the caller has read for long enough. */
static struct error *pause_reading(void)
{
    return fiber_turn() < STEP ? NULL : cpu_turn_take_next();
}

static struct error *take_turns(struct each_run *run, clustercache_each_fn *each, void *data)
{
    for (; run->turn < run->count; run->turn++) {
        struct clustercache_ask *ask = &run->asks[run->turn];
        TRY(take_turn(ask, each, data));
        end_ask(ask);
        TRY(pause_reading());
    }
    return NULL;
}

/* Fibers that still run give up their requests before the responses are freed. */
static void each_run_done(struct each_run *run)
{
    list_remove(&run->link);
    run->count = 0; /* nothing else begins */
    scope_done(&run->scope);
    for (size_t i = 0; i < run->begun; i++)
        end_ask(&run->asks[i]);
    arena_done(&run->arena);
}

void clustercache_each_summary_done(struct clustercache_each_summary *summary)
{
    arena_done(&summary->arena);
}

struct error *clustercache_each(struct clustercache *cache,
                                const struct clustercache_each_options *options,
                                clustercache_each_fn *each, void *data,
                                struct clustercache_each_summary *summary)
{
    struct clustercache_each_memory own = {0};
    SCOPED(each_run)
    run = {
        .cache = cache,
        .options = options,
        .memory = options->memory ? options->memory : &own,
        .summary = summary,
    };
    if (!run.memory->is_used)
        list_init(&run.memory->runs);
    run.memory->is_used = true;
    list_append(&run.memory->runs, &run.link);
    select_clusters(&run);
    return take_turns(&run, each, data);
}

struct error *clustercache_answer_read(struct clustercache_answer *answer, struct str *ret_piece)
{
    FIBER_TIMEOUT(or_default(answer->ask->run->options->silence));
    return http_response_read_piece(answer->ask->response, ret_piece);
}

struct error *clustercache_answer_read_all(struct clustercache_answer *answer, struct buf *body)
{
    for (;;) {
        struct str piece;
        TRY(clustercache_answer_read(answer, &piece));
        if (!piece.len)
            return NULL;
        buf_add(body, piece);
        TRY(buf_check(body), "read the answer");
    }
}

struct error *clustercache_answer_ask_again(struct clustercache_answer *answer, struct str query)
{
    struct clustercache_ask *ask = answer->ask;
    drop_response(ask);
    TRY(send_query(ask, query));
    answer->status = http_response_status(ask->response);
    answer->headers = http_response_headers(ask->response);
    return NULL;
}

struct error *clustercache_answer_pause(void)
{
    return pause_reading();
}

void clustercache_answer_fail(struct clustercache_answer *answer, struct error *err)
{
    OWNED(error) owned = err;
    add_failure(answer->ask->run, answer->cluster, owned);
}

bool clustercache_answer_is_last_for_now(const struct clustercache_answer *answer)
{
    const struct each_run *run = answer->ask->run;
    return run->turn + 1 < run->count && !run->asks[run->turn + 1].has_head;
}

bool clustercache_answer_has_next(const struct clustercache_answer *answer)
{
    return answer->ask->run->turn + 1 < answer->ask->run->count;
}

void clustercache_answer_stop(struct clustercache_answer *answer)
{
    struct each_run *run = answer->ask->run;
    run->count = run->turn + 1;
    run->summary->asked = run->count;
}
