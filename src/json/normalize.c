/*
 * Makes member names unique in a document that was just read or built.
 *
 * normalize_inspect() passes once over all values. It computes a bit per member name and looks
 * closer (repeats_find()) only at objects in which a bit occurs twice. On the way it counts
 * containers and finds numbers beyond a double. If a name repeats, which is rare, the values are
 * copied without the superseded members.
 */
#include "json/normalize.h"

#include "json/builder_internal.h"
#include "json/go_number.h"

/*
 * Inspects one child and returns the next. The first container among the children is noted. The
 * branch hint is deliberate: most values are scalars, and predicting so lets the processor run
 * ahead.
 */
static inline const yyjson_val *inspect_child(struct normalize_findings *findings,
                                              const yyjson_val *val,
                                              const yyjson_val **first_container)
{
    const uint8_t type = val_type(val);
    if (__builtin_expect(type >= YYJSON_TYPE_ARR, false)) {
        if (!*first_container)
            *first_container = val;
        return val_next(val);
    }
    if (type == YYJSON_TYPE_RAW && go_number_may_be_infinite(val_str(val)))
        if (!findings->infinite && go_number_is_infinite(val_str(val)))
            findings->infinite = val;
    return val + 1;
}

/* Inspects the members; returns the first container among them, or NULL. */
static const yyjson_val *inspect_object(struct normalize_findings *findings, yyjson_val *object)
{
    uint64_t seen = 0, again = 0;
    const yyjson_val *container = NULL, *key = object + 1;
    if (val_len(object) == 1) { /* nothing to repeat */
        inspect_child(findings, key + 1, &container);
        return container;
    }
    for (size_t i = val_len(object); i > 0; i--) {
        const uint64_t bit = member_fingerprint(key);
        again |= seen & bit;
        seen |= bit;
        key = inspect_child(findings, key + 1, &container);
    }
    if (again)
        repeats_find(&findings->repeats, object);
    return container;
}

/* Inspects the elements; returns the first container among them, or NULL. */
static const yyjson_val *inspect_array(struct normalize_findings *findings, const yyjson_val *array)
{
    const yyjson_val *container = NULL, *val = array + 1;
    for (size_t i = val_len(array); i > 0; i--)
        val = inspect_child(findings, val, &container);
    return container;
}

/*
 * Visits every container once, in the order of memory, and skips the scalars that its parent has
 * inspected. Every document that is read passes here, so this loop decides how much slower reading
 * is than yyjson alone.
 */
void normalize_inspect(yyjson_val *root, struct normalize_findings *findings)
{
    const yyjson_val *ignored = NULL, *end = inspect_child(findings, root, &ignored);
    size_t containers = 0;
    for (yyjson_val *val = root; val < end;) {
        if (!val_is_container(val)) {
            val++;
            continue;
        }
        containers++;
        const yyjson_val *inside =
            val_is_object(val) ? inspect_object(findings, val) : inspect_array(findings, val);
        val = (yyjson_val *)(uintptr_t)(inside ? inside : val_next(val));
    }
    findings->containers = containers;
}

/* Replaces the values in place, so that pointers to the document stay valid. */
void normalize_drop_superseded(struct json_doc *doc)
{
    SCOPED(json_builder) builder = {.limit = SIZE_MAX / 2};
    builder_copy(&builder, doc->root, BUILDER_SKIP_SUPERSEDED);
    struct json_doc *fresh = builder_finish_unique(&builder);
    yyjson_doc_free(doc->parsed);
    mem_free(doc->values);
    string_pool_free(doc->strings);
    doc->parsed = NULL;
    doc->root = doc->values = fresh->values;
    doc->strings = fresh->strings;
    mem_free(fresh);
}

void normalize_members(struct json_doc *doc)
{
    struct normalize_findings findings = {.containers = 0};
    normalize_inspect((yyjson_val *)(uintptr_t)doc->root, &findings);
    if (findings.repeats.count)
        normalize_drop_superseded(doc);
    repeats_done(&findings.repeats);
}
