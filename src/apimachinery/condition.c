/*
 * Reading single conditions; condition_list.c changes lists of them.
 */
#include "apimachinery/condition.h"

#include "json/path.h"

static const struct str statuses[] = {
    [CONDITION_UNKNOWN] = STR_INIT("Unknown"),
    [CONDITION_TRUE] = STR_INIT("True"),
    [CONDITION_FALSE] = STR_INIT("False"),
};

struct str condition_status_text(enum condition_status status)
{
    return statuses[status];
}

/* Any text but "True" and "False" reads as CONDITION_UNKNOWN. */
enum condition_status condition_status_from(struct str text)
{
    if (str_eq(text, statuses[CONDITION_TRUE]))
        return CONDITION_TRUE;
    return str_eq(text, statuses[CONDITION_FALSE]) ? CONDITION_FALSE : CONDITION_UNKNOWN;
}

struct condition condition_from_value(const struct json_value *value)
{
    struct condition condition = {
        .type = json_path_str(value, "type"),
        .status = condition_status_from(json_path_str(value, "status")),
        .reason = json_path_str(value, "reason"),
        .message = json_path_str(value, "message"),
        .severity = json_path_str(value, "severity"),
        .last_transition_time = json_path_str(value, "lastTransitionTime"),
    };
    (void)json_to_int64(json_get(value, STR("observedGeneration")), &condition.observed_generation);
    return condition;
}

/* A list that is no array has no conditions. */
bool condition_find(const struct json_value *list, struct str type, struct condition *ret_condition)
{
    const struct json_value *value;
    if (json_type(list) != JSON_ARRAY)
        return false;
    JSON_FOREACH (key, value, list)
        if (str_eq(json_path_str(value, "type"), type)) {
            *ret_condition = condition_from_value(value);
            return true;
        }
    return false;
}

bool condition_is_true(const struct json_value *list, struct str type)
{
    struct condition condition;
    return condition_find(list, type, &condition) && condition.status == CONDITION_TRUE;
}
