/*
 * Checks of metadata, as ValidateObjectMetaAccessor() in apimachinery/pkg/api/validation makes
 * them.
 *
 * All checks add to struct field_errors and go on, so that a user sees every mistake at once. Order
 * and texts are those of an API server.
 */
#include "apimachinery/metadata_validation.h"

#include "apimachinery/owner_reference.h"
#include "base/ascii.h"
#include "json/path.h"

static void add_all(struct field_errors *errors, struct str path, struct str value,
                    struct validation found)
{
    for (size_t i = 0; i < found.count; i++)
        field_errors_add_str(errors, FIELD_INVALID, path, value, found.messages[i]);
}

/*
 * True when the value has the expected type and is to be checked. A value that is absent or null is
 * skipped; a value of another type adds an error.
 */
static bool is_expected(struct field_errors *errors, struct str path,
                        const struct json_value *value, enum json_type expected)
{
    const enum json_type type = json_type(value);
    if (type == expected || type == JSON_ABSENT || type == JSON_NULL)
        return type == expected;
    SCOPED(buf) detail = {.limit = 0};
    buf_print(&detail, "must be %s", json_type_name(expected));
    field_errors_add(errors, FIELD_TYPE_INVALID, path, buf_str(&detail));
    return false;
}

void metadata_check_labels(struct field_errors *errors, struct str path,
                           const struct json_value *labels)
{
    const struct json_value *value;
    if (!is_expected(errors, path, labels, JSON_OBJECT))
        return;
    JSON_FOREACH (key, value, labels) {
        add_all(errors, path, key, validation_label_key(key));
        if (is_expected(errors, path, value, JSON_STRING))
            add_all(errors, path, json_to_str(value), validation_label_value(json_to_str(value)));
    }
}

/* Keys of annotations may have any case: upstream checks them in lower case. */
static struct validation check_annotation_key(struct arena *arena, struct str key)
{
    char *lower = arena_alloc(arena, key.len + 1);
    for (size_t i = 0; i < key.len; i++)
        lower[i] = ascii_to_lower(key.ptr[i]);
    return validation_label_key(str_from(lower, key.len));
}

/* Keys and values are counted together; upstream checks the sum and not single values. */
void metadata_check_annotations(struct field_errors *errors, struct str path,
                                const struct json_value *annotations)
{
    const struct json_value *value;
    size_t size = 0;
    if (!is_expected(errors, path, annotations, JSON_OBJECT))
        return;
    JSON_FOREACH (key, value, annotations) {
        add_all(errors, path, key, check_annotation_key(errors->arena, key));
        if (is_expected(errors, path, value, JSON_STRING))
            size += key.len + json_to_str(value).len;
    }
    if (size > ANNOTATIONS_SIZE_MAX)
        field_errors_add_too_long(errors, path, ANNOTATIONS_SIZE_MAX);
}

void metadata_check_finalizers(struct field_errors *errors, struct str path,
                               const struct json_value *finalizers)
{
    const struct json_value *value;
    if (!is_expected(errors, path, finalizers, JSON_ARRAY))
        return;
    JSON_FOREACH (key, value, finalizers)
        if (is_expected(errors, path, value, JSON_STRING))
            add_all(errors, path, json_to_str(value), validation_label_key(json_to_str(value)));
}

static void check_owner(struct field_errors *errors, struct str path,
                        struct owner_reference reference)
{
    const struct {
        struct str value;
        const char *name, *detail;
    } fields[] = {
        {reference.api_version, "apiVersion", "version must not be empty"},
        {reference.kind,        "kind",       "must not be empty"        },
        {reference.name,        "name",       "must not be empty"        },
        {reference.uid,         "uid",        "must not be empty"        },
    };
    for (size_t i = 0; i < COUNT(fields); i++) {
        SCOPED(buf) field = {.limit = 0};
        if (fields[i].value.len)
            continue;
        buf_print(&field, "%.*s.%s", STR_ARG(path), fields[i].name);
        field_errors_add_str(errors, FIELD_INVALID, buf_str(&field), STR(""),
                             str_from_c(fields[i].detail));
    }
    /* An apiVersion with two slashes cannot be parsed; upstream then reports an empty version. */
    const size_t slash = str_find_char(reference.api_version, '/');
    if (slash != str_find_last_char(reference.api_version, '/')) {
        SCOPED(buf) field = {.limit = 0};
        buf_print(&field, "%.*s.apiVersion", STR_ARG(path));
        field_errors_add_str(errors, FIELD_INVALID, buf_str(&field), reference.api_version,
                             str_from_c(fields[0].detail));
    }
}

void metadata_check_owner_references(struct field_errors *errors, struct str path,
                                     const struct json_value *owners)
{
    const struct json_value *value;
    struct owner_reference controller = {.controller = false};
    bool reported = false;
    if (!is_expected(errors, path, owners, JSON_ARRAY))
        return;
    JSON_FOREACH (key, value, owners) {
        const struct owner_reference owner = owner_reference_from_value(value);
        check_owner(errors, path, owner);
        /* The message shows the whole list, so one error of this kind is enough. */
        if (owner.controller && controller.controller && !reported) {
            reported = true;
            SCOPED(buf) detail = {.limit = 0};
            buf_print(&detail,
                      "Only one reference can have Controller set to true. Found \"true\" in "
                      "references for %.*s/%.*s and %.*s/%.*s",
                      STR_ARG(controller.kind), STR_ARG(controller.name), STR_ARG(owner.kind),
                      STR_ARG(owner.name));
            field_errors_add_value(errors, FIELD_INVALID, path, owners, buf_str(&detail));
        }
        if (owner.controller)
            controller = owner;
    }
}

void metadata_check_name(struct field_errors *errors, struct str path, struct str name,
                         name_check_fn *check)
{
    if (name.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, path, STR("name or generateName is required"));
    else
        add_all(errors, path, name, check(name));
}

void metadata_check_generate_name(struct field_errors *errors, struct str path, struct str prefix,
                                  name_check_fn *check)
{
    struct str judged = prefix;
    if (prefix.len == 0)
        return;
    /* Upstream replaces the dash and the character in front of it by an 'a'. */
    if (prefix.len > 1 && str_ends_with(prefix, STR("-")))
        judged = arena_print(errors->arena, "%.*sa", (int)prefix.len - 2, prefix.ptr);
    add_all(errors, path, prefix, check(judged));
}

void metadata_check(struct field_errors *errors, const struct json_value *metadata,
                    name_check_fn *check)
{
    const struct str name = json_path_str(metadata, "name");
    const struct str prefix = json_path_str(metadata, "generateName");
    metadata_check_generate_name(errors, STR("metadata.generateName"), prefix, check);
    if (name.len || prefix.len == 0)
        metadata_check_name(errors, STR("metadata.name"), name, check);
    metadata_check_labels(errors, STR("metadata.labels"), json_get(metadata, STR("labels")));
    metadata_check_annotations(errors, STR("metadata.annotations"),
                               json_get(metadata, STR("annotations")));
    metadata_check_owner_references(errors, STR("metadata.ownerReferences"),
                                    json_get(metadata, STR("ownerReferences")));
    metadata_check_finalizers(errors, STR("metadata.finalizers"),
                              json_get(metadata, STR("finalizers")));
}
