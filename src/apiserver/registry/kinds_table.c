/*
 * The table of built-in kinds, in the order in which discovery lists them, and lookups in it.
 *
 * A row is one of four macros, which differ in where objects are stored:
 *
 *     CORE       a kind of the core group, v1, stored as its plural
 *     KIND       a kind of another group, stored as "plural.group"
 *     STORED_AS  a kind that shares the place of another one: Event of events.k8s.io. Two versions
 *                of a kind share theirs by the name of KIND
 *     REVIEW     a kind that is answered and never stored
 *
 * Their arguments are: group and version (not CORE), kind, plural, singular, traits, the check of
 * names (validation_...), the Go type (type_...), the columns (kind_columns_...), the verbs, and
 * then any further members of struct kind. Kinds of one group and version must be contiguous.
 *
 * To add a kind: its Go type in ../types, its columns and cells (kind_columns_internal.h), a row
 * here, and as far as it has them rows for defaults and validation and a rule in kind_prepare.c.
 */
#include "apimachinery/validation.h"
#include "apiserver/registry/kind.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/registry/kind_columns_internal.h"
#include "apiserver/types/go_types.h"
#include "base/owned.h"

/* The flags of struct kind that a row sets with one word each. */
enum traits {
    NAMESPACED = 1,
    GENERATION = 2,
    CREATES = 4,    /* create_on_update */
    OVERWRITES = 8, /* unconditional_update */
    RETURNS = 16,   /* delete_returns_object */
};

#define READ_WRITE (KIND_GET | KIND_PATCH | KIND_UPDATE)

static const struct kind_subresource status[] = {
    {.name = "status", .verbs = READ_WRITE},
};

static const struct kind_subresource scale_and_status[] = {
    {.name = "scale",
     .part = KIND_PART_SCALE,
     .verbs = READ_WRITE,
     .gvk = {STR_INIT("autoscaling"), STR_INIT("v1"), STR_INIT("Scale")}},
    {.name = "status", .verbs = READ_WRITE},
};

static const struct kind_subresource approval_and_status[] = {
    {.name = "approval", .verbs = READ_WRITE},
    {.name = "status",   .verbs = READ_WRITE},
};

static const struct kind_subresource finalize_and_status[] = {
    {.name = "finalize", .verbs = KIND_UPDATE},
    {.name = "status",   .verbs = READ_WRITE },
};

static const struct kind_subresource pod_parts[] = {
    {.name = "binding",
     .part = KIND_PART_BINDING,
     .verbs = KIND_CREATE,
     .gvk = {STR_INIT(""), STR_INIT("v1"), STR_INIT("Binding")}},
    {.name = "eviction",
     .part = KIND_PART_EVICTION,
     .verbs = KIND_CREATE,
     .gvk = {STR_INIT("policy"), STR_INIT("v1"), STR_INIT("Eviction")}},
    {.name = "status",                                 .verbs = READ_WRITE                                        },
};

static const struct kind_subresource token[] = {
    {.name = "token",
     .part = KIND_PART_TOKEN,
     .verbs = KIND_CREATE,
     .gvk = {STR_INIT("authentication.k8s.io"), STR_INIT("v1"), STR_INIT("TokenRequest")}},
};

static const struct field_label event_labels[] = {
    {STR_INIT("involvedObject.kind"),            "involvedObject.kind"           },
    {STR_INIT("involvedObject.namespace"),       "involvedObject.namespace"      },
    {STR_INIT("involvedObject.name"),            "involvedObject.name"           },
    {STR_INIT("involvedObject.uid"),             "involvedObject.uid"            },
    {STR_INIT("involvedObject.apiVersion"),      "involvedObject.apiVersion"     },
    {STR_INIT("involvedObject.resourceVersion"), "involvedObject.resourceVersion"},
    {STR_INIT("involvedObject.fieldPath"),       "involvedObject.fieldPath"      },
    {STR_INIT("reason"),                         "reason"                        },
    {STR_INIT("reportingComponent"),             "reportingComponent"            },
    {STR_INIT("source"),                         "source.component"              },
    {STR_INIT("type"),                           "type"                          },
};

static const struct field_label events_event_labels[] = {
    {STR_INIT("reason"),                    "reason"                   },
    {STR_INIT("regarding.kind"),            "regarding.kind"           },
    {STR_INIT("regarding.namespace"),       "regarding.namespace"      },
    {STR_INIT("regarding.name"),            "regarding.name"           },
    {STR_INIT("regarding.uid"),             "regarding.uid"            },
    {STR_INIT("regarding.apiVersion"),      "regarding.apiVersion"     },
    {STR_INIT("regarding.resourceVersion"), "regarding.resourceVersion"},
    {STR_INIT("regarding.fieldPath"),       "regarding.fieldPath"      },
    {STR_INIT("reportingController"),       "reportingController"      },
    {STR_INIT("type"),                      "type"                     },
};

static const struct field_label pod_labels[] = {
    {STR_INIT("spec.nodeName"),            "spec.nodeName"           },
    {STR_INIT("spec.restartPolicy"),       "spec.restartPolicy"      },
    {STR_INIT("spec.schedulerName"),       "spec.schedulerName"      },
    {STR_INIT("spec.serviceAccountName"),  "spec.serviceAccountName" },
    {STR_INIT("spec.hostNetwork"),         "spec.hostNetwork"        },
    {STR_INIT("status.phase"),             "status.phase"            },
    {STR_INIT("status.podIP"),             "status.podIP"            },
    {STR_INIT("status.nominatedNodeName"), "status.nominatedNodeName"},
};

static const struct field_label service_labels[] = {
    {STR_INIT("spec.clusterIP"), "spec.clusterIP"},
    {STR_INIT("spec.type"),      "spec.type"     },
};

static const struct field_label certificate_labels[] = {
    {STR_INIT("spec.signerName"), "spec.signerName"}
};
static const struct field_label node_labels[] = {
    {STR_INIT("spec.unschedulable"), "spec.unschedulable"}
};
static const struct field_label namespace_labels[] = {
    {STR_INIT("status.phase"), "status.phase"}
};
static const struct field_label secret_labels[] = {
    {STR_INIT("type"), "type"}
};
static const struct field_label replicas_labels[] = {
    {STR_INIT("status.replicas"), "status.replicas"}
};
static const struct field_label job_labels[] = {
    {STR_INIT("status.successful"), "status.succeeded"}
};

/* A list of texts, each given with STR_INIT(). */
#define TEXTS(...)                                                         \
    {                                                                      \
        (const struct str[]){__VA_ARGS__},                                 \
            sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str) \
    }
#define SHORT(...)     .short_names = TEXTS(__VA_ARGS__)
#define CATEGORY(name) .categories = TEXTS(STR_INIT(name))
#define PARTS(parts)   .subresources = (parts), .subresource_count = COUNT(parts)
#define LABELS(labels) .field_labels = (labels), .field_label_count = COUNT(labels)
#define COLUMNS(of)    .columns = kind_columns_##of, .column_count = COUNT(kind_columns_##of)

#define TRAITS(traits)                                                                      \
    .namespaced = ((traits)&NAMESPACED) != 0, .has_generation = ((traits)&GENERATION) != 0, \
    .create_on_update = ((traits)&CREATES) != 0,                                            \
    .unconditional_update = ((traits)&OVERWRITES) != 0,                                     \
    .delete_returns_object = ((traits)&RETURNS) != 0

#define NAMED(group_, version_, kind_, plural_, singular_)                                       \
    .gvk = {STR_INIT(group_), STR_INIT(version_), STR_INIT(kind_)}, .plural = STR_INIT(plural_), \
    .singular = STR_INIT(singular_), .ops = &kind_builtin_ops

#define STORED(kind_, stored_as_) \
    .list_kind = STR_INIT(kind_ "List"), .stored_as = STR_INIT(stored_as_)

/* The full form of a row; the other macros fill in the first arguments. */
#define STORED_AS(stored_, group_, version_, kind_, plural_, singular_, traits_, check_, of_, \
                  columns_, ...)                                                              \
    {                                                                                         \
        NAMED(group_, version_, kind_, plural_, singular_), STORED(kind_, stored_),           \
            TRAITS(traits_), .check_name = validation_##check_, .type = &type_##of_,          \
                             COLUMNS(columns_), __VA_ARGS__                                   \
    }
#define CORE(kind_, plural_, ...) STORED_AS(plural_, "", "v1", kind_, plural_, __VA_ARGS__)
#define KIND(group_, version_, kind_, plural_, ...) \
    STORED_AS(plural_ "." group_, group_, version_, kind_, plural_, __VA_ARGS__)
/* Reviews are requests in the form of objects: their status is the answer. So are Bindings. */
#define REVIEW(group_, kind_, plural_, singular_, traits_, of_)                               \
    {                                                                                         \
        NAMED(group_, "v1", kind_, plural_, singular_), TRAITS(traits_),                      \
            .verbs = KIND_CREATE, .check_name = validation_path_segment, .type = &type_##of_, \
            COLUMNS(default)                                                                  \
    }
#define ALL .verbs = KIND_ALL

#define APPS    "apps"
#define AUTHN   "authentication.k8s.io"
#define AUTHZ   "authorization.k8s.io"
#define NET     "networking.k8s.io"
#define RBAC    "rbac.authorization.k8s.io"
#define STORAGE "storage.k8s.io"
#define ADMIT   "admissionregistration.k8s.io"
#define FLOW    "flowcontrol.apiserver.k8s.io"

static const struct kind kinds[] = {
    REVIEW("", "Binding", "bindings", "binding", NAMESPACED, binding),
    CORE("ConfigMap", "configmaps", "configmap", NAMESPACED | OVERWRITES, dns1123_subdomain,
         config_map, config_map, ALL, SHORT(STR_INIT("cm"))),
    CORE("Endpoints", "endpoints", "endpoints", NAMESPACED | CREATES | OVERWRITES,
         dns1123_subdomain, endpoints, endpoints, ALL, SHORT(STR_INIT("ep")),
         .deprecation = STR_INIT(
             "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")),
    CORE("Event", "events", "event", NAMESPACED | CREATES | OVERWRITES, path_segment, event, event,
         ALL, SHORT(STR_INIT("ev")), LABELS(event_labels), .has_two_groups = true,
         .plain_finalizers = true, .metadata_last = true),
    CORE("LimitRange", "limitranges", "limitrange", NAMESPACED | CREATES | OVERWRITES,
         dns1123_subdomain, limit_range, default, ALL, SHORT(STR_INIT("limits"))),
    CORE("Namespace", "namespaces", "namespace", OVERWRITES | RETURNS, dns1123_label, namespace,
         namespace, .verbs = KIND_ALL & ~(unsigned)KIND_DELETECOLLECTION, SHORT(STR_INIT("ns")),
         PARTS(finalize_and_status), LABELS(namespace_labels)),
    CORE("Node", "nodes", "node", OVERWRITES, dns1123_subdomain, node, node, ALL,
         SHORT(STR_INIT("no")), PARTS(status), LABELS(node_labels)),
    CORE("PersistentVolumeClaim", "persistentvolumeclaims", "persistentvolumeclaim",
         NAMESPACED | OVERWRITES | RETURNS, dns1123_subdomain, persistent_volume_claim,
         persistent_volume_claim, ALL, SHORT(STR_INIT("pvc")), PARTS(status)),
    CORE("PersistentVolume", "persistentvolumes", "persistentvolume", OVERWRITES | RETURNS,
         dns1123_subdomain, persistent_volume, persistent_volume, ALL, SHORT(STR_INIT("pv")),
         PARTS(status)),
    CORE("Pod", "pods", "pod", NAMESPACED | GENERATION | OVERWRITES | RETURNS, dns1123_subdomain,
         pod, pod, ALL, SHORT(STR_INIT("po")), CATEGORY("all"), PARTS(pod_parts),
         LABELS(pod_labels)),
    CORE("PodTemplate", "podtemplates", "podtemplate",
         NAMESPACED | GENERATION | OVERWRITES | RETURNS, dns1123_subdomain, pod_template,
         pod_template, ALL),
    CORE("ReplicationController", "replicationcontrollers", "replicationcontroller",
         NAMESPACED | GENERATION | OVERWRITES, dns1123_subdomain, replication_controller, replicas,
         ALL, SHORT(STR_INIT("rc")), CATEGORY("all"), PARTS(scale_and_status),
         LABELS(replicas_labels), .orphans_dependents = true),
    CORE("ResourceQuota", "resourcequotas", "resourcequota", NAMESPACED | OVERWRITES | RETURNS,
         dns1123_subdomain, resource_quota, resource_quota, ALL, SHORT(STR_INIT("quota")),
         PARTS(status)),
    CORE("Secret", "secrets", "secret", NAMESPACED | OVERWRITES, dns1123_subdomain, secret, secret,
         ALL, LABELS(secret_labels), .prepare_makes_fields = true),
    CORE("ServiceAccount", "serviceaccounts", "serviceaccount", NAMESPACED | OVERWRITES | RETURNS,
         dns1123_subdomain, service_account, plain, ALL, SHORT(STR_INIT("sa")), PARTS(token)),
    CORE("Service", "services", "service", NAMESPACED | CREATES | OVERWRITES | RETURNS,
         dns1123_label, service, service, ALL, SHORT(STR_INIT("svc")), CATEGORY("all"),
         PARTS(status), LABELS(service_labels)),

    KIND("apiregistration.k8s.io", "v1", "APIService", "apiservices", "apiservice", 0, path_segment,
         api_service, api_service, ALL, CATEGORY("api-extensions"), PARTS(status)),

    KIND(APPS, "v1", "ControllerRevision", "controllerrevisions", "controllerrevision",
         NAMESPACED | OVERWRITES, dns1123_subdomain, controller_revision, controller_revision, ALL),
    KIND(APPS, "v1", "DaemonSet", "daemonsets", "daemonset", NAMESPACED | GENERATION | OVERWRITES,
         dns1123_subdomain, daemon_set, daemon_set, ALL, SHORT(STR_INIT("ds")), CATEGORY("all"),
         PARTS(status), .prepare_makes_fields = true),
    KIND(APPS, "v1", "Deployment", "deployments", "deployment",
         NAMESPACED | GENERATION | OVERWRITES, dns1123_subdomain, deployment, deployment, ALL,
         SHORT(STR_INIT("deploy")), CATEGORY("all"), PARTS(scale_and_status),
         .counts_annotations = true),
    KIND(APPS, "v1", "ReplicaSet", "replicasets", "replicaset",
         NAMESPACED | GENERATION | OVERWRITES, dns1123_subdomain, replica_set, replicas, ALL,
         SHORT(STR_INIT("rs")), CATEGORY("all"), PARTS(scale_and_status), LABELS(replicas_labels)),
    KIND(APPS, "v1", "StatefulSet", "statefulsets", "statefulset",
         NAMESPACED | GENERATION | OVERWRITES, dns1123_label, stateful_set, stateful_set, ALL,
         SHORT(STR_INIT("sts")), CATEGORY("all"), PARTS(scale_and_status),
         .prepare_makes_fields = true),

    STORED_AS("events", "events.k8s.io", "v1", "Event", "events", "event",
              NAMESPACED | CREATES | OVERWRITES, dns1123_subdomain, events_event, event, ALL,
              SHORT(STR_INIT("ev")), LABELS(events_event_labels), .has_two_groups = true),

    REVIEW(AUTHN, "SelfSubjectReview", "selfsubjectreviews", "selfsubjectreview", 0,
           self_subject_review),
    REVIEW(AUTHN, "TokenReview", "tokenreviews", "tokenreview", 0, token_review),

    REVIEW(AUTHZ, "LocalSubjectAccessReview", "localsubjectaccessreviews",
           "localsubjectaccessreview", NAMESPACED, local_subject_access_review),
    REVIEW(AUTHZ, "SelfSubjectAccessReview", "selfsubjectaccessreviews", "selfsubjectaccessreview",
           0, self_subject_access_review),
    REVIEW(AUTHZ, "SelfSubjectRulesReview", "selfsubjectrulesreviews", "selfsubjectrulesreview", 0,
           self_subject_rules_review),
    REVIEW(AUTHZ, "SubjectAccessReview", "subjectaccessreviews", "subjectaccessreview", 0,
           subject_access_review),

    KIND("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers",
         "horizontalpodautoscaler", NAMESPACED | OVERWRITES, dns1123_subdomain,
         autoscaling_v2_horizontal_pod_autoscaler, horizontal_pod_autoscaler, ALL,
         SHORT(STR_INIT("hpa")), CATEGORY("all"), PARTS(status)),
    KIND("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers",
         "horizontalpodautoscaler", NAMESPACED | OVERWRITES, dns1123_subdomain,
         autoscaling_v1_horizontal_pod_autoscaler, horizontal_pod_autoscaler, ALL,
         SHORT(STR_INIT("hpa")), CATEGORY("all"), PARTS(status), .is_converted = true),

    KIND("batch", "v1", "CronJob", "cronjobs", "cronjob", NAMESPACED | GENERATION | OVERWRITES,
         dns1123_subdomain, cron_job, cron_job, ALL, SHORT(STR_INIT("cj")), CATEGORY("all"),
         PARTS(status), .plain_finalizers_of_status = true),
    KIND("batch", "v1", "Job", "jobs", "job", NAMESPACED | GENERATION | OVERWRITES,
         dns1123_subdomain, job, job, ALL, CATEGORY("all"), PARTS(status), LABELS(job_labels),
         .orphans_dependents = true),

    KIND("certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests",
         "certificatesigningrequest", OVERWRITES, path_segment, certificate_signing_request,
         certificate_signing_request, ALL, SHORT(STR_INIT("csr")), PARTS(approval_and_status),
         LABELS(certificate_labels), .records_user = true),

    KIND(NET, "v1", "IngressClass", "ingressclasses", "ingressclass", GENERATION | OVERWRITES,
         dns1123_subdomain, ingress_class, ingress_class, ALL),
    KIND(NET, "v1", "Ingress", "ingresses", "ingress", NAMESPACED | GENERATION | OVERWRITES,
         dns1123_subdomain, ingress, ingress, ALL, SHORT(STR_INIT("ing")), PARTS(status)),
    KIND(NET, "v1", "IPAddress", "ipaddresses", "ipaddress", OVERWRITES, path_segment, ip_address,
         ip_address, ALL, SHORT(STR_INIT("ip"))),
    KIND(NET, "v1", "NetworkPolicy", "networkpolicies", "networkpolicy",
         NAMESPACED | GENERATION | OVERWRITES, dns1123_subdomain, network_policy, network_policy,
         ALL, SHORT(STR_INIT("netpol"))),
    KIND(NET, "v1", "ServiceCIDR", "servicecidrs", "servicecidr", OVERWRITES, dns1123_subdomain,
         service_cidr, service_cidr, ALL, PARTS(status)),

    KIND("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "poddisruptionbudget",
         NAMESPACED | GENERATION, path_segment, pod_disruption_budget, pod_disruption_budget, ALL,
         SHORT(STR_INIT("pdb")), PARTS(status), .plain_finalizers = true, .metadata_last = true),

    KIND(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", "clusterrolebinding",
         CREATES | OVERWRITES, path_segment, cluster_role_binding, role_binding, ALL),
    KIND(RBAC, "v1", "ClusterRole", "clusterroles", "clusterrole", CREATES | OVERWRITES,
         path_segment, cluster_role, default, ALL),
    KIND(RBAC, "v1", "RoleBinding", "rolebindings", "rolebinding",
         NAMESPACED | CREATES | OVERWRITES, path_segment, role_binding, role_binding, ALL),
    KIND(RBAC, "v1", "Role", "roles", "role", NAMESPACED | CREATES | OVERWRITES, path_segment, role,
         default, ALL),

    KIND(STORAGE, "v1", "CSIDriver", "csidrivers", "csidriver", RETURNS, dns1123_subdomain,
         csi_driver, csi_driver, ALL, .counts_changes = true),
    KIND(STORAGE, "v1", "CSINode", "csinodes", "csinode", RETURNS, dns1123_subdomain, csi_node,
         csi_node, ALL),
    KIND(STORAGE, "v1", "CSIStorageCapacity", "csistoragecapacities", "csistoragecapacity",
         NAMESPACED, dns1123_subdomain, csi_storage_capacity, csi_storage_capacity, ALL),
    KIND(STORAGE, "v1", "StorageClass", "storageclasses", "storageclass", OVERWRITES | RETURNS,
         dns1123_subdomain, storage_class, storage_class, ALL, SHORT(STR_INIT("sc"))),
    KIND(STORAGE, "v1", "VolumeAttachment", "volumeattachments", "volumeattachment", RETURNS,
         dns1123_subdomain, volume_attachment, volume_attachment, ALL, PARTS(status)),
    KIND(STORAGE, "v1", "VolumeAttributesClass", "volumeattributesclasses", "volumeattributesclass",
         OVERWRITES | RETURNS, dns1123_subdomain, volume_attributes_class, volume_attributes_class,
         ALL, SHORT(STR_INIT("vac"))),

    KIND(ADMIT, "v1", "MutatingAdmissionPolicy", "mutatingadmissionpolicies",
         "mutatingadmissionpolicy", GENERATION, dns1123_subdomain, mutating_admission_policy,
         mutating_policy, ALL, CATEGORY("api-extensions"), .plain_finalizers = true),
    KIND(ADMIT, "v1", "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings",
         "mutatingadmissionpolicybinding", GENERATION, dns1123_subdomain,
         mutating_admission_policy_binding, admission_policy_binding, ALL,
         CATEGORY("api-extensions"), .plain_finalizers = true),
    KIND(ADMIT, "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations",
         "mutatingwebhookconfiguration", GENERATION, dns1123_subdomain,
         mutating_webhook_configuration, webhook_configuration, ALL, CATEGORY("api-extensions"),
         .plain_finalizers = true),
    KIND(ADMIT, "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies",
         "validatingadmissionpolicy", GENERATION, dns1123_subdomain, validating_admission_policy,
         admission_policy, ALL, CATEGORY("api-extensions"), PARTS(status),
         .plain_finalizers = true),
    KIND(ADMIT, "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings",
         "validatingadmissionpolicybinding", GENERATION, dns1123_subdomain,
         validating_admission_policy_binding, admission_policy_binding, ALL,
         CATEGORY("api-extensions"), .plain_finalizers = true),
    KIND(ADMIT, "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations",
         "validatingwebhookconfiguration", GENERATION, dns1123_subdomain,
         validating_webhook_configuration, webhook_configuration, ALL, CATEGORY("api-extensions"),
         .plain_finalizers = true),

    KIND("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions",
         "customresourcedefinition", GENERATION, dns1123_subdomain, custom_resource_definition,
         default, ALL, SHORT(STR_INIT("crd"), STR_INIT("crds")), CATEGORY("api-extensions"),
         PARTS(status), .plain_finalizers = true),

    KIND("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "priorityclass",
         GENERATION | OVERWRITES, dns1123_subdomain, priority_class, priority_class, ALL,
         SHORT(STR_INIT("pc"))),

    KIND("coordination.k8s.io", "v1", "Lease", "leases", "lease", NAMESPACED | CREATES,
         dns1123_subdomain, lease, lease, ALL, .plain_finalizers = true),

    KIND("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", "runtimeclass", CREATES,
         dns1123_subdomain, runtime_class, runtime_class, ALL, .plain_finalizers = true),

    KIND("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", "endpointslice",
         NAMESPACED | GENERATION | OVERWRITES, dns1123_subdomain, endpoint_slice, endpoint_slice,
         ALL),

    KIND(FLOW, "v1", "FlowSchema", "flowschemas", "flowschema", GENERATION | OVERWRITES,
         dns1123_subdomain, flow_schema, flow_schema, ALL, PARTS(status),
         .row_order = "spec.matchingPrecedence"),
    KIND(FLOW, "v1", "PriorityLevelConfiguration", "prioritylevelconfigurations",
         "prioritylevelconfiguration", GENERATION | OVERWRITES, dns1123_subdomain,
         priority_level_configuration, priority_level_configuration, ALL, PARTS(status)),
};

struct gvr kind_gvr(const struct kind *kind)
{
    return (struct gvr){kind->gvk.group, kind->gvk.version, kind->plural};
}

const struct kind_subresource *kind_subresource(const struct kind *kind, struct str name)
{
    for (size_t i = 0; i < kind->subresource_count; i++)
        if (str_eq(str_from_c(kind->subresources[i].name), name))
            return &kind->subresources[i];
    return NULL;
}

const struct kind *kinds_all(size_t *ret_count)
{
    *ret_count = COUNT(kinds);
    return kinds;
}

const struct kind *kinds_find(struct gvr gvr)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (gvr_eq(kind_gvr(&kinds[i]), gvr))
            return &kinds[i];
    return NULL;
}

const struct kind *kinds_find_kind(struct gvk gvk)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (gvk_eq(kinds[i].gvk, gvk))
            return &kinds[i];
    return NULL;
}
