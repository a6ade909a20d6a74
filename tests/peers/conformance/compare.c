#include "peers/conformance/compare.h"

#include <stdlib.h>

#include "base/buf.h"
#include "json/compare.h"
#include "json/path.h"
#include "peers/conformance/compare_internal.h"
#include "peers/conformance/wording.h"

static bool is_empty(const struct json_value *value)
{
    return json_type(value) == JSON_STRING ? !json_to_str(value).len : !json_count(value);
}

static bool can_be_empty(enum json_type type)
{
    return type == JSON_STRING || type == JSON_ARRAY || type == JSON_OBJECT;
}

static void compare_loosely(struct comparison *comparison, const struct json_value *recorded,
                            const struct json_value *actual)
{
    if (can_be_empty(json_type(recorded)) && !is_empty(recorded) && is_empty(actual))
        COMPARE_DIFFERS(comparison, "expected something like %.*s, got %.*s",
                        STR_ARG(difference_show(comparison->arena, recorded)),
                        STR_ARG(difference_show(comparison->arena, actual)));
}

/* An element of an array that may come in any order, with what it is sorted by. */
struct element {
    struct str key;
    const struct json_value *value;
};

static int compare_elements(const void *a, const void *b)
{
    return str_cmp(((const struct element *)a)->key, ((const struct element *)b)->key);
}

static struct element *elements_of(struct comparison *comparison, const struct json_value *array,
                                   bool any_order)
{
    struct arena *arena = comparison->arena;
    struct element *elements = arena_alloc_array(arena, json_count(array) + 1, sizeof(*elements));
    const struct json_value *value;
    size_t count = 0;
    JSON_FOREACH (key, value, array) {
        SCOPED(buf) text = {0};
        if (any_order)
            json_write_canonical(&text, value);
        elements[count++] = (struct element){wording_mask_moving(arena, buf_str(&text)), value};
    }
    if (any_order)
        qsort(elements, count, sizeof(*elements), compare_elements);
    return elements;
}

static bool is_unordered(const struct comparison *comparison)
{
    if (compare_is_covered(comparison, &comparison->exchange->unordered))
        return true;
    return comparison->causes_in_any_order && str_eq(compare_token(comparison, 0), STR("causes")) &&
           str_eq(compare_token(comparison, 1), STR("details"));
}

void compare_array(struct comparison *comparison, const struct json_value *recorded,
                   const struct json_value *actual)
{
    const size_t count = json_count(recorded);
    if (json_count(actual) != count) {
        COMPARE_DIFFERS(comparison, "expected %zu elements %.*s\n          got %zu %.*s", count,
                        STR_ARG(difference_show_elements(comparison->arena, recorded)),
                        json_count(actual),
                        STR_ARG(difference_show_elements(comparison->arena, actual)));
        return;
    }
    const bool any_order = is_unordered(comparison);
    const struct element *was = elements_of(comparison, recorded, any_order);
    const struct element *is = elements_of(comparison, actual, any_order);
    for (size_t i = 0; i < count; i++)
        if (compare_enter_index(comparison, i)) {
            compare_values(comparison, was[i].value, is[i].value);
            compare_leave(comparison);
        }
}

static bool is_in_list(const struct comparison *comparison)
{
    return str_eq(compare_token(comparison, 2), STR("items"));
}

/* One side has it, the other has not. */
static void compare_absence(struct comparison *comparison, const struct compare_member *member)
{
    const struct json_value *value = member->recorded ? member->recorded : member->actual;
    const bool type = str_eq(member->name, STR("kind")) || str_eq(member->name, STR("apiVersion"));
    if (!value || json_type(value) == JSON_NULL || (type && is_in_list(comparison)))
        return;
    if (!compare_is_covered(comparison, &comparison->exchange->lenient))
        COMPARE_DIFFERS(comparison, "%s: %.*s", member->recorded ? "missing" : "unexpected",
                        STR_ARG(difference_show(comparison->arena, value)));
}

/* Rows of a table that has none. */
static bool are_no_rows(const struct compare_member *member)
{
    return str_eq(member->name, STR("rows")) && member->recorded && member->actual &&
           (json_type(member->recorded) == JSON_NULL || json_type(member->actual) == JSON_NULL) &&
           json_count(member->recorded) == 0 && json_count(member->actual) == 0;
}

/* An entry of managedFields may have a time or not. */
static const struct json_value *without_time(const struct json_value *value)
{
    struct wording_time time;
    return wording_is_time(json_to_str(value), &time) ? NULL : value;
}

static void compare_present(struct comparison *comparison, const struct compare_member *member)
{
    if (str_eq(member->name, STR("metadata"))) {
        const struct str kind = json_path_str(member->recorded_owner, "kind");
        comparison->owner_kind = kind.len ? kind : comparison->item_kind;
    }
    const bool loose = compare_is_covered(comparison, &comparison->exchange->loose);
    if (loose || !compare_special(comparison, member))
        compare_values(comparison, member->recorded, member->actual);
}

static void compare_entered(struct comparison *comparison, struct compare_member member)
{
    const bool in_metadata = str_eq(compare_token(comparison, 1), STR("metadata"));
    const struct str entries = STR("managedFields");
    if (str_eq(member.name, STR("storageVersionHash")))
        return;
    if (in_metadata && str_eq(member.name, STR("selfLink")))
        return;
    if (in_metadata && str_eq(member.name, entries)) {
        if (comparison->managed_fields)
            compare_managed_fields(comparison, member.recorded, member.actual);
        return;
    }
    if (str_eq(member.name, STR("time")) && str_eq(compare_token(comparison, 2), entries)) {
        member.recorded = without_time(member.recorded);
        member.actual = without_time(member.actual);
    }
    if (!member.recorded || !member.actual)
        compare_absence(comparison, &member);
    else if (!are_no_rows(&member))
        compare_present(comparison, &member);
}

void compare_member(struct comparison *comparison, const struct compare_member *member)
{
    if (!compare_enter(comparison, member->name))
        return;
    compare_entered(comparison, *member);
    compare_leave(comparison);
}

/* What holds below an object, until the walk comes back out of it. */
static void look_at_object(struct comparison *comparison, const struct json_value *recorded)
{
    const struct str kind = json_path_str(recorded, "kind");
    const struct str reason = json_path_str(recorded, "reason");
    if (str_eq(kind, STR("Table")) && json_count(json_get(recorded, STR("columnDefinitions"))))
        comparison->columns = json_get(recorded, STR("columnDefinitions"));
    if (str_eq(kind, STR("Status")))
        comparison->causes_in_any_order =
            str_eq(reason, STR("Invalid")) || str_eq(reason, STR("Conflict"));
    if (str_ends_with(kind, STR("List")) && json_get(recorded, STR("items")))
        comparison->item_kind = str_slice(kind, 0, kind.len - STR("List").len);
}

/* Members are found by name; uids in names (managedFields have them) are those of either side. */
static void compare_object(struct comparison *comparison, const struct json_value *recorded,
                           const struct json_value *actual)
{
    const bool causes = comparison->causes_in_any_order;
    const struct str item_kind = comparison->item_kind;
    struct compare_member member = {.recorded_owner = recorded, .actual_owner = actual};
    look_at_object(comparison, recorded);
    JSON_FOREACH (was, member.recorded, recorded) {
        member.name = was;
        member.actual =
            json_get(actual, binding_to_actual(comparison->binding, comparison->arena, was));
        compare_member(comparison, &member);
    }
    member.recorded = NULL;
    JSON_FOREACH (is, member.actual, actual) {
        member.name = is;
        if (!json_get(recorded, binding_to_recorded(comparison->binding, comparison->arena, is)))
            compare_member(comparison, &member);
    }
    comparison->causes_in_any_order = causes;
    comparison->item_kind = item_kind;
}

static void compare_scalars(struct comparison *comparison, const struct json_value *recorded,
                            const struct json_value *actual)
{
    if (!json_equal(recorded, actual))
        COMPARE_DIFFERS(comparison, "expected %.*s, got %.*s",
                        STR_ARG(difference_show(comparison->arena, recorded)),
                        STR_ARG(difference_show(comparison->arena, actual)));
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by COMPARE_DEPTH_MAX */
void compare_values(struct comparison *comparison, const struct json_value *recorded,
                    const struct json_value *actual)
{
    const enum json_type type = json_type(recorded);
    if (type != json_type(actual)) {
        const bool none = json_type(actual) == JSON_NULL;
        if (!none || !compare_is_covered(comparison, &comparison->exchange->lenient))
            COMPARE_DIFFERS(comparison, "expected %s: %.*s\n          got %s: %.*s",
                            json_type_name(type),
                            STR_ARG(difference_show(comparison->arena, recorded)),
                            json_type_name(json_type(actual)),
                            STR_ARG(difference_show(comparison->arena, actual)));
    } else if (compare_is_covered(comparison, &comparison->exchange->loose)) {
        compare_loosely(comparison, recorded, actual);
    } else if (type == JSON_OBJECT) {
        compare_object(comparison, recorded, actual);
    } else if (type == JSON_ARRAY) {
        compare_array(comparison, recorded, actual);
    } else if (type == JSON_STRING) {
        compare_strings(comparison, json_to_str(recorded), json_to_str(actual));
    } else {
        compare_scalars(comparison, recorded, actual);
    }
}
