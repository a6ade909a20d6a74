/*
 * The OpenAPI 2.0 document as protobuf, which older versions of kubectl read: messages of gnostic's
 * openapi.v2 (https://github.com/google/gnostic/blob/main/openapiv2/OpenAPIv2.proto).
 *
 * Has the paths of objects with the PATCH of each; types are not described. Inner messages are
 * written to buffers first, because protobuf puts the length of a message before its content.
 * Vendor extensions hold YAML as text.
 */
#include "apiserver/openapi/openapi_internal.h"
#include "apiserver/types/protobuf_wire.h"
#include "base/owned.h"

/* Field numbers of the messages, as MESSAGE_FIELD. */
enum {
    DOCUMENT_SWAGGER = 1,
    DOCUMENT_INFO = 2,
    DOCUMENT_PATHS = 8,
    INFO_TITLE = 1,
    INFO_VERSION = 2,
    PATHS_PATH = 2,
    NAMED_NAME = 1,
    NAMED_VALUE = 2,
    PATH_ITEM_PATCH = 8,
    OPERATION_PARAMETERS = 8,
    OPERATION_RESPONSES = 9,
    OPERATION_EXTENSION = 13,
    PARAMETERS_ITEM_PARAMETER = 1,
    PARAMETER_NON_BODY = 2,
    NON_BODY_QUERY = 3,
    QUERY_IN = 2,
    QUERY_NAME = 4,
    QUERY_TYPE = 6,
    RESPONSES_CODE = 1,
    RESPONSE_VALUE_RESPONSE = 1,
    RESPONSE_DESCRIPTION = 1,
    ANY_YAML = 2,
};

static void add_varint(struct buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_add_char(out, (char)(value | 0x80));
    buf_add_char(out, (char)value);
}

/* Adds a field of type string, bytes or message. */
static void add_bytes(struct buf *out, uint64_t number, struct str bytes)
{
    add_varint(out, number << 3 | WIRE_BYTES);
    add_varint(out, bytes.len);
    buf_add(out, bytes);
}

/* Adds a message with a name and a value: how openapi.v2 writes the entries of maps. */
static void add_named(struct buf *out, uint64_t number, struct str name, struct str value)
{
    SCOPED(buf) named = {.limit = 0};
    add_bytes(&named, NAMED_NAME, name);
    add_bytes(&named, NAMED_VALUE, value);
    add_bytes(out, number, buf_str(&named));
}

static void add_parameter(struct buf *operation, const struct openapi_parameter *parameter)
{
    SCOPED(buf) query = {.limit = 0};
    SCOPED(buf) non_body = {.limit = 0};
    SCOPED(buf) any = {.limit = 0};
    SCOPED(buf) item = {.limit = 0};
    add_bytes(&query, QUERY_IN, STR("query"));
    add_bytes(&query, QUERY_NAME, str_from_c(parameter->name));
    add_bytes(&query, QUERY_TYPE, str_from_c(parameter->type));
    add_bytes(&non_body, NON_BODY_QUERY, buf_str(&query));
    add_bytes(&any, PARAMETER_NON_BODY, buf_str(&non_body));
    add_bytes(&item, PARAMETERS_ITEM_PARAMETER, buf_str(&any));
    add_bytes(operation, OPERATION_PARAMETERS, buf_str(&item));
}

static void add_responses(struct buf *operation)
{
    SCOPED(buf) response = {.limit = 0};
    SCOPED(buf) value = {.limit = 0};
    SCOPED(buf) responses = {.limit = 0};
    add_bytes(&response, RESPONSE_DESCRIPTION, STR("OK"));
    add_bytes(&value, RESPONSE_VALUE_RESPONSE, buf_str(&response));
    add_named(&responses, RESPONSES_CODE, STR("200"), buf_str(&value));
    add_bytes(operation, OPERATION_RESPONSES, buf_str(&responses));
}

/* Adds a vendor extension, x-..., with its value as YAML. */
static void add_extension(struct buf *operation, struct str name, struct str yaml)
{
    SCOPED(buf) any = {.limit = 0};
    add_bytes(&any, ANY_YAML, yaml);
    add_named(operation, OPERATION_EXTENSION, name, buf_str(&any));
}

static void add_gvk(struct buf *operation, struct gvk gvk)
{
    SCOPED(buf) yaml = {.limit = 0};
    buf_add(&yaml, STR("{\"group\":"));
    buf_add_json_string(&yaml, gvk.group);
    buf_add(&yaml, STR(",\"kind\":"));
    buf_add_json_string(&yaml, gvk.kind);
    buf_add(&yaml, STR(",\"version\":"));
    buf_add_json_string(&yaml, gvk.version);
    buf_add(&yaml, STR("}\n"));
    add_extension(operation, STR("x-kubernetes-group-version-kind"), buf_str(&yaml));
}

static void add_path(struct buf *paths, const struct kind *kind)
{
    SCOPED(buf) operation = {.limit = 0};
    SCOPED(buf) item = {.limit = 0};
    SCOPED(buf) path = {.limit = 0};
    for (size_t i = 0; i < COUNT(openapi_patch_parameters); i++)
        add_parameter(&operation, &openapi_patch_parameters[i]);
    add_responses(&operation);
    add_extension(&operation, STR("x-kubernetes-action"), STR("patch\n"));
    add_gvk(&operation, kind->gvk);
    add_bytes(&item, PATH_ITEM_PATCH, buf_str(&operation));
    openapi_item_path(&path, kind);
    add_named(paths, PATHS_PATH, buf_str(&path), buf_str(&item));
}

void openapi_write_protobuf(struct kind_list kinds, struct buf *out)
{
    SCOPED(buf) info = {.limit = 0};
    SCOPED(buf) paths = {.limit = 0};
    add_bytes(&info, INFO_TITLE, STR(OPENAPI_TITLE));
    add_bytes(&info, INFO_VERSION, STR(OPENAPI_VERSION));
    for (size_t i = 0; i < kinds.count; i++)
        if (kinds.items[i]->verbs & KIND_PATCH)
            add_path(&paths, kinds.items[i]);
    add_bytes(out, DOCUMENT_SWAGGER, STR("2.0"));
    add_bytes(out, DOCUMENT_INFO, buf_str(&info));
    add_bytes(out, DOCUMENT_PATHS, buf_str(&paths));
    if (paths.overflowed)
        out->overflowed = true;
}
