/*
 * Calls of the compiled-in webhooks of a kind, and conversion between versions.
 *
 * The webhooks of a kind are written for one version, webhooks->version. Objects of other versions
 * are converted to that version before a call and, after defaulting, back again. crd_convert() is
 * the only place where an object changes its version.
 */
#include "apiserver/crd/crd_webhooks.h"

#include "apimachinery/status.h"
#include "apiserver/crd/crd_internal.h"
#include "json/edit.h"
#include "json/path.h"

const struct crd_webhooks *crd_webhooks_find(struct crd_webhooks_table table,
                                             const struct json_value *definition)
{
    const struct str group = json_path_str(definition, "spec.group");
    const struct str kind = json_path_str(definition, "spec.names.kind");
    for (size_t i = 0; i < table.count; i++)
        if (str_eq(table.items[i].group, group) && str_eq(table.items[i].kind, kind))
            return &table.items[i];
    return NULL;
}

/* Conversion with strategy None: only apiVersion changes. */
static struct error *rename_version(struct gvk gvk, struct json_doc *doc, struct json_doc **ret_doc)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_set_str(&edit, JSON_PLACE("apiVersion"), gvk_api_version(&arena, gvk));
    return json_edit_finish(&edit, ret_doc);
}

/* The result is pruned in all cases: fields of the other version may be unknown in this one. */
struct error *crd_convert(const struct crd_version *to, struct json_doc *doc,
                          struct json_doc **ret_doc)
{
    const struct crd_webhooks *webhooks = to->crd->webhooks;
    const struct gvk gvk = to->kind.gvk;
    OWNED(json_doc) converted = NULL;
    if (webhooks && webhooks->convert)
        TRY(webhooks->convert(doc, gvk.version, &converted), "convert to %.*s",
            STR_ARG(gvk.version));
    else if (to->crd->conversion)
        TRY(crd_convert_by_webhook(to, doc, &converted));
    else
        TRY(rename_version(gvk, doc, &converted), "change version");
    return crd_prune(to, converted, NULL, ret_doc);
}

bool crd_has_conversion(const struct kind *kind)
{
    const struct crd *crd = crd_of_kind(kind);
    return crd->conversions || (crd->webhooks && crd->webhooks->convert);
}

struct error *crd_present(const struct kind *kind, struct json_doc *doc, struct json_doc **ret_doc)
{
    return crd_convert(crd_version_of(kind), doc, ret_doc);
}

/*
 * Converts an object of the kind to the version of its webhooks. An object of that version, or of a
 * kind that does not have it, is returned as it is.
 */
static struct error *to_webhook_version(const struct kind *kind, struct json_doc *doc,
                                        struct json_doc **ret_doc)
{
    const struct crd *crd = crd_of_kind(kind);
    const struct crd_version *to = crd_find_version(crd, crd->webhooks->version);
    if (to && &to->kind != kind)
        return crd_convert(to, doc, ret_doc);
    *ret_doc = json_doc_ref(doc);
    return NULL;
}

/*
 * If the webhook changes nothing, the caller's document is returned, not one that went through two
 * conversions.
 */
struct error *crd_default_by_webhook(const struct kind *kind, struct str subresource,
                                     struct json_doc *doc, struct json_doc **ret_doc)
{
    const struct crd_webhooks *webhooks = crd_of_kind(kind)->webhooks;
    OWNED(json_doc) seen = NULL;
    OWNED(json_doc) filled = NULL;
    if (!webhooks || !webhooks->default_ || subresource.len) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    TRY(to_webhook_version(kind, doc, &seen));
    TRY(webhooks->default_(seen, &filled), "fill in defaults");
    if (filled == seen)
        *ret_doc = json_doc_ref(doc);
    else if (seen == doc)
        *ret_doc = TAKE(filled);
    else
        return crd_convert(crd_version_of(kind), filled, ret_doc);
    return NULL;
}

/* The object in the version of the webhooks; leaves *ret_doc NULL for no object. */
static struct error *copy_for_webhooks(const struct kind *kind, const struct json_value *object,
                                       struct json_doc **ret_doc)
{
    if (!object)
        return NULL;
    OWNED(json_doc) copy = json_doc_copy(object);
    return to_webhook_version(kind, copy, ret_doc);
}

/* Makes the same Status as an API server whose webhook denied the request. */
struct error *crd_admit(const struct kind *kind, struct str subresource,
                        const struct json_value *old, const struct json_value *object)
{
    const struct crd_webhooks *webhooks = crd_of_kind(kind)->webhooks;
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) before = NULL;
    OWNED(json_doc) after = NULL;
    if (!webhooks || !webhooks->validate || subresource.len)
        return NULL;
    TRY(copy_for_webhooks(kind, old, &before));
    TRY(copy_for_webhooks(kind, object, &after));
    webhooks->validate(before ? json_doc_root(before) : NULL, json_doc_root(after), &errors);
    if (errors.count == 0)
        return NULL;
    return error_wrap(status_invalid(kind->gvk, json_path_str(object, "metadata.name"), &errors),
                      "admission webhook \"%.*s\" denied the request",
                      STR_ARG(webhooks->validating_webhook));
}

/* As kube-apiserver, rules are left out while values may have the wrong shape. */
void crd_check_rules(const struct kind *kind, const struct json_value *object,
                     struct field_errors *errors)
{
    const struct crd_webhooks *webhooks = crd_of_kind(kind)->webhooks;
    if (webhooks && webhooks->check_rules && str_eq(kind->gvk.version, webhooks->version) &&
        !schema_blocks_rules(errors))
        webhooks->check_rules(object, errors);
}
