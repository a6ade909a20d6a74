/*
 * PrepareForCreate and PrepareForUpdate of built-in kinds: kind_builtin_prepare().
 *
 * Two things happen to an object before it is validated. Parts that the request may not change are
 * taken from the old object or reset: the status on a write to the whole object, everything else on
 * a write to /status. And the server fills in generated fields: addresses, QoS classes, selectors.
 *
 * The table rules[] has the kinds that differ from the usual: functions for create and update, and
 * which metadata a write to /status may not change. A kind without a row has its status reset or
 * kept, and nothing else. Upstream: strategy.go in
 * k8s.io/kubernetes/pkg/registry/<group>/<resource>.
 */
#include "apiserver/registry/kind_prepare_internal.h"
#include "apiserver/types/go_types.h"
#include "json/compare.h"

/* Which metadata of the old object a write to /status keeps, besides what belongs to the server. */
enum status_meta {
    STATUS_KEEPS_NOTHING,
    STATUS_KEEPS_LABELS,
    STATUS_KEEPS_OWNERS,
    STATUS_KEEPS_METADATA,
    STATUS_KEEPS_ALL_METADATA, /* but managedFields */
};

/*
 * What is special about a kind. status_on_create is for Nodes: kubelets register them with a
 * status. The function `status` runs on a write to /status, after what is kept has been put back.
 */
struct prepare_rule {
    const struct go_type *type;
    prepare_fn *create, *update;
    bool status_on_create;
    enum status_meta status_meta;
    prepare_fn *status;
};

static const struct prepare_rule rules[] = {
    {&type_certificate_signing_request,  prepare_certificate_create, NULL,                      false,
     STATUS_KEEPS_NOTHING,                                                                                                        prepare_certificate_status},
    {&type_secret,                       prepare_secret,             prepare_secret,            false, STATUS_KEEPS_NOTHING,      NULL                      },
    {&type_namespace,                    prepare_namespace_create,   prepare_namespace_update,  false,
     STATUS_KEEPS_NOTHING,                                                                                                        NULL                      },
    {&type_service_account,              prepare_service_account,    prepare_service_account,   false,
     STATUS_KEEPS_NOTHING,                                                                                                        NULL                      },
    {&type_service,                      prepare_service,            prepare_service,           false, STATUS_KEEPS_NOTHING,      NULL                      },
    {&type_pod,                          prepare_pod_create,         NULL,                      false, STATUS_KEEPS_OWNERS,       prepare_pod_status        },
    {&type_job,                          prepare_job_create,         NULL,                      false, STATUS_KEEPS_NOTHING,      prepare_controller_status },
    {&type_replication_controller,       NULL,                       NULL,                      false, STATUS_KEEPS_NOTHING,
     prepare_controller_status                                                                                                                              },
    {&type_daemon_set,                   prepare_daemon_set_create,  prepare_daemon_set_update, false,
     STATUS_KEEPS_NOTHING,                                                                                                        prepare_daemon_set_status },
    {&type_stateful_set,                 prepare_stateful_set,       prepare_stateful_set,      false, STATUS_KEEPS_NOTHING,
     NULL                                                                                                                                                   },
    {&type_persistent_volume_claim,      prepare_claim,              prepare_claim,             false, STATUS_KEEPS_NOTHING,
     NULL                                                                                                                                                   },
    {&type_persistent_volume,            prepare_volume_create,      NULL,                      false, STATUS_KEEPS_NOTHING,
     prepare_volume_status                                                                                                                                  },
    {&type_node,                         NULL,                       NULL,                      true,  STATUS_KEEPS_NOTHING,      NULL                      },
    {&type_endpoint_slice,               prepare_endpoint_slice,     prepare_endpoint_slice,    false,
     STATUS_KEEPS_NOTHING,                                                                                                        NULL                      },
    {&type_deployment,                   NULL,                       NULL,                      false, STATUS_KEEPS_LABELS,       NULL                      },
    {&type_api_service,                  NULL,                       NULL,                      false, STATUS_KEEPS_METADATA,     NULL                      },
    {&type_volume_attachment,            NULL,                       NULL,                      false, STATUS_KEEPS_METADATA,     NULL                      },
    {&type_validating_admission_policy,  NULL,                       NULL,                      false, STATUS_KEEPS_METADATA,     NULL                      },
    {&type_flow_schema,                  NULL,                       NULL,                      false, STATUS_KEEPS_ALL_METADATA, NULL                      },
    {&type_priority_level_configuration, NULL,                       NULL,                      false, STATUS_KEEPS_ALL_METADATA, NULL                      },
};

static const struct prepare_rule *find_rule(const struct go_type *type)
{
    static const struct prepare_rule none = {.type = NULL};
    for (size_t i = 0; i < COUNT(rules); i++)
        if (rules[i].type == type)
            return &rules[i];
    return &none;
}

/* What a write to /status cannot change. */
static size_t status_resets(const struct kind *kind, const char *const **ret_paths)
{
    static const char *const paths[] = {"spec", "metadata"};
    static const char *const of_deployments[] = {"spec", "metadata.labels"};
    static const char *const of_pods[] = {"spec", "metadata.deletionTimestamp",
                                          "metadata.ownerReferences"};
    static const struct {
        const char *const *paths;
        size_t count;
    } resets[] = {
        [STATUS_KEEPS_NOTHING] = {paths,          1                    },
        [STATUS_KEEPS_LABELS] = {of_deployments, COUNT(of_deployments)},
        [STATUS_KEEPS_OWNERS] = {of_pods,        COUNT(of_pods)       },
        [STATUS_KEEPS_METADATA] = {paths,          COUNT(paths)         },
        [STATUS_KEEPS_ALL_METADATA] = {paths,          COUNT(paths)         },
    };
    const enum status_meta kept = find_rule(kind->type)->status_meta;
    *ret_paths = resets[kept].paths;
    return resets[kept].count;
}

/* What each kind of write to a CertificateSigningRequest cannot change. */
static size_t certificate_resets(struct str subresource, const char *const **ret_paths)
{
    static const char *const of_status[] = {"spec", "status.conditions"};
    static const char *const of_approval[] = {"spec", "status.certificate"};
    static const char *const of_object[] = {"spec", "status"};
    *ret_paths = str_eq(subresource, STR("status"))     ? of_status
                 : str_eq(subresource, STR("approval")) ? of_approval
                                                        : of_object;
    return 2;
}

size_t kind_builtin_resets(const struct kind *kind, struct str subresource,
                           const char *const **ret_paths)
{
    static const char *const on_whole[] = {"status"};
    if (kind->type == &type_certificate_signing_request)
        return certificate_resets(subresource, ret_paths);
    if (str_eq(subresource, STR("status")))
        return status_resets(kind, ret_paths);
    *ret_paths = on_whole;
    return kind_subresource(kind, STR("status")) ? COUNT(on_whole) : 0;
}

const struct json_value *prepare_value(struct prepare *prepare, struct json_builder *builder)
{
    struct json_doc *doc = NULL;
    struct error *err = json_builder_finish(builder, &doc);
    if (err) {
        error_free(err);
        return NULL;
    }
    json_doc_hold(prepare->write->arena, doc);
    return json_doc_root(doc);
}

/* Sets a value; NULL removes what is there. */
static void set_or_remove(struct prepare *prepare, struct json_place place,
                          const struct json_value *value)
{
    if (value)
        json_edit_set(&prepare->edit, place, value);
    else
        json_edit_remove(&prepare->edit, place);
}

/* Sets the status of a new object: that of an empty object of the kind, decoded and defaulted. */
static struct error *reset_status(struct prepare *prepare)
{
    OWNED(json_doc) empty = NULL;
    OWNED(json_doc) decoded = NULL;
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, NULL);
    TRY(json_edit_finish(&edit, &empty));
    TRY(kind_builtin_decode(prepare->kind, empty, NULL, &decoded));
    TRY(kind_builtin_default(prepare->kind, decoded, &doc));
    json_doc_hold(prepare->write->arena, doc);
    set_or_remove(prepare, JSON_PLACE("status"), json_path(json_doc_root(doc), "status"));
    return NULL;
}

static bool has_status(const struct kind *kind)
{
    return go_type_field(kind->type, STR("status")) != NULL;
}

static struct error *prepare_create(struct prepare *prepare, const struct prepare_rule *rule)
{
    if (has_status(prepare->kind) && !rule->status_on_create)
        TRY(reset_status(prepare));
    if (rule->create)
        rule->create(prepare);
    return NULL;
}

/* Keeps the status. The spec of a CertificateSigningRequest is immutable and kept too. */
static void prepare_update(struct prepare *prepare, const struct prepare_rule *rule)
{
    const struct json_value *old = prepare->write->old;
    if (has_status(prepare->kind))
        set_or_remove(prepare, JSON_PLACE("status"), json_path(old, "status"));
    if (prepare->kind->type == &type_certificate_signing_request)
        set_or_remove(prepare, JSON_PLACE("spec"), json_path(old, "spec"));
    if (rule->update)
        rule->update(prepare);
}

static void keep_all_metadata(struct prepare *prepare)
{
    const struct json_value *old = json_path(prepare->write->old, "metadata"), *value;
    const struct str owned = STR("managedFields");
    JSON_FOREACH (key, value, json_path(prepare->object, "metadata"))
        if (!str_eq(key, owned) && !json_get(old, key))
            json_edit_remove(&prepare->edit, JSON_PLACE_KEY("metadata", key));
    JSON_FOREACH (key, value, old)
        if (!str_eq(key, owned))
            json_edit_set(&prepare->edit, JSON_PLACE_KEY("metadata", key), value);
}

static void keep_metadata(struct prepare *prepare, enum status_meta kept)
{
    if (kept == STATUS_KEEPS_ALL_METADATA) {
        keep_all_metadata(prepare);
        return;
    }
    static const char *const labels[] = {"labels", NULL};
    static const char *const owners[] = {"ownerReferences", "deletionTimestamp", NULL};
    static const char *const all[] = {"labels",          "annotations",       "finalizers",
                                      "ownerReferences", "deletionTimestamp", NULL};
    static const char *const *const members[] = {
        [STATUS_KEEPS_NOTHING] = NULL,
        [STATUS_KEEPS_LABELS] = labels,
        [STATUS_KEEPS_OWNERS] = owners,
        [STATUS_KEEPS_METADATA] = all,
    };
    const struct json_value *metadata = json_path(prepare->write->old, "metadata");
    for (const char *const *member = members[kept]; member && *member; member++)
        set_or_remove(prepare, JSON_PLACE_KEY("metadata", str_from_c(*member)),
                      json_path(metadata, *member));
}

/*
 * Keeps everything but status and metadata. Members that the body lacks are taken over, others
 * replaced.
 */
static void prepare_status(struct prepare *prepare, const struct prepare_rule *rule)
{
    const struct json_value *old = prepare->write->old, *value;
    JSON_FOREACH (key, value, prepare->object)
        if (!str_eq(key, STR("metadata")) && !str_eq(key, STR("status")))
            set_or_remove(prepare, JSON_PLACE_KEY("", key), json_get(old, key));
    JSON_FOREACH (key, value, old)
        if (!json_get(prepare->object, key) && !str_eq(key, STR("status")))
            json_edit_set(&prepare->edit, JSON_PLACE_KEY("", key), value);
    keep_metadata(prepare, rule->status_meta);
    if (rule->status)
        rule->status(prepare);
}

/* Members of features that are off or gone. An object does not get them, but may keep its own. */
static const struct {
    const struct go_type *type;
    const char *path;
} disabled[] = {
    {&type_pod,                    "spec.schedulingGroup"                               },
    {&type_pod_template,           "template.spec.schedulingGroup"                      },
    {&type_replication_controller, "spec.template.spec.schedulingGroup"                 },
    {&type_replica_set,            "spec.template.spec.schedulingGroup"                 },
    {&type_deployment,             "spec.template.spec.schedulingGroup"                 },
    {&type_stateful_set,           "spec.template.spec.schedulingGroup"                 },
    {&type_daemon_set,             "spec.template.spec.schedulingGroup"                 },
    {&type_job,                    "spec.template.spec.schedulingGroup"                 },
    {&type_cron_job,               "spec.jobTemplate.spec.template.spec.schedulingGroup"},
    {&type_pod,                    "status.nodeAllocatableResourceClaimStatuses"        },
    {&type_stateful_set,           "spec.updateStrategy.rollingUpdate.maxUnavailable"   },
    {&type_node,                   "spec.configSource"                                  },
    {&type_node,                   "status.config"                                      },
    {&type_lease,                  "spec.strategy"                                      },
    {&type_lease,                  "spec.preferredHolder"                               },
    {&type_csi_driver,             "spec.preventPodSchedulingIfMissing"                 },
};

static void drop_disabled(struct prepare *prepare)
{
    for (size_t i = 0; i < COUNT(disabled); i++)
        if (disabled[i].type == prepare->kind->type &&
            json_path(prepare->object, disabled[i].path) &&
            !json_path(prepare->write->old, disabled[i].path))
            json_edit_remove(&prepare->edit, (struct json_place){.path = disabled[i].path});
}

/*
 * Distinguishes the operations. /approval of a CertificateSigningRequest writes the status, too;
 * /finalize of a Namespace writes the spec.
 */
static struct error *prepare_object(struct prepare *prepare)
{
    const struct prepare_rule *rule = find_rule(prepare->kind->type);
    const struct kind_write *write = prepare->write;
    drop_disabled(prepare);
    if (!write->old)
        return prepare_create(prepare, rule);
    if (str_eq(write->subresource, STR("status")) || str_eq(write->subresource, STR("approval")))
        prepare_status(prepare, rule);
    else if (str_eq(write->subresource, STR("finalize")))
        set_or_remove(prepare, JSON_PLACE("status"), json_path(write->old, "status"));
    else
        prepare_update(prepare, rule);
    return NULL;
}

struct error *kind_builtin_prepare(const struct kind *kind, const struct kind_write *write,
                                   struct json_doc *doc, struct json_doc **ret_doc)
{
    struct prepare prepare = {.kind = kind, .write = write, .object = json_doc_root(doc)};
    json_edit_init(&prepare.edit, prepare.object);
    struct error *err = prepare_object(&prepare);
    if (!err)
        err = json_edit_finish(&prepare.edit, ret_doc);
    json_edit_done(&prepare.edit);
    return err;
}
