/*
 * Objects as text, in one allocation: a header and the strings, one behind the other.
 */
#include "apimachinery/object_text.h"

#include "base/memory.h"

/* The strings stand behind each other in bytes: namespace, name, uid, resourceVersion, JSON. */
struct object_text {
    uint32_t refs;
    uint32_t namespace_len, name_len, uid_len, resource_version_len;
    bool secret, is_deleting;
    size_t json_len;
    char bytes[];
};

/* The length of everything in front of the JSON text. */
static size_t names_len(const struct object_text *text)
{
    return (size_t)text->namespace_len + text->name_len + text->uid_len +
           text->resource_version_len;
}

/* Copies a string and returns the place behind it. */
static char *put_str(char *place, struct str s)
{
    if (s.len)
        memcpy(place, s.ptr, s.len);
    return place + s.len;
}

/* By kind alone, whatever the group: wiping too much does no harm. */
static bool is_secret(const struct object *object)
{
    return str_eq(object_kind(object), STR("Secret"));
}

/*
 * The lengths fit 32 bits: they are parts of a document, whose text has at most JSON_TEXT_MAX
 * bytes.
 */
static struct object_text *make_text(const struct object *object, struct str json)
{
    const struct key key = object_key(object);
    const struct str uid = object_uid(object), version = object_resource_version(object);
    struct object_text *text = mem_alloc(sizeof(*text) + key.namespace.len + key.name.len +
                                         uid.len + version.len + json.len);
    *text = (struct object_text){
        .refs = 1,
        .namespace_len = (uint32_t)key.namespace.len,
        .name_len = (uint32_t)key.name.len,
        .uid_len = (uint32_t)uid.len,
        .resource_version_len = (uint32_t)version.len,
        .secret = is_secret(object),
        .is_deleting = object_is_deleting(object),
        .json_len = json.len,
    };
    put_str(put_str(put_str(put_str(put_str(text->bytes, key.namespace), key.name), uid), version),
            json);
    return text;
}

struct object_text *object_text_new(const struct object *object)
{
    SCOPED(buf) json = {.limit = 2 * JSON_TEXT_MAX, .secret = is_secret(object)};
    object_write(&json, object);
    return make_text(object, buf_str(&json));
}

/* The text is parsed to check it and to find the names, and kept unchanged. */
struct error *object_text_from_json(struct str json, struct object_text **ret_text)
{
    OWNED(object) object = NULL;
    TRY(object_read(json, &object));
    *ret_text = make_text(object, json);
    return NULL;
}

struct object_text *object_text_ref(struct object_text *text)
{
    text->refs++;
    return text;
}

void object_text_free(struct object_text *text)
{
    if (!text || --text->refs > 0)
        return;
    if (text->secret)
        mem_wipe(text->bytes, names_len(text) + text->json_len);
    mem_free(text);
}

struct str object_text_json(const struct object_text *text)
{
    return str_from(text->bytes + names_len(text), text->json_len);
}

struct key object_text_key(const struct object_text *text)
{
    return (struct key){str_from(text->bytes, text->namespace_len),
                        str_from(text->bytes + text->namespace_len, text->name_len)};
}

struct str object_text_uid(const struct object_text *text)
{
    const size_t start = (size_t)text->namespace_len + text->name_len;
    return str_from(text->bytes + start, text->uid_len);
}

struct str object_text_resource_version(const struct object_text *text)
{
    return str_from(text->bytes + names_len(text) - text->resource_version_len,
                    text->resource_version_len);
}

/* A string that stands once, between quotes, is the one that make_text() found in the metadata. */
size_t object_text_find_version(const struct object_text *text)
{
    SCOPED(buf) quoted = {.limit = 0};
    const struct str json = object_text_json(text);
    buf_print(&quoted, "\"%.*s\"", STR_ARG(object_text_resource_version(text)));
    const size_t first = str_find(json, buf_str(&quoted));
    if (first == STR_NONE || str_contains(str_skip(json, first + 1), buf_str(&quoted)))
        return STR_NONE;
    return first + 1;
}

struct object_text *object_text_with_version(const struct object_text *text, size_t place,
                                             struct str version)
{
    const struct str json = object_text_json(text);
    const size_t former = text->resource_version_len, names = names_len(text) - former;
    struct object_text *copy =
        mem_alloc(sizeof(*copy) + names + json.len + 2 * version.len - former);
    *copy = *text;
    copy->refs = 1;
    copy->resource_version_len = (uint32_t)version.len;
    copy->json_len = json.len + version.len - former;
    char *end = put_str(put_str(copy->bytes, str_from(text->bytes, names)), version);
    end = put_str(put_str(end, str_slice(json, 0, place)), version);
    put_str(end, str_skip(json, place + former));
    return copy;
}

bool object_text_is_deleting(const struct object_text *text)
{
    return text->is_deleting;
}

size_t object_text_size(const struct object_text *text)
{
    return sizeof(*text) + names_len(text) + text->json_len;
}

struct error *object_text_read(const struct object_text *text, struct object **ret_object)
{
    return object_read(object_text_json(text), ret_object);
}
