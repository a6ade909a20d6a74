/*
 * Validation of definitions. Upstream: ValidateCustomResourceDefinition() and
 * ValidateCustomResourceDefinitionUpdate() in
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go. Messages, paths
 * and their order are recorded in tests/support/data/custom.
 *
 * definition_validate(), at the end, is the order of the checks; check_spec() is the order within
 * the spec. A version's schema, subresources, columns and selectable fields are checked in
 * definition_version.c, conversion in definition_conversion.c, rules in definition_rules.c,
 * approval in definition_approval.c.
 *
 * Upstream validates the internal type, in which a part that all versions have in common stands
 * beside the versions (see definition_internal.h). versions_of() finds out which parts these are.
 * check_version() checks the parts in which versions differ, check_common() the others.
 *
 * To add a check: write a static check_...() that adds to the errors, call it where upstream does,
 * and add a recorded exchange.
 */
#include "apimachinery/validation.h"
#include "apiserver/crd/definition_internal.h"
#include "base/ascii.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/path.h"

bool definition_flag(const struct json_value *value, const char *member)
{
    bool truth = false;
    return json_to_bool(json_get(value, str_from_c(member)), &truth) && truth;
}

/* The parts that the internal type has beside the versions if all versions agree. */
enum part {
    PART_SCHEMA,
    PART_SUBRESOURCES,
    PART_COLUMNS,
    PART_SELECTABLE,
    PARTS,
};

static const struct {
    struct str member;
    const char *shown; /* the field of the internal type */
} part_names[PARTS] = {
    [PART_SCHEMA] = {STR_INIT("schema"),                   "Schema"                  },
    [PART_SUBRESOURCES] = {STR_INIT("subresources"),             "Subresources"            },
    [PART_COLUMNS] = {STR_INIT("additionalPrinterColumns"), "AdditionalPrinterColumns"},
    [PART_SELECTABLE] = {STR_INIT("selectableFields"),         "SelectableFields"        },
};

/*
 * The versions of a definition. For each part either `common` is what all versions have, which may
 * be absent, or `differs` is true.
 */
struct versions {
    const struct json_value *list;
    const struct json_value *common[PARTS];
    bool differs[PARTS];
};

/*
 * Absent, null and empty lists are the same; an empty object is not, because it is a pointer in Go.
 */
static bool is_same(const struct json_value *a, const struct json_value *b)
{
    return json_equal(a, b) || (json_count(a) == 0 && json_count(b) == 0 &&
                                json_type(a) != JSON_OBJECT && json_type(b) != JSON_OBJECT);
}

static struct versions versions_of(const struct json_value *spec)
{
    struct versions versions = {.list = json_get(spec, STR("versions"))};
    const struct json_value *version;
    for (size_t i = 0; i < PARTS; i++) {
        const struct json_value *first = json_get(json_at(versions.list, 0), part_names[i].member);
        JSON_FOREACH (key, version, versions.list)
            if (!is_same(json_get(version, part_names[i].member), first)) {
                versions.differs[i] = true;
                break;
            }
        versions.common[i] = versions.differs[i] ? NULL : first;
    }
    return versions;
}

void definition_add_syntax(struct field_errors *errors, struct str path, struct str value,
                           struct validation found, const char *before)
{
    SCOPED(buf) text = {.limit = 0};
    if (found.count == 0)
        return;
    buf_add(&text, str_from_c(before));
    for (size_t i = 0; i < found.count; i++) {
        if (i > 0)
            buf_add_char(&text, ',');
        buf_add(&text, found.messages[i]);
    }
    field_errors_add_str(errors, FIELD_INVALID, path, value, buf_str(&text));
}

struct str definition_path(struct field_errors *errors, struct str path, const char *name)
{
    return arena_print(errors->arena, "%.*s.%s", STR_ARG(path), name);
}

struct str definition_path_index(struct field_errors *errors, struct str path, size_t index)
{
    return arena_print(errors->arena, "%.*s[%zu]", STR_ARG(path), index);
}

/* A DNS label. Kinds may have upper case letters. An absent name is reported elsewhere. */
static void check_label(struct field_errors *errors, struct str path, struct str value,
                        bool is_kind)
{
    char *lower = arena_alloc(errors->arena, value.len + 1);
    if (value.len == 0)
        return;
    for (size_t i = 0; i < value.len; i++)
        lower[i] = is_kind ? ascii_to_lower(value.ptr[i]) : value.ptr[i];
    definition_add_syntax(errors, path, value, validation_dns1035_label(str_from(lower, value.len)),
                          is_kind ? "may have mixed case, but should otherwise match: " : "");
}

static void check_labels(struct field_errors *errors, struct str path, const char *name,
                         const struct json_value *names)
{
    const struct str list = definition_path(errors, path, name);
    const struct json_value *value;
    size_t index = 0;
    JSON_FOREACH (key, value, json_get(names, str_from_c(name)))
        definition_add_syntax(errors, definition_path_index(errors, list, index++),
                              json_to_str(value), validation_dns1035_label(json_to_str(value)), "");
}

/* Checks the names of the spec, and those of status.acceptedNames, by the same rules. */
static void check_names(const struct json_value *names, struct str path,
                        struct field_errors *errors)
{
    const struct str kind = json_path_str(names, "kind");
    check_label(errors, definition_path(errors, path, "plural"), json_path_str(names, "plural"),
                false);
    check_label(errors, definition_path(errors, path, "singular"), json_path_str(names, "singular"),
                false);
    check_label(errors, definition_path(errors, path, "kind"), kind, true);
    check_label(errors, definition_path(errors, path, "listKind"), json_path_str(names, "listKind"),
                true);
    check_labels(errors, path, "shortNames", names);
    if (kind.len > 0 && str_eq(kind, json_path_str(names, "listKind")))
        field_errors_add_str(errors, FIELD_INVALID, definition_path(errors, path, "listKind"), kind,
                             STR("kind and listKind may not be the same"));
    check_labels(errors, path, "categories", names);
}

static void check_group(struct str group, struct field_errors *errors)
{
    const struct validation found = validation_dns1123_subdomain(group);
    if (group.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, STR("spec.group"), STR(""));
    else if (found.count > 0)
        definition_add_syntax(errors, STR("spec.group"), group, found, "");
    else if (str_find_char(group, '.') == STR_NONE)
        field_errors_add_str(errors, FIELD_INVALID, STR("spec.group"), group,
                             STR("should be a domain with at least one dot"));
}

static void check_scope(struct str scope, struct field_errors *errors)
{
    static const struct str scopes[] = {STR_INIT("Cluster"), STR_INIT("Namespaced")};
    if (scope.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, STR("spec.scope"), STR(""));
    else if (!str_eq(scope, scopes[0]) && !str_eq(scope, scopes[1]))
        field_errors_add_not_supported(errors, STR("spec.scope"), scope, scopes, COUNT(scopes));
}

static void check_required_names(const struct json_value *names, struct field_errors *errors)
{
    static const char *const required[] = {"plural", "singular", "kind", "listKind"};
    for (size_t i = 0; i < COUNT(required); i++)
        if (json_path_str(names, required[i]).len == 0)
            field_errors_add(errors, FIELD_REQUIRED,
                             definition_path(errors, STR("spec.names"), required[i]), STR(""));
}

/* The versions as messages show them: Go's internal type, with the names of its fields. */
static struct json_doc *old_versions(const struct versions *versions)
{
    SCOPED(json_builder) out = {.limit = 0};
    const struct json_value *version;
    struct json_doc *doc = NULL;
    json_builder_array(&out);
    JSON_FOREACH (key, version, versions->list) {
        json_builder_object(&out);
        json_builder_add_str(&out, "Name", json_path_str(version, "name"));
        json_builder_add_bool(&out, "Served", definition_flag(version, "served"));
        json_builder_add_bool(&out, "Storage", definition_flag(version, "storage"));
        json_builder_add_bool(&out, "Deprecated", definition_flag(version, "deprecated"));
        json_builder_add_value(&out, "DeprecationWarning",
                               json_get(version, STR("deprecationWarning")));
        for (size_t i = 0; i < PARTS; i++)
            json_builder_add_value(&out, part_names[i].shown,
                                   versions->differs[i] ? json_get(version, part_names[i].member)
                                                        : NULL);
        json_builder_end(&out);
    }
    json_builder_end(&out);
    error_free(json_builder_finish(&out, &doc));
    return doc;
}

/* How many of the first versions have this name. */
static size_t count_named(const struct json_value *versions, size_t first, struct str name)
{
    const struct json_value *version;
    size_t count = 0, i = 0;
    JSON_FOREACH (key, version, versions)
        if (i++ < first)
            count += str_eq(json_path_str(version, "name"), name);
    return count;
}

static bool is_unique(const struct json_value *versions)
{
    const struct json_value *version;
    size_t index = 0;
    JSON_FOREACH (key, version, versions)
        if (count_named(versions, index++, json_path_str(version, "name")))
            return false;
    return true;
}

/* Version names are unique, and exactly one version is the storage version. */
static void check_version_list(const struct versions *versions, struct field_errors *errors)
{
    const struct json_value *version;
    size_t stored = 0;
    if (json_count(versions->list) > DEFINITION_VERSIONS_MAX) {
        field_errors_add_too_many(errors, STR("spec.versions"), json_count(versions->list),
                                  DEFINITION_VERSIONS_MAX);
        return;
    }
    JSON_FOREACH (key, version, versions->list)
        stored += definition_flag(version, "storage");
    const bool unique = is_unique(versions->list);
    if (unique && stored == 1)
        return;
    OWNED(json_doc) shown = old_versions(versions);
    if (!unique)
        field_errors_add_value(errors, FIELD_INVALID, STR("spec.versions"), json_doc_root(shown),
                               STR("must contain unique version names"));
    if (stored != 1)
        field_errors_add_value(errors, FIELD_INVALID, STR("spec.versions"), json_doc_root(shown),
                               STR("must have exactly one version marked as storage version"));
}

/* The index in the last message counts bytes; control characters are single bytes. */
static void check_deprecation(const struct json_value *version, struct str path,
                              struct field_errors *errors)
{
    const struct json_value *warning = json_get(version, STR("deprecationWarning"));
    const struct str text = json_to_str(warning);
    const struct str field = definition_path(errors, path, "deprecationWarning");
    if (json_type(warning) != JSON_STRING)
        return;
    if (!definition_flag(version, "deprecated")) {
        field_errors_add_str(errors, FIELD_INVALID, field, text,
                             STR("can only be set for deprecated versions"));
        return;
    }
    if (text.len > 256)
        field_errors_add_str(errors, FIELD_INVALID, field, text,
                             STR("must be <= 256 characters long"));
    if (text.len == 0)
        field_errors_add_str(errors, FIELD_INVALID, field, text,
                             STR("must not be an empty string"));
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f) {
            field_errors_add_str(errors, FIELD_INVALID, field, text,
                                 arena_print(errors->arena,
                                             "must only contain printable UTF-8 characters; "
                                             "non-printable character found at index %zu",
                                             i));
            break;
        }
}

static bool has_status(const struct json_value *version)
{
    return json_type(json_path(version, "subresources.status")) == JSON_OBJECT;
}

/* Checks what belongs to one version: name, deprecation, and the parts in which versions differ. */
static void check_version(const struct json_value *version, const struct versions *versions,
                          struct str path, struct field_errors *errors)
{
    const struct json_value *schema = json_get(version, STR("schema"));
    const struct str name = json_path_str(version, "name");
    definition_add_syntax(errors, definition_path(errors, path, "name"), name,
                          validation_dns1035_label(name), "");
    check_deprecation(version, path, errors);
    if (versions->differs[PART_SCHEMA])
        definition_check_schema(schema, has_status(version),
                                definition_path(errors, path, "schema"), errors);
    if (versions->differs[PART_SUBRESOURCES])
        definition_check_subresources(json_get(version, STR("subresources")),
                                      definition_path(errors, path, "subresources"), errors);
    if (versions->differs[PART_COLUMNS])
        definition_check_columns(json_get(version, STR("additionalPrinterColumns")),
                                 definition_path(errors, path, "additionalPrinterColumns"), errors);
    if (versions->differs[PART_SELECTABLE])
        definition_check_selectable(json_get(version, STR("selectableFields")), schema,
                                    definition_path(errors, path, "selectableFields"), errors);
}

/*
 * Checks the parts that all versions share. If any version has /status, the keywords at the root of
 * the shared schema are restricted.
 */
static void check_common(const struct versions *versions, struct field_errors *errors)
{
    const struct json_value *version;
    const struct json_value *schema = json_get(json_at(versions->list, 0), STR("schema"));
    bool any_status = false;
    JSON_FOREACH (key, version, versions->list)
        any_status = any_status || has_status(version);
    definition_check_schema(versions->common[PART_SCHEMA], any_status, STR("spec.validation"),
                            errors);
    definition_check_subresources(versions->common[PART_SUBRESOURCES], STR("spec.subresources"),
                                  errors);
    definition_check_columns(versions->common[PART_COLUMNS], STR("spec.additionalPrinterColumns"),
                             errors);
    definition_check_selectable(versions->common[PART_SELECTABLE],
                                versions->differs[PART_SCHEMA] ? NULL : schema,
                                STR("spec.selectableFields"), errors);
}

/* Every served version needs a schema. */
static void require_schemas(const struct json_value *versions, struct field_errors *errors)
{
    const struct json_value *version;
    size_t index = 0;
    JSON_FOREACH (key, version, versions) {
        const struct str path = definition_path_index(errors, STR("spec.versions"), index++);
        if (definition_flag(version, "served") &&
            json_type(json_path(version, "schema.openAPIV3Schema")) != JSON_OBJECT)
            field_errors_add(errors, FIELD_REQUIRED,
                             definition_path(errors, path, "schema.openAPIV3Schema"), STR(""));
    }
}

static void check_spec(const struct json_value *spec, struct field_errors *errors)
{
    const struct versions versions = versions_of(spec);
    const struct json_value *names = json_get(spec, STR("names")), *version;
    const struct str first = json_path_str(json_at(versions.list, 0), "name");
    size_t index = 0;
    check_group(json_path_str(spec, "group"), errors);
    check_scope(json_path_str(spec, "scope"), errors);
    require_schemas(versions.list, errors);
    JSON_FOREACH (key, version, versions.list)
        check_version(version, &versions,
                      definition_path_index(errors, STR("spec.versions"), index++), errors);
    check_version_list(&versions, errors);
    if (json_count(versions.list) > 0) /* the older form names the first one again */
        definition_add_syntax(errors, STR("spec.version"), first, validation_dns1035_label(first),
                              "");
    check_required_names(names, errors);
    check_names(names, STR("spec.names"), errors);
    check_common(&versions, errors);
    definition_check_conversion(json_get(spec, STR("conversion")), errors);
}

/*
 * status.storedVersions names the storage version, and only versions that exist: objects may still
 * be stored in them.
 */
static void check_stored(const struct json_value *stored, const struct json_value *versions,
                         struct field_errors *errors)
{
    static const struct str field = STR_INIT("status.storedVersions");
    const struct json_value *value;
    size_t index = 0;
    if (json_count(stored) == 0) {
        field_errors_add_value(errors, FIELD_INVALID, field, NULL,
                               STR("must have at least one stored version"));
        return;
    }
    if (json_count(stored) > DEFINITION_VERSIONS_MAX) {
        field_errors_add_too_many(errors, field, json_count(stored), DEFINITION_VERSIONS_MAX);
        return;
    }
    JSON_FOREACH (key, value, versions) {
        const struct str name = json_path_str(value, "name");
        if (definition_flag(value, "storage") && !definition_has_text(stored, name))
            field_errors_add_value(
                errors, FIELD_INVALID, field, stored,
                arena_print(errors->arena, "must have the storage version %.*s", STR_ARG(name)));
    }
    JSON_FOREACH (each, value, stored) {
        const struct str name = json_to_str(value);
        if (count_named(versions, SIZE_MAX, name) == 0)
            field_errors_add_str(
                errors, FIELD_INVALID, definition_path_index(errors, field, index), name,
                arena_print(errors->arena,
                            "missing from spec.versions; %.*s was previously a storage version, "
                            "and must remain in spec.versions until a storage migration ensures "
                            "no data remains persisted in %.*s and removes %.*s from "
                            "status.storedVersions",
                            STR_ARG(name), STR_ARG(name), STR_ARG(name)));
        index++;
    }
}

/* preserveUnknownFields is a field of v1beta1. It may stay true but not become true. */
static void check_preserve(const struct json_value *definition, const struct json_value *old,
                           struct field_errors *errors)
{
    const struct json_value *spec = json_get(definition, STR("spec"));
    if (definition_flag(spec, "preserveUnknownFields") &&
        !definition_flag(json_get(old, STR("spec")), "preserveUnknownFields"))
        field_errors_add_value(errors, FIELD_INVALID, STR("spec.preserveUnknownFields"),
                               json_get(spec, STR("preserveUnknownFields")),
                               STR("cannot set to true, set x-kubernetes-preserve-unknown-fields "
                                   "to true in spec.versions[*].schema instead"));
}

static void check_name(const struct json_value *definition, struct field_errors *errors)
{
    const struct str name = json_path_str(definition, "metadata.name");
    const struct str wanted = arena_print(errors->arena, "%.*s.%.*s",
                                          STR_ARG(json_path_str(definition, "spec.names.plural")),
                                          STR_ARG(json_path_str(definition, "spec.group")));
    if (!str_eq(name, wanted))
        field_errors_add_str(errors, FIELD_INVALID, STR("metadata.name"), name,
                             STR("must be spec.names.plural+\".\"+spec.group"));
}

/*
 * The place of objects in the store depends on these fields. Scope and kind may change until the
 * definition is established.
 */
static void check_immutable(const struct json_value *definition, const struct json_value *old,
                            struct field_errors *errors)
{
    static const struct {
        const char *path;
        bool once_established;
    } fields[] = {
        {"spec.scope",        true },
        {"spec.names.kind",   true },
        {"spec.group",        false},
        {"spec.names.plural", false},
    };
    const bool is_established = definition_is_established(old);
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct str value = json_path_str(definition, fields[i].path);
        if ((!fields[i].once_established || is_established) &&
            !str_eq(value, json_path_str(old, fields[i].path)))
            field_errors_add_str(errors, FIELD_INVALID, str_from_c(fields[i].path), value,
                                 STR("field is immutable"));
    }
}

/* The order of the checks is the order of the errors in the answer. */
void definition_validate(const struct json_value *definition, const struct json_value *old,
                         struct field_errors *errors)
{
    const struct json_value *spec = json_get(definition, STR("spec"));
    if (!old)
        check_name(definition, errors);
    check_spec(spec, errors);
    if (old)
        check_immutable(definition, old, errors);
    check_names(json_path(definition, "status.acceptedNames"), STR("status.acceptedNames"), errors);
    check_stored(json_path(definition, "status.storedVersions"), json_get(spec, STR("versions")),
                 errors);
    definition_check_approval(definition, old, errors);
    check_preserve(definition, old, errors);
}
