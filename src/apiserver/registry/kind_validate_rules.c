/*
 * The forms of rows.
 */
#include "apimachinery/metadata_validation.h"
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_validate_internal.h"
#include "base/map.h"

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

static void check_number(struct judge *judge, const struct rule_row *row, struct str path,
                         const struct json_value *value)
{
    const long long low = row->low, high = row->high;
    struct str words;
    int64_t number;
    if (!json_to_int64(value, &number))
        return;
    if (row->form == RULE_RANGE && (number < low || number > high))
        words = arena_print(judge->arena, "must be between %lld and %lld, inclusive", low, high);
    else if (row->form == RULE_AT_LEAST && number < low)
        words = arena_print(judge->arena, "must be greater than or equal to %lld", low);
    else if (row->form == RULE_ABOVE && number <= low)
        words = arena_print(judge->arena, "must be greater than %lld", low);
    else
        return;
    judge_invalid(judge, path, row->member, value, words.ptr);
}

/* A text, or each of a list. */
static void check_each(struct judge *judge, const struct rule_row *row, struct str path,
                       struct str value)
{
    if (row->form == RULE_ONE_OF)
        judge_one_of(judge, path, NULL, value, row->text);
    else
        judge_syntax(judge, path, NULL, value, row->syntax(value));
}

static void check_texts(struct judge *judge, const struct rule_row *row, struct str path,
                        const struct json_value *value)
{
    const struct str place = judge_path(judge, path, row->member);
    const struct json_value *one;
    size_t index = 0;
    if (json_type(value) == JSON_STRING && json_to_str(value).len > 0)
        check_each(judge, row, place, json_to_str(value));
    if (json_type(value) != JSON_ARRAY)
        return;
    JSON_FOREACH (key, one, value)
        check_each(judge, row, judge_item(judge, place, index++), json_to_str(one));
}

static void check_unique(struct judge *judge, const struct rule_row *row, struct str path,
                         const struct json_value *list)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str place = judge_path(judge, path, row->member);
    const struct json_value *one;
    size_t index = 0;
    JSON_FOREACH (key, one, list) {
        const struct str name = json_path_str(one, row->text);
        const struct str item = judge_item(judge, place, index++);
        if (name.len == 0)
            continue;
        if (map_has(&seen, name))
            field_errors_add_str(judge->errors, FIELD_DUPLICATE, judge_path(judge, item, row->text),
                                 name, STR(""));
        else
            map_put(&seen, name, NULL);
    }
}

static void check_amounts(struct judge *judge, const struct rule_row *row, struct str path,
                          const struct json_value *map)
{
    const struct str place = judge_path(judge, path, row->member);
    const struct json_value *one;
    JSON_FOREACH (key, one, map) {
        struct quantity quantity;
        struct error *err = quantity_read(json_to_str(one), &quantity);
        if (err) {
            error_free(err); /* was decoded */
            continue;
        }
        if (quantity_sign(&quantity) < 0)
            judge_invalid(judge, judge_key(judge, place, key), NULL, one,
                          "must be greater than or equal to 0");
    }
}

void rule_apply(struct judge *judge, const struct rule_row *row, const struct json_value *object,
                struct str path)
{
    const struct json_value *value = row->member ? json_path(object, row->member) : object;
    if (!value && row->form != RULE_REQUIRED)
        return;
    switch (row->form) {
    case RULE_REQUIRED:
        if (is_missing(value))
            judge_required(judge, path, row->member, row->text);
        break;
    case RULE_RANGE:
    case RULE_AT_LEAST:
    case RULE_ABOVE:
        check_number(judge, row, path, value);
        break;
    case RULE_ONE_OF:
    case RULE_SYNTAX:
        check_texts(judge, row, path, value);
        break;
    case RULE_LABELS:
        metadata_check_labels(judge->errors, judge_path(judge, path, row->member), value);
        break;
    case RULE_UNIQUE:
        check_unique(judge, row, path, value);
        break;
    case RULE_AMOUNTS:
        check_amounts(judge, row, path, value);
        break;
    case RULE_OBJECT:
        row->judge(judge, object, path);
        break;
    }
}
