#include "json/merge_patch.h"

#include "json/builder_internal.h"
#include "json/compare_internal.h"
#include "json/members.h"
#include "json/read.h"

/* A pair of objects under way: first the members of one are gone through, then those of the other.
 */
struct level {
    struct lookup left, right;
    const yyjson_val *key; /* of the object that is gone through */
    bool second;
};

struct walk {
    struct json_builder builder;
    struct level *levels;
    size_t depth, capacity;
};

static void walk_open(struct walk *walk, const yyjson_val *left, const yyjson_val *right,
                      const yyjson_val *first)
{
    json_builder_object(&walk->builder);
    walk->levels = json_grow(walk->levels, walk->depth, &walk->capacity, sizeof(*walk->levels));
    walk->levels[walk->depth++] =
        (struct level){.left = lookup_of(left), .right = lookup_of(right), .key = first + 1};
}

static void walk_close(struct walk *walk)
{
    struct level *level = &walk->levels[--walk->depth];
    lookup_done(&level->left);
    lookup_done(&level->right);
}

static void walk_done(struct walk *walk)
{
    while (walk->depth)
        walk_close(walk);
    mem_free(walk->levels);
    json_builder_done(&walk->builder);
}

/* The next key of an object, or NULL behind its last one. */
static const yyjson_val *next_key(struct level *level, const yyjson_val *object)
{
    const yyjson_val *key = level->key;
    if (key == val_next(object))
        return NULL;
    level->key = val_next(key + 1);
    return key;
}

static void add_member(struct walk *walk, const yyjson_val *key, const yyjson_val *value,
                       enum builder_copy_mode mode)
{
    json_builder_key(&walk->builder, val_str(key));
    builder_copy(&walk->builder, value, mode);
}

static bool is_null(const yyjson_val *val)
{
    return val_type(val) == YYJSON_TYPE_NULL;
}

/* A member of the original. Left is the original, right the patch. */
static void merge_member(struct walk *walk, struct level *level, const yyjson_val *key)
{
    const yyjson_val *old = key + 1, *patch = lookup_find(&level->right, val_str(key));
    if (!patch) {
        add_member(walk, key, old, BUILDER_COPY_ALL);
    } else if (is_null(patch)) {
        return;
    } else if (val_is_object(old) && val_is_object(patch)) {
        json_builder_key(&walk->builder, val_str(key));
        walk_open(walk, old, patch, old);
    } else {
        /* The library looks for nulls only in what does not take the place of an object. */
        add_member(walk, key, patch, val_is_object(old) ? BUILDER_COPY_ALL : BUILDER_SKIP_NULLS);
    }
}

/* A member of the patch that the original may not have. */
static void merge_new_member(struct walk *walk, struct level *level, const yyjson_val *key)
{
    if (!is_null(key + 1) && !lookup_find(&level->left, val_str(key)))
        add_member(walk, key, key + 1, BUILDER_SKIP_NULLS);
}

static void merge_step(struct walk *walk)
{
    struct level *level = &walk->levels[walk->depth - 1];
    const yyjson_val *patch = level->right.object;
    const yyjson_val *key = next_key(level, level->second ? patch : level->left.object);
    if (key && !level->second) {
        merge_member(walk, level, key);
    } else if (key) {
        merge_new_member(walk, level, key);
    } else if (!level->second) {
        level->second = true;
        level->key = patch + 1;
    } else {
        json_builder_end(&walk->builder);
        walk_close(walk);
    }
}

static struct error *check_patch(const struct json_value *patch)
{
    switch (json_type(patch)) {
    case JSON_OBJECT:
        return NULL;
    case JSON_ABSENT:
    case JSON_NULL:
        return error_new(ERROR_BAD_REQUEST, "Invalid JSON Patch");
    default:
        return error_new(ERROR_BAD_REQUEST,
                         "error decoding patch: json: cannot unmarshal %s into Go value of type "
                         "map[string]interface {}",
                         read_go_type(patch));
    }
}

struct error *merge_patch_read(struct str text, struct json_warnings *warnings,
                               struct json_doc **ret_patch)
{
    struct read_problem problem;
    TRY(read_check_size(text));
    OWNED(json_doc) doc = read_text(text, warnings, &problem);
    if (!doc)
        return error_new(ERROR_BAD_REQUEST, "error decoding patch: %s", problem.message);
    TRY(check_patch(json_doc_root(doc)));
    *ret_patch = TAKE(doc);
    return NULL;
}

static const yyjson_val *object_or_empty(const struct json_value *value)
{
    static const yyjson_val empty = {.tag = YYJSON_TYPE_OBJ, .uni.ofs = sizeof(yyjson_val)};
    return json_type(value) == JSON_OBJECT ? json_to_yyjson(value) : &empty;
}

struct error *merge_patch_apply(const struct json_value *original, const struct json_value *patch,
                                struct json_doc **ret_doc)
{
    TRY(check_patch(patch));
    SCOPED(walk) walk = {.depth = 0};
    const yyjson_val *left = object_or_empty(original);
    walk_open(&walk, left, json_to_yyjson(patch), left);
    while (walk.depth && !walk.builder.err)
        merge_step(&walk);
    return builder_finish_checked(&walk.builder, ret_doc);
}

/* A member of to. Left is from, right is to. */
static void diff_member(struct walk *walk, struct level *level, const yyjson_val *key)
{
    const yyjson_val *now = key + 1, *before = lookup_find(&level->left, val_str(key));
    if (before && val_is_object(before) && val_is_object(now)) {
        json_builder_key(&walk->builder, val_str(key));
        walk_open(walk, before, now, now);
    } else if (!before || !val_equal(before, now, true)) {
        add_member(walk, key, now, BUILDER_COPY_ALL);
    }
}

/* A member of from, deleted when to lacks it. */
static void diff_old_member(struct walk *walk, struct level *level, const yyjson_val *key)
{
    if (lookup_find(&level->right, val_str(key)))
        return;
    json_builder_key(&walk->builder, val_str(key));
    json_builder_null(&walk->builder);
}

static void diff_step(struct walk *walk)
{
    struct level *level = &walk->levels[walk->depth - 1];
    const yyjson_val *from = level->left.object;
    const yyjson_val *key = next_key(level, level->second ? from : level->right.object);
    if (key && !level->second) {
        diff_member(walk, level, key);
    } else if (key) {
        diff_old_member(walk, level, key);
    } else if (!level->second) {
        level->second = true;
        level->key = from + 1;
    } else {
        walk_close(walk);
        if (walk->depth)
            builder_end_unless_empty(&walk->builder);
        else
            json_builder_end(&walk->builder);
    }
}

struct error *merge_patch_diff(const struct json_value *from, const struct json_value *to,
                               struct json_doc **ret_patch)
{
    SCOPED(walk) walk = {.depth = 0};
    const yyjson_val *right = object_or_empty(to);
    walk_open(&walk, object_or_empty(from), right, right);
    while (walk.depth && !walk.builder.err)
        diff_step(&walk);
    return builder_finish_checked(&walk.builder, ret_patch);
}
