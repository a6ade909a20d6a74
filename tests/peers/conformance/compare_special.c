/* Members with rules of their own: metadata of objects, cells of tables, managedFields. */
#include <stdlib.h>

#include "json/path.h"
#include "peers/conformance/compare_internal.h"
#include "peers/conformance/wording.h"

/* What the server keeps of a generateName. */
#define GENERATE_NAME_MAX 58

/* Controllers write these, too, so their versions are not in our hands. */
static bool is_shared_kind(struct str kind)
{
    return str_eq(kind, STR("CustomResourceDefinition")) || str_eq(kind, STR("Namespace")) ||
           str_eq(kind, STR("APIService"));
}

static bool compare_version(struct comparison *comparison, const struct compare_member *member)
{
    struct arena *arena = comparison->arena;
    const struct str was = json_to_str(member->recorded), is = json_to_str(member->actual);
    int64_t recorded, actual;
    if (json_type(member->actual) != JSON_STRING || !wording_is_decimal(is) ||
        !str_to_int64(is, &actual)) {
        if (!str_eq(was, is))
            COMPARE_DIFFERS(comparison, "expected a decimal number in a string, got %.*s",
                            STR_ARG(difference_show(arena, member->actual)));
        return true;
    }
    if (!wording_is_decimal(was) || !str_to_int64(was, &recorded)) {
        COMPARE_DIFFERS(comparison, "expected %.*s, got %.*s",
                        STR_ARG(difference_show(arena, member->recorded)),
                        STR_ARG(difference_show(arena, member->actual)));
        return true;
    }
    /* Lists and bookmarks have no uid; what their versions have to be is said by relations. */
    if (!json_get(member->recorded_owner, STR("uid")) || comparison->exchange->needs_controllers ||
        is_shared_kind(comparison->owner_kind))
        return true;
    const struct str why = binding_version(comparison->binding, arena, recorded, actual);
    if (why.len)
        COMPARE_DIFFERS(comparison, "%.*s (recorded %.*s): %.*s", STR_ARG(is), STR_ARG(was),
                        STR_ARG(why));
    return true;
}

static bool compare_continue(struct comparison *comparison, const struct compare_member *member)
{
    if (!json_to_str(member->recorded).len != !json_to_str(member->actual).len)
        COMPARE_DIFFERS(comparison, "expected %.*s, got %.*s",
                        STR_ARG(difference_show(comparison->arena, member->recorded)),
                        STR_ARG(difference_show(comparison->arena, member->actual)));
    return true;
}

static bool is_made_from(struct str name, struct str base)
{
    return str_starts_with(name, base) && name.len == base.len + 5;
}

static bool compare_name(struct comparison *comparison, const struct compare_member *member)
{
    const struct str generate = json_path_str(member->recorded_owner, "generateName");
    const struct str base = str_slice(generate, 0, GENERATE_NAME_MAX);
    const struct str was = json_to_str(member->recorded), is = json_to_str(member->actual);
    if (!base.len || !is_made_from(was, base))
        return false;
    const struct str known = binding_find_name(comparison->binding, was);
    if (!is_made_from(is, base) || !wording_is_generated(str_skip(is, base.len)))
        COMPARE_DIFFERS(comparison, "expected a name generated from %.*s, got %.*s",
                        STR_ARG(generate),
                        STR_ARG(difference_show(comparison->arena, member->actual)));
    else if (known.len && !str_eq(known, is))
        COMPARE_DIFFERS(comparison, "expected %.*s, got %.*s", STR_ARG(known), STR_ARG(is));
    return true;
}

static bool is_age_column(const struct json_value *column)
{
    static const struct str names[] = {
        STR_INIT("Age"),           STR_INIT("Last Seen"), STR_INIT("First Seen"),
        STR_INIT("Last Schedule"), STR_INIT("Duration"),
    };
    if (str_eq(json_path_str(column, "type"), STR("date")))
        return true;
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(json_path_str(column, "name"), names[i]))
            return true;
    return false;
}

static void compare_cell(struct comparison *comparison, const struct json_value *column,
                         const struct json_value *recorded, const struct json_value *actual)
{
    const bool age = is_age_column(column) && json_type(recorded) == JSON_STRING &&
                     wording_is_age(json_to_str(recorded));
    if (!age)
        compare_values(comparison, recorded, actual);
    else if (json_type(actual) != JSON_STRING || !wording_is_age(json_to_str(actual)))
        COMPARE_DIFFERS(comparison, "expected an age, got %.*s",
                        STR_ARG(difference_show(comparison->arena, actual)));
}

static bool compare_cells(struct comparison *comparison, const struct compare_member *member)
{
    const struct json_value *recorded = member->recorded, *actual = member->actual, *cell;
    const bool arrays = json_type(recorded) == JSON_ARRAY && json_type(actual) == JSON_ARRAY;
    if (!arrays || !comparison->columns || json_count(recorded) != json_count(actual))
        return false;
    size_t i = 0;
    JSON_FOREACH (key, cell, recorded) {
        if (compare_enter_index(comparison, i)) {
            compare_cell(comparison, json_at(comparison->columns, i), cell, json_at(actual, i));
            compare_leave(comparison);
        }
        i++;
    }
    return true;
}

/* Name, in metadata alone, rule. */
static const struct {
    struct str name;
    bool in_metadata;
    bool (*compare)(struct comparison *comparison, const struct compare_member *member);
} specials[] = {
    {STR_INIT("resourceVersion"), true,  compare_version },
    {STR_INIT("continue"),        true,  compare_continue},
    {STR_INIT("name"),            true,  compare_name    },
    {STR_INIT("cells"),           false, compare_cells   },
};

bool compare_special(struct comparison *comparison, const struct compare_member *member)
{
    const bool in_metadata = str_eq(compare_token(comparison, 1), STR("metadata"));
    for (size_t i = 0; i < COUNT(specials); i++)
        if (str_eq(member->name, specials[i].name) && in_metadata >= specials[i].in_metadata)
            return specials[i].compare(comparison, member);
    return false;
}

static int compare_entries(const void *x, const void *y)
{
    static const char *const keys[] = {"manager", "operation", "apiVersion", "subresource"};
    const struct json_value *a = *(const struct json_value *const *)x;
    const struct json_value *b = *(const struct json_value *const *)y;
    int order = 0;
    for (size_t i = 0; !order && i < COUNT(keys); i++)
        order = str_cmp(json_path_str(a, keys[i]), json_path_str(b, keys[i]));
    return order;
}

static const struct json_value **sorted_entries(struct arena *arena,
                                                const struct json_value *entries)
{
    const struct json_value **sorted =
        arena_alloc_array(arena, json_count(entries) + 1, sizeof(*sorted));
    const struct json_value *entry;
    size_t count = 0;
    JSON_FOREACH (key, entry, entries)
        sorted[count++] = entry;
    qsort(sorted, count, sizeof(struct json_value *), compare_entries);
    return sorted;
}

void compare_managed_fields(struct comparison *comparison, const struct json_value *recorded,
                            const struct json_value *actual)
{
    struct arena *arena = comparison->arena;
    const size_t count = json_count(recorded);
    const bool array = !actual || json_type(actual) == JSON_ARRAY || json_type(actual) == JSON_NULL;
    if (!array || json_count(actual) != count) {
        COMPARE_DIFFERS(comparison, "expected %zu entries %.*s\n          got %zu %.*s", count,
                        STR_ARG(difference_show(arena, recorded)), json_count(actual),
                        STR_ARG(difference_show(arena, actual)));
        return;
    }
    const struct json_value **was = sorted_entries(arena, recorded);
    const struct json_value **is = sorted_entries(arena, actual);
    for (size_t i = 0; i < count; i++)
        if (compare_enter_index(comparison, i)) {
            compare_values(comparison, was[i], is[i]);
            compare_leave(comparison);
        }
}
