/*
 * Applies rows to objects: one function per form of row. A row for an absent member does nothing,
 * except RULE_REQUIRED.
 */
#include "apimachinery/metadata_validation.h"
#include "apiserver/registry/validation/kind_validate_internal.h"

/* Whether a value counts as absent for RULE_REQUIRED. A boolean never does. */
static bool is_missing(const struct json_value *value)
{
    int64_t number;
    switch (json_type(value)) {
    case JSON_ABSENT:
    case JSON_NULL:
        return true;
    case JSON_STRING:
        return json_to_str(value).len == 0;
    case JSON_NUMBER:
        return json_to_int64(value, &number) && number == 0;
    case JSON_ARRAY:
    case JSON_OBJECT:
        return json_count(value) == 0;
    case JSON_BOOL:
        break;
    }
    return false;
}

/* The three forms of limits, with the messages of upstream. */
static void check_number(struct kind_validator *v, const struct rule_row *row, struct str path,
                         const struct json_value *value)
{
    const long long low = row->low, high = row->high;
    struct str words;
    int64_t number;
    if (!json_to_int64(value, &number))
        return;
    if (row->form == RULE_RANGE && (number < low || number > high))
        words = arena_print(v->arena, "must be between %lld and %lld, inclusive", low, high);
    else if (row->form == RULE_AT_LEAST && number < low)
        words = arena_print(v->arena, "must be greater than or equal to %lld", low);
    else if (row->form == RULE_ABOVE && number <= low)
        words = arena_print(v->arena, "must be greater than %lld", low);
    else
        return;
    field_invalid(v, path, row->member, value, words.ptr);
}

/* Checks one text at its path. */
static void check_each(struct kind_validator *v, const struct rule_row *row, struct str path,
                       struct str value)
{
    if (row->form == RULE_ONE_OF)
        field_one_of(v, path, NULL, value, row->text);
    else
        field_syntax(v, path, NULL, value, row->syntax(value));
}

/* Whether an empty text is absent. One that Go has a pointer to was given, and is no such value. */
static bool is_absent(const struct kind_validator *v, const struct rule_row *row)
{
    const struct go_field *field = go_type_field(v->last_type, str_from_c(row->member));
    return row->form != RULE_ONE_OF || !field || !(field->flags & GO_POINTER);
}

/* Checks a text, or each text of a list. */
static void check_texts(struct kind_validator *v, const struct rule_row *row, struct str path,
                        const struct json_value *value)
{
    const struct str place = field_path(v, path, row->member);
    const struct json_value *one;
    size_t index = 0;
    if (json_type(value) == JSON_STRING && (json_to_str(value).len > 0 || !is_absent(v, row)))
        check_each(v, row, place, json_to_str(value));
    if (json_type(value) != JSON_ARRAY)
        return;
    JSON_FOREACH (key, one, value)
        check_each(v, row, field_path_index(v, place, index++), json_to_str(one));
}

/* Elements without the member, or with an empty one, are not compared. */
static void check_unique(struct kind_validator *v, const struct rule_row *row, struct str path,
                         const struct json_value *list)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str place = field_path(v, path, row->member);
    const struct json_value *one;
    size_t index = 0;
    JSON_FOREACH (key, one, list) {
        const struct str name = json_path_str(one, row->text);
        const struct str item = field_path_index(v, place, index++);
        if (name.len > 0)
            (void)field_unique(v, &seen, item, row->text, name);
    }
}

void rule_apply(struct kind_validator *v, const struct rule_row *row,
                const struct json_value *object, struct str path)
{
    const struct json_value *value = row->member ? json_path(object, row->member) : object;
    if (!value && row->form != RULE_REQUIRED)
        return;
    switch (row->form) {
    case RULE_REQUIRED:
        if (is_missing(value))
            field_required(v, path, row->member, row->text);
        break;
    case RULE_RANGE:
    case RULE_AT_LEAST:
    case RULE_ABOVE:
        check_number(v, row, path, value);
        break;
    case RULE_ONE_OF:
    case RULE_SYNTAX:
        check_texts(v, row, path, value);
        break;
    case RULE_LABELS:
        metadata_check_labels(v->errors, field_path(v, path, row->member), value);
        break;
    case RULE_UNIQUE:
        check_unique(v, row, path, value);
        break;
    case RULE_OBJECT:
        row->check(v, object, path);
        break;
    }
}
