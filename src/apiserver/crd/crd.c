/*
 * Life cycle and accessors of a crd. A kind that crd_kind() returned is a member of its struct
 * crd_version, so that crd_version_of() needs no search; it must not be called with a built-in
 * kind.
 */
#include "apiserver/crd/crd_internal.h"
#include "base/memory.h"

struct crd *crd_ref(struct crd *crd)
{
    crd->references++;
    return crd;
}

void crd_free(struct crd *crd)
{
    if (!crd || --crd->references)
        return;
    if (crd->pool)
        crd_pool_forget(crd->pool, crd->pool_key);
    for (size_t i = 0; i < crd->version_count; i++)
        schema_free(crd->versions[i].schema);
    json_doc_free(crd->conversion);
    arena_done(&crd->arena);
    mem_free(crd);
}

size_t crd_kind_count(const struct crd *crd)
{
    return crd->served_count;
}

const struct kind *crd_kind(const struct crd *crd, size_t index)
{
    return crd->served[index];
}

const uint8_t *crd_digest(const struct crd *crd)
{
    return crd->spec_digest;
}

const struct crd_version *crd_version_of(const struct kind *kind)
{
    return CONTAINER_OF(kind, const struct crd_version, kind);
}

const struct crd_version *crd_find_version(const struct crd *crd, struct str name)
{
    for (size_t i = 0; i < crd->version_count; i++)
        if (str_eq(crd->versions[i].kind.gvk.version, name))
            return &crd->versions[i];
    return NULL;
}

struct crd *crd_of_kind(const struct kind *kind)
{
    return crd_version_of(kind)->crd;
}

const struct schema *crd_schema(const struct kind *kind)
{
    return crd_version_of(kind)->schema;
}

bool crd_scale_paths(const struct kind *kind, struct crd_scale_paths *ret_paths)
{
    const struct crd_version *version = crd_version_of(kind);
    if (version->has_scale)
        *ret_paths = version->scale;
    return version->has_scale;
}
