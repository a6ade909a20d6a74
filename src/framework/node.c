/*
 * Processes managed and external nodes: node_process() is called by graph_run() on a fiber per
 * node.
 *
 * A managed node goes through these steps:
 *
 *     live_reader_find()   where is the kind served, and is there a cache
 *     read_live()          the server's copy, if any
 *     find_parents()       checksums of the owner and of the blockers, as they are now
 *     check_controller()   an object of another controller is never written
 *     needs_apply()        compare the checksums with the annotations of the live object
 *     apply_object()       decorate, strip what the server owns, send
 *     check_ready()        judge the live object; not ready is a retry-later error
 *
 * An external node is only read and checked. A node never waits: an object that is not ready yet
 * fails the node, and the watch on the object leads to the next run.
 *
 * Failures of requests pass through node_classify(), which holds the table of HTTP answers of the
 * framework's specification.
 */
#include "async/loop.h"
#include "base/buf.h"
#include "base/log.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "framework/checksum_annotation.h"
#include "framework/error_class.h"
#include "framework/framework_internal.h"
#include "framework/framework_metrics.h"
#include "framework/live_reader.h"
#include "framework/object_decoration.h"
#include "framework/readiness.h"
#include "json/merge_patch.h"
#include "json/path.h"

#define DEPENDENCY_STATUS STR("dependencyStatus")
#define DEPENDENCY_SPEC   STR("dependencySpec")
#define API_TEMPORARY     STR("apiTemporaryError")
#define OPERATOR_ERROR    STR("operatorError")

/* The state of one node while it is processed. The arena lives as long as the processing. */
struct node_work {
    struct framework_run *run;
    struct framework *framework;
    struct graph_node *node;
    const struct graph_node_options *options;
    struct arena arena;
    struct live_reader reader;
    struct key key;
    struct checksum_annotation_set annotations;
    struct object *live, *desired;
};

static void node_work_done(struct node_work *work)
{
    object_free(work->live);
    object_free(work->desired);
    arena_done(&work->arena);
}

/* True if the Status that the server sent lists a cause with this reason. */
static bool has_cause(const struct error *err, struct str reason)
{
    OWNED(json_doc) doc = NULL;
    const struct json_value *cause;
    if (!err->details)
        return false;
    error_free(json_read(str_from_c(err->details), &doc)); /* unreadable ones name no causes */
    JSON_FOREACH (key, cause, json_get(doc ? json_doc_root(doc) : NULL, STR("causes")))
        if (str_eq(json_path_str(cause, "reason"), reason))
            return true;
    return false;
}

/* A request that the server refused for good, unless the node asks to retry such requests. */
static struct error *classify_rejected(struct error *err, struct str reason, unsigned flags)
{
    const struct str message = STR("");
    return flags & GRAPH_RETRY_REJECTED ? error_class_retry_later(err, reason, message, 0)
                                        : error_class_unrecoverable(err, reason, message);
}

/*
 * The table of answers. Errors without an HTTP status stay unclassified, except that of a kind
 * that discovery does not know, which counts as 404. Errors that have a class keep it.
 */
struct error *node_classify(struct error *err, unsigned flags)
{
    const struct str text = STR("");
    if (!err || error_class_of(err) != ERROR_CLASS_UNCLASSIFIED)
        return err;
    switch (err->http_status ? err->http_status : err->code == ERROR_NOT_FOUND ? 404 : 0) {
    case 403:
    case 404:
        return error_class_retry_later(err, DEPENDENCY_STATUS, text, 0);
    case 400:
    case 413:
    case 422:
        return classify_rejected(err, DEPENDENCY_SPEC, flags);
    case 409:
        return has_cause(err, STR("FieldManagerConflict"))
                   ? classify_rejected(err, DEPENDENCY_SPEC, flags)
                   : error_class_stale(err);
    case 415:
        return classify_rejected(err, OPERATOR_ERROR, flags);
    case 429:
    case 503:
        return error_class_retry_later(err, API_TEMPORARY, text, err->retry_after);
    default:
        return err;
    }
}

/* "Deployment.apps default/web": how conditions name the object. */
static struct str subject(struct node_work *work)
{
    const struct str kind = gvk_group_kind(&work->arena, object_gvk(work->options->object));
    return arena_print(&work->arena, "%.*s %.*s/%.*s", STR_ARG(kind), STR_ARG(work->key.namespace),
                       STR_ARG(work->key.name));
}

/*
 * The error of an object that is not ready: "Deployment.apps default/web: LessReplicas: message".
 */
static struct error *not_ready(struct node_work *work, struct str reason, struct str message)
{
    SCOPED(buf) text = {.limit = 0};
    const struct str about = subject(work);
    buf_add(&text, about);
    if (reason.len)
        buf_print(&text, ": %.*s", STR_ARG(reason));
    if (message.len)
        buf_print(&text, ": %.*s", STR_ARG(message));
    framework_metrics_not_ready(work->framework->metrics, object_kind(work->options->object));
    return error_class_retry_later(error_new(ERROR_UNKNOWN, "not ready"), DEPENDENCY_STATUS,
                                   buf_str(&text), 0);
}

/* Judges the live object with the check of the node, or by its kind. */
static struct error *check_ready(struct node_work *work)
{
    struct str reason = {0}, message = {0};
    enum graph_readiness state;
    if (work->options->check) {
        state = work->options->check(work->options->data, work->live, &reason, &message);
    } else {
        const struct readiness found =
            readiness_check(work->live, (work->options->flags & GRAPH_WAIT_COMPLETION) != 0,
                            loop_wall(work->framework->loop));
        state = found.state;
        reason = found.reason;
        message = found.message;
    }
    return state == GRAPH_READY ? NULL : not_ready(work, reason, message);
}

/* Empty, which means unknown, for an object without a generation that is compared by generation. */
static struct str checksum_of(struct node_work *work, const struct object *object,
                              enum graph_checksum mode)
{
    int64_t generation;
    if (mode == GRAPH_BY_VERSION)
        return object_resource_version(object);
    return json_to_int64(object_path(object, "metadata.generation"), &generation)
               ? arena_print(&work->arena, "%lld", (long long)generation)
               : (struct str){0};
}

static struct checksum_annotation_parent parent_of(const struct object *object, struct str checksum)
{
    return (struct checksum_annotation_parent){object_namespace(object), object_gvk(object).group,
                                               object_kind(object), object_name(object), checksum};
}

/*
 * Computes the checksum annotations: one for the owner and one for each blocker that holds a
 * resource. Blockers have been applied in this run already, so that a change of theirs is seen at
 * once.
 */
static void find_parents(struct node_work *work)
{
    const size_t most = graph_node_blocker_count(work->node) + 1;
    struct checksum_annotation_parent *parents =
        arena_alloc_array(&work->arena, most, sizeof(struct checksum_annotation_parent));
    size_t count = 0;
    parents[count++] = parent_of(
        work->run->owner, arena_print(&work->arena, "%lld", (long long)work->run->generation));
    for (size_t i = 0; i + 1 < most; i++) {
        const struct object *live = graph_node_live(graph_node_blocker(work->node, i));
        if (live)
            parents[count++] =
                parent_of(live, checksum_of(work, live, graph_node_checksum(work->node, i)));
    }
    work->annotations =
        checksum_annotation_set_new(&work->arena, work->framework->options.domain, parents, count);
}

/*
 * Refuses to write to a live object that has another controller. An object of an earlier owner of
 * the same name will be deleted by the garbage collector, so waiting for that helps.
 */
static struct error *check_controller(struct node_work *work)
{
    const struct object *owner = work->run->owner;
    struct owner_reference reference;
    if (!object_find_controller(work->live, &reference) || str_eq(reference.uid, object_uid(owner)))
        return NULL;
    const struct str about = subject(work);
    if (owner_reference_same_owner(reference, object_to_owner_reference(owner)))
        return error_class_retry_later(
            NULL, DEPENDENCY_STATUS,
            arena_print(&work->arena,
                        "%.*s belongs to an earlier owner of the same name "
                        "and has to be collected first",
                        STR_ARG(about)),
            0);
    return error_class_unrecoverable(error_new(ERROR_CONFLICT, "%.*s is controlled by %.*s %.*s",
                                               STR_ARG(about), STR_ARG(reference.kind),
                                               STR_ARG(reference.name)),
                                     DEPENDENCY_SPEC, STR(""));
}

/*
 * True if the live object carries the annotation "<domain>/immutable: true": such objects are
 * created and never changed.
 */
static bool is_immutable(struct node_work *work)
{
    struct str value;
    const struct str key =
        arena_print(&work->arena, "%.*s/immutable", STR_ARG(work->framework->options.domain));
    return object_find_annotation(work->live, key, &value) && str_eq(value, STR("true"));
}

/* Decides whether the object is applied. A missing object always is. */
static bool needs_apply(struct node_work *work)
{
    if (!work->live)
        return true;
    if (is_immutable(work) || work->options->apply == GRAPH_CREATE_ONLY)
        return false;
    if (work->options->needs_apply)
        return work->options->needs_apply(work->options->data, work->node, work->live);
    if (work->options->flags & GRAPH_NO_CHECKSUMS)
        return true;
    return checksum_annotation_needs_apply(&work->arena, &work->annotations, work->options->object,
                                           work->live);
}

static bool has_annotations(const struct node_work *work)
{
    return !(work->options->flags & GRAPH_NO_CHECKSUMS) && !work->options->needs_apply;
}

/*
 * The live objects of all blockers. Their uids and versions go into pod templates, so that Pods
 * are replaced when a resource they use changes.
 */
static const struct object **find_resources(struct node_work *work, size_t *ret_count)
{
    const size_t most = graph_node_blocker_count(work->node);
    const struct object **resources =
        arena_alloc_array(&work->arena, most + 1, sizeof(const struct object *));
    *ret_count = 0;
    for (size_t i = 0; i < most; i++) {
        const struct object *live = graph_node_live(graph_node_blocker(work->node, i));
        if (live)
            resources[(*ret_count)++] = live;
    }
    return resources;
}

/* Makes work->desired: the object of the node with labels, annotations and owner reference. */
static struct error *decorate_object(struct node_work *work)
{
    const struct framework_options *options = &work->framework->options;
    struct object_decoration decoration = {
        .domain = options->domain,
        .class_name = options->class_name,
        .controller = options->name,
        .version = options->version,
        .owner = work->run->owner,
        .owner_is_namespaced = work->framework->owner_is_namespaced,
        .object_is_namespaced = work->reader.namespaced,
        .annotations = has_annotations(work) ? &work->annotations : NULL,
    };
    if (work->options->flags & GRAPH_NO_DECORATION) {
        work->desired = object_ref(work->options->object);
        return NULL;
    }
    decoration.resources = find_resources(work, &decoration.resource_count);
    return object_decoration_apply(&work->arena, &decoration, work->options->object,
                                   &work->desired);
}

/*
 * Sends the difference between the live object and the desired one as a merge patch. No
 * difference: no request.
 */
static struct error *merge_object(struct node_work *work, const struct object *wire,
                                  struct object **ret_object)
{
    OWNED(json_doc) merged = NULL;
    OWNED(json_doc) patch = NULL;
    SCOPED(buf) text = {.limit = 0, .secret = true};
    const struct client_write_options options = {.field_manager = work->framework->options.name,
                                                 .no_retry = true};
    TRY(merge_patch_apply(object_root(work->live), object_root(wire), &merged));
    TRY(merge_patch_diff(object_root(work->live), json_doc_root(merged), &patch));
    if (json_count(json_doc_root(patch)) == 0) {
        *ret_object = object_ref(work->live);
        return NULL;
    }
    json_write(&text, json_doc_root(patch));
    return client_patch(work->reader.cluster.client, work->reader.gvr, work->key,
                        CLIENT_PATCH_MERGE, buf_str(&text), &options, ret_object);
}

/* For an object that is only created, one that exists already is as good as a new one. */
static struct error *create_object(struct node_work *work, const struct object *wire,
                                   struct object **ret_object)
{
    static const struct client_get_options once = {.no_retry = true};
    const struct client_write_options options = {.field_manager = work->framework->options.name,
                                                 .no_retry = true};
    struct client *client = work->reader.cluster.client;
    struct error *err = client_create(client, work->reader.gvr, wire, &options, ret_object);
    if (!error_is(err, ERROR_ALREADY_EXISTS) || work->options->apply != GRAPH_CREATE_ONLY)
        return err;
    error_free(err);
    return client_get(client, work->reader.gvr, work->key, &once, ret_object);
}

static struct error *send_object(struct node_work *work, const struct object *wire,
                                 struct object **ret_object)
{
    const struct client_write_options options = {
        .field_manager = work->framework->options.name, .force = true, .no_retry = true};
    switch (work->options->apply) {
    case GRAPH_CREATE_ONLY:
        return create_object(work, wire, ret_object);
    case GRAPH_CREATE_OR_MERGE:
        return work->live ? merge_object(work, wire, ret_object)
                          : create_object(work, wire, ret_object);
    case GRAPH_SERVER_SIDE_APPLY:
        break;
    }
    return client_apply(work->reader.cluster.client, work->reader.gvr, wire, &options, ret_object);
}

/*
 * The body of the request. Errors here are mistakes of the controller and cannot be retried away.
 */
static struct error *make_wire(struct node_work *work, struct object **ret_wire)
{
    struct error *err = decorate_object(work);
    if (!err)
        err = object_decoration_for_wire(work->desired, ret_wire);
    return err ? error_class_unrecoverable(err, OPERATOR_ERROR, STR("")) : NULL;
}

/* Applies the object and keeps the server's answer as the live object. */
static struct error *apply_object(struct node_work *work)
{
    struct object *answer = NULL;
    OWNED(object) wire = NULL;
    TRY(make_wire(work, &wire));
    struct error *err = send_object(work, wire, &answer);
    if (error_is(err, ERROR_NOT_FOUND)) /* the kind may be gone, or have moved */
        discovery_forget(work->reader.cluster.discovery, work->reader.gvr.group,
                         work->reader.gvr.version);
    framework_metrics_applied(work->framework->metrics, object_kind(work->options->object), err);
    TRY(node_classify(err, work->options->flags));
    object_free(work->live);
    work->live = answer;
    graph_node_set_live(work->node, answer);
    live_reader_note_write(work->framework, &work->reader, answer);
    return work->options->applied
               ? work->options->applied(work->options->data, work->node, work->live)
               : NULL;
}

/* Leaves work->live NULL if the object does not exist. */
static struct error *read_live(struct node_work *work)
{
    struct error *err = live_reader_read(work->framework, &work->reader, work->key, &work->live);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return NULL;
    }
    TRY(node_classify(err, work->options->flags));
    graph_node_set_live(work->node, work->live);
    return NULL;
}

/* Objects without decoration carry no owner reference, so their controller is not checked. */
static struct error *process_managed(struct node_work *work)
{
    find_parents(work);
    if (work->live && !(work->options->flags & GRAPH_NO_DECORATION))
        TRY(check_controller(work));
    if (needs_apply(work))
        TRY(apply_object(work));
    return check_ready(work);
}

/*
 * A missing external object is an error, unless the node is optional: then its dependents are
 * skipped.
 */
static struct error *process_external(struct node_work *work, enum graph_outcome *ret_outcome)
{
    if (work->live)
        return check_ready(work);
    if (work->options->flags & GRAPH_OPTIONAL) {
        *ret_outcome = GRAPH_SKIP;
        return NULL;
    }
    return not_ready(work, STR("NotFound"), STR(""));
}

static struct error *process_resource(struct node_work *work, enum graph_outcome *ret_outcome)
{
    const struct graph_node_options *options = work->options;
    const struct gvk gvk = object_gvk(options->object);
    struct graph_cluster cluster = {0};
    if (options->cluster.len)
        TRY(options->reach(options->data, work->node, &cluster));
    struct error *err = live_reader_find(
        work->framework, &work->arena, options->cluster.len ? &cluster : NULL, gvk, &work->reader);
    TRY(node_classify(err, options->flags));
    TRY(read_live(work));
    return options->kind == GRAPH_EXTERNAL ? process_external(work, ret_outcome)
                                           : process_managed(work);
}

struct error *node_process(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    struct framework_run *run = data;
    const struct graph_node_options *options = graph_node_options(node);
    SCOPED(node_work)
    work = {
        .run = run,
        .framework = run->framework,
        .node = node,
        .options = options,
        .key = object_key(options->object),
    };
    LOG_CONTEXT(LOG_STR("apiVersion", object_api_version(options->object)),
                LOG_STR("kind", object_kind(options->object)),
                LOG_STR("resourceNamespace", work.key.namespace),
                LOG_STR("resourceName", work.key.name));
    return process_resource(&work, ret_outcome);
}
