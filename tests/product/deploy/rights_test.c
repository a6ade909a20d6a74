/*
 * The roles of deploy/ are enough, and nothing in them is too much.
 *
 * One story touches everything that the controllers ask of a management cluster. With all rights it
 * passes and the server refuses nothing; without any single verb of any rule it does not, and what
 * it fails with names that verb.
 */
#include <stdio.h>

#include "async/loop.h"
#include "http/client.h"
#include "json/path.h"
#include "net/tls.h"
#include "scenarios/clusterresourceset/account.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define DIAGNOSTICS STR("diagnostics.test")
#define READERS     "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
#define ACCOUNTS    "/api/v1/namespaces/" ACCOUNT_NAMESPACE "/serviceaccounts"
#define LEASE                                                               \
    "/apis/coordination.k8s.io/v1/namespaces/" ACCOUNT_NAMESPACE "/leases/" \
    "corset.corset.dev"
#define EVENTS   "/apis/events.k8s.io/v1/namespaces/ns/events"
#define MOMENT   (8 * SECOND)
#define POLICIES "/apis/corset.dev/v1alpha1/namespaces/ns/deliverypolicies"
#define POLICY                                                                                    \
    "{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\",\"metadata\":{\"name\":" \
    "\"p\"},\"spec\":{}}"

#define PAUSE   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}}}"
#define UNPAUSE "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}"

struct story {
    struct crs_fixture fixture;
    struct buf token;    /* of somebody who may read metrics */
    struct buf failures; /* a line each */
};

static void expect(struct story *story, bool is_so, const char *what)
{
    if (!is_so)
        buf_print(&story->failures, "%s\n", what);
}

/* Nobody waits for anything in particular: without a right it may never come. */
static void pass_time(void)
{
    CHECK_OK(fiber_sleep(MOMENT));
}

static struct str call(void *data, const char *method, const char *target, const char *body)
{
    struct crs_fixture *fixture = data;
    crs_fixture_do(fixture, method, target, body);
    return buf_str(&fixture->apiserver.answer);
}

static void add_reader(struct story *story)
{
    crs_fixture_do(
        &story->fixture, "POST", ACCOUNTS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"reader\"}}");
    crs_fixture_do(
        &story->fixture, "POST", READERS,
        "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRoleBinding\","
        "\"metadata\":{\"name\":\"reader\"},\"roleRef\":{\"apiGroup\":"
        "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":"
        "\"corset-metrics-reader\"},\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":"
        "\"reader\",\"namespace\":\"" ACCOUNT_NAMESPACE "\"}]}");
    account_token(call, &story->fixture, "reader", &story->token);
}

/* Lists are asked for plainly, as of servers that do not stream them; two writes meet a conflict.
 */
static void begin(struct story *story, const struct account_right *missing)
{
    struct crs_fixture *fixture = &story->fixture;
    crs_fixture_init_without_right(fixture, missing);
    add_reader(story);
    proxy_fail(&fixture->management,
               (struct proxy_fault){.part = "sendInitialEvents", .times = 1000, .status = 422});
    proxy_fail(&fixture->management, (struct proxy_fault){.method = "PATCH",
                                                          .part = "clusterresourcesets/crs1/status",
                                                          .times = 1,
                                                          .status = 409});
    proxy_fail(&fixture->management, (struct proxy_fault){.method = "PATCH",
                                                          .part = "clusterresourcesetbindings/c1",
                                                          .times = 1,
                                                          .status = 409});
    crs_fixture_start(fixture, &(struct controller_manager_options){.leader_elect = true,
                                                                    .diagnostics_host = DIAGNOSTICS,
                                                                    .diagnostics_port = 8443});
    pass_time();
    expect(story, crs_fixture_exists(fixture, LEASE), "no lease was taken");
}

static void expect_object(struct story *story, const char *name, const char *text, const char *what)
{
    SCOPED(buf) target = {.limit = 0};
    buf_print(&target, CRS_FIXTURE_OBJECTS("1") "/%s", name);
    expect(story,
           str_eq(crs_fixture_look(&story->fixture, buf_c(&target), "data.k"), str_from_c(text)),
           what);
}

static void apply(struct story *story)
{
    struct crs_fixture *fixture = &story->fixture;
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_secret(fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1 Secret/s1");
    pass_time();
    expect_object(story, "a", "1", "the ConfigMap was not applied");
    expect_object(story, "b", "1", "the Secret was not applied");
    expect(story,
           str_starts_with(crs_fixture_condition(fixture, "crs1", "ResourcesApplied"),
                           STR("True/Applied")),
           "the set does not say that it is applied");
    expect(story, crs_fixture_exists(fixture, CRS_FIXTURE_BINDING), "there is no binding");
    expect(story, crs_fixture_elements(fixture, CRS_FIXTURE_MAP, "metadata.ownerReferences") == 1,
           "the ConfigMap has no owner");
    expect(story,
           crs_fixture_elements(fixture, CRS_FIXTURE_SECRET, "metadata.ownerReferences") == 1,
           "the Secret has no owner");
}

static void change(struct story *story, const char *manifest, const char *text, const char *what)
{
    crs_fixture_map(&story->fixture, "cm1", manifest);
    pass_time();
    expect_object(story, "a", text, what);
}

static void pause_and_go_on(struct story *story)
{
    struct crs_fixture *fixture = &story->fixture;
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_SET, PAUSE);
    pass_time();
    change(story, CRS_FIXTURE_MANIFEST("a", "4"), "3", "a paused set was applied");
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_SET, UNPAUSE);
    pass_time();
    expect_object(story, "a", "4", "a set that goes on is not applied");
}

/* The same was told more than once. */
static bool has_series(struct crs_fixture *fixture)
{
    const struct json_value *event;
    int64_t count;
    crs_fixture_do(fixture, "GET", EVENTS, NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items")) {
        if (json_to_int64(json_path(event, "series.count"), &count) && count > 1)
            return true;
    }
    return false;
}

static void check_events(struct story *story)
{
    expect(story, crs_fixture_elements(&story->fixture, EVENTS, "items") > 0,
           "there are no events");
    expect(story, has_series(&story->fixture), "no event was repeated");
}

static void read_metrics(struct story *story)
{
    struct crs_fixture *fixture = &story->fixture;
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) bearer = {.limit = 0};
    SCOPED(buf) line = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    const struct http_client_options options = {
        .endpoint = {.network = fixture->apiserver.network,
                     .host = DIAGNOSTICS,
                     .port = 8443,
                     .tls = fixture->apiserver.tls,
                     .server_name = STR("localhost"),
                     .skip_verify = true}
    };
    OWNED(http_client) client = http_client_new(loop_current(), &options);
    OWNED(http_response) response = NULL;
    buf_print(&bearer, "Bearer %.*s", STR_ARG(buf_str(&story->token)));
    CHECK_OK(http_headers_add(&headers, STR("authorization"), buf_str(&bearer)));
    const struct http_client_request request = {.target = STR("/metrics"), .headers = &headers};
    CHECK_OK(http_client_send(client, &request, &response));
    buf_print(&line, "/metrics answers %d", http_response_status(response));
    expect(story, http_response_status(response) == 200, buf_c(&line));
    CHECK_OK(http_response_read_all(response, &body));
}

static void delete_sets(struct story *story)
{
    struct crs_fixture *fixture = &story->fixture;
    crs_fixture_set(fixture, "crs2", "ApplyOnce", "ConfigMap/cm1");
    pass_time();
    crs_fixture_do(fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    pass_time();
    expect(story, !crs_fixture_exists(fixture, CRS_FIXTURE_SET), "the set does not go");
    expect(story, str_eq(crs_fixture_entry(fixture, "c1", "crs1"), STR("-")),
           "its entry does not go");
    crs_fixture_do(fixture, "DELETE", CRS_FIXTURE_SETS "/crs2", NULL);
    pass_time();
    expect(story, !crs_fixture_exists(fixture, CRS_FIXTURE_BINDING), "an empty binding stays");
}

static void delete_cluster(struct story *story)
{
    struct crs_fixture *fixture = &story->fixture;
    crs_fixture_set(fixture, "crs3", "ApplyOnce", "ConfigMap/cm1");
    pass_time();
    expect(story, crs_fixture_exists(fixture, CRS_FIXTURE_BINDING), "there is no new binding");
    crs_fixture_do(fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    pass_time();
    expect(story, !crs_fixture_exists(fixture, CRS_FIXTURE_BINDING),
           "the binding outlives its cluster");
}

/* A policy that comes after the set that names it. */
static void follow_policy(struct story *story)
{
    struct crs_fixture *fixture = &story->fixture;
    crs_fixture_cluster(fixture, 2);
    crs_fixture_map(fixture, "cm4", CRS_FIXTURE_MANIFEST("d", "1"));
    crs_fixture_set_as(fixture, "crs4", "Reconcile", "ConfigMap/cm4", CRS_FIXTURE_SELECTOR,
                       ",\"annotations\":{\"corset.dev/policy\":\"p\"}");
    pass_time();
    crs_fixture_do(fixture, "POST", POLICIES, POLICY);
    pass_time();
    expect(story,
           str_starts_with(crs_fixture_condition(fixture, "crs4", "ResourcesApplied"),
                           STR("True/Applied")),
           "a set with a policy is not applied");
}

static void story_done(struct story *story)
{
    crs_fixture_done(&story->fixture);
    buf_done(&story->token);
    buf_done(&story->failures);
}

static void tell(struct story *story, const struct account_right *missing)
{
    *story = (struct story){0};
    begin(story, missing);
    apply(story);
    change(story, CRS_FIXTURE_MANIFEST("a", "2"), "2", "a change is not applied");
    change(story, CRS_FIXTURE_MANIFEST("a", "3"), "3", "another change is not applied");
    pause_and_go_on(story);
    check_events(story);
    read_metrics(story);
    delete_sets(story);
    delete_cluster(story);
    follow_policy(story);
}

SIM_TEST(the_roles_of_deploy_are_enough)
{
    SCOPED(story) story;
    tell(&story, NULL);
    CHECK_EQ(buf_str(&story.failures), STR(""));
    CHECK_EQ(buf_str(&story.fixture.management.refused), STR(""));
}

/* As the server words a refusal, inside of JSON; of a URL, as the reader of metrics sees it. */
static void write_refusal(const struct account_right *right, struct buf *out)
{
    if (right->url.len)
        buf_print(out, "%.*s answers 403", STR_ARG(right->url));
    else
        buf_print(out, "cannot %.*s resource \\\"%.*s\\\" in API group \\\"%.*s\\\"",
                  STR_ARG(right->verb), STR_ARG(right->resource), STR_ARG(right->group));
}

/* Whether the story without this right says which one that is. */
static void check_right(const struct account_right *right)
{
    SCOPED(story) story;
    SCOPED(buf) refusal = {.limit = 0};
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%.*s: %.*s %.*s%.*s", STR_ARG(right->role), STR_ARG(right->verb),
              STR_ARG(right->resource), STR_ARG(right->url));
    TEST_CASE("%s", buf_c(&name));
    tell(&story, right);
    write_refusal(right, &refusal);
    const struct buf *told = right->url.len ? &story.failures : &story.fixture.management.refused;
    if (!str_contains(buf_str(told), buf_str(&refusal)))
        test_fail(TEST_PLACE("without it"), "nothing says \"%s\"; failures:\n%s", buf_c(&refusal),
                  buf_c(&story.failures));
    printf("without %s:\n", buf_c(&name));
    fputs(story.failures.len ? buf_c(&story.failures) : "everything in the end\n", stdout);
}

/* One in four each, so that they run side by side. */
static void check_quarter(size_t quarter)
{
    SCOPED(arena) arena = {0};
    struct account_right right;
    for (size_t i = quarter; account_right(i, &arena, &right); i += 4)
        check_right(&right);
}

SIM_TEST(no_right_of_deploy_is_too_much_1)
{
    check_quarter(0);
}

SIM_TEST(no_right_of_deploy_is_too_much_2)
{
    check_quarter(1);
}

SIM_TEST(no_right_of_deploy_is_too_much_3)
{
    check_quarter(2);
}

SIM_TEST(no_right_of_deploy_is_too_much_4)
{
    check_quarter(3);
}
