/*
 * Defaults by type, as published with the API.
 */
#include "apiserver/registry/kind_default_internal.h"

#define ROW(type_, member_, form_, ...)                              \
    {                                                                \
        .type = type_, .member = member_, .form = form_, __VA_ARGS__ \
    }
#define TEXT(type, member, ...)     ROW(type, member, DEFAULT_TEXT, .text = __VA_ARGS__)
#define NUMBER(type, member, ...)   ROW(type, member, DEFAULT_NUMBER, .number = __VA_ARGS__)
#define TRUTH(type, member, ...)    ROW(type, member, DEFAULT_TRUTH, .number = __VA_ARGS__)
#define STRUCT(type, member, ...)   ROW(type, member, DEFAULT_STRUCT, __VA_ARGS__)
#define COMPUTED(type, member, ...) ROW(type, member, DEFAULT_COMPUTED, .compute = __VA_ARGS__)
#define MERGED(type, member, ...)   ROW(type, member, DEFAULT_MERGED, .compute = __VA_ARGS__)
#define BELOW(root_)                .root = root_
#define WHEN(member_, text_)        .when = member_, .equals = text_

/* clang-format off: one row, one line */
static const struct default_row rows[] = {
    /* core/v1: pods and their templates */
    TEXT("PodSpec", "restartPolicy", "Always"),
    NUMBER("PodSpec", "terminationGracePeriodSeconds", 30),
    TEXT("PodSpec", "dnsPolicy", "ClusterFirst"),
    STRUCT("PodSpec", "securityContext"),
    TEXT("PodSpec", "schedulerName", "default-scheduler"),
    TRUTH("PodSpec", "enableServiceLinks", true, BELOW("Pod")),
    COMPUTED("PodSpec", "serviceAccountName", default_account_name),
    MERGED("PodSpec", "serviceAccount", default_account),
    TEXT("Container", "terminationMessagePath", "/dev/termination-log"),
    TEXT("Container", "terminationMessagePolicy", "File"),
    COMPUTED("Container", "imagePullPolicy", default_pull_policy),
    TEXT("EphemeralContainerCommon", "terminationMessagePath", "/dev/termination-log"),
    TEXT("EphemeralContainerCommon", "terminationMessagePolicy", "File"),
    COMPUTED("EphemeralContainerCommon", "imagePullPolicy", default_pull_policy),
    TEXT("ContainerPort", "protocol", "TCP"),
    COMPUTED("ContainerPort", "hostPort", default_host_port),
    MERGED("ResourceRequirements", "requests", default_requests, BELOW("Pod")),
    NUMBER("Probe", "timeoutSeconds", 1),
    NUMBER("Probe", "periodSeconds", 10),
    NUMBER("Probe", "successThreshold", 1),
    NUMBER("Probe", "failureThreshold", 3),
    TEXT("HTTPGetAction", "path", "/"),
    TEXT("HTTPGetAction", "scheme", "HTTP"),
    TEXT("GRPCAction", "service", ""),
    TEXT("ObjectFieldSelector", "apiVersion", "v1"),
    /* core/v1: volumes */
    COMPUTED("VolumeSource", "emptyDir", default_empty_dir),
    NUMBER("SecretVolumeSource", "defaultMode", 420),
    NUMBER("ConfigMapVolumeSource", "defaultMode", 420),
    NUMBER("ProjectedVolumeSource", "defaultMode", 420),
    NUMBER("DownwardAPIVolumeSource", "defaultMode", 420),
    NUMBER("ServiceAccountTokenProjection", "expirationSeconds", 3600),
    TEXT("HostPathVolumeSource", "type", ""),
    COMPUTED("ImageVolumeSource", "pullPolicy", default_volume_pull_policy),
    TEXT("ISCSIVolumeSource", "iscsiInterface", "default"),
    TEXT("ISCSIPersistentVolumeSource", "iscsiInterface", "default"),
    TEXT("RBDVolumeSource", "pool", "rbd"),
    TEXT("RBDVolumeSource", "user", "admin"),
    TEXT("RBDVolumeSource", "keyring", "/etc/ceph/keyring"),
    TEXT("RBDPersistentVolumeSource", "pool", "rbd"),
    TEXT("RBDPersistentVolumeSource", "user", "admin"),
    TEXT("RBDPersistentVolumeSource", "keyring", "/etc/ceph/keyring"),
    TEXT("AzureDiskVolumeSource", "cachingMode", "ReadWrite"),
    TEXT("AzureDiskVolumeSource", "fsType", "ext4"),
    TRUTH("AzureDiskVolumeSource", "readOnly", false),
    TEXT("AzureDiskVolumeSource", "kind", "Shared"),
    TEXT("ScaleIOVolumeSource", "storageMode", "ThinProvisioned"),
    TEXT("ScaleIOVolumeSource", "fsType", "xfs"),
    TEXT("ScaleIOPersistentVolumeSource", "storageMode", "ThinProvisioned"),
    TEXT("ScaleIOPersistentVolumeSource", "fsType", "xfs"),
    TEXT("PersistentVolumeClaimSpec", "volumeMode", "Filesystem"),
    TEXT("PersistentVolumeClaimStatus", "phase", "Pending"),
    TEXT("PersistentVolumeSpec", "persistentVolumeReclaimPolicy", "Retain"),
    TEXT("PersistentVolumeSpec", "volumeMode", "Filesystem"),
    TEXT("PersistentVolumeStatus", "phase", "Pending"),
    /* core/v1: the rest */
    TEXT("Secret", "type", "Opaque"),
    TEXT("NamespaceStatus", "phase", "Active"),
    TEXT("ServiceSpec", "type", "ClusterIP"),
    TEXT("ServiceSpec", "sessionAffinity", "None"),
    STRUCT("ServiceSpec", "sessionAffinityConfig", WHEN("sessionAffinity", "ClientIP")),
    COMPUTED("ServiceSpec", "externalTrafficPolicy", default_external_traffic_policy),
    TEXT("ServiceSpec", "internalTrafficPolicy", "Cluster", WHEN("type", "ClusterIP")),
    TEXT("ServiceSpec", "internalTrafficPolicy", "Cluster", WHEN("type", "NodePort")),
    TEXT("ServiceSpec", "internalTrafficPolicy", "Cluster", WHEN("type", "LoadBalancer")),
    TRUTH("ServiceSpec", "allocateLoadBalancerNodePorts", true, WHEN("type", "LoadBalancer")),
    STRUCT("SessionAffinityConfig", "clientIP"),
    NUMBER("ClientIPConfig", "timeoutSeconds", 10800),
    TEXT("ServicePort", "protocol", "TCP"),
    COMPUTED("ServicePort", "targetPort", default_target_port),
    TEXT("EndpointPort", "protocol", "TCP"),
    TEXT("EndpointPort", "name", "", BELOW("EndpointSlice")),
    MERGED("LimitRangeItem", "default", default_limit, WHEN("type", "Container")),
    MERGED("LimitRangeItem", "defaultRequest", default_limit_request, WHEN("type", "Container")),
    COMPUTED("NodeStatus", "allocatable", default_allocatable),
    NUMBER("ReplicationControllerSpec", "replicas", 1),
    COMPUTED("ReplicationControllerSpec", "selector", default_rc_selector),
    /* apps/v1 */
    NUMBER("DeploymentSpec", "replicas", 1),
    NUMBER("DeploymentSpec", "revisionHistoryLimit", 10),
    NUMBER("DeploymentSpec", "progressDeadlineSeconds", 600),
    TEXT("DeploymentStrategy", "type", "RollingUpdate"),
    STRUCT("DeploymentStrategy", "rollingUpdate", WHEN("type", "RollingUpdate")),
    TEXT("RollingUpdateDeployment", "maxUnavailable", "25%"),
    TEXT("RollingUpdateDeployment", "maxSurge", "25%"),
    NUMBER("ReplicaSetSpec", "replicas", 1),
    NUMBER("DaemonSetSpec", "revisionHistoryLimit", 10),
    TEXT("DaemonSetUpdateStrategy", "type", "RollingUpdate"),
    STRUCT("DaemonSetUpdateStrategy", "rollingUpdate", WHEN("type", "RollingUpdate")),
    NUMBER("RollingUpdateDaemonSet", "maxUnavailable", 1),
    NUMBER("RollingUpdateDaemonSet", "maxSurge", 0),
    NUMBER("StatefulSetSpec", "replicas", 1),
    TEXT("StatefulSetSpec", "podManagementPolicy", "OrderedReady"),
    NUMBER("StatefulSetSpec", "revisionHistoryLimit", 10),
    STRUCT("StatefulSetSpec", "persistentVolumeClaimRetentionPolicy"),
    TEXT("StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", "Retain"),
    TEXT("StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", "Retain"),
    TEXT("StatefulSetUpdateStrategy", "type", "RollingUpdate"),
    STRUCT("StatefulSetUpdateStrategy", "rollingUpdate", WHEN("type", "RollingUpdate")),
    NUMBER("RollingUpdateStatefulSetStrategy", "partition", 0),
    /* batch/v1; a template in a CronJob is filled when a Job is made of it */
    NUMBER("JobSpec", "parallelism", 1, BELOW("Job")),
    COMPUTED("JobSpec", "completions", default_completions, BELOW("Job")),
    COMPUTED("JobSpec", "backoffLimit", default_backoff_limit, BELOW("Job")),
    TEXT("JobSpec", "completionMode", "NonIndexed", BELOW("Job")),
    TRUTH("JobSpec", "suspend", false, BELOW("Job")),
    TRUTH("JobSpec", "manualSelector", false, BELOW("Job")),
    COMPUTED("JobSpec", "podReplacementPolicy", default_pod_replacement_policy, BELOW("Job")),
    TEXT("PodFailurePolicyOnPodConditionsPattern", "status", "True"),
    TEXT("CronJobSpec", "concurrencyPolicy", "Allow"),
    TRUTH("CronJobSpec", "suspend", false),
    NUMBER("CronJobSpec", "successfulJobsHistoryLimit", 3),
    NUMBER("CronJobSpec", "failedJobsHistoryLimit", 1),
    /* autoscaling; both versions */
    NUMBER("HorizontalPodAutoscalerSpec", "minReplicas", 1),
    COMPUTED("HorizontalPodAutoscalerSpec", "metrics", default_metrics),
    MERGED("HorizontalPodAutoscalerBehavior", "scaleUp", default_scale_up),
    MERGED("HorizontalPodAutoscalerBehavior", "scaleDown", default_scale_down),
    /* rbac.authorization.k8s.io/v1 */
    TEXT("RoleRef", "apiGroup", "rbac.authorization.k8s.io"),
    TEXT("Subject", "apiGroup", "rbac.authorization.k8s.io", WHEN("kind", "User")),
    TEXT("Subject", "apiGroup", "rbac.authorization.k8s.io", WHEN("kind", "Group")),
    /* storage, networking, scheduling, admissionregistration */
    TEXT("StorageClass", "reclaimPolicy", "Delete"),
    TEXT("StorageClass", "volumeBindingMode", "Immediate"),
    TRUTH("CSIDriverSpec", "attachRequired", true),
    TRUTH("CSIDriverSpec", "podInfoOnMount", false),
    TRUTH("CSIDriverSpec", "storageCapacity", false),
    TEXT("CSIDriverSpec", "fsGroupPolicy", "ReadWriteOnceWithFSType"),
    TRUTH("CSIDriverSpec", "requiresRepublish", false),
    TRUTH("CSIDriverSpec", "seLinuxMount", false),
    COMPUTED("CSIDriverSpec", "volumeLifecycleModes", default_lifecycle_modes),
    TEXT("NetworkPolicyPort", "protocol", "TCP"),
    COMPUTED("NetworkPolicySpec", "policyTypes", default_policy_types),
    TEXT("IngressClassParametersReference", "scope", "Cluster"),
    TEXT("PriorityClass", "preemptionPolicy", "PreemptLowerPriority"),
    TEXT("ValidatingWebhook", "failurePolicy", "Fail"),
    TEXT("ValidatingWebhook", "matchPolicy", "Equivalent"),
    STRUCT("ValidatingWebhook", "namespaceSelector"),
    STRUCT("ValidatingWebhook", "objectSelector"),
    NUMBER("ValidatingWebhook", "timeoutSeconds", 10),
    TEXT("MutatingWebhook", "failurePolicy", "Fail"),
    TEXT("MutatingWebhook", "matchPolicy", "Equivalent"),
    STRUCT("MutatingWebhook", "namespaceSelector"),
    STRUCT("MutatingWebhook", "objectSelector"),
    NUMBER("MutatingWebhook", "timeoutSeconds", 10),
    TEXT("MutatingWebhook", "reinvocationPolicy", "Never"),
    TEXT("Rule", "scope", "*"),
    TEXT("ValidatingAdmissionPolicySpec", "failurePolicy", "Fail"),
    TEXT("MatchResources", "matchPolicy", "Equivalent"),
    STRUCT("MatchResources", "namespaceSelector"),
    STRUCT("MatchResources", "objectSelector"),
    NUMBER("ServiceReference", "port", 443),
};
/* clang-format on */

const struct default_row *default_rows(size_t *ret_count)
{
    *ret_count = COUNT(rows);
    return rows;
}
