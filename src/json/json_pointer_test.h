/*
 * JSON pointers (RFC 6901) for tests: recorded exchanges name the values they check by pointer. The
 * program itself uses dotted paths (json/path.h), and json/patch_target.h for the paths of patches.
 */
#pragma once

#include "json/path.h"

/* ~1 is "/" and ~0 is "~", read in one pass, so that ~01 is "~1". */
static inline void json_pointer_unescape(struct str name, struct buf *ret_name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char next = i + 1 < name.len ? name.ptr[i + 1] : '\0';
        const bool escape = name.ptr[i] == '~' && (next == '0' || next == '1');
        buf_add_char(ret_name, !escape ? name.ptr[i] : next == '0' ? '~' : '/');
        i += escape;
    }
}

static inline const struct json_value *json_pointer_child(const struct json_value *value,
                                                          struct str escaped)
{
    size_t index;
    SCOPED(buf) name = {.limit = 0};
    json_pointer_unescape(escaped, &name);
    if (json_type(value) == JSON_ARRAY)
        return json_path_index(buf_str(&name), &index) ? json_at(value, index) : NULL;
    return json_get(value, buf_str(&name));
}

/* "" or "/a~1b/0"; a pointer that does not start with "/" points nowhere. */
static inline const struct json_value *json_pointer(const struct json_value *value,
                                                    struct str pointer)
{
    if (pointer.len && pointer.ptr[0] != '/')
        return NULL;
    struct str rest = str_skip(pointer, 1), name;
    for (bool more = pointer.len > 0; more && value;) {
        more = str_cut(&rest, '/', &name);
        value = json_pointer_child(value, name);
    }
    return value;
}

/* Adds "/" and the name with "~" and "/" escaped. */
static inline void json_pointer_add(struct buf *pointer, struct str name)
{
    buf_add_char(pointer, '/');
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '~')
            buf_add(pointer, STR("~0"));
        else if (name.ptr[i] == '/')
            buf_add(pointer, STR("~1"));
        else
            buf_add_char(pointer, name.ptr[i]);
    }
}
