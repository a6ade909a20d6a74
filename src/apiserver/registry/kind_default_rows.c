/*
 * Defaults by Go type, in the order of API groups.
 *
 * Upstream: SetDefaults_...() in k8s.io/kubernetes/pkg/apis/<group>/<version>/defaults.go. A row
 * names the type and the member, then the value:
 *
 *     STRING, NUMBER, BOOL    a constant
 *     STRUCT                  an empty struct, which the rows of its own type fill
 *     COMPUTED, MERGED        a function of kind_default_compute.c, if absent, or always
 *     NOTHING                 absent, whatever was given
 *     BELOW("Pod")            only in objects of this type, not in templates
 *     WHEN("type", "X")       only if the member type is X, after its own default
 *
 * To add a row: put it with the other rows of its type, which must stay contiguous.
 * kind_default_test.c checks that types and members exist.
 */
#include "apiserver/registry/kind_default_internal.h"

#define ROW(type_, member_, form_, ...)                              \
    {                                                                \
        .type = type_, .member = member_, .form = form_, __VA_ARGS__ \
    }
#define STRING(type, member, ...)   ROW(type, member, DEFAULT_STRING, .text = __VA_ARGS__)
#define NUMBER(type, member, ...)   ROW(type, member, DEFAULT_NUMBER, .number = __VA_ARGS__)
#define BOOL(type, member, ...)     ROW(type, member, DEFAULT_BOOL, .number = __VA_ARGS__)
#define STRUCT(type, member, ...)   ROW(type, member, DEFAULT_STRUCT, __VA_ARGS__)
#define COMPUTED(type, member, ...) ROW(type, member, DEFAULT_COMPUTED, .compute = __VA_ARGS__)
#define MERGED(type, member, ...)   ROW(type, member, DEFAULT_MERGED, .compute = __VA_ARGS__)
#define NOTHING(type, member, ...)  ROW(type, member, DEFAULT_NOTHING, __VA_ARGS__)
#define BELOW(root_)                .root = root_
#define WHEN(member_, text_)        .when = member_, .equals = text_

/* clang-format off: one row, one line */
static const struct default_row rows[] = {
    /* core/v1: pods and their templates */
    STRING("PodSpec", "restartPolicy", "Always"),
    MERGED("PodSpec", "terminationGracePeriodSeconds", default_period),
    STRING("PodSpec", "dnsPolicy", "ClusterFirst"),
    STRUCT("PodSpec", "securityContext"),
    MERGED("PodSpec", "resources", default_pod_resources, BELOW("Pod")),
    STRING("PodSpec", "schedulerName", "default-scheduler"),
    BOOL("PodSpec", "enableServiceLinks", true, BELOW("Pod")),
    COMPUTED("PodSpec", "serviceAccountName", default_account_name),
    MERGED("PodSpec", "serviceAccount", default_account),
    STRING("Container", "terminationMessagePath", "/dev/termination-log"),
    STRING("Container", "terminationMessagePolicy", "File"),
    COMPUTED("Container", "imagePullPolicy", default_pull_policy),
    STRING("EphemeralContainerCommon", "terminationMessagePath", "/dev/termination-log"),
    STRING("EphemeralContainerCommon", "terminationMessagePolicy", "File"),
    COMPUTED("EphemeralContainerCommon", "imagePullPolicy", default_pull_policy),
    BOOL("FileKeySelector", "optional", false),
    STRING("ContainerPort", "protocol", "TCP"),
    COMPUTED("ContainerPort", "hostPort", default_host_port, BELOW("Pod")),
    MERGED("ResourceRequirements", "requests", default_requests, BELOW("Pod")),
    NUMBER("Probe", "timeoutSeconds", 1),
    NUMBER("Probe", "periodSeconds", 10),
    NUMBER("Probe", "successThreshold", 1),
    NUMBER("Probe", "failureThreshold", 3),
    STRING("HTTPGetAction", "path", "/"),
    STRING("HTTPGetAction", "scheme", "HTTP"),
    STRING("GRPCAction", "service", ""),
    STRING("ObjectFieldSelector", "apiVersion", "v1"),
    /* core/v1: volumes */
    COMPUTED("VolumeSource", "emptyDir", default_empty_dir),
    NUMBER("SecretVolumeSource", "defaultMode", 420),
    NUMBER("ConfigMapVolumeSource", "defaultMode", 420),
    NUMBER("ProjectedVolumeSource", "defaultMode", 420),
    NUMBER("DownwardAPIVolumeSource", "defaultMode", 420),
    NUMBER("ServiceAccountTokenProjection", "expirationSeconds", 3600),
    STRING("HostPathVolumeSource", "type", ""),
    COMPUTED("ImageVolumeSource", "pullPolicy", default_volume_pull_policy),
    STRING("ISCSIVolumeSource", "iscsiInterface", "default"),
    STRING("ISCSIPersistentVolumeSource", "iscsiInterface", "default"),
    STRING("RBDVolumeSource", "pool", "rbd"),
    STRING("RBDVolumeSource", "user", "admin"),
    STRING("RBDVolumeSource", "keyring", "/etc/ceph/keyring"),
    STRING("RBDPersistentVolumeSource", "pool", "rbd"),
    STRING("RBDPersistentVolumeSource", "user", "admin"),
    STRING("RBDPersistentVolumeSource", "keyring", "/etc/ceph/keyring"),
    STRING("AzureDiskVolumeSource", "cachingMode", "ReadWrite"),
    STRING("AzureDiskVolumeSource", "fsType", "ext4"),
    BOOL("AzureDiskVolumeSource", "readOnly", false),
    STRING("AzureDiskVolumeSource", "kind", "Shared"),
    STRING("ScaleIOVolumeSource", "storageMode", "ThinProvisioned"),
    STRING("ScaleIOVolumeSource", "fsType", "xfs"),
    STRING("ScaleIOPersistentVolumeSource", "storageMode", "ThinProvisioned"),
    STRING("ScaleIOPersistentVolumeSource", "fsType", "xfs"),
    STRING("PersistentVolumeClaimSpec", "volumeMode", "Filesystem"),
    STRING("PersistentVolumeClaimStatus", "phase", "Pending"),
    STRING("PersistentVolumeSpec", "persistentVolumeReclaimPolicy", "Retain",
           BELOW("PersistentVolume")),
    STRING("PersistentVolumeSpec", "volumeMode", "Filesystem", BELOW("PersistentVolume")),
    STRING("PersistentVolumeStatus", "phase", "Pending"),
    /* core/v1: the rest */
    STRING("Secret", "type", "Opaque"),
    STRING("NamespaceStatus", "phase", "Active"),
    STRING("ServiceSpec", "type", "ClusterIP"),
    STRING("ServiceSpec", "sessionAffinity", "None"),
    STRUCT("ServiceSpec", "sessionAffinityConfig", WHEN("sessionAffinity", "ClientIP")),
    NOTHING("ServiceSpec", "sessionAffinityConfig", WHEN("sessionAffinity", "None")),
    COMPUTED("ServiceSpec", "externalTrafficPolicy", default_external_traffic_policy),
    STRING("ServiceSpec", "internalTrafficPolicy", "Cluster", WHEN("type", "ClusterIP")),
    STRING("ServiceSpec", "internalTrafficPolicy", "Cluster", WHEN("type", "NodePort")),
    STRING("ServiceSpec", "internalTrafficPolicy", "Cluster", WHEN("type", "LoadBalancer")),
    BOOL("ServiceSpec", "allocateLoadBalancerNodePorts", true, WHEN("type", "LoadBalancer")),
    COMPUTED("LoadBalancerIngress", "ipMode", default_ingress_mode),
    STRUCT("SessionAffinityConfig", "clientIP"),
    NUMBER("ClientIPConfig", "timeoutSeconds", 10800),
    STRING("ServicePort", "protocol", "TCP"),
    COMPUTED("ServicePort", "targetPort", default_target_port),
    STRING("EndpointPort", "protocol", "TCP"),
    STRING("EndpointPort", "name", "", BELOW("EndpointSlice")),
    MERGED("LimitRangeItem", "default", default_limit, WHEN("type", "Container")),
    MERGED("LimitRangeItem", "defaultRequest", default_limit_request, WHEN("type", "Container")),
    COMPUTED("NodeSpec", "podCIDR", default_pod_range),
    MERGED("NodeSpec", "podCIDRs", default_pod_ranges),
    COMPUTED("NodeStatus", "allocatable", default_allocatable),
    NUMBER("ReplicationControllerSpec", "replicas", 1),
    COMPUTED("ReplicationControllerSpec", "selector", default_rc_selector),
    /* apps/v1 */
    NUMBER("DeploymentSpec", "replicas", 1),
    NUMBER("DeploymentSpec", "revisionHistoryLimit", 10),
    NUMBER("DeploymentSpec", "progressDeadlineSeconds", 600),
    STRING("DeploymentStrategy", "type", "RollingUpdate"),
    STRUCT("DeploymentStrategy", "rollingUpdate", WHEN("type", "RollingUpdate")),
    STRING("RollingUpdateDeployment", "maxUnavailable", "25%"),
    STRING("RollingUpdateDeployment", "maxSurge", "25%"),
    NUMBER("ReplicaSetSpec", "replicas", 1),
    NUMBER("DaemonSetSpec", "revisionHistoryLimit", 10),
    STRING("DaemonSetUpdateStrategy", "type", "RollingUpdate"),
    STRUCT("DaemonSetUpdateStrategy", "rollingUpdate", WHEN("type", "RollingUpdate")),
    NUMBER("RollingUpdateDaemonSet", "maxUnavailable", 1),
    NUMBER("RollingUpdateDaemonSet", "maxSurge", 0),
    NUMBER("StatefulSetSpec", "replicas", 1),
    STRING("StatefulSetSpec", "podManagementPolicy", "OrderedReady"),
    NUMBER("StatefulSetSpec", "revisionHistoryLimit", 10),
    STRUCT("StatefulSetSpec", "persistentVolumeClaimRetentionPolicy"),
    STRING("StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", "Retain"),
    STRING("StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", "Retain"),
    STRING("StatefulSetUpdateStrategy", "type", "RollingUpdate"),
    COMPUTED("StatefulSetUpdateStrategy", "rollingUpdate", default_rolling_update),
    NUMBER("RollingUpdateStatefulSetStrategy", "partition", 0),
    /* batch/v1; a template in a CronJob is filled when a Job is made of it */
    NUMBER("JobSpec", "parallelism", 1, BELOW("Job")),
    COMPUTED("JobSpec", "completions", default_completions, BELOW("Job")),
    COMPUTED("JobSpec", "backoffLimit", default_backoff_limit, BELOW("Job")),
    STRING("JobSpec", "completionMode", "NonIndexed", BELOW("Job")),
    BOOL("JobSpec", "suspend", false, BELOW("Job")),
    BOOL("JobSpec", "manualSelector", false, BELOW("Job")),
    COMPUTED("JobSpec", "podReplacementPolicy", default_pod_replacement_policy, BELOW("Job")),
    STRING("PodFailurePolicyOnPodConditionsPattern", "status", "True"),
    STRING("CronJobSpec", "concurrencyPolicy", "Allow"),
    BOOL("CronJobSpec", "suspend", false),
    NUMBER("CronJobSpec", "successfulJobsHistoryLimit", 3),
    NUMBER("CronJobSpec", "failedJobsHistoryLimit", 1),
    /* autoscaling; both versions */
    NUMBER("HorizontalPodAutoscalerSpec", "minReplicas", 1),
    COMPUTED("HorizontalPodAutoscalerSpec", "metrics", default_metrics),
    MERGED("HorizontalPodAutoscalerBehavior", "scaleUp", default_scale_up),
    MERGED("HorizontalPodAutoscalerBehavior", "scaleDown", default_scale_down),
    /* rbac.authorization.k8s.io/v1 */
    STRING("RoleRef", "apiGroup", "rbac.authorization.k8s.io"),
    STRING("Subject", "apiGroup", "rbac.authorization.k8s.io", WHEN("kind", "User")),
    STRING("Subject", "apiGroup", "rbac.authorization.k8s.io", WHEN("kind", "Group")),
    /* storage, networking, scheduling, admissionregistration */
    STRING("StorageClass", "reclaimPolicy", "Delete"),
    STRING("StorageClass", "volumeBindingMode", "Immediate"),
    BOOL("CSIDriverSpec", "attachRequired", true),
    BOOL("CSIDriverSpec", "podInfoOnMount", false),
    BOOL("CSIDriverSpec", "storageCapacity", false),
    STRING("CSIDriverSpec", "fsGroupPolicy", "ReadWriteOnceWithFSType"),
    BOOL("CSIDriverSpec", "requiresRepublish", false),
    BOOL("CSIDriverSpec", "seLinuxMount", false),
    COMPUTED("CSIDriverSpec", "volumeLifecycleModes", default_lifecycle_modes),
    STRING("NetworkPolicyPort", "protocol", "TCP"),
    COMPUTED("NetworkPolicySpec", "policyTypes", default_policy_types),
    STRING("IngressClassParametersReference", "scope", "Cluster"),
    STRING("PriorityClass", "preemptionPolicy", "PreemptLowerPriority"),
    STRING("ValidatingWebhook", "failurePolicy", "Fail"),
    STRING("ValidatingWebhook", "matchPolicy", "Equivalent"),
    STRUCT("ValidatingWebhook", "namespaceSelector"),
    STRUCT("ValidatingWebhook", "objectSelector"),
    NUMBER("ValidatingWebhook", "timeoutSeconds", 10),
    STRING("MutatingWebhook", "failurePolicy", "Fail"),
    STRING("MutatingWebhook", "matchPolicy", "Equivalent"),
    STRUCT("MutatingWebhook", "namespaceSelector"),
    STRUCT("MutatingWebhook", "objectSelector"),
    NUMBER("MutatingWebhook", "timeoutSeconds", 10),
    STRING("MutatingWebhook", "reinvocationPolicy", "Never"),
    STRING("Rule", "scope", "*"),
    STRING("MutatingAdmissionPolicySpec", "failurePolicy", "Fail"),
    STRING("ValidatingAdmissionPolicySpec", "failurePolicy", "Fail"),
    STRING("MatchResources", "matchPolicy", "Equivalent"),
    STRUCT("MatchResources", "namespaceSelector"),
    STRUCT("MatchResources", "objectSelector"),
    NUMBER("ServiceReference", "port", 443),
    /* flowcontrol.apiserver.k8s.io/v1 */
    NUMBER("FlowSchemaSpec", "matchingPrecedence", 1000),
    NUMBER("LimitedPriorityLevelConfiguration", "nominalConcurrencyShares", 30),
    NUMBER("LimitedPriorityLevelConfiguration", "lendablePercent", 0),
    NUMBER("ExemptPriorityLevelConfiguration", "nominalConcurrencyShares", 0),
    NUMBER("ExemptPriorityLevelConfiguration", "lendablePercent", 0),
    NUMBER("QueuingConfiguration", "queues", 64),
    NUMBER("QueuingConfiguration", "handSize", 8),
    NUMBER("QueuingConfiguration", "queueLengthLimit", 50),
};
/* clang-format on */

const struct default_row *default_rows(size_t *ret_count)
{
    *ret_count = COUNT(rows);
    return rows;
}
