/*
 * A patch's value as a result takes it: without objects that are directives, without null members.
 */
#include "apiserver/strategicpatch/strategic_merge_internal.h"
#include "base/memory.h"

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

static bool is_directive(const struct clean *clean, const struct json_value *value)
{
    return (clean->flags & CLEAN_DIRECTIVES) && json_get(value, STR("$patch"));
}

static bool is_container(const struct json_value *value)
{
    return json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY;
}

static void enter(struct clean *clean, const struct json_value *value)
{
    if (!is_container(value)) {
        json_builder_value(&clean->builder, value);
        return;
    }
    if (clean->depth == clean->capacity) {
        clean->capacity = clean->capacity ? 2 * clean->capacity : 16;
        clean->levels = mem_realloc_array(clean->levels, clean->capacity, sizeof(*clean->levels));
    }
    clean->levels[clean->depth++] = (struct json_iter){.container = value};
    if (json_type(value) == JSON_OBJECT)
        json_builder_object(&clean->builder);
    else
        json_builder_array(&clean->builder);
}

static void step(struct clean *clean)
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
    enter(clean, value);
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
    enter(&clean, value);
    while (clean.depth > 0)
        step(&clean);
    TRY(json_builder_finish(&clean.builder, &doc));
    json_doc_hold(&merge->tree.arena, doc);
    *ret_value = json_doc_root(doc);
    return NULL;
}
