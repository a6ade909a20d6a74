/*
 * Request bodies in protobuf, as JSON documents.
 *
 * A body is the four bytes "k8s\0" and an envelope (runtime.Unknown) that names apiVersion and
 * kind and holds the object. The object is decoded along the Go type of its kind: a field's number
 * leads to its row, the row says what JSON it becomes.
 *
 * A message may have the items of a list in several places. When the first one is met,
 * gather_items() goes through the rest of the message for the others, then the decoder goes on
 * behind the first. Only the schema of a CustomResourceDefinition is a type that holds itself, so
 * that a body decides how deep it goes; DEPTH_MAX limits it. Every message is checked as a whole
 * before it is walked, so that a broken one fails before anything of it is used.
 */
#include "apiserver/types/protobuf_body.h"

#include "apimachinery/gvk.h"
#include "apiserver/types/protobuf_scalar.h"
#include "base/array.h"

#define MAGIC STR("k8s\0")

/* Messages inside of messages, in a body. */
#define DEPTH_MAX 1000

/* Structs inside of structs, without a pointer or list between them, in any built-in type. */
#define STRUCTS_MAX 32

/* A message that is being written. */
struct level {
    const struct go_type *type;
    struct str rest;
    uint64_t written; /* lists and maps that are done, a bit for each field of the type */
    bool is_inline;   /* its members stand in the object of the level above */
    /* A list or map, whose items may stand anywhere in the message, and where to go on behind it.
     */
    const struct go_field *gathered;
    struct str behind;
};

struct decoder {
    struct json_builder builder;
    struct level *levels;
    size_t depth, capacity;
};

static void decoder_done(struct decoder *decoder)
{
    json_builder_done(&decoder->builder);
    mem_free(decoder->levels);
}

static struct error *push_level(struct decoder *decoder, struct level level)
{
    if (decoder->depth == DEPTH_MAX)
        return error_new(ERROR_BAD_REQUEST, "protobuf message is nested too deep");
    ARRAY_PUSH(decoder->levels, decoder->depth, decoder->capacity, level);
    return NULL;
}

/* Begins a message. An inlined type is a message on the wire and part of its parent in JSON. */
static struct error *enter_message(struct decoder *decoder, const struct go_type *type,
                                   struct str message, bool is_inline)
{
    TRY(wire_check(message), "%s", type->name);
    TRY(push_level(decoder, (struct level){.type = type, .rest = message, .is_inline = is_inline}));
    if (!is_inline)
        json_builder_object(&decoder->builder);
    return NULL;
}

/* A part of a message that is searched for anything that is not zero. */
struct search {
    const struct go_type *type;
    struct str rest;
};

/* Whether a field ends the search; a message that may be zero goes on the stack instead. */
static bool tells_something(const struct go_field *field, const struct wire_field *value,
                            struct search *stack, size_t *depth)
{
    if (!field)
        return false;
    if (field->flags & (GO_LIST | GO_MAP | GO_POINTER))
        return true;
    if (field->kind != GO_MESSAGE)
        return !protobuf_scalar_is_zero(field, value);
    if (value->type != WIRE_BYTES || *depth == STRUCTS_MAX)
        return true;
    stack[(*depth)++] = (struct search){.type = field->type, .rest = value->bytes};
    return false;
}

/* Clients write members that are structs even if these are empty; such a struct means nothing. */
static bool is_zero(const struct go_type *type, struct str message)
{
    struct search stack[STRUCTS_MAX] = {
        {.type = type, .rest = message}
    };
    size_t depth = 1;
    while (depth > 0) {
        struct search *top = &stack[depth - 1];
        struct wire_field value;
        const enum wire_state state = wire_next(&top->rest, &value);
        if (state == WIRE_BROKEN)
            return false; /* the decoder will say so */
        if (state == WIRE_END)
            depth--;
        else if (tells_something(go_type_number(top->type, value.number), &value, stack, &depth))
            return false;
    }
    return true;
}

/* The form of a union that a message has: the first one whose field is there; NULL for none. */
static const struct go_field *find_form(const struct go_type *forms, struct str message,
                                        struct wire_field *ret_value)
{
    for (size_t i = 0; i < forms->count; i++) {
        const enum wire_type type = forms->fields[i].kind == GO_BOOL ? WIRE_VARINT : WIRE_BYTES;
        if (wire_find(message, forms->fields[i].number, type, ret_value))
            return &forms->fields[i];
    }
    return NULL;
}

/*
 * Writes the JSON of a union, which is that of the first field of `forms` that the message has. A
 * list is written by a level with `is_inline`: the level gathers the items as it does for any
 * message, but opens no JSON object.
 */
static struct error *write_union(struct decoder *decoder, const struct go_type *forms,
                                 struct str message)
{
    struct wire_field value;
    TRY(wire_check(message), "%s", forms->name);
    const struct go_field *form = find_form(forms, message, &value);
    if (!form) {
        json_builder_null(&decoder->builder);
        return NULL;
    }
    if (!(form->flags & GO_LIST))
        return form->kind == GO_MESSAGE ? enter_message(decoder, form->type, value.bytes, false)
                                        : protobuf_scalar_write(&decoder->builder, form, &value);
    TRY(push_level(
        decoder,
        (struct level){.type = forms, .rest = message, .is_inline = true, .gathered = form}));
    json_builder_array(&decoder->builder);
    return NULL;
}

/* A value without its name: a nested message, or a scalar. */
static struct error *write_value(struct decoder *decoder, const struct go_field *field,
                                 const struct wire_field *value)
{
    if (field->kind != GO_MESSAGE && field->kind != GO_UNION)
        return protobuf_scalar_write(&decoder->builder, field, value);
    if (value->type != WIRE_BYTES)
        return error_new(ERROR_BAD_REQUEST, "field %s has wire type %d", field->name,
                         (int)value->type);
    if (field->kind == GO_UNION)
        return write_union(decoder, field->type, value->bytes);
    return enter_message(decoder, field->type, value->bytes, field->flags & GO_INLINE);
}

/*
 * A single field. What is zero is left out unless Go's encoder would write it: pointers and
 * required fields.
 */
static struct error *write_member(struct decoder *decoder, const struct go_field *field,
                                  const struct wire_field *value)
{
    const bool is_message = field->kind == GO_MESSAGE && value->type == WIRE_BYTES;
    if (field->flags & GO_INLINE)
        return write_value(decoder, field, value);
    if (!(field->flags & GO_POINTER) && is_message && is_zero(field->type, value->bytes))
        return NULL;
    if (!(field->flags & (GO_POINTER | GO_REQUIRED)) && field->kind != GO_MESSAGE &&
        protobuf_scalar_is_zero(field, value))
        return NULL;
    /* A zero time has no text; Go writes null for it. */
    if ((field->kind == GO_TIME || field->kind == GO_MICRO_TIME) &&
        protobuf_scalar_is_zero(field, value))
        return NULL;
    json_builder_key(&decoder->builder, str_from_c(field->name));
    return write_value(decoder, field, value);
}

/* A member of a map is a message of a key and a value; either is absent when it is zero. */
static struct error *write_entry(struct decoder *decoder, const struct go_field *field,
                                 const struct wire_field *entry)
{
    struct wire_field value = {.number = 2, .type = WIRE_BYTES};
    if (entry->type != WIRE_BYTES)
        return error_new(ERROR_BAD_REQUEST, "field %s has wire type %d", field->name,
                         (int)entry->type);
    TRY(wire_check(entry->bytes), "field %s", field->name);
    (void)wire_find(entry->bytes, 2, WIRE_BYTES, &value);
    json_builder_key(&decoder->builder, wire_find_bytes(entry->bytes, 1));
    return write_value(decoder, field, &value);
}

static struct error *write_item(struct decoder *decoder, const struct go_field *field,
                                const struct wire_field *value)
{
    return field->flags & GO_MAP ? write_entry(decoder, field, value)
                                 : write_value(decoder, field, value);
}

/* Starts a list or map with its first item; false when it was done before. */
static bool gather_items(struct decoder *decoder, struct level *level, const struct go_field *field)
{
    const uint64_t bit = UINT64_C(1) << (field - level->type->fields);
    if (level->written & bit)
        return false;
    level->written |= bit;
    level->gathered = field;
    level->behind = level->rest;
    json_builder_key(&decoder->builder, str_from_c(field->name));
    if (field->flags & GO_MAP)
        json_builder_object(&decoder->builder);
    else
        json_builder_array(&decoder->builder);
    return true;
}

/*
 * The end of a list or map goes back to where its first item stood; the end of a message goes up.
 */
static void leave_message(struct decoder *decoder, struct level *level)
{
    if (level->gathered) {
        json_builder_end(&decoder->builder);
        level->gathered = NULL;
        level->rest = level->behind;
        return;
    }
    decoder->depth--;
    if (!level->is_inline)
        json_builder_end(&decoder->builder);
}

/* One field of the innermost message. Unknown numbers are skipped, as protobuf wants it. */
static struct error *decode_step(struct decoder *decoder)
{
    struct level *level = &decoder->levels[decoder->depth - 1];
    struct wire_field value;
    if (wire_next(&level->rest, &value) != WIRE_FIELD) {
        leave_message(decoder, level);
        return NULL;
    }
    const struct go_field *field = go_type_number(level->type, value.number);
    if (!field || (level->gathered && level->gathered != field))
        return NULL;
    if (!(field->flags & (GO_LIST | GO_MAP)))
        return write_member(decoder, field, &value);
    if (!level->gathered && !gather_items(decoder, level, field))
        return NULL;
    return write_item(decoder, field, &value);
}

/* The type of the kind begins, kind and apiVersion come from the envelope. */
static struct error *decode_message(const struct go_type *type, struct str api_version,
                                    struct str message, struct json_doc **ret_doc)
{
    SCOPED(decoder) decoder = {.depth = 0};
    TRY(enter_message(&decoder, type, message, false));
    json_builder_add_str(&decoder.builder, "kind", str_from_c(type->name));
    json_builder_add_str(&decoder.builder, "apiVersion", api_version);
    while (decoder.depth > 0)
        TRY(decode_step(&decoder));
    return json_builder_finish(&decoder.builder, ret_doc);
}

bool protobuf_body_has_magic(struct str body)
{
    return str_starts_with(body, MAGIC);
}

/* The envelope: 1 is apiVersion (1) and kind (2), 2 the object, 3 its encoding, 4 its type. */
static struct error *read_envelope(struct str envelope, struct str *ret_api_version,
                                   struct str *ret_kind, struct str *ret_message)
{
    TRY(wire_check(envelope), "envelope");
    const struct str type = wire_find_bytes(envelope, 1);
    const struct str encoding = wire_find_bytes(envelope, 3);
    const struct str content = wire_find_bytes(envelope, 4);
    TRY(wire_check(type), "envelope");
    if (encoding.len > 0 ||
        (content.len > 0 && !str_eq(content, STR("application/vnd.kubernetes.protobuf"))))
        return error_new(ERROR_UNSUPPORTED_MEDIA_TYPE,
                         "the object in the protobuf envelope is neither plain nor protobuf");
    *ret_api_version = wire_find_bytes(type, 1);
    *ret_kind = wire_find_bytes(type, 2);
    *ret_message = wire_find_bytes(envelope, 2);
    return NULL;
}

/* A kind that is not served as protobuf gets 415, upon which clients send JSON. */
struct error *protobuf_body_read(struct str body, struct json_doc **ret_doc)
{
    struct str api_version = {NULL, 0}, kind = {NULL, 0}, message = {NULL, 0};
    struct gvk gvk;
    if (!protobuf_body_has_magic(body))
        return error_new(ERROR_BAD_REQUEST, "provided data does not appear to be a protobuf "
                                            "message, expected prefix [107 56 115 0]");
    TRY(read_envelope(str_skip(body, MAGIC.len), &api_version, &kind, &message));
    struct error *err = gvk_from_api_version(api_version, kind, &gvk);
    if (err) {
        err->code = ERROR_BAD_REQUEST;
        return err;
    }
    const struct go_type *type = go_type_of_message(gvk);
    if (!type)
        return error_new(
            ERROR_UNSUPPORTED_MEDIA_TYPE,
            "%.*s, Kind=%.*s is not accepted as protobuf - send it as application/json",
            STR_ARG(api_version), STR_ARG(kind));
    return decode_message(type, api_version, message, ret_doc);
}
