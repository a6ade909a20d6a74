/*
 * One fiber, keep_current(), makes facts. It wakes by changes, and every second: then it looks
 * whether the caches still follow the server, and lets the facts say so if they do not.
 */
#include "web/web_source.h"

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/array.h"
#include "base/memory.h"
#include "clusterresourceset/types/policy_schema.h"
#include "controller/cache/cache.h"
#include "web/web_contents.h"
#include "web/web_trim.h"

#define COLLECT     (100 * MILLISECOND) /* changes, before facts are made */
#define TICK        SECOND
#define PAUSE       (400 * MILLISECOND) /* between two makings, and as long as one took */
#define WANTED      MINUTE              /* after a page was asked for */
#define LOST_BEFORE (2 * SECOND)        /* a shorter loss of the watch is not told */

/* In the order of enum web_kind. Without the right to read an optional kind the rest is shown. */
static const struct {
    struct gvr gvr;
    struct str field_selector;
    cache_transform_fn *transform;
    bool is_optional;
} kinds[WEB_KINDS] = {
    [WEB_KIND_SETS] = {{STR_INIT("addons.cluster.x-k8s.io"), STR_INIT("v1beta2"),
                        STR_INIT("clusterresourcesets")},
                       {0},
                       NULL,             false},
    [WEB_KIND_CLUSTERS] = {{STR_INIT("cluster.x-k8s.io"), STR_INIT("v1beta2"),
                            STR_INIT("clusters")},
                       {0},
                       web_trim_cluster, false},
    [WEB_KIND_BINDINGS] = {{STR_INIT("addons.cluster.x-k8s.io"), STR_INIT("v1beta2"),
                            STR_INIT("clusterresourcesetbindings")},
                       {0},
                       NULL,             false},
    [WEB_KIND_POLICIES] = {{STR_INIT("corset.dev"), STR_INIT("v1alpha1"),
                            STR_INIT("deliverypolicies")},
                       {0},
                       NULL,             true },
    [WEB_KIND_CLUSTER_EVENTS] = {{{0}, STR_INIT("v1"), STR_INIT("events")},
                       STR_INIT("involvedObject.kind=Cluster"),
                       NULL,             true },
    [WEB_KIND_SET_EVENTS] = {{{0}, STR_INIT("v1"), STR_INIT("events")},
                       STR_INIT("involvedObject.kind=ClusterResourceSet"),
                       NULL,             true },
};

struct web_source {
    struct loop *loop;
    struct policy_schema *schema;
    struct web_contents *contents;
    web_connection_fn *connection;
    void *connection_data;
    struct cache *caches[WEB_KINDS];
    struct cache_handler handlers[WEB_KINDS];
    struct web_facts *facts;
    uint64_t version;
    bool is_changed;
    int64_t wanted_until; /* the loop's time */
    int64_t lost_since;   /* the loop's time since when a cache does not follow; 0: all do */
    struct event woken, made;
    struct scope fibers;
};

static void facts_free(struct web_facts *facts)
{
    if (!facts)
        return;
    web_facts_done(facts);
    mem_free(facts);
}

/* Handler of all caches. */
static void note_change(void *data, const struct cache_event *event)
{
    struct web_source *source = data;
    if (event->is_unchanged)
        return;
    source->is_changed = true;
    event_wake_all(&source->woken);
}

const struct web_facts *web_source_facts(const struct web_source *source)
{
    return source->facts;
}

uint64_t web_source_version(const struct web_source *source)
{
    return source->version;
}

static void tell_made(struct web_source *source)
{
    source->version++;
    event_wake_all(&source->made);
}

/* References to all objects of a cache, so that they can be read with pauses. */
struct texts {
    struct object_text **items;
    size_t count, capacity;
};

static void texts_done(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        object_text_free(texts->items[i]);
    mem_free((void *)texts->items);
}

static bool take_text(void *data, struct object_text *text)
{
    struct texts *texts = data;
    ARRAY_PUSH(texts->items, texts->count, texts->capacity, object_text_ref(text));
    return true;
}

/* An object that cannot be read is left out. Suspends. */
static struct error *add_kind(struct web_source *source, struct web_facts *facts,
                              enum web_kind kind)
{
    SCOPED(texts) texts = {0};
    cache_each(source->caches[kind], STR(""), take_text, &texts);
    for (size_t i = 0; i < texts.count; i++) {
        OWNED(object) object = NULL;
        OWNED(error) err = object_text_read(texts.items[i], &object);
        if (!err)
            web_facts_add(facts, kind, object);
        TRY(fiber_yield_in_time());
    }
    return NULL;
}

/* A kind that never came says why; that one which came and is behind now is told by the banner. */
static void tell_missing(struct web_source *source, struct web_facts *facts)
{
    for (size_t i = 0; i < WEB_KINDS; i++) {
        const struct str problem = cache_problem(source->caches[i]);
        if (!cache_is_synced(source->caches[i]) && problem.len)
            facts->missing[i] = arena_str(&facts->arena, problem);
    }
}

/* Until every kind that is needed has come, or says why it does not. */
static bool is_loading(const struct web_source *source)
{
    for (size_t i = 0; i < WEB_KINDS; i++)
        if (!kinds[i].is_optional && !cache_is_synced(source->caches[i]) &&
            !cache_problem(source->caches[i]).len)
            return true;
    return false;
}

/* Old facts give the problem on to new ones. */
static void replace_facts(struct web_source *source, struct web_facts *facts)
{
    const struct web_facts *old = source->facts;
    facts->as_of = loop_wall(source->loop);
    if (old->problem.len) {
        facts->problem = arena_str(&facts->arena, old->problem);
        facts->problem_since = old->problem_since;
        facts->as_of = old->as_of;
    }
    facts_free(source->facts);
    source->facts = facts;
    tell_made(source);
}

/* Suspends. */
static struct error *make_facts(struct web_source *source)
{
    struct web_facts *facts = NEW(struct web_facts);
    struct error *err = NULL;
    source->is_changed = false;
    facts->schema = source->schema;
    facts->contents = source->contents;
    facts->connection = source->connection;
    facts->connection_data = source->connection_data;
    facts->is_loading = is_loading(source);
    facts->loaded = cache_count(source->caches[WEB_KIND_CLUSTERS]);
    for (size_t i = 0; !err && !facts->is_loading && i < WEB_KINDS; i++)
        err = add_kind(source, facts, (enum web_kind)i);
    if (err) {
        facts_free(facts);
        return err;
    }
    tell_missing(source, facts);
    web_facts_finish(facts);
    replace_facts(source, facts);
    return NULL;
}

/* The first kind that came once and does not follow its server now. */
static struct str find_problem(const struct web_source *source)
{
    for (size_t i = 0; i < WEB_KINDS; i++)
        if (!kinds[i].is_optional && cache_is_synced(source->caches[i]) &&
            cache_problem(source->caches[i]).len)
            return cache_problem(source->caches[i]);
    return STR("");
}

/* Only whether there is a problem makes another page, not its words. */
static void look_for_problem(struct web_source *source)
{
    struct web_facts *facts = source->facts;
    const struct str problem = find_problem(source);
    const int64_t now = loop_now(source->loop);
    if (!problem.len)
        source->lost_since = 0;
    else if (!source->lost_since)
        source->lost_since = now;
    if (!problem.len)
        facts->as_of = loop_wall(source->loop);
    const bool is_told = problem.len && now - source->lost_since >= LOST_BEFORE;
    if (is_told == (facts->problem.len > 0))
        return;
    facts->problem = is_told ? arena_str(&facts->arena, problem) : STR("");
    facts->problem_since = loop_wall(source->loop) - (now - source->lost_since);
    tell_made(source);
}

static bool is_due(const struct web_source *source)
{
    return loop_now(source->loop) < source->wanted_until &&
           (source->is_changed || source->facts->is_loading);
}

/* Suspends until something changes that is to become facts, for one tick at most. */
static struct error *wait_for_change(struct web_source *source)
{
    if (is_due(source))
        return NULL;
    FIBER_TIMEOUT(TICK);
    struct error *err = event_wait(&source->woken, "a change");
    return error_ignore(err, ERROR_DEADLINE);
}

/* The fiber of the source. A making that takes long is followed by a pause as long as itself. */
static struct error *keep_current(void *data)
{
    struct web_source *source = data;
    for (;;) {
        TRY(wait_for_change(source));
        look_for_problem(source);
        if (!is_due(source))
            continue;
        TRY(fiber_sleep(COLLECT));
        const int64_t begun = loop_now(source->loop);
        TRY(make_facts(source));
        const duration taken = loop_now(source->loop) - begun;
        TRY(fiber_sleep(taken > PAUSE ? taken : PAUSE));
    }
}

struct web_source *web_source_new(struct loop *loop, const struct web_source_options *options)
{
    struct web_source *source = NEW(struct web_source);
    source->loop = loop;
    source->schema = policy_schema_new();
    source->contents = web_contents_new(loop, options->client);
    source->connection = options->connection;
    source->connection_data = options->connection_data;
    for (size_t i = 0; i < WEB_KINDS; i++) {
        struct cache_set *set = kinds[i].is_optional && options->optional_caches
                                    ? options->optional_caches
                                    : options->caches;
        source->caches[i] =
            cache_set_get(set, &(struct cache_options){.gvr = kinds[i].gvr,
                                                       .namespace = options->namespace,
                                                       .field_selector = kinds[i].field_selector,
                                                       .transform = kinds[i].transform});
        source->handlers[i] = (struct cache_handler){.changed = note_change, .data = source};
        cache_add_handler(source->caches[i], &source->handlers[i]);
    }
    source->facts = NEW(struct web_facts);
    source->facts->is_loading = true;
    source->facts->as_of = loop_wall(loop);
    scope_start(&source->fibers, "web facts", keep_current, source);
    return source;
}

void web_source_free(struct web_source *source)
{
    if (!source)
        return;
    scope_done(&source->fibers);
    for (size_t i = 0; i < WEB_KINDS; i++)
        cache_remove_handler(source->caches[i], &source->handlers[i]);
    facts_free(source->facts);
    web_contents_free(source->contents);
    policy_schema_free(source->schema);
    mem_free(source);
}

struct error *web_source_wait(struct web_source *source, uint64_t version)
{
    while (source->version == version)
        TRY(event_wait(&source->made, "new facts"));
    return NULL;
}

/* Suspends. Reaching the deadline is no error: the page says that it is loading. */
static struct error *wait_for_facts(struct web_source *source, uint64_t version)
{
    FIBER_TIMEOUT(SECOND);
    return error_ignore(web_source_wait(source, version), ERROR_DEADLINE);
}

/* Who looks after a pause gets facts of now: what changed meanwhile was not made into any. */
struct error *web_source_want(struct web_source *source)
{
    const int64_t now = loop_now(source->loop);
    const bool was_wanted = now < source->wanted_until;
    source->wanted_until = now + WANTED;
    if (was_wanted && !source->facts->is_loading)
        return NULL;
    event_wake_all(&source->woken);
    return was_wanted || !(source->is_changed || source->facts->is_loading)
               ? NULL
               : wait_for_facts(source, source->version);
}

static const struct status_set *find_set(const struct web_source *source, struct key key)
{
    const struct status_model *model = &source->facts->model;
    for (size_t i = 0; i < model->set_count; i++)
        if (key_eq(model->sets[i]->key, key))
            return model->sets[i];
    return NULL;
}

/* What was not read in time is read by the next who asks. Contents that are new make a new page. */
struct error *web_source_want_set(struct web_source *source, struct key key)
{
    const struct status_set *set = find_set(source, key);
    bool is_changed = false;
    if (!set)
        return NULL;
    FIBER_TIMEOUT(SECOND);
    struct error *err = web_contents_read(source->contents, &set->spec, key.namespace, &is_changed);
    if (is_changed)
        tell_made(source);
    return error_ignore(err, ERROR_DEADLINE);
}
