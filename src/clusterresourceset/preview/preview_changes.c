/*
 * Both objects are walked side by side, the one before deciding the order; what only the other one
 * has follows. The walk keeps the path in a buffer, which grows and shrinks with it.
 */
#include "clusterresourceset/preview/preview_changes.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/shorten.h"
#include "clusterresourceset/preview/preview_secrets.h"
#include "json/compare.h"

/* Deeper values are compared whole: the stack of a fiber is small. */
#define DEPTH_MAX 64

/* More than so many members are looked up by a map. */
#define FEW 16

struct walk {
    struct preview_secrets *secrets; /* NULL: nothing is hidden */
    struct arena *arena;
    struct buf path;
    size_t depth;
    struct preview_changes *changes;
};

static void walk_done(struct walk *walk)
{
    buf_done(&walk->path);
}

static void walk_values(struct walk *walk, const struct json_value *before,
                        const struct json_value *after);

static bool is_left_out(const struct walk *walk, struct str name)
{
    static const struct str metadata[] = {
        STR_INIT("managedFields"), STR_INIT("resourceVersion"),   STR_INIT("generation"),
        STR_INIT("uid"),           STR_INIT("creationTimestamp"),
    };
    if (walk->depth == 1)
        return str_eq(name, STR("status"));
    if (walk->depth != 2 || !str_eq(buf_str(&walk->path), STR("metadata")))
        return false;
    for (size_t i = 0; i < COUNT(metadata); i++)
        if (str_eq(name, metadata[i]))
            return true;
    return false;
}

/* Counts a difference into the hash, whatever of it is kept. */
static void hash_change(struct preview_changes *changes, const struct preview_change *change,
                        const struct json_value *before, const struct json_value *after)
{
    const struct json_value *values[] = {before, after};
    changes->hash = str_hash(change->path, changes->hash + change->is_order + 1);
    for (size_t i = 0; i < COUNT(values); i++) {
        SCOPED(buf) text = {.secret = true, .limit = JSON_TEXT_MAX};
        if (values[i])
            json_write_canonical(&text, values[i]);
        changes->hash = str_hash(buf_str(&text), changes->hash + i + (values[i] != NULL));
    }
}

static struct preview_value keep_value(const struct walk *walk, const struct json_value *value)
{
    struct preview_value kept = {.type = json_type(value)};
    SCOPED(buf) text = {.limit = JSON_TEXT_MAX};
    if (!value)
        return kept;
    if (walk->secrets) {
        kept.secret = preview_secrets_number(walk->secrets, value);
        return kept;
    }
    if (kept.type == JSON_STRING)
        buf_add(&text, json_to_str(value));
    else
        json_write(&text, value);
    kept.is_cut = text.len > PREVIEW_TEXT_MAX;
    kept.text = arena_str(walk->arena, shorten_to_beginning(buf_str(&text), PREVIEW_TEXT_MAX));
    return kept;
}

static void add_change(struct walk *walk, const struct json_value *before,
                       const struct json_value *after, bool is_order)
{
    struct preview_changes *changes = walk->changes;
    struct preview_change change = {.path = buf_str(&walk->path), .is_order = is_order};
    hash_change(changes, &change, before, after);
    if (changes->count == PREVIEW_CHANGES_MAX) {
        changes->omitted++;
        return;
    }
    change.path = arena_str(walk->arena, change.path);
    if (!is_order) {
        change.before = keep_value(walk, before);
        change.after = keep_value(walk, after);
    }
    ARENA_ARRAY_PUSH(walk->arena, changes->items, changes->count, changes->capacity, change);
}

/* Names that need no brackets in a path. */
static bool is_plain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
              c == '_' || c == '-'))
            return false;
    }
    return name.len > 0;
}

static void walk_member(struct walk *walk, struct str name, const struct json_value *before,
                        const struct json_value *after)
{
    const size_t len = walk->path.len;
    if (is_left_out(walk, name))
        return;
    if (!is_plain(name))
        buf_print(&walk->path, "[%.*s]", STR_ARG(name));
    else
        buf_print(&walk->path, "%s%.*s", len ? "." : "", STR_ARG(name));
    walk_values(walk, before, after);
    buf_truncate(&walk->path, len);
}

static void walk_item(struct walk *walk, struct str name, size_t index,
                      const struct json_value *before, const struct json_value *after)
{
    const size_t len = walk->path.len;
    if (walk->secrets || !name.len)
        buf_print(&walk->path, "[%zu]", index);
    else
        buf_print(&walk->path, "[%.*s]", STR_ARG(name));
    walk_values(walk, before, after);
    buf_truncate(&walk->path, len);
}

/* Members by name. The values of the map are members of the object. */
struct members {
    const struct json_value *object;
    struct map by_name; /* in use if there are many */
};

static void members_init(struct members *members, const struct json_value *object)
{
    const struct json_value *value;
    *members = (struct members){.object = object};
    if (json_count(object) <= FEW)
        return;
    JSON_FOREACH (name, value, object)
        map_put(&members->by_name, name, (void *)value);
}

static void members_done(struct members *members)
{
    map_done(&members->by_name);
}

static const struct json_value *members_find(const struct members *members, struct str name)
{
    return map_count(&members->by_name) ? map_find(&members->by_name, name)
                                        : json_get(members->object, name);
}

static void walk_objects(struct walk *walk, const struct json_value *before,
                         const struct json_value *after)
{
    const struct json_value *value;
    SCOPED(members) old = {0};
    SCOPED(members) new = {0};
    members_init(&old, before);
    members_init(&new, after);
    JSON_FOREACH (name, value, before)
        walk_member(walk, name, value, members_find(&new, name));
    JSON_FOREACH (name, value, after)
        if (!members_find(&old, name))
            walk_member(walk, name, NULL, value);
}

/* An item of a list whose items have names. */
struct named_item {
    const struct json_value *value;
    size_t place; /* from 0 */
};

/* The name of an item by a field of it, added to text; false if it has none. */
static bool add_name(struct buf *text, const struct json_value *item, struct str field)
{
    const struct json_value *value = json_get(item, field);
    const enum json_type type = json_type(value);
    if (type == JSON_STRING)
        buf_add(text, json_to_str(value));
    else if (type == JSON_NUMBER)
        json_write(text, value);
    return text->len > 0;
}

/* From name to named_item. False if the field does not tell all items apart. */
static bool read_names(struct map *names, const struct json_value *list, struct str field)
{
    const struct json_value *value;
    names->release = mem_free;
    JSON_FOREACH (key, value, list) {
        SCOPED(buf) name = {.secret = true};
        if (!add_name(&name, value, field) || map_has(names, buf_str(&name)))
            return false;
        struct named_item *item = NEW(struct named_item);
        *item = (struct named_item){value, map_count(names)};
        map_put(names, buf_str(&name), item);
    }
    return true;
}

/* Whether the items that are in both lists have the same order in both. */
static bool have_same_order(const struct map *before, const struct map *after)
{
    size_t last = 0;
    MAP_FOREACH (entry, before) {
        const struct named_item *item = map_find(after, map_key(entry));
        if (item && item->place < last)
            return false;
        last = item ? item->place : last;
    }
    return true;
}

/* An item has its old number, a new one its new number. */
static void walk_names(struct walk *walk, const struct map *before, const struct map *after)
{
    MAP_FOREACH (entry, before) {
        const struct named_item *old = entry->value, *new = map_find(after, map_key(entry));
        walk_item(walk, map_key(entry), old->place, old->value, new ? new->value : NULL);
    }
    MAP_FOREACH (entry, after) {
        const struct named_item *new = entry->value;
        if (!map_has(before, map_key(entry)))
            walk_item(walk, map_key(entry), new->place, NULL, new->value);
    }
    if (!have_same_order(before, after))
        add_change(walk, NULL, NULL, true);
}

static void walk_places(struct walk *walk, const struct json_value *before,
                        const struct json_value *after)
{
    struct json_iter old = {.container = before}, new = {.container = after};
    struct str key;
    for (size_t index = 0;; index++) {
        const struct json_value *a = NULL, *b = NULL;
        const bool has_a = json_next(&old, &key, &a), has_b = json_next(&new, &key, &b);
        if (!has_a && !has_b)
            return;
        walk_item(walk, STR(""), index, has_a ? a : NULL, has_b ? b : NULL);
    }
}

/* The fields by which Kubernetes tells items of lists apart, most telling first. */
static const struct str item_fields[] = {
    STR_INIT("name"),        STR_INIT("key"),  STR_INIT("mountPath"), STR_INIT("containerPort"),
    STR_INIT("devicePath"),  STR_INIT("port"), STR_INIT("ip"),        STR_INIT("type"),
    STR_INIT("topologyKey"), STR_INIT("uid"),
};

static void walk_lists(struct walk *walk, const struct json_value *before,
                       const struct json_value *after)
{
    for (size_t i = 0; i < COUNT(item_fields); i++) {
        SCOPED(map) old = {0};
        SCOPED(map) new = {0};
        if (read_names(&old, before, item_fields[i]) && read_names(&new, after, item_fields[i])) {
            walk_names(walk, &old, &new);
            return;
        }
    }
    walk_places(walk, before, after);
}

static bool has_parts(const struct walk *walk, const struct json_value *value)
{
    const enum json_type type = json_type(value);
    return (type == JSON_OBJECT || type == JSON_ARRAY) && json_count(value) > 0 &&
           walk->depth < DEPTH_MAX;
}

/* Values of one type, or one of them with nothing in its place. */
static void walk_parts(struct walk *walk, const struct json_value *before,
                       const struct json_value *after)
{
    const bool is_list = json_type(before ? before : after) == JSON_ARRAY;
    walk->depth++;
    if (is_list)
        walk_lists(walk, before, after);
    else
        walk_objects(walk, before, after);
    walk->depth--;
}

/* A value that has come or gone: each of its parts is a change. */
static void walk_alone(struct walk *walk, const struct json_value *before,
                       const struct json_value *after)
{
    if (has_parts(walk, before ? before : after))
        walk_parts(walk, before, after);
    else if (before || after)
        add_change(walk, before, after, false);
}

static void walk_values(struct walk *walk, const struct json_value *before,
                        const struct json_value *after)
{
    if (!has_parts(walk, before) && !has_parts(walk, after)) {
        if (!json_equal(before, after))
            add_change(walk, before, after, false);
    } else if (json_type(before) == json_type(after)) {
        walk_parts(walk, before, after);
    } else {
        walk_alone(walk, before, NULL);
        walk_alone(walk, NULL, after);
    }
}

void preview_changes_find(const struct json_value *before, const struct json_value *after,
                          struct preview_secrets *secrets, struct arena *arena,
                          struct preview_changes *ret_changes)
{
    SCOPED(walk) walk = {.secrets = secrets, .arena = arena, .changes = ret_changes};
    *ret_changes = (struct preview_changes){0};
    walk_values(&walk, before, after);
}
