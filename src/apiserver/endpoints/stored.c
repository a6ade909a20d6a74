#include "apiserver/endpoints/stored.h"

#include "apiserver/crd/crd.h"
#include "base/buf.h"

static struct error *write_text(const struct json_value *object, struct object_text **ret_text)
{
    SCOPED(buf) text = {.limit = 0, .secret = true};
    json_write_with(&text, object, JSON_WRITE_ESCAPE_HTML);
    TRY(buf_check(&text));
    return object_text_from_json(buf_str(&text), ret_text);
}

struct error *stored_text(const struct kind *kind, struct json_doc *doc,
                          struct object_text **ret_text)
{
    OWNED(json_doc) converted = NULL;
    if (!kind->is_custom)
        return write_text(json_doc_root(doc), ret_text);
    TRY(crd_to_storage(kind, doc, &converted));
    return write_text(json_doc_root(converted), ret_text);
}
