/*
 * Readiness by kind; the scenarios FW-70 to FW-80 test it.
 *
 * readiness_check() applies check_common() first: malformed conditions, deletion, an unobserved
 * generation, and the conditions InProgress, Reconciling, Failed and Stalled hold for every kind.
 * Then check_kind() finds the function of the kind in the table `kinds`; kinds that are not in the
 * table are judged by their condition Ready alone.
 *
 * Functions return the first reason they find. The reasons are constants that appear in the
 * condition Failed of owners.
 */
#include "framework/readiness.h"

#include "base/duration.h"
#include "json/path.h"

#define UNSCHEDULABLE_AFTER (15 * SECOND)
#define NO_DEADLINE         2147483647

static struct readiness ready(void)
{
    return (struct readiness){.state = GRAPH_READY};
}

static struct readiness in_progress(const char *reason)
{
    return (struct readiness){.state = GRAPH_IN_PROGRESS, .reason = str_from_c(reason)};
}

static struct readiness failed(const char *reason)
{
    return (struct readiness){.state = GRAPH_FAILED, .reason = str_from_c(reason)};
}

/* Takes reason and message from a condition of the object. */
static struct readiness by_condition(enum graph_readiness state, const struct json_value *condition)
{
    return (struct readiness){state, json_path_str(condition, "reason"),
                              json_path_str(condition, "message")};
}

static const struct json_value *find_condition(const struct object *object, struct str type)
{
    const struct json_value *condition;
    JSON_FOREACH (key, condition, object_path(object, "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), type))
            return condition;
    return NULL;
}

static bool has_status(const struct json_value *condition, const char *status)
{
    return str_eq(json_path_str(condition, "status"), str_from_c(status));
}

static bool is_true(const struct object *object, struct str type)
{
    return has_status(find_condition(object, type), "True");
}

/* A counter that is absent is 0, as controllers omit zeros. */
static int64_t counter(const struct object *object, const char *path)
{
    int64_t number = 0;
    (void)json_to_int64(object_path(object, path), &number);
    return number;
}

static bool has_number(const struct object *object, const char *path)
{
    int64_t number;
    return json_to_int64(object_path(object, path), &number);
}

/* The API server defaults replicas to 1. */
static int64_t wanted_replicas(const struct object *object)
{
    return has_number(object, "spec.replicas") ? counter(object, "spec.replicas") : 1;
}

/*
 * A lower bound for a counter, and the reason if the counter is below it. The first such row
 * decides.
 */
struct counters {
    const char *path;
    int64_t least;
    const char *reason;
};

static const char *first_short(const struct object *object, const struct counters *rows,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (counter(object, rows[i].path) < rows[i].least)
            return rows[i].reason;
    return NULL;
}

/* All counters are right. A Deployment without a progress deadline need not report Progressing. */
static struct readiness deployment_progress(const struct object *object)
{
    const struct json_value *progressing = find_condition(object, STR("Progressing"));
    const bool is_new = has_status(progressing, "True") &&
                        str_eq(json_path_str(progressing, "reason"), STR("NewReplicaSetAvailable"));
    const bool unlimited = !has_number(object, "spec.progressDeadlineSeconds") ||
                           counter(object, "spec.progressDeadlineSeconds") == NO_DEADLINE;
    if (!is_new && (!unlimited || has_status(progressing, "True")))
        return in_progress("ReplicaSetNotAvailable");
    return is_true(object, STR("Available")) ? ready() : in_progress("DeploymentNotAvailable");
}

static struct readiness check_deployment(const struct object *object)
{
    const struct json_value *progressing = find_condition(object, STR("Progressing"));
    const int64_t n = wanted_replicas(object);
    if (str_eq(json_path_str(progressing, "reason"), STR("ProgressDeadlineExceeded")))
        return by_condition(GRAPH_FAILED, progressing);
    if (is_true(object, STR("ReplicaFailure")))
        return by_condition(GRAPH_FAILED, find_condition(object, STR("ReplicaFailure")));
    const struct counters first[] = {
        {"status.replicas",        n, "LessReplicas"},
        {"status.updatedReplicas", n, "LessUpdated" },
    };
    const char *reason = first_short(object, first, COUNT(first));
    if (reason)
        return in_progress(reason);
    if (counter(object, "status.replicas") > n)
        return in_progress("ExtraPods");
    const struct counters then[] = {
        {"status.availableReplicas", counter(object, "status.updatedReplicas"), "LessAvailable"},
        {"status.readyReplicas",                          n,                   "LessReady"                 },
    };
    reason = first_short(object, then, COUNT(then));
    return reason ? in_progress(reason) : deployment_progress(object);
}

/* With a partition, only Pods above it are updated. With OnDelete, people decide when. */
static struct readiness check_stateful_set(const struct object *object)
{
    const int64_t n = wanted_replicas(object);
    const char *partition = "spec.updateStrategy.rollingUpdate.partition";
    if (str_eq(json_to_str(object_path(object, "spec.updateStrategy.type")), STR("OnDelete")))
        return ready();
    const struct counters rows[] = {
        {"status.replicas",      n, "LessReplicas"},
        {"status.readyReplicas", n, "LessReady"   },
    };
    const char *reason = first_short(object, rows, COUNT(rows));
    if (reason)
        return in_progress(reason);
    if (counter(object, "status.replicas") > n)
        return in_progress("ExtraPods");
    if (has_number(object, partition))
        return counter(object, "status.updatedReplicas") >= n - counter(object, partition)
                   ? ready()
                   : in_progress("PartitionRollout");
    if (counter(object, "status.currentReplicas") < n)
        return in_progress("LessCurrent");
    return str_eq(json_to_str(object_path(object, "status.currentRevision")),
                  json_to_str(object_path(object, "status.updateRevision")))
               ? ready()
               : in_progress("RevisionMismatch");
}

/* Counters of a DaemonSet mean nothing before its controller has observed the generation. */
static struct readiness check_daemon_set(const struct object *object)
{
    const int64_t n = counter(object, "status.desiredNumberScheduled");
    if (!has_number(object, "metadata.generation"))
        return in_progress("NoGeneration");
    if (!has_number(object, "status.observedGeneration"))
        return in_progress("NoObservedGeneration");
    if (!has_number(object, "status.desiredNumberScheduled"))
        return in_progress("NoDesiredNumber");
    const struct counters rows[] = {
        {"status.currentNumberScheduled", n, "LessCurrent"  },
        {"status.updatedNumberScheduled", n, "LessUpdated"  },
        {"status.numberAvailable",        n, "LessAvailable"},
        {"status.numberReady",            n, "LessReady"    },
    };
    const char *reason = first_short(object, rows, COUNT(rows));
    return reason ? in_progress(reason) : ready();
}

static struct readiness check_replica_set(const struct object *object)
{
    const int64_t n = wanted_replicas(object);
    if (is_true(object, STR("ReplicaFailure")))
        return in_progress("ReplicaFailure");
    const struct counters rows[] = {
        {"status.fullyLabeledReplicas", n, "LessLabelled" },
        {"status.availableReplicas",    n, "LessAvailable"},
        {"status.readyReplicas",        n, "LessReady"    },
    };
    const char *reason = first_short(object, rows, COUNT(rows));
    if (reason)
        return in_progress(reason);
    return counter(object, "status.replicas") > n ? in_progress("ExtraPods") : ready();
}

/* A suspended Job has reached what its spec asks for. */
static struct readiness check_job(const struct object *object, bool wait_completion)
{
    bool suspend = false;
    (void)json_to_bool(object_path(object, "spec.suspend"), &suspend);
    if (is_true(object, STR("Complete")))
        return ready();
    if (is_true(object, STR("Failed")))
        return by_condition(GRAPH_FAILED, find_condition(object, STR("Failed")));
    if (suspend && is_true(object, STR("Suspended")))
        return ready();
    if (json_to_str(object_path(object, "status.startTime")).len == 0)
        return in_progress("JobNotStarted");
    return wait_completion ? in_progress("JobRunning") : ready();
}

static bool is_crash_looping(const struct object *object)
{
    const struct json_value *status;
    JSON_FOREACH (key, status, object_path(object, "status.containerStatuses"))
        if (str_eq(json_path_str(status, "state.waiting.reason"), STR("CrashLoopBackOff")))
            return true;
    return false;
}

/*
 * The scheduler often needs a moment. A Pod counts as unschedulable only after
 * UNSCHEDULABLE_AFTER.
 */
static struct readiness check_pending_pod(const struct object *object, timestamp now)
{
    const struct json_value *scheduled = find_condition(object, STR("PodScheduled"));
    timestamp created;
    const bool unschedulable = has_status(scheduled, "False") &&
                               str_eq(json_path_str(scheduled, "reason"), STR("Unschedulable"));
    if (unschedulable && object_creation_timestamp(object, &created) &&
        now - created > UNSCHEDULABLE_AFTER)
        return failed("PodUnschedulable");
    return in_progress("PodPending");
}

static struct readiness check_pod(const struct object *object, timestamp now)
{
    const struct str phase = json_to_str(object_path(object, "status.phase"));
    if (str_eq(phase, STR("Succeeded")))
        return ready();
    if (str_eq(phase, STR("Failed")))
        return failed("PodFailed");
    if (str_eq(phase, STR("Pending")))
        return check_pending_pod(object, now);
    if (!str_eq(phase, STR("Running")))
        return in_progress("PodNotObserved");
    if (is_true(object, STR("Ready")))
        return ready();
    return is_crash_looping(object) ? failed("ContainerCrashLooping")
                                    : in_progress("PodRunningNotReady");
}

static struct readiness check_claim(const struct object *object)
{
    return str_eq(json_to_str(object_path(object, "status.phase")), STR("Bound"))
               ? ready()
               : in_progress("NotBound");
}

/* A load balancer may take long or may not exist at all; an assigned cluster IP is enough. */
static struct readiness check_service(const struct object *object)
{
    if (!str_eq(json_to_str(object_path(object, "spec.type")), STR("LoadBalancer")))
        return ready();
    return json_to_str(object_path(object, "spec.clusterIP")).len ? ready()
                                                                  : in_progress("NoIPAssigned");
}

static struct readiness check_namespace(const struct object *object)
{
    return str_eq(json_to_str(object_path(object, "status.phase")), STR("Active"))
               ? ready()
               : in_progress("NotActive");
}

/* Established=False with reason Installing is the normal way of a new definition. */
static struct readiness check_definition(const struct object *object)
{
    const struct json_value *names = find_condition(object, STR("NamesAccepted"));
    const struct json_value *established = find_condition(object, STR("Established"));
    if (has_status(names, "False"))
        return by_condition(GRAPH_FAILED, names);
    if (has_status(established, "True"))
        return ready();
    if (has_status(established, "False") &&
        !str_eq(json_path_str(established, "reason"), STR("Installing")))
        return by_condition(GRAPH_FAILED, established);
    return in_progress("Installing");
}

static struct readiness check_api_service(const struct object *object)
{
    return is_true(object, STR("Available")) ? ready() : in_progress("NotAvailable");
}

static struct readiness check_exists(const struct object *object)
{
    (void)object;
    return ready();
}

static struct readiness check_issuer(const struct object *object)
{
    return is_true(object, STR("Ready")) ? ready() : in_progress("NotReady");
}

/* A certificate that has expired is being renewed. */
static struct readiness check_certificate(const struct object *object, timestamp now)
{
    const struct str text = json_to_str(object_path(object, "status.notAfter"));
    timestamp not_after;
    if (!is_true(object, STR("Ready")))
        return in_progress("NotReady");
    return text.len && timestamp_read(text, &not_after) && not_after <= now ? in_progress("Expired")
                                                                            : ready();
}

static const struct {
    struct str group, kind;
    struct readiness (*check)(const struct object *object);
} kinds[] = {
    {STR_INIT("apps"),                         STR_INIT("Deployment"),                     check_deployment  },
    {STR_INIT("apps"),                         STR_INIT("StatefulSet"),                    check_stateful_set},
    {STR_INIT("apps"),                         STR_INIT("DaemonSet"),                      check_daemon_set  },
    {STR_INIT("apps"),                         STR_INIT("ReplicaSet"),                     check_replica_set },
    {STR_INIT(""),                             STR_INIT("PersistentVolumeClaim"),          check_claim       },
    {STR_INIT(""),                             STR_INIT("Service"),                        check_service     },
    {STR_INIT(""),                             STR_INIT("Namespace"),                      check_namespace   },
    {STR_INIT(""),                             STR_INIT("ConfigMap"),                      check_exists      },
    {STR_INIT(""),                             STR_INIT("Secret"),                         check_exists      },
    {STR_INIT(""),                             STR_INIT("ServiceAccount"),                 check_exists      },
    {STR_INIT("networking.k8s.io"),            STR_INIT("Ingress"),                        check_exists      },
    {STR_INIT("networking.k8s.io"),            STR_INIT("NetworkPolicy"),                  check_exists      },
    {STR_INIT("rbac.authorization.k8s.io"),    STR_INIT("Role"),                           check_exists      },
    {STR_INIT("rbac.authorization.k8s.io"),    STR_INIT("RoleBinding"),                    check_exists      },
    {STR_INIT("rbac.authorization.k8s.io"),    STR_INIT("ClusterRole"),                    check_exists      },
    {STR_INIT("rbac.authorization.k8s.io"),    STR_INIT("ClusterRoleBinding"),             check_exists      },
    {STR_INIT(""),                             STR_INIT("LimitRange"),                     check_exists      },
    {STR_INIT(""),                             STR_INIT("Endpoints"),                      check_exists      },
    {STR_INIT("scheduling.k8s.io"),            STR_INIT("PriorityClass"),                  check_exists      },
    {STR_INIT("storage.k8s.io"),               STR_INIT("StorageClass"),                   check_exists      },
    {STR_INIT("storage.k8s.io"),               STR_INIT("CSIDriver"),                      check_exists      },
    {STR_INIT("node.k8s.io"),                  STR_INIT("RuntimeClass"),                   check_exists      },
    {STR_INIT("networking.k8s.io"),            STR_INIT("IngressClass"),                   check_exists      },
    {STR_INIT("admissionregistration.k8s.io"), STR_INIT("ValidatingWebhookConfiguration"),
     check_exists                                                                                            },
    {STR_INIT("admissionregistration.k8s.io"), STR_INIT("MutatingWebhookConfiguration"),
     check_exists                                                                                            },
    {STR_INIT("batch"),                        STR_INIT("CronJob"),                        check_exists      },
    {STR_INIT("policy"),                       STR_INIT("PodDisruptionBudget"),            check_exists      },
    {STR_INIT("apiextensions.k8s.io"),         STR_INIT("CustomResourceDefinition"),       check_definition  },
    {STR_INIT("apiregistration.k8s.io"),       STR_INIT("APIService"),                     check_api_service },
    {STR_INIT("cert-manager.io"),              STR_INIT("Issuer"),                         check_issuer      },
    {STR_INIT("cert-manager.io"),              STR_INIT("ClusterIssuer"),                  check_issuer      },
};

bool readiness_has_rules(struct str group, struct str kind)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(group, kinds[i].group) && str_eq(kind, kinds[i].kind))
            return kinds[i].check != check_exists;
    return true;
}

/* A kind without the condition Ready is ready as soon as it exists. */
static struct readiness check_other(const struct object *object)
{
    const struct json_value *condition = find_condition(object, STR("Ready"));
    if (!condition || has_status(condition, "True"))
        return ready();
    return by_condition(GRAPH_IN_PROGRESS, condition);
}

static struct readiness check_kind(const struct object *object, bool wait_completion, timestamp now)
{
    const struct gvk gvk = object_gvk(object);
    if (str_eq(gvk.group, STR("batch")) && str_eq(gvk.kind, STR("Job")))
        return check_job(object, wait_completion);
    if (gvk.group.len == 0 && str_eq(gvk.kind, STR("Pod")))
        return check_pod(object, now);
    if (str_eq(gvk.group, STR("cert-manager.io")) && str_eq(gvk.kind, STR("Certificate")))
        return check_certificate(object, now);
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(gvk.group, kinds[i].group) && str_eq(gvk.kind, kinds[i].kind))
            return kinds[i].check(object);
    return check_other(object);
}

/* status.conditions is absent, or a list of objects. */
static bool has_sound_conditions(const struct object *object)
{
    const struct json_value *list = object_path(object, "status.conditions"), *condition;
    if (json_type(list) <= JSON_NULL)
        return true;
    if (json_type(list) != JSON_ARRAY)
        return false;
    JSON_FOREACH (key, condition, list)
        if (json_type(condition) != JSON_OBJECT)
            return false;
    return true;
}

static bool is_type(const struct json_value *condition, const char *a, const char *b)
{
    const struct str type = json_path_str(condition, "type");
    return str_eq(type, str_from_c(a)) || str_eq(type, str_from_c(b));
}

/* The part that holds for every kind. Ready means: no objection, the kind decides. */
static struct readiness check_common(const struct object *object)
{
    const struct json_value *condition;
    if (!has_sound_conditions(object))
        return failed("InvalidConditions");
    if (object_is_deleting(object))
        return in_progress("Terminating");
    if (has_number(object, "metadata.generation") &&
        has_number(object, "status.observedGeneration") &&
        counter(object, "metadata.generation") != counter(object, "status.observedGeneration"))
        return in_progress("LatestGenerationNotObserved");
    JSON_FOREACH (key, condition, object_path(object, "status.conditions")) {
        if (!has_status(condition, "True"))
            continue;
        if (is_type(condition, "InProgress", "Reconciling"))
            return by_condition(GRAPH_IN_PROGRESS, condition);
        if (is_type(condition, "Failed", "Stalled"))
            return by_condition(GRAPH_FAILED, condition);
    }
    return ready();
}

struct readiness readiness_check(const struct object *object, bool wait_completion, timestamp now)
{
    const struct readiness common = check_common(object);
    return common.state == GRAPH_READY ? check_kind(object, wait_completion, now) : common;
}

struct readiness readiness_check_strict(const struct object *object)
{
    static const struct str types[] = {STR_INIT("Ready"), STR_INIT("Available")};
    const struct readiness common = check_common(object);
    if (common.state != GRAPH_READY)
        return common;
    if (json_count(object_path(object, "status.conditions")) == 0)
        return in_progress("NoConditions");
    for (size_t i = 0; i < COUNT(types); i++) {
        const struct json_value *condition = find_condition(object, types[i]);
        if (condition && !has_status(condition, "True"))
            return by_condition(GRAPH_IN_PROGRESS, condition);
    }
    return ready();
}

struct readiness readiness_check_secret(const struct object *object, struct str type)
{
    static const struct str keys[] = {STR_INIT("tls.crt"), STR_INIT("tls.key"), STR_INIT("ca.crt")};
    const struct readiness common = check_common(object);
    if (common.state != GRAPH_READY)
        return common;
    if (!str_eq(json_to_str(object_path(object, "type")), type))
        return in_progress("WrongSecretType");
    for (size_t i = 0; str_eq(type, STR("kubernetes.io/tls")) && i < COUNT(keys); i++)
        if (json_to_str(json_get(object_path(object, "data"), keys[i])).len == 0)
            return in_progress("IncompleteSecret");
    return ready();
}
