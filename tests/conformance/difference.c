#include "conformance/difference.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

#define SHOWN_MAX ((size_t)300)

void differences_add(struct differences *differences, struct str place, const char *format, ...)
{
    struct arena *arena = differences->arena;
    if (differences->count == differences->capacity) {
        const size_t capacity = differences->capacity ? 2 * differences->capacity : 8;
        struct difference *items = arena_alloc_array(arena, capacity, sizeof(*items));
        if (differences->count)
            memcpy(items, differences->items, differences->count * sizeof(*items));
        differences->items = items;
        differences->capacity = capacity;
    }
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(arena, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    va_end(args);
    differences->items[differences->count++] =
        (struct difference){arena_str(arena, place), str_from(text, (size_t)len)};
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

struct str difference_show_str(struct arena *arena, struct str text)
{
    SCOPED(buf) quoted = {0};
    buf_add_json_string(&quoted, text);
    return cut(arena, arena_str(arena, buf_str(&quoted)));
}
