#include "json/settle.h"

#include "json/builder_internal.h"
#include "json/number.h"

/*
 * Looks at one child and goes to the next one. The first container is noted. The branch is no
 * accident: scalars are the rule, and guessing so lets the processor run ahead.
 */
static inline const yyjson_val *look_at_child(struct findings *findings, const yyjson_val *val,
                                              const yyjson_val **first_container)
{
    const uint8_t type = val_type(val);
    if (__builtin_expect(type >= YYJSON_TYPE_ARR, false)) {
        if (!*first_container)
            *first_container = val;
        return val_next(val);
    }
    if (type == YYJSON_TYPE_RAW && number_may_be_infinite(val_str(val)))
        if (!findings->infinite && number_is_infinite(val_str(val)))
            findings->infinite = val;
    return val + 1;
}

/* The first container among the members, or NULL. */
static const yyjson_val *look_at_object(struct findings *findings, yyjson_val *object)
{
    uint64_t seen = 0, again = 0;
    const yyjson_val *container = NULL, *key = object + 1;
    if (val_len(object) == 1) { /* nothing to repeat */
        look_at_child(findings, key + 1, &container);
        return container;
    }
    for (size_t i = val_len(object); i > 0; i--) {
        const uint64_t bit = member_fingerprint(key);
        again |= seen & bit;
        seen |= bit;
        key = look_at_child(findings, key + 1, &container);
    }
    if (again)
        repeats_find(&findings->repeats, object);
    return container;
}

/* The first container among the elements, or NULL. */
static const yyjson_val *look_at_array(struct findings *findings, const yyjson_val *array)
{
    const yyjson_val *container = NULL, *val = array + 1;
    for (size_t i = val_len(array); i > 0; i--)
        val = look_at_child(findings, val, &container);
    return container;
}

/*
 * Looks at every container once, in the order of memory. This runs over all that is read, and is
 * what makes reading slower than the bare library.
 */
void settle_inspect(yyjson_val *root, struct findings *findings)
{
    const yyjson_val *ignored = NULL, *end = look_at_child(findings, root, &ignored);
    size_t containers = 0;
    for (yyjson_val *val = root; val < end;) {
        if (!val_is_container(val)) {
            val++;
            continue;
        }
        containers++;
        const yyjson_val *inside =
            val_is_object(val) ? look_at_object(findings, val) : look_at_array(findings, val);
        val = (yyjson_val *)(uintptr_t)(inside ? inside : val_next(val));
    }
    findings->containers = containers;
}

void settle_drop_superseded(struct json_doc *doc)
{
    SCOPED(json_builder) builder = {.limit = SIZE_MAX / 2};
    builder_copy(&builder, doc->root, BUILDER_SKIP_SUPERSEDED);
    struct json_doc *fresh = builder_finish_unique(&builder);
    yyjson_doc_free(doc->parsed);
    mem_free(doc->values);
    json_text_free(doc->texts);
    doc->parsed = NULL;
    doc->root = doc->values = fresh->values;
    doc->texts = fresh->texts;
    mem_free(fresh);
}

void settle_members(struct json_doc *doc)
{
    struct findings findings = {.containers = 0};
    settle_inspect((yyjson_val *)(uintptr_t)doc->root, &findings);
    if (findings.repeats.count)
        settle_drop_superseded(doc);
    repeats_done(&findings.repeats);
}
