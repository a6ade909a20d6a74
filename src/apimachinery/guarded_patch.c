#include "apimachinery/guarded_patch.h"

#include "json/edit.h"
#include "json/merge_patch.h"

/*
 * merge_patch_diff() gives an empty patch for equal objects. Nothing is written then, and the
 * caller sends no request.
 */
struct error *guarded_patch_write(const struct object *before, const struct json_value *after,
                                  struct buf *out)
{
    OWNED(json_doc) patch = NULL;
    OWNED(json_doc) guarded = NULL;
    SCOPED(json_edit) edit = {0};
    TRY(merge_patch_diff(object_root(before), after, &patch));
    if (json_count(json_doc_root(patch)) == 0)
        return NULL;
    json_edit_init(&edit, json_doc_root(patch));
    json_edit_set_str(&edit, JSON_PLACE("metadata.resourceVersion"),
                      object_resource_version(before));
    TRY(json_edit_finish(&edit, &guarded));
    json_write(out, json_doc_root(guarded));
    return NULL;
}
