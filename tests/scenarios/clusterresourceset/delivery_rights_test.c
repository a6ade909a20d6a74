/*
 * What a kubeconfig has to allow in a workload cluster, for a set with a policy and for corset plan
 * (docs/security.md): each verb is needed, and together they are enough.
 *
 * One story touches everything that is asked of the cluster. With all verbs it passes and the
 * cluster refuses nothing; without any single one the cluster's refusal names that verb.
 */
#include <string.h>

#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"
#include "scenarios/clusterresourceset/plan_fixture.h"

#define CLUSTER  CRS_FIXTURE_WORKLOAD("1")
#define RBAC     CLUSTER "/apis/rbac.authorization.k8s.io/v1/"
#define ACCOUNTS CLUSTER "/api/v1/namespaces/kube-system/serviceaccounts"
#define WEB      CLUSTER "/apis/apps/v1/namespaces/default/deployments/web"
#define IMAGE    "spec.template.spec.containers.0.image"
#define SELECTED "spec.selector.matchLabels.a"
#define POLICY                                                                  \
    "{\"drift\":\"Repair\",\"onImmutable\":\"Recreate\",\"ignore\":[{\"kind\":" \
    "\"Deployment\",\"paths\":[\"/spec/replicas\"]}]}"
#define DEPLOYMENT(label, image)                                                         \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n" \
    "spec: {replicas: 2, selector: {matchLabels: {a: " label "}}, template: {metadata: " \
    "{labels: {a: " label "}}, spec: {containers: [{name: c, image: " image "}]}}}\n"

/* The role of docs/security.md, for Deployments. What everybody may look up is not in it. */
static const struct right {
    const char *verb, *resource, *group, *path; /* a path has no resource */
} rights[] = {
    {"get",    "deployments", "apps", NULL},
    {"list",   "deployments", "apps", NULL},
    {"create", "deployments", "apps", NULL},
    {"patch",  "deployments", "apps", NULL},
    {"delete", "deployments", "apps", NULL},
    {"get",    "namespaces",  "",     NULL},
    {"get",    "",            "",     "/" },
};

static void write_rule(const struct right *right, struct buf *out)
{
    if (right->path)
        buf_print(out, "{\"nonResourceURLs\":[\"%s\"],\"verbs\":[\"%s\"]}", right->path,
                  right->verb);
    else
        buf_print(out, "{\"apiGroups\":[\"%s\"],\"resources\":[\"%s\"],\"verbs\":[\"%s\"]}",
                  right->group, right->resource, right->verb);
}

static void write_rules(const struct right *missing, struct buf *out)
{
    const char *between = "";
    for (size_t i = 0; i < COUNT(rights); i++) {
        if (&rights[i] == missing)
            continue;
        buf_add(out, str_from_c(between));
        write_rule(&rights[i], out);
        between = ",";
    }
}

/* As the server words it, inside of JSON; of create it says nothing, and corset does. */
static void write_refusal(const struct right *right, struct buf *out)
{
    if (strcmp(right->verb, "create") == 0)
        buf_add(out, STR("is forbidden: to apply an object that is not there takes the right to "
                         "create it, too"));
    else if (right->path)
        buf_print(out, "cannot %s path \\\"%s\\\"", right->verb, right->path);
    else
        buf_print(out, "cannot %s resource \\\"%s\\\" in API group \\\"%s\\\"", right->verb,
                  right->resource, right->group);
}

/* From here on c1 is asked as an account with the role, less one right, unless that is NULL. */
static void restrict_cluster(struct crs_fixture *fixture, const struct right *missing)
{
    SCOPED(buf) role = {.limit = 0};
    buf_add(&role, STR("{\"metadata\":{\"name\":\"corset\"},\"rules\":["));
    write_rules(missing, &role);
    buf_add(&role, STR("]}"));
    crs_fixture_do(fixture, "POST", ACCOUNTS, "{\"metadata\":{\"name\":\"corset\"}}");
    crs_fixture_do(fixture, "POST", RBAC "clusterroles", buf_c(&role));
    crs_fixture_do(fixture, "POST", RBAC "clusterrolebindings",
                   "{\"metadata\":{\"name\":\"corset\"},\"roleRef\":{\"apiGroup\":"
                   "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"corset\"},"
                   "\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"corset\","
                   "\"namespace\":\"kube-system\"}]}");
    crs_fixture_do(fixture, "POST", ACCOUNTS "/corset/token",
                   "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\","
                   "\"spec\":{\"expirationSeconds\":86400}}");
    struct proxy *proxy = &fixture->workloads[0];
    buf_clear(&proxy->token);
    buf_add(&proxy->token, json_path_str(json_doc_root(fixture->apiserver.doc), "status.token"));
    proxy->behind = fixture->account;
}

static void expect(struct buf *failures, bool is_so, const char *what)
{
    if (!is_so)
        buf_print(failures, "%s\n", what);
}

/* Applied, planned, repaired, made anew. */
static void tell(struct crs_fixture *fixture, struct buf *failures)
{
    SCOPED(plan_fixture) planned = {0};
    delivery_fixture_policy(fixture, POLICY);
    crs_fixture_map(fixture, "cm1", DEPLOYMENT("b", "one"));
    crs_fixture_start(fixture, NULL);
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    CHECK_OK(fiber_sleep(MINUTE));
    expect(failures, crs_fixture_exists(fixture, WEB), "nothing is applied");
    if (!failures->len) {
        delivery_fixture_edit(fixture, WEB,
                              "{\"metadata\":{\"labels\":{"
                              "\"corset.dev/managed\":\"false\"}}}");
        CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
        expect(failures,
               str_contains(crs_fixture_look(fixture, WEB, "metadata.labels"), STR("\"true\"")),
               "nothing is repaired");
    }
    crs_fixture_map(fixture, "cm1", DEPLOYMENT("c", "one"));
    CHECK_OK(fiber_sleep(MINUTE));
    expect(failures, str_eq(crs_fixture_look(fixture, WEB, SELECTED), STR("c")),
           "nothing is made anew");
    crs_fixture_stop(fixture);
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", DEPLOYMENT("c", "two"));
    SCOPED(buf) refused = {.limit = 0};
    buf_add(&refused, buf_str(&fixture->workloads[0].refused));
    plan_fixture_run(&planned, fixture, CRS_SERVER_SIDE_APPLY);
    expect(failures, str_contains(buf_str(&planned.table), STR("image: one -> two")),
           "the plan is not known");
    buf_add(&fixture->workloads[0].refused, buf_str(&refused));
}

static void begin(struct crs_fixture *fixture, const struct right *missing)
{
    crs_fixture_init(fixture);
    fixture->may_be_refused = true;
    restrict_cluster(fixture, missing);
    crs_fixture_cluster(fixture, 1);
}

SIM_TEST(the_rights_of_a_kubeconfig_are_enough_for_a_policy_and_a_plan)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) failures = {.limit = 0};
    begin(&fixture, NULL);
    tell(&fixture, &failures);
    CHECK_EQ(buf_str(&failures), STR(""));
    CHECK_EQ(buf_str(&fixture.workloads[0].refused), STR(""));
}

SIM_TEST(no_right_of_a_kubeconfig_is_too_much_for_a_policy)
{
    for (size_t i = 0; i < COUNT(rights); i++) {
        SCOPED(crs_fixture) fixture;
        SCOPED(buf) failures = {.limit = 0};
        SCOPED(buf) refusal = {.limit = 0};
        SCOPED(buf) told = {.limit = 0};
        TEST_CASE("without %s %s%s", rights[i].verb, rights[i].resource,
                  rights[i].path ? rights[i].path : "");
        begin(&fixture, &rights[i]);
        tell(&fixture, &failures);
        write_refusal(&rights[i], &refusal);
        buf_add(&told, buf_str(&fixture.workloads[0].refused));
        buf_add(&told, crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"));
        CHECK_CONTAINS(buf_str(&told), buf_str(&refusal));
    }
}

#define SECOND_DEPLOYMENT                                                                     \
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: old, namespace: default}\n" \
    "spec: {selector: {matchLabels: {a: o}}, template: {metadata: {labels: {a: o}}, spec: "   \
    "{containers: [{name: c, image: one}]}}}\n"
#define OLD CLUSTER "/apis/apps/v1/namespaces/default/deployments/old"

/* Applied, then one of two is taken out. Nothing else asks for lists or deletes. */
static bool prune(struct crs_fixture *fixture)
{
    delivery_fixture_policy(fixture, "{\"drift\":\"Ignore\",\"prune\":{\"when\":[\"Removed\"]}}");
    crs_fixture_map(fixture, "cm1", DEPLOYMENT("b", "one") SECOND_DEPLOYMENT);
    crs_fixture_start(fixture, NULL);
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    CHECK_OK(fiber_sleep(MINUTE));
    crs_fixture_map(fixture, "cm1", DEPLOYMENT("b", "one"));
    CHECK_OK(fiber_sleep(MINUTE));
    crs_fixture_stop(fixture);
    return !crs_fixture_exists(fixture, OLD);
}

SIM_TEST(prune_needs_the_rights_to_list_and_to_delete)
{
    for (size_t i = 0; i <= COUNT(rights); i++) {
        const struct right *missing = i < COUNT(rights) ? &rights[i] : NULL;
        if (missing && strcmp(missing->verb, "list") != 0 && strcmp(missing->verb, "delete") != 0)
            continue;
        SCOPED(crs_fixture) fixture;
        SCOPED(buf) refusal = {.limit = 0};
        TEST_CASE("without %s", missing ? missing->verb : "nothing");
        begin(&fixture, missing);
        CHECK_EQ(prune(&fixture), missing == NULL);
        if (!missing)
            continue;
        write_refusal(missing, &refusal);
        CHECK_CONTAINS(buf_str(&fixture.workloads[0].refused), buf_str(&refusal));
        CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "Pruned"),
                       STR("False/PruneFailed/1 cluster failed: c1: "));
    }
}
