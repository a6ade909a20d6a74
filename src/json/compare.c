/*
 * Equality and canonical text.
 *
 * val_equal() keeps pairs of containers that still have to be compared in an array instead of
 * recursing. Scalars are compared at once. Members are looked up by name, in the order of the other
 * object when possible (members.h), which makes equal objects with equal order linear.
 *
 * The canonical text sorts the members of each object by name, so that it can be hashed or
 * compared.
 */
#include "json/compare.h"

#include "json/compare_internal.h"
#include "json/go_number.h"
#include "json/members.h"
#include "json/write.h"

/* Pairs of containers that still have to be compared. */
struct pairs {
    const yyjson_val *(*items)[2];
    size_t count, capacity;
    bool exact;
};

static bool is_number(const yyjson_val *val)
{
    return val_type(val) == YYJSON_TYPE_RAW || val_type(val) == YYJSON_TYPE_NUM;
}

static bool compare_scalars(const yyjson_val *a, const yyjson_val *b, bool exact)
{
    if (is_number(a) && is_number(b))
        return exact ? go_number_has_token_of(a, b) : go_number_equals(a, b);
    if (val_type(a) != val_type(b))
        return false;
    if (val_type(a) == YYJSON_TYPE_STR)
        return str_eq(val_str(a), val_str(b));
    /* Null, or booleans, which differ in the subtype. */
    return (a->tag & YYJSON_TAG_MASK) == (b->tag & YYJSON_TAG_MASK);
}

/* Compares scalars now and notes containers for later. False when the values differ for sure. */
static bool compare_or_note(struct pairs *pairs, const yyjson_val *a, const yyjson_val *b)
{
    if (!val_is_container(a))
        return compare_scalars(a, b, pairs->exact);
    if (val_type(a) != val_type(b) || val_len(a) != val_len(b))
        return false;
    if (val_len(a) > 0) {
        ARRAY_GROW(pairs->items, pairs->count, pairs->capacity);
        pairs->items[pairs->count][0] = a;
        pairs->items[pairs->count++][1] = b;
    }
    return true;
}

static bool compare_arrays(struct pairs *pairs, const yyjson_val *a, const yyjson_val *b)
{
    const yyjson_val *x = a + 1, *y = b + 1;
    for (size_t i = val_len(a); i > 0; i--, x = val_next(x), y = val_next(y))
        if (!compare_or_note(pairs, x, y))
            return false;
    return true;
}

/*
 * Equal numbers of members were checked before, and names are unique. So it is enough that every
 * member of a has an equal one in b.
 */
static bool compare_objects(struct pairs *pairs, const yyjson_val *a, const yyjson_val *b)
{
    struct lookup members = lookup_of(b);
    bool equal = true;
    const yyjson_val *key = a + 1;
    for (size_t i = val_len(a); equal && i > 0; i--, key = val_next(key + 1)) {
        const yyjson_val *other = lookup_find(&members, val_str(key));
        equal = other && compare_or_note(pairs, key + 1, other);
    }
    lookup_done(&members);
    return equal;
}

/* Takes pairs from the end of the array, so the order of comparison is not that of the text. */
bool val_equal(const yyjson_val *a, const yyjson_val *b, bool exact)
{
    if (!val_is_container(a))
        return compare_scalars(a, b, exact);
    struct pairs pairs = {.exact = exact};
    bool equal = compare_or_note(&pairs, a, b);
    while (equal && pairs.count) {
        const yyjson_val *const *pair = pairs.items[--pairs.count];
        equal = val_is_object(pair[0]) ? compare_objects(&pairs, pair[0], pair[1])
                                       : compare_arrays(&pairs, pair[0], pair[1]);
    }
    mem_free(pairs.items);
    return equal;
}

static bool equal_or_absent(const struct json_value *a, const struct json_value *b, bool exact)
{
    if (!a || !b)
        return a == b;
    return val_equal(json_to_yyjson(a), json_to_yyjson(b), exact);
}

bool json_equal(const struct json_value *a, const struct json_value *b)
{
    return equal_or_absent(a, b, false);
}

bool json_equal_exact(const struct json_value *a, const struct json_value *b)
{
    return equal_or_absent(a, b, true);
}

/* A container that is being written. keys is the sorted list of members, NULL for an array. */
struct level {
    const yyjson_val **keys;
    const yyjson_val *next; /* of an array */
    size_t index, count;
};

struct canonical {
    struct buf *buf;
    unsigned flags;
    struct level *levels;
    size_t depth, capacity;
};

static int compare_names(const void *a, const void *b)
{
    return str_cmp(val_str(*(const yyjson_val *const *)a), val_str(*(const yyjson_val *const *)b));
}

static void open_level(struct canonical *canonical, const yyjson_val *val)
{
    struct level level = {.next = val + 1, .count = val_len(val)};
    if (val_is_object(val)) {
        level.keys = mem_realloc_array(NULL, level.count, sizeof(*level.keys));
        const yyjson_val *key = val + 1;
        for (size_t i = 0; i < level.count; i++, key = val_next(key + 1))
            level.keys[i] = key;
        qsort(level.keys, level.count, sizeof(*level.keys), compare_names);
    }
    ARRAY_PUSH(canonical->levels, canonical->depth, canonical->capacity, level);
    buf_add_char(canonical->buf, level.keys ? '{' : '[');
}

static void close_level(struct canonical *canonical)
{
    const struct level *level = &canonical->levels[--canonical->depth];
    buf_add_char(canonical->buf, level->keys ? '}' : ']');
    mem_free(level->keys);
}

/* The next child, once comma and name are written. */
static const yyjson_val *next_child(struct canonical *canonical)
{
    struct level *level = &canonical->levels[canonical->depth - 1];
    if (level->index > 0)
        buf_add_char(canonical->buf, ',');
    if (level->keys) {
        const yyjson_val *key = level->keys[level->index++];
        write_string(canonical->buf, val_str(key), canonical->flags);
        buf_add_char(canonical->buf, ':');
        return key + 1;
    }
    const yyjson_val *val = level->next;
    level->next = val_next(val);
    level->index++;
    return val;
}

/*
 * Writes a value, then closes all containers that it completed, then goes on with the next child.
 */
static void write_canonical(struct buf *buf, const yyjson_val *val, unsigned flags)
{
    struct canonical canonical = {.buf = buf, .flags = flags};
    for (;;) {
        if (val_is_container(val) && val_len(val) > 0)
            open_level(&canonical, val);
        else
            write_scalar(buf, val, flags);
        while (canonical.depth && canonical.levels[canonical.depth - 1].index ==
                                      canonical.levels[canonical.depth - 1].count)
            close_level(&canonical);
        if (canonical.depth == 0)
            break;
        val = next_child(&canonical);
    }
    mem_free(canonical.levels);
}

void json_write_canonical(struct buf *buf, const struct json_value *value)
{
    if (value)
        write_canonical(buf, json_to_yyjson(value), 0);
}

void json_write_canonical_exact(struct buf *buf, const struct json_value *value)
{
    if (value)
        write_canonical(buf, json_to_yyjson(value), JSON_WRITE_NUMBERS_AS_READ);
}
