/*
 * The forms that errors have in common, and syntaxes that are not in api/validation.h.
 */
#include <arpa/inet.h>

#include "apimachinery/metadata_validation.h"
#include "apiserver/registry/kind_validate_internal.h"
#include "base/ascii.h"

struct str judge_path(struct judge *judge, struct str path, const char *member)
{
    if (!member)
        return path;
    if (path.len == 0)
        return str_from_c(member);
    return arena_print(judge->arena, "%.*s.%s", STR_ARG(path), member);
}

struct str judge_item(struct judge *judge, struct str path, size_t index)
{
    return arena_print(judge->arena, "%.*s[%zu]", STR_ARG(path), index);
}

struct str judge_key(struct judge *judge, struct str path, struct str key)
{
    return arena_print(judge->arena, "%.*s[%.*s]", STR_ARG(path), STR_ARG(key));
}

void judge_required(struct judge *judge, struct str path, const char *member, const char *detail)
{
    field_errors_add(judge->errors, FIELD_REQUIRED, judge_path(judge, path, member),
                     str_from_c(detail));
}

void judge_invalid(struct judge *judge, struct str path, const char *member,
                   const struct json_value *value, const char *detail)
{
    field_errors_add_value(judge->errors, FIELD_INVALID, judge_path(judge, path, member), value,
                           str_from_c(detail));
}

void judge_forbidden(struct judge *judge, struct str path, const char *member, const char *detail)
{
    field_errors_add(judge->errors, FIELD_FORBIDDEN, judge_path(judge, path, member),
                     str_from_c(detail));
}

#define VALUES_MAX 16

void judge_one_of(struct judge *judge, struct str path, const char *member, struct str value,
                  const char *values)
{
    struct str supported[VALUES_MAX], rest = str_from_c(values), one;
    size_t count = 0;
    bool more = true;
    while (more && count < VALUES_MAX) {
        more = str_cut(&rest, '|', &one);
        if (str_eq(one, value))
            return;
        supported[count++] = one;
    }
    field_errors_add_not_supported(judge->errors, judge_path(judge, path, member), value, supported,
                                   count);
}

void judge_syntax(struct judge *judge, struct str path, const char *member, struct str value,
                  struct validation found)
{
    for (size_t i = 0; i < found.count; i++)
        field_errors_add_str(judge->errors, FIELD_INVALID, judge_path(judge, path, member), value,
                             found.messages[i]);
}

static bool is_digits(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_digit(s.ptr[i]))
            return false;
    return s.len > 0;
}

void judge_int_or_percent(struct judge *judge, struct str path, const char *member,
                          const struct json_value *value)
{
    const struct str text = json_to_str(value);
    int64_t number;
    if (json_type(value) == JSON_STRING) {
        if (!str_ends_with(text, STR("%")) || !is_digits(str_slice(text, 0, text.len - 1)))
            judge_invalid(judge, path, member, value,
                          "a valid percent string must be a numeric string followed by an ending "
                          "'%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
    } else if (json_to_int64(value, &number) && number < 0) {
        judge_invalid(judge, path, member, value, "must be greater than or equal to 0");
    }
}

void judge_port(struct judge *judge, struct str path, const char *member,
                const struct json_value *value)
{
    int64_t number;
    if (json_type(value) == JSON_STRING)
        judge_syntax(judge, path, member, json_to_str(value), syntax_port_name(json_to_str(value)));
    else if (json_to_int64(value, &number) && (number < 1 || number > 65535))
        judge_invalid(judge, path, member, value, "must be between 1 and 65535, inclusive");
}

static void add(struct validation *found, struct str message)
{
    if (found->count < VALIDATION_MESSAGES_MAX)
        found->messages[found->count++] = message;
}

/* At most 15 letters and digits with single dashes inside, at least one of them a letter. */
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
        add(&found, STR("must be no more than 15 characters"));
    if (has_other || value.len == 0)
        add(&found, STR("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"));
    if (!has_letter)
        add(&found, STR("must contain at least one letter (a-z)"));
    if (str_contains(value, STR("--")))
        add(&found, STR("must not contain consecutive hyphens"));
    if (value.len > 0 && (value.ptr[0] == '-' || value.ptr[value.len - 1] == '-'))
        add(&found, STR("must not begin or end with a hyphen"));
    return found;
}

static bool is_address(struct str value)
{
    unsigned char room[16];
    char text[INET6_ADDRSTRLEN + 1];
    if (value.len == 0 || value.len >= sizeof(text))
        return false;
    memcpy(text, value.ptr, value.len);
    text[value.len] = '\0';
    return strlen(text) == value.len &&
           (inet_pton(AF_INET, text, room) == 1 || inet_pton(AF_INET6, text, room) == 1);
}

struct validation syntax_ip(struct str value)
{
    struct validation found = {.count = 0};
    if (!is_address(value))
        add(&found, STR("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
    return found;
}

struct validation syntax_cidr(struct str value)
{
    struct validation found = {.count = 0};
    struct str rest = value, address;
    const bool has_slash = str_cut(&rest, '/', &address);
    const int64_t most = str_find_char(address, ':') == STR_NONE ? 32 : 128;
    int64_t bits = 0;
    if (!has_slash || !is_address(address) || !is_digits(rest) || !str_to_int64(rest, &bits) ||
        bits > most)
        add(&found, STR("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
    return found;
}

struct validation syntax_env_name(struct str value)
{
    struct validation found = {.count = 0};
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] >= ' ' && value.ptr[i] <= '~' && value.ptr[i] != '=')
            continue;
        add(&found, STR("a valid environment variable name must consist only of printable ASCII "
                        "characters other than '='"));
        break;
    }
    return found;
}
