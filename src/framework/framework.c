#include "base/log.h"
#include "base/memory.h"
#include "controller/cache/own_writes.h"
#include "framework/framework_internal.h"
#include "framework/framework_metrics.h"
#include "framework/outcome.h"
#include "framework/owner.h"
#include "framework/source.h"
#include "framework/verdict.h"

#define DOMAIN_DEFAULT        STR("corset.dev")
#define GRAPH_WORKERS_DEFAULT 8
#define CONFLICT_DEFAULT      (1 * SECOND)
#define NAME_LEN_MAX          128

static void framework_loop_done(struct framework_loop *loop)
{
    object_free(loop->owner);
    mem_free(loop->conditions);
    arena_done(&loop->arena);
}

struct object *framework_owner(const struct framework_loop *loop)
{
    return loop->owner;
}

void *framework_data(const struct framework_loop *loop)
{
    return loop->framework->options.data;
}

struct arena *framework_arena(struct framework_loop *loop)
{
    return &loop->arena;
}

struct client *framework_client(struct framework_loop *loop)
{
    return loop->framework->options.client;
}

const struct error *framework_error(const struct framework_loop *loop)
{
    return loop->err;
}

struct str framework_name(struct framework_loop *loop, struct str suffix)
{
    const struct str owner = object_name(loop->owner);
    const struct str controller = loop->framework->options.name;
    return arena_print(&loop->arena, "%.*s-%.*s%s%.*s", STR_ARG(owner), STR_ARG(controller),
                       suffix.len ? "-" : "", STR_ARG(suffix));
}

void framework_set_condition(struct framework_loop *loop, struct str type, struct str status,
                             struct str reason, struct str message)
{
    if (loop->condition_count == loop->condition_capacity) {
        loop->condition_capacity = loop->condition_capacity ? loop->condition_capacity * 2 : 4;
        loop->conditions = mem_realloc_array(loop->conditions, loop->condition_capacity,
                                             sizeof(struct owner_status_condition));
    }
    loop->conditions[loop->condition_count++] = (struct owner_status_condition){
        arena_str(&loop->arena, type), arena_str(&loop->arena, status),
        arena_str(&loop->arena, reason), arena_str(&loop->arena, message)};
}

static void come_again(const struct framework_loop *loop, duration delay,
                       struct reconcile_result *ret_result)
{
    const duration conflict = loop->framework->options.conflict_requeue;
    ret_result->requeue_after = delay && delay < conflict ? delay : conflict;
}

/* The outcome as the queue understands it. */
static struct error *conclude(const struct framework_loop *loop, const struct verdict *verdict,
                              struct reconcile_result *ret_result)
{
    if (verdict->is_stale) {
        come_again(loop, verdict->delay, ret_result);
        return NULL;
    }
    if (!verdict->worst)
        return NULL;
    ret_result->is_terminal = !verdict->is_recoverable;
    if (ret_result->is_terminal || verdict->is_counted)
        return error_copy(verdict->worst);
    ret_result->requeue_after = verdict->delay;
    ret_result->requeue = !verdict->delay;
    return NULL;
}

/* The status could not be written: nobody was told of the outcome, so it is not one yet. */
static struct error *conclude_unwritten(const struct framework_loop *loop,
                                        const struct verdict *verdict, struct error *unwritten,
                                        struct reconcile_result *ret_result)
{
    const enum outcome_class class = outcome_class(unwritten);
    if (class == OUTCOME_STALE) {
        error_free(unwritten);
        come_again(loop, verdict->delay, ret_result);
        return NULL;
    }
    if (error_is(unwritten, ERROR_NOT_FOUND)) {
        error_free(unwritten); /* the owner is gone, and with it all that was to be said */
        return NULL;
    }
    ret_result->is_terminal =
        class == OUTCOME_UNRECOVERABLE && (!verdict->worst || !verdict->is_recoverable);
    return error_join(error_copy(verdict->worst), unwritten);
}

/* Step 5. The graph is NULL when it was not reached. */
static struct error *finish(struct framework_loop *loop, const struct graph *graph,
                            const struct error *err, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &loop->framework->options;
    const struct verdict verdict = verdict_of(graph, err);
    if (verdict.is_canceled)
        return error_new(ERROR_CANCELED, "canceled");
    if (verdict.is_stale && !verdict.worst)
        return conclude(loop, &verdict, ret_result);
    loop->err = verdict.worst;
    if (options->on_finish)
        options->on_finish(loop, graph);
    struct error *unwritten = owner_end(loop, &verdict);
    return unwritten ? conclude_unwritten(loop, &verdict, unwritten, ret_result)
                     : conclude(loop, &verdict, ret_result);
}

static struct error *run_graph(struct framework_loop *loop, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &loop->framework->options;
    OWNED(graph) graph = graph_new();
    OWNED(error) err = options->build(loop, graph);
    if (!err && (options->flags & FRAMEWORK_PRUNE))
        err = prune_add(loop, graph);
    if (err)
        return finish(loop, NULL, err, ret_result);
    TRY(graph_run(graph, options->graph_workers, node_process, loop));
    return finish(loop, graph, NULL, ret_result);
}

/* What becomes of a write outside of step 5. A stale one comes again; an owner that is gone is
 * fine.
 */
static struct error *end_write(const struct framework_loop *loop, struct error *err,
                               struct reconcile_result *ret_result)
{
    if (!err || outcome_class(err) != OUTCOME_STALE)
        return error_ignore(err, ERROR_NOT_FOUND);
    error_free(err);
    come_again(loop, 0, ret_result);
    return NULL;
}

static struct error *clean_up(struct framework_loop *loop, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &loop->framework->options;
    OWNED(error) err = options->on_delete ? options->on_delete(loop) : NULL;
    if (!err)
        return end_write(loop, owner_change_finalizer(loop, false), ret_result);
    loop->generation = object_generation(loop->owner);
    loop->has_generation = loop->generation > 0;
    return finish(loop, NULL, err, ret_result);
}

static struct error *stop(struct framework_loop *loop, struct reconcile_result *ret_result)
{
    return loop->condition_count ? end_write(loop, owner_set_conditions(loop), ret_result) : NULL;
}

/* Steps 1 to 5 for an owner that was read. */
static struct error *process(struct framework_loop *loop, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &loop->framework->options;
    const bool deleting = object_is_deleting(loop->owner);
    const bool held =
        options->finalizer.len && object_has_finalizer(loop->owner, options->finalizer);
    if (deleting && !held)
        return NULL;
    if (!source_has_class(loop->framework, object_root(loop->owner)))
        return NULL;
    if (!deleting && options->finalizer.len && !held)
        return end_write(loop, owner_change_finalizer(loop, true), ret_result);
    if (options->precheck && options->precheck(loop) == FRAMEWORK_STOP)
        return stop(loop, ret_result);
    if (deleting)
        return clean_up(loop, ret_result);
    OWNED(error) err = owner_begin(loop);
    if (err && outcome_class(err) == OUTCOME_UNRECOVERABLE)
        return finish(loop, NULL, err, ret_result);
    return err ? end_write(loop, TAKE(err), ret_result) : run_graph(loop, ret_result);
}

struct error *framework_reconcile(struct framework *framework, struct key key,
                                  struct reconcile_result *ret_result)
{
    SCOPED(framework_loop) loop = {.framework = framework, .key = key};
    LOG_CONTEXT(LOG_STR("version", framework->options.version),
                LOG_STR("commit", framework->options.commit));
    *ret_result = (struct reconcile_result){0};
    struct error *err = owner_read(&loop);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    return process(&loop, ret_result);
}

static struct error *reconcile(void *data, struct key key, struct reconcile_result *ret_result)
{
    return framework_reconcile(data, key, ret_result);
}

/* Printable, without capitals: it is the field manager and a label. */
static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] <= ' ' || name.ptr[i] > '~' || (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z'))
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
        return error_new(ERROR_INVALID, "controller %.*s has no kind of owners",
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
    TRY(source_open(framework), "controller %.*s", STR_ARG(options->name));
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

struct controller *framework_controller(struct framework *framework)
{
    return framework->controller;
}

struct controller *framework_take_controller(struct framework *framework)
{
    return TAKE(framework->controller);
}
