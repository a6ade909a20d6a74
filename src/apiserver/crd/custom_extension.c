#include "apiserver/crd/custom_extension.h"

#include "apimachinery/status.h"
#include "apiserver/crd/custom_internal.h"
#include "json/edit.h"
#include "json/path.h"

const struct custom_extension *custom_extension_find(struct custom_extensions extensions,
                                                     const struct json_value *definition)
{
    const struct str group = json_path_str(definition, "spec.group");
    const struct str kind = json_path_str(definition, "spec.names.kind");
    for (size_t i = 0; i < extensions.count; i++)
        if (str_eq(extensions.items[i].group, group) && str_eq(extensions.items[i].kind, kind))
            return &extensions.items[i];
    return NULL;
}

/* Strategy None: the name of the version changes. */
static struct error *rename_version(struct gvk gvk, struct json_doc *doc, struct json_doc **ret_doc)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_set_str(&edit, JSON_PLACE("apiVersion"), gvk_api_version(&arena, gvk));
    return json_edit_finish(&edit, ret_doc);
}

struct error *custom_convert(const struct custom_version *to, struct json_doc *doc,
                             struct json_doc **ret_doc)
{
    const struct custom_extension *extension = to->custom->extension;
    const struct gvk gvk = to->kind.gvk;
    OWNED(json_doc) converted = NULL;
    if (extension && extension->convert)
        TRY(extension->convert(doc, gvk.version, &converted), "convert to %.*s",
            STR_ARG(gvk.version));
    else
        TRY(rename_version(gvk, doc, &converted), "change version");
    return custom_prune(to, converted, NULL, ret_doc);
}

bool custom_has_forms(const struct kind *kind)
{
    const struct custom_extension *extension = custom_of_kind(kind)->extension;
    return extension && extension->convert;
}

struct error *custom_present(const struct kind *kind, struct json_doc *doc,
                             struct json_doc **ret_doc)
{
    return custom_convert(custom_version_of(kind), doc, ret_doc);
}

/* An object of the kind in the version of its extension. */
static struct error *to_extension(const struct kind *kind, struct json_doc *doc,
                                  struct json_doc **ret_doc)
{
    const struct custom *custom = custom_of_kind(kind);
    const struct custom_version *to = custom_find_version(custom, custom->extension->version);
    if (to && &to->kind != kind)
        return custom_convert(to, doc, ret_doc);
    *ret_doc = json_doc_ref(doc);
    return NULL;
}

struct error *custom_extend(const struct kind *kind, struct str subresource, struct json_doc *doc,
                            struct json_doc **ret_doc)
{
    const struct custom_extension *extension = custom_of_kind(kind)->extension;
    OWNED(json_doc) seen = NULL;
    OWNED(json_doc) filled = NULL;
    if (!extension || !extension->default_ || subresource.len) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    TRY(to_extension(kind, doc, &seen));
    TRY(extension->default_(seen, &filled), "fill in defaults");
    if (filled == seen)
        *ret_doc = json_doc_ref(doc); /* and not what has gone through two conversions */
    else if (seen == doc)
        *ret_doc = TAKE(filled);
    else
        return custom_convert(custom_version_of(kind), filled, ret_doc);
    return NULL;
}

/* NULL for NULL. */
static struct error *seen_by_extension(const struct kind *kind, const struct json_value *object,
                                       struct json_doc **ret_doc)
{
    if (!object)
        return NULL;
    OWNED(json_doc) copy = json_doc_copy(object);
    return to_extension(kind, copy, ret_doc);
}

struct error *custom_admit(const struct kind *kind, struct str subresource,
                           const struct json_value *old, const struct json_value *object)
{
    const struct custom_extension *extension = custom_of_kind(kind)->extension;
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) before = NULL;
    OWNED(json_doc) after = NULL;
    if (!extension || !extension->validate || subresource.len)
        return NULL;
    TRY(seen_by_extension(kind, old, &before));
    TRY(seen_by_extension(kind, object, &after));
    extension->validate(before ? json_doc_root(before) : NULL, json_doc_root(after), &errors);
    if (errors.count == 0)
        return NULL;
    return error_wrap(status_invalid(kind->gvk, json_path_str(object, "metadata.name"), &errors),
                      "admission webhook \"%.*s\" denied the request", STR_ARG(extension->webhook));
}
