#include "json/path.h"

bool json_path_next(const char **path, struct str *ret_name)
{
    if (**path == '\0')
        return false;
    const size_t len = strcspn(*path, ".");
    *ret_name = str_from(*path, len);
    *path += len + ((*path)[len] == '.');
    return true;
}

bool json_path_index(struct str name, size_t *ret_index)
{
    uint64_t index;
    if (name.len > 1 && name.ptr[0] == '0')
        return false;
    if (name.len == 0 || name.ptr[0] < '0' || name.ptr[0] > '9' || !str_to_uint64(name, &index))
        return false;
    *ret_index = (size_t)index;
    return true;
}

static const struct json_value *child(const struct json_value *value, struct str name)
{
    size_t index;
    if (json_type(value) == JSON_ARRAY)
        return json_path_index(name, &index) ? json_at(value, index) : NULL;
    return json_get(value, name);
}

const struct json_value *json_path(const struct json_value *value, const char *path)
{
    struct str name;
    while (value && json_path_next(&path, &name))
        value = child(value, name);
    return value;
}

struct str json_path_str(const struct json_value *value, const char *path)
{
    return json_to_str(json_path(value, path));
}

/* The first of both escapes counts, so that ~01 is ~1. */
static void unescape(struct str name, struct buf *ret_name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        const char next = i + 1 < name.len ? name.ptr[i + 1] : '\0';
        const bool escape = c == '~' && (next == '0' || next == '1');
        buf_add_char(ret_name, !escape ? c : next == '0' ? '~' : '/');
        i += escape;
    }
}

static const struct json_value *escaped_child(const struct json_value *value, struct str name)
{
    if (str_find_char(name, '~') == STR_NONE)
        return child(value, name);
    SCOPED(buf) plain = {.limit = 0};
    unescape(name, &plain);
    return child(value, buf_str(&plain));
}

const struct json_value *json_pointer(const struct json_value *value, struct str pointer)
{
    if (pointer.len && pointer.ptr[0] != '/')
        return NULL;
    struct str rest = str_skip(pointer, 1), name;
    for (bool more = pointer.len > 0; more && value;) {
        more = str_cut(&rest, '/', &name);
        value = escaped_child(value, name);
    }
    return value;
}

void json_pointer_add(struct buf *pointer, struct str name)
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
