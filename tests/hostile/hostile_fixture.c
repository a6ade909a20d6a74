#include "hostile/hostile_fixture.h"

#include <inttypes.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "json/json.h"
#include "json/path.h"
#include "json/read.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

/* Fewer than the attackers have: connections run out. */
#define DESCRIPTORS       6000
#define SMALL_DESCRIPTORS 1200
#define START_TIMEOUT     (60 * SECOND)
#define LOOK_EVERY        (10 * MILLISECOND)
#define STREAM_LOOK       (250 * MILLISECOND)
#define ANSWER_MAX        (4 * MEGABYTE)
#define EXCHANGE_MAX      (20 * SECOND)

void hostile_fixture_answer_done(struct hostile_fixture_answer *answer)
{
    buf_done(&answer->body);
}

static struct error *make_headers(const struct hostile_fixture_request *request,
                                  struct http_headers *headers)
{
    if (request->accept)
        TRY(http_headers_add(headers, STR("accept"), str_from_c(request->accept)));
    if (request->type)
        TRY(http_headers_add(headers, STR("content-type"), str_from_c(request->type)));
    if (request->header)
        TRY(http_headers_add(headers, str_from_c(request->header), str_from_c(request->value)));
    if (request->token.len) {
        SCOPED(buf) value = {.secret = true};
        buf_print(&value, "Bearer %.*s", STR_ARG(request->token));
        TRY(http_headers_add(headers, STR("authorization"), buf_str(&value)));
    }
    return NULL;
}

static struct error *read_some(struct http_response *response, struct buf *body)
{
    FIBER_TIMEOUT(STREAM_LOOK);
    struct error *err = http_response_read_all(response, body);
    return error_ignore(err, ERROR_DEADLINE);
}

struct error *hostile_fixture_send(struct http_client *client,
                                   const struct hostile_fixture_request *request,
                                   struct hostile_fixture_answer *ret_answer)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    FIBER_TIMEOUT(EXCHANGE_MAX);
    TRY(make_headers(request, &headers));
    const struct http_client_request sent = {
        .method = str_from_c(request->method),
        .target = str_from_c(request->path),
        .headers = &headers,
        .body = str_from_c(request->body),
    };
    TRY(http_client_send(client, &sent, &response), "%s", request->path);
    ret_answer->status = http_response_status(response);
    buf_clear(&ret_answer->body);
    ret_answer->body.limit = ANSWER_MAX;
    TRY(read_some(response, &ret_answer->body), "%s", request->path);
    return NULL;
}

struct error *hostile_fixture_check_refused(const struct hostile_fixture_request *request,
                                            const struct hostile_fixture_answer *answer)
{
    const struct str body = buf_str(&answer->body);
    const char *method = request->method ? request->method : "GET";
    if (str_contains(body, STR(HOSTILE_FIXTURE_CANARY)) ||
        str_contains(body, STR(HOSTILE_FIXTURE_CANARY_NOTE)))
        return error_new(ERROR_INVALID, "%s %s gives the secret away: %.*s", method, request->path,
                         STR_ARG(str_slice(body, 0, 500)));
    if (answer->status < 400 || answer->status >= 500)
        return error_new(ERROR_INVALID, "%s %s is answered with %d: %.*s", method, request->path,
                         answer->status, STR_ARG(str_slice(body, 0, 500)));
    return NULL;
}

struct error *hostile_fixture_refused(struct http_client *client,
                                      const struct hostile_fixture_request *request)
{
    SCOPED(hostile_fixture_answer) answer = {0};
    TRY(hostile_fixture_send(client, request, &answer));
    return hostile_fixture_check_refused(request, &answer);
}

struct error *hostile_fixture_expect(struct http_client *client,
                                     const struct hostile_fixture_request *request, int status)
{
    SCOPED(hostile_fixture_answer) answer = {0};
    TRY(hostile_fixture_send(client, request, &answer));
    return answer.status == status
               ? NULL
               : error_new(ERROR_INVALID, "%s %s is answered with %d instead of %d: %.*s",
                           request->method ? request->method : "GET", request->path, answer.status,
                           status, STR_ARG(str_slice(buf_str(&answer.body), 0, 500)));
}

struct http_client *hostile_fixture_connect(struct loop *loop, struct network *network,
                                            struct tls_context *tls,
                                            const struct rest_config *config,
                                            struct tls_identity *identity)
{
    const struct http_client_options options = {
        .endpoint = {.network = network,
                     .host = config->server.host,
                     .port = config->server.port,
                     .tls = tls,
                     .identity = identity,
                     .trust = config->tls.trust},
        .no_gzip = true,
    };
    return http_client_new(loop, &options);
}

static struct http_client *connect_as(struct hostile_fixture *fixture,
                                      struct tls_identity *identity)
{
    return hostile_fixture_connect(fixture->loop, fixture->network, fixture->tls, &fixture->config,
                                   identity);
}

static struct error *load_cluster(struct hostile_fixture *fixture, const char *folder, size_t index)
{
    const struct str file =
        arena_print(&fixture->arena, "%s/clusters/vc-%04zu.kubeconfig", folder, index + 1);
    return kubeconfig_load(&(struct kubeconfig_paths){.file = file}, NULL,
                           &fixture->clusters[index]);
}

static struct error *wait_ready(struct hostile_fixture *fixture)
{
    for (;;) {
        OWNED(error)
        err = hostile_fixture_expect(fixture->admin,
                                     &(struct hostile_fixture_request){.path = "/readyz"}, 200);
        if (!err)
            return NULL;
        TRY(victim_check(fixture->victim));
        TRY(fiber_sleep(LOOK_EVERY), "wait for the server: %s", err->message);
    }
}

#define META(name) "\"metadata\":{\"name\":\"" name "\"}"

/* What everybody finds, made by an administrator. */
static const struct {
    const char *path, *body;
} furniture[] = {
    {"/api/v1/namespaces",                                              "{" META("vault") "}"  },
    {"/api/v1/namespaces",                                              "{" META("team") "}"   },
    {"/api/v1/namespaces/vault/secrets",
     "{\"metadata\":{\"name\":\"crown\",\"labels\":{\"note\":\"" HOSTILE_FIXTURE_CANARY_NOTE "\"},"
     "\"annotations\":{\"note\":\"" HOSTILE_FIXTURE_CANARY_NOTE
     "\"}},\"data\":{\"jewel\":\"" HOSTILE_FIXTURE_CANARY "==\"}}"                             },
    {"/api/v1/namespaces/team/secrets",
     "{\"metadata\":{\"name\":\"crown\",\"labels\":{\"note\":\"" HOSTILE_FIXTURE_CANARY_NOTE "\"}},"
     "\"data\":{\"jewel\":\"" HOSTILE_FIXTURE_CANARY "==\"}}"                                  },
    {"/api/v1/namespaces/team/serviceaccounts",                         "{" META("limited") "}"},
    {"/apis/rbac.authorization.k8s.io/v1/namespaces/team/roles",
     "{" META("limited") ",\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],"
                         "\"verbs\":[\"*\"]}]}"                                                },
    {"/apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings",
     "{" META("limited") ",\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\","
                         "\"kind\":\"Role\",\"name\":\"limited\"},\"subjects\":[{\"kind\":"
                         "\"ServiceAccount\",\"name\":\"limited\",\"namespace\":\"team\"}]}"   },
    {"/api/v1/namespaces/team/serviceaccounts",                         "{" META("changer") "}"},
    {"/apis/rbac.authorization.k8s.io/v1/namespaces/team/roles",
     "{" META("changer") ",\"rules\":[{\"apiGroups\":[\"\",\"coordination.k8s.io\"],"
                         "\"resources\":[\"configmaps\",\"leases\"],"
                         "\"verbs\":[\"update\",\"patch\"]}]}"                                 },
    {"/apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings",
     "{" META("changer") ",\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\","
                         "\"kind\":\"Role\",\"name\":\"changer\"},\"subjects\":[{\"kind\":"
                         "\"ServiceAccount\",\"name\":\"changer\",\"namespace\":\"team\"}]}"   },
};

static struct error *furnish(struct http_client *client, struct arena *arena, const char *prefix,
                             struct str token)
{
    for (size_t i = 0; i < COUNT(furniture); i++) {
        const struct hostile_fixture_request request = {
            .method = "POST",
            .path = arena_print(arena, "%s%s", prefix, furniture[i].path).ptr,
            .type = "application/json",
            .body = furniture[i].body,
            .token = token,
        };
        TRY(hostile_fixture_expect(client, &request, 201));
    }
    return NULL;
}

static struct error *make_token(struct http_client *client, struct arena *arena, const char *prefix,
                                const char *account, struct str admin, struct str *ret_token)
{
    SCOPED(hostile_fixture_answer) answer = {0};
    OWNED(json_doc) doc = NULL;
    const struct hostile_fixture_request request = {
        .method = "POST",
        .path = arena_print(arena, "%s/api/v1/namespaces/team/serviceaccounts/%s/token", prefix,
                            account)
                    .ptr,
        .type = "application/json",
        .body = "{\"spec\":{}}",
        .token = admin,
    };
    TRY(hostile_fixture_send(client, &request, &answer));
    TRY(json_read(buf_str(&answer.body), &doc));
    *ret_token = arena_str(arena, json_path_str(json_doc_root(doc), "status.token"));
    return ret_token->len ? NULL : error_new(ERROR_INVALID, "%s gives no token", request.path);
}

static struct error *start(struct hostile_fixture *fixture,
                           const struct hostile_fixture_options *options)
{
    const char *const more[] = {"--virtual-clusters", "2", NULL};
    FIBER_TIMEOUT(START_TIMEOUT);
    fixture->victim = victim_new(
        &(struct victim_options){.program = options->program,
                                 .folder = options->folder,
                                 .descriptors = options->is_small ? SMALL_DESCRIPTORS : DESCRIPTORS,
                                 .more = more});
    TRY(victim_start(fixture->victim));
    TRY(victim_wait_kubeconfig(fixture->victim));
    TRY(kubeconfig_load(&(struct kubeconfig_paths){.file = victim_kubeconfig(fixture->victim)},
                        NULL, &fixture->config));
    fixture->admin = connect_as(fixture, fixture->config.tls.identity);
    fixture->plain = connect_as(fixture, NULL);
    fixture->impostor = connect_as(fixture, fixture->stranger.client);
    TRY(wait_ready(fixture));
    for (size_t i = 0; i < COUNT(fixture->clusters); i++)
        TRY(load_cluster(fixture, options->folder, i));
    return NULL;
}

struct error *hostile_fixture_init(struct hostile_fixture *fixture,
                                   const struct hostile_fixture_options *options)
{
    *fixture = (struct hostile_fixture){.loop = options->loop, .is_small = options->is_small};
    fixture->network = tcp_network_new(options->loop);
    fixture->tls = tls_context_new();
    random_init(&fixture->random, 1);
    test_certs_init(&fixture->stranger, loop_wall(options->loop));
    TRY(start(fixture, options));
    const char *first = "/clusters/vc-0001";
    const struct str admin = fixture->clusters[0].auth.token;
    TRY(furnish(fixture->admin, &fixture->arena, "", STR("")));
    TRY(make_token(fixture->admin, &fixture->arena, "", "limited", STR(""), &fixture->limited));
    TRY(make_token(fixture->admin, &fixture->arena, "", "changer", STR(""), &fixture->changer));
    TRY(furnish(fixture->plain, &fixture->arena, first, admin));
    return make_token(fixture->plain, &fixture->arena, first, "limited", admin,
                      &fixture->cluster_limited);
}

void hostile_fixture_done(struct hostile_fixture *fixture)
{
    FIBER_SHIELD(SECOND);
    http_client_free(fixture->admin);
    http_client_free(fixture->plain);
    http_client_free(fixture->impostor);
    error_free(fiber_yield()); /* connections that were closed are gone at the next turn */
    victim_free(fixture->victim);
    rest_config_done(&fixture->config);
    for (size_t i = 0; i < COUNT(fixture->clusters); i++)
        rest_config_done(&fixture->clusters[i]);
    test_certs_done(&fixture->stranger);
    tls_context_free(fixture->tls);
    network_free(fixture->network);
    arena_done(&fixture->arena);
}
