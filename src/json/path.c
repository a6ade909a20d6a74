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

/* A leading zero is refused, as in RFC 6901. */
bool json_path_index(struct str name, size_t *ret_index)
{
    uint64_t index;
    if (name.len > 1 && name.ptr[0] == '0')
        return false;
    if (!str_to_uint64(name, &index))
        return false;
    *ret_index = (size_t)index;
    return true;
}

static const struct json_value *find_child(const struct json_value *value, struct str name)
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
        value = find_child(value, name);
    return value;
}

struct str json_path_str(const struct json_value *value, const char *path)
{
    return json_to_str(json_path(value, path));
}
