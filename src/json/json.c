/*
 * Documents and access to their values. Reading is in read.c, writing in write.c, building in
 * builder.c.
 *
 * All accessors work on yyjson's flat array of values (see json_internal.h): val_next() skips a
 * value with everything inside it, so iterating over a container is a walk from sibling to sibling.
 */
#include "json/json.h"

#include "json/go_number.h"
#include "json/json_internal.h"

static void *alc_malloc(void *ctx, size_t size)
{
    (void)ctx;
    return mem_alloc(size);
}

static void *alc_realloc(void *ctx, void *ptr, size_t old_size, size_t size)
{
    (void)ctx;
    (void)old_size;
    return mem_realloc(ptr, size);
}

static void alc_free(void *ctx, void *ptr)
{
    (void)ctx;
    mem_free(ptr);
}

const yyjson_alc json_alc = {alc_malloc, alc_realloc, alc_free, NULL};

struct json_doc *json_doc_new(size_t text_size)
{
    /* Not NEW(): calloc() of small blocks is slow in glibc, and documents are created often. */
    struct json_doc *doc = mem_alloc(sizeof(*doc) + text_size);
    *doc = (struct json_doc){.refs = 1};
    return doc;
}

struct json_doc *json_doc_ref(struct json_doc *doc)
{
    doc->refs++;
    return doc;
}

void json_doc_free(struct json_doc *doc)
{
    if (!doc || --doc->refs > 0)
        return;
    yyjson_doc_free(doc->parsed);
    if (doc->values)
        mem_free(doc->values);
    if (doc->strings)
        string_pool_free(doc->strings);
    mem_free(doc);
}

static void release_doc(void *doc)
{
    json_doc_free(doc);
}

void json_doc_hold(struct arena *arena, struct json_doc *doc)
{
    arena_hold(arena, release_doc, doc);
}

const struct json_value *json_doc_root(const struct json_doc *doc)
{
    return doc ? json_from_yyjson(doc->root) : NULL;
}

enum json_type json_type(const struct json_value *value)
{
    static const enum json_type types[] = {
        [YYJSON_TYPE_NONE] = JSON_ABSENT, [YYJSON_TYPE_RAW] = JSON_NUMBER,
        [YYJSON_TYPE_NULL] = JSON_NULL,   [YYJSON_TYPE_BOOL] = JSON_BOOL,
        [YYJSON_TYPE_NUM] = JSON_NUMBER,  [YYJSON_TYPE_STR] = JSON_STRING,
        [YYJSON_TYPE_ARR] = JSON_ARRAY,   [YYJSON_TYPE_OBJ] = JSON_OBJECT,
    };
    return value ? types[val_type(json_to_yyjson(value))] : JSON_ABSENT;
}

const char *json_type_name(enum json_type type)
{
    static const char *const names[] = {
        [JSON_ABSENT] = "absent",    [JSON_NULL] = "null",       [JSON_BOOL] = "a boolean",
        [JSON_NUMBER] = "a number",  [JSON_STRING] = "a string", [JSON_ARRAY] = "an array",
        [JSON_OBJECT] = "an object",
    };
    return names[type];
}

/* Linear in the number of members. Objects of the API are small; members.h searches large ones. */
const struct json_value *json_get(const struct json_value *value, struct str key)
{
    if (json_type(value) != JSON_OBJECT)
        return NULL;
    const yyjson_val *object = json_to_yyjson(value);
    const yyjson_val *member = object + 1;
    for (size_t i = val_len(object); i > 0; i--, member = val_next(member + 1))
        if (str_eq(val_str(member), key))
            return json_from_yyjson(member + 1);
    return NULL;
}

size_t json_count(const struct json_value *value)
{
    const enum json_type type = json_type(value);
    return type == JSON_ARRAY || type == JSON_OBJECT ? val_len(json_to_yyjson(value)) : 0;
}

const struct json_value *json_at(const struct json_value *value, size_t index)
{
    if (json_type(value) != JSON_ARRAY || index >= json_count(value))
        return NULL;
    const yyjson_val *element = json_to_yyjson(value) + 1;
    while (index--)
        element = val_next(element);
    return json_from_yyjson(element);
}

bool json_next(struct json_iter *iter, struct str *ret_key, const struct json_value **ret_value)
{
    if (iter->index >= json_count(iter->container))
        return false;
    const yyjson_val *container = json_to_yyjson(iter->container);
    const yyjson_val *val = iter->index == 0 ? container + 1 : iter->next_;
    *ret_key = (struct str){NULL, 0};
    if (val_is_object(container))
        *ret_key = val_str(val++);
    *ret_value = json_from_yyjson(val);
    iter->next_ = val_next(val);
    iter->index++;
    return true;
}

/* A subtree is a contiguous range of values, so no walk is needed. */
size_t json_size(const struct json_value *value)
{
    if (!value)
        return 0;
    const yyjson_val *val = json_to_yyjson(value), *end = val_next(val);
    size_t size = 0;
    for (; val < end; val++)
        size += sizeof(*val) + (val_has_text(val) ? val_len(val) : 0);
    return size;
}

bool json_to_bool(const struct json_value *value, bool *ret_bool)
{
    if (json_type(value) != JSON_BOOL)
        return false;
    *ret_bool = unsafe_yyjson_get_bool(json_to_yyjson(value));
    return true;
}

/*
 * A double with a whole value counts as an integer. The bounds themselves are excluded: an integer
 * beyond them may have been rounded to the bound.
 */
bool json_to_int64(const struct json_value *value, int64_t *ret_number)
{
    if (json_type(value) != JSON_NUMBER)
        return false;
    const struct go_number number = go_number_read(json_to_yyjson(value));
    if (number.kind == GO_NUMBER_INT) {
        *ret_number = number.i;
        return true;
    }
    if (number.kind == GO_NUMBER_REAL && number.d > -0x1p63 && number.d < 0x1p63) {
        const int64_t whole = (int64_t)number.d;
        if ((double)whole >= number.d && (double)whole <= number.d) {
            *ret_number = whole;
            return true;
        }
    }
    return false;
}

bool json_to_double(const struct json_value *value, double *ret_number)
{
    if (json_type(value) != JSON_NUMBER)
        return false;
    const struct go_number number = go_number_read(json_to_yyjson(value));
    *ret_number = number.kind == GO_NUMBER_INT    ? (double)number.i
                  : number.kind == GO_NUMBER_UINT ? (double)number.u
                                                  : number.d;
    return true;
}

struct str json_to_str(const struct json_value *value)
{
    return json_type(value) == JSON_STRING ? val_str(json_to_yyjson(value)) : (struct str){NULL, 0};
}

static bool is_known(const struct json_warnings *warnings, struct str text)
{
    for (size_t i = 0; i < warnings->count; i++)
        if (str_eq(warnings->items[i], text))
            return true;
    return false;
}

/* Space for all warnings is allocated with the first; most requests have none. */
void json_warn(struct json_warnings *warnings, struct str text)
{
    if (!warnings || warnings->count == JSON_WARNINGS_MAX || is_known(warnings, text))
        return;
    if (!warnings->items)
        warnings->items = arena_alloc_array(warnings->arena, JSON_WARNINGS_MAX, sizeof(struct str));
    warnings->items[warnings->count++] = arena_str(warnings->arena, text);
}

/*
 * Walks the values in the order of memory with a stack of the ends of open containers. Callers ask
 * only when a document has more containers than max, which is rare.
 */
bool json_is_deeper(const yyjson_val *root, size_t max)
{
    OWNED_PTR const yyjson_val **ends = NULL;
    size_t depth = 0, capacity = 0;
    const yyjson_val *last = val_next(root);
    for (const yyjson_val *val = root; val < last; val++) {
        while (depth && val >= ends[depth - 1])
            depth--;
        if (!val_is_container(val))
            continue;
        if (depth == max)
            return true;
        ARRAY_PUSH(ends, depth, capacity, val_next(val));
    }
    return false;
}
