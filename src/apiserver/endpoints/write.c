#include "apiserver/endpoints/write.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/scale.h"
#include "apiserver/definitions.h"
#include "apiserver/endpoints/admission.h"
#include "apiserver/endpoints/answer.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/endpoints/ownership.h"
#include "apiserver/endpoints/patch.h"
#include "apiserver/endpoints/stored.h"
#include "apiserver/managedfields/managed_fields.h"
#include "apiserver/registry/kind_builtin.h"
#include "async/loop.h"
#include "base/random.h"
#include "json/compare.h"
#include "json/path.h"

#define GENERATE_ATTEMPTS 8

struct write {
    struct request *request;
    const struct kind *kind;
    struct write_options options;
    struct answer_format format;
    struct patch patch;    /* of a patch */
    struct json_doc *body; /* of create and update: decoded, with defaults */
    struct str name;
    char uid[RANDOM_UUID_LEN + 1];

    struct json_doc *result; /* what the client gets */
    bool created;
};

static void write_done(struct write *write)
{
    patch_done(&write->patch);
    json_doc_free(write->body);
    json_doc_free(write->result);
}

static bool is_secret(const struct kind *kind)
{
    return kind->gvk.group.len == 0 && str_eq(kind->gvk.kind, STR("Secret"));
}

static bool is_scale(const struct write *write)
{
    return str_eq(write->request->subresource, STR("scale"));
}

static void set_result(struct write *write, struct json_doc *doc)
{
    json_doc_free(write->result);
    write->result = doc;
}

/* The object's own words about where it belongs must be those of the URL. */
static struct error *check_place(const struct write *write, const struct json_value *object)
{
    const struct request *request = write->request;
    const struct str name = json_path_str(object, "metadata.name");
    const struct str namespace = json_path_str(object, "metadata.namespace");
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
    if (write->kind->namespaced && namespace.len && !str_eq(namespace, request->namespace))
        return status_bad_request("the namespace of the provided object does not match the "
                                  "namespace sent on the request");
    return NULL;
}

static struct error *manage_fields(const struct write *write, bool apply,
                                   const struct json_value *live, const struct json_value *object,
                                   struct json_doc **ret_doc)
{
    const struct request *request = write->request;
    const struct ownership ownership = {request->api,           request->arena,       write->kind,
                                        write->options.manager, request->subresource, request->now};
    return apply ? ownership_apply(&ownership, write->options.force, live, object, ret_doc)
                 : ownership_update(&ownership, live, object, ret_doc);
}

static struct error *validate(const struct write *write, const struct json_value *old,
                              const struct json_value *object)
{
    const struct request *request = write->request;
    const struct kind *kind = write->kind;
    struct field_errors errors = {.arena = request->arena};
    const struct kind_write step = {old, request->subresource, request->namespace, request->now,
                                    request->arena};
    const struct json_value *metadata = json_get(object, STR("metadata"));
    /* Other servers go over the metadata of built-in kinds several times and say so in causes. */
    const size_t times = old && !kind->is_custom ? 2 : 1;
    for (size_t i = 0; i < times; i++) {
        if (old)
            metadata_check_change(&errors, object, old);
        for (size_t j = 0; j < times; j++)
            metadata_check(&errors, metadata, kind->check_name);
    }
    if (!kind->is_custom && !definitions_is_definition(kind))
        metadata_check_qualified_finalizers(&errors, object);
    kind->ops->validate(kind, &step, object, &errors);
    if (kind->is_custom)
        metadata_warn_finalizers(&write->request->warnings, object, old);
    struct gvk gvk = kind->gvk;
    if (kind->is_custom)
        gvk.kind = json_path_str(object, "kind");
    if (str_eq(kind->stored_as, STR("events")))
        gvk.group = (struct str){0}; /* both forms are checked as the core's */
    return errors.count ? status_invalid(gvk, json_path_str(object, "metadata.name"), &errors)
                        : NULL;
}

static struct error *prepare(const struct write *write, const struct json_value *old,
                             struct json_doc *doc, struct json_doc **ret_doc)
{
    const struct request *request = write->request;
    const struct kind_write step = {old, request->subresource, request->namespace, request->now,
                                    request->arena};
    return write->kind->ops->prepare(write->kind, &step, doc, ret_doc);
}

/* Into the edit's answer; a dry run keeps what there is. */
static struct error *put(struct write *write, struct store_edit *edit, struct json_doc *doc)
{
    OWNED(json_doc) versioned = NULL;
    if (write->options.dry_run) {
        set_result(write, json_doc_ref(doc));
        return NULL;
    }
    TRY(metadata_set_version(doc, edit->revision, &versioned));
    TRY(stored_text(write->kind, versioned, &edit->text));
    edit->verdict = STORE_PUT;
    if (!write->kind->is_custom) {
        set_result(write, TAKE(versioned));
        return NULL;
    }
    /* What the storage version does not know is gone, so the answer is read back. */
    struct json_doc *shown;
    TRY(form_read(write->kind, edit->text, &shown));
    set_result(write, shown);
    return NULL;
}

/* The texts of a Secret become its data before anybody owns them. */
static struct error *manage_new(const struct write *write, struct json_doc *doc,
                                struct json_doc **ret_doc)
{
    OWNED(json_doc) encoded = NULL;
    if (!is_secret(write->kind))
        return manage_fields(write, false, NULL, json_doc_root(doc), ret_doc);
    TRY(prepare(write, NULL, doc, &encoded));
    return manage_fields(write, false, NULL, json_doc_root(encoded), ret_doc);
}

/* An apply that makes the object: whoever names a uid means one that is there. */
static struct error *check_absent(const struct write *write)
{
    const struct json_value *object = json_doc_root(write->patch.doc);
    const struct str uid = json_path_str(object, "metadata.uid");
    TRY(check_place(write, object));
    if (uid.len == 0)
        return NULL;
    return status_conflict(kind_gvr(write->kind), write->name,
                           arena_print(write->request->arena,
                                       "uid mismatch: the provided object specified uid %.*s, and "
                                       "no existing object was found",
                                       STR_ARG(uid)));
}

/* Who may change objects may not make them for that: an apply or update that does needs both. */
static struct error *check_may_create(const struct write *write)
{
    const struct request *request = write->request;
    if (request->verb == VERB_CREATE)
        return NULL;
    struct rbac_attributes attributes = request_attributes(request);
    attributes.verb = verb_name(VERB_CREATE);
    OWNED(error) refused = access_authorize(&request->api->access, request->arena, &attributes);
    return refused ? status_forbidden(kind_gvr(write->kind), write->name, STR("")) : NULL;
}

static struct error *write_new(struct write *write, struct store_edit *edit)
{
    const struct request *request = write->request;
    OWNED(json_doc) merged = NULL;
    OWNED(json_doc) typed = NULL;
    OWNED(json_doc) filled = NULL;
    OWNED(json_doc) owned = NULL;
    OWNED(json_doc) doc = NULL;
    const bool apply = write->patch.type == PATCH_APPLY;
    if (apply) {
        TRY(check_absent(write));
        TRY(manage_fields(write, true, NULL, json_doc_root(write->patch.doc), &merged));
        TRY(body_decode(write->request, write->kind, VALIDATION_IGNORE, NULL, merged, &typed));
    } else {
        typed = json_doc_ref(write->body);
    }
    const struct metadata_new values = {
        .name = write->name,
        .namespace = write->kind->namespaced ? request->namespace : (struct str){0},
        .uid = str_from(write->uid, RANDOM_UUID_LEN),
        .now = request->now,
        .has_generation = write->kind->has_generation,
    };
    TRY(metadata_create(typed, &values, &filled));
    if (apply)
        owned = json_doc_ref(filled);
    else
        TRY(manage_new(write, filled, &owned));
    TRY(prepare(write, NULL, owned, &doc));
    TRY(validate(write, NULL, json_doc_root(doc)));
    TRY(check_may_create(write));
    TRY(admission_check_object(request, NULL, json_doc_root(doc)));
    write->created = true;
    return put(write, edit, doc);
}

static struct error *must_have_version(const struct write *write)
{
    struct field_errors errors = {.arena = write->request->arena};
    const struct gvk named = {write->kind->gvk.group, write->kind->gvk.version,
                              write->kind->plural};
    field_errors_add_int(&errors, FIELD_INVALID, STR("metadata.resourceVersion"), 0,
                         STR("must be specified for an update"));
    return status_invalid(named, write->request->name, &errors);
}

/* Optimistic locking: what the client read is what there is, or it did not say. */
static struct error *check_preconditions(const struct write *write, const struct json_value *object,
                                         const struct json_value *old)
{
    const struct request *request = write->request;
    const struct str version = json_path_str(object, "metadata.resourceVersion");
    const struct str uid = json_path_str(object, "metadata.uid");
    const struct str old_uid = json_path_str(old, "metadata.uid");
    const struct gvr gvr = kind_gvr(write->kind);
    uint64_t number;
    if (version.len && !str_to_uint64(version, &number)) {
        struct error *err = error_new(
            ERROR_UNKNOWN, "strconv.ParseUint: parsing \"%.*s\": invalid syntax", STR_ARG(version));
        err->http_status = 500;
        return err;
    }
    if (write->patch.type == PATCH_NONE && uid.len && !str_eq(uid, old_uid)) {
        const struct str key = arena_print(
            request->arena,
            "StorageError: invalid object, Code: 4, Key: /registry/%.*s/%.*s%s%.*s, "
            "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: "
            "%.*s, UID in object meta: %.*s",
            STR_ARG(write->kind->plural), STR_ARG(request->namespace),
            request->namespace.len ? "/" : "", STR_ARG(request->name), STR_ARG(uid),
            STR_ARG(old_uid));
        return status_conflict(gvr, request->name, key);
    }
    if (version.len == 0 || (version.len == 1 && version.ptr[0] == '0')) {
        const bool unconditional =
            write->kind->unconditional_update || write->patch.type != PATCH_NONE;
        return unconditional ? NULL : must_have_version(write);
    }
    if (!str_eq(version, json_path_str(old, "metadata.resourceVersion")))
        return status_conflict_modified(gvr, request->name);
    return NULL;
}

/* The object as the request wants it: the body, or the patched old one. */
static struct error *wanted(struct write *write, struct json_doc *old, struct json_doc **ret_doc)
{
    OWNED(json_doc) scale = NULL;
    OWNED(json_doc) changed = NULL;
    if (is_scale(write)) {
        TRY(scale_read(write->kind, json_doc_root(old), &scale));
        if (write->patch.type != PATCH_NONE)
            TRY(patch_make(write->kind, &write->patch, json_doc_root(scale), &changed));
        else
            changed = json_doc_ref(write->body);
        return scale_write(write->kind, json_doc_root(old), json_doc_root(changed), ret_doc);
    }
    if (write->patch.type == PATCH_APPLY) {
        TRY(manage_fields(write, true, json_doc_root(old), json_doc_root(write->patch.doc),
                          &changed));
        return body_decode(write->request, write->kind, VALIDATION_IGNORE, NULL, changed, ret_doc);
    }
    if (write->patch.type != PATCH_NONE)
        return patch_apply(write->request, write->kind, &write->patch, write->options.validation,
                           old, ret_doc);
    *ret_doc = json_doc_ref(write->body);
    return NULL;
}

/* The last finalizer went: so does the object. Watchers see it as it was before. */
static struct error *vanish(struct write *write, struct store_edit *edit, struct json_doc *old,
                            struct json_doc *doc)
{
    OWNED(json_doc) last = NULL;
    set_result(write, json_doc_ref(doc));
    if (write->options.dry_run)
        return NULL;
    TRY(metadata_set_version(old, edit->revision, &last));
    TRY(stored_text(write->kind, last, &edit->text));
    edit->verdict = STORE_DELETE;
    return NULL;
}

static bool is_done_for(const struct json_value *object)
{
    int64_t grace = 0;
    (void)json_to_int64(json_path(object, "metadata.deletionGracePeriodSeconds"), &grace);
    return metadata_is_deleting(object) && !metadata_has_finalizers(object) && grace == 0 &&
           json_count(json_path(object, "spec.finalizers")) == 0;
}

static struct error *manage_changed(const struct write *write, const struct json_value *was,
                                    struct json_doc *doc, struct json_doc **ret_doc)
{
    OWNED(json_doc) encoded = NULL;
    if (!is_secret(write->kind))
        return manage_fields(write, false, was, json_doc_root(doc), ret_doc);
    TRY(prepare(write, was, doc, &encoded));
    return manage_fields(write, false, was, json_doc_root(encoded), ret_doc);
}

/* Which changes make a new generation. */
static unsigned counted(const struct kind *kind)
{
    const bool is_deployment =
        str_eq(kind->gvk.group, STR("apps")) && str_eq(kind->gvk.kind, STR("Deployment"));
    return (kind_subresource(kind, STR("status")) ? METADATA_STATUS_APART : 0) |
           (is_deployment ? METADATA_COUNTS_ANNOTATIONS : 0);
}

/* An entry's time alone is no change. */
static struct error *settle_times(const struct json_value *was, struct json_doc **doc)
{
    struct json_doc *settled = NULL;
    TRY(managed_fields_settle(was, *doc, &settled));
    json_doc_free(*doc);
    *doc = settled;
    return NULL;
}

/* The old object with what the request wants, as it would be stored; not validated. */
static struct error *make_changed(struct write *write, struct json_doc *old,
                                  struct json_doc **ret_doc)
{
    const struct request *request = write->request;
    OWNED(json_doc) asked = NULL;
    OWNED(json_doc) kept = NULL;
    OWNED(json_doc) owned = NULL;
    OWNED(json_doc) prepared = NULL;
    OWNED(json_doc) doc = NULL;
    const struct json_value *was = json_doc_root(old);
    TRY(wanted(write, old, &asked));
    TRY(check_place(write, json_doc_root(asked)));
    TRY(check_preconditions(write, json_doc_root(asked), was));
    TRY(metadata_keep(asked, was, write->kind->namespaced ? request->namespace : (struct str){0},
                      &kept));
    if (write->patch.type == PATCH_APPLY && !is_scale(write))
        owned = json_doc_ref(kept);
    else
        TRY(manage_changed(write, was, kept, &owned));
    TRY(prepare(write, was, owned, &prepared));
    if (write->kind->has_generation)
        TRY(metadata_count_generation(prepared, was, counted(write->kind), &doc));
    else
        doc = json_doc_ref(prepared);
    TRY(settle_times(was, &doc));
    *ret_doc = TAKE(doc);
    return NULL;
}

static struct error *write_change(struct write *write, struct store_edit *edit)
{
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) doc = NULL;
    TRY(form_read(write->kind, edit->previous, &old));
    const struct json_value *was = json_doc_root(old);
    TRY(make_changed(write, old, &doc));
    TRY(validate(write, was, json_doc_root(doc)));
    TRY(admission_check_object(write->request, was, json_doc_root(doc)));
    if (is_done_for(json_doc_root(doc)))
        return vanish(write, edit, old, doc);
    if (json_equal(json_doc_root(doc), was)) {
        set_result(write, json_doc_ref(old));
        return NULL;
    }
    return put(write, edit, doc);
}

static struct error *exists(const struct write *write, const struct store_edit *edit)
{
    OWNED(object) object = NULL;
    TRY(object_text_read(edit->previous, &object));
    struct error *err = status_already_exists(kind_gvr(write->kind), write->name);
    return object_is_deleting(object) ? error_wrap(err, "object is being deleted") : err;
}

/* May an object that is not there be made by this request? */
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

static struct error *decide(void *data, struct store_edit *edit)
{
    struct write *write = data;
    write->created = false;
    if (edit->previous)
        return write->request->verb == VERB_CREATE ? exists(write, edit)
                                                   : write_change(write, edit);
    return may_create(write) ? write_new(write, edit)
                             : status_not_found(kind_gvr(write->kind), write->name);
}

/* Only what may become new is asked for as such. */
static struct error *check_request(const struct write *write)
{
    struct store_object found = {0};
    if (write->request->verb == VERB_CREATE)
        return admission_check_request(write->request, VERB_CREATE, write->name);
    if (!may_create(write))
        return NULL;
    const struct key key = {write->kind->namespaced ? write->request->namespace : (struct str){0},
                            write->name};
    OWNED(error) missing = store_get(write->request->api->store, api_id(write->kind, key), &found);
    store_object_done(&found);
    return missing ? admission_check_request(write->request, VERB_CREATE, write->name) : NULL;
}

static struct error *commit(struct write *write)
{
    const struct request *request = write->request;
    const struct key key = {write->kind->namespaced ? request->namespace : (struct str){0},
                            write->name};
    random_uuid(loop_random(request->api->loop), write->uid);
    TRY(check_request(write));
    return api_change(request->api, api_id(write->kind, key), STORE_ANY, decide, write, NULL);
}

static struct error *answer(struct write *write)
{
    OWNED(json_doc) scale = NULL;
    const int status = write->created ? 201 : 200;
    if (!write->kind->is_custom)
        kind_builtin_warn(write->kind, json_doc_root(write->result), &write->request->warnings);
    if (!is_scale(write))
        return answer_doc(write->request, &write->format, status, write->result);
    TRY(scale_read(write->kind, json_doc_root(write->result), &scale));
    return answer_doc(write->request, &write->format, status, scale);
}

static struct error *read_body(struct write *write)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    struct json_warnings duplicates = {.arena = write->request->arena};
    TRY(body_read(write->request, &body));
    TRY(body_read_object(write->request, buf_str(&body), &duplicates, &doc));
    if (is_scale(write)) {
        write->body = TAKE(doc);
        return NULL;
    }
    struct error *err = body_decode(write->request, write->kind, write->options.validation,
                                    &duplicates, doc, &write->body);
    if (err)
        return body_misfit(write->kind, json_doc_root(doc), err);
    return write->kind->is_custom ? crd_check_version(write->kind, json_doc_root(write->body))
                                  : NULL;
}

static struct error *begin(struct write *write, bool is_apply)
{
    TRY(negotiate(write->request, &write->format));
    return write_options_read(write->request, is_apply, &write->options);
}

/* The given name, or generated ones until one is free. */
static struct error *create_named(struct write *write)
{
    const struct json_value *object = json_doc_root(write->body);
    const struct str prefix = json_path_str(object, "metadata.generateName");
    write->name = json_path_str(object, "metadata.name");
    if (write->name.len || prefix.len == 0)
        return commit(write);
    struct error *err = NULL;
    for (size_t i = 0; i < GENERATE_ATTEMPTS; i++) {
        error_free(err);
        write->name = metadata_generate_name(write->request->arena,
                                             loop_random(write->request->api->loop), prefix);
        err = commit(write);
        if (!error_is(err, ERROR_ALREADY_EXISTS))
            break;
    }
    return err;
}

static struct error *check_new(const struct write *write)
{
    const struct json_value *object = json_doc_root(write->body);
    TRY(check_place(write, object));
    if (json_path_str(object, "metadata.resourceVersion").len == 0)
        return NULL;
    struct error *err =
        error_new(ERROR_UNKNOWN, "resourceVersion should not be set on objects to be created");
    err->http_status = 500;
    return err;
}

struct error *write_create(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind};
    TRY(begin(&write, false));
    TRY(read_body(&write));
    TRY(check_new(&write));
    TRY(create_named(&write));
    return answer(&write);
}

struct error *write_update(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind, .name = request->name};
    TRY(begin(&write, false));
    TRY(read_body(&write));
    TRY(check_place(&write, json_doc_root(write.body)));
    TRY(commit(&write));
    return answer(&write);
}

struct error *write_patch(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind, .name = request->name};
    SCOPED(buf) body = {.limit = 0};
    TRY(patch_type_read(request, &write.patch.type));
    TRY(begin(&write, write.patch.type == PATCH_APPLY));
    TRY(body_read(request, &body));
    TRY(patch_read(request, buf_str(&body), &write.patch));
    if (write.patch.type == PATCH_APPLY && write.options.validation == VALIDATION_STRICT &&
        write.patch.duplicates.count)
        return status_bad_request("error strict decoding YAML: %.*s",
                                  STR_ARG(write.patch.duplicates.items[0]));
    TRY(commit(&write));
    return answer(&write);
}
