#include "apimachinery/validation.h"

#include "base/ascii.h"

#define SUBDOMAIN_WORDS                                                                      \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "    \
    "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com'," \
    " regex used for validation is "                                                         \
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

#define NAME_WORDS                                                                        \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end "   \
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex " \
    "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

static void add_message(struct validation *found, struct str message)
{
    found->messages[found->count++] = message;
}

static bool is_lower_alphanumeric(char c)
{
    return ascii_is_lower(c) || ascii_is_digit(c);
}

/* One label: lower-case letters, digits and dashes, no dash at an end. */
static bool is_label(struct str s)
{
    if (s.len == 0 || !is_lower_alphanumeric(s.ptr[0]) || !is_lower_alphanumeric(s.ptr[s.len - 1]))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!is_lower_alphanumeric(s.ptr[i]) && s.ptr[i] != '-')
            return false;
    return true;
}

static bool is_subdomain(struct str s)
{
    struct str label;
    bool more = true;
    while (more) {
        more = str_cut(&s, '.', &label);
        if (!is_label(label))
            return false;
    }
    return true;
}

/* The name part of a label key, and a label value that is not empty. */
static bool is_name(struct str s)
{
    if (s.len == 0 || !ascii_is_alphanumeric(s.ptr[0]) || !ascii_is_alphanumeric(s.ptr[s.len - 1]))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_alphanumeric(s.ptr[i]) && s.ptr[i] != '-' && s.ptr[i] != '_' &&
            s.ptr[i] != '.')
            return false;
    return true;
}

struct validation validation_dns1123_subdomain(struct str value)
{
    struct validation found = {.count = 0};
    if (value.len > DNS1123_SUBDOMAIN_MAX)
        add_message(&found, STR("must be no more than 253 characters"));
    if (!is_subdomain(value))
        add_message(&found, STR(SUBDOMAIN_WORDS));
    return found;
}

struct validation validation_dns1123_label(struct str value)
{
    struct validation found = {.count = 0};
    if (value.len > DNS1123_LABEL_MAX)
        add_message(&found, STR("must be no more than 63 characters"));
    if (is_label(value))
        return found;
    if (is_subdomain(value))
        add_message(&found, STR("must not contain dots"));
    else
        add_message(&found,
                    STR("a lowercase RFC 1123 label must consist of lower case alphanumeric "
                        "characters or '-', and must start and end with an alphanumeric character "
                        "(e.g. 'my-name',  or '123-abc', regex used for validation is "
                        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"));
    return found;
}

struct validation validation_dns1035_label(struct str value)
{
    struct validation found = {.count = 0};
    if (value.len > DNS1123_LABEL_MAX)
        add_message(&found, STR("must be no more than 63 characters"));
    if (!is_label(value) || ascii_is_digit(value.ptr[0]))
        add_message(&found,
                    STR("a DNS-1035 label must consist of lower case alphanumeric characters or "
                        "'-', start with an alphabetic character, and end with an alphanumeric "
                        "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
                        "'[a-z]([-a-z0-9]*[a-z0-9])?')"));
    return found;
}

static void check_prefix(struct validation *found, struct str prefix)
{
    if (prefix.len == 0) {
        add_message(found, STR("prefix part must be non-empty"));
        return;
    }
    if (prefix.len > DNS1123_SUBDOMAIN_MAX)
        add_message(found, STR("prefix part must be no more than 253 bytes"));
    if (!is_subdomain(prefix))
        add_message(found, STR("prefix part " SUBDOMAIN_WORDS));
}

struct validation validation_label_key(struct str value)
{
    struct validation found = {.count = 0};
    struct str name = value, prefix;
    const bool has_prefix = str_cut(&name, '/', &prefix);
    if (str_find_char(name, '/') != STR_NONE) {
        add_message(&found, STR("a valid label key " NAME_WORDS
                                " with an optional DNS subdomain prefix and '/' (e.g. "
                                "'example.com/MyName')"));
        return found;
    }
    if (has_prefix)
        check_prefix(&found, prefix);
    else
        name = value;
    if (name.len == 0)
        add_message(&found, STR("name part must be non-empty"));
    if (name.len > LABEL_VALUE_MAX)
        add_message(&found, STR("name part must be no more than 63 bytes"));
    if (!is_name(name))
        add_message(&found, STR("name part " NAME_WORDS));
    return found;
}

struct validation validation_label_value(struct str value)
{
    struct validation found = {.count = 0};
    if (value.len > LABEL_VALUE_MAX)
        add_message(&found, STR("must be no more than 63 bytes"));
    if (value.len && !is_name(value))
        add_message(
            &found,
            STR("a valid label must be an empty string or consist of alphanumeric characters, "
                "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
    return found;
}

static bool is_config_map_key(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_alphanumeric(s.ptr[i]) && s.ptr[i] != '-' && s.ptr[i] != '_' &&
            s.ptr[i] != '.')
            return false;
    return s.len > 0;
}

struct validation validation_config_map_key(struct str value)
{
    struct validation found = {.count = 0};
    if (value.len > DNS1123_SUBDOMAIN_MAX)
        add_message(&found, STR("must be no more than 253 characters"));
    if (!is_config_map_key(value))
        add_message(&found,
                    STR("a valid config key must consist of alphanumeric characters, '-', '_' or "
                        "'.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for "
                        "validation is '[-._a-zA-Z0-9]+')"));
    /* A volume mounts keys as files, and begins its own names with two dots. */
    if (str_eq(value, STR(".")))
        add_message(&found, STR("must not be '.'"));
    else if (str_eq(value, STR("..")))
        add_message(&found, STR("must not be '..'"));
    else if (str_starts_with(value, STR("..")))
        add_message(&found, STR("must not start with '..'"));
    return found;
}

struct validation validation_path_segment(struct str value)
{
    struct validation found = {.count = 0};
    if (str_eq(value, STR(".")))
        add_message(&found, STR("may not be '.'"));
    if (str_eq(value, STR("..")))
        add_message(&found, STR("may not be '..'"));
    if (str_find_char(value, '/') != STR_NONE)
        add_message(&found, STR("may not contain '/'"));
    if (str_find_char(value, '%') != STR_NONE)
        add_message(&found, STR("may not contain '%'"));
    return found;
}
