#include "clusterresourceset/types/values.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/sha256.h"
#include "json/pointer.h"

void values_done(struct values *values)
{
    arena_done(&values->arena);
    *values = (struct values){0};
}

static void add_name(struct values *names, enum value_source source, struct str key)
{
    if (names->count >= VALUES_COUNT_MAX || values_find(names, source, key))
        return;
    const struct value name = {.source = source, .key = arena_str(&names->arena, key)};
    ARENA_ARRAY_PUSH(&names->arena, names->items, names->count, names->capacity, name);
}

void values_add(struct values *names, const struct value_token *token)
{
    add_name(names, token->source, token->key);
}

void values_add_all(struct values *names, const struct values *more)
{
    for (size_t i = 0; i < more->count; i++)
        add_name(names, more->items[i].source, more->items[i].key);
}

static int compare_names(const void *a, const void *b)
{
    const struct value *left = a, *right = b;
    return left->source != right->source ? (int)left->source - (int)right->source
                                         : str_cmp(left->key, right->key);
}

void values_sort(struct values *names)
{
    if (names->count)
        qsort(names->items, names->count, sizeof(*names->items), compare_names);
}

bool values_need_cluster(const struct values *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].source == VALUE_ANNOTATION || names->items[i].source == VALUE_FIELD)
            return true;
    return false;
}

bool values_cover(const struct values *values, const struct values *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (!values_find(values, names->items[i].source, names->items[i].key))
            return false;
    return true;
}

const struct value *values_find(const struct values *values, enum value_source source,
                                struct str key)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i].source == source && str_eq(values->items[i].key, key))
            return &values->items[i];
    return NULL;
}

static const struct json_value *find_value(const struct object *cluster, const struct value *name)
{
    const struct json_value *metadata = object_metadata(cluster);
    switch (name->source) {
    case VALUE_NAME:
        return json_get(metadata, STR("name"));
    case VALUE_NAMESPACE:
        return json_get(metadata, STR("namespace"));
    case VALUE_LABEL:
        return json_get(object_labels(cluster), name->key);
    case VALUE_ANNOTATION:
        return json_get(object_annotations(cluster), name->key);
    case VALUE_FIELD:
        return json_pointer_find(object_root(cluster), name->key);
    }
    return NULL;
}

/* What there is of a value; its text is written only if it can be used. */
static enum value_problem write_text(const struct json_value *found, struct buf *text)
{
    switch (json_type(found)) {
    case JSON_ABSENT:
    case JSON_NULL:
        return VALUE_MISSING;
    case JSON_OBJECT:
    case JSON_ARRAY:
        return VALUE_NO_SCALAR;
    case JSON_STRING:
        buf_add(text, json_to_str(found));
        break;
    default:
        json_write(text, found);
    }
    return text->overflowed ? VALUE_TOO_LONG : VALUE_OK;
}

void values_read(const struct values *names, const struct object *cluster,
                 struct values *ret_values)
{
    size_t total = 0;
    values_add_all(ret_values, names);
    for (size_t i = 0; i < ret_values->count; i++) {
        struct value *value = &ret_values->items[i];
        SCOPED(buf) text = {.limit = VALUES_TEXT_MAX};
        value->problem = write_text(find_value(cluster, value), &text);
        if (value->problem)
            continue;
        total += text.len;
        if (total > VALUES_TOTAL_MAX)
            value->problem = VALUE_TOO_MUCH;
        else
            value->text = arena_str(&ret_values->arena, buf_str(&text));
    }
}

/* Lengths stand in front of texts, so that no text can be taken for another one. */
struct str values_digest(const struct values *values, const struct values *names,
                         char text[static VALUES_DIGEST_LEN + 1])
{
    SCOPED(buf) lines = {.limit = 0};
    for (size_t i = 0; i < names->count; i++) {
        const struct value *name = &names->items[i];
        const struct value *value = values_find(values, name->source, name->key);
        const struct str found = value ? value->text : STR("");
        buf_print(&lines, "%s %zu:", value_source_name(name->source), name->key.len);
        buf_add(&lines, name->key);
        buf_print(&lines, " %d %zu:", value ? (int)value->problem : -1, found.len);
        buf_add(&lines, found);
        buf_add_char(&lines, '\n');
    }
    return sha256_start(buf_str(&lines), VALUES_DIGEST_LEN, text);
}
