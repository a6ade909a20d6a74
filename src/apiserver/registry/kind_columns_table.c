/*
 * Names, types and priorities of the columns of built-in kinds. They are those of kube-apiserver,
 * see AddHandlers() in k8s.io/kubernetes/pkg/printers/internalversion/printers.go. The descriptions
 * are our own.
 *
 * An array of columns and the array of cells of the same name (kind_columns_*.c) have the same
 * order. Columns with priority 1 appear in `kubectl get -o wide` only. kind_columns_default is for
 * kinds that upstream has no printer for.
 */
#include "apiserver/registry/kind_columns_internal.h"

#define TEXT "string"
#define INT  "integer"
#define BOOL "boolean"

#define NAME                                                                                     \
    {                                                                                            \
        "Name", TEXT, "name", "The object's name, unique for its kind within its namespace.", 0, \
    }
#define AGE                                                             \
    {                                                                   \
        "Age", TEXT, "", "How long ago the server made the object.", 0, \
    }
#define CONTAINERS                                                         \
    {                                                                      \
        "Containers", TEXT, "", "Names of the containers of its pods.", 1, \
    }
#define IMAGES                                                      \
    {                                                               \
        "Images", TEXT, "", "Images that these containers run.", 1, \
    }
#define SELECTOR                                                          \
    {                                                                     \
        "Selector", TEXT, "", "Labels of the pods that belong to it.", 1, \
    }

const struct kind_column kind_columns_default[] = {
    NAME,
    {"Created At", "date", "", "When the server made the object.", 0},
};

const struct kind_column kind_columns_plain[] = {NAME, AGE};

const struct kind_column kind_columns_config_map[] = {
    NAME,
    {"Data", TEXT, "", "Number of keys, with texts and with bytes.", 0},
    AGE,
};

const struct kind_column kind_columns_secret[] = {
    NAME,
    {"Type", TEXT, "", "What the secret is for.", 0},
    {"Data", TEXT, "", "Number of keys.",         0},
    AGE,
};

const struct kind_column kind_columns_namespace[] = {
    NAME,
    {"Status", TEXT, "", "The phase of the namespace.", 0},
    AGE,
};

const struct kind_column kind_columns_service[] = {
    NAME,
    {"Type",        TEXT, "", "How the service is exposed.",                   0},
    {"Cluster-IP",  TEXT, "", "Its address inside the cluster.",               0},
    {"External-IP", TEXT, "", "Its addresses or name outside of the cluster.", 0},
    {"Port(s)",     TEXT, "", "Its ports, node ports and protocols.",          0},
    AGE,
    SELECTOR,
};

const struct kind_column kind_columns_event[] = {
    {"Last Seen",  TEXT, "",     "How long ago it happened last.",                 0},
    {"Type",       TEXT, "",     "Normal or Warning.",                             0},
    {"Reason",     TEXT, "",     "A word for why it happened.",                    0},
    {"Object",     TEXT, "",     "The object it happened to.",                     0},
    {"Subobject",  TEXT, "",     "The part of the object it happened to.",         1},
    {"Source",     TEXT, "",     "Who reported it.",                               1},
    {"Message",    TEXT, "",     "What happened, for people.",                     0},
    {"First Seen", TEXT, "",     "How long ago it happened first.",                1},
    {"Count",      TEXT, "",     "How often it happened.",                         1},
    {"Name",       TEXT, "name", "The event's name, unique within its namespace.", 1},
};

const struct kind_column kind_columns_pod[] = {
    NAME,
    {"Ready",           TEXT, "", "Containers that are ready, of all.",                  0},
    {"Status",          TEXT, "", "The state of the pod, from all of its containers.",   0},
    {"Restarts",        TEXT, "", "How often containers were restarted, and when last.", 0},
    AGE,
    {"IP",              TEXT, "", "The address of the pod.",                             1},
    {"Node",            TEXT, "", "The node it runs on.",                                1},
    {"Nominated Node",  TEXT, "", "The node it is to run on once there is room.",        1},
    {"Readiness Gates", TEXT, "", "Further conditions of readiness that hold, of all.",  1},
};

const struct kind_column kind_columns_pod_template[] = {
    NAME,
    {"Containers", TEXT, "", "Names of the containers of the template.", 0},
    {"Images",     TEXT, "", "Images that these containers run.",        0},
    {"Pod Labels", TEXT, "", "Labels of pods made from the template.",   0},
};

const struct kind_column kind_columns_node[] = {
    NAME,
    {"Status",            TEXT, "", "Whether the node is ready and takes pods.", 0},
    {"Roles",             TEXT, "", "The roles its labels give it.",             0},
    AGE,
    {"Version",           TEXT, "", "The version of its kubelet.",               0},
    {"Internal-IP",       TEXT, "", "Its address inside the cluster.",           1},
    {"External-IP",       TEXT, "", "Its address outside of the cluster.",       1},
    {"OS-Image",          TEXT, "", "Its operating system.",                     1},
    {"Kernel-Version",    TEXT, "", "The version of its kernel.",                1},
    {"Container-Runtime", TEXT, "", "What runs its containers.",                 1},
};

const struct kind_column kind_columns_persistent_volume[] = {
    NAME,
    {"Capacity",              TEXT, "", "The size of the volume.",                  0},
    {"Access Modes",          TEXT, "", "The ways in which it can be mounted.",     0},
    {"Reclaim Policy",        TEXT, "", "What becomes of it when its claim goes.",  0},
    {"Status",                TEXT, "", "Whether it is free, bound or released.",   0},
    {"Claim",                 TEXT, "", "The claim it is bound to.",                0},
    {"StorageClass",          TEXT, "", "The class it belongs to.",                 0},
    {"VolumeAttributesClass", TEXT, "", "The class of its attributes.",             0},
    {"Reason",                TEXT, "", "A word for why it is in this state.",      0},
    AGE,
    {"VolumeMode",            TEXT, "", "Whether it is a file system or a device.", 1},
};

const struct kind_column kind_columns_persistent_volume_claim[] = {
    NAME,
    {"Status",                TEXT, "", "Whether the claim is bound.",                   0},
    {"Volume",                TEXT, "", "The volume it is bound to.",                    0},
    {"Capacity",              TEXT, "", "The size of that volume.",                      0},
    {"Access Modes",          TEXT, "", "The ways in which that volume can be mounted.", 0},
    {"StorageClass",          TEXT, "", "The class it asks for.",                        0},
    {"VolumeAttributesClass", TEXT, "", "The class of attributes it asks for.",          0},
    AGE,
    {"VolumeMode",            TEXT, "", "Whether it is a file system or a device.",      1},
};

const struct kind_column kind_columns_endpoints[] = {
    NAME,
    {"Endpoints", TEXT, "", "Addresses and ports.", 0},
    AGE,
};

const struct kind_column kind_columns_resource_quota[] = {
    NAME,
    {"Request", TEXT, "", "Requests in use, of those allowed.", 0},
    {"Limit",   TEXT, "", "Limits in use, of those allowed.",   0},
    AGE,
};

const struct kind_column kind_columns_replicas[] = {
    NAME,
    {"Desired", INT, "", "Number of pods there should be.", 0},
    {"Current", INT, "", "Number of pods there are.",       0},
    {"Ready",   INT, "", "Number of pods that are ready.",  0},
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
};

const struct kind_column kind_columns_deployment[] = {
    NAME,
    {"Ready",      TEXT, "", "Pods that are ready, of those there should be.",   0},
    {"Up-to-date", TEXT, "", "Number of pods made from the present template.",   0},
    {"Available",  TEXT, "", "Number of pods that have been ready long enough.", 0},
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
};

const struct kind_column kind_columns_stateful_set[] = {
    NAME,   {"Ready", TEXT, "", "Pods that are ready, of those there should be.", 0},
    AGE,    CONTAINERS,
    IMAGES,
};

const struct kind_column kind_columns_daemon_set[] = {
    NAME,
    {"Desired",       INT,  "", "Number of nodes that should run its pod.",         0},
    {"Current",       INT,  "", "Number of nodes that should run its pod and do.",  0},
    {"Ready",         INT,  "", "Number of pods that are ready.",                   0},
    {"Up-to-date",    INT,  "", "Number of pods made from the present template.",   0},
    {"Available",     INT,  "", "Number of pods that have been ready long enough.", 0},
    {"Node Selector", TEXT, "", "Labels of the nodes that should run its pod.",     0},
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
};

const struct kind_column kind_columns_controller_revision[] = {
    NAME,
    {"Controller", TEXT, "", "The object whose state this is.", 0},
    {"Revision",   TEXT, "", "The number of the state.",        0},
    AGE,
};

const struct kind_column kind_columns_job[] = {
    NAME,
    {"Status",      TEXT, "", "Whether the job runs, is suspended or has ended.", 0},
    {"Completions", TEXT, "", "Pods that succeeded, of those that should.",       0},
    {"Duration",    TEXT, "", "How long the job has run.",                        0},
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
};

const struct kind_column kind_columns_cron_job[] = {
    NAME,
    {"Schedule",      TEXT, "", "When jobs are started.",          0},
    {"Timezone",      TEXT, "", "The time zone of the schedule.",  0},
    {"Suspend",       BOOL, "", "Whether no jobs are started.",    0},
    {"Active",        INT,  "", "Number of jobs that run.",        0},
    {"Last Schedule", TEXT, "", "How long ago a job was started.", 0},
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
};

const struct kind_column kind_columns_role_binding[] = {
    NAME,
    {"Role",            TEXT, "", "The role that is granted.",          0},
    AGE,
    {"Users",           TEXT, "", "Users it is granted to.",            1},
    {"Groups",          TEXT, "", "Groups it is granted to.",           1},
    {"ServiceAccounts", TEXT, "", "Service accounts it is granted to.", 1},
};

const struct kind_column kind_columns_ingress[] = {
    NAME,
    {"Class",   TEXT, "", "The class that serves it.",                0},
    {"Hosts",   TEXT, "", "Hosts that requests are matched against.", 0},
    {"Address", TEXT, "", "Addresses at which it is served.",         0},
    {"Ports",   TEXT, "", "Ports at which it is served.",             0},
    AGE,
};

const struct kind_column kind_columns_ingress_class[] = {
    NAME,
    {"Controller", TEXT, "", "The controller that serves the class.",      0},
    {"Parameters", TEXT, "", "The object that configures the controller.", 0},
    AGE,
};

const struct kind_column kind_columns_network_policy[] = {
    NAME,
    {"Pod-Selector", TEXT, "", "Labels of the pods it applies to.", 0},
    AGE,
};

const struct kind_column kind_columns_ip_address[] = {
    NAME,
    {"ParentRef", TEXT, "", "The object that has the address.", 0},
    AGE,
};

const struct kind_column kind_columns_service_cidr[] = {
    NAME,
    {"CIDRs", TEXT, "", "Ranges from which services get addresses.", 0},
    AGE,
};

const struct kind_column kind_columns_pod_disruption_budget[] = {
    NAME,
    {"Min Available",       TEXT, "", "Pods that must be available.",    0},
    {"Max Unavailable",     TEXT, "", "Pods that may be unavailable.",   0},
    {"Allowed Disruptions", INT,  "", "Pods that may be disrupted now.", 0},
    AGE,
};

const struct kind_column kind_columns_storage_class[] = {
    NAME,
    {"Provisioner",          TEXT, "", "Who makes volumes of the class.",               0},
    {"ReclaimPolicy",        TEXT, "", "What becomes of a volume when its claim goes.", 0},
    {"VolumeBindingMode",    TEXT, "", "When volumes are bound.",                       0},
    {"AllowVolumeExpansion", TEXT, "", "Whether volumes can grow.",                     0},
    AGE,
};

const struct kind_column kind_columns_volume_attachment[] = {
    NAME,
    {"Attacher", TEXT, "", "The driver that attaches the volume.", 0},
    {"PV",       TEXT, "", "The volume.",                          0},
    {"Node",     TEXT, "", "The node it is attached to.",          0},
    {"Attached", BOOL, "", "Whether it is.",                       0},
    AGE,
};

const struct kind_column kind_columns_csi_driver[] = {
    NAME,
    {"AttachRequired",    BOOL, "", "Whether volumes must be attached to nodes.",       0},
    {"PodInfoOnMount",    BOOL, "", "Whether the driver is told about pods.",           0},
    {"StorageCapacity",   BOOL, "", "Whether the driver tells how much room there is.", 0},
    {"TokenRequests",     TEXT, "", "Audiences for which the driver needs tokens.",     0},
    {"RequiresRepublish", BOOL, "", "Whether volumes are published again and again.",   0},
    {"Modes",             TEXT, "", "Life cycles of volumes that the driver knows.",    0},
    AGE,
};

const struct kind_column kind_columns_csi_node[] = {
    NAME,
    {"Drivers", INT, "", "Number of drivers on the node.", 0},
    AGE,
};

const struct kind_column kind_columns_csi_storage_capacity[] = {
    NAME,
    {"StorageClassName", TEXT, "", "The class it applies to.", 0},
    {"Capacity",         TEXT, "", "How much room there is.",  0},
    AGE,
};

const struct kind_column kind_columns_volume_attributes_class[] = {
    NAME,
    {"DriverName", TEXT, "", "The driver that knows the attributes.", 0},
    AGE,
};

const struct kind_column kind_columns_webhook_configuration[] = {
    NAME,
    {"Webhooks", INT, "", "Number of webhooks.", 0},
    AGE,
};

const struct kind_column kind_columns_admission_policy[] = {
    NAME,
    {"Validations", INT,  "", "Number of rules.",            0},
    {"ParamKind",   TEXT, "", "The kind of its parameters.", 0},
    AGE,
};

const struct kind_column kind_columns_mutating_policy[] = {
    NAME,
    {"Mutations", INT,  "", "Number of mutations.",        0},
    {"ParamKind", TEXT, "", "The kind of its parameters.", 0},
    AGE,
};

const struct kind_column kind_columns_admission_policy_binding[] = {
    NAME,
    {"PolicyName", TEXT, "", "The policy that is bound.",        0},
    {"ParamRef",   TEXT, "", "The parameters it is bound with.", 0},
    AGE,
};

const struct kind_column kind_columns_api_service[] = {
    NAME,
    {"Service",   TEXT, "", "The service that answers, or Local.", 0},
    {"Available", TEXT, "", "Whether it can be reached.",          0},
    AGE,
};

const struct kind_column kind_columns_lease[] = {
    NAME,
    {"Holder", TEXT, "", "Who holds the lease.", 0},
    AGE,
};

const struct kind_column kind_columns_priority_class[] = {
    NAME,
    {"Value",            INT,  "", "The priority of pods of the class.",     0},
    {"Global-Default",   BOOL, "", "Whether pods without a class get it.",   0},
    AGE,
    {"PreemptionPolicy", TEXT, "", "Whether others make room for its pods.", 0},
};

const struct kind_column kind_columns_endpoint_slice[] = {
    NAME,
    {"AddressType", TEXT, "", "The family of its addresses.",       0},
    {"Ports",       TEXT, "", "The ports of all of its endpoints.", 0},
    {"Endpoints",   TEXT, "", "The addresses.",                     0},
    AGE,
};

const struct kind_column kind_columns_runtime_class[] = {
    NAME,
    {"Handler", TEXT, "", "What runs containers of the class.", 0},
    AGE,
};

const struct kind_column kind_columns_horizontal_pod_autoscaler[] = {
    NAME,
    {"Reference", TEXT, "", "The object that is scaled.",                 0},
    {"Targets",   TEXT, "", "Metrics as they are and as they should be.", 0},
    {"MinPods",   TEXT, "", "The least number of pods.",                  0},
    {"MaxPods",   TEXT, "", "The greatest number of pods.",               0},
    {"Replicas",  TEXT, "", "The present number of pods.",                0},
    AGE,
};

const struct kind_column kind_columns_certificate_signing_request[] = {
    NAME,
    AGE,
    {"SignerName",        TEXT, "", "Who shall sign it.",                      0},
    {"Requestor",         TEXT, "", "The user who asked for it.",              0},
    {"RequestedDuration", TEXT, "", "How long the certificate is wanted for.", 0},
    {"Condition",         TEXT, "", "Whether it is approved and issued.",      0},
};

const struct kind_column kind_columns_flow_schema[] = {
    NAME,
    {"PriorityLevel",       TEXT, "", "The priority level of its requests.",        0},
    {"MatchingPrecedence",  TEXT, "", "The lowest of those that match is taken.",   0},
    {"DistinguisherMethod", TEXT, "", "What tells its flows apart.",                0},
    AGE,
    {"MissingPL",           TEXT, "", "Whether its priority level does not exist.", 0},
};

const struct kind_column kind_columns_priority_level_configuration[] = {
    NAME,
    {"Type",                     TEXT, "", "Whether its requests are limited.",         0},
    {"NominalConcurrencyShares", TEXT, "", "Its part of the requests at a time.",       0},
    {"Queues",                   TEXT, "", "The number of its queues.",                 0},
    {"HandSize",                 TEXT, "", "How many queues a flow may choose from.",   0},
    {"QueueLengthLimit",         TEXT, "", "The greatest number of requests in queue.", 0},
    AGE,
};
