#include "apiserver/endpoints/write_draft.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/crd/scale.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/field_ownership.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/managedfields/managed_fields.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

void write_done(struct write *write)
{
    patch_done(&write->patch);
    json_doc_free(write->body);
    json_doc_free(write->asked);
    json_doc_free(write->mutated);
    json_doc_free(write->old);
    json_doc_free(write->doc);
    json_doc_free(write->result);
}

bool write_is_scale(const struct write *write)
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

struct error *write_check_place(const struct write *write, const struct json_value *object)
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
    TRY(write_check_place(write, object));
    return version.len && !str_to_uint64(version, &number) ? not_a_version(version) : NULL;
}

static struct error *patch_object(struct write *write, const struct kind *kind,
                                  struct json_doc *old, struct json_doc **ret_doc)
{
    const struct patch_target target = {write->request, kind, &write->options, old};
    return patch_apply(&write->patch, &target, ret_doc);
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
    if (request->verb != VERB_UPDATE || write_is_scale(write))
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
    TRY(write_check_place(write, json_doc_root(changed)));
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
    TRY(scale_read_to_write(write->kind, json_doc_root(old), &scale));
    if (write->patch.type == PATCH_APPLY)
        return apply_scale(write, old, scale, ret_doc);
    if (write->patch.type == PATCH_NONE)
        changed = json_doc_ref(write->body);
    else
        TRY(patch_object(write, &kind, scale, &changed));
    TRY(write_check_place(write, json_doc_root(changed)));
    return scale_write(write->kind, json_doc_root(old), json_doc_root(changed), ret_doc);
}

/* The object as the request wants it: the body, or the old object with the patch or the Scale. */
static struct error *make_wanted(struct write *write, struct json_doc *old,
                                 struct json_doc **ret_doc)
{
    if (write_is_scale(write))
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
    TRY(write_check_place(write, json_doc_root(asked)));
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
    if (write->kind->has_generation || write->kind->counts_changes)
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

bool write_may_create(const struct write *write)
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

struct error *write_draft(void *data, struct store_edit *edit)
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
    if (!write_may_create(write))
        return status_not_found(kind_gvr(write->kind), write->name);
    TRY(check_uid(write, STR("")));
    return draft_new(write, edit);
}
