#include "apiserver/stored.h"

#include "custom/custom.h"
#include "json/edit.h"
#include "json/path.h"

static struct error *write_text(const struct json_value *object, struct object_text **ret_text)
{
    SCOPED(buf) text = {.limit = 0, .secret = true};
    json_write_with(&text, object, JSON_WRITE_ESCAPE_HTML);
    TRY(buf_check(&text));
    return object_text_from_json(buf_str(&text), ret_text);
}

static struct error *in_storage_version(const struct kind *kind, struct json_doc *doc,
                                        struct object_text **ret_text)
{
    SCOPED(arena) arena = {0};
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) changed = NULL;
    struct gvk gvk = kind->gvk;
    gvk.version = custom_storage_version(custom_of_kind(kind));
    if (str_eq(gvk.version, kind->gvk.version))
        return write_text(json_doc_root(doc), ret_text);
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_set_str(&edit, JSON_PLACE("apiVersion"), gvk_api_version(&arena, gvk));
    TRY(json_edit_finish(&edit, &changed));
    return write_text(json_doc_root(changed), ret_text);
}

struct error *stored_text(const struct kind *kind, struct json_doc *doc,
                          struct object_text **ret_text)
{
    return kind->is_custom ? in_storage_version(kind, doc, ret_text)
                           : write_text(json_doc_root(doc), ret_text);
}
