/*
 * OpenAPI documents in JSON, versions 2 and 3.
 *
 * kubectl reads them for one purpose before it sends a manifest: to find out whether the PATCH of a
 * kind has the parameter fieldValidation, and so whether the server validates fields. The documents
 * therefore have one path with a PATCH for every kind and nothing else; types are not described.
 *
 * add_path() and the functions above it write both versions; enum form says which. Upstream
 * documents come from k8s.io/kube-openapi.
 */
#include "apiserver/registry/kind_discovery.h"
#include "apiserver/registry/kind_discovery_internal.h"
#include "apiserver/registry/kind_openapi_internal.h"
#include "base/owned.h"
#include "base/sha256.h"

const struct kind_openapi_parameter kind_openapi_parameters[] = {
    {"dryRun",          "string" },
    {"fieldManager",    "string" },
    {"fieldValidation", "string" },
    {"force",           "boolean"},
};

/* What the two versions of OpenAPI write differently. */
enum form {
    OPENAPI_2,
    OPENAPI_3,
};

/* Adds the path of a group and version without the leading slash: "api/v1" or "apis/apps/v1". */
static void add_root(struct buf *out, struct gvk gvk)
{
    if (str_is_empty(gvk.group))
        buf_print(out, "api/%.*s", STR_ARG(gvk.version));
    else
        buf_print(out, "apis/%.*s/%.*s", STR_ARG(gvk.group), STR_ARG(gvk.version));
}

void kind_openapi_path(struct buf *out, const struct kind *kind)
{
    buf_add_char(out, '/');
    add_root(out, kind->gvk);
    if (kind->namespaced)
        buf_add(out, STR("/namespaces/{namespace}"));
    buf_print(out, "/%.*s/{name}", STR_ARG(kind->plural));
}

/* Version 3 has the type of a parameter in a schema, version 2 beside its name. */
static void add_type(struct json_builder *builder, enum form form, const char *type)
{
    if (form == OPENAPI_3)
        json_builder_add_object(builder, "schema");
    json_builder_add_str(builder, "type", str_from_c(type));
    if (form == OPENAPI_3)
        json_builder_end(builder);
}

static void add_parameter(struct json_builder *builder, enum form form, const char *name,
                          const char *in, const char *type)
{
    const bool is_path = str_eq(str_from_c(in), STR("path"));
    json_builder_object(builder);
    json_builder_add_str(builder, "name", str_from_c(name));
    json_builder_add_str(builder, "in", str_from_c(in));
    if (is_path)
        json_builder_add_bool(builder, "required", true);
    add_type(builder, form, type);
    json_builder_end(builder);
}

static void add_patch(struct json_builder *builder, enum form form, const struct kind *kind)
{
    json_builder_add_object(builder, "patch");
    json_builder_add_array(builder, "parameters");
    for (size_t i = 0; i < COUNT(kind_openapi_parameters); i++)
        add_parameter(builder, form, kind_openapi_parameters[i].name, "query",
                      kind_openapi_parameters[i].type);
    json_builder_end(builder);
    json_builder_add_object(builder, "responses");
    json_builder_add_object(builder, "200");
    json_builder_add_str(builder, "description", STR("OK"));
    json_builder_end(builder);
    json_builder_end(builder);
    json_builder_add_str(builder, "x-kubernetes-action", STR("patch"));
    json_builder_add_object(builder, "x-kubernetes-group-version-kind");
    json_builder_add_str(builder, "group", kind->gvk.group);
    json_builder_add_str(builder, "version", kind->gvk.version);
    json_builder_add_str(builder, "kind", kind->gvk.kind);
    json_builder_end(builder);
    json_builder_end(builder);
}

static void add_path(struct json_builder *builder, enum form form, const struct kind *kind)
{
    SCOPED(buf) path = {.limit = 0};
    if (!(kind->verbs & KIND_PATCH))
        return;
    kind_openapi_path(&path, kind);
    json_builder_key(builder, buf_str(&path));
    json_builder_object(builder);
    add_patch(builder, form, kind);
    json_builder_add_array(builder, "parameters");
    add_parameter(builder, form, "name", "path", "string");
    if (kind->namespaced)
        add_parameter(builder, form, "namespace", "path", "string");
    json_builder_end(builder);
    json_builder_end(builder);
}

/* Writes a document with the paths of a range of kinds. */
static void write_document(struct buf *out, struct kind_list kinds, struct kind_range range,
                           enum form form)
{
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_object(&builder);
    if (form == OPENAPI_2)
        json_builder_add_str(&builder, "swagger", STR("2.0"));
    else
        json_builder_add_str(&builder, "openapi", STR("3.0.0"));
    json_builder_add_object(&builder, "info");
    json_builder_add_str(&builder, "title", STR(KIND_OPENAPI_TITLE));
    json_builder_add_str(&builder, "version", STR(KIND_OPENAPI_VERSION));
    json_builder_end(&builder);
    json_builder_add_object(&builder, "paths");
    for (size_t i = range.at; i < range.end; i++)
        add_path(&builder, form, kinds.items[i]);
    json_builder_end(&builder);
    if (form == OPENAPI_3) {
        json_builder_add_object(&builder, "components");
        json_builder_add_object(&builder, "schemas");
        json_builder_end(&builder);
        json_builder_end(&builder);
    }
    json_builder_end(&builder);
    kind_discovery_write(out, &builder);
}

void kind_openapi_v2(struct buf *out, struct kind_list kinds)
{
    write_document(out, kinds, (struct kind_range){0, kinds.count}, OPENAPI_2);
}

bool kind_openapi_v3(struct buf *out, struct kind_list kinds, struct str group, struct str version)
{
    struct kind_range range;
    if (!kind_range_find_version(kinds, group, version, &range))
        return false;
    write_document(out, kinds, range, OPENAPI_3);
    return true;
}

/* Clients cache a document for ever under the hash in its URL. The hash is that of the content. */
static void add_hash(struct buf *url, struct kind_list kinds, struct kind_range range)
{
    SCOPED(buf) document = {.limit = 0};
    uint8_t digest[SHA256_LEN];
    char text[SHA256_HEX_LEN + 1];
    write_document(&document, kinds, range, OPENAPI_3);
    sha256_of(buf_str(&document), digest);
    buf_print(url, "?hash=%.*s", STR_ARG(sha256_hex(digest, text)));
}

void kind_openapi_v3_index(struct buf *out, struct kind_list kinds, struct str prefix)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct kind_range range;
    json_builder_object(&builder);
    json_builder_add_object(&builder, "paths");
    for (size_t i = 0; i < kinds.count; i = range.end) {
        SCOPED(buf) name = {.limit = 0};
        SCOPED(buf) url = {.limit = 0};
        range = kind_range_of_version(kinds, i);
        add_root(&name, kinds.items[i]->gvk);
        buf_print(&url, "%.*s/openapi/v3/%.*s", STR_ARG(prefix), STR_ARG(buf_str(&name)));
        add_hash(&url, kinds, range);
        json_builder_key(&builder, buf_str(&name));
        json_builder_object(&builder);
        json_builder_add_str(&builder, "serverRelativeURL", buf_str(&url));
        json_builder_end(&builder);
    }
    json_builder_end(&builder);
    json_builder_end(&builder);
    kind_discovery_write(out, &builder);
}
