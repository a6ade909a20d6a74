/*
 * draft_delete() decides all deletions, those of large objects on a worker thread. It checks
 * preconditions, makes the object as it would look with deletion begun, and then takes one of three
 * ways:
 *
 *     nothing holds it     the object is deleted; its last state goes into the history
 *     nothing is new       deletion has begun under the same policy; nothing changes
 *     otherwise            the marked object is stored; the last removed finalizer deletes it
 *                          (write_draft.c or gc_owners.c)
 *
 * A Pod on a node is also held by its grace period, until it is deleted with a period of 0: the
 * kubelet does that when the Pod has ended. Upstream: rest.BeforeDelete() and
 * podStrategy.CheckGracefulDelete().
 *
 * The propagation policy is expressed as the finalizers foregroundDeletion and orphan, which the
 * garbage collector works on. Another policy replaces them, also when deletion has begun.
 * Namespaces and CustomResourceDefinitions always wait for their content.
 */
#include "apiserver/endpoints/handle_delete.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/crd_registry.h"
#include "apiserver/endpoints/admission.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/handle_list.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/types/protobuf_body.h"
#include "apiserver/webhooks/webhook_admission.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/compute.h"
#include "async/fiber.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

#define FOREGROUND STR("foregroundDeletion")
#define ORPHAN     STR("orphan")

/* How often a deletion is shown to webhooks again because the object has changed meanwhile. */
#define WEBHOOK_ATTEMPTS 8

/* One deletion under way. result is filled in by draft_delete(). */
struct deletion {
    const struct kind *kind;
    struct key key;
    const struct delete_options *options;
    timestamp now;
    struct delete_result *result;
    bool is_requested; /* by a client, not by the garbage collector */
};

void delete_result_done(struct delete_result *result)
{
    json_doc_free(result->object);
}

static bool is_namespace(const struct kind *kind)
{
    return kind->gvk.group.len == 0 && str_eq(kind->plural, STR("namespaces"));
}

/* The conflict of a precondition. kube-apiserver has another sentence for namespaces. */
static struct error *precondition_conflict(const struct deletion *deletion, const char *member,
                                           struct str wanted, struct str found,
                                           const char *explanation)
{
    SCOPED(arena) arena = {0};
    const struct kind *kind = deletion->kind;
    const struct gvr named = {kind->gvk.group, kind->gvk.version, kind->gvk.kind};
    if (is_namespace(kind))
        return status_conflict(
            kind_gvr(kind), deletion->key.name,
            arena_print(&arena,
                        "Precondition failed: %s in precondition: %.*s, %s in object meta: %.*s",
                        member, STR_ARG(wanted), member, STR_ARG(found)));
    return status_conflict(
        named, deletion->key.name,
        arena_print(&arena,
                    "the %s in the precondition (%.*s) does not match the %s in record (%.*s). %s",
                    member, STR_ARG(wanted), member, STR_ARG(found), explanation));
}

/* uid and resourceVersion of DeleteOptions. The messages name the kind, as upstream's do. */
static struct error *check_preconditions(const struct deletion *deletion,
                                         const struct json_value *object)
{
    const struct delete_options *options = deletion->options;
    const struct str uid = json_path_str(object, "metadata.uid");
    const struct str version = json_path_str(object, "metadata.resourceVersion");
    if (options->uid.len && !str_eq(options->uid, uid))
        return precondition_conflict(deletion, "UID", options->uid, uid,
                                     "The object might have been deleted and then recreated");
    if (options->resource_version.len && !str_eq(options->resource_version, version))
        return precondition_conflict(deletion, "ResourceVersion", options->resource_version,
                                     version, "The object might have been modified");
    return NULL;
}

/*
 * Events own nothing, so that no policy delays their deletion. For other kinds a policy of the
 * request counts first, then a finalizer of the object, then the default of the kind.
 */
static enum propagation propagation_of(const struct kind *kind, const struct json_value *object,
                                       const struct delete_options *options)
{
    const struct json_value *item;
    if (kind->has_two_groups)
        return PROPAGATION_BACKGROUND;
    if (options->propagation != PROPAGATION_UNSET || !options->orphans)
        return options->propagation;
    JSON_FOREACH (key, item, json_path(object, "metadata.finalizers"))
        if (str_eq(json_to_str(item), FOREGROUND) || str_eq(json_to_str(item), ORPHAN))
            return PROPAGATION_UNSET;
    return PROPAGATION_ORPHAN;
}

/*
 * The finalizers of the object under a propagation policy: the one that expresses it is added and
 * the other one removed. A CustomResourceDefinition gets its clean-up finalizer when its deletion
 * begins.
 */
static struct error *finalizers_for(const struct kind *kind, const struct json_value *object,
                                    const struct delete_options *options, struct json_doc **ret_doc)
{
    const enum propagation propagation = propagation_of(kind, object, options);
    const struct str wanted = propagation == PROPAGATION_FOREGROUND ? FOREGROUND
                              : propagation == PROPAGATION_ORPHAN   ? ORPHAN
                                                                    : (struct str){0};
    SCOPED(json_builder) builder = {0};
    const struct json_value *item;
    bool has = wanted.len == 0, is_cleaned_up = false;
    json_builder_array(&builder);
    JSON_FOREACH (key, item, json_path(object, "metadata.finalizers")) {
        const struct str name = json_to_str(item);
        const bool ours = str_eq(name, FOREGROUND) || str_eq(name, ORPHAN);
        if (ours && propagation != PROPAGATION_UNSET && !str_eq(name, wanted))
            continue;
        has = has || str_eq(name, wanted);
        is_cleaned_up = is_cleaned_up || str_eq(name, CRD_FINALIZER);
        json_builder_str(&builder, name);
    }
    if (!has)
        json_builder_str(&builder, wanted);
    if (crd_registry_is_crd(kind) && !is_cleaned_up && !metadata_is_deleting(object))
        json_builder_str(&builder, CRD_FINALIZER);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/*
 * Namespaces and CustomResourceDefinitions: the content is deleted first, so they never go at once.
 */
static bool is_container(const struct kind *kind)
{
    return is_namespace(kind) || crd_registry_is_crd(kind);
}

/* A namespace that is being emptied keeps the policy with which its deletion has begun. */
static bool takes_policy(const struct kind *kind, const struct json_value *object)
{
    return !is_namespace(kind) || !metadata_is_deleting(object) ||
           json_count(json_path(object, "spec.finalizers")) == 0;
}

static bool is_pod(const struct kind *kind)
{
    return str_eq(kind->stored_as, STR("pods"));
}

/* What the request asks for; a negative period is one second. */
static int64_t asked_grace(const struct delete_options *options)
{
    return options->grace_seconds < 0 ? 1 : options->grace_seconds;
}

/* The period that a new deletion begins with. Pods alone have one, on a node, until they end. */
static int64_t first_grace(const struct deletion *deletion, const struct json_value *object)
{
    const struct str phase = json_path_str(object, "status.phase");
    int64_t seconds = 0;
    if (!is_pod(deletion->kind) || json_path_str(object, "spec.nodeName").len == 0 ||
        str_eq(phase, STR("Failed")) || str_eq(phase, STR("Succeeded")))
        return 0;
    if (deletion->options->has_grace)
        return asked_grace(deletion->options);
    (void)json_to_int64(json_path(object, "spec.terminationGracePeriodSeconds"), &seconds);
    return seconds < 0 ? 1 : seconds;
}

/* Beyond this a period has no date any more. */
#define GRACE_MAX ((int64_t)100 * 365 * 24 * 3600)

static void set_grace(struct json_edit *edit, timestamp begin, int64_t seconds)
{
    char text[TIMESTAMP_TEXT_MAX];
    const int64_t counted = seconds < GRACE_MAX ? seconds : GRACE_MAX;
    json_edit_set_str(edit, JSON_PLACE("metadata.deletionTimestamp"),
                      timestamp_write(begin + counted * SECOND, text));
    json_edit_set_int(edit, JSON_PLACE("metadata.deletionGracePeriodSeconds"), seconds);
}

/* Whether a period is under way that this request does not shorten. */
static bool is_pending(const struct deletion *deletion, const struct json_value *object)
{
    const int64_t grace = metadata_grace(object);
    return metadata_is_deleting(object) && grace > 0 &&
           (!deletion->options->has_grace || asked_grace(deletion->options) >= grace);
}

/* A shorter period is counted from the same beginning. */
static void shorten_grace(const struct deletion *deletion, const struct json_value *object,
                          struct json_edit *edit)
{
    const int64_t grace = metadata_grace(object);
    timestamp end;
    if (grace <= 0 || !timestamp_read(json_path_str(object, "metadata.deletionTimestamp"), &end))
        return;
    const int64_t counted = grace < GRACE_MAX ? grace : GRACE_MAX;
    set_grace(edit, end - counted * SECOND, asked_grace(deletion->options));
}

/* What a first deletion changes beside the finalizers. */
static void begin_deletion(const struct deletion *deletion, const struct json_value *object,
                           struct json_edit *edit)
{
    char now[TIMESTAMP_TEXT_MAX];
    int64_t generation;
    if (is_container(deletion->kind))
        json_edit_set_str(edit, JSON_PLACE("metadata.deletionTimestamp"),
                          timestamp_write(deletion->now, now));
    else
        set_grace(edit, deletion->now, first_grace(deletion, object));
    if (!is_namespace(deletion->kind) &&
        json_to_int64(json_path(object, "metadata.generation"), &generation) && generation > 0)
        json_edit_set_int(edit, JSON_PLACE("metadata.generation"), generation + 1);
    if (is_namespace(deletion->kind))
        json_edit_set_str(edit, JSON_PLACE("status.phase"), STR("Terminating"));
}

/*
 * The object with deletion begun. An object that is already being deleted keeps all but the
 * finalizers of its policy, and a period that is longer than the request's.
 */
static struct error *mark_deleting(const struct deletion *deletion, struct json_doc *old,
                                   struct json_doc **ret_doc)
{
    const struct json_value *object = json_doc_root(old);
    OWNED(json_doc) finalizers = NULL;
    SCOPED(json_edit) edit = {0};
    json_edit_init(&edit, object);
    TRY(finalizers_for(deletion->kind, object, deletion->options, &finalizers));
    if (metadata_is_deleting(object))
        shorten_grace(deletion, object, &edit);
    else
        begin_deletion(deletion, object, &edit);
    if (takes_policy(deletion->kind, object))
        json_edit_set_unless_empty(&edit, JSON_PLACE("metadata.finalizers"),
                                   json_doc_root(finalizers));
    return json_edit_finish(&edit, ret_doc);
}

/*
 * Whether the object stays until something lets it go. A namespace is also held by spec.finalizers.
 * A first deletion never removes a namespace: what is in it goes before.
 */
static bool is_held(const struct kind *kind, const struct json_value *object, bool was_deleting)
{
    return metadata_has_finalizers(object) || metadata_grace(object) > 0 ||
           (is_namespace(kind) &&
            (!was_deleting || json_count(json_path(object, "spec.finalizers")) > 0));
}

/*
 * Fills in the result and the edit. doc is the new object, or the last state of a deleted one. The
 * result of a draft is read from what is stored in the end.
 */
static struct error *write_deletion(const struct deletion *deletion, enum store_action action,
                                    struct json_doc *doc, struct store_edit *edit)
{
    OWNED(json_doc) versioned = NULL;
    if (!deletion->options->dry_run)
        TRY(codec_write_edit(deletion->kind, doc, action, edit, &versioned));
    deletion->result->is_gone = action == STORE_DELETE;
    if (!versioned)
        deletion->result->object = json_doc_ref(doc);
    else if (edit->revision)
        deletion->result->object = TAKE(versioned);
    return NULL;
}

/* Called again when a state did not become durable, so the result is reset first. */
static struct error *draft_delete(void *data, struct store_edit *edit)
{
    struct deletion *deletion = data;
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) marked = NULL;
    delete_result_done(deletion->result);
    *deletion->result = (struct delete_result){0};
    if (!edit->previous)
        return status_not_found(kind_gvr(deletion->kind), deletion->key.name);
    TRY(codec_read_stored(deletion->kind, edit->previous, &old));
    TRY(check_preconditions(deletion, json_doc_root(old)));
    if (deletion->is_requested)
        TRY(admission_check_deletion(deletion->kind, json_doc_root(old)));
    if (is_pending(deletion, json_doc_root(old))) {
        deletion->result->object = TAKE(old);
        return NULL;
    }
    TRY(mark_deleting(deletion, old, &marked));
    const bool was_deleting = metadata_is_deleting(json_doc_root(old));
    if (!is_held(deletion->kind, json_doc_root(marked), was_deleting))
        return write_deletion(deletion, STORE_DELETE, is_pod(deletion->kind) ? marked : old, edit);
    if (was_deleting && json_equal(json_doc_root(old), json_doc_root(marked))) {
        deletion->result->object = json_doc_ref(old);
        return NULL;
    }
    return write_deletion(deletion, STORE_PUT, marked, edit);
}

/* The result of a draft. */
struct deleted {
    const struct kind *kind;
    const struct object_text *text;
    struct delete_result *result;
};

static struct error *read_deleted(void *data)
{
    const struct deleted *deleted = data;
    return codec_read_stored(deleted->kind, deleted->text, &deleted->result->object);
}

/* expected is what the object has to be; see store_change(). */
static struct error *decide_deletion(struct api *api, struct deletion *deletion, int64_t expected)
{
    const struct kind *kind = deletion->kind;
    struct delete_result *result = deletion->result;
    const struct store_decision decision = {.draft = draft_delete, .data = deletion};
    SCOPED(store_object) stored = {0};
    TRY(api_decide(api, api_id(kind, deletion->key), expected, &decision, &stored));
    if (result->object)
        return NULL;
    struct deleted deleted = {kind, stored.text, result};
    return webhook_conversion_run(kind, object_text_size(stored.text), read_deleted, &deleted);
}

struct error *handle_delete_object(struct api *api, const struct kind *kind, struct key key,
                                   const struct delete_options *options, timestamp now,
                                   struct delete_result *ret_result)
{
    struct deletion deletion = {kind, key, options, now, ret_result, false};
    return decide_deletion(api, &deletion, STORE_ANY);
}

/* What webhooks are shown of a deletion. Perhaps on a worker thread. */
struct deletion_basis {
    const struct deletion *deletion;
    struct store_object found;
    struct json_doc *old;
};

static void deletion_basis_done(struct deletion_basis *basis)
{
    store_object_done(&basis->found);
    json_doc_free(basis->old);
}

static struct error *read_basis(void *data)
{
    struct deletion_basis *basis = data;
    TRY(codec_read_stored(basis->deletion->kind, basis->found.text, &basis->old));
    return check_preconditions(basis->deletion, json_doc_root(basis->old));
}

/* Drafts the deletion to find out which conversions it needs. What it would answer does not count.
 */
static struct error *foresee_deletion(void *data)
{
    const struct deletion_basis *basis = data;
    SCOPED(delete_result) result = {0};
    struct deletion deletion = *basis->deletion;
    struct store_edit edit = {.previous = basis->found.text,
                              .previous_revision = basis->found.revision};
    deletion.result = &result;
    struct error *err = draft_delete(&deletion, &edit);
    object_text_free(edit.text);
    return err;
}

/*
 * Shows the deletion to admission webhooks, which neither see a new object nor may change one, and
 * has its conversions made. *ret_expected is what the object has to be when the store is asked.
 * Suspends.
 */
static struct error *ask_webhooks(struct request *request, const struct deletion *deletion,
                                  int64_t *ret_expected)
{
    const struct kind *kind = deletion->kind;
    SCOPED(deletion_basis) basis = {.deletion = deletion};
    OWNED(json_doc) options = NULL;
    *ret_expected = STORE_ANY;
    const bool is_admitted = webhook_admission_is_needed(request);
    if (!is_admitted && !crd_conversions_of(kind))
        return NULL;
    OWNED(error)
    missing = store_get(request->api->store, api_id(kind, deletion->key), &basis.found);
    if (missing)
        return NULL; /* the store says so */
    const size_t size = object_text_size(basis.found.text);
    *ret_expected = basis.found.revision;
    if (crd_conversions_of(kind))
        TRY(webhook_conversion_run(kind, size, foresee_deletion, &basis));
    if (!is_admitted)
        return NULL;
    TRY(compute_sized(size, read_basis, &basis));
    TRY(delete_options_doc(deletion->options, &options));
    const struct webhook_admission admission = {
        .request = request,
        .kind = kind,
        .object_kind = kind,
        .operation = STR("DELETE"),
        .name = request->name,
        .dry_run = deletion->options->dry_run,
        .options = json_doc_root(options),
        .old = json_doc_root(basis.old),
    };
    TRY(webhook_admission_mutate(&admission, NULL, NULL));
    return webhook_admission_validate(&admission, NULL);
}

/* The object of a request, one of a collection or the one that it names. Suspends. */
static struct error *delete_requested(struct request *request, struct key key,
                                      const struct delete_options *options,
                                      struct delete_result *ret_result)
{
    struct deletion deletion = {request->kind, key, options, request->now, ret_result, true};
    for (size_t i = 0; i < WEBHOOK_ATTEMPTS; i++) {
        int64_t expected;
        TRY(ask_webhooks(request, &deletion, &expected));
        struct error *err = decide_deletion(request->api, &deletion, expected);
        if (expected == STORE_ANY ||
            !(error_is(err, ERROR_CONFLICT) || error_is(err, ERROR_NOT_FOUND)))
            return err;
        error_free(err);
    }
    return status_conflict_modified(kind_gvr(request->kind), key.name);
}

/* The default of the kind, for a request without a policy. A Job's is worth a warning. */
static void add_kind_default(struct request *request, struct delete_options *options)
{
    if (options->propagation != PROPAGATION_UNSET || !request->kind->orphans_dependents)
        return;
    options->orphans = true;
    if (str_eq(request->kind->gvk.kind, STR("Job")))
        json_warn(&request->warnings,
                  STR("child pods are preserved by default when jobs are deleted; set "
                      "propagationPolicy=Background to remove them or set "
                      "propagationPolicy=Orphan to suppress this warning"));
}

/* The body of a DELETE is optional, and may be protobuf. */
static struct error *read_given(struct request *request, struct delete_options *options)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    TRY(body_read(request, &body));
    if (body.len == 0)
        return delete_options_read(request, NULL, options);
    TRY(body_check_type(request));
    OWNED(error)
    err = protobuf_body_has_magic(buf_str(&body)) ? protobuf_body_read(buf_str(&body), &doc)
                                                  : json_read(buf_str(&body), &doc);
    if (err)
        return status_bad_request("couldn't get version/kind; json parse error: %s", err->message);
    return delete_options_read(request, json_doc_root(doc), options);
}

static struct error *read_options(struct request *request, struct delete_options *options)
{
    TRY(read_given(request, options));
    add_kind_default(request, options);
    return NULL;
}

/* The Status of a delete that was completed at once. */
static struct error *respond_deleted(const struct request *request, const struct json_value *object)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) body = {.limit = 0};
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("Status"));
    json_builder_add_str(&builder, "apiVersion", STR("v1"));
    json_builder_add_object(&builder, "metadata");
    json_builder_end(&builder);
    json_builder_add_str(&builder, "status", STR("Success"));
    json_builder_add_object(&builder, "details");
    json_builder_add_str(&builder, "name", request->name);
    if (request->gvr.group.len)
        json_builder_add_str(&builder, "group", request->gvr.group);
    json_builder_add_str(&builder, "kind", request->gvr.resource);
    json_builder_add_str(&builder, "uid", json_path_str(object, "metadata.uid"));
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write_with(&body, json_doc_root(doc), JSON_WRITE_ESCAPE_HTML);
    return response_send_body(request, 200, STR("application/json"), buf_str(&body));
}

struct error *handle_delete(struct request *request)
{
    struct response_format format;
    struct delete_options options = {0};
    SCOPED(delete_result) result = {0};
    TRY(negotiate(request, &format));
    TRY(read_options(request, &options));
    TRY(admission_check_request(request, VERB_DELETE, request->name));
    TRY(delete_requested(request, request_key(request, request->name), &options, &result));
    if (result.is_gone && !request->kind->delete_returns_object)
        return respond_deleted(request, json_doc_root(result.object));
    return response_send_doc(request, &format, 200, result.object);
}

struct error *handle_delete_collection(struct request *request)
{
    struct response_format format;
    struct list_options list_options;
    struct delete_options options = {0};
    SCOPED(list_result) list = {0};
    TRY(negotiate(request, &format));
    TRY(list_options_read(request, &list_options));
    TRY(read_options(request, &options));
    list_options.limit = 0;
    TRY(handle_list_collect(request, &list_options, &list));
    for (size_t i = 0; i < list.count; i++) {
        SCOPED(delete_result) result = {0};
        TRY(fiber_yield_in_time()); /* a deletion that writes nothing does not wait */
        struct error *err =
            delete_requested(request, object_text_key(list.items[i]), &options, &result);
        TRY(error_ignore(err, ERROR_NOT_FOUND));
    }
    return handle_list_respond(request, &format, &list);
}
