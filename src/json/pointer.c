#include "json/pointer.h"

#include "json/path.h"

bool json_pointer_next(struct str *pointer, struct buf *ret_name)
{
    struct str name;
    buf_clear(ret_name);
    if (!pointer->len)
        return false;
    *pointer = str_skip(*pointer, 1);
    const size_t end = str_find_char(*pointer, '/');
    name = str_slice(*pointer, 0, end == STR_NONE ? pointer->len : end);
    *pointer = str_skip(*pointer, name.len);
    for (size_t i = 0; i < name.len; i++) {
        const bool is_escape = name.ptr[i] == '~' && i + 1 < name.len;
        i += is_escape;
        buf_add_char(ret_name, !is_escape ? name.ptr[i] : name.ptr[i] == '0' ? '~' : '/');
    }
    return true;
}

const struct json_value *json_pointer_find(const struct json_value *value, struct str pointer)
{
    SCOPED(buf) name = {.limit = 0};
    size_t index;
    if (pointer.len && pointer.ptr[0] != '/')
        return NULL;
    while (value && json_pointer_next(&pointer, &name)) {
        if (json_type(value) != JSON_ARRAY)
            value = json_get(value, buf_str(&name));
        else
            value = json_path_index(buf_str(&name), &index) ? json_at(value, index) : NULL;
    }
    return value;
}
