#include "clusterresourceset/apply/apply_difference.h"

#include "json/builder.h"
#include "json/merge_patch.h"

/* Metadata that the server sets, and name and namespace, by which the object was found. */
static const struct str left_out[] = {
    STR_INIT("name"),
    STR_INIT("namespace"),
    STR_INIT("uid"),
    STR_INIT("resourceVersion"),
    STR_INIT("generation"),
    STR_INIT("creationTimestamp"),
    STR_INIT("deletionTimestamp"),
    STR_INIT("deletionGracePeriodSeconds"),
    STR_INIT("managedFields"),
    STR_INIT("selfLink"),
};

/* Other controllers write these: they change only if the manifest has them. */
static const struct str kept[] = {STR_INIT("finalizers"), STR_INIT("ownerReferences")};

static bool is_among(struct str name, const struct str *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(name, names[i]))
            return true;
    return false;
}

static bool is_sent(struct str name, const struct json_value *manifest_metadata)
{
    if (is_among(name, left_out, COUNT(left_out)))
        return false;
    return !is_among(name, kept, COUNT(kept)) || json_get(manifest_metadata, name) != NULL;
}

static void add_metadata(struct json_builder *builder, const struct json_value *changes,
                         const struct json_value *manifest_metadata)
{
    const struct json_value *value;
    bool any = false;
    JSON_FOREACH (name, value, changes) {
        if (!is_sent(name, manifest_metadata))
            continue;
        if (!any)
            json_builder_add_object(builder, "metadata");
        any = true;
        json_builder_key(builder, name);
        json_builder_value(builder, value);
    }
    if (any)
        json_builder_end(builder);
}

/* Drops the changes that are not sent. */
static struct error *choose_changes(const struct json_value *changes,
                                    const struct json_value *manifest, struct json_doc **ret_patch)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *value;
    json_builder_object(&builder);
    JSON_FOREACH (name, value, changes) {
        if (str_eq(name, STR("status")))
            continue;
        if (str_eq(name, STR("metadata"))) {
            add_metadata(&builder, value, json_get(manifest, name));
            continue;
        }
        json_builder_key(&builder, name);
        json_builder_value(&builder, value);
    }
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_patch);
}

struct error *apply_difference(const struct json_value *live, const struct json_value *manifest,
                               struct buf *out, bool *ret_differs)
{
    OWNED(json_doc) before = NULL;
    OWNED(json_doc) after = NULL;
    OWNED(json_doc) changes = NULL;
    OWNED(json_doc) patch = NULL;
    /* Merging into nothing removes nulls, as the server does: otherwise they would differ forever.
     */
    TRY(merge_patch_apply(NULL, live, &before));
    TRY(merge_patch_apply(NULL, manifest, &after));
    TRY(merge_patch_diff(json_doc_root(before), json_doc_root(after), &changes));
    TRY(choose_changes(json_doc_root(changes), manifest, &patch));
    *ret_differs = json_count(json_doc_root(patch)) > 0;
    if (*ret_differs)
        json_write_with(out, json_doc_root(patch), JSON_WRITE_NUMBERS_AS_READ);
    return buf_check(out);
}
