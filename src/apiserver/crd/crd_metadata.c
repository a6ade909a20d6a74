/*
 * Decodes the metadata of a custom resource as Go's ObjectMeta would, and writes it again.
 *
 * Custom resources are unstructured upstream, but their metadata is not: it is decoded to
 * ObjectMeta and encoded again, which drops unknown and empty members and refuses values of the
 * wrong type. The table of ObjectMeta's fields (type_object_meta) is the one of built-in kinds.
 * kind_decode.c does the same for whole objects of built-in kinds; here the order of the document
 * is kept and errors name ObjectMeta.
 *
 * Recursion ends with the type: ObjectMeta has lists of structs, and these contain no further
 * structs.
 */
#include "apiserver/crd/crd_internal.h"
#include "apiserver/types/go_types.h"
#include "base/timestamp.h"

/* The position of the decoder, in the two forms in which messages show it. */
struct place {
    const struct go_type *type;
    struct buf go;   /* "ownerReferences.name" */
    struct buf path; /* "metadata.ownerReferences[0].name" */
};

struct decode {
    struct place place;
    struct json_warnings *unknown;
    struct json_builder *out;
};

static void decode_done(struct decode *decode)
{
    buf_done(&decode->place.go);
    buf_done(&decode->place.path);
}

/* The Go type of a field, as error messages name it. */
static const char *go_name(const struct go_field *field, bool is_element)
{
    if (!is_element && (field->flags & GO_LIST))
        return field->kind == GO_STRING                                ? "[]string"
               : str_eq(str_from_c(field->name), STR("managedFields")) ? "[]v1.ManagedFieldsEntry"
                                                                       : "[]v1.OwnerReference";
    if (!is_element && (field->flags & GO_MAP))
        return "map[string]string";
    if (field->kind == GO_MESSAGE)
        return str_eq(str_from_c(field->name), STR("managedFields")) ? "v1.ManagedFieldsEntry"
                                                                     : "v1.OwnerReference";
    if (field->kind == GO_STRING)
        return str_eq(str_from_c(field->name), STR("uid")) ? "types.UID" : "string";
    return field->kind == GO_BOOL ? "bool" : "int64";
}

const char *crd_go_type(enum json_type type)
{
    static const char *const words[] = {
        [JSON_BOOL] = "bool",   [JSON_NUMBER] = "number", [JSON_STRING] = "string",
        [JSON_ARRAY] = "array", [JSON_OBJECT] = "object", [JSON_NULL] = "null",
        [JSON_ABSENT] = "null",
    };
    return words[type];
}

/* The error of Go's decoder for a value of the wrong type. A number that is no int64 is shown. */
static struct error *misfit(struct decode *decode, const struct json_value *value,
                            const struct go_field *field, bool is_element)
{
    SCOPED(buf) number = {.limit = 0};
    if (field->kind == GO_INT64 && json_type(value) == JSON_NUMBER) {
        buf_add_char(&number, ' ');
        json_write_with(&number, value, JSON_WRITE_NUMBERS_AS_READ);
    }
    return error_new(
        ERROR_BAD_REQUEST, "json: cannot unmarshal %s%.*s into Go struct field %s.%.*s of type %s",
        crd_go_type(json_type(value)), STR_ARG(buf_str(&number)), decode->place.type->name,
        STR_ARG(buf_str(&decode->place.go)), go_name(field, is_element));
}

/* Times are written in UTC with whole seconds. A text of that form is kept as it is. */
static struct error *decode_time(struct decode *decode, const struct json_value *value)
{
    const struct str text = json_to_str(value);
    char written[TIMESTAMP_TEXT_MAX];
    timestamp time;
    if (json_type(value) != JSON_STRING)
        return error_new(ERROR_BAD_REQUEST,
                         "json: cannot unmarshal %s into Go value of type string",
                         crd_go_type(json_type(value)));
    if (!timestamp_read(text, &time))
        return error_new(ERROR_BAD_REQUEST,
                         "parsing time \"%.*s\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
                         "\"%.*s\" as \"2006\"",
                         STR_ARG(text), STR_ARG(text));
    const bool is_plain = text.len == sizeof("2006-01-02T15:04:05Z") - 1;
    json_builder_str(decode->out, is_plain ? text : timestamp_write(time, written));
    return NULL;
}

/*
 * Writes a scalar in its one form. A null is an empty string here; elsewhere is_zero() has dropped
 * it.
 */
static struct error *decode_scalar(struct decode *decode, const struct json_value *value,
                                   const struct go_field *field, bool is_element)
{
    int64_t number;
    bool truth;
    switch ((enum go_field_kind)field->kind) {
    case GO_STRING:
        if (json_type(value) != JSON_STRING && json_type(value) != JSON_NULL)
            return misfit(decode, value, field, is_element);
        json_builder_str(decode->out, json_to_str(value));
        return NULL;
    case GO_BOOL:
        if (!json_to_bool(value, &truth))
            return misfit(decode, value, field, is_element);
        json_builder_bool(decode->out, truth);
        return NULL;
    case GO_INT64:
        if (!json_to_int64(value, &number))
            return misfit(decode, value, field, is_element);
        json_builder_int(decode->out, number);
        return NULL;
    case GO_TIME:
        return decode_time(decode, value);
    default:
        json_builder_value(decode->out, value);
        return NULL;
    }
}

static struct error *decode_object(struct decode *decode, const struct go_type *type,
                                   const struct json_value *object);

/* Elements of a list of structs may be null, which stands for a struct with empty members. */
static struct error *decode_list(struct decode *decode, const struct json_value *list,
                                 const struct go_field *field)
{
    const struct json_value *value;
    const size_t path_len = decode->place.path.len;
    size_t index = 0;
    json_builder_array(decode->out);
    JSON_FOREACH (key, value, list) {
        const bool is_object = json_type(value) == JSON_OBJECT || json_type(value) == JSON_NULL;
        if (field->kind == GO_MESSAGE && !is_object)
            return misfit(decode, value, field, true);
        buf_add_index(&decode->place.path, index++);
        if (field->kind == GO_MESSAGE)
            TRY(decode_object(decode, field->type, value));
        else
            TRY(decode_scalar(decode, value, field, true));
        buf_truncate(&decode->place.path, path_len);
    }
    json_builder_end(decode->out);
    return NULL;
}

static struct error *decode_map(struct decode *decode, const struct json_value *map,
                                const struct go_field *field)
{
    const struct json_value *value;
    json_builder_object(decode->out);
    JSON_FOREACH (key, value, map) {
        json_builder_key(decode->out, key);
        TRY(decode_scalar(decode, value, field, true));
    }
    json_builder_end(decode->out);
    return NULL;
}

/* Whether Go's encoder leaves a member with omitempty out. */
static bool is_zero(const struct json_value *value, const struct go_field *field)
{
    int64_t number;
    if (json_type(value) == JSON_NULL)
        return true;
    if (field->flags & (GO_LIST | GO_MAP))
        return (json_type(value) == JSON_ARRAY || json_type(value) == JSON_OBJECT) &&
               json_count(value) == 0;
    if (field->flags & GO_POINTER)
        return false;
    if (field->kind == GO_STRING || field->kind == GO_TIME)
        return json_type(value) == JSON_STRING && json_to_str(value).len == 0;
    return field->kind == GO_INT64 && json_to_int64(value, &number) && number == 0;
}

/* Required members appear even if they are empty, as empty strings; all of them are strings. */
static struct error *decode_field(struct decode *decode, const struct json_value *value,
                                  const struct go_field *field)
{
    const enum json_type shape = field->flags & GO_LIST ? JSON_ARRAY : JSON_OBJECT;
    const bool is_container = field->flags & (GO_LIST | GO_MAP);
    if (is_container && json_type(value) != JSON_NULL && json_type(value) != shape)
        return misfit(decode, value, field, false);
    if (is_zero(value, field)) {
        if (field->flags & GO_REQUIRED)
            json_builder_add_str(decode->out, field->name, STR(""));
        return NULL;
    }
    json_builder_key(decode->out, str_from_c(field->name));
    if (field->flags & GO_LIST)
        return decode_list(decode, value, field);
    if (field->flags & GO_MAP)
        return decode_map(decode, value, field);
    return decode_scalar(decode, value, field, false);
}

static void warn_unknown(struct decode *decode)
{
    SCOPED(buf) text = {.limit = 0};
    if (!decode->unknown)
        return;
    buf_print(&text, "unknown field \"%.*s\"", STR_ARG(buf_str(&decode->place.path)));
    json_warn(decode->unknown, buf_str(&text));
}

/* Both forms of the position are extended for the time of the call. */
static struct error *decode_member(struct decode *decode, const struct go_type *type,
                                   struct str key, const struct json_value *value)
{
    const struct go_field *field = go_type_field(type, key);
    struct place *place = &decode->place;
    const size_t path_len = place->path.len, go_len = place->go.len;
    BUF_ADD_ALL(&place->path, STR("."), key);
    BUF_ADD_ALL(&place->go, place->go.len ? STR(".") : STR(""), key);
    place->type = type;
    if (field)
        TRY(decode_field(decode, value, field));
    else
        warn_unknown(decode);
    buf_truncate(&place->path, path_len);
    buf_truncate(&place->go, go_len);
    return NULL;
}

/* Writes the known members in the order of the document, then the required ones that are absent. */
static struct error *decode_object(struct decode *decode, const struct go_type *type,
                                   const struct json_value *object)
{
    const struct json_value *value;
    json_builder_object(decode->out);
    JSON_FOREACH (key, value, object)
        TRY(decode_member(decode, type, key, value));
    for (size_t i = 0; i < type->count; i++)
        if ((type->fields[i].flags & GO_REQUIRED) &&
            !json_get(object, str_from_c(type->fields[i].name)))
            json_builder_add_str(decode->out, type->fields[i].name, STR(""));
    json_builder_end(decode->out);
    return NULL;
}

struct error *crd_metadata_decode(const struct json_value *metadata, struct json_warnings *unknown,
                                  struct json_builder *out)
{
    SCOPED(decode) decode = {.unknown = unknown, .out = out};
    buf_add(&decode.place.path, STR("metadata"));
    if (json_type(metadata) != JSON_OBJECT && json_type(metadata) != JSON_NULL)
        return error_new(ERROR_BAD_REQUEST,
                         "json: cannot unmarshal %s into Go value of type v1.ObjectMeta",
                         crd_go_type(json_type(metadata)));
    return decode_object(&decode, &type_object_meta, metadata);
}
