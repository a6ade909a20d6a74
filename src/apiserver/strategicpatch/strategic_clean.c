/*
 * A patch's value as a result takes it: without objects that are directives, without null members.
 *
 * This is removeDirectives() and discardNullValuesFromPatch() upstream, in one pass. The value is
 * copied with a stack of iterators, so that its depth does not matter.
 */
#include "apiserver/strategicpatch/strategic_merge_internal.h"
#include "base/array.h"

struct clean {
    struct json_builder builder;
    struct json_iter *levels;
    size_t depth, capacity;
    unsigned flags;
};

static void clean_done(struct clean *clean)
{
    mem_free(clean->levels);
    json_builder_done(&clean->builder);
}

/*
 * An object with "$patch" says what happens to another one. Where there is no other one it says
 * nothing.
 */
static bool is_directive(const struct clean *clean, const struct json_value *value)
{
    return (clean->flags & CLEAN_DIRECTIVES) && json_get(value, STR("$patch"));
}

static bool is_container(const struct json_value *value)
{
    return json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY;
}

/* Copies a scalar, or begins a container. */
static void clean_enter(struct clean *clean, const struct json_value *value)
{
    if (!is_container(value)) {
        json_builder_value(&clean->builder, value);
        return;
    }
    ARRAY_PUSH(clean->levels, clean->depth, clean->capacity,
               (struct json_iter){.container = value});
    if (json_type(value) == JSON_OBJECT)
        json_builder_object(&clean->builder);
    else
        json_builder_array(&clean->builder);
}

/* Copies one child of the innermost container, or ends the container. */
static void clean_step(struct clean *clean)
{
    struct json_iter *level = &clean->levels[clean->depth - 1];
    const bool in_object = json_type(level->container) == JSON_OBJECT;
    const struct json_value *value;
    struct str key;
    if (!json_next(level, &key, &value)) {
        clean->depth--;
        json_builder_end(&clean->builder);
        return;
    }
    const bool is_null = in_object && json_type(value) == JSON_NULL;
    if (is_directive(clean, value) || (is_null && (clean->flags & CLEAN_NULLS)))
        return;
    if (in_object)
        json_builder_key(&clean->builder, key);
    clean_enter(clean, value);
}

struct error *merge_clean(struct merge *merge, const struct json_value *value, unsigned flags,
                          const struct json_value **ret_value)
{
    SCOPED(clean) clean = {.flags = flags};
    struct json_doc *doc;
    if (is_directive(&clean, value)) {
        *ret_value = NULL;
        return NULL;
    }
    if (!is_container(value)) {
        *ret_value = value;
        return NULL;
    }
    clean_enter(&clean, value);
    while (clean.depth > 0)
        clean_step(&clean);
    TRY(json_builder_finish(&clean.builder, &doc));
    json_doc_hold(&merge->tree.arena, doc);
    *ret_value = json_doc_root(doc);
    return NULL;
}
