/*
 * Values of a document that is built from YAML; see manifest_out.h. The format is that of
 * json_internal.h.
 *
 * While a container is open, its value is used as scratch space: uni.ofs counts its members, and
 * tag holds the index of the container around it and the type. manifest_out_close() replaces both.
 */
#include "json/yaml/manifest_out.h"

#include "json/json_internal.h"
#include "json/normalize.h"

#define NONE_OPEN SIZE_MAX

void manifest_out_init(struct manifest_out *out, size_t values, size_t text)
{
    *out = (struct manifest_out){.capacity = values, .open = NONE_OPEN};
    out->values = mem_realloc_array(NULL, values, sizeof(yyjson_val));
    out->doc = json_doc_new(text + values);
    out->room = out->doc->text;
}

void manifest_out_done(struct manifest_out *out)
{
    mem_free(out->values);
    json_doc_free(out->doc);
    *out = (struct manifest_out){0};
}

/* Appends a value. Keys do not count as members of the open container. */
static yyjson_val *add_slot(struct manifest_out *out, bool is_key)
{
    ARRAY_GROW(out->values, out->count, out->capacity);
    if (!is_key && out->open != NONE_OPEN)
        out->values[out->open].uni.ofs++;
    return &out->values[out->count++];
}

/* Links the container to the one around it; see the top of this file. */
void manifest_out_open(struct manifest_out *out, bool object)
{
    yyjson_val *val = add_slot(out, false);
    val->tag = (uint64_t)out->open << 1 | object;
    val->uni.ofs = 0;
    out->open = out->count - 1;
}

void manifest_out_close(struct manifest_out *out)
{
    const size_t index = out->open;
    yyjson_val *val = &out->values[index];
    const uint64_t type = val->tag & 1 ? YYJSON_TYPE_OBJ : YYJSON_TYPE_ARR;
    out->open = index == 0 ? NONE_OPEN : (size_t)(val->tag >> 1);
    val->tag = (uint64_t)val->uni.ofs << YYJSON_TAG_BIT | type;
    val->uni.ofs = (out->count - index) * sizeof(*val);
}

/* An alias visits its scalar again; the text is copied at the first visit only. */
static void set_counted(struct manifest_out *out, yyjson_val *val, struct str *text, bool *is_moved)
{
    if (!*is_moved) {
        memcpy(out->room, text->ptr, text->len);
        text->ptr = out->room;
        out->room[text->len] = '\0';
        out->room += text->len + 1;
        *is_moved = true;
    }
    unsafe_yyjson_set_strn(val, text->ptr, text->len);
}

void manifest_out_str(struct manifest_out *out, struct str *text, bool *is_moved)
{
    set_counted(out, add_slot(out, false), text, is_moved);
}

void manifest_out_key(struct manifest_out *out, struct str *text, bool *is_moved)
{
    set_counted(out, add_slot(out, true), text, is_moved);
}

static struct str set_copy(struct manifest_out *out, yyjson_val *val, struct str text)
{
    const struct str copy = string_pool_repair(&out->doc->strings, text);
    unsafe_yyjson_set_strn(val, copy.ptr, copy.len);
    return copy;
}

struct str manifest_out_copy_str(struct manifest_out *out, struct str text)
{
    return set_copy(out, add_slot(out, false), text);
}

void manifest_out_copy_key(struct manifest_out *out, struct str text)
{
    set_copy(out, add_slot(out, true), text);
}

void manifest_out_null(struct manifest_out *out)
{
    unsafe_yyjson_set_null(add_slot(out, false));
}

void manifest_out_bool(struct manifest_out *out, bool truth)
{
    unsafe_yyjson_set_bool(add_slot(out, false), truth);
}

void manifest_out_number(struct manifest_out *out, struct scalar_number number)
{
    yyjson_val *val = add_slot(out, false);
    if (number.type == SCALAR_INT)
        unsafe_yyjson_set_sint(val, number.int64);
    else if (number.type == SCALAR_UINT)
        unsafe_yyjson_set_uint(val, number.uint64);
    else
        unsafe_yyjson_set_real(val, number.real);
}

struct json_doc *manifest_out_finish(struct manifest_out *out)
{
    if (out->count < out->capacity)
        out->values = mem_realloc_array(out->values, out->count, sizeof(yyjson_val));
    struct json_doc *doc = TAKE(out->doc);
    doc->root = doc->values = TAKE(out->values);
    normalize_members(doc);
    return doc;
}
