/*
 * Validation rules by Go type, in the order of API groups.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/<group>/validation/validation.go. The macros below are the
 * forms of rows; kind_validate_rules.c applies them, and kind_validate_internal.h describes each.
 * Rows of a type are applied in their order, which is the order of the errors: keep that of
 * upstream.
 *
 * To add a rule: put a row with the other rows of its type, which must stay contiguous. If it looks
 * at more than one member, write a validate_fn in one of kind_validate_*.c and name it in an
 * OBJECT() row. kind_validate_test.c checks that types and members exist.
 */
#include "apiserver/registry/kind_validate_internal.h"

#define ROW(type_, member_, form_, ...)                              \
    {                                                                \
        .type = type_, .member = member_, .form = form_, __VA_ARGS__ \
    }
#define NEEDS(type, member, detail)    ROW(type, member, RULE_REQUIRED, .text = detail)
#define ONE_OF(type, member, values)   ROW(type, member, RULE_ONE_OF, .text = values)
#define RANGE(type, member, from, to)  ROW(type, member, RULE_RANGE, .low = from, .high = to)
#define AT_LEAST(type, member, number) ROW(type, member, RULE_AT_LEAST, .low = number)
#define ABOVE(type, member, number)    ROW(type, member, RULE_ABOVE, .low = number)
#define SYNTAX(type, member, fn)       ROW(type, member, RULE_SYNTAX, .syntax = fn)
#define LABELS(type, member)           ROW(type, member, RULE_LABELS, .text = NULL)
#define UNIQUE(type, member, name)     ROW(type, member, RULE_UNIQUE, .text = name)
#define QUANTITIES(type, member)       ROW(type, member, RULE_QUANTITIES, .text = NULL)
#define OBJECT(type, fn)               ROW(type, NULL, RULE_OBJECT, .check = fn)

#define PROTOCOLS    "SCTP|TCP|UDP"
#define PULL         "Always|IfNotPresent|Never"
#define ACCESS_MODES "ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod"

/* clang-format off: one row, one line */
static const struct rule_row rows[] = {
    /* core/v1 */
    OBJECT("ConfigMap", validate_config_map),
    OBJECT("Secret", validate_secret),
    OBJECT("NamespaceSpec", validate_namespace_spec),
    OBJECT("NamespaceStatus", validate_namespace_status),
    OBJECT("LabelSelector", validate_label_selector),
    OBJECT("LabelSelectorRequirement", validate_label_requirement),
    OBJECT("ServiceSpec", validate_service_spec),
    ONE_OF("ServiceSpec", "type", "ClusterIP|ExternalName|LoadBalancer|NodePort"),
    ONE_OF("ServiceSpec", "sessionAffinity", "ClientIP|None"),
    ONE_OF("ServiceSpec", "externalTrafficPolicy", "Cluster|Local"),
    ONE_OF("ServiceSpec", "internalTrafficPolicy", "Cluster|Local"),
    ONE_OF("ServiceSpec", "ipFamilyPolicy", "PreferDualStack|RequireDualStack|SingleStack"),
    LABELS("ServiceSpec", "selector"),
    SYNTAX("ServiceSpec", "externalIPs", syntax_ip),
    SYNTAX("ServiceSpec", "loadBalancerSourceRanges", syntax_cidr),
    UNIQUE("ServiceSpec", "ports", "name"),
    RANGE("ServicePort", "port", 1, 65535),
    ONE_OF("ServicePort", "protocol", PROTOCOLS),
    SYNTAX("ServicePort", "name", validation_dns1123_label),
    OBJECT("ServicePort", validate_service_port),
    QUANTITIES("ResourceQuotaSpec", "hard"),
    OBJECT("ResourceQuotaSpec", validate_resource_quota_spec),
    ONE_OF("LimitRangeItem", "type", "Container|PersistentVolumeClaim|Pod"),
    QUANTITIES("LimitRangeItem", "max"),
    QUANTITIES("LimitRangeItem", "min"),
    SYNTAX("EndpointAddress", "ip", syntax_ip),

    /* core/v1: pods and their templates */
    NEEDS("PodSpec", "containers", ""),
    UNIQUE("PodSpec", "volumes", "name"),
    ONE_OF("PodSpec", "restartPolicy", "Always|OnFailure|Never"),
    ONE_OF("PodSpec", "dnsPolicy", "ClusterFirst|ClusterFirstWithHostNet|Default|None"),
    RANGE("PodSpec", "activeDeadlineSeconds", 1, INT32_MAX),
    LABELS("PodSpec", "nodeSelector"),
    SYNTAX("PodSpec", "serviceAccountName", validation_dns1123_subdomain),
    SYNTAX("PodSpec", "nodeName", validation_dns1123_subdomain),
    SYNTAX("PodSpec", "hostname", validation_dns1123_label),
    SYNTAX("PodSpec", "subdomain", validation_dns1123_label),
    SYNTAX("PodSpec", "priorityClassName", validation_dns1123_subdomain),
    OBJECT("PodSpec", validate_pod_spec),
    OBJECT("PodTemplateSpec", validate_pod_template),
    NEEDS("Container", "name", ""),
    SYNTAX("Container", "name", validation_dns1123_label),
    NEEDS("Container", "image", ""),
    ONE_OF("Container", "imagePullPolicy", PULL),
    ONE_OF("Container", "terminationMessagePolicy", "FallbackToLogsOnError|File"),
    UNIQUE("Container", "ports", "name"),
    OBJECT("Container", validate_container),
    NEEDS("EphemeralContainerCommon", "name", ""),
    SYNTAX("EphemeralContainerCommon", "name", validation_dns1123_label),
    NEEDS("EphemeralContainerCommon", "image", ""),
    NEEDS("ContainerPort", "containerPort", ""),
    RANGE("ContainerPort", "containerPort", 1, 65535),
    RANGE("ContainerPort", "hostPort", 1, 65535),
    NEEDS("ContainerPort", "protocol", ""),
    ONE_OF("ContainerPort", "protocol", PROTOCOLS),
    SYNTAX("ContainerPort", "name", syntax_port_name),
    NEEDS("EnvVar", "name", ""),
    SYNTAX("EnvVar", "name", syntax_env_name),
    OBJECT("EnvVar", validate_env_var),
    OBJECT("EnvFromSource", validate_env_source),
    NEEDS("ConfigMapEnvSource", "name", ""),
    NEEDS("SecretEnvSource", "name", ""),
    NEEDS("ConfigMapKeySelector", "name", ""),
    NEEDS("ConfigMapKeySelector", "key", ""),
    SYNTAX("ConfigMapKeySelector", "key", validation_config_map_key),
    NEEDS("SecretKeySelector", "name", ""),
    NEEDS("SecretKeySelector", "key", ""),
    SYNTAX("SecretKeySelector", "key", validation_config_map_key),
    NEEDS("ObjectFieldSelector", "fieldPath", ""),
    NEEDS("ResourceFieldSelector", "resource", ""),
    QUANTITIES("ResourceRequirements", "limits"),
    QUANTITIES("ResourceRequirements", "requests"),
    OBJECT("ResourceRequirements", validate_resources),
    NEEDS("VolumeMount", "name", ""),
    NEEDS("VolumeMount", "mountPath", ""),
    ONE_OF("VolumeMount", "mountPropagation", "Bidirectional|HostToContainer|None"),
    NEEDS("VolumeDevice", "name", ""),
    NEEDS("VolumeDevice", "devicePath", ""),
    AT_LEAST("Probe", "initialDelaySeconds", 0),
    AT_LEAST("Probe", "timeoutSeconds", 0),
    AT_LEAST("Probe", "periodSeconds", 0),
    AT_LEAST("Probe", "successThreshold", 0),
    AT_LEAST("Probe", "failureThreshold", 0),
    ABOVE("Probe", "terminationGracePeriodSeconds", 0),
    OBJECT("ProbeHandler", validate_handler),
    OBJECT("LifecycleHandler", validate_handler),
    NEEDS("ExecAction", "command", ""),
    NEEDS("HTTPGetAction", "path", ""),
    ONE_OF("HTTPGetAction", "scheme", "HTTP|HTTPS"),
    OBJECT("HTTPGetAction", validate_probe_port),
    OBJECT("TCPSocketAction", validate_probe_port),
    RANGE("GRPCAction", "port", 1, 65535),
    RANGE("SecurityContext", "runAsUser", 0, INT32_MAX),
    RANGE("SecurityContext", "runAsGroup", 0, INT32_MAX),
    RANGE("PodSecurityContext", "runAsUser", 0, INT32_MAX),
    RANGE("PodSecurityContext", "runAsGroup", 0, INT32_MAX),
    RANGE("PodSecurityContext", "fsGroup", 0, INT32_MAX),
    OBJECT("Toleration", validate_toleration),
    ONE_OF("Toleration", "effect", "NoSchedule|PreferNoSchedule|NoExecute"),
    NEEDS("TopologySpreadConstraint", "topologyKey", "can not be empty"),
    ABOVE("TopologySpreadConstraint", "maxSkew", 0),
    ONE_OF("TopologySpreadConstraint", "whenUnsatisfiable", "DoNotSchedule|ScheduleAnyway"),
    NEEDS("PodAffinityTerm", "topologyKey", "can not be empty"),
    NEEDS("HostAlias", "ip", ""),
    SYNTAX("HostAlias", "ip", syntax_ip),

    /* core/v1: volumes */
    NEEDS("Volume", "name", ""),
    SYNTAX("Volume", "name", validation_dns1123_label),
    OBJECT("Volume", validate_volume),
    NEEDS("SecretVolumeSource", "secretName", ""),
    OBJECT("SecretVolumeSource", validate_file_mode),
    NEEDS("ConfigMapVolumeSource", "name", ""),
    OBJECT("ConfigMapVolumeSource", validate_file_mode),
    OBJECT("DownwardAPIVolumeSource", validate_file_mode),
    OBJECT("ProjectedVolumeSource", validate_file_mode),
    NEEDS("KeyToPath", "key", ""),
    NEEDS("KeyToPath", "path", ""),
    NEEDS("PersistentVolumeClaimVolumeSource", "claimName", ""),
    NEEDS("HostPathVolumeSource", "path", ""),
    ONE_OF("HostPathVolumeSource", "type",
           "BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket|"),
    NEEDS("NFSVolumeSource", "server", ""),
    NEEDS("NFSVolumeSource", "path", ""),
    NEEDS("CSIVolumeSource", "driver", ""),
    NEEDS("CSIPersistentVolumeSource", "driver", ""),
    NEEDS("CSIPersistentVolumeSource", "volumeHandle", ""),
    NEEDS("PersistentVolumeClaimSpec", "accessModes", "at least 1 access mode is required"),
    ONE_OF("PersistentVolumeClaimSpec", "accessModes", ACCESS_MODES),
    ONE_OF("PersistentVolumeClaimSpec", "volumeMode", "Block|Filesystem"),
    SYNTAX("PersistentVolumeClaimSpec", "storageClassName", validation_dns1123_subdomain),
    OBJECT("PersistentVolumeClaimSpec", validate_claim_spec),
    NEEDS("PersistentVolumeSpec", "accessModes", ""),
    ONE_OF("PersistentVolumeSpec", "accessModes", ACCESS_MODES),
    NEEDS("PersistentVolumeSpec", "capacity", ""),
    ONE_OF("PersistentVolumeSpec", "persistentVolumeReclaimPolicy", "Delete|Recycle|Retain"),
    ONE_OF("PersistentVolumeSpec", "volumeMode", "Block|Filesystem"),
    SYNTAX("PersistentVolumeSpec", "storageClassName", validation_dns1123_subdomain),
    OBJECT("PersistentVolumeSpec", validate_volume_spec),

    /* apps/v1, batch/v1 and what scales and guards them */
    AT_LEAST("DeploymentSpec", "replicas", 0),
    AT_LEAST("DeploymentSpec", "minReadySeconds", 0),
    AT_LEAST("DeploymentSpec", "revisionHistoryLimit", 0),
    AT_LEAST("DeploymentSpec", "progressDeadlineSeconds", 0),
    OBJECT("DeploymentSpec", validate_deployment_spec),
    AT_LEAST("DeploymentStatus", "observedGeneration", 0),
    AT_LEAST("DeploymentStatus", "replicas", 0),
    AT_LEAST("DeploymentStatus", "updatedReplicas", 0),
    AT_LEAST("DeploymentStatus", "readyReplicas", 0),
    AT_LEAST("DeploymentStatus", "availableReplicas", 0),
    AT_LEAST("DeploymentStatus", "unavailableReplicas", 0),
    AT_LEAST("DeploymentStatus", "collisionCount", 0),
    OBJECT("DeploymentStatus", validate_deployment_status),
    AT_LEAST("ReplicaSetSpec", "replicas", 0),
    AT_LEAST("ReplicaSetSpec", "minReadySeconds", 0),
    OBJECT("ReplicaSetSpec", validate_replica_set_spec),
    AT_LEAST("ReplicationControllerSpec", "replicas", 0),
    NEEDS("ReplicationControllerSpec", "selector", ""),
    NEEDS("ReplicationControllerSpec", "template", ""),
    OBJECT("ReplicationControllerSpec", validate_replication_controller_spec),
    AT_LEAST("DaemonSetSpec", "minReadySeconds", 0),
    AT_LEAST("DaemonSetSpec", "revisionHistoryLimit", 0),
    OBJECT("DaemonSetSpec", validate_daemon_set_spec),
    AT_LEAST("StatefulSetSpec", "replicas", 0),
    AT_LEAST("StatefulSetSpec", "minReadySeconds", 0),
    AT_LEAST("StatefulSetSpec", "revisionHistoryLimit", 0),
    OBJECT("StatefulSetSpec", validate_stateful_set_spec),
    AT_LEAST("JobSpec", "parallelism", 0),
    AT_LEAST("JobSpec", "completions", 0),
    AT_LEAST("JobSpec", "activeDeadlineSeconds", 0),
    AT_LEAST("JobSpec", "backoffLimit", 0),
    AT_LEAST("JobSpec", "ttlSecondsAfterFinished", 0),
    ONE_OF("JobSpec", "completionMode", "NonIndexed|Indexed"),
    OBJECT("JobSpec", validate_job_spec),
    OBJECT("CronJob", validate_cron_job),
    NEEDS("CronJobSpec", "schedule", ""),
    ONE_OF("CronJobSpec", "concurrencyPolicy", "Allow|Forbid|Replace"),
    AT_LEAST("CronJobSpec", "startingDeadlineSeconds", 0),
    AT_LEAST("CronJobSpec", "successfulJobsHistoryLimit", 0),
    AT_LEAST("CronJobSpec", "failedJobsHistoryLimit", 0),
    OBJECT("CronJobSpec", validate_cron_job_spec),
    AT_LEAST("ControllerRevision", "revision", 0),
    NEEDS("ControllerRevision", "data", "data is mandatory"),
    OBJECT("PodDisruptionBudgetSpec", validate_pod_disruption_budget_spec),
    ONE_OF("PodDisruptionBudgetSpec", "unhealthyPodEvictionPolicy", "AlwaysAllow|IfHealthyBudget"),
    AT_LEAST("HorizontalPodAutoscalerSpec", "minReplicas", 1),
    ABOVE("HorizontalPodAutoscalerSpec", "maxReplicas", 0),
    OBJECT("HorizontalPodAutoscalerSpec", validate_autoscaler_spec),
    NEEDS("CrossVersionObjectReference", "kind", ""),
    NEEDS("CrossVersionObjectReference", "name", ""),

    /* rbac.authorization.k8s.io */
    OBJECT("Role", validate_role),
    OBJECT("ClusterRole", validate_cluster_role),
    OBJECT("RoleBinding", validate_role_binding),
    OBJECT("ClusterRoleBinding", validate_cluster_role_binding),

    /* coordination.k8s.io, events */
    ABOVE("LeaseSpec", "leaseDurationSeconds", 0),
    AT_LEAST("LeaseSpec", "leaseTransitions", 0),
    OBJECT("Event", validate_event),

    /* networking.k8s.io, discovery.k8s.io */
    OBJECT("NetworkPolicySpec", validate_network_policy_spec),
    ONE_OF("NetworkPolicySpec", "policyTypes", "Egress|Ingress"),
    OBJECT("NetworkPolicyPeer", validate_network_peer),
    ONE_OF("NetworkPolicyPort", "protocol", PROTOCOLS),
    OBJECT("NetworkPolicyPort", validate_network_port),
    NEEDS("IPBlock", "cidr", ""),
    SYNTAX("IPBlock", "cidr", syntax_cidr),
    SYNTAX("IPBlock", "except", syntax_cidr),
    OBJECT("IngressSpec", validate_ingress_spec),
    OBJECT("IngressRule", validate_ingress_rule),
    NEEDS("HTTPIngressRuleValue", "paths", ""),
    NEEDS("HTTPIngressPath", "pathType", "pathType must be specified"),
    ONE_OF("HTTPIngressPath", "pathType", "Exact|ImplementationSpecific|Prefix"),
    OBJECT("HTTPIngressPath", validate_ingress_path),
    OBJECT("IngressBackend", validate_ingress_backend),
    OBJECT("IngressClassSpec", validate_ingress_class_spec),
    NEEDS("EndpointSlice", "addressType", ""),
    ONE_OF("EndpointSlice", "addressType", "FQDN|IPv4|IPv6"),
    NEEDS("Endpoint", "addresses", "must contain at least 1 address"),

    /* storage.k8s.io, scheduling.k8s.io, node.k8s.io */
    NEEDS("StorageClass", "provisioner", ""),
    ONE_OF("StorageClass", "reclaimPolicy", "Delete|Retain"),
    ONE_OF("StorageClass", "volumeBindingMode", "Immediate|WaitForFirstConsumer"),
    ONE_OF("CSIDriverSpec", "fsGroupPolicy", "ReadWriteOnceWithFSType|File|None"),
    ONE_OF("CSIDriverSpec", "volumeLifecycleModes", "Ephemeral|Persistent"),
    NEEDS("VolumeAttachmentSpec", "attacher", ""),
    NEEDS("VolumeAttachmentSpec", "nodeName", ""),
    OBJECT("PriorityClass", validate_priority_class),
    ONE_OF("PriorityClass", "preemptionPolicy", "Never|PreemptLowerPriority"),
    NEEDS("RuntimeClass", "handler", ""),
    SYNTAX("RuntimeClass", "handler", validation_dns1123_label),

    /* admissionregistration.k8s.io, apiregistration.k8s.io, certificates.k8s.io */
    OBJECT("ValidatingWebhook", validate_webhook),
    ONE_OF("ValidatingWebhook", "failurePolicy", "Fail|Ignore"),
    ONE_OF("ValidatingWebhook", "matchPolicy", "Equivalent|Exact"),
    OBJECT("MutatingWebhook", validate_webhook),
    ONE_OF("MutatingWebhook", "failurePolicy", "Fail|Ignore"),
    ONE_OF("MutatingWebhook", "matchPolicy", "Equivalent|Exact"),
    ONE_OF("MutatingWebhook", "reinvocationPolicy", "IfNeeded|Never"),
    UNIQUE("ValidatingWebhookConfiguration", "webhooks", "name"),
    UNIQUE("MutatingWebhookConfiguration", "webhooks", "name"),
    NEEDS("RuleWithOperations", "operations", ""),
    ONE_OF("RuleWithOperations", "operations", "*|CONNECT|CREATE|DELETE|UPDATE"),
    NEEDS("Rule", "apiGroups", ""),
    NEEDS("Rule", "apiVersions", ""),
    NEEDS("Rule", "resources", ""),
    ONE_OF("Rule", "scope", "*|Cluster|Namespaced"),
    OBJECT("APIService", validate_api_service),
    NEEDS("CertificateSigningRequestSpec", "request", ""),
    NEEDS("CertificateSigningRequestSpec", "signerName", ""),
    NEEDS("CertificateSigningRequestSpec", "usages", ""),
};
/* clang-format on */

const struct rule_row *rule_rows(size_t *ret_count)
{
    *ret_count = COUNT(rows);
    return rows;
}
