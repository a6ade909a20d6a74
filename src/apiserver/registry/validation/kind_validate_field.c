/*
 * Helpers of validation: paths of fields, errors in upstream's forms, comparisons, and syntax
 * checks that apimachinery/validation.h does not have.
 *
 * The functions field_...() are named after k8s.io/apimachinery/pkg/util/validation/field. Texts of
 * messages are upstream's, including their typing mistakes.
 */
#include "apimachinery/metadata_validation.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/ascii.h"
#include "json/compare.h"

struct str field_path(struct kind_validator *v, struct str path, const char *member)
{
    if (!member)
        return path;
    if (path.len == 0)
        return str_from_c(member);
    return ARENA_JOIN(v->arena, path, STR("."), str_from_c(member));
}

struct str field_path_index(struct kind_validator *v, struct str path, size_t index)
{
    char digits[STR_NUMBER_MAX];
    return ARENA_JOIN(v->arena, path, STR("["), str_number(index, digits), STR("]"));
}

struct str field_path_key(struct kind_validator *v, struct str path, struct str key)
{
    return ARENA_JOIN(v->arena, path, STR("["), key, STR("]"));
}

void field_required(struct kind_validator *v, struct str path, const char *member,
                    const char *detail)
{
    field_errors_add(v->errors, FIELD_REQUIRED, field_path(v, path, member), str_from_c(detail));
}

void field_invalid(struct kind_validator *v, struct str path, const char *member,
                   const struct json_value *value, const char *detail)
{
    field_errors_add_value(v->errors, FIELD_INVALID, field_path(v, path, member), value,
                           str_from_c(detail));
}

void field_forbidden(struct kind_validator *v, struct str path, const char *member,
                     const char *detail)
{
    field_errors_add(v->errors, FIELD_FORBIDDEN, field_path(v, path, member), str_from_c(detail));
}

void field_invalid_map(struct kind_validator *v, struct str path, const char *member,
                       const struct json_value *map, struct str detail)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) sorted = NULL;
    if (map && !field_errors_is_full(v->errors)) {
        json_write_canonical(&text, map);
        error_free(json_read(buf_str(&text), &sorted));
    }
    field_errors_add_value(v->errors, FIELD_INVALID, field_path(v, path, member),
                           sorted ? json_doc_root(sorted) : map, detail);
}

bool field_unique(struct kind_validator *v, struct map *seen, struct str path, const char *member,
                  struct str value)
{
    const bool is_new = !map_has(seen, value);
    if (is_new)
        map_put(seen, value, NULL);
    else
        field_errors_add_str(v->errors, FIELD_DUPLICATE, field_path(v, path, member), value,
                             STR(""));
    return is_new;
}

void field_invalid_text(struct kind_validator *v, struct str path, const char *member,
                        struct str value, const char *detail)
{
    field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, member), value,
                         str_from_c(detail));
}

/* More values than any row has. */
#define VALUES_MAX 32

bool field_is_one_of(struct str value, const char *values)
{
    struct str rest = str_from_c(values), one;
    bool more = true;
    while (more) {
        more = str_cut(&rest, '|', &one);
        if (str_eq(one, value))
            return true;
    }
    return false;
}

/* Splits the list at "|". */
void field_not_supported(struct kind_validator *v, struct str path, const char *member,
                         struct str value, const char *values)
{
    struct str supported[VALUES_MAX], rest = str_from_c(values), one;
    size_t count = 0;
    bool more = true;
    while (more && count < VALUES_MAX) {
        more = str_cut(&rest, '|', &one);
        supported[count++] = one;
    }
    field_errors_add_not_supported(v->errors, field_path(v, path, member), value, supported, count);
}

void field_one_of(struct kind_validator *v, struct str path, const char *member, struct str value,
                  const char *values)
{
    if (!field_is_one_of(value, values))
        field_not_supported(v, path, member, value, values);
}

/* One error per message of the check, all at the same field. */
void field_syntax(struct kind_validator *v, struct str path, const char *member, struct str value,
                  struct validation found)
{
    for (size_t i = 0; i < found.count; i++)
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, member), value,
                             found.messages[i]);
}

bool field_needs(struct kind_validator *v, const struct json_value *object, struct str path,
                 const char *member)
{
    const struct json_value *value = json_path(object, member);
    const bool has_value =
        json_type(value) == JSON_STRING ? json_to_str(value).len > 0 : json_count(value) > 0;
    if (!has_value)
        field_required(v, path, member, "");
    return has_value;
}

void field_needs_syntax(struct kind_validator *v, const struct json_value *object, struct str path,
                        const char *member, name_check_fn *syntax)
{
    if (field_needs(v, object, path, member))
        field_may_have_syntax(v, object, path, member, syntax);
}

void field_needs_one_of(struct kind_validator *v, const struct json_value *object, struct str path,
                        const char *member, const char *values)
{
    if (field_needs(v, object, path, member))
        field_one_of(v, path, member, json_path_str(object, member), values);
}

void field_may_have_syntax(struct kind_validator *v, const struct json_value *object,
                           struct str path, const char *member, name_check_fn *syntax)
{
    const struct str value = json_path_str(object, member);
    if (value.len)
        field_syntax(v, path, member, value, syntax(value));
}

/* An empty text that is there was given, and is none of the values. */
void field_may_be_one_of(struct kind_validator *v, const struct json_value *object, struct str path,
                         const char *member, const char *values)
{
    if (json_path(object, member))
        field_one_of(v, path, member, json_path_str(object, member), values);
}

void field_range(struct kind_validator *v, const struct json_value *object, struct str path,
                 const char *member, int64_t low, int64_t high)
{
    const struct json_value *value = json_path(object, member);
    int64_t number;
    if (json_to_int64(value, &number) && (number < low || number > high))
        field_invalid(v, path, member, value,
                      arena_print(v->arena, "must be between %lld and %lld, inclusive",
                                  (long long)low, (long long)high)
                          .ptr);
}

void field_not_negative(struct kind_validator *v, const struct json_value *object, struct str path,
                        const char *member)
{
    const struct json_value *value = json_path(object, member);
    int64_t number;
    if (json_to_int64(value, &number) && number < 0)
        field_invalid(v, path, member, value, "must be greater than or equal to 0");
}

void field_apply(struct kind_validator *v, const struct json_value *object, struct str path,
                 const char *member, validate_fn *check)
{
    const struct json_value *value = json_path(object, member);
    if (value)
        check(v, value, field_path(v, path, member));
}

/* Ends at the limit of errors, as the walk of kind_validate.c does. */
void field_apply_each(struct kind_validator *v, const struct json_value *object, struct str path,
                      const char *member, validate_fn *check)
{
    const struct str list = field_path(v, path, member);
    const struct json_value *item;
    size_t index = 0;
    JSON_FOREACH (key, item, json_path(object, member)) {
        if (field_errors_is_full(v->errors))
            return;
        check(v, item, field_path_index(v, list, index++));
    }
}

/* Whether a text is one or more digits. */
static bool is_digits(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_digit(s.ptr[i]))
            return false;
    return s.len > 0;
}

void validate_int_or_percent(struct kind_validator *v, struct str path, const char *member,
                             const struct json_value *value)
{
    const struct str text = json_to_str(value);
    int64_t number;
    if (json_type(value) == JSON_STRING) {
        if (!str_ends_with(text, STR("%")) || !is_digits(str_slice(text, 0, text.len - 1)))
            field_invalid(v, path, member, value,
                          "a valid percent string must be a numeric string followed by an ending "
                          "'%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
    } else if (json_to_int64(value, &number) && number < 0) {
        field_invalid(v, path, member, value, "must be greater than or equal to 0");
    }
}

void validate_not_more_than_all(struct kind_validator *v, struct str path, const char *member,
                                const struct json_value *value)
{
    const struct str text = json_to_str(value);
    int64_t percent;
    if (str_ends_with(text, STR("%")) && str_to_int64(str_slice(text, 0, text.len - 1), &percent) &&
        percent > 100)
        field_invalid(v, path, member, value, "must not be greater than 100%");
}

void validate_port(struct kind_validator *v, struct str path, const char *member,
                   const struct json_value *value)
{
    int64_t number;
    if (json_type(value) == JSON_STRING)
        field_syntax(v, path, member, json_to_str(value), syntax_port_name(json_to_str(value)));
    else if (json_to_int64(value, &number) && (number < 1 || number > 65535))
        field_invalid(v, path, member, value, "must be between 1 and 65535, inclusive");
}

bool field_is_true(const struct json_value *value)
{
    bool truth = false;
    return json_to_bool(value, &truth) && truth;
}

bool field_quantity(const struct json_value *value, struct quantity *ret_quantity)
{
    struct error *err = quantity_read(json_to_str(value), ret_quantity);
    error_free(err);
    return !err;
}

/* Compares in both directions, so that members that only one object has are found. */
bool field_differs_besides(const struct json_value *a, const struct json_value *b,
                           const char *const *members, size_t count)
{
    const struct json_value *sides[] = {a, b}, *value;
    for (size_t side = 0; side < 2; side++) {
        JSON_FOREACH (key, value, sides[side]) {
            bool may_change = false;
            for (size_t i = 0; i < count; i++)
                may_change = may_change || str_eq(key, str_from_c(members[i]));
            if (!may_change && !json_equal(value, json_get(sides[1 - side], key)))
                return true;
        }
    }
    return false;
}

/* Messages beyond the limit are dropped. */
static void add_message(struct validation *found, struct str message)
{
    if (found->count < VALIDATION_MESSAGES_MAX)
        found->messages[found->count++] = message;
}

/*
 * An IANA service name (RFC 6335): at most 15 lower-case letters, digits and single dashes inside,
 * with at least one letter.
 */
struct validation syntax_port_name(struct str value)
{
    struct validation found = {.count = 0};
    bool has_letter = false, has_other = false;
    for (size_t i = 0; i < value.len; i++) {
        const char c = value.ptr[i];
        has_letter = has_letter || ascii_is_lower(c);
        has_other = has_other || !(ascii_is_lower(c) || ascii_is_digit(c) || c == '-');
    }
    if (value.len > 15)
        add_message(&found, STR("must be no more than 15 characters"));
    if (has_other || value.len == 0)
        add_message(&found,
                    STR("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"));
    if (!has_letter)
        add_message(&found, STR("must contain at least one letter (a-z)"));
    if (str_contains(value, STR("--")))
        add_message(&found, STR("must not contain consecutive hyphens"));
    if (value.len > 0 && (value.ptr[0] == '-' || value.ptr[value.len - 1] == '-'))
        add_message(&found, STR("must not begin or end with a hyphen"));
    return found;
}

/* Only the first bad character is reported. */
struct validation syntax_env_name(struct str value)
{
    struct validation found = {.count = 0};
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] >= ' ' && value.ptr[i] <= '~' && value.ptr[i] != '=')
            continue;
        add_message(&found,
                    STR("a valid environment variable name must consist only of printable ASCII "
                        "characters other than '='"));
        break;
    }
    return found;
}
