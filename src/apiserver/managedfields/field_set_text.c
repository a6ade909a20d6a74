/*
 * Sets and steps as text: FieldsV1, and paths in messages.
 *
 * FieldsV1 is an object whose member names are steps ("f:spec", "k:{"port":80}") and whose member
 * "." says that the node itself is in the set. Texts of keys and values are normalised when they
 * are read, so that steps can be compared by their bytes.
 */
#include "apiserver/managedfields/field_set.h"
#include "base/quote.h"
#include "json/compare.h"

/* A value as Go's %v shows it in a path. */
static void write_scalar(struct buf *out, const struct json_value *value)
{
    if (json_type(value) == JSON_STRING)
        str_quote_go(out, json_to_str(value));
    else
        json_write(out, value);
}

static void write_keys(struct buf *out, const struct json_value *keys)
{
    const struct json_value *value;
    bool first = true;
    JSON_FOREACH (name, value, keys) {
        buf_add(out, first ? STR("") : STR(","));
        buf_add(out, name);
        buf_add_char(out, '=');
        write_scalar(out, value);
        first = false;
    }
}

void field_step_write(struct buf *out, struct field_step step)
{
    if (step.kind == FIELD_STEP_MEMBER) {
        buf_add_char(out, '.');
        buf_add(out, step.text);
        return;
    }
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(step.text, &doc);
    buf_add_char(out, '[');
    if (err || step.kind == FIELD_STEP_INDEX) {
        buf_add(out, step.text);
    } else if (step.kind == FIELD_STEP_VALUE) {
        buf_add_char(out, '=');
        write_scalar(out, json_doc_root(doc));
    } else {
        write_keys(out, json_doc_root(doc));
    }
    buf_add_char(out, ']');
}

static struct error *unreadable(struct str key)
{
    return error_new(ERROR_INVALID, "not a path element: %.*s", STR_ARG(key));
}

/* The text of a key, a value or an index in the one form that equal ones share. */
static struct error *normalise(struct arena *arena, struct str key, struct field_step *step)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(step->text, &doc);
    const enum json_type type = json_type(err ? NULL : json_doc_root(doc));
    int64_t index;
    if (err || (step->kind == FIELD_STEP_KEY && type != JSON_OBJECT) ||
        (step->kind == FIELD_STEP_INDEX && !json_to_int64(json_doc_root(doc), &index)))
        return unreadable(key);
    SCOPED(buf) text = {.limit = 0};
    json_write_canonical(&text, json_doc_root(doc));
    step->text = arena_str(arena, buf_str(&text));
    return NULL;
}

/* The kind is 0 when it is none that we know. */
static struct error *read_step(struct arena *arena, struct str key, struct field_step *ret_step)
{
    if (key.len < 2 || key.ptr[1] != ':')
        return unreadable(key);
    struct field_step step = {str_skip(key, 2), key.ptr[0]};
    switch (step.kind) {
    case FIELD_STEP_KEY:
    case FIELD_STEP_VALUE:
    case FIELD_STEP_INDEX:
        TRY(normalise(arena, key, &step));
        break;
    case FIELD_STEP_MEMBER:
        break;
    default:
        step.kind = 0;
    }
    *ret_step = step;
    return NULL;
}

/* Adds what is below a node, and tells whether the node itself is meant. */
static struct error *read_below(struct field_set_builder *builder, const struct json_value *fields,
                                size_t depth, bool *ret_member)
{
    if (json_type(fields) != JSON_OBJECT)
        return error_new(ERROR_INVALID, "fields are %s instead of an object",
                         json_type_name(json_type(fields)));
    const size_t opened = field_set_open(builder);
    const struct json_value *value;
    bool self = false;
    JSON_FOREACH (key, value, fields) {
        struct field_step step = {.kind = 0};
        bool member = true;
        if (str_eq(key, STR("."))) {
            self = true;
            continue;
        }
        TRY(read_step(builder->arena, key, &step));
        if (!step.kind)
            continue;
        const size_t below = field_set_open(builder);
        if (depth + 1 < FIELD_DEPTH_MAX)
            TRY(read_below(builder, value, depth + 1, &member));
        field_set_close(builder, below, step, member);
    }
    *ret_member = self || field_set_open(builder) == opened;
    return NULL;
}

struct error *field_set_read(struct arena *arena, const struct json_value *fields,
                             struct field_set *ret_set)
{
    SCOPED(field_set_builder) builder = {.arena = arena};
    bool member;
    TRY(read_below(&builder, fields, 0, &member));
    *ret_set = field_set_finish(&builder, 0);
    return NULL;
}

/* A leaf is an empty object. A node with children says "." when it is a member itself. */
static void write_below(struct json_builder *builder, const struct field_set *set, struct buf *key)
{
    json_builder_object(builder);
    if (set->member && set->count) {
        json_builder_add_object(builder, ".");
        json_builder_end(builder);
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct field_set *child = &set->children[i];
        buf_clear(key);
        buf_add_char(key, child->step.kind);
        buf_add_char(key, ':');
        buf_add(key, child->step.text);
        json_builder_key(builder, buf_str(key));
        write_below(builder, child, key);
    }
    json_builder_end(builder);
}

void field_set_write(struct json_builder *builder, const struct field_set *set)
{
    SCOPED(buf) key = {.limit = 0};
    write_below(builder, set, &key);
}
