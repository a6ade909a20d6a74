/*
 * Selectors in the resourceAttributes of an access review: what is wrong with them, after
 * validateFieldSelectorAttributes() and validateLabelSelectorAttributes() in
 * pkg/apis/authorization/validation, and which of them the authorizer does not get, after
 * pkg/registry/authorization/util.
 *
 * RBAC does not look at selectors, so it is enough to know whether they can be read. An operator
 * that is not known, which a newer client may send, is no mistake: its requirement is left out, and
 * the answer says so.
 */
#include "apimachinery/field_selector.h"
#include "apimachinery/selector.h"
#include "apimachinery/validation.h"
#include "apiserver/auth/auth_internal.h"
#include "json/path.h"

enum operator{
    OPERATOR_UNKNOWN,
    OPERATOR_IN,     /* or NotIn */
    OPERATOR_EXISTS, /* or DoesNotExist */
};

/* What a selector gives to the authorizer. */
struct reading {
    bool is_broken;        /* in whole or in part */
    bool has_requirements; /* some can be read */
};

/* A requirement and where it is, for its errors. */
struct site {
    struct field_errors *errors;
    struct str list; /* path of the requirements */
    size_t index;
    const struct json_value *requirement;
};

struct selector_form {
    const char *name;
    void (*check)(const struct site *site);
    struct error *(*read_text)(struct arena *arena, struct str text);
    bool (*is_readable)(const struct json_value *requirement);
};

static enum operator operator_of(const struct json_value *requirement)
{
    static const struct {
        struct str name;
        enum operator op;
    } operators[] = {
        {STR_INIT("In"),           OPERATOR_IN    },
        {STR_INIT("NotIn"),        OPERATOR_IN    },
        {STR_INIT("Exists"),       OPERATOR_EXISTS},
        {STR_INIT("DoesNotExist"), OPERATOR_EXISTS},
    };
    const struct str name = json_path_str(requirement, "operator");
    for (size_t i = 0; i < COUNT(operators); i++)
        if (str_eq(operators[i].name, name))
            return operators[i].op;
    return OPERATOR_UNKNOWN;
}

static struct str join(struct arena *arena, struct str path, const char *name)
{
    return arena_print(arena, "%.*s.%s", STR_ARG(path), name);
}

/* Made for errors only: a review can have very many requirements. */
static struct str path_of(const struct site *site, const char *name)
{
    return arena_print(site->errors->arena, "%.*s[%zu].%s", STR_ARG(site->list), site->index, name);
}

/* values must fit the operator. */
static void check_count(const struct site *site)
{
    const enum operator op = operator_of(site->requirement);
    const size_t count = json_count(json_get(site->requirement, STR("values")));
    if (op == OPERATOR_IN && count == 0)
        field_errors_add(site->errors, FIELD_REQUIRED, path_of(site, "values"),
                         STR("must be specified when `operator` is 'In' or 'NotIn'"));
    if (op == OPERATOR_EXISTS && count > 0)
        field_errors_add(site->errors, FIELD_FORBIDDEN, path_of(site, "values"),
                         STR("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
}

static void check_field(const struct site *site)
{
    if (json_path_str(site->requirement, "key").len == 0)
        field_errors_add(site->errors, FIELD_REQUIRED, path_of(site, "key"),
                         STR("must be specified"));
    check_count(site);
}

static void check_label(const struct site *site)
{
    const struct str name = json_path_str(site->requirement, "key");
    const struct validation of_name = validation_label_key(name);
    const struct json_value *value;
    size_t index = 0;
    check_count(site);
    for (size_t i = 0; i < of_name.count; i++)
        field_errors_add_str(site->errors, FIELD_INVALID, path_of(site, "key"), name,
                             of_name.messages[i]);
    JSON_FOREACH (key, value, json_get(site->requirement, STR("values"))) {
        const struct str text = json_to_str(value);
        const struct validation found = validation_label_value(text);
        for (size_t i = 0; i < found.count && !field_errors_is_full(site->errors); i++)
            field_errors_add_str(site->errors, FIELD_INVALID,
                                 arena_print(site->errors->arena, "%.*s[%zu]",
                                             STR_ARG(path_of(site, "values")), index),
                                 text, found.messages[i]);
        index++;
    }
}

static struct error *read_fields(struct arena *arena, struct str text)
{
    struct field_selector selector;
    return field_selector_read(arena, text, &selector);
}

static struct error *read_labels(struct arena *arena, struct str text)
{
    struct selector selector;
    return selector_read(arena, text, &selector);
}

/* A field has one value, so nothing but "=" and "!=" can be said of it. */
static bool is_readable_field(const struct json_value *requirement)
{
    return operator_of(requirement) == OPERATOR_IN &&
           json_count(json_get(requirement, STR("values"))) == 1;
}

static bool is_readable_label(const struct json_value *requirement)
{
    return operator_of(requirement) != OPERATOR_UNKNOWN;
}

static const struct selector_form forms[] = {
    {"fieldSelector", check_field, read_fields, is_readable_field},
    {"labelSelector", check_label, read_labels, is_readable_label},
};

static const struct json_value *find_selector(const struct json_value *resource,
                                              const struct selector_form *form)
{
    const struct json_value *selector = json_get(resource, str_from_c(form->name));
    return json_type(selector) == JSON_OBJECT ? selector : NULL;
}

static void check_selector(struct field_errors *errors, const struct json_value *selector,
                           const struct selector_form *form)
{
    struct arena *arena = errors->arena;
    const struct str path = arena_print(arena, "spec.resourceAttributes.%s", form->name);
    const struct str text = json_path_str(selector, "rawSelector");
    const struct json_value *list = json_get(selector, STR("requirements"));
    struct site site = {errors, join(arena, path, "requirements"), 0, NULL};
    if (text.len && json_count(list))
        field_errors_add_str(errors, FIELD_INVALID, join(arena, path, "rawSelector"), text,
                             STR("may not specified at the same time as requirements"));
    if (text.len == 0 && json_count(list) == 0)
        field_errors_add(errors, FIELD_REQUIRED, site.list,
                         arena_print(arena,
                                     "when %.*s is specified, requirements or rawSelector is "
                                     "required",
                                     STR_ARG(path)));
    JSON_FOREACH (key, site.requirement, list) {
        if (field_errors_is_full(errors))
            return;
        form->check(&site);
        site.index++;
    }
}

void review_selectors_check(struct field_errors *errors, const struct json_value *resource)
{
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct json_value *selector = find_selector(resource, &forms[i]);
        if (selector)
            check_selector(errors, selector, &forms[i]);
    }
}

static struct reading read_selector(struct arena *arena, const struct json_value *selector,
                                    const struct selector_form *form)
{
    const struct str text = json_path_str(selector, "rawSelector");
    const struct json_value *requirement;
    struct reading reading = {false, false};
    if (text.len) {
        OWNED(error) err = form->read_text(arena, text);
        return (struct reading){.is_broken = err != NULL};
    }
    JSON_FOREACH (key, requirement, json_get(selector, STR("requirements")))
        if (form->is_readable(requirement))
            reading.has_requirements = true;
        else
            reading.is_broken = true;
    return reading;
}

struct str review_selectors_ignored(struct arena *arena, const struct json_value *resource)
{
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct reading reading =
            read_selector(arena, find_selector(resource, &forms[i]), &forms[i]);
        if (reading.is_broken)
            buf_print(&text, "%sspec.resourceAttributes.%s %signored due to parse error",
                      text.len ? "; " : "", forms[i].name,
                      reading.has_requirements ? "partially " : "");
    }
    return arena_str(arena, buf_str(&text));
}
