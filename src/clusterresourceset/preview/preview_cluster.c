#include "clusterresourceset/preview/preview_cluster.h"

#include "apimachinery/wellknown.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/apply/apply_definition.h"
#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/apply_redaction.h"
#include "clusterresourceset/apply/apply_server_side.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/preview/preview_prune.h"
#include "clusterresourceset/server_version.h"
#include "clusterresourceset/types/binding.h"

/* A set on a cluster that is being asked. */
struct inquiry {
    const struct preview_cluster *cluster;
    const struct preview_set *set;
    const struct object *binding; /* NULL: there is none, or it is about another cluster */
    struct preview_result *result;
    struct apply_target target;
    enum apply_strategy strategy; /* what the server can do */
    struct str resource;          /* "ConfigMap cm1", the present one */
    bool is_delivered;            /* by the policy of the set, nothing is sent */
    struct object **ret_live;     /* gets the object as it was read; NULL: it is not kept */
};

static struct plan_step step_of(const struct preview_set *set, size_t index,
                                const struct object *binding)
{
    return plan_step(set->plan, index, binding, set->key.name);
}

/* With a policy all resources are applied or none; without one each has its step. */
static bool is_delivered(const struct preview_set *set, const struct object *binding)
{
    return plan_policy(set->plan) && plan_is_recorded(set->plan, binding, set->key.name);
}

size_t preview_cluster_count(const struct preview_cluster *cluster)
{
    size_t count = 0;
    for (size_t i = 0; i < cluster->set_count; i++) {
        const struct preview_set *set = cluster->sets[i];
        count += preview_prune_is_due(set, cluster->binding);
        if (set->problem.len || is_delivered(set, cluster->binding))
            continue;
        for (size_t j = 0; j < plan_resource_count(set->plan); j++)
            if (step_of(set, j, cluster->binding).action == PLAN_APPLY)
                count += content_count(resource_snapshot_content(plan_snapshot(set->plan, j)));
    }
    return count;
}

/* True if the cluster did not say anything about the object. */
static bool is_silence(const struct error *err)
{
    static const enum error_code codes[] = {
        ERROR_CANCELED,
        ERROR_DEADLINE,
        ERROR_UNREACHABLE,
        ERROR_CONNECTION,
        ERROR_TLS,
        ERROR_PROTOCOL,
        ERROR_NOT_CONNECTED,
        ERROR_TIMEOUT,
        ERROR_UNAUTHORIZED,
        ERROR_TOO_MANY_REQUESTS,
        ERROR_SERVICE_UNAVAILABLE,
        ERROR_SERVER_TIMEOUT,
    };
    for (size_t i = 0; i < COUNT(codes); i++)
        if (error_is(err, codes[i]))
            return true;
    return false;
}

/* Names are copied: they may be those of a copy with the default namespace. */
static struct preview_object describe_object(const struct inquiry *inquiry,
                                             const struct object *object, bool is_secret)
{
    struct arena *arena = &inquiry->result->arena;
    return (struct preview_object){
        .set = arena_str(arena, inquiry->set->key.name),
        .resource = inquiry->resource,
        .api_version = arena_str(arena, object_api_version(object)),
        .kind = arena_str(arena, object_kind(object)),
        .namespace = arena_str(arena, object_namespace(object)),
        .name = arena_str(arena, object_name(object)),
        .is_secret = is_secret,
    };
}

static void add_told(const struct inquiry *inquiry, struct preview_object object,
                     enum preview_sign sign, struct str text)
{
    object.sign = sign;
    object.text = arena_str(&inquiry->result->arena, text);
    preview_result_add(inquiry->result, &object);
}

static void add_refusal(const struct inquiry *inquiry, const struct preview_object *object,
                        const char *before, const struct error *err)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "%s%s", before, err->message);
    add_told(inquiry, *object, PREVIEW_REFUSED, buf_str(&text));
}

typedef bool object_test_fn(const struct object *candidate, const struct object *about);

/* Whether an object of the set passes the test. */
static bool is_in_set(const struct inquiry *inquiry, object_test_fn *test,
                      const struct object *about)
{
    const struct plan *plan = inquiry->set->plan;
    for (size_t i = 0; i < plan_resource_count(plan); i++) {
        const struct content *content = resource_snapshot_content(plan_snapshot(plan, i));
        for (size_t j = 0; content && j < content_count(content); j++)
            if (test(content_object(content, j), about))
                return true;
    }
    return false;
}

static bool brings_kind(const struct object *candidate, const struct object *about)
{
    return apply_definition_brings(candidate, apply_object_gvk(about));
}

static bool brings_namespace(const struct object *candidate, const struct object *about)
{
    const struct gvk gvk = apply_object_gvk(candidate);
    return !gvk.group.len && str_eq(gvk.kind, STR("Namespace")) &&
           str_eq(object_name(candidate), object_namespace(about));
}

static void add_failure(const struct inquiry *inquiry, const struct apply_object *apply,
                        const struct preview_object *object, const struct error *err)
{
    if (discovery_is_no_match(err) && is_in_set(inquiry, brings_kind, apply->object))
        add_told(inquiry, *object, PREVIEW_UNKNOWN, STR("its kind comes with the same set"));
    else if (error_is(err, ERROR_NOT_FOUND) && object->namespace.len &&
             is_in_set(inquiry, brings_namespace, apply->object))
        add_told(inquiry, *object, PREVIEW_UNKNOWN, STR("its namespace comes with the same set"));
    else
        add_refusal(inquiry, object, "refused: ", err);
}

/* A conflict as a person reads it: "spec.replicas owned by kubectl; would be taken". */
static void add_conflict(const struct inquiry *inquiry, const struct preview_object *object,
                         const struct field_manager_conflict *conflict)
{
    SCOPED(buf) text = {.limit = 0};
    field_manager_conflict_write(conflict, object->is_secret, &text);
    buf_add(&text, STR("; would be taken"));
    add_told(inquiry, *object, PREVIEW_REFUSED, buf_str(&text));
}

static void add_conflicts(const struct inquiry *inquiry, const struct apply_object *apply,
                          const struct preview_object *object)
{
    SCOPED(arena) arena = {0};
    size_t count = 0;
    const struct field_manager_conflict *conflicts =
        field_manager_conflicts(apply->conflict, &arena, &count);
    for (size_t i = 0; i < count; i++)
        add_conflict(inquiry, object, &conflicts[i]);
}

/* What a policy says about fields of others, and about what cannot be changed. */
static void add_policy_outcome(const struct inquiry *inquiry, const struct apply_object *apply,
                               const struct preview_object *object)
{
    SCOPED(buf) text = {.limit = 0};
    if (apply->recreates)
        add_refusal(inquiry, object,
                    "would be deleted and made anew, by onImmutable: ", apply->refusal);
    if (!apply->dropped.len)
        return;
    buf_print(&text, "%.*s would be removed: not in the manifest, and its owner is adopted",
              STR_ARG(apply->dropped));
    add_told(inquiry, *object, PREVIEW_REFUSED, buf_str(&text));
}

/* A server that cannot do it at all is told of once; the rest of the set is merged at once. */
static void add_merged(struct inquiry *inquiry, const struct apply_object *apply,
                       const struct preview_object *object)
{
    if (apply_server_side_is_unknown(apply->refusal)) {
        inquiry->strategy = APPLY_MERGE_PATCH;
        add_told(inquiry, *object, PREVIEW_REFUSED,
                 STR("the server has no server-side apply; objects would be merged"));
    } else if (apply->refusal) {
        add_refusal(inquiry, object,
                    "would be merged, since server-side apply does not take it: ", apply->refusal);
    }
}

static void add_outcome(struct inquiry *inquiry, const struct apply_object *apply,
                        struct preview_object object)
{
    if (inquiry->strategy == APPLY_BY_POLICY)
        add_policy_outcome(inquiry, apply, &object);
    else
        add_merged(inquiry, apply, &object);
    add_conflicts(inquiry, apply, &object);
    if (!apply->answer)
        return;
    if (!apply->live) {
        object.sign = PREVIEW_CREATED;
        object.manifest = (struct object *)apply->object;
        preview_result_add(inquiry->result, &object);
        return;
    }
    object.sign = PREVIEW_CHANGED;
    preview_changes_find(object_root(apply->live), object_root(apply->answer),
                         object.is_secret ? inquiry->cluster->secrets : NULL,
                         &inquiry->result->arena, &object.changes);
    if (object.changes.count)
        preview_result_add(inquiry->result, &object);
}

/* What a server says of an object that is secret may quote it, or what is there now. */
static struct error *hide_values(const struct apply_object *apply, bool is_secret,
                                 struct error *err)
{
    if (is_secret)
        err = apply_redaction_error(apply->object, err);
    return is_secret && apply->live ? apply_redaction_error(apply->live, err) : err;
}

static struct error *ask_object(struct inquiry *inquiry, const struct apply_item *item)
{
    SCOPED(arena) arena = {0};
    SCOPED(apply_object)
    apply = {.target = &inquiry->target,
             .object = item->object,
             .strategy = inquiry->strategy,
             .default_namespace = item->default_namespace,
             .is_secret = item->is_secret || apply_redaction_is_secret(item->object),
             .arena = &arena};
    const bool is_secret = apply.is_secret;
    OWNED(error) err = hide_values(&apply, is_secret, apply_object(&apply));
    apply.refusal = hide_values(&apply, is_secret, apply.refusal);
    if (is_silence(err))
        return TAKE(err);
    if (inquiry->ret_live && apply.live)
        *inquiry->ret_live = object_ref(apply.live);
    const struct preview_object object = describe_object(inquiry, apply.object, is_secret);
    if (err)
        add_failure(inquiry, &apply, &object, err);
    else
        add_outcome(inquiry, &apply, object);
    return arena_check(&inquiry->result->arena);
}

/*
 * Of a resource as a whole, which is not applied. By a policy a cluster that has the set keeps what
 * it has as long as a resource is missing.
 */
static void add_fault(const struct inquiry *inquiry, struct resource_ref ref, struct str text)
{
    struct arena *arena = &inquiry->result->arena;
    SCOPED(buf) told = {.limit = 0};
    const struct preview_object object = {
        .set = arena_str(arena, inquiry->set->key.name),
        .resource = inquiry->resource,
        .name = arena_str(arena, ref.name),
    };
    buf_print(&told, "%.*s%s", STR_ARG(text),
              inquiry->is_delivered ? "; the cluster keeps what it has of the set meanwhile" : "");
    add_told(inquiry, object, PREVIEW_REFUSED, buf_str(&told));
}

static void add_fault_of_prune(const struct inquiry *inquiry, const struct error *err)
{
    const struct str name = arena_str(&inquiry->result->arena, inquiry->set->key.name);
    const struct preview_object object = {
        .set = name,
        .resource = arena_print(&inquiry->result->arena, "ClusterResourceSet %.*s", STR_ARG(name)),
        .name = name,
    };
    add_refusal(inquiry, &object, "nothing would be deleted: ", err);
}

/* Of a set of which nothing is applied. */
static void add_problem(const struct inquiry *inquiry, struct str text)
{
    struct arena *arena = &inquiry->result->arena;
    const struct str name = arena_str(arena, inquiry->set->key.name);
    const struct preview_object object = {
        .set = name,
        .resource = arena_print(arena, "ClusterResourceSet %.*s", STR_ARG(name)),
        .name = name,
    };
    SCOPED(buf) told = {.limit = 0};
    buf_print(&told, "not applied: %.*s", STR_ARG(text));
    add_told(inquiry, object, PREVIEW_REFUSED, buf_str(&told));
}

static struct error *ask_content(struct inquiry *inquiry, const struct content *content)
{
    SCOPED(arena) arena = {0};
    const struct apply_item *items = apply_items_read(content, &arena);
    for (size_t i = 0; i < content_count(content); i++)
        TRY(ask_object(inquiry, &items[i]));
    return NULL;
}

static void name_resource(struct inquiry *inquiry, struct resource_ref ref)
{
    inquiry->resource = arena_print(&inquiry->result->arena, "%.*s %.*s",
                                    STR_ARG(resource_kind_name(ref.kind)), STR_ARG(ref.name));
}

/* What is wrong with a resource is told on every cluster that would get it. */
static struct error *ask_resource(struct inquiry *inquiry, size_t index)
{
    const struct plan *plan = inquiry->set->plan;
    const struct resource_snapshot *snapshot = plan_snapshot(plan, index);
    const struct resource_ref ref = plan_resource(plan, index);
    const struct plan_step step = step_of(inquiry->set, index, inquiry->binding);
    name_resource(inquiry, ref);
    inquiry->target.is_first = step.is_first;
    if (step.action == PLAN_APPLY && inquiry->is_delivered)
        return NULL;
    if (step.action == PLAN_APPLY)
        return ask_content(inquiry, resource_snapshot_content(snapshot));
    if (step.action == PLAN_REFUSE_STRATEGY)
        add_fault(inquiry, ref, STR("the strategy of the set is not known"));
    else if (step.action == PLAN_REFUSE_CONTENT ||
             fault_is_of_resource(resource_snapshot_fault(snapshot)))
        add_fault(inquiry, ref, resource_snapshot_text(snapshot));
    return NULL;
}

/* A binding that is about another cluster counts for nothing; one that names none is believed. */
static struct error *check_binding(const struct preview_cluster *cluster,
                                   const struct object **ret_binding)
{
    OWNED(object) namespace = NULL;
    struct str uid;
    *ret_binding = cluster->binding;
    if (!cluster->client || !cluster->binding ||
        !object_find_annotation(cluster->binding, STR(BINDING_CLUSTER_UID), &uid))
        return NULL;
    struct error *err =
        client_get(cluster->client, GVR_NAMESPACES, KEY("", "kube-system"), NULL, &namespace);
    if (is_silence(err))
        return err;
    error_free(err);
    if (namespace && binding_is_of_other_cluster(cluster->binding, object_uid(namespace)))
        *ret_binding = NULL;
    return NULL;
}

/*
 * Whether the server is too old for the policy of the set; text is what the controllers would say.
 * A version that cannot be read passes, as with them. A cluster that has to be asked for no object
 * has no client. Suspends.
 */
static struct error *check_version(const struct inquiry *inquiry, struct str *ret_text)
{
    struct str version = {0};
    struct arena *arena = &inquiry->result->arena;
    *ret_text = STR("");
    if (!plan_policy(inquiry->set->plan) || inquiry->is_delivered || !inquiry->cluster->client)
        return NULL;
    OWNED(error) err = discovery_server_version(inquiry->cluster->client, arena, &version);
    if (is_silence(err))
        return TAKE(err);
    *ret_text = server_version_policy_refusal(arena, version);
    return NULL;
}

/* What cannot be listed is told: it would not be deleted either. */
static struct error *ask_prune(const struct inquiry *inquiry)
{
    if (!preview_prune_is_due(inquiry->set, inquiry->binding))
        return NULL;
    OWNED(error)
    err = preview_prune_ask(inquiry->cluster, inquiry->set, inquiry->binding, inquiry->result);
    if (is_silence(err))
        return TAKE(err);
    if (err)
        add_fault_of_prune(inquiry, err);
    return NULL;
}

static struct error *ask_set(struct inquiry *inquiry)
{
    const struct preview_set *set = inquiry->set;
    struct str problem = set->problem;
    if (!problem.len)
        TRY(check_version(inquiry, &problem));
    if (problem.len) {
        add_problem(inquiry, problem);
        return NULL;
    }
    for (size_t i = 0; i < plan_resource_count(set->plan); i++)
        TRY(ask_resource(inquiry, i));
    return ask_prune(inquiry);
}

/* The field manager is in the arena. */
static struct inquiry begin_inquiry(const struct preview_cluster *cluster,
                                    const struct preview_set *set, const struct object *binding,
                                    struct preview_result *result, struct arena *arena)
{
    struct delivery_mark mark;
    return (struct inquiry){
        .cluster = cluster,
        .set = set,
        .binding = binding,
        .result = result,
        .strategy = plan_strategy(set->plan, cluster->reconcile_with),
        .target = {.client = cluster->client,
                   .discovery = cluster->discovery,
                   .field_manager = field_manager_of_set(arena, set->key),
                   .policy = plan_policy(set->plan),
                   .adopts = !delivery_find_mark(binding, set->key.name, &mark),
                   .dry_run = true},
        .is_delivered = is_delivered(set, binding),
    };
}

struct error *preview_cluster_ask(const struct preview_cluster *cluster,
                                  struct preview_result *result)
{
    SCOPED(arena) arena = {0};
    const struct object *binding;
    TRY(check_binding(cluster, &binding));
    for (size_t i = 0; i < cluster->set_count; i++) {
        struct inquiry inquiry = begin_inquiry(cluster, cluster->sets[i], binding, result, &arena);
        TRY(ask_set(&inquiry));
    }
    return NULL;
}

struct error *preview_cluster_ask_object(const struct preview_cluster *cluster,
                                         const struct preview_subject *subject,
                                         struct preview_result *result, struct object **ret_live)
{
    SCOPED(arena) arena = {0};
    const struct plan *plan = subject->set->plan;
    const struct content *content =
        resource_snapshot_content(plan_snapshot(plan, subject->resource));
    struct inquiry inquiry = begin_inquiry(cluster, subject->set, cluster->binding, result, &arena);
    *ret_live = NULL;
    inquiry.ret_live = ret_live;
    if (inquiry.strategy == APPLY_ONCE)
        inquiry.strategy = APPLY_SERVER_SIDE;
    name_resource(&inquiry, plan_resource(plan, subject->resource));
    return ask_object(&inquiry, &apply_items_read(content, &arena)[subject->item]);
}
