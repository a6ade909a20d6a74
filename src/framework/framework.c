/*
 * The run: one processing of one owner, from the queue to the status.
 *
 * Read from framework_reconcile() at the bottom of the first half. The steps are those of the
 * framework's specification:
 *
 *     0   owner_read()             the owner, from the cache; gone is success
 *     1   process_owner()          deletion without our finalizer, class, finalizer, precheck
 *     1c  clean_up_owner()         on_delete, then the finalizer is removed
 *     2   owner_begin()            observedGeneration and InProgress
 *     3   run_graph()              build, and the nodes that prune
 *     4   graph_run()              nodes, see graph.c and node.c
 *     5   finish_run()             the result of all errors, on_finish, the status
 *
 * Every way out of a run ends in a struct reconcile_result for the queue: done, back-off, or a
 * delay. The second half makes and frees the framework.
 */
#include "base/array.h"
#include "base/ascii.h"
#include "base/log.h"
#include "base/memory.h"
#include "controller/cache/own_writes.h"
#include "framework/error_class.h"
#include "framework/framework_internal.h"
#include "framework/framework_metrics.h"
#include "framework/owner.h"
#include "framework/owner_watches.h"
#include "framework/run_result.h"

#define DOMAIN_DEFAULT        STR("corset.dev")
#define GRAPH_WORKERS_DEFAULT 8
#define CONFLICT_DEFAULT      (1 * SECOND)
#define NAME_LEN_MAX          128

static void framework_run_done(struct framework_run *run)
{
    object_free(run->owner);
    mem_free(run->conditions);
    arena_done(&run->arena);
}

struct object *framework_owner(const struct framework_run *run)
{
    return run->owner;
}

void *framework_data(const struct framework_run *run)
{
    return run->framework->options.data;
}

struct arena *framework_arena(struct framework_run *run)
{
    return &run->arena;
}

const struct error *framework_error(const struct framework_run *run)
{
    return run->err;
}

struct str framework_name(struct framework_run *run, struct str suffix)
{
    const struct str owner = object_name(run->owner);
    const struct str controller = run->framework->options.name;
    return arena_print(&run->arena, "%.*s-%.*s%s%.*s", STR_ARG(owner), STR_ARG(controller),
                       suffix.len ? "-" : "", STR_ARG(suffix));
}

void framework_set_condition(struct framework_run *run, struct str type, struct str status,
                             struct str reason, struct str message)
{
    struct arena *arena = &run->arena;
    const struct owner_status_condition condition = {
        arena_str(arena, type), arena_str(arena, status), arena_str(arena, reason),
        arena_str(arena, message)};
    ARRAY_PUSH(run->conditions, run->condition_count, run->condition_capacity, condition);
}

/* Requeues after a stale write. A shorter delay that an error asked for wins. */
static void requeue_after_conflict(const struct framework_run *run, duration delay,
                                   struct reconcile_result *ret_result)
{
    const duration conflict = run->framework->options.conflict_requeue;
    ret_result->requeue_after = delay && delay < conflict ? delay : conflict;
}

/*
 * Translates the result of a run for the queue, once the status has been written.
 * Unrecoverable and unclassified errors are returned, so that they are counted and logged.
 * Retry-later errors only requeue.
 */
static struct error *conclude_written(const struct framework_run *run,
                                      const struct run_result *result,
                                      struct reconcile_result *ret_result)
{
    if (result->is_stale) {
        requeue_after_conflict(run, result->delay, ret_result);
        return NULL;
    }
    if (!result->worst)
        return NULL;
    ret_result->is_terminal = !result->is_recoverable;
    if (ret_result->is_terminal || result->is_counted)
        return error_copy(result->worst);
    ret_result->requeue_after = result->delay;
    ret_result->requeue = !result->delay;
    return NULL;
}

/*
 * The status could not be written. Takes unwritten. A stale write comes again after the conflict
 * delay; an owner that is gone ends the run well. Any other error is joined to the run's own error
 * and retried, unless both are unrecoverable.
 */
static struct error *conclude_unwritten(const struct framework_run *run,
                                        const struct run_result *result, struct error *unwritten,
                                        struct reconcile_result *ret_result)
{
    const enum error_class class = error_class_of(unwritten);
    if (class == ERROR_CLASS_STALE) {
        error_free(unwritten);
        requeue_after_conflict(run, result->delay, ret_result);
        return NULL;
    }
    if (error_is(unwritten, ERROR_NOT_FOUND)) {
        error_free(unwritten);
        return NULL;
    }
    ret_result->is_terminal =
        class == ERROR_CLASS_UNRECOVERABLE && (!result->worst || !result->is_recoverable);
    return error_join(error_copy(result->worst), unwritten);
}

/*
 * Step 5. graph is NULL if the run ended before step 4, and err says why. A cancelled run and a
 * run whose only failure is a stale write leave the status alone.
 */
static struct error *finish_run(struct framework_run *run, const struct graph *graph,
                                const struct error *err, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &run->framework->options;
    const struct run_result result = run_result_of(graph, err);
    if (result.is_canceled)
        return error_new(ERROR_CANCELED, "canceled");
    if (result.is_stale && !result.worst)
        return conclude_written(run, &result, ret_result);
    run->err = result.worst;
    if (options->on_finish)
        options->on_finish(run, graph);
    struct error *unwritten = owner_end(run, &result);
    return unwritten ? conclude_unwritten(run, &result, unwritten, ret_result)
                     : conclude_written(run, &result, ret_result);
}

static struct error *run_graph(struct framework_run *run, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &run->framework->options;
    OWNED(graph) graph = graph_new();
    OWNED(error) err = options->build(run, graph);
    if (!err && (options->flags & FRAMEWORK_PRUNE))
        err = prune_add(run, graph);
    if (err)
        return finish_run(run, NULL, err, ret_result);
    TRY(graph_run(graph, options->graph_workers, node_process, run));
    return finish_run(run, graph, NULL, ret_result);
}

/*
 * Ends a run with the result of a write other than that of step 5. Takes err. A stale write comes
 * again; an owner that is gone is no error.
 */
static struct error *end_write(const struct framework_run *run, struct error *err,
                               struct reconcile_result *ret_result)
{
    if (!err || error_class_of(err) != ERROR_CLASS_STALE)
        return error_ignore(err, ERROR_NOT_FOUND);
    error_free(err);
    requeue_after_conflict(run, 0, ret_result);
    return NULL;
}

/*
 * Step 1c. The finalizer goes only after on_delete has succeeded. A failure is reported in the
 * status of the owner, under the owner's current generation, since step 2 was not reached.
 */
static struct error *clean_up_owner(struct framework_run *run, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &run->framework->options;
    OWNED(error) err = options->on_delete ? options->on_delete(run) : NULL;
    if (!err)
        return end_write(run, owner_change_finalizer(run, false), ret_result);
    run->generation = object_generation(run->owner);
    run->has_generation = run->generation > 0;
    return finish_run(run, NULL, err, ret_result);
}

/* A precheck stopped the run: only conditions that it set are written. */
static struct error *stop_run(struct framework_run *run, struct reconcile_result *ret_result)
{
    return run->condition_count ? end_write(run, owner_set_conditions(run), ret_result) : NULL;
}

/*
 * Steps 1 to 5 for an owner that was read. The order of the checks is part of the specification: a
 * deleted owner without our finalizer belongs to the garbage collector, and a precheck may also
 * hold back the clean-up.
 */
static struct error *process_owner(struct framework_run *run, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &run->framework->options;
    const bool deleting = object_is_deleting(run->owner);
    const bool held =
        options->finalizer.len && object_has_finalizer(run->owner, options->finalizer);
    if (deleting && !held)
        return NULL;
    if (!owner_watches_has_class(run->framework, object_root(run->owner)))
        return NULL;
    if (!deleting && options->finalizer.len && !held)
        return end_write(run, owner_change_finalizer(run, true), ret_result);
    if (options->precheck && options->precheck(run) == PRECHECK_STOP)
        return stop_run(run, ret_result);
    if (deleting)
        return clean_up_owner(run, ret_result);
    OWNED(error) err = owner_begin(run);
    if (err && error_class_of(err) == ERROR_CLASS_UNRECOVERABLE)
        return finish_run(run, NULL, err, ret_result);
    return err ? end_write(run, TAKE(err), ret_result) : run_graph(run, ret_result);
}

struct error *framework_reconcile(struct framework *framework, struct key key,
                                  struct reconcile_result *ret_result)
{
    SCOPED(framework_run) run = {.framework = framework, .key = key};
    LOG_CONTEXT(LOG_STR("version", framework->options.version),
                LOG_STR("commit", framework->options.commit));
    *ret_result = (struct reconcile_result){0};
    struct error *err = owner_read(&run);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    return process_owner(&run, ret_result);
}

static struct error *reconcile(void *data, struct key key, struct reconcile_result *ret_result)
{
    return framework_reconcile(data, key, ret_result);
}

/* The name is field manager and label value: printable ASCII without upper case letters. */
static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] <= ' ' || name.ptr[i] > '~' || ascii_is_upper(name.ptr[i]))
            return false;
    return name.len > 0 && name.len <= NAME_LEN_MAX;
}

static struct error *check_options(const struct framework_options *options)
{
    if (!is_name(options->name))
        return error_new(ERROR_INVALID,
                         "a controller's name has 1 to %d printable lower case characters",
                         NAME_LEN_MAX);
    if (!options->owner.kind.len || !options->owner.version.len)
        return error_new(ERROR_INVALID, "controller %.*s names no owner kind",
                         STR_ARG(options->name));
    if (!options->build)
        return error_new(ERROR_INVALID, "controller %.*s has no build function",
                         STR_ARG(options->name));
    if (!options->client || !options->discovery || !options->caches)
        return error_new(ERROR_INVALID, "controller %.*s has no client, discovery or caches",
                         STR_ARG(options->name));
    return NULL;
}

static struct gvk copy_gvk(struct arena *arena, struct gvk gvk)
{
    return (struct gvk){arena_str(arena, gvk.group), arena_str(arena, gvk.version),
                        arena_str(arena, gvk.kind)};
}

static void copy_options(struct framework *framework, const struct framework_options *given)
{
    struct arena *arena = &framework->arena;
    struct framework_options *own = &framework->options;
    struct framework_watch *watches =
        arena_alloc_array(arena, given->watch_count + 1, sizeof(struct framework_watch));
    *own = *given;
    own->name = arena_str(arena, given->name);
    own->owner = copy_gvk(arena, given->owner);
    own->version = arena_str(arena, given->version);
    own->commit = arena_str(arena, given->commit);
    own->domain = arena_str(arena, given->domain.len ? given->domain : DOMAIN_DEFAULT);
    own->class_name = arena_str(arena, given->class_name);
    own->finalizer = arena_str(arena, given->finalizer);
    own->graph_workers = given->graph_workers ? given->graph_workers : GRAPH_WORKERS_DEFAULT;
    own->conflict_requeue = given->conflict_requeue ? given->conflict_requeue : CONFLICT_DEFAULT;
    for (size_t i = 0; i < given->watch_count; i++) {
        watches[i] = given->watches[i];
        watches[i].gvk = copy_gvk(arena, given->watches[i].gvk);
    }
    own->watches = watches;
}

static void release_own_writes(void *value)
{
    own_writes_free(value);
}

struct error *framework_new(struct loop *loop, const struct framework_options *options,
                            struct framework **ret_framework)
{
    TRY(check_options(options));
    OWNED(framework) framework = NEW(struct framework);
    framework->loop = loop;
    framework->written.release = release_own_writes;
    framework->gone.release = mem_free;
    copy_options(framework, options);
    framework->metrics = framework_metrics_new(options->metrics, framework->options.name);
    const struct controller_options controller = {
        .name = options->name,
        .reconcile = reconcile,
        .data = framework,
        .workers = options->workers,
        .metrics = options->metrics,
    };
    framework->controller = controller_new(loop, &controller);
    TRY(owner_watches_open(framework), "controller %.*s", STR_ARG(options->name));
    *ret_framework = TAKE(framework);
    return NULL;
}

void framework_free(struct framework *framework)
{
    if (!framework)
        return;
    controller_free(framework->controller);
    framework_metrics_free(framework->metrics);
    map_done(&framework->caches);
    map_done(&framework->written);
    map_done(&framework->gone);
    arena_done(&framework->arena);
    mem_free(framework);
}

struct controller *framework_take_controller(struct framework *framework)
{
    return TAKE(framework->controller);
}
