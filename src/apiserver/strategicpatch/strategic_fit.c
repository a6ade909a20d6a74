#include "apiserver/strategicpatch/strategic_fit.h"

#include <stdlib.h>

#include "apimachinery/quantity.h"
#include "apiserver/strategicpatch/strategic_print.h"
#include "apiserver/types/strategic_types.h"
#include "base/base64.h"
#include "base/duration.h"
#include "base/memory.h"
#include "base/timestamp.h"

/* A container that is being checked. */
struct level {
    struct json_iter iter;
    const struct strategic_type *type;   /* of an object's members */
    const struct strategic_field *field; /* of elements and of a map's values; NULL with a type */
    size_t path_len;
};

struct fit {
    struct level *levels;
    size_t depth, capacity;
    struct buf path;
    struct json_warnings *warnings;
};

static void fit_done(struct fit *fit)
{
    mem_free(fit->levels);
    buf_done(&fit->path);
}

static void enter(struct fit *fit, const struct json_value *value,
                  const struct strategic_type *type, const struct strategic_field *field)
{
    if (fit->depth == fit->capacity) {
        fit->capacity = fit->capacity ? 2 * fit->capacity : 16;
        fit->levels = mem_realloc_array(fit->levels, fit->capacity, sizeof(*fit->levels));
    }
    fit->levels[fit->depth++] = (struct level){
        .iter.container = value,
        .type = type,
        .field = field,
        .path_len = fit->path.len,
    };
}

static struct error *misfit(const char *words, const char *kind)
{
    return error_new(ERROR_INVALID, "%s%s", words, kind);
}

/* A whole number may stand where a string is wanted, as far as Go's conversions go; then refused.
 */
static struct error *fit_string(enum go_type type)
{
    if (type == GO_INT)
        return misfit("cannot convert int64 to ", "string");
    return type == GO_STRING ? NULL : misfit("unrecognized type: ", "string");
}

static struct error *fit_int(const struct json_value *value, enum go_type type, const char *kind)
{
    int64_t number;
    if (type == GO_INT)
        return NULL;
    if (type != GO_FLOAT)
        return misfit("unrecognized type: ", kind);
    return json_to_int64(value, &number) ? NULL : misfit("cannot convert float64 to ", kind);
}

static struct error *fit_bytes(const struct json_value *value, enum go_type type)
{
    SCOPED(buf) bytes = {.secret = true};
    if (type == GO_SLICE)
        return NULL;
    if (type != GO_STRING)
        return misfit("cannot restore slice from ", go_kind_name(type));
    struct error *err = base64_decode(&bytes, json_to_str(value));
    return err ? error_wrap(err, "error decoding from json") : NULL;
}

/* Types that read themselves from text. */
static struct error *fit_text(const struct json_value *value, enum go_type type,
                              const struct strategic_field *field)
{
    const struct str text = json_to_str(value);
    struct quantity quantity;
    timestamp time;
    duration span;
    if (field->kind == QUANTITY && type == GO_STRING)
        return quantity_read(text, &quantity);
    if (field->kind == QUANTITY)
        return type == GO_INT || type == GO_FLOAT ? NULL
                                                  : misfit("unrecognized type: ", "Quantity");
    if (type != GO_STRING)
        return misfit("unrecognized type: ", "string");
    if (field->kind == TIME         ? timestamp_read(text, &time)
        : field->kind == MICRO_TIME ? timestamp_read_micro(text, &time)
                                    : duration_read(text, &span))
        return NULL;
    return error_new(ERROR_INVALID, "\"%.*s\" is no %s", STR_ARG(text),
                     field->kind == DURATION ? "duration" : "time");
}

static struct error *fit_scalar(const struct json_value *value, enum go_type type,
                                const struct strategic_field *field)
{
    switch ((enum field_kind)field->kind) {
    case STRING:
        return fit_string(type);
    case BOOL:
        return type == GO_BOOL ? NULL : misfit("unrecognized type: ", "bool");
    case INT32:
        return fit_int(value, type, "int32");
    case INT64:
        return fit_int(value, type, "int64");
    case DOUBLE:
        return type == GO_INT || type == GO_FLOAT ? NULL : misfit("unrecognized type: ", "float64");
    case BYTES:
        return fit_bytes(value, type);
    case STRINGS:
        return type == GO_SLICE ? NULL : misfit("cannot restore slice from ", go_kind_name(type));
    case INT_OR_STRING:
        return type == GO_INT ? NULL : fit_string(type);
    case QUANTITY:
    case TIME:
    case MICRO_TIME:
    case DURATION:
        return fit_text(value, type, field);
    case ANY:
    case MESSAGE:
        break;
    }
    return NULL;
}

/* Checks one value, or enters it. An element is one of a list's or a map's. */
static struct error *fit_value(struct fit *fit, const struct json_value *value,
                               const struct strategic_field *field, bool is_element)
{
    const enum go_type type = go_type(value);
    const unsigned shape = is_element ? 0 : field->flags & (LIST | MAP);
    if (type == GO_NIL)
        return NULL;
    if (shape == LIST && type != GO_SLICE)
        return misfit("cannot restore slice from ", go_kind_name(type));
    if (shape == MAP && type != GO_MAP)
        return misfit("cannot restore map from ", go_kind_name(type));
    if (shape) {
        enter(fit, value, NULL, field);
        return NULL;
    }
    if (field->kind != MESSAGE)
        return fit_scalar(value, type, field);
    if (type != GO_MAP)
        return misfit("cannot restore struct from: ", go_kind_name(type));
    enter(fit, value, field->type, NULL);
    return NULL;
}

static void warn_unknown(struct fit *fit)
{
    SCOPED(buf) text = {.limit = 0};
    if (!fit->warnings)
        return;
    buf_print(&text, "unknown field \"%.*s\"", STR_ARG(buf_str(&fit->path)));
    json_warn(fit->warnings, buf_str(&text));
}

static struct error *fit_step(struct fit *fit)
{
    struct level *level = &fit->levels[fit->depth - 1];
    const struct json_value *value;
    const size_t index = level->iter.index;
    struct str key;
    buf_truncate(&fit->path, level->path_len);
    if (!json_next(&level->iter, &key, &value)) {
        fit->depth--;
        return NULL;
    }
    if (level->field) { /* keys of a map are no part of the path, as upstream */
        if (level->field->flags & LIST)
            buf_print(&fit->path, "[%zu]", index);
        return fit_value(fit, value, level->field, true);
    }
    const struct strategic_field *field = strategic_type_field(level->type, key);
    buf_print(&fit->path, "%s%.*s", fit->path.len ? "." : "", STR_ARG(key));
    if (field)
        return fit_value(fit, value, field, false);
    warn_unknown(fit);
    return NULL;
}

static int cmp_warnings(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

struct error *strategic_fit(const struct strategic_type *type, const struct json_value *object,
                            struct json_warnings *warnings)
{
    SCOPED(fit) fit = {.warnings = warnings};
    if (json_type(object) != JSON_OBJECT)
        return misfit("cannot restore struct from: ", go_kind_name(go_type(object)));
    enter(&fit, object, type, NULL);
    while (fit.depth > 0)
        TRY(fit_step(&fit));
    if (warnings && warnings->count > 1)
        qsort(warnings->items, warnings->count, sizeof(*warnings->items), cmp_warnings);
    return NULL;
}
