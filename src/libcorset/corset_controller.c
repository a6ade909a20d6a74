/*
 * Controllers, runs and graphs of corset/controller.h, on top of framework/framework.h.
 *
 * The file goes from the run (corset_run_*) over nodes and graphs to the description of a
 * controller. Functions of authors are called through the functions call_*() and through
 * check_node(), run_node(), filter_event() and map_event(), which translate the arguments.
 * Enumerations have equal values on both sides and are cast; static assertions keep them equal.
 */
#include <stdarg.h>

#include "base/memory.h"
#include "client/discovery/discovery.h"
#include "controller/queue.h"
#include "controller/recorder.h"
#include "framework/error_class.h"
#include "libcorset/library_internal.h"

/* The data of a graph node: the functions of the author, and the run the node belongs to. */
struct library_node {
    struct framework_run *run;
    corset_check_fn *check;
    corset_node_fn *custom;
    void *data;
};

const struct corset_object *corset_run_owner(struct corset_run *run)
{
    struct framework_run *inner = library_run(run);
    return library_wrap(framework_arena(inner), framework_owner(inner));
}

void *corset_run_data(struct corset_run *run)
{
    return library_controller(library_run(run))->description->data;
}

const char *corset_run_name(struct corset_run *run, const char *suffix)
{
    struct framework_run *inner = library_run(run);
    return arena_c(framework_arena(inner), framework_name(inner, str_from_c(suffix)));
}

/* The text may contain a Secret's value, so the buffer is wiped. */
const char *corset_run_print(struct corset_run *run, const char *format, ...)
{
    SCOPED(buf) text = {.limit = 0, .secret = true};
    va_list args;
    va_start(args, format);
    library_print(&text, format, args);
    va_end(args);
    return arena_c(framework_arena(library_run(run)), buf_str(&text));
}

void *corset_run_alloc(struct corset_run *run, size_t size)
{
    return arena_alloc(framework_arena(library_run(run)), size);
}

const struct corset_error *corset_run_error(struct corset_run *run)
{
    return (const struct corset_error *)framework_error(library_run(run));
}

void corset_run_set_condition(struct corset_run *run, const char *type, const char *status,
                              const char *reason, const char *message)
{
    framework_set_condition(library_run(run), str_from_c(type), str_from_c(status),
                            str_from_c(reason), str_from_c(message));
}

void corset_run_event(struct corset_run *run, enum corset_event_type type, const char *reason,
                      const char *action, const char *format, ...)
{
    struct framework_run *inner = library_run(run);
    const struct recorder_reference owner = recorder_reference(framework_owner(inner));
    SCOPED(buf) note = {.limit = 0};
    va_list args;
    va_start(args, format);
    library_print(&note, format, args);
    va_end(args);
    recorder_event(library_controller(inner)->recorder, &owner,
                   type == CORSET_EVENT_WARNING ? RECORDER_WARNING : RECORDER_NORMAL, reason,
                   action, "%s", buf_c(&note));
}

/* Calls the check function of the author for a node. */
static enum graph_readiness check_node(void *data, const struct object *object,
                                       struct str *ret_reason, struct str *ret_message)
{
    const struct library_node *node = data;
    const char *reason = NULL, *message = NULL;
    const struct corset_object *live =
        library_wrap(framework_arena(node->run), (struct object *)object);
    const enum corset_readiness state =
        node->check(node->data, library_run_out(node->run), live, &reason, &message);
    *ret_reason = str_from_c(reason);
    *ret_message = str_from_c(message);
    return (enum graph_readiness)state;
}

enum corset_readiness corset_check_always(void *data, struct corset_run *run,
                                          const struct corset_object *live, const char **ret_reason,
                                          const char **ret_message)
{
    (void)data, (void)run, (void)live, (void)ret_reason, (void)ret_message;
    return CORSET_READY;
}

enum corset_readiness corset_check_strict(void *data, struct corset_run *run,
                                          const struct corset_object *live, const char **ret_reason,
                                          const char **ret_message)
{
    const struct readiness found = readiness_check_strict(library_settle(live));
    (void)data, (void)run;
    *ret_reason = library_keep(live, found.reason);
    *ret_message = library_keep(live, found.message);
    return (enum corset_readiness)found.state;
}

/* Calls the function of a custom node. */
static struct error *run_node(void *data, struct graph_node *graph_node,
                              enum graph_outcome *ret_outcome)
{
    const struct library_node *node = data;
    enum corset_outcome outcome = CORSET_DONE;
    (void)graph_node;
    TRY(library_error(node->custom(node->data, library_run_out(node->run), &outcome)));
    *ret_outcome = outcome == CORSET_SKIP ? GRAPH_SKIP : GRAPH_DONE;
    return NULL;
}

/*
 * Objects of namespaced kinds that name no namespace are put into the namespace of the owner. A
 * kind that is not known yet is taken for a namespaced one; when the node runs, it fails if the
 * kind still does not exist.
 */
static struct error *place_object(struct framework_run *run, struct corset_object *given,
                                  struct object **ret_object)
{
    struct discovery_mapping mapping;
    const struct str home = object_namespace(framework_owner(run));
    TRY(library_use(given, ret_object));
    if (object_namespace(*ret_object).len || home.len == 0)
        return NULL;
    OWNED(error)
    unknown = discovery_find_kind(library_controller(run)->discovery, framework_arena(run),
                                  object_gvk(*ret_object), &mapping);
    if (error_is(unknown, ERROR_CANCELED))
        return TAKE(unknown);
    if (!unknown && !mapping.namespaced)
        return NULL; /* one that is not known (yet) is refused by the node when it runs */
    const char *text = arena_c(framework_arena(run), home);
    corset_object_set_string(given, "metadata.namespace", text);
    return library_use(given, ret_object);
}

/* An error here is a mistake of the controller that a retry cannot correct, hence unrecoverable. */
struct corset_error *corset_graph_add(struct corset_graph *graph,
                                      const struct corset_node_options *options,
                                      struct corset_node **ret_node)
{
    struct library_node *data = ARENA_NEW(framework_arena(graph->run), struct library_node);
    struct graph_node *node = NULL;
    struct object *object = NULL;
    struct error *err = options->object ? place_object(graph->run, options->object, &object) : NULL;
    *data = (struct library_node){graph->run, options->check, options->run, options->data};
    const struct graph_node_options inner = {
        .kind = (enum graph_node_kind)options->kind,
        .object = object,
        .check = options->check ? check_node : NULL,
        .apply = (enum graph_apply)options->apply,
        .run = options->run ? run_node : NULL,
        .flags = options->flags,
        .data = data,
        .blockers = (struct graph_node *const *)options->blockers,
        .blocker_count = options->blocker_count,
        .checksums = (const enum graph_checksum *)options->checksums,
        .after = (struct graph_node *const *)options->after,
        .after_count = options->after_count,
    };
    if (!err)
        err = graph_add(graph->graph, &inner, &node);
    if (err && !error_is(err, ERROR_CANCELED) && error_class_of(err) == ERROR_CLASS_UNCLASSIFIED)
        err = error_class_unrecoverable(err, STR("operatorError"), STR(""));
    if (!err && ret_node)
        *ret_node = (struct corset_node *)node;
    return library_error_out(err);
}

struct corset_error *corset_graph_manage(struct corset_graph *graph, struct corset_object *object,
                                         struct corset_node *blocker,
                                         struct corset_node *other_blocker,
                                         struct corset_node **ret_node)
{
    struct corset_node *const blockers[] = {blocker, other_blocker};
    const struct corset_node_options options = {
        .object = object, .blockers = blockers, .blocker_count = COUNT(blockers)};
    return corset_graph_add(graph, &options, ret_node);
}

/* A graph that was not run is NULL inside and counts as empty. */
size_t corset_graph_count(const struct corset_graph *graph)
{
    return graph->graph ? graph_count(graph->graph) : 0;
}

struct corset_node *corset_graph_at(const struct corset_graph *graph, size_t index)
{
    return index < corset_graph_count(graph) ? (struct corset_node *)graph_at(graph->graph, index)
                                             : NULL;
}

/* NULL is a node that did not run, so that on_finish may ask for nodes by index without a check. */
enum corset_node_state corset_node_state(const struct corset_node *node)
{
    return node ? (enum corset_node_state)graph_node_state((const struct graph_node *)node)
                : CORSET_NODE_NOT_RUN;
}

const struct corset_error *corset_node_error(const struct corset_node *node)
{
    return node ? (const struct corset_error *)graph_node_error((const struct graph_node *)node)
                : NULL;
}

const struct corset_object *corset_node_live(struct corset_run *run, const struct corset_node *node)
{
    struct object *live = node ? graph_node_live((const struct graph_node *)node) : NULL;
    return live ? library_wrap(framework_arena(library_run(run)), live) : NULL;
}

/* The enumerations are cast from one side to the other, so their values must agree. */
_Static_assert((int)CORSET_CUSTOM == (int)GRAPH_CUSTOM &&
                   (int)CORSET_EXTERNAL == (int)GRAPH_EXTERNAL,
               "kinds of nodes");
_Static_assert((int)CORSET_CREATE_ONLY == (int)GRAPH_CREATE_ONLY &&
                   (int)CORSET_CREATE_OR_MERGE == (int)GRAPH_CREATE_OR_MERGE,
               "ways to apply");
_Static_assert((int)CORSET_NO_DECORATION == (int)GRAPH_NO_DECORATION &&
                   (int)CORSET_NO_CHECKSUMS == (int)GRAPH_NO_CHECKSUMS &&
                   (int)CORSET_OPTIONAL == (int)GRAPH_OPTIONAL &&
                   (int)CORSET_ALLOW_DUPLICATE == (int)GRAPH_ALLOW_DUPLICATE &&
                   (int)CORSET_RETRY_REJECTED == (int)GRAPH_RETRY_REJECTED &&
                   (int)CORSET_WAIT_COMPLETION == (int)GRAPH_WAIT_COMPLETION,
               "flags of nodes");
_Static_assert((int)CORSET_BY_SPEC == (int)GRAPH_BY_SPEC &&
                   sizeof(enum corset_checksum) == sizeof(enum graph_checksum),
               "checksums");
_Static_assert((int)CORSET_READY == (int)GRAPH_READY &&
                   (int)CORSET_IN_PROGRESS == (int)GRAPH_IN_PROGRESS &&
                   (int)CORSET_FAILED == (int)GRAPH_FAILED,
               "readiness");
_Static_assert((int)CORSET_NODE_NOT_RUN == (int)GRAPH_NOT_RUN &&
                   (int)CORSET_NODE_SUCCEEDED == (int)GRAPH_SUCCEEDED &&
                   (int)CORSET_NODE_SKIPPED == (int)GRAPH_SKIPPED &&
                   (int)CORSET_NODE_FAILED == (int)GRAPH_NODE_FAILED &&
                   (int)CORSET_NODE_CANCELED == (int)GRAPH_CANCELED,
               "states of nodes");
_Static_assert((int)CORSET_PRUNE == (int)FRAMEWORK_PRUNE &&
                   (int)CORSET_NO_OPERATOR_STATUS == (int)FRAMEWORK_NO_OPERATOR_STATUS &&
                   (int)CORSET_STANDARD_CONDITIONS == (int)FRAMEWORK_METAV1_CONDITIONS &&
                   (int)CORSET_NO_STATUS == (int)FRAMEWORK_NO_STATUS,
               "flags of controllers");
_Static_assert((int)CORSET_STOP == (int)PRECHECK_STOP, "results of prechecks");

/* The hooks of the framework, which call those of the author. */
static struct error *call_build(struct framework_run *run, struct graph *graph)
{
    struct corset_graph wrapped = {graph, run};
    return library_error(
        library_controller(run)->description->build(library_run_out(run), &wrapped));
}

static enum precheck_result call_precheck(struct framework_run *run)
{
    return (enum precheck_result)library_controller(run)->description->precheck(
        library_run_out(run));
}

static struct error *call_on_delete(struct framework_run *run)
{
    return library_error(library_controller(run)->description->on_delete(library_run_out(run)));
}

static void call_on_finish(struct framework_run *run, const struct graph *graph)
{
    const struct corset_graph wrapped = {(struct graph *)graph, run};
    library_controller(run)->description->on_finish(library_run_out(run), &wrapped);
}

void corset_keys_add(struct corset_keys *keys, const char *name_space, const char *name)
{
    const struct key key = {str_from_c(name_space), str_from_c(name)};
    queue_add(keys->queue, key, keys->priority);
}

struct corset_object *library_read_side(struct arena *arena, struct object_text *text)
{
    OWNED(object) object = NULL;
    if (!text)
        return NULL;
    OWNED(error) unreadable = object_text_read(text, &object);
    return unreadable ? NULL : library_wrap(arena, object);
}

static bool filter_event(void *data, const struct cache_event *event)
{
    const struct corset_watch *watch = data;
    SCOPED(arena) arena = {0};
    return watch->filter(watch->data, library_read_side(&arena, event->old),
                         library_read_side(&arena, event->now));
}

/* Both sides are mapped: an object that moves from one owner to another concerns both. */
static void map_event(void *data, const struct cache_event *event, struct queue *queue,
                      int priority)
{
    const struct corset_watch *watch = data;
    SCOPED(arena) arena = {0};
    struct corset_keys keys = {queue, priority};
    const struct corset_object *sides[] = {library_read_side(&arena, event->old),
                                           library_read_side(&arena, event->now)};
    for (size_t i = 0; i < COUNT(sides); i++)
        if (sides[i])
            watch->map(watch->data, sides[i], &keys);
}

struct error *library_read_kind(const char *api_version, const char *kind, struct gvk *ret_gvk)
{
    if (!api_version || !kind || !api_version[0] || !kind[0])
        return error_new(ERROR_INVALID, "api_version and kind are required");
    return gvk_from_api_version(str_from_c(api_version), str_from_c(kind), ret_gvk);
}

/* Translates kinds and watches. The watches live until library_controller_close(). */
static struct error *read_description(struct library_controller *controller)
{
    const struct corset_controller *description = controller->description;
    TRY(library_read_kind(description->api_version, description->kind, &controller->owner));
    controller->watches =
        mem_alloc_zero((description->watch_count + 1) * sizeof(*controller->watches));
    for (size_t i = 0; i < description->watch_count; i++) {
        const struct corset_watch *watch = &description->watches[i];
        struct framework_watch *inner = &controller->watches[i];
        TRY(library_read_kind(watch->api_version, watch->kind, &inner->gvk), "watch %zu", i);
        inner->map = watch->map ? map_event : NULL;
        inner->filter = watch->filter ? filter_event : NULL;
        inner->data = (void *)watch;
    }
    return NULL;
}

/* Called again while a kind is not served yet, so it closes the former attempt first. */
struct error *library_controller_open(struct library_controller *controller, struct loop *loop)
{
    const struct corset_controller *description = controller->description;
    library_controller_close(controller);
    TRY(read_description(controller), "controller %s", description->name ? description->name : "");
    const struct framework_options options = {
        .name = str_from_c(description->name),
        .owner = controller->owner,
        .version = str_from_c(description->version),
        .commit = str_from_c(description->commit),
        .domain = str_from_c(description->domain),
        .class_name = str_from_c(description->class_name),
        .workers = description->workers,
        .graph_workers = description->node_workers,
        .finalizer = str_from_c(description->finalizer),
        .flags = description->flags,
        .watches = controller->watches,
        .watch_count = description->watch_count,
        .precheck = description->precheck ? call_precheck : NULL,
        .build = description->build ? call_build : NULL,
        .on_delete = description->on_delete ? call_on_delete : NULL,
        .on_finish = description->on_finish ? call_on_finish : NULL,
        .data = controller,
        .client = controller->client,
        .discovery = controller->discovery,
        .caches = controller->caches,
        .metrics = controller->metrics,
    };
    return framework_new(loop, &options, &controller->framework);
}

void library_controller_close(struct library_controller *controller)
{
    framework_free(controller->framework);
    mem_free(controller->watches);
    controller->framework = NULL;
    controller->watches = NULL;
}
