#include "cmd/demo_example.h"

#include <stdint.h>

#include "base/memory.h"
#include "clusterresourceset/types/content.h"
#include "json/yaml/manifest.h"

/* In demo_texts.S. */
extern const char demo_example_begin[], demo_example_end[];

struct str demo_example_text(void)
{
    return str_from(demo_example_begin,
                    (size_t)((uintptr_t)demo_example_end - (uintptr_t)demo_example_begin));
}

void demo_example_done(struct demo_example *example)
{
    for (size_t i = 0; i < example->count; i++)
        object_free(example->objects[i]);
    for (size_t i = 0; i < example->content_count; i++)
        content_free(example->contents[i]);
    mem_free(example->objects);
    mem_free(example->contents);
}

/* contents[] are the ConfigMaps as the controllers will read them. */
struct error *demo_example_read(struct demo_example *ret_example)
{
    SCOPED(manifest_list) list = {0};
    struct demo_example *example = ret_example;
    TRY(manifest_read_stream(demo_example_text(), NULL, &list, NULL), "read the example");
    example->objects = mem_alloc_zero(list.count * sizeof(*example->objects));
    example->contents = mem_alloc_zero(list.count * sizeof(*example->contents));
    for (size_t i = 0; i < list.count; i++) {
        struct object *object = NULL;
        TRY(object_from_doc(list.docs[i], &object));
        example->objects[example->count++] = object;
        if (str_eq(object_kind(object), STR("ConfigMap")))
            example->contents[example->content_count++] = content_read(object);
    }
    return NULL;
}

size_t demo_example_size(const struct demo_example *example)
{
    size_t count = 0;
    for (size_t i = 0; i < example->content_count; i++)
        count += content_count(example->contents[i]);
    return count;
}
