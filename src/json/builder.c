/*
 * Builds the flat array of values of a document (see json_internal.h).
 *
 * Values are appended in order. An open container is on the stack builder->open; json_builder_end()
 * fills in its number of members and its length, which is known only then. Strings are copied into
 * a string pool. Memory is counted before it is allocated, and the first exceeded limit makes all
 * further calls no-ops.
 *
 * builder_copy() appends parts of other documents: as a range with one memcpy(), or value by value
 * when members have to be left out.
 */
#include "json/builder.h"

#include <assert.h>
#include <math.h>

#include "json/builder_internal.h"
#include "json/members.h"
#include "json/normalize.h"

/* Giving back less memory than this many values take is not worth the time. */
#define SPARE_MAX 64

/* A container that is not yet ended. */
struct json_open {
    size_t index; /* of the container in values */
    size_t members;
    bool object, has_key;
};

static yyjson_val *values_of(const struct json_builder *builder)
{
    return json_to_yyjson(builder->values);
}

void json_builder_done(struct json_builder *builder)
{
    mem_free(builder->values);
    mem_free(builder->open);
    string_pool_free(builder->strings);
    error_free(builder->err);
    *builder = (struct json_builder){.limit = builder->limit};
}

/* Only the first failure gets here, since all calls check builder->err first. */
static void fail_at_limit(struct json_builder *builder, const char *what, size_t limit)
{
    builder->err =
        error_new(ERROR_TOO_LARGE, "JSON document %s than the limit of %zu", what, limit);
}

/* Enough for a small API object without growing. */
#define CAPACITY_MIN 64

/* Makes room for values and counts text. False past the limit. The array at least doubles. */
static bool reserve(struct json_builder *builder, size_t values, size_t text)
{
    if (builder->err)
        return false;
    const size_t limit = builder->limit ? builder->limit : JSON_BUILDER_LIMIT_DEFAULT;
    const size_t count = builder->count + values;
    builder->text_size += text;
    if (count > limit / sizeof(yyjson_val) ||
        builder->text_size > limit - count * sizeof(yyjson_val)) {
        fail_at_limit(builder, "takes more bytes", limit);
        return false;
    }
    if (count > builder->capacity) {
        builder->capacity = count > builder->capacity * 2 ? count : builder->capacity * 2;
        if (builder->capacity < CAPACITY_MIN)
            builder->capacity = CAPACITY_MIN;
        builder->values = mem_realloc_array(builder->values, builder->capacity, sizeof(yyjson_val));
    }
    return true;
}

/* Asserts that a value is allowed here: as the root, as an element, or behind a key. */
static void begin_value(struct json_builder *builder)
{
    if (builder->depth == 0) {
        assert(builder->count == 0 && "a document has one root");
        return;
    }
    struct json_open *open = &builder->open[builder->depth - 1];
    assert((!open->object || open->has_key) && "a member needs a key");
    open->has_key = false;
    open->members++;
}

/* Appends an empty value, or returns NULL once a limit was reached. */
static yyjson_val *add_value(struct json_builder *builder)
{
    if (!reserve(builder, 1, 0))
        return NULL;
    begin_value(builder);
    yyjson_val *val = &values_of(builder)[builder->count++];
    val->tag = 0;
    return val;
}

static void open_container(struct json_builder *builder, bool object)
{
    yyjson_val *val = add_value(builder);
    if (!val)
        return;
    if (builder->depth == JSON_DEPTH_MAX) {
        fail_at_limit(builder, "nests deeper", JSON_DEPTH_MAX);
        return;
    }
    ARRAY_PUSH(builder->open, builder->depth, builder->open_capacity,
               (struct json_open){.index = builder->count - 1, .object = object});
    builder->containers++;
}

void json_builder_object(struct json_builder *builder)
{
    open_container(builder, true);
}

void json_builder_array(struct json_builder *builder)
{
    open_container(builder, false);
}

/* The container's value gets its final form: the number of members and the distance to its end. */
void json_builder_end(struct json_builder *builder)
{
    if (builder->err)
        return;
    assert(builder->depth > 0 && "no container is open");
    const struct json_open *open = &builder->open[--builder->depth];
    assert(!open->has_key && "a key has no value");
    yyjson_val *val = &values_of(builder)[open->index];
    const uint64_t type = open->object ? YYJSON_TYPE_OBJ : YYJSON_TYPE_ARR;
    val->tag = (uint64_t)open->members << YYJSON_TAG_BIT | type;
    val->uni.ofs = (builder->count - open->index) * sizeof(*val);
}

static void set_string(struct json_builder *builder, yyjson_val *val, struct str s)
{
    const struct str copy = str_is_utf8(s) ? string_pool_copy(&builder->strings, s)
                                           : string_pool_repair(&builder->strings, s);
    unsafe_yyjson_set_strn(val, copy.ptr, copy.len);
}

void json_builder_key(struct json_builder *builder, struct str key)
{
    if (!reserve(builder, 1, key.len))
        return;
    assert(builder->depth > 0 && builder->open[builder->depth - 1].object && "keys need an object");
    assert(!builder->open[builder->depth - 1].has_key && "a key has no value");
    builder->open[builder->depth - 1].has_key = true;
    set_string(builder, &values_of(builder)[builder->count++], key);
}

void json_builder_str(struct json_builder *builder, struct str s)
{
    yyjson_val *val = reserve(builder, 0, s.len) ? add_value(builder) : NULL;
    if (val)
        set_string(builder, val, s);
}

void json_builder_int(struct json_builder *builder, int64_t number)
{
    yyjson_val *val = add_value(builder);
    if (val)
        unsafe_yyjson_set_sint(val, number);
}

void json_builder_double(struct json_builder *builder, double number)
{
    assert(isfinite(number) && "JSON has no form for it");
    yyjson_val *val = add_value(builder);
    if (val)
        unsafe_yyjson_set_real(val, number);
}

void json_builder_bool(struct json_builder *builder, bool truth)
{
    yyjson_val *val = add_value(builder);
    if (val)
        unsafe_yyjson_set_bool(val, truth);
}

void json_builder_null(struct json_builder *builder)
{
    yyjson_val *val = add_value(builder);
    if (val)
        unsafe_yyjson_set_null(val);
}

/* Gives copied values copies of their strings, all in one block of the pool. */
static void copy_strings(struct json_builder *builder, yyjson_val *val, const yyjson_val *end,
                         size_t size)
{
    char *room = size ? string_pool_alloc(&builder->strings, size - 1) : NULL;
    for (; val < end; val++) {
        builder->containers += val_is_container(val);
        if (!val_has_text(val))
            continue;
        const struct str s = val_str(val);
        assert(room); /* size counted every text */
        memcpy(room, s.ptr, s.len);
        room[s.len] = '\0';
        val->uni.str = room;
        room += s.len + 1;
    }
}

/*
 * Appends a value with everything inside it. Offsets inside containers are relative, so the values
 * can be copied as they are; only pointers to strings are replaced.
 */
static void copy_all(struct json_builder *builder, const yyjson_val *root)
{
    const yyjson_val *end = val_next(root);
    const size_t count = (size_t)(end - root);
    size_t text = 0;
    for (const yyjson_val *val = root; val < end; val++)
        text += val_has_text(val) ? val_len(val) + 1 : 0;
    if (!reserve(builder, count, text))
        return;
    begin_value(builder);
    yyjson_val *copy = &values_of(builder)[builder->count];
    memcpy(copy, root, count * sizeof(*copy));
    builder->count += count;
    copy_strings(builder, copy, copy + count, text);
}

/* True for a member that the mode leaves out. */
static bool is_skipped(const yyjson_val *key, enum builder_copy_mode mode)
{
    return mode == BUILDER_SKIP_NULLS ? val_type(key + 1) == YYJSON_TYPE_NULL
                                      : member_is_superseded(key);
}

/* A source container whose copy is open. */
struct copied {
    const yyjson_val *end;
    bool object;
};

struct copied_stack {
    struct copied *items;
    size_t depth, capacity;
};

/* Copies a scalar, or opens a copy of a container. Returns the value behind it in memory. */
static const yyjson_val *copy_step(struct json_builder *builder, struct copied_stack *open,
                                   const yyjson_val *val)
{
    if (val_is_container(val)) {
        const struct copied copied = {val_next(val), val_is_object(val)};
        open_container(builder, copied.object);
        ARRAY_PUSH(open->items, open->depth, open->capacity, copied);
    } else {
        copy_all(builder, val);
    }
    return val + 1;
}

/*
 * Copies a container without the members that the mode leaves out, at any depth. The source is
 * walked in the order of memory; open holds the containers whose copies are open.
 */
static void copy_filtered(struct json_builder *builder, const yyjson_val *val,
                          enum builder_copy_mode mode)
{
    struct copied_stack open = {.depth = 0};
    do {
        const bool member = open.depth && open.items[open.depth - 1].object;
        if (member && is_skipped(val, mode)) {
            val = val_next(val + 1);
        } else {
            if (member)
                json_builder_key(builder, val_str(val++));
            val = copy_step(builder, &open, val);
        }
        for (; open.depth && val == open.items[open.depth - 1].end; open.depth--)
            json_builder_end(builder);
    } while (open.depth && !builder->err);
    mem_free(open.items);
}

void builder_copy(struct json_builder *builder, const yyjson_val *val, enum builder_copy_mode mode)
{
    if (mode == BUILDER_COPY_ALL || !val_is_container(val))
        copy_all(builder, val);
    else
        copy_filtered(builder, val, mode);
}

void json_builder_value(struct json_builder *builder, const struct json_value *value)
{
    if (value)
        copy_all(builder, json_to_yyjson(value));
    else
        json_builder_null(builder);
}

void json_builder_add_str(struct json_builder *builder, const char *key, struct str s)
{
    json_builder_key(builder, str_from_c(key));
    json_builder_str(builder, s);
}

void json_builder_add_int(struct json_builder *builder, const char *key, int64_t number)
{
    json_builder_key(builder, str_from_c(key));
    json_builder_int(builder, number);
}

void json_builder_add_bool(struct json_builder *builder, const char *key, bool truth)
{
    json_builder_key(builder, str_from_c(key));
    json_builder_bool(builder, truth);
}

void json_builder_add_value(struct json_builder *builder, const char *key,
                            const struct json_value *value)
{
    json_builder_key(builder, str_from_c(key));
    json_builder_value(builder, value);
}

void json_builder_add_members(struct json_builder *builder, const struct json_value *from,
                              const struct str *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct json_value *value = json_get(from, names[i]);
        if (!value)
            continue;
        json_builder_key(builder, names[i]);
        json_builder_value(builder, value);
    }
}

void json_builder_add_object(struct json_builder *builder, const char *key)
{
    json_builder_key(builder, str_from_c(key));
    json_builder_object(builder);
}

void json_builder_add_array(struct json_builder *builder, const char *key)
{
    json_builder_key(builder, str_from_c(key));
    json_builder_array(builder);
}

/* Moves values and strings into a document. A mostly empty array is shrunk. */
struct json_doc *builder_finish_unique(struct json_builder *builder)
{
    assert(builder->depth == 0 && builder->count > 0 && "the document is not complete");
    if (builder->capacity - builder->count > SPARE_MAX)
        builder->values = mem_realloc_array(builder->values, builder->count, sizeof(yyjson_val));
    struct json_doc *doc = json_doc_new(0);
    doc->root = doc->values = values_of(builder);
    doc->strings = TAKE(builder->strings);
    builder->values = NULL;
    json_builder_done(builder);
    return doc;
}

/*
 * The builder limits the nesting of containers that were opened. Copied values bring their own
 * nesting, which is checked here, and only if there are enough containers at all.
 */
struct error *builder_finish_checked(struct json_builder *builder, struct json_doc **ret_doc)
{
    if (!builder->err && builder->containers > JSON_DEPTH_MAX &&
        json_is_deeper(values_of(builder), JSON_DEPTH_MAX))
        fail_at_limit(builder, "nests deeper", JSON_DEPTH_MAX);
    if (builder->err) {
        struct error *err = TAKE(builder->err);
        json_builder_done(builder);
        return err;
    }
    *ret_doc = builder_finish_unique(builder);
    return NULL;
}

struct error *json_builder_finish(struct json_builder *builder, struct json_doc **ret_doc)
{
    struct json_doc *doc;
    TRY(builder_finish_checked(builder, &doc));
    normalize_members(doc);
    *ret_doc = doc;
    return NULL;
}

/* Cannot fail: the source is a document and the limit is that of the address space. */
struct json_doc *json_doc_copy(const struct json_value *value)
{
    SCOPED(json_builder) builder = {.limit = SIZE_MAX / 2};
    json_builder_value(&builder, value);
    return builder_finish_unique(&builder);
}
