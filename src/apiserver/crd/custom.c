/* The life of a compiled definition, and its parts for others to see. */
#include "apiserver/crd/custom_internal.h"
#include "base/memory.h"

struct custom *custom_ref(struct custom *custom)
{
    custom->references++;
    return custom;
}

void custom_free(struct custom *custom)
{
    if (!custom || --custom->references)
        return;
    if (custom->pool)
        custom_pool_forget(custom->pool, custom->pool_key);
    for (size_t i = 0; i < custom->version_count; i++)
        schema_free(custom->versions[i].schema);
    arena_done(&custom->arena);
    mem_free(custom);
}

size_t custom_kind_count(const struct custom *custom)
{
    return custom->served_count;
}

const struct kind *custom_kind(const struct custom *custom, size_t index)
{
    return custom->served[index];
}

const struct custom_version *custom_version_of(const struct kind *kind)
{
    return CONTAINER_OF(kind, const struct custom_version, kind);
}

const struct custom_version *custom_find_version(const struct custom *custom, struct str name)
{
    for (size_t i = 0; i < custom->version_count; i++)
        if (str_eq(custom->versions[i].kind.gvk.version, name))
            return &custom->versions[i];
    return NULL;
}

struct custom *custom_of_kind(const struct kind *kind)
{
    return custom_version_of(kind)->custom;
}

const struct schema *custom_schema(const struct kind *kind)
{
    return custom_version_of(kind)->schema;
}

bool custom_scale(const struct kind *kind, struct custom_scale *ret_scale)
{
    const struct custom_version *version = custom_version_of(kind);
    if (version->has_scale)
        *ret_scale = version->scale;
    return version->has_scale;
}
