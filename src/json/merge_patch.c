/*
 * Applies and computes JSON merge patches.
 *
 * Both directions walk a pair of objects level by level, with an array of levels instead of
 * recursion. On each level the members of the first object are visited and searched in the second,
 * then the members of the second that the first does not have. To apply, first is the original and
 * second the patch; to compute, first is the new object and second the old one. The result is
 * written with a builder while walking.
 */
#include "json/merge_patch.h"

#include "json/builder_internal.h"
#include "json/compare_internal.h"
#include "json/members.h"
#include "json/read.h"

/* One pair of objects; the walk first visits first, then second. */
struct level {
    const yyjson_val *name; /* key of the member that the pair is; NULL for the root */
    const yyjson_val *first, *second;
    struct lookup other;   /* the object that is searched, second and then first */
    const yyjson_val *key; /* the next member of the current pass */
    size_t met;            /* members of second that first has too */
    bool in_second_pass;
};

/* Objects of the result are opened late: most objects do not differ and do not occur in a diff. */
struct walk {
    struct json_builder builder;
    struct level *levels;
    size_t depth, capacity;
    size_t opened; /* levels that have an open object in the result */
};

static void walk_enter(struct walk *walk, const yyjson_val *name, const yyjson_val *first,
                       const yyjson_val *second)
{
    const struct level level = {
        .name = name,
        .first = first,
        .second = second,
        .other = lookup_of(second),
        .key = first + 1,
    };
    ARRAY_PUSH(walk->levels, walk->depth, walk->capacity, level);
}

/* Opens an object in the result for every level that has none yet. */
static void walk_open(struct walk *walk)
{
    for (; walk->opened < walk->depth; walk->opened++) {
        if (walk->opened > 0)
            json_builder_key(&walk->builder, val_str(walk->levels[walk->opened].name));
        json_builder_object(&walk->builder);
    }
}

static void walk_leave(struct walk *walk)
{
    lookup_done(&walk->levels[--walk->depth].other);
    if (walk->opened > walk->depth) {
        json_builder_end(&walk->builder);
        walk->opened--;
    }
}

static void walk_done(struct walk *walk)
{
    for (size_t i = 0; i < walk->depth; i++)
        lookup_done(&walk->levels[i].other);
    mem_free(walk->levels);
    json_builder_done(&walk->builder);
}

/* The second pass is skipped when all members of second were met in the first. */
static void begin_second_pass(struct level *level)
{
    const bool all_met = level->met == val_len(level->second);
    lookup_done(&level->other);
    level->other = lookup_of(level->first);
    level->key = all_met ? val_next(level->second) : level->second + 1;
    level->in_second_pass = true;
}

/* The next member of the current pass, or NULL at the end of the level. */
static const yyjson_val *walk_next(struct level *level)
{
    if (!level->in_second_pass && level->key == val_next(level->first))
        begin_second_pass(level);
    const yyjson_val *key = level->key;
    if (level->in_second_pass && key == val_next(level->second))
        return NULL;
    level->key = val_next(key + 1);
    return key;
}

/* The member of the second object that has the name of a member of the first. */
static const yyjson_val *find_in_second(struct level *level, const yyjson_val *key)
{
    const yyjson_val *found = lookup_find(&level->other, val_str(key));
    level->met += found != NULL;
    return found;
}

static void add_member(struct walk *walk, const yyjson_val *key, const yyjson_val *value,
                       enum builder_copy_mode mode)
{
    walk_open(walk);
    json_builder_key(&walk->builder, val_str(key));
    builder_copy(&walk->builder, value, mode);
}

static bool is_null(const yyjson_val *val)
{
    return val_type(val) == YYJSON_TYPE_NULL;
}

/* A member of the original: kept, deleted, merged or replaced by the patch's member. */
static void merge_member(struct walk *walk, struct level *level, const yyjson_val *key)
{
    const yyjson_val *old = key + 1, *patch = find_in_second(level, key);
    if (!patch) {
        add_member(walk, key, old, BUILDER_COPY_ALL);
    } else if (is_null(patch)) {
        return;
    } else if (val_is_object(old) && val_is_object(patch)) {
        walk_enter(walk, key, old, patch);
        walk_open(walk);
    } else {
        /* evanphx/json-patch prunes nulls only in values that do not replace an object. */
        add_member(walk, key, patch, val_is_object(old) ? BUILDER_COPY_ALL : BUILDER_SKIP_NULLS);
    }
}

/* A member of the patch; added unless it is null or the original has the name. */
static void merge_new_member(struct walk *walk, struct level *level, const yyjson_val *key)
{
    if (!is_null(key + 1) && !lookup_find(&level->other, val_str(key)))
        add_member(walk, key, key + 1, BUILDER_SKIP_NULLS);
}

static void merge_step(struct walk *walk)
{
    struct level *level = &walk->levels[walk->depth - 1];
    const yyjson_val *key = walk_next(level);
    if (!key)
        walk_leave(walk);
    else if (level->in_second_pass)
        merge_new_member(walk, level, key);
    else
        merge_member(walk, level, key);
}

/* The messages are the API server's. */
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
    walk_enter(&walk, NULL, object_or_empty(original), json_to_yyjson(patch));
    walk_open(&walk);
    while (walk.depth && !walk.builder.err)
        merge_step(&walk);
    return builder_finish_checked(&walk.builder, ret_doc);
}

/* A member of the new object: in the patch when the old object has none or a different one. */
static void diff_member(struct walk *walk, struct level *level, const yyjson_val *key)
{
    const yyjson_val *now = key + 1, *before = find_in_second(level, key);
    if (before && val_is_object(before) && val_is_object(now))
        walk_enter(walk, key, now, before);
    else if (!before || !val_equal(before, now, true))
        add_member(walk, key, now, BUILDER_COPY_ALL);
}

/* A member of the old object; null in the patch when the new object has none. */
static void diff_old_member(struct walk *walk, struct level *level, const yyjson_val *key)
{
    static const yyjson_val null_value = {.tag = YYJSON_TYPE_NULL};
    if (!lookup_find(&level->other, val_str(key)))
        add_member(walk, key, &null_value, BUILDER_COPY_ALL);
}

static void diff_step(struct walk *walk)
{
    struct level *level = &walk->levels[walk->depth - 1];
    const yyjson_val *key = walk_next(level);
    if (!key)
        walk_leave(walk);
    else if (level->in_second_pass)
        diff_old_member(walk, level, key);
    else
        diff_member(walk, level, key);
}

struct error *merge_patch_diff(const struct json_value *from, const struct json_value *to,
                               struct json_doc **ret_patch)
{
    SCOPED(walk) walk = {.depth = 0};
    walk_enter(&walk, NULL, object_or_empty(to), object_or_empty(from));
    walk_open(&walk);
    while (walk.depth && !walk.builder.err)
        diff_step(&walk);
    return builder_finish_checked(&walk.builder, ret_patch);
}
