/*
 * Validation of built-in kinds: kind_builtin_validate().
 *
 * First validate_members() walks over the structs of the object along the Go types and applies to
 * each the rows of its type (kind_validate_rows.c). On an update of the whole object two tables
 * follow: immutable fields (fixed[]), and functions for changes that need more than a comparison
 * (updates[]).
 *
 * The walk keeps a stack of open structs, lists and maps, and the path of the innermost one. It
 * enters only fields that are structs, or lists and maps of structs; scalars are checked by the
 * rows of the struct that has them. ObjectMeta is checked by metadata_check(). The walk ends at
 * FIELD_ERRORS_MAX errors.
 *
 * Which file has a rule: rows in kind_validate_rows.c, their forms in kind_validate_rules.c,
 * functions on objects in
 * kind_validate_{core,event,limits,resources,node,service,pod,workload,job,job_policy,job_indexes,
 * job_status,cron_job,autoscaler,access,admission,net,endpoints,storage,volume,claim,address}.c,
 * those on parts of Pods in the files that kind_validate_pod_internal.h names,
 * helpers for errors in kind_validate_field.c. Upstream:
 * k8s.io/kubernetes/pkg/apis/<group>/validation.
 */
#include <string.h>

#include "apiserver/registry/kind_autoscaler.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/compare.h"

/* How many types are inlined in one struct, one in another; there are at most three. */
#define INLINED_MAX 8

/* A container that is being validated. */
struct level {
    struct json_iter iter;
    const struct go_type *type;   /* of a struct */
    const struct go_field *field; /* of the items of a list or map; NULL for a struct */
    size_t path_len;
};

struct walk {
    struct kind_validator *v;
    struct level *levels;
    size_t depth, capacity;
    struct buf path;
};

static void walk_done(struct walk *walk)
{
    mem_free(walk->levels);
    buf_done(&walk->path);
}

static void push(struct walk *walk, struct level level)
{
    level.path_len = walk->path.len;
    ARRAY_PUSH(walk->levels, walk->depth, walk->capacity, level);
}

/*
 * Sets last_rows to the rows of a type, which are contiguous. The rows found last are kept:
 * elements of a list are all of one type.
 */
static void find_rows(struct kind_validator *v, const struct go_type *type)
{
    size_t count, begin = 0, end;
    const struct rule_row *rows = rule_rows(&count);
    if (v->last_type == type)
        return;
    while (begin < count && strcmp(rows[begin].type, type->name) != 0)
        begin++;
    for (end = begin; end < count && strcmp(rows[end].type, type->name) == 0;)
        end++;
    v->last_type = type;
    v->last_rows = &rows[begin];
    v->last_count = end - begin;
}

/*
 * Applies all rows of a type. When a required member is missing, the other rows for it are skipped.
 */
static void apply_rows(struct kind_validator *v, const struct go_type *type,
                       const struct json_value *object, struct str path)
{
    const char *missing = NULL;
    find_rows(v, type);
    for (size_t i = 0; i < v->last_count; i++) {
        const struct rule_row *row = &v->last_rows[i];
        const size_t before = v->errors->count;
        if (missing && row->member && strcmp(row->member, missing) == 0)
            continue;
        rule_apply(v, row, object, path);
        if (row->form == RULE_REQUIRED && v->errors->count > before)
            missing = row->member;
    }
}

/*
 * Applies the rows of a type and of all types that are inlined in it: their members stand in the
 * same object.
 */
static void validate_type(struct kind_validator *v, const struct go_type *type,
                          const struct json_value *object, struct str path)
{
    const struct go_type *types[INLINED_MAX] = {type};
    size_t known = 1;
    for (size_t at = 0; at < known; at++) {
        apply_rows(v, types[at], object, path);
        for (size_t i = 0; i < types[at]->count && known < INLINED_MAX; i++)
            if (types[at]->fields[i].flags & GO_INLINE)
                types[known++] = types[at]->fields[i].type;
    }
}

static void enter_object(struct walk *walk, const struct go_type *type,
                         const struct json_value *object)
{
    validate_type(walk->v, type, object, buf_str(&walk->path));
    push(walk, (struct level){.iter.container = object, .type = type});
}

/*
 * Members that the walk does not enter: a function on the type looks into them, or upstream does
 * not. Without a member it is all of the type's, but one.
 */
static const struct {
    const char *type, *member, *but;
} closed[] = {
    {"HorizontalPodAutoscalerSpec",   NULL,                   NULL          },
    {"HorizontalPodAutoscalerStatus", NULL,                   NULL          },
    {"JobSpec",                       "selector",             NULL          },
    {"PersistentVolumeSpec",          NULL,                   "nodeAffinity"},
    {"PodSpec",                       NULL,                   NULL          },
    {"StatefulSetSpec",               "volumeClaimTemplates", NULL          },
};

static bool is_closed(const struct go_type *type, struct str member)
{
    for (size_t i = 0; i < COUNT(closed); i++)
        if (strcmp(type->name, closed[i].type) == 0)
            return closed[i].member ? str_eq(member, str_from_c(closed[i].member))
                                    : !closed[i].but || !str_eq(member, str_from_c(closed[i].but));
    return false;
}

static bool writes_status(const struct kind_write *write)
{
    return str_eq(write->subresource, STR("status")) || str_eq(write->subresource, STR("approval"));
}

/* Controllers of which a selector that cannot be read hides the template. */
static bool is_hidden(const struct walk *walk, const struct go_type *type, struct str member)
{
    static const char *const controllers[] = {"DeploymentSpec", "ReplicaSetSpec",
                                              "StatefulSetSpec"};
    const struct json_value *spec = walk->levels[walk->depth - 1].iter.container;
    bool is_one = false;
    for (size_t i = 0; i < COUNT(controllers); i++)
        is_one = is_one || strcmp(type->name, controllers[i]) == 0;
    return is_one && str_eq(member, STR("template")) &&
           !validate_selector_is_readable(walk->v, spec);
}

/*
 * Whether a member is part of this validation. At the root, a write to /status or /approval
 * validates the status, any other write everything else.
 */
static bool is_validated(const struct walk *walk, const struct go_type *type, struct str member)
{
    const bool is_status = writes_status(walk->v->write);
    if (walk->depth > 1)
        return !is_closed(type, member) && !is_hidden(walk, type, member);
    return str_eq(member, STR("status")) == is_status;
}

/* Enters a member that is a struct, or a list or map of structs. */
static void walk_member(struct walk *walk, const struct level *level, struct str key,
                        const struct json_value *value)
{
    const struct go_field *field = go_type_field(level->type, key);
    if (!field || field->kind != GO_MESSAGE || field->type == &type_object_meta ||
        !is_validated(walk, level->type, key))
        return;
    buf_print(&walk->path, "%s%.*s", walk->path.len ? "." : "", STR_ARG(key));
    if (field->flags & (GO_LIST | GO_MAP))
        push(walk, (struct level){.iter.container = value, .field = field});
    else
        enter_object(walk, field->type, value);
}

static void walk_item(struct walk *walk, const struct go_field *field, size_t index, struct str key,
                      const struct json_value *value)
{
    if (field->flags & GO_MAP)
        buf_print(&walk->path, "[%.*s]", STR_ARG(key));
    else
        buf_print(&walk->path, "[%zu]", index);
    enter_object(walk, field->type, value);
}

/* Does the next member or item of the innermost container. */
static void walk_step(struct walk *walk)
{
    struct level *level = &walk->levels[walk->depth - 1];
    const size_t index = level->iter.index;
    const struct json_value *value;
    struct str key;
    buf_truncate(&walk->path, level->path_len);
    if (!json_next(&level->iter, &key, &value))
        walk->depth--;
    else if (level->field)
        walk_item(walk, level->field, index, key, value);
    else
        walk_member(walk, level, key, value);
}

/* A write to /status does not apply the rows of the whole object. */
static void validate_members(struct kind_validator *v)
{
    SCOPED(walk) walk = {.v = v};
    if (writes_status(v->write))
        push(&walk, (struct level){.iter.container = v->object, .type = v->kind->type});
    else
        enter_object(&walk, v->kind->type, v->object);
    while (walk.depth > 0 && v->errors->count < FIELD_ERRORS_MAX)
        walk_step(&walk);
}

#define IMMUTABLE "field is immutable"

/*
 * Fields that an update of the whole object may not change. The error is Invalid with the new
 * value, or Forbidden.
 */
static const struct {
    const struct go_type *type;
    const char *path, *text;
    bool is_forbidden;
} fixed[] = {
    {&type_secret,               "type",                      IMMUTABLE,                          false},
    {&type_deployment,           "spec.selector",             IMMUTABLE,                          false},
    {&type_replica_set,          "spec.selector",             IMMUTABLE,                          false},
    {&type_daemon_set,           "spec.selector",             IMMUTABLE,                          false},
    {&type_job,                  "spec.selector",             IMMUTABLE,                          false},
    {&type_job,                  "spec.completionMode",       IMMUTABLE,                          false},
    {&type_job,                  "spec.podFailurePolicy",     IMMUTABLE,                          false},
    {&type_job,                  "spec.backoffLimitPerIndex", IMMUTABLE,                          false},
    {&type_job,                  "spec.managedBy",            IMMUTABLE,                          false},
    {&type_job,                  "spec.successPolicy",        IMMUTABLE,                          false},
    {&type_controller_revision,  "data",                      IMMUTABLE,                          false},
    {&type_storage_class,        "parameters",                IMMUTABLE,                          false},
    {&type_storage_class,        "provisioner",               IMMUTABLE,                          false},
    {&type_storage_class,        "reclaimPolicy",             IMMUTABLE,                          false},
    {&type_storage_class,        "volumeBindingMode",         IMMUTABLE,                          false},
    {&type_csi_driver,           "spec.volumeLifecycleModes", IMMUTABLE,                          false},
    {&type_csi_storage_capacity, "nodeTopology",              IMMUTABLE,                          false},
    {&type_csi_storage_capacity, "storageClassName",          IMMUTABLE,                          false},
    {&type_volume_attachment,    "spec",                      IMMUTABLE,                          false},
    {&type_priority_class,       "value",                     "may not be changed in an update.", true },
    {&type_priority_class,       "preemptionPolicy",          IMMUTABLE,                          false},
    {&type_runtime_class,        "handler",                   IMMUTABLE,                          false},
    {&type_endpoint_slice,       "addressType",               IMMUTABLE,                          false},
    {&type_ingress_class,        "spec.controller",           IMMUTABLE,                          false},
};

/* Whether the field is a text that Go has no pointer to: one that is absent is empty there. */
static bool is_plain_text(const struct go_type *type, const char *path)
{
    struct str rest = str_from_c(path), member;
    const struct go_field *field = NULL;
    for (bool more = true; more && type; type = field ? field->type : NULL) {
        more = str_cut(&rest, '.', &member);
        field = go_type_field(type, member);
    }
    return field && field->kind == GO_STRING && !(field->flags & (GO_POINTER | GO_LIST | GO_MAP));
}

/* Compares the immutable fields of the kind. */
static void validate_immutable_fields(struct kind_validator *v)
{
    for (size_t i = 0; i < COUNT(fixed); i++) {
        if (fixed[i].type != v->kind->type)
            continue;
        const struct json_value *value = json_path(v->object, fixed[i].path);
        if (json_equal(value, json_path(v->old, fixed[i].path)))
            continue;
        if (fixed[i].is_forbidden)
            field_forbidden(v, STR(""), fixed[i].path, fixed[i].text);
        else if (!value && is_plain_text(fixed[i].type, fixed[i].path))
            field_errors_add_str(v->errors, FIELD_INVALID, str_from_c(fixed[i].path), STR(""),
                                 str_from_c(fixed[i].text));
        else
            field_invalid(v, STR(""), fixed[i].path, value, fixed[i].text);
    }
}

/* Functions that compare the old and the new object, by kind. */
static const struct {
    const struct go_type *type;
    validate_fn *check;
} updates[] = {
    {&type_pod,                     validate_pod_update           },
    {&type_stateful_set,            validate_stateful_set_update  },
    {&type_job,                     validate_job_update           },
    {&type_persistent_volume_claim, validate_claim_update         },
    {&type_persistent_volume,       validate_volume_update        },
    {&type_resource_quota,          validate_resource_quota_update},
    {&type_node,                    validate_node_update          },
    {&type_csi_node,                validate_csi_node_update      },
    {&type_csi_driver,              validate_csi_driver_update    },
    {&type_service,                 validate_service_update       },
};

/* A kind that is stored in another version is validated in that one. False when it cannot be. */
static bool validate_stored_version(const struct kind *kind, const struct kind_write *write,
                                    const struct json_value *object, struct field_errors *errors)
{
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) old = NULL;
    struct kind_write step = *write;
    OWNED(error) err = kind_autoscaler_to_v2(object, &doc);
    if (!err && write->old)
        err = kind_autoscaler_to_v2(write->old, &old);
    if (err)
        return false;
    step.old = old ? json_doc_root(old) : NULL;
    kind_builtin_validate(kinds_find_kind((struct gvk){kind->gvk.group, STR("v2"), kind->gvk.kind}),
                          &step, json_doc_root(doc), errors);
    return true;
}

void kind_builtin_validate(const struct kind *kind, const struct kind_write *write,
                           const struct json_value *object, struct field_errors *errors)
{
    if (kind_autoscaler_is_v1(kind) && validate_stored_version(kind, write, object, errors))
        return;
    struct kind_validator v = {
        .kind = kind,
        .write = write,
        .object = object,
        .old = write->old,
        .errors = errors,
        .arena = errors->arena,
    };
    if (kind->type == &type_service && write->subresource.len == 0 &&
        !validate_service_allocation(&v))
        return;
    validate_members(&v);
    if (v.old && kind->type == &type_certificate_signing_request)
        validate_certificate_update(&v, object, STR(""));
    if (v.old && kind->type == &type_job && writes_status(write))
        validate_job_status_update(&v, object, STR(""));
    if (!v.old || write->subresource.len > 0)
        return;
    validate_immutable_fields(&v);
    for (size_t i = 0; i < COUNT(updates); i++)
        if (updates[i].type == kind->type)
            updates[i].check(&v, object, STR(""));
}
