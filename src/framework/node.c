/* Managed and external nodes: read, apply if necessary, check. */
#include "api/status.h"
#include "async/loop.h"
#include "base/buf.h"
#include "client/client.h"
#include "framework/framework_internal.h"
#include "framework/framework_metrics.h"
#include "framework/marker.h"
#include "framework/mutation.h"
#include "framework/outcome.h"
#include "framework/readiness.h"
#include "json/merge_patch.h"
#include "json/path.h"

#define DEPENDENCY_STATUS STR("dependencyStatus")
#define DEPENDENCY_SPEC   STR("dependencySpec")
#define API_TEMPORARY     STR("apiTemporaryError")
#define OPERATOR_ERROR    STR("operatorError")

struct work {
    struct framework_loop *loop;
    struct framework *framework;
    struct graph_node *node;
    const struct graph_node_options *options;
    struct client *client;
    struct arena arena;
    struct sight sight;
    struct key key;
    struct marker_set markers;
    struct object *live, *desired;
};

static void work_done(struct work *work)
{
    object_free(work->live);
    object_free(work->desired);
    arena_done(&work->arena);
}

static bool has_cause(const struct error *err, struct str reason)
{
    OWNED(json_doc) doc = NULL;
    const struct json_value *cause;
    if (!err->details)
        return false;
    OWNED(error) unreadable = json_read(str_from_c(err->details), &doc);
    JSON_FOREACH (key, cause, json_get(doc ? json_doc_root(doc) : NULL, STR("causes")))
        if (str_eq(json_path_str(cause, "reason"), reason))
            return true;
    return false;
}

static struct error *rejected(struct error *err, struct str reason, unsigned flags)
{
    const struct str message = STR("");
    return flags & GRAPH_RETRY_REJECTED ? outcome_retry_later(err, reason, message, 0)
                                        : outcome_unrecoverable(err, reason, message);
}

struct error *node_classify(struct error *err, unsigned flags)
{
    SCOPED(arena) arena = {0};
    if (!err || outcome_class(err) != OUTCOME_UNCLASSIFIED)
        return err;
    const struct str text = arena_str(&arena, str_from_c(err->message));
    switch (err->code) {
    case ERROR_FORBIDDEN:
    case ERROR_NOT_FOUND:
        return outcome_retry_later(err, DEPENDENCY_STATUS, text, 0);
    case ERROR_BAD_REQUEST:
    case ERROR_TOO_LARGE:
    case ERROR_INVALID:
        return rejected(err, DEPENDENCY_SPEC, flags);
    case ERROR_CONFLICT:
        return has_cause(err, STR("FieldManagerConflict")) ? rejected(err, DEPENDENCY_SPEC, flags)
                                                           : outcome_stale(err);
    case ERROR_ALREADY_EXISTS:
        return outcome_stale(err);
    case ERROR_UNSUPPORTED_MEDIA_TYPE:
        return rejected(err, OPERATOR_ERROR, flags);
    case ERROR_TOO_MANY_REQUESTS:
    case ERROR_SERVICE_UNAVAILABLE:
        return outcome_retry_later(err, API_TEMPORARY, text, err->retry_after);
    default:
        return err;
    }
}

/* "Deployment.apps default/web" */
static struct str subject(struct work *work)
{
    const struct str kind = gvk_group_kind(&work->arena, object_gvk(work->options->object));
    return arena_print(&work->arena, "%.*s %.*s/%.*s", STR_ARG(kind), STR_ARG(work->key.namespace),
                       STR_ARG(work->key.name));
}

static struct error *not_ready(struct work *work, struct str reason, struct str message)
{
    SCOPED(buf) text = {.limit = 0};
    const struct str about = subject(work);
    buf_add(&text, about);
    if (reason.len)
        buf_print(&text, ": %.*s", STR_ARG(reason));
    if (message.len)
        buf_print(&text, ": %.*s", STR_ARG(message));
    framework_metrics_not_ready(work->framework->metrics, object_kind(work->options->object));
    return outcome_retry_later(error_new(ERROR_UNKNOWN, "not ready"), DEPENDENCY_STATUS,
                               buf_str(&text), 0);
}

static struct error *check_ready(struct work *work)
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

/* The owner and every blocker that holds a resource, as they are now. */
static void find_parents(struct work *work)
{
    const struct object *owner = work->loop->owner;
    const size_t most = graph_node_blocker_count(work->node) + 1;
    struct marker_parent *parents =
        arena_alloc_array(&work->arena, most, sizeof(struct marker_parent));
    size_t count = 0;
    parents[count++] = (struct marker_parent){
        object_namespace(owner), object_gvk(owner).group, object_kind(owner), object_name(owner),
        arena_print(&work->arena, "%lld", (long long)work->loop->generation)};
    for (size_t i = 0; i + 1 < most; i++) {
        const struct object *live = graph_node_live(graph_node_blocker(work->node, i));
        if (live)
            parents[count++] = (struct marker_parent){
                object_namespace(live), object_gvk(live).group, object_kind(live),
                object_name(live), object_resource_version(live)};
    }
    work->markers = (struct marker_set){work->framework->options.domain, parents, count};
}

/* A live object that another controls is never touched. */
static struct error *check_controller(struct work *work)
{
    const struct object *owner = work->loop->owner;
    const struct json_value *reference;
    JSON_FOREACH (key, reference, object_owner_references(work->live)) {
        bool controller = false;
        struct gvk gvk;
        if (!json_to_bool(json_get(reference, STR("controller")), &controller) || !controller ||
            str_eq(json_path_str(reference, "uid"), object_uid(owner)))
            continue;
        OWNED(error)
        malformed = gvk_from_api_version(json_path_str(reference, "apiVersion"),
                                         json_path_str(reference, "kind"), &gvk);
        const bool former = !malformed && str_eq(gvk.group, object_gvk(owner).group) &&
                            str_eq(gvk.kind, object_kind(owner)) &&
                            str_eq(json_path_str(reference, "name"), object_name(owner));
        const struct str about = subject(work);
        if (former)
            return outcome_retry_later(NULL, DEPENDENCY_STATUS,
                                       arena_print(&work->arena,
                                                   "%.*s belongs to an earlier owner of the same "
                                                   "name and has to be collected first",
                                                   STR_ARG(about)),
                                       0);
        return outcome_unrecoverable(error_new(ERROR_CONFLICT, "%.*s is controlled by %.*s %.*s",
                                               STR_ARG(about),
                                               STR_ARG(json_path_str(reference, "kind")),
                                               STR_ARG(json_path_str(reference, "name"))),
                                     DEPENDENCY_SPEC, STR(""));
    }
    return NULL;
}

static bool is_immutable(struct work *work)
{
    struct str value;
    const struct str key =
        arena_print(&work->arena, "%.*s/immutable", STR_ARG(work->framework->options.domain));
    return object_find_annotation(work->live, key, &value) && str_eq(value, STR("true"));
}

static bool needs_apply(struct work *work)
{
    if (!work->live)
        return true;
    if (is_immutable(work))
        return false;
    if (work->options->flags & GRAPH_NO_MARKERS)
        return true;
    return marker_needs_apply(&work->arena, &work->markers, work->options->object, work->live);
}

static struct error *mutate(struct work *work)
{
    const size_t most = graph_node_blocker_count(work->node);
    const struct object **resources =
        arena_alloc_array(&work->arena, most + 1, sizeof(const struct object *));
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        const struct object *live = graph_node_live(graph_node_blocker(work->node, i));
        if (live)
            resources[count++] = live;
    }
    const struct framework_options *options = &work->framework->options;
    const struct mutation mutation = {
        .domain = options->domain,
        .class_name = options->class_name,
        .controller = options->name,
        .version = options->version,
        .owner = work->loop->owner,
        .owner_is_namespaced = work->framework->owner_is_namespaced,
        .markers = work->options->flags & GRAPH_NO_MARKERS ? NULL : &work->markers,
        .resources = resources,
        .resource_count = count,
    };
    if (work->options->flags & GRAPH_NO_MUTATION) {
        work->desired = object_ref(work->options->object);
        return NULL;
    }
    struct error *err =
        mutation_apply(&work->arena, &mutation, work->options->object, &work->desired);
    return err ? outcome_unrecoverable(err, OPERATOR_ERROR, STR("")) : NULL;
}

static struct error *merge(struct work *work, const struct object *wire, struct object **ret_object)
{
    OWNED(json_doc) merged = NULL;
    OWNED(json_doc) patch = NULL;
    SCOPED(buf) text = {.limit = 0, .secret = true};
    const struct client_write_options options = {.field_manager = work->framework->options.name};
    TRY(merge_patch_apply(object_root(work->live), object_root(wire), &merged));
    TRY(merge_patch_diff(object_root(work->live), json_doc_root(merged), &patch));
    if (json_count(json_doc_root(patch)) == 0) {
        *ret_object = object_ref(work->live);
        return NULL;
    }
    json_write(&text, json_doc_root(patch));
    return client_patch(work->client, work->sight.gvr, work->key, CLIENT_PATCH_MERGE,
                        buf_str(&text), &options, ret_object);
}

static struct error *create(struct work *work, const struct object *wire,
                            struct object **ret_object)
{
    const struct client_write_options options = {.field_manager = work->framework->options.name};
    struct error *err = client_create(work->client, work->sight.gvr, wire, &options, ret_object);
    if (!error_is(err, ERROR_ALREADY_EXISTS) || work->options->apply != GRAPH_CREATE_ONLY)
        return err;
    error_free(err);
    return client_get(work->client, work->sight.gvr, work->key, NULL, ret_object);
}

static struct error *send(struct work *work, struct object **ret_object)
{
    OWNED(object) wire = NULL;
    const struct client_write_options options = {.field_manager = work->framework->options.name,
                                                 .force = true};
    TRY(mutation_for_wire(work->desired, &wire));
    switch (work->options->apply) {
    case GRAPH_CREATE_ONLY:
        return create(work, wire, ret_object);
    case GRAPH_CREATE_OR_MERGE:
        return work->live ? merge(work, wire, ret_object) : create(work, wire, ret_object);
    case GRAPH_SERVER_SIDE_APPLY:
        break;
    }
    return client_apply(work->client, work->sight.gvr, wire, &options, ret_object);
}

static struct error *apply(struct work *work)
{
    struct object *answer = NULL;
    TRY(mutate(work));
    struct error *err = node_classify(send(work, &answer), work->options->flags);
    framework_metrics_applied(work->framework->metrics, object_kind(work->options->object), err);
    TRY(err);
    object_free(work->live);
    work->live = answer;
    graph_node_set_live(work->node, answer);
    if (work->client == work->framework->options.client)
        sight_note(work->framework, &work->sight, answer);
    return NULL;
}

static struct error *read_live(struct work *work)
{
    struct client *client = work->client == work->framework->options.client ? NULL : work->client;
    struct error *err = sight_read(work->framework, &work->sight, client, work->key, &work->live);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        work->live = NULL;
        return NULL;
    }
    TRY(node_classify(err, work->options->flags));
    graph_node_set_live(work->node, work->live);
    return NULL;
}

static struct error *process_managed(struct work *work)
{
    find_parents(work);
    if (work->live && !(work->options->flags & GRAPH_NO_MUTATION))
        TRY(check_controller(work));
    if (needs_apply(work))
        TRY(apply(work));
    return check_ready(work);
}

static struct error *process_external(struct work *work, enum graph_outcome *ret_outcome)
{
    if (work->live)
        return check_ready(work);
    if (work->options->flags & GRAPH_OPTIONAL) {
        *ret_outcome = GRAPH_SKIP;
        return NULL;
    }
    return not_ready(work, STR("NotFound"), STR(""));
}

struct error *node_process(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    struct framework_loop *loop = data;
    const struct graph_node_options *options = graph_node_options(node);
    SCOPED(work)
    work = {
        .loop = loop,
        .framework = loop->framework,
        .node = node,
        .options = options,
        .client = options->client ? options->client : loop->framework->options.client,
        .key = object_key(options->object),
    };
    TRY(node_classify(
        sight_find(work.framework, &work.arena, object_gvk(options->object), &work.sight),
        options->flags));
    TRY(read_live(&work));
    return options->kind == GRAPH_EXTERNAL ? process_external(&work, ret_outcome)
                                           : process_managed(&work);
}
