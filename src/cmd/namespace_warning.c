#include "cmd/namespace_warning.h"

#include "apiserver/registry/kind.h"
#include "base/array.h"
#include "base/memory.h"
#include "clusterresourceset/apply/apply_definition.h"
#include "clusterresourceset/types/content.h"
#include "cmd/object_name.h"
#include "json/path.h"

/* Objects that are named; the others are counted. */
#define NAMED_MAX 5

/* The CustomResourceDefinitions among the objects. */
struct definitions {
    struct object **items;
    size_t count, capacity;
};

static void definitions_done(struct definitions *definitions)
{
    mem_free(definitions->items);
}

/* Kubernetes' own kinds first: nobody defines them. */
static bool is_namespaced(struct gvk gvk, const struct definitions *definitions)
{
    const struct kind *kind = kinds_find_kind(gvk);
    if (kind)
        return kind->namespaced;
    for (size_t i = 0; i < definitions->count; i++)
        if (apply_definition_brings(definitions->items[i], gvk))
            return str_eq(json_path_str(object_root(definitions->items[i]), "spec.scope"),
                          STR("Namespaced"));
    return false;
}

size_t namespace_warning_add(struct buf *out, struct object *const *objects, size_t count)
{
    SCOPED(buf) names = {.limit = 0};
    SCOPED(definitions) definitions = {0};
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (apply_definition_is(objects[i]))
            ARRAY_PUSH(definitions.items, definitions.count, definitions.capacity, objects[i]);
    for (size_t i = 0; i < count; i++) {
        if (object_namespace(objects[i]).len ||
            !is_namespaced(object_gvk(objects[i]), &definitions))
            continue;
        if (found++ >= NAMED_MAX)
            continue;
        buf_add(&names, found > 1 ? STR(", ") : STR(""));
        object_name_add(&names, objects[i]);
    }
    if (!found)
        return 0;
    buf_print(out, "%zu object%s a namespace and %s none: %s", found,
              found == 1 ? " needs" : "s need", found == 1 ? "has" : "have", buf_c(&names));
    if (found > NAMED_MAX)
        buf_print(out, " and %zu more", found - NAMED_MAX);
    buf_add(out, STR("; set metadata.namespace, or the annotation " CONTENT_DEFAULT_NAMESPACE));
    return found;
}
