/*
 * The fleet API behind kube-apiserver, corset controller --fleet-addr: FQ-07, FQ-08, FQ-30, and the
 * rights of deploy/kustomize/components/fleet. The test plays the front proxy.
 */
#include "app/controller_manager_internal.h"
#include "base/base64.h"
#include "http/client.h"
#include "http/headers.h"
#include "net/pki.h"
#include "net/tls.h"
#include "scenarios/fleet/fleet_fixture.h"
#include "testing/test.h"

#define MAPS        "/api/v1/namespaces/default/configmaps"
#define A           "fleet-a.test"
#define B           "fleet-b.test"
#define VERSION     FLEET_ONE("vc-0001") "/version"
#define PORT        8444
#define SERVICE     "corset-fleet.corset-system.svc"
#define API_SERVICE "/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.fleet.corset.dev"

/* The front proxy of a kube-apiserver, and two pretenders. */
struct front {
    struct fleet_fixture *fixture;
    struct pki_authority *authority, *foreign;
    struct tls_identity *proxy, *other_name, *other_authority;
};

static void front_done(struct front *front)
{
    pki_authority_free(front->authority);
    pki_authority_free(front->foreign);
    tls_identity_free(front->proxy);
    tls_identity_free(front->other_name);
    tls_identity_free(front->other_authority);
}

static struct tls_identity *issue_client(const struct pki_authority *authority, const char *name)
{
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    struct tls_identity *identity = NULL;
    const int64_t now = loop_wall(loop_current());
    const struct pki_request request = {.common_name = str_from_c(name),
                                        .client = true,
                                        .not_before = now - HOUR,
                                        .not_after = now + 24 * HOUR};
    CHECK_OK(pki_issue(authority, &request, &certificate, &key));
    CHECK_OK(tls_identity_read(buf_str(&certificate), buf_str(&key), &identity));
    return identity;
}

/* What kube-apiserver publishes about its front proxy. */
static void publish_front(struct front *front, const struct pki_authority *authority)
{
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    SCOPED(buf) patch = {0};
    OWNED(object) ignored = NULL;
    CHECK_OK(pki_authority_write(authority, &certificate, &key));
    buf_add(&patch, STR("{\"data\":{\"requestheader-client-ca-file\":"));
    buf_add_json_string(&patch, buf_str(&certificate));
    buf_add(&patch, STR(",\"requestheader-allowed-names\":\"[\\\"front-proxy\\\"]\","
                        "\"requestheader-username-headers\":\"[\\\"X-Remote-User\\\"]\","
                        "\"requestheader-group-headers\":\"[\\\"X-Remote-Group\\\"]\","
                        "\"requestheader-extra-headers-prefix\":\"[\\\"X-Remote-Extra-\\\"]\"}}"));
    CHECK_OK(client_patch(front->fixture->admin, GVR("", "v1", "configmaps"),
                          KEY("kube-system", "extension-apiserver-authentication"),
                          CLIENT_PATCH_MERGE, buf_str(&patch), NULL, &ignored));
}

static void front_init(struct front *front, struct fleet_fixture *fixture)
{
    const int64_t now = loop_wall(loop_current());
    *front = (struct front){.fixture = fixture};
    CHECK_OK(pki_authority_new(STR("front-ca"), now - HOUR, now + 24 * HOUR, &front->authority));
    CHECK_OK(pki_authority_new(STR("front-ca"), now - HOUR, now + 24 * HOUR, &front->foreign));
    front->proxy = issue_client(front->authority, "front-proxy");
    front->other_name = issue_client(front->authority, "kubelet");
    front->other_authority = issue_client(front->foreign, "front-proxy");
    publish_front(front, front->authority);
    fleet_fixture_put(fixture, "/api/v1/namespaces",
                      "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":"
                      "\"corset-system\"}}");
    fleet_fixture_put(fixture, "/api/v1/namespaces/corset-system/secrets",
                      "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
                      "\"corset-fleet\"}}");
    fleet_fixture_put(
        fixture, "/apis/apiregistration.k8s.io/v1/apiservices",
        "{\"apiVersion\":\"apiregistration.k8s.io/v1\",\"kind\":\"APIService\",\"metadata\":{"
        "\"name\":\"v1alpha1.fleet.corset.dev\"},\"spec\":{\"group\":\"fleet.corset.dev\","
        "\"version\":\"v1alpha1\",\"groupPriorityMinimum\":1000,\"versionPriority\":15,"
        "\"service\":{\"namespace\":\"corset-system\",\"name\":\"corset-fleet\",\"port\":8444}}}");
}

/* A controller process with --fleet-addr. */
struct replica {
    struct controller_manager *controllers;
    struct scope running;
};

static struct error *run_replica(void *data)
{
    return controller_manager_run(data);
}

static void replica_init(struct replica *replica, struct fleet_fixture *fixture, const char *host)
{
    const struct controller_manager_options options = {
        .config = &fixture->config,
        .network = fixture->network,
        .tls = fixture->tls,
        .user_agent = STR("corset/test"),
        .no_events = true,
        .leader_elect = true,
        .lease_namespace = STR("default"),
        .fleet_host = str_from_c(host),
        .fleet_port = PORT,
        .fleet_secret = KEY("corset-system", "corset-fleet"),
    };
    *replica = (struct replica){0};
    CHECK_OK(controller_manager_new(loop_current(), &options, &replica->controllers));
    scope_start(&replica->running, "controllers", run_replica, replica->controllers);
}

static void replica_done(struct replica *replica)
{
    scope_done(&replica->running);
    controller_manager_free(replica->controllers);
    replica->controllers = NULL;
}

struct question {
    const char *host;
    struct tls_identity *identity;
    const char *user, *target;
    const char *header; /* a further one, with the value "x"; may be NULL */
    const char *method; /* NULL: GET */
    struct tls_trust *trust;
    bool is_admin;
};

static struct error *add_user(const struct question *question, struct http_headers *headers)
{
    if (question->user)
        TRY(http_headers_add(headers, STR("x-remote-user"), str_from_c(question->user)));
    return http_headers_add(headers, STR("x-remote-group"),
                            question->is_admin ? STR("system:masters")
                                               : STR("system:authenticated"));
}

static struct http_client *connect_to(struct front *front, const struct question *question)
{
    const struct http_client_options options = {
        .endpoint = {.network = front->fixture->network,
                     .host = str_from_c(question->host),
                     .port = PORT,
                     .tls = front->fixture->tls,
                     .identity = question->identity,
                     .trust = question->trust,
                     .server_name = STR(SERVICE),
                     .skip_verify = !question->trust}
    };
    return http_client_new(loop_current(), &options);
}

static int ask(struct front *front, const struct question *question)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_client) client = connect_to(front, question);
    OWNED(http_response) response = NULL;
    CHECK_OK(add_user(question, &headers));
    if (question->header)
        CHECK_OK(http_headers_add(&headers, str_from_c(question->header), STR("x")));
    const struct http_client_request request = {
        .method = question->method ? str_from_c(question->method) : STR("GET"),
        .target = str_from_c(question->target),
        .headers = &headers};
    CHECK_OK(http_client_send(client, &request, &response));
    fleet_fixture_read(front->fixture, response);
    http_response_free(TAKE(response));
    return front->fixture->status;
}

/* Asks until there is another answer than 503, for at most a minute. */
/* 503: it does not lead yet; 504: it has not connected to any cluster yet. */
static int ask_until_served(struct front *front, const struct question *question)
{
    FIBER_TIMEOUT(MINUTE);
    while (ask(front, question) == 503 || front->fixture->status == 504)
        CHECK_OK(fiber_sleep(SECOND));
    return front->fixture->status;
}

SIM_TEST(fq_08_only_the_front_proxy_is_heard)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(front) front;
    SCOPED(replica) replica;
    fleet_fixture_init(&fixture, 1, NULL);
    front_init(&front, &fixture);
    replica_init(&replica, &fixture, A);
    fleet_fixture_allow(&fixture, "ann", "get", NULL, NULL);
    CHECK_OK(fiber_sleep(30 * SECOND));
    const struct {
        const char *name;
        struct tls_identity *identity;
        const char *user, *target, *header, *method;
        int status;
    } cases[] = {
        {"the front proxy",       front.proxy,           "ann", VERSION,              NULL,               NULL,   200},
        {"no certificate",        NULL,                  "ann", VERSION,              NULL,               NULL,   401},
        {"another authority",     front.other_authority, "ann", VERSION,              NULL,               NULL,   401},
        {"a name not allowed",    front.other_name,      "ann", VERSION,              NULL,               NULL,   401},
        {"no user",               front.proxy,           NULL,  VERSION,              NULL,               NULL,   401},
        {"strangers, any path",   NULL,                  "ann", "/metrics",           NULL,               NULL,   401},
        {"no path of ours",       front.proxy,           "ann", "/metrics",           NULL,               NULL,   404},
        {"discovery",             front.proxy,           "ann", FLEET_P,              NULL,               NULL,   200},
        {"fq_07: impersonation",  front.proxy,           "ann", VERSION,              "Impersonate-User", NULL,   400},
        {"a user without rights", front.proxy,           "bob", VERSION,              NULL,               NULL,   404},
        {"another verb",          front.proxy,           "ann", FLEET_ONE("vc-0001"), NULL,               "POST", 403},
        {"no right to list",      front.proxy,           "ann", FLEET_ALL MAPS,       NULL,               NULL,   403},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct question question = {.host = A,
                                          .identity = cases[i].identity,
                                          .user = cases[i].user,
                                          .target = cases[i].target,
                                          .header = cases[i].header,
                                          .method = cases[i].method};
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(ask(&front, &question), cases[i].status);
    }
    const struct question by_proxy = {
        .host = A, .identity = front.proxy, .user = "ann", .target = VERSION};
    struct question by_foreign = by_proxy;
    by_foreign.identity = front.other_authority;

    TEST_CASE("the authority of the front proxy is replaced");
    publish_front(&front, front.foreign);
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(ask(&front, &by_proxy), 401);
    CHECK_EQ(ask(&front, &by_foreign), 200);

    TEST_CASE("a right is withdrawn: it ends after ten seconds at most");
    CHECK_EQ(fleet_fixture_ask(&fixture, NULL, "DELETE",
                               "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/r1", NULL,
                               NULL),
             200);
    CHECK_OK(fiber_sleep(11 * SECOND));
    CHECK_EQ(ask(&front, &by_foreign), 404);
}

/* The bundle that the leader has written into the APIService. */
static struct tls_trust *read_bundle(struct fleet_fixture *fixture)
{
    SCOPED(buf) pem = {0};
    OWNED(json_doc) doc = NULL;
    struct tls_trust *trust = NULL;
    CHECK_EQ(fleet_fixture_get(fixture, API_SERVICE), 200);
    CHECK_OK(json_read(buf_str(&fixture->body), &doc));
    CHECK_OK(base64_decode(&pem, json_path_str(json_doc_root(doc), "spec.caBundle")));
    CHECK_OK(tls_trust_read(buf_str(&pem), &trust));
    return trust;
}

struct watching {
    struct front *front;
    struct question question;
    bool has_begun, is_broken, is_complete;
};

static struct error *watch_through(void *data)
{
    struct watching *watching = data;
    SCOPED(http_headers) headers = {0};
    OWNED(http_client) client = connect_to(watching->front, &watching->question);
    OWNED(http_response) response = NULL;
    TRY(add_user(&watching->question, &headers));
    const struct http_client_request request = {
        .method = STR("GET"), .target = str_from_c(watching->question.target), .headers = &headers};
    TRY(http_client_send(client, &request, &response));
    watching->has_begun = http_response_status(response) == 200;
    for (;;) {
        struct str piece;
        OWNED(error) err = http_response_read_piece(response, &piece);
        watching->is_broken |= err != NULL;
        watching->is_complete |= !err && !piece.len;
        if (err || !piece.len)
            break;
    }
    http_response_free(TAKE(response));
    return NULL;
}

SIM_TEST(fq_30_another_leader_goes_on)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(front) front;
    SCOPED(replica) a;
    SCOPED(replica) b;
    fleet_fixture_init(&fixture, 2, NULL);
    front_init(&front, &fixture);
    replica_init(&a, &fixture, A);
    CHECK_OK(fiber_sleep(10 * SECOND));
    replica_init(&b, &fixture, B);
    CHECK_OK(fiber_sleep(30 * SECOND));
    OWNED(tls_trust) trust = read_bundle(&fixture);
    const struct question to_a = {.host = A,
                                  .identity = front.proxy,
                                  .user = "ann",
                                  .target = FLEET_ALL "/api/v1/namespaces",
                                  .trust = trust,
                                  .is_admin = true};
    struct question to_b = to_a;
    to_b.host = B;

    TEST_CASE("one leads");
    CHECK_EQ(ask_until_served(&front, &to_a), 200);
    CHECK_EQ(ask(&front, &to_b), 503);
    CHECK_EQ(buf_str(&fixture.retry_after), STR("2"));
    CHECK_CONTAINS(buf_str(&fixture.body), STR("does not lead"));

    TEST_CASE("discovery is answered by all, and both show certificates of one authority");
    struct question discovery = to_b;
    discovery.target = FLEET_P;
    CHECK_EQ(ask(&front, &discovery), 200);

    TEST_CASE("the leader ends in the middle of a watch");
    struct watching watching = {.front = &front, .question = to_a};
    {
        SCOPED(scope) scope = {0};
        watching.question.target = FLEET_ONE("vc-0001") MAPS "?watch=true";
        scope_start(&scope, "watch", watch_through, &watching);
        CHECK_OK(fiber_sleep(5 * SECOND));
        CHECK(watching.has_begun);
        CHECK(!watching.is_broken && !watching.is_complete);
        replica_done(&a);
        CHECK_OK(fiber_sleep(SECOND));
        CHECK(watching.is_broken);
        CHECK(!watching.is_complete);
    }

    TEST_CASE("the next question is answered by the other one");
    CHECK_EQ(ask_until_served(&front, &to_b), 200);
    CHECK_CONTAINS(buf_str(&fixture.clusters), STR("asked=2"));
}
