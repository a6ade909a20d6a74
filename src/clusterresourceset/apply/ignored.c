/*
 * Two walks along a path, each step by step: keep_step() through manifest and live object, which
 * writes a JSON patch, and write_node() through a tree of fields (fieldsV1), which writes what is
 * left of it. Both go no deeper than a path is long.
 */
#include "clusterresourceset/apply/ignored.h"

#include "apimachinery/object_edit.h"
#include "base/array.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/json_patch.h"
#include "json/path.h"
#include "json/pointer.h"

/* Parts of a path that are looked at; a longer one ends there. */
#define DEPTH_MAX 32

/* Entries of managedFields in which keys of a list are looked for. */
#define ENTRIES_MAX 16

static bool matches_text(struct str pattern, struct str text)
{
    if (!pattern.len)
        return true;
    return str_ends_with(pattern, STR("*"))
               ? str_starts_with(text, str_slice(pattern, 0, pattern.len - 1))
               : str_eq(pattern, text);
}

struct delivery_policy_texts ignored_paths(const struct delivery_policy *policy, struct gvk gvk,
                                           struct key key, struct arena *arena)
{
    struct delivery_policy_texts paths = {0};
    size_t capacity = 0;
    for (size_t i = 0; i < policy->ignore_count; i++) {
        const struct delivery_policy_ignore *rule = &policy->ignore[i];
        if (!matches_text(rule->group, gvk.group) || !matches_text(rule->kind, gvk.kind) ||
            !matches_text(rule->namespace, key.namespace) || !matches_text(rule->name, key.name))
            continue;
        for (size_t j = 0; j < rule->paths.count; j++)
            ARENA_ARRAY_PUSH(arena, paths.items, paths.count, capacity,
                             arena_str(arena, rule->paths.items[j]));
    }
    return paths;
}

uint64_t ignored_hash(const struct delivery_policy *policy)
{
    uint64_t hash = policy->ignore_count;
    for (size_t i = 0; i < policy->ignore_count; i++) {
        const struct delivery_policy_ignore *rule = &policy->ignore[i];
        const struct str texts[] = {rule->group, rule->kind, rule->namespace, rule->name};
        for (size_t j = 0; j < COUNT(texts); j++)
            hash = str_hash(texts[j], hash);
        for (size_t j = 0; j < rule->paths.count; j++)
            hash = str_hash(rule->paths.items[j], hash);
    }
    return hash;
}

static void add_part(struct buf *pointer, struct str part)
{
    buf_add_char(pointer, '/');
    for (size_t i = 0; i < part.len; i++)
        if (part.ptr[i] == '~' || part.ptr[i] == '/')
            buf_add(pointer, part.ptr[i] == '~' ? STR("~0") : STR("~1"));
        else
            buf_add_char(pointer, part.ptr[i]);
}

/* One path on its way through manifest and live object. */
struct keep_walk {
    const struct json_value *nodes[ENTRIES_MAX]; /* of the fields of each manager, at the place */
    size_t node_count;
    struct buf *place; /* in the manifest */
    struct json_builder *patch;
};

static void write_operation(const struct keep_walk *walk, const struct json_value *manifest,
                            const struct json_value *live)
{
    if (live && json_equal(manifest, live))
        return;
    json_builder_object(walk->patch);
    json_builder_add_str(walk->patch, "op", live ? STR("replace") : STR("remove"));
    json_builder_add_str(walk->patch, "path", buf_str(walk->place));
    if (live)
        json_builder_add_value(walk->patch, "value", live);
    json_builder_end(walk->patch);
}

/* The first item that a manager names at the place, "k:{…}"; empty: the list has no keys. */
static struct str find_item_step(const struct json_value *node)
{
    const struct json_value *child;
    JSON_FOREACH (step, child, node)
        if (str_starts_with(step, STR("k:")))
            return step;
    return STR("");
}

static bool has_same_keys(const struct json_value *keys, const struct json_value *a,
                          const struct json_value *b)
{
    const struct json_value *unused;
    JSON_FOREACH (key, unused, keys)
        if (!json_get(a, key) || !json_get(b, key) ||
            !json_equal(json_get(a, key), json_get(b, key)))
            return false;
    return true;
}

/* The live item with the same keys; NULL: none. */
static const struct json_value *find_item(const struct json_value *list,
                                          const struct json_value *keys,
                                          const struct json_value *item)
{
    const struct json_value *candidate;
    JSON_FOREACH (index, candidate, list)
        if (has_same_keys(keys, item, candidate))
            return candidate;
    return NULL;
}

static void keep_step(struct keep_walk *walk, struct str path, int depth,
                      const struct json_value *manifest, const struct json_value *live);

/* Goes on with each item that both have. An item by number is the manifest's. */
static void keep_items(struct keep_walk *walk, struct str path, int depth, struct str part,
                       const struct json_value *manifest, const struct json_value *live)
{
    const size_t length = walk->place->len;
    const struct json_value *item;
    struct keep_walk inner = *walk;
    OWNED(json_doc) keys = NULL;
    for (size_t i = 0; i < walk->node_count; i++) {
        const struct str step = find_item_step(walk->nodes[i]);
        inner.nodes[i] = step.len ? json_get(walk->nodes[i], step) : NULL;
        if (step.len && !keys)
            error_free(json_read(str_skip(step, 2), &keys));
    }
    if (json_type(json_doc_root(keys)) != JSON_OBJECT || !json_count(json_doc_root(keys))) {
        write_operation(walk, manifest, json_type(live) == JSON_ARRAY ? live : NULL);
        return;
    }
    size_t index = 0, wanted = 0;
    const bool is_number = json_path_index(part, &wanted);
    JSON_FOREACH (unused, item, manifest) {
        const struct json_value *same = find_item(live, json_doc_root(keys), item);
        if (same && (!is_number || index == wanted)) {
            buf_print(walk->place, "/%zu", index);
            keep_step(&inner, path, depth, item, same);
            buf_truncate(walk->place, length);
        }
        index++;
    }
}

/* A field that the manifest does not name is not ours to keep. */
static void keep_step(struct keep_walk *walk, struct str path, int depth,
                      const struct json_value *manifest, const struct json_value *live)
{
    SCOPED(buf) part = {.limit = 0};
    if (depth == DEPTH_MAX || !json_pointer_next(&path, &part)) {
        write_operation(walk, manifest, live);
        return;
    }
    if (json_type(manifest) == JSON_ARRAY) {
        keep_items(walk, path, depth + 1, buf_str(&part), manifest, live);
        return;
    }
    const struct json_value *inner = json_get(manifest, buf_str(&part));
    if (!inner)
        return;
    struct keep_walk next = *walk;
    SCOPED(buf) step = {.limit = 0};
    const size_t length = walk->place->len;
    buf_print(&step, "f:%s", buf_c(&part));
    for (size_t i = 0; i < walk->node_count; i++)
        next.nodes[i] = json_get(walk->nodes[i], buf_str(&step));
    add_part(walk->place, buf_str(&part));
    keep_step(&next, path, depth + 1, inner, json_get(live, buf_str(&part)));
    buf_truncate(walk->place, length);
}

/* One path after the other, each on what the one before has left. */
static struct error *keep_path(const struct json_value *manifest, const struct object *live,
                               struct str path, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    SCOPED(buf) text = {.secret = true};
    OWNED(json_doc) operations = NULL;
    OWNED(json_patch) patch = NULL;
    SCOPED(buf) place = {.limit = 0};
    struct keep_walk walk = {.place = &place, .patch = &builder};
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_get(object_metadata(live), STR("managedFields")))
        if (walk.node_count < ENTRIES_MAX)
            walk.nodes[walk.node_count++] = json_get(entry, STR("fieldsV1"));
    json_builder_array(&builder);
    keep_step(&walk, path, 0, manifest, object_root(live));
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &operations));
    json_write(&text, json_doc_root(operations));
    TRY(json_patch_read(buf_str(&text), NULL, &patch));
    return json_patch_apply(patch, manifest, ret_doc);
}

struct error *ignored_keep(const struct object *manifest, const struct object *live,
                           const struct delivery_policy_texts *paths, struct object **ret_object)
{
    OWNED(json_doc) kept = json_doc_copy(object_root(manifest));
    OWNED(object) object = NULL;
    SCOPED(object_edit) edit = {0};
    for (size_t i = 0; i < paths->count; i++) {
        struct json_doc *next = NULL;
        TRY(keep_path(json_doc_root(kept), live, paths->items[i], &next));
        json_doc_free(kept);
        kept = next;
    }
    TRY(object_from_doc(kept, &object));
    object_edit_init(&edit, object);
    json_edit_set_str(&edit.json, JSON_PLACE("metadata.resourceVersion"),
                      object_resource_version(live));
    return object_edit_finish(&edit, ret_object);
}

/* Whether a part of a path is about this step: "spec" about "f:spec", "*" about any item. */
static bool is_step(struct str part, struct str step)
{
    size_t index;
    if (str_starts_with(step, STR("f:")))
        return str_eq(str_skip(step, 2), part);
    return !str_eq(step, STR(".")) && (str_eq(part, STR("*")) || json_path_index(part, &index));
}

static bool write_node(const struct json_value *node, const struct delivery_policy_texts *paths,
                       int depth, struct buf *out);

/*
 * Writes a child, unless a path ends there, or leads into a list or map that is one field. Paths
 * that go on below it are followed. Returns whether anything was written.
 */
static bool write_child(struct str step, const struct json_value *child,
                        const struct delivery_policy_texts *paths, int depth, struct buf *out)
{
    SCOPED(arena) arena = {0};
    struct delivery_policy_texts below = {
        .items = arena_alloc_array(&arena, paths->count + 1, sizeof(struct str))};
    for (size_t i = 0; i < paths->count; i++) {
        SCOPED(buf) part = {.limit = 0};
        struct str rest = paths->items[i];
        if (!json_pointer_next(&rest, &part) || !is_step(buf_str(&part), step))
            continue;
        if (!rest.len || !json_count(child) || depth == DEPTH_MAX)
            return false;
        below.items[below.count++] = rest;
    }
    const size_t begin = out->len;
    buf_add_json_string(out, step);
    buf_add_char(out, ':');
    if (!below.count)
        json_write(out, child);
    else if (!write_node(child, &below, depth + 1, out))
        buf_truncate(out, begin);
    return out->len > begin;
}

/* Returns false for a node that had children, all of which were left out; it is not written. */
static bool write_node(const struct json_value *node, const struct delivery_policy_texts *paths,
                       int depth, struct buf *out)
{
    const size_t begin = out->len;
    const struct json_value *child;
    size_t count = 0;
    buf_add_char(out, '{');
    JSON_FOREACH (step, child, node) {
        const size_t before = out->len;
        if (count)
            buf_add_char(out, ',');
        if (write_child(step, child, paths, depth, out))
            count++;
        else
            buf_truncate(out, before);
    }
    buf_add_char(out, '}');
    if (count || !json_count(node))
        return true;
    buf_truncate(out, begin);
    return false;
}

void ignored_write_fields(const struct json_value *fields,
                          const struct delivery_policy_texts *paths, struct buf *out)
{
    if (!write_node(fields, paths, 0, out))
        buf_add(out, STR("{}"));
}
