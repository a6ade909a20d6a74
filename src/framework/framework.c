#include "async/loop.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery.h"
#include "framework/framework_internal.h"
#include "framework/framework_metrics.h"
#include "framework/outcome.h"
#include "framework/source.h"
#include "json/edit.h"
#include "json/merge_patch.h"
#include "json/path.h"

#define DOMAIN_DEFAULT        STR("corset.dev")
#define GRAPH_WORKERS_DEFAULT 8
#define CONFLICT_DEFAULT      (1 * SECOND)
#define NAME_LEN_MAX          128

#define OPERATOR_ERROR STR("operatorError")
#define API_TEMPORARY  STR("apiTemporaryError")

static void loop_done(struct framework_loop *loop)
{
    object_free(loop->owner);
    mem_free(loop->conditions);
    arena_done(&loop->arena);
}

#define framework_loop_done loop_done

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

static struct sight owner_sight(const struct framework *framework)
{
    return (struct sight){framework->owner_gvr, framework->owner_is_namespaced, framework->owners};
}

static struct error *read_owner(struct framework_loop *loop, struct object **ret_owner)
{
    const struct sight sight = owner_sight(loop->framework);
    return sight_read(loop->framework, &sight, NULL, loop->key, ret_owner);
}

/* Sends a change of the owner, guarded by the version it was read at; nothing if nothing changes.
 */
static struct error *patch_owner(struct framework_loop *loop, const struct object *before,
                                 struct json_doc *after, struct str subresource)
{
    struct framework *framework = loop->framework;
    const struct sight sight = owner_sight(framework);
    OWNED(json_doc) patch = NULL;
    OWNED(json_doc) guarded = NULL;
    SCOPED(json_edit) edit = {0};
    SCOPED(buf) text = {.limit = 0};
    TRY(merge_patch_diff(object_root(before), json_doc_root(after), &patch));
    if (json_count(json_doc_root(patch)) == 0)
        return NULL;
    json_edit_init(&edit, json_doc_root(patch));
    json_edit_set_str(&edit, JSON_PLACE("metadata.resourceVersion"),
                      object_resource_version(before));
    TRY(json_edit_finish(&edit, &guarded));
    json_write(&text, json_doc_root(guarded));
    struct object *written = NULL;
    const struct client_write_options options = {.subresource = subresource,
                                                 .field_manager = framework->options.name};
    struct error *err = client_patch(framework->options.client, framework->owner_gvr, loop->key,
                                     CLIENT_PATCH_MERGE, buf_str(&text), &options, &written);
    if (error_is(err, ERROR_CONFLICT))
        return outcome_stale(err);
    TRY(err);
    sight_note(framework, &sight, written);
    object_free(loop->owner);
    loop->owner = written;
    return NULL;
}

static struct owner_status_writer status_writer(const struct framework *framework)
{
    return (struct owner_status_writer){
        .controller = framework->options.name,
        .version = framework->options.version,
        .commit = framework->options.commit,
        .no_operator = (framework->options.flags & FRAMEWORK_NO_OPERATOR_STATUS) != 0,
        .standard_conditions = (framework->options.flags & FRAMEWORK_METAV1_CONDITIONS) != 0,
        .now = loop_wall(framework->loop),
    };
}

static struct error *write_status(struct framework_loop *loop, const struct object *owner,
                                  const struct owner_status_condition *conditions, size_t count)
{
    const struct owner_status_writer writer = status_writer(loop->framework);
    OWNED(json_doc) before = json_doc_copy(object_root(owner));
    OWNED(json_doc) after = NULL;
    struct error *err =
        owner_status_set(&writer, before, loop->generation, conditions, count, &after);
    if (err)
        return outcome_unrecoverable(err, OPERATOR_ERROR, STR(""));
    OWNED(object) held = object_ref((struct object *)owner);
    return patch_owner(loop, held, after, STR("status"));
}

/* Step 2: this generation is being worked on. */
static struct error *begin_status(struct framework_loop *loop)
{
    const struct owner_status_condition begun = {
        STR("InProgress"), STR("True"), STR("newGeneration"), STR("New generation detected")};
    const struct json_value *generation = object_path(loop->owner, "metadata.generation");
    if (!json_to_int64(generation, &loop->generation))
        return outcome_unrecoverable(error_new(ERROR_INVALID, "no $.metadata.generation found"),
                                     OPERATOR_ERROR, STR(""));
    const bool is_new = !owner_status_has_observed(object_root(loop->owner), loop->generation);
    return write_status(loop, loop->owner, &begun, is_new ? 1 : 0);
}

/* How bad an outcome is: the worst one is what people are told. */
static int severity(enum outcome_class class)
{
    switch (class) {
    case OUTCOME_UNRECOVERABLE:
        return 3;
    case OUTCOME_UNCLASSIFIED:
        return 2;
    case OUTCOME_RETRY_LATER:
        return 1;
    default:
        return 0;
    }
}

struct verdict {
    const struct error *worst; /* NULL: all is well */
    bool is_recoverable;       /* some of it */
    bool is_stale, is_canceled;
    bool has_unclassified;
    duration delay; /* the shortest that was asked for; 0: none */
};

static void judge_error(struct verdict *verdict, const struct error *err)
{
    const enum outcome_class class = outcome_class(err);
    const duration delay = outcome_delay(err);
    if (class == OUTCOME_STALE || class == OUTCOME_CANCELED) {
        verdict->is_stale = verdict->is_stale || class == OUTCOME_STALE;
        verdict->is_canceled = verdict->is_canceled || class == OUTCOME_CANCELED;
        return;
    }
    if (!verdict->worst || severity(class) > severity(outcome_class(verdict->worst)))
        verdict->worst = err;
    verdict->is_recoverable = verdict->is_recoverable || class != OUTCOME_UNRECOVERABLE;
    verdict->has_unclassified = verdict->has_unclassified || class == OUTCOME_UNCLASSIFIED;
    if (delay && (verdict->delay == 0 || delay < verdict->delay))
        verdict->delay = delay;
}

static struct verdict judge(const struct graph *graph, const struct error *err)
{
    struct verdict verdict = {0};
    if (err)
        judge_error(&verdict, err);
    for (size_t i = 0; graph && i < graph_count(graph); i++)
        if (graph_node_state(graph_at(graph, i)) == GRAPH_NODE_FAILED)
            judge_error(&verdict, graph_node_error(graph_at(graph, i)));
    return verdict;
}

static struct str reason_of(struct framework_loop *loop, const struct error *err)
{
    const struct str own = outcome_reason(err, &loop->arena);
    if (own.len)
        return own;
    if (outcome_class(err) != OUTCOME_UNCLASSIFIED)
        return OPERATOR_ERROR;
    switch (err->code) {
    case ERROR_PARSE:
    case ERROR_INVALID:
    case ERROR_IO:
        return err->http_status ? API_TEMPORARY : OPERATOR_ERROR;
    case ERROR_UNKNOWN:
        return err->http_status ? API_TEMPORARY : OPERATOR_ERROR;
    default:
        return API_TEMPORARY;
    }
}

static struct error *set_end_status(struct framework_loop *loop, const struct object *owner,
                                    const struct verdict *verdict)
{
    struct owner_status_condition *all = arena_alloc_array(&loop->arena, loop->condition_count + 2,
                                                           sizeof(struct owner_status_condition));
    const bool failed = verdict->worst != NULL;
    const bool going_on = failed && verdict->is_recoverable;
    const bool standard = (loop->framework->options.flags & FRAMEWORK_METAV1_CONDITIONS) != 0;
    all[0] = (struct owner_status_condition){
        STR("InProgress"), going_on ? STR("True") : STR("False"),
        going_on ? STR("recoverrableError")
                 : (failed && standard ? STR("Stopped") : (struct str){0}),
        going_on ? STR("An error occurred and may be recovered") : (struct str){0}};
    all[1] = (struct owner_status_condition){
        STR("Failed"), failed ? STR("True") : STR("False"),
        failed ? reason_of(loop, verdict->worst) : (struct str){0},
        failed ? outcome_message(verdict->worst, &loop->arena) : (struct str){0}};
    for (size_t i = 0; i < loop->condition_count; i++)
        all[i + 2] = loop->conditions[i];
    return write_status(loop, owner, all, loop->condition_count + 2);
}

/* Of an error: on the newest owner, which may have moved on meanwhile. */
static struct error *end_status(struct framework_loop *loop, const struct verdict *verdict)
{
    OWNED(object) fresh = NULL;
    if (!verdict->worst)
        return set_end_status(loop, loop->owner, verdict);
    TRY(client_get(loop->framework->options.client, loop->framework->owner_gvr, loop->key, NULL,
                   &fresh));
    return set_end_status(loop, fresh, verdict);
}

/* The outcome as the queue understands it. */
static struct error *conclude(struct framework_loop *loop, const struct verdict *verdict,
                              struct reconcile_result *ret_result)
{
    const duration conflict = loop->framework->options.conflict_requeue;
    if (verdict->is_stale) {
        ret_result->requeue_after = conflict;
        return NULL;
    }
    if (!verdict->worst)
        return NULL;
    if (!verdict->is_recoverable) {
        ret_result->is_terminal = true;
        return error_copy(verdict->worst);
    }
    if (verdict->has_unclassified && outcome_class(verdict->worst) == OUTCOME_UNCLASSIFIED)
        return error_copy(verdict->worst);
    if (verdict->delay)
        ret_result->requeue_after = verdict->delay;
    else
        ret_result->requeue = true;
    return NULL;
}

/* Step 5. The graph is NULL when it was not reached. */
static struct error *finish(struct framework_loop *loop, const struct graph *graph,
                            const struct error *err, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &loop->framework->options;
    const struct verdict verdict = judge(graph, err);
    if (verdict.is_canceled)
        return error_new(ERROR_CANCELED, "canceled");
    if (verdict.is_stale && !verdict.worst)
        return conclude(loop, &verdict, ret_result);
    if (options->on_finish && graph)
        options->on_finish(loop, graph);
    struct error *unwritten = end_status(loop, &verdict);
    if (error_is(unwritten, ERROR_NOT_FOUND)) {
        error_free(unwritten); /* the owner is gone, and with it all that was to be said */
        return NULL;
    }
    if (unwritten && outcome_class(unwritten) == OUTCOME_STALE) {
        error_free(unwritten);
        ret_result->requeue_after = options->conflict_requeue;
        return NULL;
    }
    if (unwritten && verdict.worst)
        return error_join(error_copy(verdict.worst), unwritten);
    TRY(unwritten);
    return conclude(loop, &verdict, ret_result);
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

static struct error *change_finalizer(struct framework_loop *loop, bool add)
{
    const struct str name = loop->framework->options.finalizer;
    const struct json_value *item;
    SCOPED(json_edit) edit = {0};
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) list = NULL;
    OWNED(json_doc) after = NULL;
    json_builder_array(&builder);
    JSON_FOREACH (key, item, object_finalizers(loop->owner))
        if (!str_eq(json_to_str(item), name))
            json_builder_value(&builder, item);
    if (add)
        json_builder_str(&builder, name);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &list));
    json_edit_init(&edit, object_root(loop->owner));
    if (json_count(json_doc_root(list)))
        json_edit_set(&edit, JSON_PLACE("metadata.finalizers"), json_doc_root(list));
    else
        json_edit_remove(&edit, JSON_PLACE("metadata.finalizers"));
    TRY(json_edit_finish(&edit, &after));
    OWNED(object) before = object_ref(loop->owner);
    return patch_owner(loop, before, after, STR(""));
}

static struct error *stale_or(struct framework_loop *loop, struct error *err,
                              struct reconcile_result *ret_result)
{
    if (!err || outcome_class(err) != OUTCOME_STALE)
        return error_ignore(err, ERROR_NOT_FOUND);
    error_free(err);
    ret_result->requeue_after = loop->framework->options.conflict_requeue;
    return NULL;
}

static struct error *clean_up(struct framework_loop *loop, struct reconcile_result *ret_result)
{
    const struct framework_options *options = &loop->framework->options;
    OWNED(error) err = options->on_delete ? options->on_delete(loop) : NULL;
    if (!err)
        return stale_or(loop, change_finalizer(loop, false), ret_result);
    (void)json_to_int64(object_path(loop->owner, "metadata.generation"), &loop->generation);
    return finish(loop, NULL, err, ret_result);
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
        return stale_or(loop, change_finalizer(loop, true), ret_result);
    if (options->precheck && options->precheck(loop) == FRAMEWORK_STOP)
        return NULL;
    if (deleting)
        return clean_up(loop, ret_result);
    OWNED(error) err = begin_status(loop);
    if (err && outcome_class(err) == OUTCOME_UNRECOVERABLE)
        return finish(loop, NULL, err, ret_result);
    if (err)
        return stale_or(loop, TAKE(err), ret_result);
    return run_graph(loop, ret_result);
}

struct error *framework_reconcile(struct framework *framework, struct key key,
                                  struct reconcile_result *ret_result)
{
    SCOPED(framework_loop) loop = {.framework = framework, .key = key};
    *ret_result = (struct reconcile_result){0};
    struct error *err = read_owner(&loop, &loop.owner);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    return process(&loop, ret_result);
}

static struct error *reconcile(void *data, struct key key, struct reconcile_result *ret_result)
{
    return framework_reconcile(data, key, ret_result);
}

static struct error *check_options(const struct framework_options *options)
{
    if (options->name.len == 0 || options->name.len > NAME_LEN_MAX)
        return error_new(ERROR_INVALID, "a controller's name has 1 to %d characters", NAME_LEN_MAX);
    if (!options->build)
        return error_new(ERROR_INVALID, "controller %.*s has no build function",
                         STR_ARG(options->name));
    if (!options->client || !options->discovery || !options->caches)
        return error_new(ERROR_INVALID, "controller %.*s has no client, discovery or caches",
                         STR_ARG(options->name));
    return NULL;
}

struct error *framework_new(struct loop *loop, const struct framework_options *options,
                            struct framework **ret_framework)
{
    TRY(check_options(options));
    OWNED(framework) framework = NEW(struct framework);
    framework->loop = loop;
    framework->options = *options;
    framework->written.release = mem_free;
    if (options->domain.len == 0)
        framework->options.domain = DOMAIN_DEFAULT;
    if (options->graph_workers == 0)
        framework->options.graph_workers = GRAPH_WORKERS_DEFAULT;
    if (options->conflict_requeue == 0)
        framework->options.conflict_requeue = CONFLICT_DEFAULT;
    framework->metrics = framework_metrics_new(options->metrics, options->name);
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
    source_close(framework);
    map_done(&framework->caches);
    map_done(&framework->written);
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
