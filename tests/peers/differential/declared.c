#include "peers/differential/declared.h"

#include <fnmatch.h>

#include "base/array.h"
#include "json/path.h"

void declared_done(struct declared *declared)
{
    arena_done(&declared->arena);
    *declared = (struct declared){0};
}

/* The text before the next " | ", or all of it. */
static const char *take_part(struct arena *arena, struct str *rest)
{
    const struct str bar = STR(" | ");
    const size_t at = str_find(*rest, bar);
    const struct str part = at == STR_NONE ? *rest : str_slice(*rest, 0, at);
    *rest = at == STR_NONE ? STR("") : str_skip(*rest, at + bar.len);
    return arena_c(arena, str_trim(part));
}

static struct error *read_entry(struct declared *declared, struct str line)
{
    struct arena *arena = &declared->arena;
    struct declared_entry entry = {0};
    const char **const parts[] = {&entry.method, &entry.path, &entry.place, &entry.text,
                                  &entry.reason};
    for (size_t i = 0; i < COUNT(parts); i++) {
        *parts[i] = take_part(arena, &line);
        if (!**parts[i])
            return error_new(ERROR_INVALID, "has %zu parts, not %zu", i, COUNT(parts));
    }
    ARENA_ARRAY_PUSH(arena, declared->items, declared->count, declared->capacity, entry);
    return NULL;
}

struct error *declared_read(struct declared *declared, struct str text)
{
    for (size_t number = 1; text.len; number++) {
        struct str line;
        str_cut(&text, '\n', &line);
        line = str_trim(line);
        if (line.len && line.ptr[0] != '#')
            TRY(read_entry(declared, line), "line %zu", number);
    }
    return NULL;
}

static bool fits(struct arena *arena, const char *pattern, struct str text)
{
    return fnmatch(pattern, arena_c(arena, text), 0) == 0;
}

bool declared_has(struct declared *declared, const struct json_value *step,
                  const struct difference *difference)
{
    SCOPED(arena) arena = {0};
    for (size_t i = 0; i < declared->count; i++) {
        struct declared_entry *entry = &declared->items[i];
        if (fits(&arena, entry->method, json_path_str(step, "method")) &&
            fits(&arena, entry->path, json_path_str(step, "path")) &&
            fits(&arena, entry->place, difference->place) &&
            fits(&arena, entry->text, difference->text)) {
            entry->met++;
            return true;
        }
    }
    return false;
}

size_t declared_print(FILE *out, const struct declared *declared, bool with_unused)
{
    size_t used = 0;
    for (size_t i = 0; i < declared->count; i++) {
        const struct declared_entry *entry = &declared->items[i];
        used += entry->met > 0;
        if (entry->met)
            fprintf(out, "%6zu  %s | %s | %s | %s\n", entry->met, entry->method, entry->path,
                    entry->place, entry->reason);
        else if (with_unused)
            fprintf(out, "unused  %s | %s | %s | %s\n", entry->method, entry->path, entry->place,
                    entry->text);
    }
    return used;
}
