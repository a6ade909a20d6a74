/*
 * Four types of patches by Content-Type: JSON patch (RFC 6902), merge patch (RFC 7386), strategic
 * merge patch (built-in kinds only) and server-side apply. Parsing happens once, before the store
 * decides; patch_make() may run several times on different states of the object.
 */
#include "apiserver/endpoints/patch.h"

#include "apimachinery/status.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/strategicpatch/strategic_merge.h"
#include "apiserver/strategicpatch/strategic_print.h"
#include "http/headers.h"
#include "http/server.h"
#include "json/compare.h"
#include "json/merge_patch.h"
#include "json/path.h"
#include "json/yaml/manifest.h"

static const struct {
    struct str content_type;
    enum patch_type type;
} types[] = {
    {STR_INIT("application/json-patch+json"),            PATCH_JSON     },
    {STR_INIT("application/merge-patch+json"),           PATCH_MERGE    },
    {STR_INIT("application/strategic-merge-patch+json"), PATCH_STRATEGIC},
    {STR_INIT("application/apply-patch+yaml"),           PATCH_APPLY    },
};

void patch_done(struct patch *patch)
{
    json_patch_free(patch->operations);
    json_doc_free(patch->doc);
}

struct error *patch_type_read(const struct request *request, enum patch_type *ret_type)
{
    struct str type = http_headers_find(http_request_headers(request->http), STR("content-type"));
    struct str parameters = type;
    str_cut(&parameters, ';', &type);
    type = str_trim(type);
    for (size_t i = 0; i < COUNT(types); i++) {
        if (!str_eq(type, types[i].content_type))
            continue;
        *ret_type = types[i].type;
        if (types[i].type != PATCH_STRATEGIC || request->kind->type)
            return NULL;
        return error_new(ERROR_UNSUPPORTED_MEDIA_TYPE,
                         "the body of the request was in an unknown format - accepted media types "
                         "include: application/json-patch+json, application/merge-patch+json, "
                         "application/apply-patch+yaml");
    }
    return status_without_details(
        error_new(ERROR_UNSUPPORTED_MEDIA_TYPE, "415: Unsupported Media Type"));
}

static struct error *read_apply(struct str body, struct patch *patch)
{
    /* JSON is YAML, but the reader of JSON reports duplicate members. */
    OWNED(error) no_json = json_read_strict(body, &patch->duplicates, &patch->doc);
    OWNED(error) err = no_json ? manifest_read_one(body, BODY_YAML, &patch->doc, NULL) : NULL;
    if (err)
        return status_bad_request("error decoding YAML: %s", err->message);
    if (json_type(json_doc_root(patch->doc)) != JSON_OBJECT)
        return status_bad_request("error decoding YAML: the patch is %s, not an object",
                                  json_type_name(json_type(json_doc_root(patch->doc))));
    return NULL;
}

struct error *patch_read(const struct request *request, struct str body, struct patch *patch)
{
    patch->duplicates = (struct json_warnings){.arena = request->arena};
    switch (patch->type) {
    case PATCH_JSON:
        return json_patch_read(body, &patch->duplicates, &patch->operations);
    case PATCH_MERGE:
    case PATCH_STRATEGIC:
        return merge_patch_read(body, &patch->duplicates, &patch->doc);
    case PATCH_APPLY:
        return read_apply(body, patch);
    case PATCH_NONE:
        break;
    }
    return status_internal("no patch");
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

struct error *patch_make(const struct kind *kind, const struct patch *patch,
                         const struct json_value *old, struct json_doc **ret_doc)
{
    if (patch->type == PATCH_MERGE)
        return merge_patch_apply(old, json_doc_root(patch->doc), ret_doc);
    if (patch->type == PATCH_STRATEGIC)
        return strategic_merge_apply(kind->type, old, json_doc_root(patch->doc), ret_doc);
    struct error *err = json_patch_apply(patch->operations, old, ret_doc);
    if (!error_is(err, ERROR_INVALID))
        return err;
    error_free(err);
    return status_without_details(
        error_new(ERROR_INVALID, "the server rejected our request due to an error in our request"));
}

struct error *patch_apply(struct request *request, const struct kind *kind,
                          const struct patch *patch, enum field_validation validation,
                          struct json_doc *old, struct json_doc **ret_doc)
{
    OWNED(json_doc) patched = NULL;
    TRY(patch_make(kind, patch, json_doc_root(old), &patched));
    struct error *err =
        body_decode(request, kind, validation, &patch->duplicates, patched, ret_doc);
    return err ? misfit(request, patch, json_doc_root(patched), err) : NULL;
}
