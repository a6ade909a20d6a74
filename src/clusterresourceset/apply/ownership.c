#include "clusterresourceset/apply/ownership.h"

#include "base/sha256.h"
#include "clusterresourceset/apply/ignored.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/merge_patch.h"
#include "json/path.h"

#define BEFORE_FIRST_APPLY STR("before-first-apply")

static const struct json_value *entries_of(const struct object *object)
{
    return json_get(object_metadata(object), STR("managedFields"));
}

static bool is_entry_of(const struct json_value *entry, struct str manager, const char *operation)
{
    return str_eq(json_path_str(entry, "manager"), manager) &&
           str_eq(json_path_str(entry, "operation"), str_from_c(operation)) &&
           !json_path_str(entry, "subresource").len;
}

static const struct json_value *find_own(const struct object *object, struct str manager)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, entries_of(object))
        if (is_entry_of(entry, manager, "Apply"))
            return entry;
    return NULL;
}

/* An empty set of fields, if what is left cannot be read. */
static struct json_doc *without_ignored(const struct json_value *fields,
                                        const struct delivery_policy_texts *ignored)
{
    SCOPED(buf) text = {.limit = 0};
    struct json_doc *doc = NULL;
    ignored_write_fields(fields, ignored, &text);
    error_free(json_read(buf_str(&text), &doc));
    return doc;
}

struct str ownership_digest(const struct object *object, struct str manager,
                            const struct delivery_policy_texts *ignored,
                            char text[static OWNERSHIP_DIGEST_LEN + 1])
{
    SCOPED(buf) fields = {.limit = 0};
    const struct json_value *entry = find_own(object, manager);
    if (!entry)
        return STR("");
    OWNED(json_doc) left = NULL;
    if (ignored && ignored->count)
        left = without_ignored(json_get(entry, STR("fieldsV1")), ignored);
    json_write_canonical(&fields, left ? json_doc_root(left) : json_get(entry, STR("fieldsV1")));
    for (size_t i = 0; ignored && i < ignored->count; i++)
        buf_print(&fields, "\n%.*s", STR_ARG(ignored->items[i]));
    return sha256_start(buf_str(&fields), OWNERSHIP_DIGEST_LEN, text);
}

const struct json_value *ownership_fields(const struct object *object, struct str manager)
{
    return json_get(find_own(object, manager), STR("fieldsV1"));
}

bool ownership_is_adopted(const struct json_value *entry, const struct delivery_policy_texts *adopt)
{
    if (is_entry_of(entry, BEFORE_FIRST_APPLY, "Update"))
        return true;
    for (size_t i = 0; i < adopt->count; i++)
        if (is_entry_of(entry, adopt->items[i], "Update"))
            return true;
    return false;
}

/* The version in which our entry is, or will be. */
static struct str own_version(const struct object *object, struct str manager)
{
    const struct json_value *own = find_own(object, manager);
    return own ? json_path_str(own, "apiVersion") : object_api_version(object);
}

bool ownership_is_adoptable(const struct object *object, const struct delivery_policy_texts *adopt)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, entries_of(object))
        if (ownership_is_adopted(entry, adopt) &&
            str_eq(json_path_str(entry, "apiVersion"), object_api_version(object)))
            return true;
    return false;
}

/* Fields are objects all the way down, so that a merge of two sets is their union. */
struct error *ownership_join(const struct object *object, struct str manager,
                             const struct delivery_policy_texts *adopt,
                             struct json_doc **ret_fields)
{
    const struct str version = own_version(object, manager);
    const struct json_value *own = json_get(find_own(object, manager), STR("fieldsV1")), *entry;
    OWNED(json_doc) fields = NULL;
    if (own)
        fields = json_doc_copy(own);
    else
        TRY(json_read(STR("{}"), &fields));
    JSON_FOREACH (key, entry, entries_of(object)) {
        const struct json_value *theirs = json_get(entry, STR("fieldsV1"));
        struct json_doc *joined = NULL;
        if (!ownership_is_adopted(entry, adopt) ||
            !str_eq(json_path_str(entry, "apiVersion"), version) ||
            json_type(theirs) != JSON_OBJECT)
            continue;
        TRY(merge_patch_apply(json_doc_root(fields), theirs, &joined));
        json_doc_free(fields);
        fields = joined;
    }
    *ret_fields = TAKE(fields);
    return NULL;
}

static void build_own(struct json_builder *builder, struct str manager, struct str version,
                      const struct json_value *fields)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "manager", manager);
    json_builder_add_str(builder, "operation", STR("Apply"));
    json_builder_add_str(builder, "apiVersion", version);
    json_builder_add_str(builder, "fieldsType", STR("FieldsV1"));
    json_builder_add_value(builder, "fieldsV1", fields);
    json_builder_end(builder);
}

static void build_replace(struct json_builder *builder, const char *path)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "op", STR("replace"));
    json_builder_add_str(builder, "path", str_from_c(path));
}

struct error *ownership_adopt(const struct object *object, struct str manager,
                              const struct delivery_policy_texts *adopt, struct buf *patch)
{
    const struct str version = own_version(object, manager);
    const struct json_value *entry;
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) fields = NULL;
    OWNED(json_doc) doc = NULL;
    TRY(ownership_join(object, manager, adopt, &fields));
    json_builder_array(&builder);
    build_replace(&builder, "/metadata/managedFields");
    json_builder_add_array(&builder, "value");
    build_own(&builder, manager, version, json_doc_root(fields));
    JSON_FOREACH (key, entry, entries_of(object))
        if (!is_entry_of(entry, manager, "Apply") &&
            (!ownership_is_adopted(entry, adopt) ||
             !str_eq(json_path_str(entry, "apiVersion"), version)))
            json_builder_value(&builder, entry);
    json_builder_end(&builder);
    json_builder_end(&builder);
    build_replace(&builder, "/metadata/resourceVersion");
    json_builder_add_str(&builder, "value", object_resource_version(object));
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(patch, json_doc_root(doc));
    return buf_check(patch);
}
