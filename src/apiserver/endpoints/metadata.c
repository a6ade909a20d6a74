/*
 * Mirrors rest.BeforeCreate, rest.BeforeUpdate and validation.ValidateObjectMetaUpdate of
 * k8s.io/apiserver and apimachinery, for the part of the metadata that does not depend on the kind.
 * The rules for names, labels and annotations are in apimachinery/metadata_validation.
 */
#include "apiserver/endpoints/metadata.h"

#include "base/buf.h"
#include "base/quote.h"
#include "base/random.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

#define GENERATED_PREFIX_MAX 58
#define GENERATED_LETTERS    5

struct error *metadata_create(struct json_doc *doc, const struct metadata_new *values,
                              struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit = {0};
    char now[TIMESTAMP_TEXT_MAX];
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_set_str(&edit, JSON_PLACE("metadata.name"), values->name);
    if (values->namespace.len)
        json_edit_set_str(&edit, JSON_PLACE("metadata.namespace"), values->namespace);
    else
        json_edit_remove(&edit, JSON_PLACE("metadata.namespace"));
    json_edit_set_str(&edit, JSON_PLACE("metadata.uid"), values->uid);
    json_edit_set_str(&edit, JSON_PLACE("metadata.creationTimestamp"),
                      timestamp_write(values->now, now));
    if (values->has_generation)
        json_edit_set_int(&edit, JSON_PLACE("metadata.generation"), 1);
    json_edit_remove(&edit, JSON_PLACE("metadata.resourceVersion"));
    json_edit_remove(&edit, JSON_PLACE("metadata.deletionTimestamp"));
    json_edit_remove(&edit, JSON_PLACE("metadata.deletionGracePeriodSeconds"));
    json_edit_remove(&edit, JSON_PLACE("metadata.selfLink"));
    return json_edit_finish(&edit, ret_doc);
}

/* NULL means the old object does not have the field, so the new one must not have it either. */
static void keep_value(struct json_edit *edit, struct json_place place,
                       const struct json_value *value)
{
    if (value)
        json_edit_set(edit, place, value);
    else
        json_edit_remove(edit, place);
}

/*
 * The client may repeat such a field, and metadata_check_change() compares it later; when it is
 * absent or empty, the old value is kept.
 */
static void keep_unless_given(struct json_edit *edit, struct json_place place,
                              const struct json_value *given, const struct json_value *value)
{
    const bool absent = json_type(given) <= JSON_NULL ||
                        (json_type(given) == JSON_STRING && json_to_str(given).len == 0);
    if (absent)
        keep_value(edit, place, value);
}

struct error *metadata_keep(struct json_doc *doc, const struct json_value *old,
                            struct str namespace, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit = {0};
    const struct json_value *now = json_get(json_doc_root(doc), STR("metadata"));
    const struct json_value *was = json_get(old, STR("metadata"));
    json_edit_init(&edit, json_doc_root(doc));
    keep_value(&edit, JSON_PLACE("metadata.creationTimestamp"),
               json_get(was, STR("creationTimestamp")));
    keep_value(&edit, JSON_PLACE("metadata.selfLink"), NULL);
    keep_value(&edit, JSON_PLACE("metadata.generation"), json_get(was, STR("generation")));
    keep_unless_given(&edit, JSON_PLACE("metadata.uid"), json_get(now, STR("uid")),
                      json_get(was, STR("uid")));
    /* Once it is set, any other time is ignored. Before, metadata_check_change() refuses it. */
    keep_unless_given(&edit, JSON_PLACE("metadata.deletionTimestamp"),
                      metadata_is_deleting(old) ? NULL : json_get(now, STR("deletionTimestamp")),
                      json_get(was, STR("deletionTimestamp")));
    keep_unless_given(&edit, JSON_PLACE("metadata.deletionGracePeriodSeconds"),
                      json_get(now, STR("deletionGracePeriodSeconds")),
                      json_get(was, STR("deletionGracePeriodSeconds")));
    keep_value(&edit, JSON_PLACE("metadata.resourceVersion"),
               json_get(was, STR("resourceVersion")));
    if (namespace.len)
        json_edit_set_str(&edit, JSON_PLACE("metadata.namespace"), namespace);
    else
        json_edit_remove(&edit, JSON_PLACE("metadata.namespace"));
    return json_edit_finish(&edit, ret_doc);
}

/*
 * Whether every member of a that counts for the generation is equal in b. The caller asks both
 * ways, because b may have more members.
 */
static bool counted_members_equal(const struct json_value *a, const struct json_value *b,
                                  bool status_apart)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, a) {
        if (str_eq(key, STR("metadata")) || (status_apart && str_eq(key, STR("status"))) ||
            str_eq(key, STR("apiVersion")))
            continue;
        if (!json_equal(value, json_get(b, key)))
            return false;
    }
    return true;
}

struct error *metadata_count_generation(struct json_doc *doc, const struct json_value *old,
                                        unsigned counting, struct json_doc **ret_doc)
{
    const struct json_value *now = json_doc_root(doc);
    const bool status_apart = (counting & METADATA_STATUS_APART) != 0;
    const bool same_annotations =
        !(counting & METADATA_COUNTS_ANNOTATIONS) ||
        json_equal(json_path(now, "metadata.annotations"), json_path(old, "metadata.annotations"));
    if (same_annotations && counted_members_equal(now, old, status_apart) &&
        counted_members_equal(old, now, status_apart)) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    SCOPED(json_edit) edit = {0};
    int64_t generation = 0;
    (void)json_to_int64(json_path(old, "metadata.generation"), &generation);
    json_edit_init(&edit, now);
    json_edit_set_int(&edit, JSON_PLACE("metadata.generation"), generation + 1);
    return json_edit_finish(&edit, ret_doc);
}

struct error *metadata_set_version(struct json_doc *doc, int64_t revision,
                                   struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit = {0};
    char digits[STR_NUMBER_MAX];
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_set_str(&edit, JSON_PLACE("metadata.resourceVersion"),
                      str_number((uint64_t)revision, digits));
    return json_edit_finish(&edit, ret_doc);
}

static bool contains(const struct json_value *list, struct str text)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, list)
        if (str_eq(json_to_str(item), text))
            return true;
    return false;
}

/* An object that is being deleted gets no new finalizers, or deletion might never end. */
static void check_late_finalizers(struct field_errors *errors, const struct json_value *object,
                                  const struct json_value *old)
{
    const struct json_value *before = json_path(old, "metadata.finalizers"), *item;
    SCOPED(buf) late = {.limit = 0};
    JSON_FOREACH (key, item, json_path(object, "metadata.finalizers")) {
        if (contains(before, json_to_str(item)))
            continue;
        buf_add(&late, late.len ? STR(", ") : STR(""));
        str_quote_go(&late, json_to_str(item));
    }
    if (late.len)
        field_errors_add(errors, FIELD_FORBIDDEN, STR("metadata.finalizers"),
                         arena_print(errors->arena,
                                     "no new finalizers can be added if the object is being "
                                     "deleted, found new finalizers []string{%.*s}",
                                     STR_ARG(buf_str(&late))));
}

static void check_immutable(struct field_errors *errors, const struct json_value *object,
                            const struct json_value *old, const char *path)
{
    const struct json_value *now = json_path(object, path);
    if (!json_equal(now, json_path(old, path)))
        field_errors_add_value(errors, FIELD_INVALID, str_from_c(path), now,
                               STR("field is immutable"));
}

void metadata_check_change(struct field_errors *errors, const struct json_value *object,
                           const struct json_value *old)
{
    if (metadata_is_deleting(old))
        check_late_finalizers(errors, object, old);
    check_immutable(errors, object, old, "metadata.name");
    check_immutable(errors, object, old, "metadata.namespace");
    check_immutable(errors, object, old, "metadata.uid");
    check_immutable(errors, object, old, "metadata.creationTimestamp");
    check_immutable(errors, object, old, "metadata.deletionTimestamp");
    check_immutable(errors, object, old, "metadata.deletionGracePeriodSeconds");
}

/* Whether the name has a domain or is a standard finalizer of Kubernetes. */
static bool is_qualified_finalizer(struct str name)
{
    static const struct str standard[] = {STR_INIT("orphan"), STR_INIT("foregroundDeletion"),
                                          STR_INIT("kubernetes")};
    for (size_t i = 0; i < COUNT(standard); i++)
        if (str_eq(name, standard[i]))
            return true;
    return str_contains(name, STR("/"));
}

void metadata_warn_finalizers(struct json_warnings *warnings, const struct json_value *object,
                              const struct json_value *old)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(object, "metadata.finalizers")) {
        const struct str name = json_to_str(item);
        if (is_qualified_finalizer(name) || contains(json_path(old, "metadata.finalizers"), name))
            continue;
        json_warn(warnings, arena_print(warnings->arena,
                                        "metadata.finalizers: \"%.*s\": prefer a domain-qualified "
                                        "finalizer name including a path (/) to avoid accidental "
                                        "conflicts with other finalizer writers",
                                        STR_ARG(name)));
    }
}

void metadata_check_qualified_finalizers(struct field_errors *errors,
                                         const struct json_value *object)
{
    const struct json_value *item;
    size_t index = 0;
    JSON_FOREACH (key, item, json_path(object, "metadata.finalizers")) {
        const struct str name = json_to_str(item);
        if (!is_qualified_finalizer(name))
            field_errors_add_str(
                errors, FIELD_INVALID,
                arena_print(errors->arena, "metadata.finalizers[%zu]", index), name,
                STR("name is neither a standard finalizer name nor is it fully qualified"));
        index++;
    }
}

/* The characters are those of utilrand.String(): no vowels, so that names do not form words. */
struct str metadata_generate_name(struct arena *arena, struct random *random, struct str prefix)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    prefix =
        str_slice(prefix, 0, prefix.len < GENERATED_PREFIX_MAX ? prefix.len : GENERATED_PREFIX_MAX);
    char *name = arena_alloc(arena, prefix.len + GENERATED_LETTERS);
    memcpy(name, prefix.ptr, prefix.len);
    for (size_t i = 0; i < GENERATED_LETTERS; i++)
        name[prefix.len + i] = letters[random_below(random, sizeof(letters) - 1)];
    return str_from(name, prefix.len + GENERATED_LETTERS);
}

bool metadata_has_finalizers(const struct json_value *object)
{
    return json_count(json_path(object, "metadata.finalizers")) > 0;
}

bool metadata_is_deleting(const struct json_value *object)
{
    return json_type(json_path(object, "metadata.deletionTimestamp")) == JSON_STRING;
}

int64_t metadata_grace(const struct json_value *object)
{
    int64_t grace = 0;
    (void)json_to_int64(json_path(object, "metadata.deletionGracePeriodSeconds"), &grace);
    return grace;
}

bool metadata_is_finished(const struct json_value *object)
{
    return metadata_is_deleting(object) && !metadata_has_finalizers(object) &&
           metadata_grace(object) == 0 && json_count(json_path(object, "spec.finalizers")) == 0;
}
