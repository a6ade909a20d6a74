/*
 * One document: its head, the paths of its kinds, the schemas.
 *
 * Paths and schemas of custom resources are two passes over the definitions, so that one definition
 * at a time is in memory. Schemas of built-in types are last: the paths and the other schemas say
 * which of them are used.
 */
#include "apiserver/openapi/openapi.h"

#include "apiserver/crd/crd_pool.h"
#include "apiserver/openapi/openapi_internal.h"
#include "json/path.h"

static void add_head(struct openapi_writer *writer)
{
    struct json_builder *builder = &writer->builder;
    if (writer->form == OPENAPI_2)
        json_builder_add_str(builder, "swagger", STR("2.0"));
    else
        json_builder_add_str(builder, "openapi", STR("3.0.0"));
    json_builder_add_object(builder, "info");
    json_builder_add_str(builder, "title", STR(OPENAPI_TITLE));
    json_builder_add_str(builder, "version", STR(OPENAPI_VERSION));
    json_builder_end(builder);
}

typedef void add_version_fn(struct openapi_writer *writer, const struct kind *kind,
                            const struct json_value *version);

static void add_version_paths(struct openapi_writer *writer, const struct kind *kind,
                              const struct json_value *version)
{
    (void)version;
    openapi_add_paths(writer, kind);
}

static void add_version_schemas(struct openapi_writer *writer, const struct kind *kind,
                                const struct json_value *version)
{
    openapi_add_custom(writer, kind, version);
    openapi_add_list(writer, kind);
}

static struct error *add_definition(struct openapi_writer *writer,
                                    const struct openapi_source *source,
                                    struct openapi_definition *definition, add_version_fn *add)
{
    OWNED(json_doc) doc = NULL;
    struct kind kind;
    const struct json_value *version;
    TRY(json_read(definition->json, &doc), "read definition");
    const struct json_value *spec = json_get(json_doc_root(doc), STR("spec"));
    TRY(crd_spec_digest(json_doc_root(doc), definition->digest));
    JSON_FOREACH (key, version, json_get(spec, STR("versions")))
        if (openapi_custom_kind(spec, version, &kind) &&
            (source->form == OPENAPI_2 || str_eq(kind.gvk.version, source->version)))
            add(writer, &kind, version);
    return NULL;
}

static struct error *add_paths(struct openapi_writer *writer, const struct openapi_source *source)
{
    json_builder_add_object(&writer->builder, "paths");
    for (size_t i = 0; i < source->builtin.count; i++)
        openapi_add_paths(writer, source->builtin.items[i]);
    for (size_t i = 0; i < source->count; i++)
        TRY(add_definition(writer, source, &source->items[i], add_version_paths));
    json_builder_end(&writer->builder);
    return NULL;
}

static struct error *add_schemas(struct openapi_writer *writer, const struct openapi_source *source)
{
    struct json_builder *builder = &writer->builder;
    if (source->form == OPENAPI_3)
        json_builder_add_object(builder, "components");
    json_builder_add_object(builder, source->form == OPENAPI_3 ? "schemas" : "definitions");
    for (size_t i = 0; i < source->count; i++)
        TRY(add_definition(writer, source, &source->items[i], add_version_schemas));
    for (size_t i = 0; i < source->builtin.count; i++)
        if (source->builtin.items[i]->verbs & KIND_LIST)
            openapi_add_list(writer, source->builtin.items[i]);
    openapi_add_types(writer);
    json_builder_end(builder);
    if (source->form == OPENAPI_3)
        json_builder_end(builder);
    return NULL;
}

struct error *openapi_write(const struct openapi_source *source, struct buf *out)
{
    SCOPED(openapi_writer) writer = {.form = source->form};
    OWNED(json_doc) doc = NULL;
    openapi_writer_init(&writer, source->form);
    json_builder_object(&writer.builder);
    add_head(&writer);
    TRY(add_paths(&writer, source));
    TRY(add_schemas(&writer, source));
    json_builder_end(&writer.builder);
    TRY(json_builder_finish(&writer.builder, &doc), "make OpenAPI document");
    json_write(out, json_doc_root(doc));
    return buf_check(out);
}
