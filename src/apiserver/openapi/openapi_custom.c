/*
 * Schemas of custom resources as they are published.
 *
 * A structural schema is nearly what is published. copy_schema() walks it with a stack of frames,
 * because a definition may nest as deep as it likes, and changes three things:
 *
 * - apiVersion, kind and metadata of the object and of embedded resources are those of Kubernetes.
 * - Version 3 says in anyOf that x-kubernetes-int-or-string is one of two types.
 * - Version 2 has neither junctors (allOf, anyOf, oneOf, not) nor nullable. What may be null, or
 * may have unknown fields, has no type there, because kubectl would refuse such values otherwise.
 *
 * Upstream: pkg/controller/openapi/builder and pkg/controller/openapi/v2 of
 * k8s.io/apiextensions-apiserver.
 */
#include "apiserver/openapi/openapi_internal.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/path.h"

static const struct kind_subresource status_and_scale[] = {
    {.name = "status",                             .verbs = KIND_GET | KIND_PATCH | KIND_UPDATE},
    { .name = "scale",
     .part = KIND_PART_SCALE,
     .verbs = KIND_GET | KIND_PATCH | KIND_UPDATE,
     .gvk = {STR_INIT("autoscaling"), STR_INIT("v1"), STR_INIT("Scale")}},
};

static bool is_true(const struct json_value *schema, struct str keyword)
{
    bool truth = false;
    return json_to_bool(json_get(schema, keyword), &truth) && truth;
}

bool openapi_custom_kind(const struct json_value *spec, const struct json_value *version,
                         struct kind *ret_kind)
{
    const bool has_status = json_path(version, "subresources.status"),
               has_scale = json_path(version, "subresources.scale");
    *ret_kind = (struct kind){
        .gvk = {json_path_str(spec, "group"), json_path_str(version, "name"),
                json_path_str(spec, "names.kind")},
        .plural = json_path_str(spec, "names.plural"),
        .list_kind = json_path_str(spec, "names.listKind"),
        .namespaced = str_eq(json_path_str(spec, "scope"), STR("Namespaced")),
        .verbs = KIND_ALL,
        .is_custom = true,
        .subresources = has_status ? status_and_scale : status_and_scale + 1,
        .subresource_count = (size_t)has_status + (size_t)has_scale,
    };
    return is_true(version, STR("served"));
}

enum frame_kind {
    FRAME_SCHEMA,
    FRAME_PROPERTIES, /* the member properties of a schema */
};

/* A container that is being copied. Its facts are those of the schema. */
struct frame {
    enum frame_kind kind;
    struct json_iter iter;
    const struct json_value *schema;
    bool has_meta;    /* it gets apiVersion, kind and metadata */
    bool is_embedded; /* it must have apiVersion and kind */
    bool is_open;     /* version 2: neither items nor properties are shown */
    bool is_nullable; /* version 2 */
    bool has_properties;
};

struct copying {
    struct openapi_writer *writer;
    struct frame *frames;
    size_t count, capacity;
};

static void push_schema(struct copying *copying, const struct json_value *schema, bool is_root)
{
    const bool is_v2 = copying->writer->form == OPENAPI_2;
    const bool preserves = is_true(schema, STR("x-kubernetes-preserve-unknown-fields"));
    struct frame frame = {
        .kind = FRAME_SCHEMA,
        .iter = {.container = schema},
        .schema = schema,
        .is_nullable = is_v2 && is_true(schema, STR("nullable")),
    };
    frame.is_open = is_v2 && (frame.is_nullable || preserves);
    frame.is_embedded =
        is_true(schema, STR("x-kubernetes-embedded-resource")) && !(is_v2 && preserves);
    frame.has_meta = is_root || frame.is_embedded;
    json_builder_object(&copying->writer->builder);
    ARRAY_PUSH(copying->frames, copying->count, copying->capacity, frame);
}

static void push_properties(struct copying *copying, const struct frame *schema,
                            const struct json_value *properties)
{
    const struct frame frame = {
        .kind = FRAME_PROPERTIES,
        .iter = {.container = properties},
        .schema = schema->schema,
        .has_meta = schema->has_meta,
    };
    json_builder_add_object(&copying->writer->builder, "properties");
    ARRAY_PUSH(copying->frames, copying->count, copying->capacity, frame);
}

/* Whether version 2 says the type. */
static bool shows_type(const struct frame *frame, struct str type)
{
    if (frame->is_nullable)
        return false;
    if (str_eq(type, STR("array")))
        return !frame->is_open && json_get(frame->schema, STR("items"));
    return !(frame->is_open && str_eq(type, STR("object")));
}

/* Adds the names that are required. In version 2 what may be null is not. */
static void add_required(struct copying *copying, const struct frame *frame)
{
    struct json_builder *builder = &copying->writer->builder;
    const struct json_value *value, *list = json_get(frame->schema, STR("required"));
    const struct json_value *properties = json_get(frame->schema, STR("properties"));
    const bool is_v2 = copying->writer->form == OPENAPI_2;
    bool has_kind = false, has_version = false;
    if (is_v2 && is_true(json_get(frame->schema, STR("additionalProperties")), STR("nullable")))
        list = NULL;
    if (!json_count(list) && !frame->is_embedded)
        return;
    json_builder_add_array(builder, "required");
    JSON_FOREACH (key, value, list) {
        const struct str name = json_to_str(value);
        has_kind = has_kind || str_eq(name, STR("kind"));
        has_version = has_version || str_eq(name, STR("apiVersion"));
        if (!is_v2 || frame->is_open || !is_true(json_get(properties, name), STR("nullable")))
            json_builder_str(builder, name);
    }
    if (frame->is_embedded && !has_kind)
        json_builder_str(builder, STR("kind"));
    if (frame->is_embedded && !has_version)
        json_builder_str(builder, STR("apiVersion"));
    json_builder_end(builder);
}

static bool is_junctor(struct str keyword)
{
    return str_eq(keyword, STR("allOf")) || str_eq(keyword, STR("anyOf")) ||
           str_eq(keyword, STR("oneOf")) || str_eq(keyword, STR("not"));
}

/* Copies one keyword of a schema; may push a frame. */
static void copy_keyword(struct copying *copying, size_t at, struct str keyword,
                         const struct json_value *value)
{
    struct json_builder *builder = &copying->writer->builder;
    struct frame *frame = &copying->frames[at];
    const bool is_v2 = copying->writer->form == OPENAPI_2;
    if (str_eq(keyword, STR("required")))
        return; /* finish_schema() */
    if (is_v2 && (is_junctor(keyword) || str_eq(keyword, STR("nullable"))))
        return;
    if (str_eq(keyword, STR("type")) && is_v2 && !shows_type(frame, json_to_str(value)))
        return;
    if (str_eq(keyword, STR("properties"))) {
        if (!frame->is_open) {
            frame->has_properties = true;
            push_properties(copying, frame, value);
        }
        return;
    }
    const bool is_items = str_eq(keyword, STR("items"));
    if (is_items && frame->is_open)
        return;
    json_builder_key(builder, keyword);
    if ((is_items || str_eq(keyword, STR("additionalProperties"))) &&
        json_type(value) == JSON_OBJECT)
        push_schema(copying, value, false);
    else
        json_builder_value(builder, value);
}

static void add_any_of_two_types(struct json_builder *builder)
{
    json_builder_add_array(builder, "anyOf");
    for (size_t i = 0; i < 2; i++) {
        json_builder_object(builder);
        json_builder_add_str(builder, "type", i ? STR("string") : STR("integer"));
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

/* Adds to a schema what its definition does not say. */
static void finish_schema(struct copying *copying, const struct frame *frame)
{
    struct json_builder *builder = &copying->writer->builder;
    const struct json_value *schema = frame->schema;
    add_required(copying, frame);
    if (frame->has_meta && !frame->has_properties && !frame->is_open) {
        json_builder_add_object(builder, "properties");
        openapi_add_object_members(copying->writer);
        json_builder_end(builder);
    }
    if (copying->writer->form == OPENAPI_3 && is_true(schema, STR("x-kubernetes-int-or-string")) &&
        !json_get(schema, STR("anyOf")) &&
        !json_get(json_at(json_get(schema, STR("allOf")), 0), STR("anyOf")))
        add_any_of_two_types(builder);
}

/* Copies the members of a schema. The caller opened the root's object and ends it. */
static void copy_schema(struct openapi_writer *writer, const struct json_value *schema)
{
    struct copying copying = {.writer = writer};
    struct str key;
    const struct json_value *value;
    push_schema(&copying, schema, true);
    while (copying.count) {
        const size_t at = copying.count - 1;
        struct frame *frame = &copying.frames[at];
        if (json_next(&frame->iter, &key, &value)) {
            if (frame->kind == FRAME_SCHEMA) {
                copy_keyword(&copying, at, key, value);
            } else {
                json_builder_key(&writer->builder, key);
                push_schema(&copying, value, false);
            }
            continue;
        }
        if (frame->kind == FRAME_SCHEMA)
            finish_schema(&copying, frame);
        else if (frame->has_meta)
            openapi_add_object_members(writer);
        copying.count--;
        if (copying.count)
            json_builder_end(&writer->builder);
    }
    mem_free(copying.frames);
}

/* Names the fields that field selectors may use; in version 3 alone, as upstream. */
static void add_selectable_fields(struct openapi_writer *writer, const struct json_value *version)
{
    const struct json_value *list = json_get(version, STR("selectableFields")), *field;
    if (writer->form == OPENAPI_2 || !json_count(list))
        return;
    json_builder_add_array(&writer->builder, "x-kubernetes-selectable-fields");
    JSON_FOREACH (key, field, list) {
        const struct str path = json_path_str(field, "jsonPath");
        json_builder_object(&writer->builder);
        json_builder_add_str(&writer->builder, "fieldPath",
                             str_starts_with(path, STR(".")) ? str_skip(path, 1) : path);
        json_builder_end(&writer->builder);
    }
    json_builder_end(&writer->builder);
}

void openapi_add_custom(struct openapi_writer *writer, const struct kind *kind,
                        const struct json_value *version)
{
    const struct json_value *schema = json_path(version, "schema.openAPIV3Schema");
    const bool preserves = is_true(schema, STR("x-kubernetes-preserve-unknown-fields"));
    json_builder_key(&writer->builder, openapi_kind_name(writer, kind, STR("")));
    if (!schema || (writer->form == OPENAPI_2 && preserves)) {
        json_builder_object(&writer->builder);
        json_builder_add_str(&writer->builder, "type", STR("object"));
    } else {
        copy_schema(writer, schema);
    }
    openapi_add_schema_gvk(writer, kind->gvk);
    add_selectable_fields(writer, version);
    json_builder_end(&writer->builder);
}
