/*
 * Names of built-in types in documents: "io.k8s.api.core.v1.PodSpec".
 *
 * The tables of ../types know a type by its short name alone. Its package is that of the first kind
 * which uses it, in the order of the table of kinds, where the core group is first. Types of
 * meta/v1 come before all kinds. Types that the core group has but no kind of it uses are in
 * core_types.
 */
#include <string.h>

#include "apiserver/openapi/openapi_internal.h"
#include "base/array.h"
#include "base/memory.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1"
#define CORE "io.k8s.api.core.v1"

static const struct go_type *const meta_types[] = {
    &type_object_meta,  &type_label_selector, &type_condition, &type_delete_options,
    &openapi_list_meta, &openapi_status,      &openapi_patch,  &type_field_selector_requirement,
};

static const struct go_type *const core_types[] = {
    &type_topology_selector_term,
    &type_typed_object_reference,
};

/* Groups whose package is not "io.k8s.api.<first label of the group>". */
static const struct {
    struct str group;
    const char *package;
} other_packages[] = {
    {STR_INIT("apiextensions.k8s.io"),   "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"},
    {STR_INIT("apiregistration.k8s.io"), "io.k8s.kube-aggregator.pkg.apis.apiregistration"      },
};

static struct str address_of(const struct go_type *const *type)
{
    return str_from((const char *)type, sizeof(*type));
}

static struct openapi_name *find_name(const struct openapi_writer *writer,
                                      const struct go_type *type)
{
    return map_find(&writer->names, address_of(&type));
}

static const char *package_of_group(struct arena *arena, struct gvk gvk)
{
    struct str rest = gvk.group, label;
    if (str_is_empty(gvk.group))
        return CORE;
    for (size_t i = 0; i < COUNT(other_packages); i++)
        if (str_eq(other_packages[i].group, gvk.group))
            return arena_print(arena, "%s.%.*s", other_packages[i].package, STR_ARG(gvk.version))
                .ptr;
    str_cut(&rest, '.', &label);
    return arena_print(arena, "io.k8s.api.%.*s.%.*s", STR_ARG(label), STR_ARG(gvk.version)).ptr;
}

/* Names a type and those that it uses, as far as they have no name yet. */
static void name_types(struct openapi_writer *writer, const struct go_type *root,
                       const char *package)
{
    const struct go_type **todo = NULL;
    size_t count = 0, capacity = 0;
    ARRAY_PUSH(todo, count, capacity, root);
    while (count) {
        const struct go_type *type = todo[--count];
        if (find_name(writer, type))
            continue;
        struct openapi_name *name = arena_alloc(&writer->arena, sizeof(*name));
        *name = (struct openapi_name){.package = package};
        map_put(&writer->names, address_of(&type), name);
        for (size_t i = 0; i < type->count; i++)
            if (type->fields[i].type)
                ARRAY_PUSH(todo, count, capacity, type->fields[i].type);
    }
    mem_free(todo);
}

static void name_kind(struct openapi_writer *writer, const struct go_type *type, struct gvk gvk)
{
    if (!type)
        return;
    name_types(writer, type, package_of_group(&writer->arena, gvk));
    find_name(writer, type)->gvk = gvk;
}

void openapi_writer_init(struct openapi_writer *writer, enum openapi_form form)
{
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    *writer = (struct openapi_writer){.form = form};
    for (size_t i = 0; i < COUNT(meta_types); i++)
        name_types(writer, meta_types[i], META);
    find_name(writer, &type_delete_options)->gvk = GVK("", "v1", "DeleteOptions");
    find_name(writer, &openapi_status)->gvk = GVK("", "v1", "Status");
    for (size_t i = 0; i < COUNT(core_types); i++)
        name_types(writer, core_types[i], CORE);
    for (size_t i = 0; i < count; i++)
        name_kind(writer, kinds[i].type, kinds[i].gvk);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < kinds[i].subresource_count; j++)
            name_kind(writer, go_type_find(kinds[i].subresources[j].gvk),
                      kinds[i].subresources[j].gvk);
}

void openapi_writer_done(struct openapi_writer *writer)
{
    json_builder_done(&writer->builder);
    map_done(&writer->names);
    map_done(&writer->seen);
    mem_free(writer->types);
    arena_done(&writer->arena);
}

void openapi_ref_name(struct openapi_writer *writer, struct str name)
{
    SCOPED(buf) path = {.limit = 0};
    const struct str folder =
        writer->form == OPENAPI_2 ? STR("#/definitions/") : STR("#/components/schemas/");
    BUF_ADD_ALL(&path, folder, name);
    json_builder_add_str(&writer->builder, "$ref", buf_str(&path));
}
