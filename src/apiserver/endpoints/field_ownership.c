/*
 * Connects managedfields/ with kinds. An entry in managedFields names the version it was written
 * in, so the type of every version is needed: find_type() and convert() look it up while
 * managed_fields_*() runs.
 */
#include "apiserver/endpoints/field_ownership.h"

#include "apiserver/crd/crd.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/crd/scale.h"
#include "apiserver/managedfields/managed_fields.h"
#include "apiserver/managedfields/managed_scale.h"
#include "apiserver/registry/kind_autoscaler.h"
#include "apiserver/registry/kind_builtin.h"

/* A custom kind in another version; NULL when that version is not served. */
static const struct kind *find_custom(const struct field_ownership *ownership, struct gvk gvk)
{
    const struct crd *crd = crd_of_kind(ownership->kind);
    for (size_t i = 0; i < crd_kind_count(crd); i++) {
        const struct kind *kind = crd_kind(crd, i);
        if (str_eq(kind->gvk.group, gvk.group) && str_eq(kind->gvk.version, gvk.version))
            return kind;
    }
    return NULL;
}

/*
 * False for versions that are no longer served; their entries are dropped. So are those of the
 * other group of Events, whose members have other names.
 */
static bool find_type(void *data, struct str api_version, struct field_type *ret_type)
{
    const struct field_ownership *ownership = data;
    const struct kind *own = ownership->kind;
    struct gvk gvk;
    OWNED(error) malformed = gvk_from_api_version(api_version, own->gvk.kind, &gvk);
    if (malformed)
        return false;
    if (!own->is_custom)
        return str_eq(gvk.group, own->gvk.group) && field_type_of_builtin(gvk, ret_type);
    const struct kind *kind = find_custom(ownership, gvk);
    if (!kind)
        return false;
    *ret_type = field_type_of_schema(crd_schema(kind));
    return true;
}

/*
 * Converts an object to the version of an entry. Besides custom resources, HorizontalPodAutoscalers
 * have several versions.
 */
static struct error *convert_autoscaler(const struct kind *own, struct str version,
                                        struct json_doc *doc, struct json_doc **ret_doc)
{
    if (str_eq(version, own->gvk.version)) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    return kind_autoscaler_is_v1(own) ? kind_autoscaler_to_v2(json_doc_root(doc), ret_doc)
                                      : kind_autoscaler_to_v1(json_doc_root(doc), ret_doc);
}

static struct error *convert(void *data, struct str api_version, const struct json_value *object,
                             struct json_doc **ret_doc)
{
    const struct field_ownership *ownership = data;
    OWNED(json_doc) copy = json_doc_copy(object);
    struct gvk gvk;
    TRY(gvk_from_api_version(api_version, ownership->kind->gvk.kind, &gvk));
    if (!ownership->kind->is_custom)
        return convert_autoscaler(ownership->kind, gvk.version, copy, ret_doc);
    const struct kind *kind = find_custom(ownership, gvk);
    if (!kind)
        return error_new(ERROR_NOT_FOUND, "%.*s is not served", STR_ARG(api_version));
    return crd_present(kind, copy, ret_doc);
}

/*
 * Fields that a request cannot change cannot be owned through it: status on the whole object, and
 * on /status the spec, of some kinds with the metadata.
 */
static void set_reset(const struct field_ownership *ownership, struct managed_fields_write *write)
{
    static const char *const on_whole[] = {"status"};
    static const char *const on_status[] = {"spec", "metadata"};
    const struct kind *kind = ownership->kind;
    if (!kind->is_custom) {
        write->reset_count = kind_builtin_resets(kind, ownership->subresource, &write->reset);
    } else if (str_eq(ownership->subresource, STR("status"))) {
        write->reset = on_status;
        write->reset_count = COUNT(on_status);
    } else if (kind_subresource(ownership->kind, STR("status"))) {
        write->reset = on_whole;
        write->reset_count = COUNT(on_whole);
    }
}

static struct managed_fields_write write_of(const struct field_ownership *ownership)
{
    const struct kind *kind = ownership->kind;
    struct managed_fields_write write = {
        .api_version = gvk_api_version(ownership->arena, kind->gvk),
        .kind = kind->gvk.kind,
        .manager = ownership->manager,
        .subresource = ownership->subresource,
        .now = ownership->now,
        .find_type = find_type,
        .data = (void *)ownership,
    };
    if (kind->is_custom ? crd_has_conversion(kind) : kind_autoscaler_is_any(kind))
        write.convert = convert;
    if (kind->is_custom)
        write.type = field_type_of_schema(crd_schema(kind));
    else if (!field_type_of_builtin(kind->gvk, &write.type))
        write.type = (struct field_type){0};
    set_reset(ownership, &write);
    return write;
}

/* Fields of managers in other versions cannot be compared without conversions, and stay theirs. */
struct error *field_ownership_update(const struct field_ownership *ownership,
                                     const struct json_value *live, const struct json_value *object,
                                     struct json_doc **ret_doc)
{
    if (crd_keeps_version(ownership->kind)) {
        *ret_doc = json_doc_copy(object);
        return NULL;
    }
    const struct managed_fields_write write = write_of(ownership);
    return managed_fields_update(&write, live, object, ret_doc);
}

struct error *field_ownership_apply(const struct field_ownership *ownership, bool force,
                                    const struct json_value *live, const struct json_value *patch,
                                    struct json_doc **ret_doc)
{
    const struct managed_fields_write write = write_of(ownership);
    return managed_fields_apply(&write, force, live, patch, ret_doc);
}

/* Where the replicas are in a version of the object. */
static bool find_replicas(void *data, struct str api_version, struct str *ret_path)
{
    const struct field_ownership *ownership = data;
    const struct kind *own = ownership->kind;
    struct field_type type;
    struct gvk gvk;
    OWNED(error) malformed = gvk_from_api_version(api_version, own->gvk.kind, &gvk);
    if (malformed || (!own->is_custom && !field_type_of_builtin(gvk, &type)))
        return false;
    const struct kind *kind = own->is_custom ? find_custom(ownership, gvk) : own;
    if (!kind)
        return false;
    *ret_path = scale_replicas_path(kind);
    return true;
}

static struct managed_scale scale_of(const struct field_ownership *ownership)
{
    return (struct managed_scale){
        .api_version = gvk_api_version(ownership->arena, ownership->kind->gvk),
        .find_path = find_replicas,
        .data = (void *)ownership,
    };
}

struct error *field_ownership_to_scale(const struct field_ownership *ownership,
                                       const struct json_value *object,
                                       struct json_doc **ret_entries)
{
    const struct managed_scale scale = scale_of(ownership);
    return managed_scale_from_object(&scale, object, ret_entries);
}

struct error *field_ownership_from_scale(const struct field_ownership *ownership,
                                         const struct json_value *object,
                                         const struct json_value *entries,
                                         struct json_doc **ret_entries)
{
    const struct managed_scale scale = scale_of(ownership);
    return managed_scale_to_object(&scale, object, entries, ret_entries);
}
