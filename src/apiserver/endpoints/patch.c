/*
 * Four types of patches by Content-Type: JSON patch (RFC 6902), merge patch (RFC 7386), strategic
 * merge patch (built-in kinds only) and server-side apply. Parsing happens once, before the store
 * decides; patch_apply() may run several times on different states of the object.
 */
#include "apiserver/endpoints/patch.h"

#include <assert.h>

#include "apimachinery/status.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/field_ownership.h"
#include "apiserver/strategicpatch/strategic_merge.h"
#include "apiserver/strategicpatch/strategic_print.h"
#include "async/compute.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/merge_patch.h"
#include "json/path.h"
#include "json/yaml/manifest.h"

void patch_done(struct patch *patch)
{
    json_patch_free(patch->operations);
    json_doc_free(patch->doc);
}

static struct error *read_apply(struct str body, struct patch *patch)
{
    const struct manifest_options options = {.duplicates = &patch->duplicates};
    OWNED(error) no_json = json_read_strict(body, &patch->duplicates, &patch->doc);
    if (no_json)
        patch->duplicates.count = 0;
    patch->is_yaml = no_json != NULL;
    OWNED(error) err = no_json ? manifest_read_first(body, &options, &patch->doc, NULL) : NULL;
    if (err)
        return status_bad_request("error decoding YAML: %s", err->message);
    if (json_type(json_doc_root(patch->doc)) != JSON_OBJECT)
        return status_bad_request("error decoding YAML: the patch is %s, not an object",
                                  json_type_name(json_type(json_doc_root(patch->doc))));
    return NULL;
}

static struct error *read_operations(struct str body, struct patch *patch)
{
    return json_patch_read(body, &patch->duplicates, &patch->operations);
}

static struct error *read_merge(struct str body, struct patch *patch)
{
    return merge_patch_read(body, &patch->duplicates, &patch->doc);
}

/* A list is read as a merge patch, too. make_merge() says what becomes of it. */
static struct error *read_json_merge(struct str body, struct patch *patch)
{
    OWNED(error) err = read_merge(body, patch);
    OWNED(error) unreadable = err ? json_read(body, &patch->doc) : NULL;
    return json_type(json_doc_root(patch->doc)) == JSON_ARRAY ? NULL : TAKE(err);
}

static struct error *make_operations(const struct patch *patch, const struct patch_target *target,
                                     struct json_doc **ret_doc)
{
    struct error *err = json_patch_apply(patch->operations, json_doc_root(target->old), ret_doc);
    if (!error_is(err, ERROR_INVALID))
        return err;
    error_free(err);
    return status_without_details(
        error_new(ERROR_INVALID, "the server rejected our request due to an error in our request"));
}

/* Without validation of fields a list is taken for the whole object, as kube-apiserver does. */
static struct error *make_merge(const struct patch *patch, const struct patch_target *target,
                                struct json_doc **ret_doc)
{
    if (target->options->validation == VALIDATION_IGNORE &&
        json_type(json_doc_root(patch->doc)) == JSON_ARRAY) {
        *ret_doc = json_doc_ref(patch->doc);
        return NULL;
    }
    return merge_patch_apply(json_doc_root(target->old), json_doc_root(patch->doc), ret_doc);
}

/*
 * kube-apiserver merges into a struct of the type, whose own kind and version nothing can change.
 */
static struct error *make_strategic(const struct patch *patch, const struct patch_target *target,
                                    struct json_doc **ret_doc)
{
    const struct json_value *old = json_doc_root(target->old);
    OWNED(json_doc) merged = NULL;
    SCOPED(json_edit) edit = {0};
    TRY(strategic_merge_apply(target->kind->type, old, json_doc_root(patch->doc), &merged));
    json_edit_init(&edit, json_doc_root(merged));
    json_edit_set(&edit, JSON_PLACE("apiVersion"), json_get(old, STR("apiVersion")));
    json_edit_set(&edit, JSON_PLACE("kind"), json_get(old, STR("kind")));
    return json_edit_finish(&edit, ret_doc);
}

static struct error *make_applied(const struct patch *patch, const struct patch_target *target,
                                  struct json_doc **ret_doc)
{
    const struct request *request = target->request;
    const struct field_ownership ownership = {
        request->arena, target->kind, target->options->manager, request->subresource, request->now};
    return field_ownership_apply(&ownership, target->options->force,
                                 target->old ? json_doc_root(target->old) : NULL,
                                 json_doc_root(patch->doc), ret_doc);
}

/* A patched object that its type cannot hold: the whole of it is quoted, as other servers do. */
static struct error *misfit(struct request *request, const struct patch *patch,
                            const struct json_value *patched, struct error *cause)
{
    OWNED(error) owned = cause;
    struct field_errors errors = {.arena = request->arena};
    SCOPED(buf) text = {.limit = 0};
    if (cause->code != ERROR_BAD_REQUEST)
        return TAKE(owned);
    if (patch->type == PATCH_STRATEGIC)
        strategic_print(&text, json_doc_root(patch->doc));
    else
        json_write_canonical(&text, patched);
    field_errors_add_str(&errors, FIELD_INVALID, STR("patch"), buf_str(&text),
                         str_from_c(cause->message));
    return status_invalid((struct gvk){0}, STR(""), &errors);
}

static struct error *decode_patched(const struct patch *patch, const struct patch_target *target,
                                    struct json_doc *patched, struct json_doc **ret_doc)
{
    struct error *err = body_decode(target->request, target->kind, target->options->validation,
                                    &patch->duplicates, patched, ret_doc);
    return err ? misfit(target->request, patch, json_doc_root(patched), err) : NULL;
}

/* In YAML all of them are told, in the words of go-yaml. */
static struct error *duplicate_members(const struct patch *patch)
{
    SCOPED(buf) text = {.limit = 0};
    if (!patch->is_yaml)
        return status_bad_request("error strict decoding YAML: %.*s",
                                  STR_ARG(patch->duplicates.items[0]));
    for (size_t i = 0; i < patch->duplicates.count; i++)
        buf_print(&text, "\n  %.*s", STR_ARG(patch->duplicates.items[i]));
    return status_bad_request("error strict decoding YAML: error converting YAML to JSON: yaml: "
                              "unmarshal errors:%.*s",
                              STR_ARG(buf_str(&text)));
}

/*
 * Unknown fields were refused when the patch was merged. Duplicates are refused last, as
 * kube-apiserver does.
 */
static struct error *decode_applied(const struct patch *patch, const struct patch_target *target,
                                    struct json_doc *patched, struct json_doc **ret_doc)
{
    OWNED(json_doc) doc = NULL;
    TRY(body_decode_applied(target->request, target->kind, patched, &doc));
    if (target->options->validation == VALIDATION_STRICT && patch->duplicates.count)
        return duplicate_members(patch);
    *ret_doc = TAKE(doc);
    return NULL;
}

/* All that depends on the type of a patch. There is no default: a type is a row, or it is none. */
static const struct patch_row {
    struct str content_type;
    bool needs_type; /* not for custom resources */
    struct error *(*read)(struct str body, struct patch *patch);
    struct error *(*make)(const struct patch *patch, const struct patch_target *target,
                          struct json_doc **ret_doc);
    struct error *(*decode)(const struct patch *patch, const struct patch_target *target,
                            struct json_doc *patched, struct json_doc **ret_doc);
} rows[] = {
    [PATCH_JSON] = {STR_INIT("application/json-patch+json"),            false, read_operations,
                    make_operations,                                                                          decode_patched},
    [PATCH_MERGE] = {STR_INIT("application/merge-patch+json"),           false, read_json_merge, make_merge,
                    decode_patched                                                                                          },
    [PATCH_STRATEGIC] = {STR_INIT("application/strategic-merge-patch+json"), true,  read_merge,
                    make_strategic,                                                                           decode_patched},
    [PATCH_APPLY] = {STR_INIT("application/apply-patch+yaml"),           false, read_apply,      make_applied,
                    decode_applied                                                                                          },
};
_Static_assert(COUNT(rows) == PATCH_TYPES, "each type of patches has its row");

static const struct patch_row *patch_row(const struct patch *patch)
{
    assert(patch->type > PATCH_NONE && patch->type < PATCH_TYPES);
    return &rows[patch->type];
}

struct error *patch_type_read(const struct request *request, enum patch_type *ret_type)
{
    const struct str type = body_content_type(request);
    for (enum patch_type i = PATCH_NONE + 1; i < PATCH_TYPES; i++)
        if (str_eq(type, rows[i].content_type) && (!rows[i].needs_type || request->kind->type)) {
            *ret_type = i;
            return NULL;
        }
    if (request->kind->is_custom)
        return error_new(ERROR_UNSUPPORTED_MEDIA_TYPE,
                         "the body of the request was in an unknown format - accepted media types "
                         "include: application/json-patch+json, application/merge-patch+json, "
                         "application/apply-patch+yaml");
    return status_without_details(
        error_new(ERROR_UNSUPPORTED_MEDIA_TYPE, "415: Unsupported Media Type"));
}

struct reading {
    struct str body;
    struct patch *patch;
};

static struct error *read_patch(void *data)
{
    const struct reading *reading = data;
    return patch_row(reading->patch)->read(reading->body, reading->patch);
}

struct error *patch_read(const struct request *request, struct str body, struct patch *patch)
{
    struct reading reading = {body, patch};
    patch->duplicates = (struct json_warnings){.arena = request->arena};
    return compute_sized(body.len, read_patch, &reading);
}

size_t patch_growth(const struct patch *patch)
{
    return patch->operations && json_patch_copies(patch->operations) ? JSON_PATCH_COPY_MAX : 0;
}

struct error *patch_apply(const struct patch *patch, const struct patch_target *target,
                          struct json_doc **ret_doc)
{
    const struct patch_row *row = patch_row(patch);
    OWNED(json_doc) patched = NULL;
    TRY(row->make(patch, target, &patched));
    return row->decode(patch, target, patched, ret_doc);
}
