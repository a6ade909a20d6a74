/* The objects of a content, each with the place it comes from. */
#include "clusterresourceset/apply/apply.h"

struct error *apply_content(const struct apply_target *target, const struct content *content,
                            enum apply_strategy strategy, struct arena *arena,
                            struct apply_report *ret_report)
{
    const size_t count = content_count(content);
    struct apply_item *items = arena_alloc_array(arena, count, sizeof(*items));
    for (size_t i = 0; i < count; i++)
        items[i] = (struct apply_item){content_object(content, i), content_key(content, i),
                                       content_document(content, i)};
    return apply_objects(target, items, count, strategy, arena, ret_report);
}
