#include "framework/readiness.h"

#include "base/buf.h"
#include "base/duration.h"
#include "testing/test.h"

#define NOW (INT64_C(1767225600) * SECOND) /* 2026-01-01T00:00:00Z */

#define DEPLOYMENT(spec, status)                                                                        \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"},\"spec\":{" spec \
    "},\"status\":{" status "}}"
#define COUNTERS(replicas, updated, available, ready)          \
    "\"replicas\":" #replicas ",\"updatedReplicas\":" #updated \
    ",\"availableReplicas\":" #available ",\"readyReplicas\":" #ready
#define CONDITION(type, status, reason) \
    "{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" reason "\",\"message\":\"m\"}"
#define PROGRESSED CONDITION("Progressing", "True", "NewReplicaSetAvailable")
#define AVAILABLE  CONDITION("Available", "True", "MinimumReplicasAvailable")
#define OBJECT(version, kind, rest) \
    "{\"apiVersion\":\"" version "\",\"kind\":\"" kind "\",\"metadata\":{\"name\":\"a\"}," rest "}"
#define CONDITIONS(version, kind, ...) \
    OBJECT(version, kind, "\"status\":{\"conditions\":[" __VA_ARGS__ "]}")

static struct object *read(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

/* Expected: "" ready, "reason" in progress, "!reason" failed. */
static void check(struct readiness found, const char *expected)
{
    SCOPED(buf) text = {.limit = 0};
    if (found.state == GRAPH_FAILED)
        buf_add_char(&text, '!');
    if (found.state != GRAPH_READY)
        buf_add(&text, found.reason);
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

static void expect_of(const char *name, const char *text, bool wait_completion,
                      const char *expected)
{
    TEST_CASE("%s", name);
    OWNED(object) object = read(text);
    check(readiness_check(object, wait_completion, NOW), expected);
}

static void expect(const char *name, const char *text, const char *expected)
{
    expect_of(name, text, false, expected);
}

/* Three wanted, with these counters and all conditions right. */
#define THREE(...)               \
    DEPLOYMENT("\"replicas\":3", \
               COUNTERS(__VA_ARGS__) ",\"conditions\":[" PROGRESSED "," AVAILABLE "]")

TEST(fw_70_each_counter_of_a_deployment_counts)
{
    expect("all there", THREE(3, 3, 3, 3), "");
    expect("replicas short", THREE(2, 3, 3, 3), "LessReplicas");
    expect("updated short", THREE(3, 2, 3, 3), "LessUpdated");
    expect("available short", THREE(3, 3, 2, 3), "LessAvailable");
    expect("ready short", THREE(3, 3, 3, 2), "LessReady");
    expect("one too many", THREE(4, 3, 3, 3), "ExtraPods");
    expect("absent means 0", DEPLOYMENT("\"replicas\":3", ""), "LessReplicas");
    expect("absent spec means 1",
           DEPLOYMENT("", COUNTERS(1, 1, 1, 1) ",\"conditions\":[" AVAILABLE "]"), "");
    expect("none wanted", DEPLOYMENT("\"replicas\":0", "\"conditions\":[" AVAILABLE "]"), "");
    expect("wrong type is absent",
           DEPLOYMENT("\"replicas\":\"3\"", COUNTERS(1, 1, 1, 1) ",\"conditions\":[" AVAILABLE "]"),
           "");
}

#define PROGRESS(spec, ...) \
    DEPLOYMENT(spec, COUNTERS(1, 1, 1, 1) ",\"conditions\":[" __VA_ARGS__ "]")
#define DEADLINE    "\"progressDeadlineSeconds\":600"
#define NO_DEADLINE "\"progressDeadlineSeconds\":2147483647"

TEST(fw_71_conditions_of_a_deployment)
{
    expect("progressed and available", PROGRESS(DEADLINE, PROGRESSED "," AVAILABLE), "");
    expect("progressing for another reason",
           PROGRESS(DEADLINE, CONDITION("Progressing", "True", "ReplicaSetUpdated") "," AVAILABLE),
           "ReplicaSetNotAvailable");
    expect("the same without a deadline",
           PROGRESS("", CONDITION("Progressing", "True", "ReplicaSetUpdated") "," AVAILABLE),
           "ReplicaSetNotAvailable");
    expect("not available", PROGRESS(DEADLINE, PROGRESSED "," CONDITION("Available", "False", "x")),
           "DeploymentNotAvailable");
    expect("nothing of availability", PROGRESS(DEADLINE, PROGRESSED), "DeploymentNotAvailable");
    expect("nothing of progress, deadline", PROGRESS(DEADLINE, AVAILABLE),
           "ReplicaSetNotAvailable");
    expect("nothing of progress, none", PROGRESS("", AVAILABLE), "");
    expect("nothing of progress, for ever", PROGRESS(NO_DEADLINE, AVAILABLE), "");
    expect("progress unknown, no deadline",
           PROGRESS("", CONDITION("Progressing", "Unknown", "x") "," AVAILABLE), "");
    expect("deadline exceeded",
           PROGRESS(DEADLINE, CONDITION("Progressing", "False", "ProgressDeadlineExceeded")),
           "!ProgressDeadlineExceeded");
    expect("replica failure",
           PROGRESS(DEADLINE,
                    PROGRESSED "," AVAILABLE "," CONDITION("ReplicaFailure", "True", "Quota")),
           "!Quota");
}

#define GENERATIONS(generation, observed)                                                                   \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"generation\":" generation \
    "},\"status\":{\"observedGeneration\":" observed "}}"

TEST(fw_72_generations_must_be_equal)
{
    expect("equal", GENERATIONS("2", "2"), "");
    expect("behind", GENERATIONS("2", "1"), "LatestGenerationNotObserved");
    expect("ahead", GENERATIONS("2", "3"), "LatestGenerationNotObserved");
    expect("wrong type", GENERATIONS("2", "\"1\""), "");
}

TEST(fw_73_what_is_being_deleted_is_not_ready)
{
    expect(
        "ready otherwise",
        "{\"apiVersion\":\"x.dev/v1\",\"kind\":\"X\",\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{\"conditions\":[" CONDITION(
            "Ready", "True", "r") "]}}",
        "Terminating");
    expect(
        "failed otherwise",
        "{\"apiVersion\":\"x.dev/v1\",\"kind\":\"X\",\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{\"conditions\":[" CONDITION(
            "Failed", "True", "r") "]}}",
        "Terminating");
}

#define CRD(...) CONDITIONS("apiextensions.k8s.io/v1", "CustomResourceDefinition", __VA_ARGS__)

TEST(fw_74_a_definition_is_ready_when_established)
{
    expect("no conditions",
           OBJECT("apiextensions.k8s.io/v1", "CustomResourceDefinition", "\"spec\":{}"),
           "Installing");
    expect("established",
           CRD(CONDITION("NamesAccepted", "True", "n") "," CONDITION("Established", "True", "e")),
           "");
    expect("installing", CRD(CONDITION("Established", "False", "Installing")), "Installing");
    expect("not established", CRD(CONDITION("Established", "False", "Broken")), "!Broken");
    expect("names taken",
           CRD(CONDITION("Established", "True", "e") "," CONDITION("NamesAccepted", "False",
                                                                   "Conflict")),
           "!Conflict");
}

#define CUSTOM(...) CONDITIONS("x.dev/v1", "X", __VA_ARGS__)

static void check_strict(const char *text, const char *expected)
{
    OWNED(object) object = read(text);
    check(readiness_check_strict(object), expected);
}

TEST(fw_75_without_status_only_the_strict_are_unsure)
{
    static const char bare[] = OBJECT("x.dev/v1", "X", "\"spec\":{}");
    expect("generic", bare, "");
    check_strict(bare, "NoConditions");
    check_strict(CUSTOM(""), "NoConditions");
}

TEST(fw_76_unknown_counts_as_false)
{
    static const char unknown[] =
        CUSTOM(CONDITION("InProgress", "Unknown", "a") "," CONDITION("Failed", "Unknown", "b"));
    static const char not_ready[] = CUSTOM(CONDITION("Ready", "Unknown", "why"));
    expect("ready unknown", not_ready, "why");
    expect("ready false", CUSTOM(CONDITION("Ready", "False", "why")), "why");
    expect("ready true", CUSTOM(CONDITION("Ready", "True", "why")), "");
    expect("others unknown", unknown, "");
    expect("in progress", CUSTOM(CONDITION("InProgress", "True", "why")), "why");
    expect("reconciling", CUSTOM(CONDITION("Reconciling", "True", "why")), "why");
    expect("failed", CUSTOM(CONDITION("Failed", "True", "why")), "!why");
    expect("stalled", CUSTOM(CONDITION("Stalled", "True", "why")), "!why");
    expect("the first one counts",
           CUSTOM(CONDITION("Stalled", "True", "one") "," CONDITION("InProgress", "True", "two")),
           "!one");
    expect("the other way round",
           CUSTOM(CONDITION("InProgress", "True", "two") "," CONDITION("Stalled", "True", "one")),
           "two");
    expect("available is theirs", CUSTOM(CONDITION("Available", "False", "why")), "");
    check_strict(unknown, "");
    check_strict(not_ready, "why");
    check_strict(CUSTOM(CONDITION("Available", "False", "why")), "why");
    check_strict(CUSTOM(CONDITION("Available", "True", "a") "," CONDITION("Ready", "True", "r")),
                 "");
    check_strict(CUSTOM(CONDITION("InProgress", "True", "why")), "why");
}

TEST(conditions_that_are_no_list_of_objects_fail)
{
    expect("an object", OBJECT("x.dev/v1", "X", "\"status\":{\"conditions\":{}}"),
           "!InvalidConditions");
    expect("a number in", OBJECT("x.dev/v1", "X", "\"status\":{\"conditions\":[1]}"),
           "!InvalidConditions");
    expect("null", OBJECT("x.dev/v1", "X", "\"status\":{\"conditions\":null}"), "");
    expect("status no object", OBJECT("x.dev/v1", "X", "\"status\":7"), "");
}

static void expect_waiting(const char *name, const char *text, const char *expected)
{
    expect_of(name, text, true, expected);
}

#define JOB(rest) OBJECT("batch/v1", "Job", rest)
#define JOB_CONDITIONS(...) \
    JOB("\"status\":{\"startTime\":\"2026-01-01T00:00:00Z\",\"conditions\":[" __VA_ARGS__ "]}")
#define JOB_RUNNING JOB("\"status\":{\"startTime\":\"2026-01-01T00:00:00Z\"}")

TEST(fw_77_a_job_that_runs_is_ready_unless_its_end_is_wanted)
{
    expect("not started", JOB("\"spec\":{}"), "JobNotStarted");
    expect("running", JOB_RUNNING, "");
    expect("complete", JOB_CONDITIONS(CONDITION("Complete", "True", "c")), "");
    expect("failed", JOB_CONDITIONS(CONDITION("Failed", "True", "BackoffLimitExceeded")),
           "!BackoffLimitExceeded");
    expect("suspended",
           JOB("\"spec\":{\"suspend\":true},\"status\":{\"conditions\":[" CONDITION(
               "Suspended", "True", "s") "]}"),
           "");
    expect("asked to suspend", JOB("\"spec\":{\"suspend\":true}"), "JobNotStarted");
    expect_waiting("running", JOB_RUNNING, "JobRunning");
    expect_waiting("complete", JOB_CONDITIONS(CONDITION("Complete", "True", "c")), "");
}

#define STATEFUL(spec, status) \
    OBJECT("apps/v1", "StatefulSet", "\"spec\":{\"replicas\":2" spec "},\"status\":{" status "}")
#define STATEFUL_COUNTERS(replicas, ready, current, updated)                                \
    "\"replicas\":" #replicas ",\"readyReplicas\":" #ready ",\"currentReplicas\":" #current \
    ",\"updatedReplicas\":" #updated ",\"currentRevision\":\"r\",\"updateRevision\":\"r\""
#define PARTITION ",\"updateStrategy\":{\"rollingUpdate\":{\"partition\":1}}"
#define DAEMON(generation, status)                                                 \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":{" generation \
    "},\"status\":{" status "}}"
#define SCHEDULED(current, updated, available, ready)                                            \
    "\"observedGeneration\":1,\"desiredNumberScheduled\":2,\"currentNumberScheduled\":" #current \
    ",\"updatedNumberScheduled\":" #updated ",\"numberAvailable\":" #available                   \
    ",\"numberReady\":" #ready

TEST(fw_78_stateful_and_daemon_sets)
{
    expect("on delete", STATEFUL(",\"updateStrategy\":{\"type\":\"OnDelete\"}", ""), "");
    expect("all there", STATEFUL("", STATEFUL_COUNTERS(2, 2, 2, 2)), "");
    expect("replicas short", STATEFUL("", STATEFUL_COUNTERS(1, 2, 2, 2)), "LessReplicas");
    expect("ready short", STATEFUL("", STATEFUL_COUNTERS(2, 1, 2, 2)), "LessReady");
    expect("extra", STATEFUL("", STATEFUL_COUNTERS(3, 2, 2, 2)), "ExtraPods");
    expect("current short", STATEFUL("", STATEFUL_COUNTERS(2, 2, 1, 2)), "LessCurrent");
    expect(
        "revisions",
        STATEFUL(
            "",
            "\"replicas\":2,\"readyReplicas\":2,\"currentReplicas\":2,\"currentRevision\":\"a\",\"updateRevision\":\"b\""),
        "RevisionMismatch");
    expect("partition done", STATEFUL(PARTITION, STATEFUL_COUNTERS(2, 2, 0, 1)), "");
    expect("partition rolls", STATEFUL(PARTITION, STATEFUL_COUNTERS(2, 2, 0, 0)),
           "PartitionRollout");
    expect("no generation", DAEMON("", ""), "NoGeneration");
    expect("not observed", DAEMON("\"generation\":1", ""), "NoObservedGeneration");
    expect("no number", DAEMON("\"generation\":1", "\"observedGeneration\":1"), "NoDesiredNumber");
    expect("none wanted",
           DAEMON("\"generation\":1", "\"observedGeneration\":1,\"desiredNumberScheduled\":0"), "");
    expect("all there", DAEMON("\"generation\":1", SCHEDULED(2, 2, 2, 2)), "");
    expect("current short", DAEMON("\"generation\":1", SCHEDULED(1, 2, 2, 2)), "LessCurrent");
    expect("updated short", DAEMON("\"generation\":1", SCHEDULED(2, 1, 2, 2)), "LessUpdated");
    expect("available short", DAEMON("\"generation\":1", SCHEDULED(2, 2, 1, 2)), "LessAvailable");
    expect("ready short", DAEMON("\"generation\":1", SCHEDULED(2, 2, 2, 1)), "LessReady");
}

#define REPLICAS(status) \
    OBJECT("apps/v1", "ReplicaSet", "\"spec\":{\"replicas\":1},\"status\":{" status "}")
#define LABELLED "\"fullyLabeledReplicas\":1"

TEST(replica_sets)
{
    expect("all there",
           REPLICAS(LABELLED ",\"availableReplicas\":1,\"readyReplicas\":1,\"replicas\":1"), "");
    expect("failure", REPLICAS("\"conditions\":[" CONDITION("ReplicaFailure", "True", "x") "]"),
           "ReplicaFailure");
    expect("labelled short", REPLICAS(""), "LessLabelled");
    expect("available short", REPLICAS(LABELLED), "LessAvailable");
    expect("ready short", REPLICAS(LABELLED ",\"availableReplicas\":1"), "LessReady");
    expect("extra",
           REPLICAS(LABELLED ",\"availableReplicas\":1,\"readyReplicas\":1,\"replicas\":2"),
           "ExtraPods");
}

#define POD(created, rest)                                                                   \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"creationTimestamp\":\"" created \
    "\"},\"status\":{" rest "}}"
#define LATE  "2026-01-01T00:00:00Z"
#define EARLY "2025-12-31T23:59:44Z"
#define UNSCHEDULABLE \
    "\"phase\":\"Pending\",\"conditions\":[" CONDITION("PodScheduled", "False", "Unschedulable") "]"

TEST(pods)
{
    expect("not seen", POD(LATE, ""), "PodNotObserved");
    expect("succeeded", POD(LATE, "\"phase\":\"Succeeded\""), "");
    expect("failed", POD(LATE, "\"phase\":\"Failed\""), "!PodFailed");
    expect("pending", POD(EARLY, "\"phase\":\"Pending\""), "PodPending");
    expect("unschedulable, young", POD(LATE, UNSCHEDULABLE), "PodPending");
    expect("unschedulable, old", POD(EARLY, UNSCHEDULABLE), "!PodUnschedulable");
    expect("running", POD(LATE, "\"phase\":\"Running\""), "PodRunningNotReady");
    expect("running and ready",
           POD(LATE, "\"phase\":\"Running\",\"conditions\":[" CONDITION("Ready", "True", "r") "]"),
           "");
    expect(
        "crashing",
        POD(LATE,
            "\"phase\":\"Running\",\"containerStatuses\":[{\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}}}]"),
        "!ContainerCrashLooping");
}

TEST(fw_79_other_kinds)
{
    expect("claim pending",
           OBJECT("v1", "PersistentVolumeClaim", "\"status\":{\"phase\":\"Pending\"}"), "NotBound");
    expect("claim bound", OBJECT("v1", "PersistentVolumeClaim", "\"status\":{\"phase\":\"Bound\"}"),
           "");
    expect("namespace terminating",
           OBJECT("v1", "Namespace", "\"status\":{\"phase\":\"Terminating\"}"), "NotActive");
    expect("namespace active", OBJECT("v1", "Namespace", "\"status\":{\"phase\":\"Active\"}"), "");
    expect(
        "api service down",
        CONDITIONS("apiregistration.k8s.io/v1", "APIService", CONDITION("Available", "False", "x")),
        "NotAvailable");
    expect("api service unheard of",
           OBJECT("apiregistration.k8s.io/v1", "APIService", "\"spec\":{}"), "NotAvailable");
    expect(
        "api service up",
        CONDITIONS("apiregistration.k8s.io/v1", "APIService", CONDITION("Available", "True", "x")),
        "");
    expect(
        "balancer without address",
        OBJECT("v1", "Service", "\"spec\":{\"type\":\"LoadBalancer\",\"clusterIP\":\"10.0.0.1\"}"),
        "");
    expect("balancer without ip", OBJECT("v1", "Service", "\"spec\":{\"type\":\"LoadBalancer\"}"),
           "NoIPAssigned");
    expect("service", OBJECT("v1", "Service", "\"spec\":{}"), "");
    expect("ingress", OBJECT("networking.k8s.io/v1", "Ingress", "\"spec\":{}"), "");
    expect("a config map says ready false",
           CONDITIONS("v1", "ConfigMap", CONDITION("Ready", "False", "x")), "");
    expect("a deployment of others",
           CONDITIONS("x.dev/v1", "Deployment", CONDITION("Ready", "True", "x")), "");
    expect("a namespace of others", OBJECT("x.dev/v1", "Namespace", "\"spec\":{}"), "");
}

#define CERTIFICATE(ready, until)               \
    OBJECT("cert-manager.io/v1", "Certificate", \
           "\"status\":{\"notAfter\":\"" until  \
           "\",\"conditions\":[" CONDITION("Ready", ready, "r") "]}")
#define TLS_SECRET(data) \
    OBJECT("v1", "Secret", "\"type\":\"kubernetes.io/tls\",\"data\":{" data "}")
#define TLS_PAIR "\"tls.crt\":\"YQ==\",\"tls.key\":\"YQ==\""

static void expect_secret(const char *name, const char *text, const char *expected)
{
    TEST_CASE("%s", name);
    OWNED(object) object = read(text);
    check(readiness_check_secret(object, STR("kubernetes.io/tls")), expected);
}

TEST(fw_80_certificates_and_external_secrets)
{
    expect("valid", CERTIFICATE("True", "2026-02-01T00:00:00Z"), "");
    expect("expired", CERTIFICATE("True", "2025-12-01T00:00:00Z"), "Expired");
    expect("not ready", CERTIFICATE("False", "2026-02-01T00:00:00Z"), "NotReady");
    expect("no end",
           CONDITIONS("cert-manager.io/v1", "Certificate", CONDITION("Ready", "True", "r")), "");
    expect("nothing said", OBJECT("cert-manager.io/v1", "Certificate", "\"spec\":{}"), "NotReady");
    expect("issuer", CONDITIONS("cert-manager.io/v1", "Issuer", CONDITION("Ready", "True", "r")),
           "");
    expect("issuer unheard of", OBJECT("cert-manager.io/v1", "Issuer", "\"spec\":{}"), "NotReady");
    expect_secret("complete", TLS_SECRET(TLS_PAIR ",\"ca.crt\":\"YQ==\""), "");
    expect_secret("no authority", TLS_SECRET(TLS_PAIR), "IncompleteSecret");
    expect_secret("empty authority", TLS_SECRET(TLS_PAIR ",\"ca.crt\":\"\""), "IncompleteSecret");
    expect_secret("another type", OBJECT("v1", "Secret", "\"type\":\"Opaque\""), "WrongSecretType");
    OWNED(object) opaque = read(OBJECT("v1", "Secret", "\"type\":\"Opaque\""));
    check(readiness_check_secret(opaque, STR("Opaque")), "");
}

TEST(kinds_that_are_ready_as_soon_as_they_exist_have_no_rules)
{
    const struct {
        struct str group, kind;
        bool has_rules;
    } cases[] = {
        {STR("apps"),                      STR("Deployment"),   true },
        {STR(""),                          STR("Pod"),          true },
        {STR("batch"),                     STR("Job"),          true },
        {STR(""),                          STR("Service"),      true },
        {STR("cert-manager.io"),           STR("Certificate"),  true },
        {STR("example.com"),               STR("Widget"),       true },
        {STR(""),                          STR("ConfigMap"),    false},
        {STR(""),                          STR("Secret"),       false},
        {STR("rbac.authorization.k8s.io"), STR("Role"),         false},
        {STR("storage.k8s.io"),            STR("StorageClass"), false},
        {STR("example.com"),               STR("ConfigMap"),    true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%.*s", STR_ARG(cases[i].kind));
        CHECK_EQ(readiness_has_rules(cases[i].group, cases[i].kind), cases[i].has_rules);
    }
}
