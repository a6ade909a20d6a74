#include "cmd/object_name.h"

#include "base/ascii.h"
#include "cmd/terminal.h"

void object_name_add_resource(struct buf *out, const struct object *resource)
{
    const struct key key = object_key(resource);
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "%.*s %.*s%s%.*s", STR_ARG(object_kind(resource)), STR_ARG(key.namespace),
              key.namespace.len ? "/" : "", STR_ARG(key.name));
    terminal_add_shown(out, buf_str(&text));
}

void object_name_add(struct buf *out, const struct object *object)
{
    const struct gvk gvk = object_gvk(object);
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < gvk.kind.len; i++)
        buf_add_char(&text, ascii_to_lower(gvk.kind.ptr[i]));
    buf_print(&text, "%s%.*s/%.*s", gvk.group.len ? "." : "", STR_ARG(gvk.group),
              STR_ARG(object_name(object)));
    terminal_add_shown(out, buf_str(&text));
}
