/*
 * Validation ratcheting for custom resources (KEP-4008): an update is not refused for an invalid
 * value that it leaves alone.
 *
 * Schemas become stricter while objects exist. Kubernetes drops an error when the value it is
 * about, or a value around it, is equal in the old object. Upstream compares while it validates.
 * Here all errors are found first, and each is then followed along its path through the new and the
 * old object side by side. Elements of a list with map keys correspond when their keys are equal.
 * Elements of other lists do not correspond: such a list counts as a whole, and so does an atomic
 * map.
 *
 * Three kinds of errors need special care: errors that have their path in the message only
 * (place_in_text()), errors about duplicate elements (had_duplicates()), and the notice that rules
 * were not checked, which must go when the errors that caused it go (is_notice()).
 */
#include "apiserver/crd/crd_internal.h"
#include "json/compare.h"

/* With more errors none is dropped: each one costs a comparison of whole values. */
#define ERRORS_MAX 100

/* Corresponding values of the new and the old object. before is NULL when there is none. */
struct pair {
    const struct json_value *now, *before;
    const struct schema_node *node;
};

static bool is_unchanged(struct pair pair)
{
    return pair.now && pair.before && json_equal(pair.now, pair.before);
}

static bool has_keys_of(const struct json_value *a, const struct json_value *b,
                        const struct schema_node *list)
{
    size_t count;
    const struct str *keys = schema_list_keys(list, &count);
    for (size_t i = 0; i < count; i++)
        if (!json_equal(json_get(a, keys[i]), json_get(b, keys[i])))
            return false;
    return count > 0;
}

/* The element of a list and the one with the same keys in the old list. */
static struct pair element_of(struct pair list, size_t index)
{
    struct pair pair = {.now = json_at(list.now, index), .node = schema_items(list.node)};
    const struct json_value *value;
    if (schema_list_type(list.node) == SCHEMA_LIST_MAP)
        JSON_FOREACH (key, value, list.before)
            if (has_keys_of(pair.now, value, list.node))
                pair.before = value;
    return pair;
}

/*
 * Takes a member name off the front of a path. Member names may contain dots and brackets: the
 * shortest prefix that is a member counts.
 */
static struct pair member_of(struct pair object, struct str *path)
{
    for (size_t len = 1; len <= path->len; len++) {
        if (len < path->len && path->ptr[len] != '.' && path->ptr[len] != '[')
            continue;
        const struct str name = str_slice(*path, 0, len);
        if (!json_get(object.now, name))
            continue;
        *path = str_skip(*path, len);
        return (struct pair){
            .now = json_get(object.now, name),
            .before = schema_is_atomic_map(object.node) ? NULL : json_get(object.before, name),
            .node = schema_member(object.node, name),
        };
    }
    return (struct pair){.now = NULL};
}

/* Takes an index such as "[3]" off the front of a path. */
static bool take_index(struct str *path, size_t *ret_index)
{
    uint64_t index;
    const size_t end = str_find_char(*path, ']');
    if (end == STR_NONE || !str_to_uint64(str_slice(*path, 1, end), &index))
        return false;
    *path = str_skip(*path, end + 1);
    *ret_index = (size_t)index;
    return true;
}

/*
 * Follows a path from the root until a pair of equal values is found. A path that leads nowhere, or
 * to a value without a counterpart, is not forgiven.
 */
static bool is_forgiven(struct pair pair, struct str path)
{
    size_t index;
    while (path.len > 0 && pair.now && !is_unchanged(pair)) {
        if (path.ptr[0] == '.')
            path = str_skip(path, 1);
        if (str_starts_with(path, STR("[")) && json_type(pair.now) == JSON_ARRAY) {
            if (!take_index(&path, &index))
                return false;
            pair = element_of(pair, index);
        } else {
            pair = member_of(pair, &path);
        }
    }
    return is_unchanged(pair);
}

static bool has_no_field(const struct field_error *error)
{
    return str_eq(error->field, STR("<nil>"));
}

/*
 * The path in the message of an error that has no path in its field. Two forms of messages have
 * one:
 *
 *     "spec.one" must validate one and only one schema (oneOf). ...
 *     Checked value must be of type integer (default format) in spec.size
 */
static struct str place_in_text(struct str text)
{
    static const struct str front = STR_INIT("Invalid value: \"\": ");
    struct str place = STR("");
    if (!str_starts_with(text, front))
        return place;
    text = str_skip(text, front.len);
    if (str_starts_with(text, STR("\"")) && str_contains(text, STR(" validate "))) {
        text = str_skip(text, 1);
        str_cut(&text, '"', &place);
    } else if (str_starts_with(text, STR("Checked value must be of type "))) {
        place = str_skip(text, str_find_last_char(text, ' ') + 1);
    }
    return place;
}

/* The path of an error, from its field and its message. */
static struct str place_of(struct arena *arena, const struct field_error *error)
{
    const struct str place = place_in_text(error->body);
    if (place.len == 0)
        return has_no_field(error) ? STR("") : error->field;
    return has_no_field(error)
               ? place
               : arena_print(arena, "%.*s.%.*s", STR_ARG(error->field), STR_ARG(place));
}

/* The error "some validation rules were not checked" of schema_validate(). */
static bool is_notice(const struct field_error *error)
{
    return has_no_field(error) &&
           str_starts_with(error->body, STR("Invalid value: null: some validation rules "));
}

static bool has_duplicates(const struct field_errors *errors, size_t first)
{
    for (size_t i = first; i < errors->count; i++)
        if (errors->items[i].type == FIELD_DUPLICATE)
            return true;
    return false;
}

/* Duplicate elements are forgiven if the old object had duplicates anywhere, as upstream. */
static bool had_duplicates(const struct schema *schema, const struct json_value *old,
                           enum schema_scope scope)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    schema_validate(schema, old, scope, &errors);
    return has_duplicates(&errors, 0);
}

void crd_ratchet(const struct schema *schema, const struct json_value *old,
                 const struct json_value *object, enum schema_scope scope, size_t first,
                 struct field_errors *errors)
{
    const struct pair root = {object, old, schema_root(schema)};
    struct field_error notice;
    bool has_notice = false;
    size_t kept = first;
    if (errors->count == first || errors->count - first > ERRORS_MAX)
        return;
    const bool may_repeat = has_duplicates(errors, first) && had_duplicates(schema, old, scope);
    for (size_t i = first; i < errors->count; i++) {
        const struct field_error error = errors->items[i];
        if (is_notice(&error)) {
            notice = error;
            has_notice = true;
        } else if (error.type == FIELD_DUPLICATE
                       ? !may_repeat
                       : !is_forgiven(root, place_of(errors->arena, &error))) {
            errors->items[kept++] = error;
        }
    }
    errors->count = kept;
    if (has_notice && schema_blocks_rules(errors))
        errors->items[errors->count++] = notice;
}
