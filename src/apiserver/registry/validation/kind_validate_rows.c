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
#include "apiserver/registry/validation/kind_validate_internal.h"

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
#define OBJECT(type, fn)               ROW(type, NULL, RULE_OBJECT, .check = fn)

#define PROTOCOLS "SCTP|TCP|UDP"

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
    ONE_OF("ServiceSpec", "internalTrafficPolicy", "Cluster|Local"),
    LABELS("ServiceSpec", "selector"),
    UNIQUE("ServiceSpec", "ports", "name"),
    RANGE("ServicePort", "port", 1, 65535),
    ONE_OF("ServicePort", "protocol", PROTOCOLS),
    SYNTAX("ServicePort", "name", validation_dns1123_label),
    OBJECT("ServicePort", validate_service_port),
    OBJECT("ServiceStatus", validate_service_status),
    OBJECT("Node", validate_node),
    OBJECT("NodeStatus", validate_node_status),
    OBJECT("ResourceQuotaSpec", validate_resource_quota_spec),
    OBJECT("LimitRangeSpec", validate_limit_range_spec),
    OBJECT("EndpointSubset", validate_endpoint_subset),

    /* core/v1: pods and their templates */
    OBJECT("PodSpec", validate_pod_spec),
    OBJECT("PodStatus", validate_pod_status),
    OBJECT("PodTemplateSpec", validate_pod_template),
    NEEDS("NodeSelector", "nodeSelectorTerms", "must have at least one node selector term"),
    OBJECT("NodeSelectorTerm", validate_node_selector_term),
    OBJECT("Toleration", validate_toleration),

    /* core/v1: volumes */
    OBJECT("PersistentVolumeClaimSpec", validate_claim_spec),
    OBJECT("PersistentVolumeClaimSpec", validate_claim_sources),
    OBJECT("PersistentVolumeClaimStatus", validate_claim_status),
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
    AT_LEAST("DeploymentStatus", "terminatingReplicas", 0),
    AT_LEAST("DeploymentStatus", "collisionCount", 0),
    OBJECT("DeploymentStatus", validate_deployment_status),
    AT_LEAST("ReplicaSetSpec", "replicas", 0),
    AT_LEAST("ReplicaSetSpec", "minReadySeconds", 0),
    OBJECT("ReplicaSetSpec", validate_replica_set_spec),
    AT_LEAST("ReplicaSetStatus", "replicas", 0),
    AT_LEAST("ReplicaSetStatus", "fullyLabeledReplicas", 0),
    AT_LEAST("ReplicaSetStatus", "readyReplicas", 0),
    AT_LEAST("ReplicaSetStatus", "availableReplicas", 0),
    AT_LEAST("ReplicaSetStatus", "observedGeneration", 0),
    AT_LEAST("ReplicaSetStatus", "terminatingReplicas", 0),
    OBJECT("ReplicaSetStatus", validate_replica_set_status),
    AT_LEAST("ReplicationControllerSpec", "replicas", 0),
    AT_LEAST("ReplicationControllerSpec", "minReadySeconds", 0),
    NEEDS("ReplicationControllerSpec", "selector", ""),
    NEEDS("ReplicationControllerSpec", "template", ""),
    OBJECT("ReplicationControllerSpec", validate_replication_controller_spec),
    AT_LEAST("ReplicationControllerStatus", "replicas", 0),
    AT_LEAST("ReplicationControllerStatus", "fullyLabeledReplicas", 0),
    AT_LEAST("ReplicationControllerStatus", "readyReplicas", 0),
    AT_LEAST("ReplicationControllerStatus", "availableReplicas", 0),
    AT_LEAST("ReplicationControllerStatus", "observedGeneration", 0),
    OBJECT("ReplicationControllerStatus", validate_replica_set_status),
    AT_LEAST("DaemonSetSpec", "minReadySeconds", 0),
    AT_LEAST("DaemonSetSpec", "revisionHistoryLimit", 0),
    OBJECT("DaemonSetSpec", validate_daemon_set_spec),
    AT_LEAST("DaemonSetStatus", "currentNumberScheduled", 0),
    AT_LEAST("DaemonSetStatus", "numberMisscheduled", 0),
    AT_LEAST("DaemonSetStatus", "desiredNumberScheduled", 0),
    AT_LEAST("DaemonSetStatus", "numberReady", 0),
    AT_LEAST("DaemonSetStatus", "observedGeneration", 0),
    AT_LEAST("DaemonSetStatus", "updatedNumberScheduled", 0),
    AT_LEAST("DaemonSetStatus", "numberAvailable", 0),
    AT_LEAST("DaemonSetStatus", "numberUnavailable", 0),
    AT_LEAST("DaemonSetStatus", "collisionCount", 0),
    OBJECT("DaemonSetStatus", validate_daemon_set_status),
    AT_LEAST("StatefulSetSpec", "replicas", 0),
    AT_LEAST("StatefulSetSpec", "minReadySeconds", 0),
    OBJECT("StatefulSetSpec", validate_stateful_set_spec),
    OBJECT("StatefulSetSpec", validate_claim_templates),
    AT_LEAST("StatefulSetOrdinals", "start", 0),
    AT_LEAST("StatefulSetStatus", "replicas", 0),
    AT_LEAST("StatefulSetStatus", "readyReplicas", 0),
    AT_LEAST("StatefulSetStatus", "currentReplicas", 0),
    AT_LEAST("StatefulSetStatus", "updatedReplicas", 0),
    AT_LEAST("StatefulSetStatus", "availableReplicas", 0),
    AT_LEAST("StatefulSetStatus", "observedGeneration", 0),
    AT_LEAST("StatefulSetStatus", "collisionCount", 0),
    OBJECT("StatefulSetStatus", validate_stateful_set_status),
    ONE_OF("StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", "Retain|Delete"),
    ONE_OF("StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", "Retain|Delete"),
    OBJECT("Job", validate_job),
    AT_LEAST("JobSpec", "parallelism", 0),
    AT_LEAST("JobSpec", "completions", 0),
    AT_LEAST("JobSpec", "activeDeadlineSeconds", 0),
    AT_LEAST("JobSpec", "backoffLimit", 0),
    AT_LEAST("JobSpec", "ttlSecondsAfterFinished", 0),
    AT_LEAST("JobSpec", "backoffLimitPerIndex", 0),
    AT_LEAST("JobSpec", "maxFailedIndexes", 0),
    ONE_OF("JobSpec", "completionMode", "NonIndexed|Indexed"),
    OBJECT("JobSpec", validate_job_spec),
    AT_LEAST("JobStatus", "active", 0),
    AT_LEAST("JobStatus", "succeeded", 0),
    AT_LEAST("JobStatus", "failed", 0),
    AT_LEAST("JobStatus", "ready", 0),
    AT_LEAST("JobStatus", "terminating", 0),
    OBJECT("CronJob", validate_cron_job),
    NEEDS("CronJobSpec", "schedule", ""),
    ONE_OF("CronJobSpec", "concurrencyPolicy", "Allow|Forbid|Replace"),
    AT_LEAST("CronJobSpec", "startingDeadlineSeconds", 0),
    AT_LEAST("CronJobSpec", "successfulJobsHistoryLimit", 0),
    AT_LEAST("CronJobSpec", "failedJobsHistoryLimit", 0),
    OBJECT("CronJobSpec", validate_cron_job_spec),
    AT_LEAST("ControllerRevision", "revision", 0),
    OBJECT("ControllerRevision", validate_controller_revision),
    AT_LEAST("PodDisruptionBudgetStatus", "disruptionsAllowed", 0),
    AT_LEAST("PodDisruptionBudgetStatus", "currentHealthy", 0),
    AT_LEAST("PodDisruptionBudgetStatus", "desiredHealthy", 0),
    AT_LEAST("PodDisruptionBudgetStatus", "expectedPods", 0),
    OBJECT("PodDisruptionBudgetSpec", validate_pod_disruption_budget_spec),
    ONE_OF("PodDisruptionBudgetSpec", "unhealthyPodEvictionPolicy", "AlwaysAllow|IfHealthyBudget"),
    OBJECT("HorizontalPodAutoscalerSpec", validate_autoscaler_spec),
    AT_LEAST("HorizontalPodAutoscalerStatus", "currentReplicas", 0),
    AT_LEAST("HorizontalPodAutoscalerStatus", "desiredReplicas", 0),

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
    OBJECT("NetworkPolicyPeer", validate_network_peer),
    ONE_OF("NetworkPolicyPort", "protocol", "TCP|UDP|SCTP"),
    OBJECT("NetworkPolicyPort", validate_network_port),
    OBJECT("IPBlock", validate_ip_block),
    OBJECT("IngressSpec", validate_ingress_spec),
    OBJECT("IngressRule", validate_ingress_rule),
    NEEDS("HTTPIngressRuleValue", "paths", ""),
    OBJECT("HTTPIngressPath", validate_ingress_path),
    OBJECT("IngressTLS", validate_ingress_tls),
    SYNTAX("IngressTLS", "secretName", validation_dns1123_subdomain),
    SYNTAX("IngressLoadBalancerIngress", "ip", syntax_ip),
    OBJECT("IngressLoadBalancerIngress", validate_ingress_balancer),
    OBJECT("IngressClassSpec", validate_ingress_class_spec),
    NEEDS("EndpointSlice", "addressType", ""),
    ONE_OF("EndpointSlice", "addressType", "FQDN|IPv4|IPv6"),
    OBJECT("EndpointSlice", validate_endpoint_slice),

    /* storage.k8s.io, scheduling.k8s.io, node.k8s.io */
    NEEDS("StorageClass", "provisioner", ""),
    OBJECT("StorageClass", validate_storage_class),
    OBJECT("CSIDriverSpec", validate_csi_driver_spec),
    OBJECT("CSINodeSpec", validate_csi_node_spec),
    OBJECT("CSIStorageCapacity", validate_csi_storage_capacity),
    OBJECT("VolumeAttributesClass", validate_volume_attributes_class),
    NEEDS("VolumeAttributesClass", "driverName", ""),
    NEEDS("VolumeAttributesClass", "parameters", "must contain at least one key/value pair"),
    NEEDS("VolumeAttachmentSpec", "attacher", ""),
    OBJECT("VolumeAttachmentSpec", validate_attachment_spec),
    OBJECT("VolumeAttachmentSource", validate_attachment_source),
    RANGE("VolumeError", "errorCode", 0, INT32_MAX),
    OBJECT("PriorityClass", validate_priority_class),
    NEEDS("RuntimeClass", "handler", ""),
    SYNTAX("RuntimeClass", "handler", validation_dns1123_label),
    OBJECT("Overhead", validate_overhead),
    LABELS("Scheduling", "nodeSelector"),
    OBJECT("Scheduling", validate_scheduling),

    /* admissionregistration.k8s.io, apiregistration.k8s.io, certificates.k8s.io */
    ONE_OF("MutatingAdmissionPolicySpec", "failurePolicy", "Fail|Ignore"),
    OBJECT("MutatingAdmissionPolicySpec", validate_mutating_policy_spec),
    OBJECT("Mutation", validate_policy_mutation),
    OBJECT("MutatingAdmissionPolicyBindingSpec", validate_mutating_policy_binding_spec),
    ONE_OF("ValidatingAdmissionPolicySpec", "failurePolicy", "Fail|Ignore"),
    OBJECT("ValidatingAdmissionPolicySpec", validate_policy_spec),
    NEEDS("Variable", "name", "name is not specified"),
    NEEDS("Variable", "expression", "expression is not specified"),
    OBJECT("Variable", validate_policy_variable),
    NEEDS("ParamKind", "apiVersion", ""),
    NEEDS("ParamKind", "kind", ""),
    OBJECT("ParamKind", validate_param_kind),
    ONE_OF("MatchResources", "matchPolicy", "Equivalent|Exact"),
    OBJECT("Validation", validate_policy_validation),
    OBJECT("ParamRef", validate_param_ref),
    OBJECT("ValidatingAdmissionPolicyBindingSpec", validate_policy_binding_spec),
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
    OBJECT("RuleWithOperations", validate_admission_rule),
    OBJECT("NamedRuleWithOperations", validate_named_rule),
    NEEDS("Rule", "apiGroups", ""),
    NEEDS("Rule", "apiVersions", ""),
    NEEDS("Rule", "resources", ""),
    ONE_OF("Rule", "scope", "*|Cluster|Namespaced"),
    OBJECT("APIService", validate_api_service),
    OBJECT("CertificateSigningRequestSpec", validate_certificate_spec),
    OBJECT("CertificateSigningRequestStatus", validate_certificate_status),

    /* flowcontrol.apiserver.k8s.io */
    OBJECT("FlowSchemaSpec", validate_flow_schema_spec),
    OBJECT("FlowSchemaStatus", validate_flow_conditions),
    OBJECT("PriorityLevelConfigurationSpec", validate_priority_level_spec),
    OBJECT("PriorityLevelConfigurationStatus", validate_flow_conditions),
};
/* clang-format on */

const struct rule_row *rule_rows(size_t *ret_count)
{
    *ret_count = COUNT(rows);
    return rows;
}
