/*
 * Compiles a CustomResourceDefinition to a struct crd.
 *
 * common_kind() makes the part of struct kind that all versions share. compile_version() adds for
 * each version, served or not: deprecation warning, subresources, columns, selectable fields and
 * schema. collect_served() then sorts the served versions by preference and finds the storage
 * version. All texts are copied to the arena of the crd, because the definition's document may go
 * away.
 *
 * A definition that passed definition_validate() compiles. The errors here are for definitions that
 * come from a store of another program version.
 */
#include <stdlib.h>

#include "apiserver/crd/crd_internal.h"
#include "base/memory.h"
#include "json/compare.h"
#include "json/path.h"

static const char name_description[] = "Name of the object, unique among those of its kind and "
                                       "namespace.";
static const char age_description[] = "Time since the server created the object.";

static struct str copy_str(struct crd *crd, const struct json_value *value, const char *path)
{
    return arena_str(&crd->arena, json_path_str(value, path));
}

static const char *copy_c(struct crd *crd, const struct json_value *value, const char *path)
{
    return arena_c(&crd->arena, json_path_str(value, path));
}

static bool get_bool(const struct json_value *value, const char *path)
{
    bool truth = false;
    return json_to_bool(json_path(value, path), &truth) && truth;
}

static struct kind_names copy_names(struct crd *crd, const struct json_value *list)
{
    const struct json_value *value;
    const size_t count = json_count(list);
    struct str *items = arena_alloc_array(&crd->arena, count, sizeof(items[0]));
    size_t i = 0;
    JSON_FOREACH (key, value, list)
        items[i++] = arena_str(&crd->arena, json_to_str(value));
    return (struct kind_names){items, count};
}

/* Makes the part of struct kind that all versions share. */
static struct kind common_kind(struct crd *crd, const struct json_value *spec)
{
    const struct json_value *names = json_get(spec, STR("names"));
    struct kind kind = {
        .gvk.group = copy_str(crd, spec, "group"),
        .gvk.kind = copy_str(crd, names, "kind"),
        .plural = copy_str(crd, names, "plural"),
        .singular = copy_str(crd, names, "singular"),
        .list_kind = copy_str(crd, names, "listKind"),
        .namespaced = str_eq(json_path_str(spec, "scope"), STR("Namespaced")),
        .short_names = copy_names(crd, json_get(names, STR("shortNames"))),
        .categories = copy_names(crd, json_get(names, STR("categories"))),
        .verbs = KIND_ALL,
        .has_generation = true,
        .is_custom = true,
        .check_name = validation_dns1123_subdomain,
        .ops = &crd_ops,
    };
    kind.stored_as =
        arena_print(&crd->arena, "%.*s.%.*s", STR_ARG(kind.plural), STR_ARG(kind.gvk.group));
    return kind;
}

/*
 * How many earlier versions are searched for an equal schema. Comparing each version with all
 * others would take quadratic time for a definition with very many versions.
 */
#define NEAR 8

/*
 * Compiles the schema of a version, or takes a reference to that of an earlier version with an
 * equal one.
 */
static struct error *compile_schema(struct crd *crd, const struct json_value *versions,
                                    const struct json_value *openapi, struct crd_version *version)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    const struct json_value *other;
    struct crd_version *earlier = crd->versions;
    if (!openapi)
        return NULL;
    JSON_FOREACH (key, other, versions) {
        if (earlier == version)
            break;
        if (version - earlier <= NEAR && earlier->schema &&
            json_equal(json_path(other, "schema.openAPIV3Schema"), openapi)) {
            version->schema = schema_ref(earlier->schema);
            return NULL;
        }
        earlier++;
    }
    version->schema = schema_compile(openapi, STR("openAPIV3Schema"), &errors);
    if (version->schema)
        return NULL;
    field_errors_write(&text, &errors);
    return error_new(ERROR_INVALID, "%.*s", STR_ARG(buf_str(&text)));
}

static void add_subresources(struct crd *crd, const struct json_value *json,
                             struct crd_version *version)
{
    const struct json_value *subresources = json_get(json, STR("subresources"));
    const struct json_value *scale = json_get(subresources, STR("scale"));
    const unsigned verbs = KIND_GET | KIND_PATCH | KIND_UPDATE;
    struct kind *kind = &version->kind;
    version->has_status = json_type(json_get(subresources, STR("status"))) == JSON_OBJECT;
    version->has_scale = json_type(scale) == JSON_OBJECT;
    if (version->has_status)
        version->subresources[kind->subresource_count++] =
            (struct kind_subresource){.name = "status", .verbs = verbs};
    if (version->has_scale) {
        version->subresources[kind->subresource_count++] =
            (struct kind_subresource){.name = "scale",
                                      .part = KIND_PART_SCALE,
                                      .verbs = verbs,
                                      .gvk = GVK("autoscaling", "v1", "Scale")};
        version->scale = (struct crd_scale_paths){
            .spec_replicas = copy_str(crd, scale, "specReplicasPath"),
            .status_replicas = copy_str(crd, scale, "statusReplicasPath"),
            .selector = copy_str(crd, scale, "labelSelectorPath"),
        };
    }
    kind->subresources = version->subresources;
}

static enum column_type column_type_from(struct str name)
{
    static const struct str names[] = {
        [COLUMN_STRING] = STR_INIT("string"), [COLUMN_INTEGER] = STR_INIT("integer"),
        [COLUMN_NUMBER] = STR_INIT("number"), [COLUMN_BOOLEAN] = STR_INIT("boolean"),
        [COLUMN_DATE] = STR_INIT("date"),
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(name, names[i]))
            return (enum column_type)i;
    return COLUMN_OTHER;
}

/* Compiles one additional printer column; false when its jsonPath does not parse. */
static bool add_column(struct crd *crd, const struct json_value *json,
                       struct crd_column *ret_column, struct kind_column *ret_shown)
{
    const struct str path = json_path_str(json, "jsonPath");
    const char *description = copy_c(crd, json, "description");
    int64_t priority = 0;
    OWNED(error) err = jsonpath_compile(&crd->arena, path, &ret_column->path);
    if (err)
        return false;
    if (!*description)
        description =
            arena_print(&crd->arena, "Custom resource definition column (in JSONPath format): %.*s",
                        STR_ARG(path))
                .ptr;
    json_to_int64(json_get(json, STR("priority")), &priority);
    ret_column->type = column_type_from(json_path_str(json, "type"));
    *ret_shown = (struct kind_column){
        .name = copy_c(crd, json, "name"),
        .type = copy_c(crd, json, "type"),
        .format = copy_c(crd, json, "format"),
        .description = description,
        .priority = (int)priority,
    };
    return true;
}

/* The column Age, for a definition without additional printer columns. */
static void add_age_column(struct crd *crd, struct crd_column *ret_column,
                           struct kind_column *ret_shown)
{
    *ret_shown = (struct kind_column){"Age", "date", "", age_description, 0};
    ret_column->type = COLUMN_DATE;
    error_free(
        jsonpath_compile(&crd->arena, STR(".metadata.creationTimestamp"), &ret_column->path));
}

/* A column whose path does not parse ends the list, as upstream. */
static void add_columns(struct crd *crd, const struct json_value *json, struct crd_version *version)
{
    const struct json_value *list = json_get(json, STR("additionalPrinterColumns")), *value;
    const size_t most = json_count(list) ? json_count(list) : 1;
    struct kind_column *shown = arena_alloc_array(&crd->arena, most + 1, sizeof(shown[0]));
    size_t count = 0;
    version->columns = arena_alloc_array(&crd->arena, most, sizeof(version->columns[0]));
    shown[0] = (struct kind_column){"Name", "string", "name", name_description, 0};
    JSON_FOREACH (key, value, list) {
        if (!add_column(crd, value, &version->columns[count], &shown[count + 1]))
            break;
        count++;
    }
    if (json_count(list) == 0) {
        add_age_column(crd, &version->columns[0], &shown[1]);
        count = 1;
    }
    version->kind.columns = shown;
    version->kind.column_count = count + 1;
}

/* selectableFields become field labels for field selectors, without the leading dot. */
static void add_field_labels(struct crd *crd, const struct json_value *json,
                             struct crd_version *version)
{
    const struct json_value *list = json_get(json, STR("selectableFields")), *value;
    struct field_label *labels =
        arena_alloc_array(&crd->arena, json_count(list), sizeof(labels[0]));
    size_t count = 0;
    JSON_FOREACH (key, value, list) {
        struct str path = json_path_str(value, "jsonPath");
        if (str_starts_with(path, STR(".")))
            path = str_skip(path, 1);
        path = arena_str(&crd->arena, path); /* terminated by NUL */
        labels[count++] = (struct field_label){path, path.ptr};
    }
    version->kind.field_labels = labels;
    version->kind.field_label_count = count;
}

/*
 * The most preferred served version that is not deprecated and is preferred over this one; empty
 * when there is none.
 */
static struct str better_version(const struct json_value *versions, struct str deprecated)
{
    const struct json_value *value;
    struct str best = STR("");
    JSON_FOREACH (key, value, versions) {
        const struct str name = json_path_str(value, "name");
        if (get_bool(value, "served") && !get_bool(value, "deprecated") &&
            version_cmp(name, deprecated) < 0 &&
            (str_is_empty(best) || version_cmp(name, best) < 0))
            best = name;
    }
    return best;
}

/*
 * The text of the Warning header for a deprecated version: the definition's own, or the generated
 * one.
 */
static struct str deprecation_of(struct crd *crd, const struct json_value *versions,
                                 const struct json_value *json, struct gvk gvk)
{
    if (!get_bool(json, "deprecated"))
        return STR("");
    const struct json_value *warning = json_get(json, STR("deprecationWarning"));
    if (json_type(warning) == JSON_STRING)
        return arena_str(&crd->arena, json_to_str(warning));
    const struct str better = better_version(versions, gvk.version);
    const struct str text =
        arena_print(&crd->arena, "%.*s/%.*s %.*s is deprecated", STR_ARG(gvk.group),
                    STR_ARG(gvk.version), STR_ARG(gvk.kind));
    if (str_is_empty(better))
        return text;
    return arena_print(&crd->arena, "%.*s; use %.*s/%.*s %.*s", STR_ARG(text), STR_ARG(gvk.group),
                       STR_ARG(better), STR_ARG(gvk.kind));
}

static struct error *compile_version(struct crd *crd, const struct json_value *versions,
                                     const struct json_value *json, const struct kind *common,
                                     struct crd_version *version)
{
    version->crd = crd;
    version->kind = *common;
    version->kind.gvk.version = copy_str(crd, json, "name");
    version->is_served = get_bool(json, "served");
    version->is_storage = get_bool(json, "storage");
    version->kind.deprecation = deprecation_of(crd, versions, json, version->kind.gvk);
    add_subresources(crd, json, version);
    add_columns(crd, json, version);
    add_field_labels(crd, json, version);
    return compile_schema(crd, versions, json_path(json, "schema.openAPIV3Schema"), version);
}

static int kind_cmp(const void *a, const void *b)
{
    const struct kind *const *x = a, *const *y = b;
    return version_cmp((*x)->gvk.version, (*y)->gvk.version);
}

static void collect_served(struct crd *crd)
{
    crd->served = arena_alloc_array(&crd->arena, crd->version_count, sizeof(crd->served[0]));
    for (size_t i = 0; i < crd->version_count; i++) {
        if (crd->versions[i].is_served)
            crd->served[crd->served_count++] = &crd->versions[i].kind;
        if (crd->versions[i].is_storage)
            crd->storage = &crd->versions[i];
    }
    if (crd->served_count > 1)
        qsort(crd->served, crd->served_count, sizeof(crd->served[0]), kind_cmp);
}

static bool has_conversion_webhook(const struct json_value *spec)
{
    return str_eq(json_path_str(spec, "conversion.strategy"), STR("Webhook"));
}

/* Whether the definition leaves work to webhooks, or to CEL, which this server does not run. */
static bool needs_webhooks(const struct crd *crd, const struct json_value *spec)
{
    if (has_conversion_webhook(spec))
        return true;
    for (size_t i = 0; i < crd->version_count; i++)
        if (crd->versions[i].schema && schema_has_rules(crd->versions[i].schema))
            return true;
    return false;
}

struct error *crd_compile(const struct json_value *definition, const struct crd_webhooks *webhooks,
                          struct crd **ret_custom)
{
    const struct json_value *spec = json_get(definition, STR("spec"));
    const struct json_value *versions = json_get(spec, STR("versions")), *value;
    OWNED(crd) crd = NEW(struct crd);
    crd->references = 1;
    const struct kind common = common_kind(crd, spec);
    crd->versions = arena_alloc_array(&crd->arena, json_count(versions), sizeof(crd->versions[0]));
    JSON_FOREACH (key, value, versions)
        TRY(compile_version(crd, versions, value, &common, &crd->versions[crd->version_count++]),
            "version %.*s", STR_ARG(json_path_str(value, "name")));
    collect_served(crd);
    if (!crd->storage)
        return error_new(ERROR_INVALID, "no version is stored");
    if (webhooks && needs_webhooks(crd, spec))
        crd->webhooks = webhooks;
    if (has_conversion_webhook(spec) && !(crd->webhooks && crd->webhooks->convert))
        crd->conversion = json_doc_copy(json_path(spec, "conversion.webhook"));
    *ret_custom = TAKE(crd);
    return NULL;
}
