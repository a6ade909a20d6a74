#include "framework/framework_config.h"

/* One setting: the controller's own, or the common one. */
static struct error *find(const struct json_value *own, const struct json_value *common,
                          struct str key, struct str fallback, struct str *ret_value)
{
    const struct json_value *value = json_get(own, key);
    if (!value)
        value = json_get(common, key);
    if (value && json_type(value) != JSON_STRING)
        return error_new(ERROR_INVALID, "setting %.*s is no text", STR_ARG(key));
    *ret_value = value ? json_to_str(value) : fallback;
    return NULL;
}

static struct error *read_workers(struct str text, size_t *ret_workers)
{
    int64_t number;
    if (!str_to_int64(text, &number) || number < 1)
        return error_new(ERROR_INVALID, "max-concurrent-reconciliation is no number above 0: %.*s",
                         STR_ARG(text));
    *ret_workers = (size_t)number;
    return NULL;
}

static struct error *read_bool(struct str key, struct str text, bool *ret_truth)
{
    *ret_truth = str_eq(text, STR("true"));
    if (!*ret_truth && !str_eq(text, STR("false")))
        return error_new(ERROR_INVALID, "%.*s is neither true nor false: %.*s", STR_ARG(key),
                         STR_ARG(text));
    return NULL;
}

struct error *framework_config_read(const struct json_value *own, const struct json_value *common,
                                    struct str controller, struct framework_config *ret_config)
{
    SCOPED(arena) arena = {0};
    struct framework_config config = {0};
    struct str workers = {0}, disabled = {0};
    const struct str disabled_key =
        arena_print(&arena, "%.*s-controller-disabled", STR_ARG(controller));
    TRY(find(own, common, STR("classname"), STR(""), &config.class_name));
    TRY(find(own, common, STR("max-concurrent-reconciliation"), STR("1"), &workers));
    TRY(find(own, common, disabled_key, STR("false"), &disabled));
    TRY(read_workers(workers, &config.workers));
    TRY(read_bool(disabled_key, disabled, &config.is_disabled));
    *ret_config = config;
    return NULL;
}
