#include "hostile/stage.h"

#include <inttypes.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "json/json.h"
#include "json/path.h"
#include "json/read.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define START_TIMEOUT (60 * SECOND)
#define LOOK_EVERY    (10 * MILLISECOND)
#define STREAM_LOOK   (250 * MILLISECOND)
#define ANSWER_MAX    (4 * MEGABYTE)
#define EXCHANGE_MOST (20 * SECOND)

void stage_answer_done(struct stage_answer *answer)
{
    buf_done(&answer->body);
}

static struct error *make_headers(const struct stage_request *request, struct http_headers *headers)
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

struct error *stage_send(struct http_client *client, const struct stage_request *request,
                         struct stage_answer *ret_answer)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    FIBER_TIMEOUT(EXCHANGE_MOST);
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

struct error *stage_check_refused(const struct stage_request *request,
                                  const struct stage_answer *answer)
{
    const struct str body = buf_str(&answer->body);
    const char *method = request->method ? request->method : "GET";
    if (str_contains(body, STR(STAGE_CANARY)) || str_contains(body, STR(STAGE_CANARY_NOTE)))
        return error_new(ERROR_INVALID, "%s %s gives the secret away: %.*s", method, request->path,
                         STR_ARG(str_slice(body, 0, 500)));
    if (answer->status < 400 || answer->status >= 500)
        return error_new(ERROR_INVALID, "%s %s is answered with %d: %.*s", method, request->path,
                         answer->status, STR_ARG(str_slice(body, 0, 500)));
    return NULL;
}

struct error *stage_refused(struct http_client *client, const struct stage_request *request)
{
    SCOPED(stage_answer) answer = {0};
    TRY(stage_send(client, request, &answer));
    return stage_check_refused(request, &answer);
}

struct error *stage_expect(struct http_client *client, const struct stage_request *request,
                           int status)
{
    SCOPED(stage_answer) answer = {0};
    TRY(stage_send(client, request, &answer));
    return answer.status == status
               ? NULL
               : error_new(ERROR_INVALID, "%s %s is answered with %d instead of %d: %.*s",
                           request->method ? request->method : "GET", request->path, answer.status,
                           status, STR_ARG(str_slice(buf_str(&answer.body), 0, 500)));
}

struct http_client *stage_connect(struct loop *loop, struct network *network,
                                  struct tls_context *tls, const struct rest_config *config,
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

static struct http_client *connect_as(struct stage *stage, struct tls_identity *identity)
{
    return stage_connect(stage->loop, stage->network, stage->tls, &stage->config, identity);
}

static struct error *load_cluster(struct stage *stage, const char *folder, size_t index)
{
    const struct str file =
        arena_print(&stage->arena, "%s/clusters/vc-%04zu.kubeconfig", folder, index + 1);
    return kubeconfig_load(&(struct kubeconfig_paths){.file = file}, NULL, &stage->clusters[index]);
}

static struct error *wait_ready(struct stage *stage)
{
    for (;;) {
        OWNED(error)
        err = stage_expect(stage->admin, &(struct stage_request){.path = "/readyz"}, 200);
        if (!err)
            return NULL;
        TRY(victim_check(stage->victim));
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
     "{\"metadata\":{\"name\":\"crown\",\"labels\":{\"note\":\"" STAGE_CANARY_NOTE "\"},"
     "\"annotations\":{\"note\":\"" STAGE_CANARY_NOTE "\"}},\"data\":{\"jewel\":\"" STAGE_CANARY
     "==\"}}"                                                                                  },
    {"/api/v1/namespaces/team/secrets",
     "{\"metadata\":{\"name\":\"crown\",\"labels\":{\"note\":\"" STAGE_CANARY_NOTE "\"}},"
     "\"data\":{\"jewel\":\"" STAGE_CANARY "==\"}}"                                            },
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
        const struct stage_request request = {
            .method = "POST",
            .path = arena_print(arena, "%s%s", prefix, furniture[i].path).ptr,
            .type = "application/json",
            .body = furniture[i].body,
            .token = token,
        };
        TRY(stage_expect(client, &request, 201));
    }
    return NULL;
}

static struct error *make_token(struct http_client *client, struct arena *arena, const char *prefix,
                                const char *account, struct str admin, struct str *ret_token)
{
    SCOPED(stage_answer) answer = {0};
    OWNED(json_doc) doc = NULL;
    const struct stage_request request = {
        .method = "POST",
        .path = arena_print(arena, "%s/api/v1/namespaces/team/serviceaccounts/%s/token", prefix,
                            account)
                    .ptr,
        .type = "application/json",
        .body = "{\"spec\":{}}",
        .token = admin,
    };
    TRY(stage_send(client, &request, &answer));
    TRY(json_read(buf_str(&answer.body), &doc));
    *ret_token = arena_str(arena, json_path_str(json_doc_root(doc), "status.token"));
    return ret_token->len ? NULL : error_new(ERROR_INVALID, "%s gives no token", request.path);
}

static struct error *start(struct stage *stage, const struct stage_options *options)
{
    const char *const more[] = {"--virtual-clusters", "2", NULL};
    FIBER_TIMEOUT(START_TIMEOUT);
    stage->victim = victim_new(&(struct victim_options){
        .program = options->program, .folder = options->folder, .more = more});
    TRY(victim_start(stage->victim));
    TRY(victim_wait_kubeconfig(stage->victim));
    TRY(kubeconfig_load(&(struct kubeconfig_paths){.file = victim_kubeconfig(stage->victim)}, NULL,
                        &stage->config));
    stage->admin = connect_as(stage, stage->config.tls.identity);
    stage->plain = connect_as(stage, NULL);
    stage->impostor = connect_as(stage, stage->stranger.client);
    TRY(wait_ready(stage));
    for (size_t i = 0; i < COUNT(stage->clusters); i++)
        TRY(load_cluster(stage, options->folder, i));
    return NULL;
}

struct error *stage_init(struct stage *stage, const struct stage_options *options)
{
    *stage = (struct stage){.loop = options->loop, .is_small = options->is_small};
    stage->network = tcp_network_new(options->loop);
    stage->tls = tls_context_new();
    random_init(&stage->random, 1);
    test_certs_init(&stage->stranger, loop_wall(options->loop));
    TRY(start(stage, options));
    const char *first = "/clusters/vc-0001";
    const struct str admin = stage->clusters[0].auth.token;
    TRY(furnish(stage->admin, &stage->arena, "", STR("")));
    TRY(make_token(stage->admin, &stage->arena, "", "limited", STR(""), &stage->limited));
    TRY(make_token(stage->admin, &stage->arena, "", "changer", STR(""), &stage->changer));
    TRY(furnish(stage->plain, &stage->arena, first, admin));
    return make_token(stage->plain, &stage->arena, first, "limited", admin,
                      &stage->cluster_limited);
}

void stage_done(struct stage *stage)
{
    FIBER_SHIELD(SECOND);
    http_client_free(stage->admin);
    http_client_free(stage->plain);
    http_client_free(stage->impostor);
    error_free(fiber_yield()); /* connections that were closed are gone at the next turn */
    victim_free(stage->victim);
    rest_config_done(&stage->config);
    for (size_t i = 0; i < COUNT(stage->clusters); i++)
        rest_config_done(&stage->clusters[i]);
    test_certs_done(&stage->stranger);
    tls_context_free(stage->tls);
    network_free(stage->network);
    arena_done(&stage->arena);
}
