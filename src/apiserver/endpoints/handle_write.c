/*
 * One struct write for create, update and patch. Reading the request happens first and may suspend:
 *
 *     handle_create() / handle_update() / handle_patch()
 *       read_options()    Accept, dryRun, fieldManager, fieldValidation
 *       read_body()       bytes -> document -> decode -> default_     (a patch stays a patch)
 *       commit_write()    its turn at quotas, then api_decide() with check_request(),
 *                         draft_write() and accept_write()
 *
 * draft_write() does what takes time, for a large write on a worker thread (see store_draft.h). It
 * uses the request, its kind and the object alone, and must not suspend:
 *
 *     draft_new()      metadata -> managed fields -> prepare -> validate -> warn -> put
 *     draft_change()   make_changed(): wanted object -> place and preconditions -> metadata
 *                      -> managed fields -> prepare -> generation; then as above
 *
 * check_request() is the admission of the request, right before the store is asked. accept_write()
 * runs inside of the store: permission to create, admission of the object, and whether a create is
 * free to be one.
 *
 * A write that admission webhooks may be asked about is drafted, on the object as it is, and shown
 * to them before the store is asked: ask_webhooks(). draft_write() then stops before mutating
 * webhooks, or goes on with what they made. The store accepts the write only if the object is still
 * the same; otherwise all of it begins again, as GuaranteedUpdate() of kube-apiserver does it. So
 * is a write of a kind whose versions a webhook converts: draft_write() fails as long as a
 * conversion is not known, and make_draft() asks for it and repeats the draft.
 *
 * An apply has its managed fields merged first and is decoded afterwards. A write that changes
 * nothing does not reach the store: resourceVersion stays the same. A write that removes the last
 * finalizer of an object that is being deleted deletes the object.
 *
 * The scale subresource is an update of the object that goes in and out as a Scale.
 */
#include "apiserver/endpoints/handle_write.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/crd/scale.h"
#include "apiserver/crd_registry.h"
#include "apiserver/endpoints/admission.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/field_ownership.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/endpoints/patch.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/managedfields/managed_fields.h"
#include "apiserver/quota_claim.h"
#include "apiserver/webhooks/webhook_admission.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/compute.h"
#include "async/loop.h"
#include "base/random.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

#define GENERATE_ATTEMPTS 8

/* How often a write is shown to webhooks again because the object has changed meanwhile. */
#define WEBHOOK_ATTEMPTS 8

struct write {
    struct request *request;
    const struct kind *kind;
    struct write_options options;
    struct response_format format;
    struct patch patch;    /* of a patch */
    struct json_doc *body; /* of create and update: decoded, with defaults */
    size_t size;           /* of the body, in bytes of JSON, with defaults or copies of a patch */
    struct str name;
    bool name_is_generated;
    char uid[RANDOM_UUID_LEN + 1];

    /* Of admission webhooks. */
    bool stops_at_webhooks;   /* the draft ends before them, with asked */
    struct json_doc *asked;   /* the object that mutating webhooks are shown */
    struct json_doc *mutated; /* what they made of it; NULL: they were not asked */

    /* Of the last draft. */
    struct json_doc *old, *doc; /* the object before and after; old is NULL when it is new */
    struct json_doc *result;    /* what the client gets; NULL: what is stored */
    bool created;
};

static void write_done(struct write *write)
{
    patch_done(&write->patch);
    json_doc_free(write->body);
    json_doc_free(write->asked);
    json_doc_free(write->mutated);
    json_doc_free(write->old);
    json_doc_free(write->doc);
    json_doc_free(write->result);
}

static bool is_scale(const struct write *write)
{
    const struct kind_subresource *part =
        kind_subresource(write->kind, write->request->subresource);
    return part && part->part == KIND_PART_SCALE;
}

static void set_result(struct write *write, struct json_doc *doc)
{
    json_doc_free(write->result);
    write->result = doc;
}

/* Name and namespace in the body must be those of the URL. */
static struct error *check_place(const struct write *write, const struct json_value *object)
{
    const struct request *request = write->request;
    const struct str name = json_path_str(object, "metadata.name");
    const struct str namespace = json_path_str(object, "metadata.namespace");
    if (write->kind->namespaced && namespace.len && !str_eq(namespace, request->namespace))
        return status_bad_request("the namespace of the provided object does not match the "
                                  "namespace sent on the request");
    if (write->request->verb != VERB_CREATE) {
        if (name.len == 0)
            return status_bad_request("the name of the object (%.*s based on URL) was "
                                      "undeterminable: name must be provided",
                                      STR_ARG(request->name));
        if (!str_eq(name, request->name))
            return status_bad_request(
                "the name of the object (%.*s) does not match the name on the URL (%.*s)",
                STR_ARG(name), STR_ARG(request->name));
    }
    return NULL;
}

static struct field_ownership ownership_of(const struct write *write)
{
    const struct request *request = write->request;
    return (struct field_ownership){request->arena, write->kind, write->options.manager,
                                    request->subresource, request->now};
}

/* What a custom resource says that it is, right or wrong. */
static struct gvk gvk_given(const struct json_value *object, struct gvk gvk)
{
    struct str version = json_path_str(object, "apiVersion"), group;
    gvk.kind = json_path_str(object, "kind");
    gvk.group = str_cut(&version, '/', &group) ? group : (struct str){0};
    return gvk;
}

/*
 * kube-apiserver validates the metadata of built-in kinds several times, and each time adds its
 * causes to the Status. Clients see the repetition.
 */
static void validate_metadata(const struct write *write, const struct json_value *old,
                              const struct json_value *object, struct field_errors *errors)
{
    const struct kind *kind = write->kind;
    const bool is_status = str_eq(write->request->subresource, STR("status"));
    const struct json_value *metadata = json_get(object, STR("metadata"));
    const size_t times = old && !kind->is_custom ? 2 : 1;
    for (size_t i = 0; i < times; i++) {
        if (old)
            metadata_check_change(errors, object, old);
        for (size_t j = 0; j < times; j++)
            metadata_check(errors, metadata, kind->check_name);
    }
    if (!kind->is_custom && !kind->plain_finalizers &&
        !(is_status && kind->plain_finalizers_of_status))
        metadata_check_qualified_finalizers(errors, object);
}

/* The kind in the message of a Status: Events of both groups are those of the core group. */
static struct gvk gvk_validated(const struct kind *kind, const struct json_value *object)
{
    struct gvk gvk = kind->is_custom ? gvk_given(object, kind->gvk) : kind->gvk;
    if (kind->has_two_groups)
        gvk.group = (struct str){0};
    return gvk;
}

/* Warnings come with whatever becomes of an object that is valid, and not with one that is not. */
static void warn_of_object(const struct write *write, const struct kind_write *step,
                           const struct json_value *object)
{
    struct json_warnings *warnings = &write->request->warnings;
    if (write->kind->is_custom)
        metadata_warn_finalizers(warnings, object, step->old);
    if (write->kind->ops->warn)
        write->kind->ops->warn(write->kind, step, object, warnings);
}

/*
 * Metadata, then the kind's own rules; some kinds look at the metadata of a new object only when
 * nothing else is wrong. All errors are collected into one 422.
 */
static struct error *validate_object(const struct write *write, const struct json_value *old,
                                     const struct json_value *object)
{
    const struct request *request = write->request;
    const struct kind *kind = write->kind;
    struct field_errors errors = {.arena = request->arena};
    const struct kind_write step = {old,          request->subresource, request->namespace,
                                    request->now, request->arena,       NULL};
    const bool metadata_last = !old && kind->metadata_last;
    if (!metadata_last)
        validate_metadata(write, old, object, &errors);
    kind->ops->validate(kind, &step, object, &errors);
    if (metadata_last && errors.count == 0)
        validate_metadata(write, old, object, &errors);
    if (errors.count)
        return status_invalid(gvk_validated(kind, object), json_path_str(object, "metadata.name"),
                              &errors);
    warn_of_object(write, &step, object);
    return NULL;
}

/* Who makes the request, as a value that lives in its arena. */
static struct error *describe_user(const struct request *request,
                                   const struct json_value **ret_user)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct json_doc *doc = NULL;
    json_builder_object(&builder);
    auth_write_user(&builder, "user", &request->user);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_doc_hold(request->arena, doc);
    *ret_user = json_get(json_doc_root(doc), STR("user"));
    return NULL;
}

static struct error *prepare_object(const struct write *write, const struct json_value *old,
                                    struct json_doc *doc, struct json_doc **ret_doc)
{
    const struct request *request = write->request;
    struct kind_write step = {old,          request->subresource, request->namespace,
                              request->now, request->arena,       NULL};
    if (write->kind->records_user)
        TRY(describe_user(request, &step.user));
    return write->kind->ops->prepare(write->kind, &step, doc, ret_doc);
}

/*
 * 413. Defaults, managed fields and many patches make objects that no request could hold. They
 * would take long to read. What is stored already may stay as large as it is.
 */
static struct error *check_size(const struct store_edit *edit)
{
    const size_t size = object_text_json(edit->text).len;
    if (size <= BODY_MAX || (edit->previous && size <= object_text_json(edit->previous).len))
        return NULL;
    return status_too_large(BODY_MAX);
}

/* A kind that is stored in another version is shown as it would come out of the store. */
static struct error *show_dry_run(struct write *write, struct json_doc *doc)
{
    struct json_doc *shown = NULL;
    struct object_text *text = NULL;
    if (!write->kind->is_converted && !crd_conversions_of(write->kind)) {
        set_result(write, json_doc_ref(doc));
        return NULL;
    }
    TRY(codec_write_stored(write->kind, doc, &text));
    struct error *err = codec_read_stored(write->kind, text, &shown);
    object_text_free(text);
    TRY(err);
    set_result(write, shown);
    return NULL;
}

/*
 * A webhook that cannot convert the response is found out by the draft, before anything is stored.
 * The draft's own response is of no use.
 */
static struct error *foresee_result(const struct write *write, const struct object_text *text)
{
    OWNED(json_doc) shown = NULL;
    return crd_conversions_of(write->kind) ? codec_read_stored(write->kind, text, &shown) : NULL;
}

/*
 * Fills in the edit. A dry run leaves the store alone and responds with the object as it would be.
 * The response to a draft is read from what is stored in the end.
 */
static struct error *put_object(struct write *write, struct store_edit *edit, struct json_doc *doc)
{
    OWNED(json_doc) versioned = NULL;
    if (write->options.dry_run)
        return show_dry_run(write, doc);
    TRY(codec_write_edit(write->kind, doc, STORE_PUT, edit, &versioned));
    TRY(check_size(edit));
    if (!edit->revision)
        return foresee_result(write, edit->text);
    if (!write->kind->is_custom && !write->kind->is_converted) {
        set_result(write, TAKE(versioned));
        return NULL;
    }
    /* Converting to the storage version may drop or add fields, so the response is read back. */
    struct json_doc *shown;
    TRY(codec_read_stored(write->kind, edit->text, &shown));
    set_result(write, shown);
    return NULL;
}

/* Managed fields of a create or update; old is NULL on create. */
static struct error *manage_written(const struct write *write, const struct json_value *old,
                                    struct json_doc *doc, struct json_doc **ret_doc)
{
    OWNED(json_doc) prepared = NULL;
    const struct field_ownership ownership = ownership_of(write);
    if (!write->kind->prepare_makes_fields)
        return field_ownership_update(&ownership, old, json_doc_root(doc), ret_doc);
    TRY(prepare_object(write, old, doc, &prepared));
    return field_ownership_update(&ownership, old, json_doc_root(prepared), ret_doc);
}

static struct error *not_a_version(struct str version)
{
    struct error *err = error_new(
        ERROR_UNKNOWN, "strconv.ParseUint: parsing \"%.*s\": invalid syntax", STR_ARG(version));
    err->http_status = 500;
    return err;
}

/*
 * An update or apply that creates the object must not name a uid, which refers to an object that
 * exists, and a version that is none is noticed here, too.
 */
static struct error *check_absent(const struct write *write, const struct json_value *object)
{
    const struct str uid = json_path_str(object, "metadata.uid");
    const struct str version = json_path_str(object, "metadata.resourceVersion");
    uint64_t number;
    if (uid.len)
        return status_conflict(
            kind_gvr(write->kind), write->name,
            arena_print(write->request->arena,
                        "uid mismatch: the provided object specified uid %.*s, and "
                        "no existing object was found",
                        STR_ARG(uid)));
    TRY(check_place(write, object));
    return version.len && !str_to_uint64(version, &number) ? not_a_version(version) : NULL;
}

/*
 * The permission to change objects does not include creating them. An apply or update that creates
 * needs both.
 */
static struct error *check_may_create(const struct write *write)
{
    const struct request *request = write->request;
    if (request->verb == VERB_CREATE)
        return NULL;
    struct rbac_attributes attributes = request_attributes(request);
    attributes.verb = verb_name(VERB_CREATE);
    OWNED(error) refused = authorize(&request->api->auth, request->arena, &attributes);
    return refused ? status_forbidden(kind_gvr(write->kind), write->name, STR("")) : NULL;
}

static struct error *patch_object(struct write *write, const struct kind *kind,
                                  struct json_doc *old, struct json_doc **ret_doc)
{
    const struct patch_target target = {write->request, kind, &write->options, old};
    return patch_apply(&write->patch, &target, ret_doc);
}

/* 409. An object that is being deleted still holds its name. */
static struct error *already_exists(const struct write *write, const struct store_edit *edit)
{
    OWNED(object) object = NULL;
    TRY(object_text_read(edit->previous, &object));
    struct error *err = status_already_exists(kind_gvr(write->kind), write->name);
    return object_is_deleting(object) ? error_wrap(err, "object is being deleted") : err;
}

/*
 * The last that a create is asked: whether it carries a version, of which a dry run knows nothing,
 * and whether its name is free.
 */
static struct error *check_free(const struct write *write, const struct store_edit *edit)
{
    uint64_t number;
    if (write->request->verb != VERB_CREATE)
        return NULL;
    const struct str version =
        json_path_str(json_doc_root(write->body), "metadata.resourceVersion");
    if (!write->options.dry_run && str_to_uint64(version, &number) && number) {
        struct error *err =
            error_new(ERROR_UNKNOWN, "resourceVersion should not be set on objects to be created");
        err->http_status = 500;
        return err;
    }
    return edit->previous ? already_exists(write, edit) : NULL;
}

/* The object that the request creates, with its managed fields. */
static struct error *make_new(struct write *write, const struct metadata_new *values,
                              struct json_doc **ret_doc)
{
    OWNED(json_doc) typed = NULL;
    OWNED(json_doc) filled = NULL;
    const bool apply = write->patch.type == PATCH_APPLY;
    if (apply)
        TRY(patch_object(write, write->kind, NULL, &typed));
    else
        typed = json_doc_ref(write->body);
    if (write->request->verb != VERB_CREATE)
        TRY(check_absent(write, json_doc_root(typed)));
    TRY(metadata_create(typed, values, &filled));
    if (!apply)
        return manage_written(write, NULL, filled, ret_doc);
    *ret_doc = TAKE(filled);
    return NULL;
}

/* There is no object, as far as is known: the request creates it. */
static struct error *draft_new(struct write *write, struct store_edit *edit)
{
    const struct request *request = write->request;
    OWNED(json_doc) owned = NULL;
    OWNED(json_doc) doc = NULL;
    const struct metadata_new values = {
        .name = write->name,
        .namespace = request_key(request, write->name).namespace,
        .uid = str_from(write->uid, RANDOM_UUID_LEN),
        .now = request->now,
        .has_generation = write->kind->has_generation,
    };
    if (write->stops_at_webhooks)
        return make_new(write, &values, &write->asked);
    if (write->mutated)
        TRY(metadata_create(write->mutated, &values, &owned));
    else
        TRY(make_new(write, &values, &owned));
    TRY(prepare_object(write, NULL, owned, &doc));
    TRY(validate_object(write, NULL, json_doc_root(doc)));
    write->created = true;
    write->doc = TAKE(doc);
    return put_object(write, edit, write->doc);
}

/* 422 of kinds whose updates have to name a resourceVersion. */
static struct error *must_have_version(const struct write *write)
{
    struct field_errors errors = {.arena = write->request->arena};
    const struct gvk named = {write->kind->gvk.group, write->kind->gvk.version,
                              write->kind->plural};
    field_errors_add_int(&errors, FIELD_INVALID, STR("metadata.resourceVersion"), 0,
                         STR("must be specified for an update"));
    return status_invalid(named, write->request->name, &errors);
}

/* The uid of an update has to be that of the object; old_uid is empty when there is none. */
static struct error *check_uid(const struct write *write, struct str old_uid)
{
    const struct request *request = write->request;
    if (request->verb != VERB_UPDATE || is_scale(write))
        return NULL;
    const struct str uid = json_path_str(json_doc_root(write->body), "metadata.uid");
    if (uid.len == 0 || str_eq(uid, old_uid))
        return NULL;
    const struct str why = arena_print(
        request->arena,
        "StorageError: invalid object, Code: 4, Key: /registry/%.*s/%.*s%s%.*s, "
        "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: "
        "%.*s, UID in object meta: %.*s",
        STR_ARG(write->kind->plural), STR_ARG(request->namespace),
        request->namespace.len ? "/" : "", STR_ARG(request->name), STR_ARG(uid), STR_ARG(old_uid));
    return status_conflict(kind_gvr(write->kind), request->name, why);
}

/*
 * Whether a write without a version is one to whatever there is. An apply that does not speak of
 * the version leaves that of the object.
 */
static bool is_unconditional(const struct write *write)
{
    return write->kind->unconditional_update ||
           (write->patch.type == PATCH_APPLY &&
            !json_path(json_doc_root(write->patch.doc), "metadata.resourceVersion"));
}

/* Optimistic locking: a resourceVersion or uid in the request has to be the current one. */
static struct error *check_preconditions(const struct write *write, const struct json_value *object,
                                         const struct json_value *old)
{
    const struct request *request = write->request;
    const struct str version = json_path_str(object, "metadata.resourceVersion");
    uint64_t number = 0;
    if (version.len && !str_to_uint64(version, &number))
        return not_a_version(version);
    TRY(check_uid(write, json_path_str(old, "metadata.uid")));
    if (number == 0)
        return is_unconditional(write) ? NULL : must_have_version(write);
    if (!str_eq(version, json_path_str(old, "metadata.resourceVersion")))
        return status_conflict_modified(kind_gvr(write->kind), request->name);
    return NULL;
}

static struct error *set_entries(struct json_doc *doc, const struct json_doc *entries,
                                 struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit = {0};
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_set_unless_empty(&edit, JSON_PLACE("metadata.managedFields"), json_doc_root(entries));
    return json_edit_finish(&edit, ret_doc);
}

/*
 * A server-side apply of a Scale. The Scale has the owners of the object's replicas, the apply
 * decides about them, and the object gets what became of them.
 */
static struct error *apply_scale(struct write *write, struct json_doc *old, struct json_doc *scale,
                                 struct json_doc **ret_doc)
{
    const struct field_ownership ownership = ownership_of(write);
    const struct kind kind = scale_kind();
    OWNED(json_doc) owners = NULL;
    OWNED(json_doc) owned = NULL;
    OWNED(json_doc) changed = NULL;
    OWNED(json_doc) object = NULL;
    OWNED(json_doc) entries = NULL;
    TRY(field_ownership_to_scale(&ownership, json_doc_root(old), &owners));
    TRY(set_entries(scale, owners, &owned));
    TRY(patch_object(write, &kind, owned, &changed));
    TRY(check_place(write, json_doc_root(changed)));
    TRY(scale_write(write->kind, json_doc_root(old), json_doc_root(changed), &object));
    TRY(field_ownership_from_scale(&ownership, json_doc_root(old),
                                   json_path(json_doc_root(changed), "metadata.managedFields"),
                                   &entries));
    return set_entries(object, entries, ret_doc);
}

/*
 * Makes the object that a request for /scale wants. PUT: the replicas come from the Scale in the
 * body. PATCH: they come from the Scale of the stored object, to which the patch is applied.
 */
static struct error *make_scaled(struct write *write, struct json_doc *old,
                                 struct json_doc **ret_doc)
{
    const struct kind kind = scale_kind();
    OWNED(json_doc) scale = NULL;
    OWNED(json_doc) changed = NULL;
    TRY(scale_read(write->kind, json_doc_root(old), &scale));
    if (write->patch.type == PATCH_APPLY)
        return apply_scale(write, old, scale, ret_doc);
    if (write->patch.type == PATCH_NONE)
        changed = json_doc_ref(write->body);
    else
        TRY(patch_object(write, &kind, scale, &changed));
    TRY(check_place(write, json_doc_root(changed)));
    return scale_write(write->kind, json_doc_root(old), json_doc_root(changed), ret_doc);
}

/* The object as the request wants it: the body, or the old object with the patch or the Scale. */
static struct error *make_wanted(struct write *write, struct json_doc *old,
                                 struct json_doc **ret_doc)
{
    if (is_scale(write))
        return make_scaled(write, old, ret_doc);
    if (write->patch.type != PATCH_NONE)
        return patch_object(write, write->kind, old, ret_doc);
    *ret_doc = json_doc_ref(write->body);
    return NULL;
}

/*
 * The last finalizer was removed, so the object is deleted. Watches see the state before this
 * write.
 */
static struct error *delete_finalized(struct write *write, struct store_edit *edit,
                                      struct json_doc *old, struct json_doc *doc)
{
    set_result(write, json_doc_ref(doc));
    if (write->options.dry_run)
        return NULL;
    return codec_write_edit(write->kind, old, STORE_DELETE, edit, NULL);
}

/* Which changes make a new generation, see metadata.h. */
static unsigned generation_counting(const struct write *write)
{
    const bool is_whole = write->request->subresource.len == 0;
    return (kind_subresource(write->kind, STR("status")) ? METADATA_STATUS_APART : 0) |
           (is_whole && write->kind->counts_annotations ? METADATA_COUNTS_ANNOTATIONS : 0);
}

/*
 * A managedFields entry that differs in its time alone keeps the old time, so that a write without
 * a change stays one.
 */
static struct error *settle_times(const struct json_value *was, struct json_doc **doc)
{
    struct json_doc *settled = NULL;
    TRY(managed_fields_settle(was, *doc, &settled));
    json_doc_free(*doc);
    *doc = settled;
    return NULL;
}

/* The old object with what the request wants, and its managed fields. */
static struct error *make_asked(struct write *write, struct json_doc *old,
                                struct json_doc **ret_doc)
{
    OWNED(json_doc) asked = NULL;
    OWNED(json_doc) kept = NULL;
    const struct json_value *was = json_doc_root(old);
    TRY(make_wanted(write, old, &asked));
    TRY(check_place(write, json_doc_root(asked)));
    TRY(check_preconditions(write, json_doc_root(asked), was));
    TRY(metadata_keep(asked, was, request_key(write->request, write->name).namespace, &kept));
    if (write->patch.type != PATCH_APPLY)
        return manage_written(write, was, kept, ret_doc);
    *ret_doc = TAKE(kept);
    return NULL;
}

/* The same as it would be stored. Not validated yet. */
static struct error *make_changed(struct write *write, struct json_doc *old,
                                  struct json_doc **ret_doc)
{
    OWNED(json_doc) owned = NULL;
    OWNED(json_doc) prepared = NULL;
    OWNED(json_doc) doc = NULL;
    const struct json_value *was = json_doc_root(old);
    if (write->mutated)
        TRY(metadata_keep(write->mutated, was, request_key(write->request, write->name).namespace,
                          &owned));
    else
        TRY(make_asked(write, old, &owned));
    TRY(prepare_object(write, was, owned, &prepared));
    if (write->kind->has_generation)
        TRY(metadata_count_generation(prepared, was, generation_counting(write), &doc));
    else
        doc = json_doc_ref(prepared);
    TRY(settle_times(was, &doc));
    *ret_doc = TAKE(doc);
    return NULL;
}

/* The object exists: update or patch. */
static struct error *draft_change(struct write *write, struct store_edit *edit)
{
    OWNED(json_doc) doc = NULL;
    TRY(codec_read_stored(write->kind, edit->previous, &write->old));
    const struct json_value *was = json_doc_root(write->old);
    if (write->stops_at_webhooks)
        return make_asked(write, write->old, &write->asked);
    TRY(make_changed(write, write->old, &doc));
    TRY(validate_object(write, was, json_doc_root(doc)));
    write->doc = TAKE(doc);
    if (metadata_is_finished(json_doc_root(write->doc)))
        return delete_finalized(write, edit, write->old, write->doc);
    if (json_equal(json_doc_root(write->doc), was)) {
        set_result(write, json_doc_ref(write->old));
        return NULL;
    }
    return put_object(write, edit, write->doc);
}

/* Whether this request may create an object that does not exist. */
static bool may_create(const struct write *write)
{
    if (write->request->subresource.len)
        return false;
    switch (write->request->verb) {
    case VERB_CREATE:
        return true;
    case VERB_UPDATE:
        return write->kind->create_on_update;
    default:
        return write->patch.type == PATCH_APPLY;
    }
}

/* It may be called several times, so it sets all results anew. */
static struct error *draft_write(void *data, struct store_edit *edit)
{
    struct write *write = data;
    json_doc_free(TAKE(write->asked));
    json_doc_free(TAKE(write->old));
    json_doc_free(TAKE(write->doc));
    set_result(write, NULL);
    write->created = false;
    if (write->request->verb == VERB_CREATE)
        return draft_new(write, edit);
    if (edit->previous)
        return draft_change(write, edit);
    if (!may_create(write))
        return status_not_found(kind_gvr(write->kind), write->name);
    TRY(check_uid(write, STR("")));
    return draft_new(write, edit);
}

/* What the draft has made is not needed any more, while the change is written to disk. */
static struct error *accept_write(void *data, struct store_edit *edit)
{
    struct write *write = data;
    OWNED(json_doc) old = TAKE(write->old);
    OWNED(json_doc) doc = TAKE(write->doc);
    if (write->created)
        TRY(check_may_create(write));
    TRY(admission_check_object(write->request, json_doc_root(old), json_doc_root(doc)));
    return write->created ? check_free(write, edit) : NULL;
}

static bool is_absent(const struct write *write)
{
    struct store_object found = {0};
    const struct key key = request_key(write->request, write->name);
    OWNED(error) missing = store_get(write->request->api->store, api_id(write->kind, key), &found);
    store_object_done(&found);
    return missing;
}

/*
 * Admission of the request reads the store (does the namespace exist?), so it cannot run inside of
 * the edit. Only a request that may create something is asked about.
 */
static struct error *check_request(void *data)
{
    const struct write *write = data;
    if (write->request->verb == VERB_CREATE)
        return admission_check_request(write->request, VERB_CREATE, write->name);
    return may_create(write) && is_absent(write)
               ? admission_check_request(write->request, VERB_CREATE, write->name)
               : NULL;
}

/* A draft that is made for webhooks, on the object as it is. Perhaps on a worker thread. */
struct webhook_draft {
    struct write *write;
    const struct store_object *basis;
};

static struct error *draft_for_webhooks(void *data)
{
    const struct webhook_draft *draft = data;
    struct store_edit edit = {.previous = draft->basis->text,
                              .previous_revision = draft->basis->revision};
    struct error *err = draft_write(draft->write, &edit);
    object_text_free(edit.text);
    return err;
}

static struct error *make_draft(struct write *write, const struct store_object *basis,
                                bool stops_at_webhooks)
{
    struct webhook_draft draft = {write, basis};
    const size_t size = write->size + (basis->text ? object_text_json(basis->text).len : 0);
    write->stops_at_webhooks = stops_at_webhooks;
    struct error *err = webhook_conversion_run(write->kind, size, draft_for_webhooks, &draft);
    write->stops_at_webhooks = false;
    return err;
}

/*
 * On a create mutating webhooks see the object without what only the server sets. A name that is
 * generated is not drawn yet for them.
 */
static struct error *hide_new(const struct write *write, struct json_doc **object)
{
    SCOPED(json_edit) edit = {0};
    struct json_doc *doc;
    json_edit_init(&edit, json_doc_root(*object));
    json_edit_remove(&edit, JSON_PLACE("metadata.uid"));
    json_edit_remove(&edit, JSON_PLACE("metadata.creationTimestamp"));
    json_edit_remove(&edit, JSON_PLACE("metadata.generation"));
    if (write->name_is_generated)
        json_edit_remove(&edit, JSON_PLACE("metadata.name"));
    TRY(json_edit_finish(&edit, &doc));
    json_doc_free(*object);
    *object = doc;
    return NULL;
}

/*
 * Webhooks do not change who owns which fields. kube-apiserver puts back what they break; here
 * whatever they make of it is put back.
 */
static struct error *keep_owners(const struct json_doc *asked, struct json_doc **mutated)
{
    SCOPED(json_edit) edit = {0};
    struct json_doc *doc;
    json_edit_init(&edit, json_doc_root(*mutated));
    json_edit_set_unless_empty(&edit, JSON_PLACE("metadata.managedFields"),
                               json_path(json_doc_root(asked), "metadata.managedFields"));
    TRY(json_edit_finish(&edit, &doc));
    json_doc_free(*mutated);
    *mutated = doc;
    return NULL;
}

/* A webhook that names an object, or renames it, does so before the name is looked for. */
static void take_name(struct write *write)
{
    const struct str name = json_path_str(json_doc_root(write->mutated), "metadata.name");
    if (name.len && write->request->verb == VERB_CREATE && !str_eq(name, write->name)) {
        write->name = arena_str(write->request->arena, name);
        write->name_is_generated = false;
    }
}

/* Mutating webhooks: what they are shown is in asked, what they make goes to mutated. */
static struct error *ask_mutating(struct write *write, struct webhook_admission *admission)
{
    OWNED(json_doc) scale = NULL;
    OWNED(json_doc) changed = NULL;
    OWNED(json_doc) asked = TAKE(write->asked);
    if (!is_scale(write)) {
        if (!admission->old)
            TRY(hide_new(write, &asked));
        TRY(webhook_admission_mutate(admission, asked, &write->mutated));
        TRY(keep_owners(asked, &write->mutated));
        take_name(write);
        return NULL;
    }
    TRY(scale_read(write->kind, json_doc_root(asked), &scale));
    TRY(webhook_admission_mutate(admission, scale, &changed));
    return changed == scale ? NULL
                            : scale_write(write->kind, json_doc_root(asked), json_doc_root(changed),
                                          &write->mutated);
}

/* Validating webhooks see the object as it would be stored. */
static struct error *ask_validating(struct write *write, const struct webhook_admission *admission)
{
    OWNED(json_doc) scale = NULL;
    OWNED(json_doc) doc = TAKE(write->doc);
    if (write->created)
        TRY(check_may_create(write));
    if (!is_scale(write))
        return webhook_admission_validate(admission, json_doc_root(doc));
    TRY(scale_read(write->kind, json_doc_root(doc), &scale));
    return webhook_admission_validate(admission, json_doc_root(scale));
}

/* The object before the write, as webhooks see it. */
static struct error *show_old(const struct write *write, const struct store_object *basis,
                              struct json_doc **ret_doc)
{
    OWNED(json_doc) old = NULL;
    if (!basis->text || write->request->verb == VERB_CREATE)
        return NULL;
    TRY(codec_read_stored(write->kind, basis->text, &old));
    if (is_scale(write))
        return scale_read(write->kind, json_doc_root(old), ret_doc);
    *ret_doc = TAKE(old);
    return NULL;
}

/*
 * Shows the write to admission webhooks, and has its conversions made by the conversion webhook.
 * *ret_expected is what the object has to be when the store is asked; a create is shown without the
 * object that may be there. Suspends.
 */
static struct error *ask_webhooks(struct write *write, int64_t *ret_expected)
{
    struct request *request = write->request;
    const struct store_id id = api_id(write->kind, request_key(request, write->name));
    const struct kind scale = scale_kind();
    SCOPED(store_object) basis = {0};
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) options = NULL;
    *ret_expected = STORE_ANY;
    json_doc_free(TAKE(write->mutated));
    const bool is_admitted = webhook_admission_is_needed(request);
    if (!is_admitted && !crd_conversions_of(write->kind))
        return NULL;
    TRY(check_request(write));
    TRY(error_ignore(store_get(request->api->store, id, &basis), ERROR_NOT_FOUND));
    if (request->verb != VERB_CREATE)
        *ret_expected = basis.text ? basis.revision : STORE_NEW;
    if (!is_admitted)
        return make_draft(write, &basis, false);
    TRY(make_draft(write, &basis, true));
    TRY(show_old(write, &basis, &old));
    const bool creates = !old;
    TRY(write_options_doc(request, &write->options, creates, &options));
    struct webhook_admission admission = {
        .request = request,
        .kind = write->kind,
        .object_kind = is_scale(write) ? &scale : write->kind,
        .operation = creates ? STR("CREATE") : STR("UPDATE"),
        .name = write->name_is_generated ? STR("") : write->name,
        .dry_run = write->options.dry_run,
        .options = json_doc_root(options),
        .old = old ? json_doc_root(old) : NULL,
    };
    TRY(ask_mutating(write, &admission));
    TRY(make_draft(write, &basis, false));
    admission.name = write->name;
    return ask_validating(write, &admission);
}

/* The uid is drawn here and not in the draft, which may be made more than once. */
static struct error *decide_write(struct write *write, int64_t expected,
                                  struct store_object *ret_object)
{
    struct request *request = write->request;
    const struct key key = request_key(request, write->name);
    const struct store_decision decision = {check_request, draft_write, accept_write, write,
                                            write->size};
    SCOPED(quota_claim) quota = {0};
    if (!request->subresource.len)
        TRY(quota_claim_take(&quota, request->api, request->arena, write->kind, key,
                             may_create(write)));
    request->quota = &quota;
    struct error *err =
        api_decide(request->api, api_id(write->kind, key), expected, &decision, ret_object);
    request->quota = NULL;
    return err;
}

/* Whether the object is another one than webhooks were asked about. */
static bool is_outdated(const struct error *err, int64_t expected)
{
    return expected != STORE_ANY &&
           (error_is(err, ERROR_CONFLICT) || error_is(err, ERROR_NOT_FOUND) ||
            error_is(err, ERROR_ALREADY_EXISTS));
}

static struct error *change_object(struct write *write, struct store_object *ret_object)
{
    random_uuid(loop_random(write->request->api->loop), write->uid);
    for (size_t i = 0; i < WEBHOOK_ATTEMPTS; i++) {
        int64_t expected;
        TRY(ask_webhooks(write, &expected));
        struct error *err = decide_write(write, expected, ret_object);
        if (!is_outdated(err, expected))
            return err;
        error_free(err);
    }
    return status_conflict_modified(kind_gvr(write->kind), write->name);
}

/* What a large write has stored, for the response. On a worker thread. */
struct written {
    struct write *write;
    const struct object_text *text;
};

static struct error *read_written(void *data)
{
    const struct written *written = data;
    return codec_read_stored(written->write->kind, written->text, &written->write->result);
}

static struct error *commit_write(struct write *write)
{
    SCOPED(store_object) stored = {0};
    TRY(change_object(write, &stored));
    if (write->result)
        return NULL;
    struct written written = {write, stored.text};
    return webhook_conversion_run(write->kind, object_text_size(stored.text), read_written,
                                  &written);
}

/* The rules of definitions with functions of their own (crd_webhooks.h) are enforced by these. */
static bool is_enforced(const struct write *write)
{
    return crd_webhooks_find(write->request->api->webhooks, json_doc_root(write->result));
}

static struct error *respond_write(struct write *write)
{
    OWNED(json_doc) scale = NULL;
    const int status = write->created ? 201 : 200;
    if (crd_registry_is_crd(write->kind) && !is_enforced(write))
        crd_registry_warn(json_doc_root(write->result), &write->request->warnings);
    if (!is_scale(write))
        return response_send_doc(write->request, &write->format, status, write->result);
    TRY(scale_read(write->kind, json_doc_root(write->result), &scale));
    return response_send_doc(write->request, &write->format, status, scale);
}

static struct error *read_body(struct write *write)
{
    const struct kind scale = scale_kind();
    const struct kind *kind = is_scale(write) ? &scale : write->kind;
    size_t len;
    TRY(body_read_kind(write->request, kind, write->options.validation, &write->body, &len));
    /* Defaults can make a small body large. In memory a document is twice as long as its text. */
    const size_t size = json_size(json_doc_root(write->body)) / 2;
    write->size = size > len ? size : len;
    return kind->is_custom ? crd_check_version(write->kind, json_doc_root(write->body)) : NULL;
}

static struct error *read_options(struct write *write, bool is_apply)
{
    TRY(negotiate(write->request, &write->format));
    return write_options_read(write->request, is_apply, &write->options);
}

/* Tries the given name, or generated names until one is free. */
static struct error *create_named(struct write *write)
{
    const struct json_value *object = json_doc_root(write->body);
    const struct str prefix = json_path_str(object, "metadata.generateName");
    write->name = json_path_str(object, "metadata.name");
    if (write->name.len || prefix.len == 0)
        return commit_write(write);
    struct error *err = NULL;
    for (size_t i = 0; i < GENERATE_ATTEMPTS; i++) {
        error_free(err);
        write->name = metadata_generate_name(write->request->arena,
                                             loop_random(write->request->api->loop), prefix);
        write->name_is_generated = true;
        err = commit_write(write);
        if (!error_is(err, ERROR_ALREADY_EXISTS))
            break;
    }
    return err;
}

struct error *handle_create(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind};
    TRY(read_options(&write, false));
    TRY(read_body(&write));
    TRY(check_place(&write, json_doc_root(write.body)));
    TRY(create_named(&write));
    return respond_write(&write);
}

struct error *handle_update(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind, .name = request->name};
    TRY(read_options(&write, false));
    TRY(read_body(&write));
    TRY(check_place(&write, json_doc_root(write.body)));
    TRY(commit_write(&write));
    return respond_write(&write);
}

/* Takes the fault of a patch. An object that is not there is the greater fault. */
static struct error *refuse_patch(const struct write *write, struct error *fault)
{
    OWNED(error) owned = fault;
    return !may_create(write) && is_absent(write)
               ? status_not_found(kind_gvr(write->kind), write->name)
               : TAKE(owned);
}

struct error *handle_patch(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind, .name = request->name};
    TRY(patch_type_read(request, &write.patch.type));
    TRY(read_options(&write, write.patch.type == PATCH_APPLY));
    SCOPED(buf) body = {.limit = 0};
    TRY(body_read(request, &body));
    struct error *fault = patch_read(request, buf_str(&body), &write.patch);
    if (fault)
        return refuse_patch(&write, fault);
    write.size = body.len + patch_growth(&write.patch);
    TRY(commit_write(&write));
    return respond_write(&write);
}
