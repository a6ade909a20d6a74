/*
 * Applies a batch of objects in two rounds: first all of them, then those that failed because
 * something did not exist (FAILED_FOR_NOW).
 *
 * A batch ends early, with run.end set, when an error says that other objects would fare no
 * better: the cluster is gone, refuses our credentials, or does not answer in time. The objects
 * that were not reached fail with that error.
 *
 * How one object is written is in apply_object.c.
 */
#include "clusterresourceset/apply/apply.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/apply/apply_definition.h"
#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/apply_redaction.h"
#include "clusterresourceset/apply/apply_server_side.h"
#include "clusterresourceset/types/failures.h"

/*
 * How long a batch waits for definitions, altogether. A control plane of several API servers takes
 * five seconds to establish one.
 */
#define DEFINITION_WAIT_MAX (10 * SECOND)
#define PAUSE_MIN           (50 * MILLISECOND)
#define PAUSE_MAX           SECOND

/* Timeouts in a row that end a batch. A single one may be the fault of a slow webhook. */
#define TIMEOUTS_MAX 2

/* An object of this size may itself be the reason for a broken connection. */
#define LARGE ((size_t)1024 * 1024)

enum item_state {
    UNREACHED,
    APPLIED,
    FAILED,
    FAILED_FOR_NOW, /* something did not exist that may exist by now */
};

struct item_outcome {
    enum item_state state;
    enum apply_result result; /* of APPLIED */
    struct error *err;        /* of FAILED and FAILED_FOR_NOW */
    enum apply_verb verb;     /* the same */
    bool is_placed;           /* it got the default namespace */
    bool was_waited_for;      /* the object is a definition, and one wait for it is enough */
};

/* A batch that is being applied. */
struct apply_run {
    const struct apply_target *target;
    const struct apply_batch *batch;
    const struct apply_item *items; /* of the batch, as is the count */
    size_t count;
    struct item_outcome *outcomes; /* of the items; in the arena, as are the definitions */
    size_t *definitions;           /* indexes of CustomResourceDefinitions */
    size_t definition_count;
    duration wait_left;           /* of DEFINITION_WAIT_MAX */
    int timeouts;                 /* in a row */
    enum apply_strategy strategy; /* of the batch, or what the server can do instead */
    struct error *end;            /* why no more requests are made; NULL: go on */
};

static void apply_run_done(struct apply_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        error_free(run->outcomes[i].err);
    error_free(run->end);
}

static bool is_large(const struct object *object)
{
    SCOPED(buf) text = {.secret = true};
    object_write(&text, object);
    return text.len >= LARGE;
}

/* True if other objects would fare no better. Counts timeouts, so that it is called for each
 * object. */
static bool ends_batch(struct apply_run *run, const struct object *object, const struct error *err)
{
    run->timeouts = error_is(err, ERROR_DEADLINE) ? run->timeouts + 1 : 0;
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
        return run->timeouts >= TIMEOUTS_MAX || fiber_deadline() <= loop_now(loop_current());
    default:
        return false;
    }
}

/*
 * A definition of the kind that this batch has applied and not waited for yet; NULL if there is
 * none. Objects that come later do not wait for it again.
 */
static const struct object *take_definition(const struct apply_run *run, struct gvk gvk)
{
    for (size_t i = 0; i < run->definition_count; i++) {
        const struct object *object = run->items[run->definitions[i]].object;
        struct item_outcome *outcome = &run->outcomes[run->definitions[i]];
        if (outcome->state != APPLIED || outcome->was_waited_for ||
            !apply_definition_brings(object, gvk))
            continue;
        outcome->was_waited_for = true;
        return object;
    }
    return NULL;
}

/* Asks the cluster about the definition, and once it is established, discovery. Suspends. */
static struct error *look_for_kind(const struct apply_run *run, const struct object *definition,
                                   struct gvk gvk, bool *ret_found, bool *ret_never)
{
    SCOPED(arena) arena = {0};
    OWNED(object) live = NULL;
    struct discovery_mapping mapping;
    const struct gvr gvr = {STR("apiextensions.k8s.io"), apply_object_gvk(definition).version,
                            STR("customresourcedefinitions")};
    *ret_found = *ret_never = false;
    TRY(client_get(run->target->client, gvr, (struct key){.name = object_name(definition)}, NULL,
                   &live));
    const enum apply_definition_state state = apply_definition_state(live, gvk);
    *ret_never = state == APPLY_DEFINITION_REFUSED;
    if (state != APPLY_DEFINITION_ESTABLISHED)
        return NULL;
    discovery_forget(run->target->discovery, gvk.group, gvk.version);
    struct error *err = discovery_find_kind(run->target->discovery, &arena, gvk, &mapping);
    *ret_found = err == NULL;
    if (!discovery_is_no_match(err))
        return err;
    error_free(err);
    return NULL;
}

/* Each pause is twice as long as the one before, until the time of the batch is used up. Suspends.
 */
static struct error *pause_for_kind(struct apply_run *run, duration *pause, bool *ret_over)
{
    const duration span = *pause < run->wait_left ? *pause : run->wait_left;
    *ret_over = span <= 0;
    if (*ret_over)
        return NULL;
    run->wait_left -= span;
    *pause = *pause * 2 < PAUSE_MAX ? *pause * 2 : PAUSE_MAX;
    return fiber_sleep(span);
}

/* Suspends until the cluster serves the kind that one of the applied objects defines. */
static struct error *await_definition(struct apply_run *run, struct gvk gvk, bool *ret_found)
{
    const struct object *definition = take_definition(run, gvk);
    duration pause = PAUSE_MIN;
    bool never = false, over = false;
    *ret_found = false;
    while (definition && !*ret_found && !never && !over) {
        TRY(look_for_kind(run, definition, gvk, ret_found, &never));
        if (!*ret_found && !never)
            TRY(pause_for_kind(run, &pause, &over));
    }
    return NULL;
}

static bool is_answer(const struct error *err)
{
    return err && err->http_status && !error_is(err, ERROR_UNAUTHORIZED);
}

/*
 * For an object whose kind the cluster does not have: true if it has the kind now, and then *err is
 * freed. Otherwise *err stays, unless the wait failed for a reason that ends the batch. Suspends.
 */
static bool wait_for_kind(struct apply_run *run, const struct object *object, struct error **err)
{
    bool found;
    struct error *wait_err = await_definition(run, apply_object_gvk(object), &found);
    if (!wait_err && !found)
        return false;
    if (is_answer(wait_err)) {
        error_free(wait_err); /* that the kind does not exist says more */
        return false;
    }
    error_free(*err);
    *err = wait_err;
    return !wait_err;
}

/* What a server says about an object that is secret may quote it. Takes and returns the error. */
static struct error *redact_error(const struct apply_item *item, struct error *err)
{
    return item->is_secret || apply_redaction_is_secret(item->object)
               ? apply_redaction_error(item->object, err)
               : err;
}

/* Takes the error. */
static void note_outcome(struct apply_run *run, size_t index, const struct apply_object *apply,
                         struct error *err)
{
    struct item_outcome *outcome = &run->outcomes[index];
    error_free(TAKE(outcome->err));
    if (ends_batch(run, apply->object, err))
        run->end = error_copy(err);
    outcome->state = !err ? APPLIED : error_is(err, ERROR_NOT_FOUND) ? FAILED_FOR_NOW : FAILED;
    outcome->result = apply->result;
    outcome->verb = apply->verb;
    outcome->is_placed = apply->placed != NULL;
    outcome->err = err;
    if (!err && run->batch->ledger && apply->receipt.key.name.len)
        apply_ledger_add(run->batch->ledger, apply_object_gvk(apply->object), &apply->receipt);
    if (!err && run->batch->applied)
        run->batch->applied(run->batch->applied_data, index, apply);
}

/* "apps/v1 Deployment ns/x" */
static struct str describe_object(struct arena *arena, const struct object *object)
{
    const struct str namespace = object_namespace(object);
    return arena_print(arena, "%.*s %.*s %.*s%s%.*s", STR_ARG(object_api_version(object)),
                       STR_ARG(object_kind(object)), STR_ARG(namespace), namespace.len ? "/" : "",
                       STR_ARG(object_name(object)));
}

/* Notes what a person should know of an object, applied or not. An object that could not be merged
 * either has failed, and its failure tells all. */
static void note_notices(struct apply_run *run, size_t index, struct apply_object *apply,
                         const struct error *err)
{
    struct apply_notices *notices = run->batch->notices;
    struct arena *arena = run->batch->failures->arena;
    if (apply_server_side_is_unknown(apply->refusal)) {
        notices->no_server_side = true;
        run->strategy = APPLY_MERGE_PATCH;
    } else if (apply->refusal && !err && !notices->merged_count++) {
        apply->refusal = redact_error(&run->items[index], apply->refusal);
        notices->merged = describe_object(arena, apply->object);
        notices->merged_why = arena_str(arena, str_from_c(apply->refusal->message));
    }
    if (apply->taken_from.len && !notices->taken_count++) {
        notices->taken = describe_object(arena, apply->object);
        notices->taken_from = apply->taken_from;
    }
}

/* Discovery remembers for a while that a kind does not exist; for the second round it must not. */
static void forget_misses(const struct apply_run *run)
{
    struct gvk last = {0};
    for (size_t i = 0; i < run->count; i++) {
        const struct gvk gvk = apply_object_gvk(run->items[i].object);
        if (!discovery_is_no_match(run->outcomes[i].err) ||
            (str_eq(gvk.group, last.group) && str_eq(gvk.version, last.version)))
            continue;
        discovery_forget(run->target->discovery, gvk.group, gvk.version);
        last = gvk;
    }
}

static void count_result(struct apply_report *report, enum apply_result result)
{
    size_t *counters[] = {[APPLY_CREATED] = &report->created,
                          [APPLY_CHANGED] = &report->changed,
                          [APPLY_UNCHANGED] = &report->unchanged,
                          [APPLY_APPLIED] = &report->applied};
    ++*counters[result];
}

static void add_failure(struct apply_run *run, size_t index)
{
    const struct apply_item *item = &run->items[index];
    struct item_outcome *outcome = &run->outcomes[index];
    const struct gvk gvk = apply_object_gvk(item->object);
    const bool is_unserved = run->batch->unserved && discovery_is_no_match(outcome->err);
    outcome->err = redact_error(item, outcome->err);
    const struct failed_object object = {
        .verb = apply_verb_name(outcome->verb),
        .api_version = gvk.version.len ? object_api_version(item->object) : STR(""),
        .kind = gvk.kind,
        .namespace = outcome->is_placed ? item->default_namespace : object_namespace(item->object),
        .name = object_name(item->object),
        .resource = run->batch->resource,
        .key = item->key,
        .document = item->document,
    };
    failures_add(is_unserved ? run->batch->unserved : run->batch->failures, &object,
                 error_code_name(outcome->err->code), str_from_c(outcome->err->message));
}

/* In the order of the items. Objects that were not reached fail with the error that ended the
 * batch. */
static struct error *make_report(struct apply_run *run, struct apply_report *ret_report)
{
    enum error_code code = run->end ? run->end->code : ERROR_NONE;
    for (size_t i = 0; i < run->count; i++) {
        struct item_outcome *outcome = &run->outcomes[i];
        if (outcome->state == APPLIED) {
            count_result(ret_report, outcome->result);
            continue;
        }
        if (outcome->state == UNREACHED) {
            outcome->verb = apply_object_first_verb(run->strategy);
            outcome->err = error_copy(run->end);
        }
        if (!code)
            code = outcome->err->code;
        ret_report->failed++;
        add_failure(run, i);
    }
    return code ? error_new(code, "%zu of %zu objects failed", ret_report->failed,
                            ret_report->objects)
                : NULL;
}

static void find_definitions(struct apply_run *run, struct arena *arena)
{
    run->definitions = arena_alloc_array(arena, run->count, sizeof(*run->definitions));
    for (size_t i = 0; i < run->count; i++)
        if (apply_definition_is(run->items[i].object))
            run->definitions[run->definition_count++] = i;
}

struct error *apply_objects(const struct apply_target *target, const struct apply_batch *batch,
                            struct apply_report *ret_report)
{
    static const enum item_state rounds[] = {UNREACHED, FAILED_FOR_NOW};
    struct arena *arena = batch->failures->arena;
    SCOPED(apply_run)
    run = {
        .target = target,
        .batch = batch,
        .items = batch->items,
        .count = batch->count,
        .outcomes = arena_alloc_array(arena, batch->count, sizeof(struct item_outcome)),
        .wait_left = DEFINITION_WAIT_MAX,
        .strategy = batch->strategy,
    };
    *ret_report = (struct apply_report){.objects = run.count};
    find_definitions(&run, arena);
    for (size_t round = 0; round < COUNT(rounds); round++) {
        if (rounds[round] == FAILED_FOR_NOW)
            forget_misses(&run);
        for (size_t i = 0; i < run.count && !run.end; i++) {
            if (run.outcomes[i].state != rounds[round])
                continue;
            SCOPED(apply_object)
            apply = {.target = target,
                     .object = run.items[i].object,
                     .strategy = run.strategy,
                     .default_namespace = run.items[i].default_namespace,
                     .arena = arena};
            struct error *err = apply_object(&apply);
            if (discovery_is_no_match(err) && wait_for_kind(&run, run.items[i].object, &err))
                err = apply_object(&apply);
            note_notices(&run, i, &apply, err);
            note_outcome(&run, i, &apply, err);
        }
    }
    return make_report(&run, ret_report);
}
