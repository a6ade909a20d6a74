#include "peers/conformance/binding.h"

#include <assert.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/memory.h"
#include "http/url.h"
#include "peers/conformance/exchange.h"
#include "peers/conformance/pointer.h"
#include "peers/conformance/wording.h"

#define REPEAT_MAX (16 * MEGABYTE)

void binding_done(struct binding *binding)
{
    struct map *const maps[] = {&binding->variables, &binding->uids, &binding->recorded_uids,
                                &binding->names};
    for (size_t i = 0; i < COUNT(maps); i++) {
        maps[i]->release = mem_free;
        map_done(maps[i]);
    }
    mem_free(binding->versions);
    *binding = (struct binding){0};
}

void binding_begin_group(struct binding *binding)
{
    binding->version_count = 0;
}

static void put(struct map *map, struct str key, struct str value)
{
    mem_free(map_put(map, key, mem_dup(value.ptr, value.len)));
}

static struct str find(const struct map *map, struct str key)
{
    return str_from_c(map_find(map, key));
}

void binding_set(struct binding *binding, struct str variable, struct str value)
{
    put(&binding->variables, variable, value);
}

/* The name between the braces at the front of the text; empty when there is none. */
static struct str placeholder(struct str text)
{
    const struct str allowed = STR("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                   "_:.-");
    if (!str_starts_with(text, STR("{{")))
        return STR("");
    size_t end = 2;
    while (end < text.len && str_find_char(allowed, text.ptr[end]) != STR_NONE)
        end++;
    return str_starts_with(str_skip(text, end), STR("}}")) ? str_slice(text, 2, end) : STR("");
}

static bool add_repeated(struct buf *out, struct str name)
{
    struct str word, unit;
    uint64_t times;
    str_cut(&name, ':', &word);
    str_cut(&name, ':', &unit);
    if (!str_eq(word, STR("repeat")) || !str_to_uint64(name, &times) || times > REPEAT_MAX)
        return false;
    for (uint64_t i = 0; i < times; i++)
        buf_add(out, unit);
    return true;
}

static void add_variable(const struct binding *binding, struct buf *out, struct str name,
                         enum binding_escape escape)
{
    SCOPED(buf) value = {0};
    if (map_has(&binding->variables, name))
        buf_add(&value, find(&binding->variables, name));
    else
        buf_print(&value, "unset-variable-%.*s", STR_ARG(name));
    if (escape == BINDING_SEGMENT)
        url_escape_segment(out, buf_str(&value));
    else
        buf_add(out, buf_str(&value));
}

struct str binding_fill(const struct binding *binding, struct arena *arena, struct str text,
                        enum binding_escape escape)
{
    if (!str_contains(text, STR("{{")))
        return text;
    SCOPED(buf) out = {0};
    for (size_t at = 0; at < text.len;) {
        const struct str name = placeholder(str_skip(text, at));
        if (!name.len)
            buf_add_char(&out, text.ptr[at]);
        else if (!add_repeated(&out, name))
            add_variable(binding, &out, name, escape);
        at += name.len ? name.len + 4 : 1;
    }
    return arena_str(arena, buf_str(&out));
}

bool binding_uid(struct binding *binding, struct str recorded, struct str actual)
{
    if (map_has(&binding->uids, recorded) || map_has(&binding->recorded_uids, actual))
        return str_eq(find(&binding->uids, recorded), actual) &&
               str_eq(find(&binding->recorded_uids, actual), recorded);
    put(&binding->uids, recorded, actual);
    put(&binding->recorded_uids, actual, recorded);
    return true;
}

static struct str swap_uids(const struct map *map, struct arena *arena, struct str text)
{
    size_t at = wording_find_uuid(text, 0);
    if (at == STR_NONE)
        return text;
    SCOPED(buf) out = {0};
    size_t begin = 0;
    for (; at != STR_NONE; at = wording_find_uuid(text, begin)) {
        const struct str uid = str_slice(text, at, at + WORDING_UUID_LEN);
        buf_add(&out, str_slice(text, begin, at));
        buf_add(&out, map_has(map, uid) ? find(map, uid) : uid);
        begin = at + WORDING_UUID_LEN;
    }
    buf_add(&out, str_skip(text, begin));
    return arena_str(arena, buf_str(&out));
}

struct str binding_to_actual(const struct binding *binding, struct arena *arena, struct str text)
{
    return swap_uids(&binding->uids, arena, text);
}

struct str binding_to_recorded(const struct binding *binding, struct arena *arena, struct str text)
{
    return swap_uids(&binding->recorded_uids, arena, text);
}

/* The first place whose recorded version is not below this one. */
static size_t version_place(const struct binding *binding, int64_t recorded)
{
    size_t low = 0, high = binding->version_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (binding->versions[middle].recorded < recorded)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert_version(struct binding *binding, size_t place, struct binding_version pair)
{
    ARRAY_GROW(binding->versions, binding->version_count, binding->version_capacity);
    struct binding_version *at = binding->versions + place;
    assert(at);
    memmove(at + 1, at, (binding->version_count - place) * sizeof(*at));
    *at = pair;
    binding->version_count++;
}

struct str binding_version(struct binding *binding, struct arena *arena, int64_t recorded,
                           int64_t actual)
{
    const size_t place = version_place(binding, recorded);
    const struct binding_version *before = place ? &binding->versions[place - 1] : NULL;
    const struct binding_version *at =
        place < binding->version_count ? &binding->versions[place] : NULL;
    if (at && at->recorded == recorded)
        return at->actual == actual
                   ? STR("")
                   : arena_print(arena, "differs from %ld, seen earlier for this state",
                                 (long)at->actual);
    if (before && before->actual >= actual)
        return arena_print(arena, "not greater than %ld, which was written before",
                           (long)before->actual);
    if (at && at->actual <= actual)
        return arena_print(arena, "not less than %ld, which was written after", (long)at->actual);
    insert_version(binding, place, (struct binding_version){recorded, actual});
    return STR("");
}

void binding_name(struct binding *binding, struct str recorded, struct str actual)
{
    put(&binding->names, recorded, actual);
}

struct str binding_find_name(const struct binding *binding, struct str recorded)
{
    return find(&binding->names, recorded);
}

struct str binding_rename(const struct binding *binding, struct arena *arena, struct str text)
{
    MAP_FOREACH (entry, &binding->names)
        if (str_contains(text, map_key(entry)))
            text = exchange_replace(arena, text, map_key(entry), str_from_c(entry->value));
    return text;
}

static struct str as_text(struct arena *arena, const struct json_value *value)
{
    return json_type(value) == JSON_STRING ? json_to_str(value) : json_write_arena(arena, value);
}

void binding_capture(struct binding *binding, struct arena *arena, const struct json_value *capture,
                     const struct json_value *document, const struct json_value *recorded_body)
{
    const struct json_value *pointer;
    JSON_FOREACH (name, pointer, capture) {
        const struct json_value *value = pointer_find(document, json_to_str(pointer));
        if (!value || json_type(value) == JSON_NULL)
            continue;
        binding_set(binding, name, as_text(arena, value));
        const struct str recorded = json_to_str(pointer_find(recorded_body, json_to_str(pointer)));
        if (str_ends_with(name, STR("_name")) && recorded.len && json_type(value) == JSON_STRING)
            binding_name(binding, recorded, json_to_str(value));
    }
}
