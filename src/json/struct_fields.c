/*
 * Reads structs by table; see struct_fields.h. Errors collect the path from the inside out, by the
 * context that TRY() adds on each level.
 */
#include "json/struct_fields.h"

#include "json/path.h"

struct error *json_wrong_type(const struct json_value *value, enum json_type expected)
{
    return error_new(ERROR_INVALID, "expected %s, found %s", json_type_name(expected),
                     json_type_name(json_type(value)));
}

static struct error *check_type(const struct json_value *value, enum json_type expected)
{
    return json_type(value) == expected ? NULL : json_wrong_type(value, expected);
}

/* Null counts as absent. An absent optional field leaves the struct member unchanged. */
static struct error *read_field(struct arena *arena, const struct json_value *value,
                                const struct json_field *field, void *out)
{
    const struct json_value *found = json_path(value, field->path);
    const enum json_type type = json_type(found);
    if (type != JSON_ABSENT && type != JSON_NULL)
        return field->read(arena, found, (char *)out + field->offset);
    if (field->presence == JSON_OPTIONAL)
        return NULL;
    return error_new(ERROR_INVALID, "required, but %s", json_type_name(type));
}

/* Fields are read in the order of the table, so the first error is that of the first row. */
struct error *json_read_fields(struct arena *arena, const struct json_value *value,
                               const struct json_field *fields, size_t count, void *out)
{
    TRY(check_type(value, JSON_OBJECT));
    for (size_t i = 0; i < count; i++)
        TRY(read_field(arena, value, &fields[i], out), "%s", fields[i].path);
    return NULL;
}

struct error *json_read_str(struct arena *arena, const struct json_value *value, void *out)
{
    (void)arena;
    TRY(check_type(value, JSON_STRING));
    *(struct str *)out = json_to_str(value); /* NOLINT(clang-analyzer-core.NullDereference) */
    return NULL;
}

struct error *json_read_bool(struct arena *arena, const struct json_value *value, void *out)
{
    (void)arena;
    TRY(check_type(value, JSON_BOOL));
    (void)json_to_bool(value, out);
    return NULL;
}

struct error *json_read_any(struct arena *arena, const struct json_value *value, void *out)
{
    (void)arena;
    *(const struct json_value **)out = value;
    return NULL;
}

struct error *json_read_object(struct arena *arena, const struct json_value *value, void *out)
{
    TRY(check_type(value, JSON_OBJECT));
    return json_read_any(arena, value, out);
}

struct error *json_read_array(struct arena *arena, const struct json_value *value, void *out)
{
    TRY(check_type(value, JSON_ARRAY));
    return json_read_any(arena, value, out);
}

/* Allocates one item per element. The number of elements is input, so this may fail. */
static struct error *alloc_items(struct arena *arena, const struct json_value *value, size_t size,
                                 void **ret_items)
{
    size_t total;
    TRY(check_type(value, JSON_ARRAY));
    if (!__builtin_mul_overflow(json_count(value), size, &total))
        *ret_items = arena_try_alloc(arena, total);
    if (!*ret_items)
        return error_new(ERROR_TOO_LARGE, "too many elements");
    return NULL;
}

struct error *json_read_strings(struct arena *arena, const struct json_value *value, void *out)
{
    struct json_strings *strings = out;
    const struct json_value *element;
    void *items = NULL;
    size_t count = 0;
    TRY(alloc_items(arena, value, sizeof(struct str), &items));
    JSON_FOREACH (key, element, value) {
        (void)key;
        TRY(json_read_str(arena, element, (struct str *)items + count), "%zu", count);
        count++;
    }
    *strings = (struct json_strings){.items = items, .count = count};
    return NULL;
}

/* Every struct starts zeroed, as arena memory is. */
/* NOLINTNEXTLINE(readability-function-size): a table and its length, a result and its length */
struct error *json_read_list(struct arena *arena, const struct json_value *value,
                             const struct json_field *fields, size_t count, size_t size,
                             void **ret_items, size_t *ret_count)
{
    const struct json_value *element;
    void *items = NULL;
    size_t done = 0;
    TRY(alloc_items(arena, value, size, &items));
    JSON_FOREACH (key, element, value) {
        (void)key;
        TRY(json_read_fields(arena, element, fields, count, (char *)items + done * size), "%zu",
            done);
        done++;
    }
    *ret_items = items;
    *ret_count = done;
    return NULL;
}
