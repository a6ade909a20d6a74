#include "clusterresourceset/apply/apply.h"

/* Borrows from the content. */
struct apply_item *apply_items_read(const struct content *content, struct arena *arena)
{
    const size_t count = content_count(content);
    struct apply_item *items = arena_alloc_array(arena, count, sizeof(*items));
    for (size_t i = 0; i < count; i++)
        items[i] = (struct apply_item){
            content_object(content, i), content_key(content, i), content_document(content, i),
            content_default_namespace(content), content_is_secret(content)};
    return items;
}
