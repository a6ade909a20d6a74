#include "peers/conformance/difference.h"

#include <string.h>

#include "base/buf.h"
#include "json/path.h"

#define SHOWN_MAX ((size_t)300)

static void grow(struct differences *differences)
{
    const size_t capacity = differences->capacity ? 2 * differences->capacity : 8;
    struct difference *items = arena_alloc_array(differences->arena, capacity, sizeof(*items));
    if (differences->count)
        memcpy(items, differences->items, differences->count * sizeof(*items));
    differences->items = items;
    differences->capacity = capacity;
}

void differences_add(struct differences *differences, struct str place, struct str text)
{
    if (differences->count == differences->capacity)
        grow(differences);
    differences->items[differences->count++] = (struct difference){
        arena_str(differences->arena, place),
        arena_str(differences->arena, text),
    };
}

static struct str cut(struct arena *arena, struct str text)
{
    if (text.len <= SHOWN_MAX)
        return text;
    size_t end = SHOWN_MAX;
    while (end && ((unsigned char)text.ptr[end] & 0xC0) == 0x80)
        end--; /* not inside a character */
    return arena_print(arena, "%.*s… (%zu bytes)", STR_ARG(str_slice(text, 0, end)), text.len);
}

struct str difference_show(struct arena *arena, const struct json_value *value)
{
    return value ? cut(arena, json_write_arena(arena, value)) : STR("nothing");
}

static void add_brief(struct buf *out, struct arena *arena, const struct json_value *element)
{
    const struct str type = json_path_str(element, "type");
    struct str name = json_path_str(element, "metadata.name");
    if (!name.len)
        name = json_path_str(element, "object.metadata.name");
    if (type.len || name.len)
        buf_print(out, "%.*s%s%.*s", STR_ARG(type), type.len && name.len ? " " : "", STR_ARG(name));
    else
        buf_add(out, difference_show(arena, element));
}

struct str difference_show_elements(struct arena *arena, const struct json_value *array)
{
    SCOPED(buf) out = {0};
    const struct json_value *element;
    if (json_type(array) != JSON_ARRAY)
        return difference_show(arena, array);
    JSON_FOREACH (key, element, array) {
        buf_add(&out, out.len ? STR(", ") : STR("["));
        add_brief(&out, arena, element);
    }
    buf_add(&out, out.len ? STR("]") : STR("[]"));
    return cut(arena, arena_str(arena, buf_str(&out)));
}

struct str difference_show_str(struct arena *arena, struct str text)
{
    SCOPED(buf) quoted = {0};
    buf_add_json_string(&quoted, text);
    return cut(arena, arena_str(arena, buf_str(&quoted)));
}
