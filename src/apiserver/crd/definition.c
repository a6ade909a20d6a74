/*
 * Defaults of definitions. Upstream: SetDefaults_CustomResourceDefinition* in
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go, and PrepareForCreate and
 * PrepareForUpdate in pkg/registry/customresourcedefinition/strategy.go for the status.
 */
#include "apiserver/crd/definition.h"

#include "apimachinery/condition.h"
#include "apiserver/crd/definition_internal.h"
#include "base/ascii.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

static struct str lower(struct arena *arena, struct str text)
{
    char *copy = arena_alloc(arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = ascii_to_lower(text.ptr[i]);
    return str_from(copy, text.len);
}

/* Names are derived from the kind: "widget" and "WidgetList" from "Widget". */
static void default_names(struct arena *arena, const struct json_value *definition,
                          struct json_edit *edit)
{
    const struct str kind = json_path_str(definition, "spec.names.kind");
    if (kind.len > 0 && json_path_str(definition, "spec.names.singular").len == 0)
        json_edit_set_str(edit, JSON_PLACE("spec.names.singular"), lower(arena, kind));
    if (kind.len > 0 && json_path_str(definition, "spec.names.listKind").len == 0)
        json_edit_set_str(edit, JSON_PLACE("spec.names.listKind"),
                          arena_print(arena, "%.*sList", STR_ARG(kind)));
}

static void default_conversion(const struct json_value *definition, struct json_edit *edit)
{
    const struct json_value *conversion = json_path(definition, "spec.conversion");
    const struct json_value *service = json_path(conversion, "webhook.clientConfig.service");
    if (json_type(conversion) != JSON_OBJECT)
        json_edit_set_str(edit, JSON_PLACE("spec.conversion.strategy"), STR("None"));
    else if (json_type(service) == JSON_OBJECT && !json_get(service, STR("port")))
        json_edit_set_int(edit, JSON_PLACE("spec.conversion.webhook.clientConfig.service.port"),
                          443);
}

/* The name of the first version that is marked as storage version; empty when there is none. */
static struct str storage_version(const struct json_value *definition)
{
    const struct json_value *version;
    JSON_FOREACH (key, version, json_path(definition, "spec.versions")) {
        bool is_storage = false;
        if (json_to_bool(json_get(version, STR("storage")), &is_storage) && is_storage)
            return json_path_str(version, "name");
    }
    return STR("");
}

bool definition_has_text(const struct json_value *list, struct str text)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, list)
        if (str_eq(json_to_str(value), text))
            return true;
    return false;
}

/* The status of a definition that no controller has seen yet. */
static struct error *empty_status(struct json_doc **ret_doc)
{
    return json_read(STR("{\"conditions\":null,\"acceptedNames\":{\"plural\":\"\",\"kind\":\"\"}}"),
                     ret_doc);
}

struct error *definition_default(struct json_doc *doc, struct json_doc **ret_doc)
{
    const struct json_value *root = json_doc_root(doc);
    const struct json_value *status = json_get(root, STR("status"));
    const struct str stored = storage_version(root);
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_builder) text = {.limit = 0};
    SCOPED(json_edit) edit;
    OWNED(json_doc) empty = NULL;
    OWNED(json_doc) name = NULL;
    OWNED(json_doc) filled = NULL;
    json_edit_init(&edit, root);
    default_names(&arena, root, &edit);
    default_conversion(root, &edit);
    TRY(empty_status(&empty));
    json_builder_str(&text, stored);
    TRY(json_builder_finish(&text, &name));
    if (json_type(status) != JSON_OBJECT || json_count(status) == 0)
        json_edit_set(&edit, JSON_PLACE("status"), json_doc_root(empty));
    if (stored.len > 0 && !definition_has_text(json_get(status, STR("storedVersions")), stored))
        json_edit_append(&edit, JSON_PLACE("status.storedVersions"), json_doc_root(name));
    TRY(json_edit_finish(&edit, &filled), "fill in defaults");
    *ret_doc = json_equal(root, json_doc_root(filled)) ? json_doc_ref(doc) : TAKE(filled);
    return NULL;
}

bool definition_is_established(const struct json_value *definition)
{
    return condition_is_true(json_path(definition, "status.conditions"), STR("Established"));
}
