#include "clusterresourceset/apply/apply.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/apply/apply_definition.h"
#include "clusterresourceset/apply/apply_failures.h"
#include "clusterresourceset/apply/apply_write.h"

/* For definitions, in one pass. Servers of several instances take five seconds to establish one. */
#define PATIENCE  (10 * SECOND)
#define PAUSE_MIN (50 * MILLISECOND)
#define PAUSE_MAX SECOND

/* Requests in a row that ran into their limit of time: one may be a slow webhook's fault. */
#define TIMEOUTS_MAX 2

/* An object of this size may be why a connection broke; it says nothing about the next one. */
#define LARGE ((size_t)1024 * 1024)

enum state {
    UNREACHED,
    APPLIED,
    FAILED,
    FAILED_FOR_NOW, /* something was not there that may have come since */
};

struct outcome {
    enum state state;
    enum apply_result result;
    struct error *err;   /* of what failed, explained */
    bool was_waited_for; /* a definition */
};

struct pass {
    const struct apply_target *target;
    const struct apply_item *items;
    size_t count;
    enum apply_strategy strategy;
    struct outcome *outcomes; /* of the items, in the arena */
    size_t *definitions;      /* which of the items are such */
    size_t definition_count;
    duration patience;
    int timeouts;
    struct error *end; /* why nothing more is asked; NULL: go on */
};

static void pass_done(struct pass *pass)
{
    for (size_t i = 0; i < pass->count; i++)
        error_free(pass->outcomes[i].err);
    error_free(pass->end);
}

static bool is_large(const struct object *object)
{
    SCOPED(buf) text = {.secret = true};
    object_write(&text, object);
    return text.len >= LARGE;
}

/* Whether other objects would fare no better. */
static bool is_end(struct pass *pass, const struct object *object, const struct error *err)
{
    pass->timeouts = error_is(err, ERROR_DEADLINE) ? pass->timeouts + 1 : 0;
    if (!err)
        return false;
    switch (err->code) {
    case ERROR_CANCELED:
    case ERROR_UNREACHABLE:
    case ERROR_NOT_CONNECTED:
    case ERROR_TLS:
    case ERROR_UNAUTHORIZED:
        return true;
    case ERROR_CONNECTION:
        return !is_large(object);
    case ERROR_DEADLINE:
        return pass->timeouts >= TIMEOUTS_MAX || fiber_deadline() <= loop_now(loop_current());
    default:
        return false;
    }
}

/* One that was applied and not waited for: once is enough, however many objects want it. */
static const struct object *find_definition(const struct pass *pass, struct gvk gvk)
{
    for (size_t i = 0; i < pass->definition_count; i++) {
        const struct object *object = pass->items[pass->definitions[i]].object;
        struct outcome *outcome = &pass->outcomes[pass->definitions[i]];
        if (outcome->state != APPLIED || outcome->was_waited_for ||
            !apply_definition_brings(object, gvk))
            continue;
        outcome->was_waited_for = true;
        return object;
    }
    return NULL;
}

/* What can be learnt now: found, never, or neither. Suspends. */
static struct error *look(const struct pass *pass, const struct object *definition, struct gvk gvk,
                          bool *ret_found, bool *ret_never)
{
    SCOPED(arena) arena = {0};
    OWNED(object) live = NULL;
    struct discovery_mapping mapping;
    const struct gvr gvr = {STR("apiextensions.k8s.io"), apply_write_gvk(definition).version,
                            STR("customresourcedefinitions")};
    *ret_found = *ret_never = false;
    TRY(client_get(pass->target->client, gvr, (struct key){.name = object_name(definition)}, NULL,
                   &live));
    const enum apply_definition_state state = apply_definition_state(live, gvk);
    *ret_never = state == APPLY_DEFINITION_REFUSED;
    if (state != APPLY_DEFINITION_ESTABLISHED)
        return NULL;
    discovery_forget(pass->target->discovery, gvk.group, gvk.version);
    struct error *err = discovery_find_kind(pass->target->discovery, &arena, gvk, &mapping);
    *ret_found = err == NULL;
    if (!discovery_is_no_match(err))
        return err;
    error_free(err);
    return NULL;
}

/* Suspends. A little longer each time, as long as patience lasts; then *ret_over. */
static struct error *pause_a_little(struct pass *pass, duration *pause, bool *ret_over)
{
    const duration span = *pause < pass->patience ? *pause : pass->patience;
    *ret_over = span <= 0;
    if (*ret_over)
        return NULL;
    pass->patience -= span;
    *pause = *pause * 2 < PAUSE_MAX ? *pause * 2 : PAUSE_MAX;
    return fiber_sleep(span);
}

/* Suspends until the cluster has the kind, which one of the applied objects defines. */
static struct error *await_kind(struct pass *pass, struct gvk gvk, bool *ret_found)
{
    const struct object *definition = find_definition(pass, gvk);
    duration pause = PAUSE_MIN;
    bool never = false, over = false;
    *ret_found = false;
    while (definition && !*ret_found && !never && !over) {
        TRY(look(pass, definition, gvk, ret_found, &never));
        if (!*ret_found && !never)
            TRY(pause_a_little(pass, &pause, &over));
    }
    return NULL;
}

static bool is_answer(const struct error *err)
{
    return err && err->http_status && !error_is(err, ERROR_UNAUTHORIZED);
}

/* Suspends. */
static struct error *write_once_known(struct pass *pass, struct apply_write *write)
{
    bool found;
    struct error *err = apply_write_run(write);
    if (!discovery_is_no_match(err))
        return err;
    struct error *wait_err = await_kind(pass, apply_write_gvk(write->object), &found);
    if (is_answer(wait_err) || (!wait_err && !found)) {
        error_free(wait_err); /* that the kind is not there says more */
        return err;
    }
    error_free(err);
    TRY(wait_err);
    return apply_write_run(write);
}

/* Suspends. */
static void apply_item(struct pass *pass, size_t index)
{
    const struct object *object = pass->items[index].object;
    struct outcome *outcome = &pass->outcomes[index];
    struct apply_write write = {
        .target = pass->target, .object = object, .strategy = pass->strategy};
    struct error *err = write_once_known(pass, &write);
    error_free(TAKE(outcome->err));
    if (is_end(pass, object, err))
        pass->end = error_copy(err);
    if (!err) {
        outcome->state = APPLIED;
        outcome->result = write.result;
        return;
    }
    outcome->state = error_is(err, ERROR_NOT_FOUND) ? FAILED_FOR_NOW : FAILED;
    outcome->err = apply_write_explain(object, write.verb, err);
}

/* What a lookup missed is not asked for again at once, unless it is forgotten. */
static void forget_misses(const struct pass *pass)
{
    struct gvk last = {0};
    for (size_t i = 0; i < pass->count; i++) {
        const struct gvk gvk = apply_write_gvk(pass->items[i].object);
        if (!discovery_is_no_match(pass->outcomes[i].err) ||
            (str_eq(gvk.group, last.group) && str_eq(gvk.version, last.version)))
            continue;
        discovery_forget(pass->target->discovery, gvk.group, gvk.version);
        last = gvk;
    }
}

/* Suspends: the items of this state, in their order. */
static void apply_those(struct pass *pass, enum state state)
{
    for (size_t i = 0; i < pass->count && !pass->end; i++)
        if (pass->outcomes[i].state == state)
            apply_item(pass, i);
}

static void count(struct apply_report *report, enum apply_result result)
{
    size_t *counters[] = {[APPLY_CREATED] = &report->created,
                          [APPLY_CHANGED] = &report->changed,
                          [APPLY_UNCHANGED] = &report->unchanged};
    ++*counters[result];
}

/* What happened, in the order of the items. */
static struct error *tell(struct pass *pass, struct arena *arena, struct apply_report *ret_report)
{
    SCOPED(apply_failures) failures = {.arena = arena, .report = ret_report};
    for (size_t i = 0; i < pass->count; i++) {
        struct outcome *outcome = &pass->outcomes[i];
        if (outcome->state == APPLIED) {
            count(ret_report, outcome->result);
            continue;
        }
        if (outcome->state == UNREACHED)
            outcome->err =
                apply_write_explain(pass->items[i].object, apply_write_first_verb(pass->strategy),
                                    error_copy(pass->end));
        apply_failures_add(&failures, &pass->items[i], TAKE(outcome->err));
    }
    return apply_failures_finish(&failures, pass->end);
}

static void find_definitions(struct pass *pass, struct arena *arena)
{
    pass->definitions = arena_alloc_array(arena, pass->count, sizeof(*pass->definitions));
    for (size_t i = 0; i < pass->count; i++)
        if (apply_definition_is(pass->items[i].object))
            pass->definitions[pass->definition_count++] = i;
}

struct error *apply_objects(const struct apply_target *target, const struct apply_item *items,
                            size_t count, enum apply_strategy strategy, struct arena *arena,
                            struct apply_report *ret_report)
{
    SCOPED(pass)
    pass = {
        .target = target,
        .items = items,
        .count = count,
        .strategy = strategy,
        .outcomes = arena_alloc_array(arena, count, sizeof(struct outcome)),
        .patience = PATIENCE,
    };
    *ret_report = (struct apply_report){.objects = count};
    find_definitions(&pass, arena);
    apply_those(&pass, UNREACHED);
    forget_misses(&pass);
    apply_those(&pass, FAILED_FOR_NOW);
    return tell(&pass, arena, ret_report);
}

struct error *apply_object(const struct apply_target *target, const struct object *object,
                           enum apply_strategy strategy, enum apply_result *ret_result)
{
    struct apply_write write = {.target = target, .object = object, .strategy = strategy};
    struct error *err = apply_write_run(&write);
    if (err)
        return apply_write_explain(object, write.verb, err);
    *ret_result = write.result;
    return NULL;
}
