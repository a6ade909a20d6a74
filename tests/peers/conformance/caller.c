#include "peers/conformance/caller.h"

#include "async/loop.h"
#include "base/base64.h"
#include "base/memory.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/url.h"

struct caller {
    const struct rest_config *config;
    struct http_client *admin, *others;
};

/* Streams that stay open take a connection each when the server speaks HTTP/1.1. */
#define CONNECTIONS_MAX 64

static struct http_client *connect_as(struct loop *loop, const struct caller_options *options,
                                      struct tls_identity *identity)
{
    const struct rest_config *config = options->config;
    const struct http_client_options client = {
        .endpoint = {.network = options->network,
                     .host = config->server.host,
                     .port = config->server.port,
                     .plain = config->server.scheme == URL_HTTP,
                     .tls = options->tls,
                     .server_name = config->tls.server_name,
                     .identity = identity,
                     .trust = config->tls.trust,
                     .skip_verify = config->tls.skip_verify,
                     .proxy = config->has_proxy ? &config->proxy : NULL},
        .connections = CONNECTIONS_MAX,
        .no_gzip = true, /* the recording did not ask for it */
    };
    return http_client_new(loop, &client);
}

struct caller *caller_new(struct loop *loop, const struct caller_options *options)
{
    struct caller *caller = NEW(struct caller);
    caller->config = options->config;
    caller->admin = connect_as(loop, options, options->config->tls.identity);
    caller->others = connect_as(loop, options, NULL);
    return caller;
}

void caller_free(struct caller *caller)
{
    if (!caller)
        return;
    http_client_free(caller->admin);
    http_client_free(caller->others);
    mem_free(caller);
}

static struct error *add_bearer(struct http_headers *headers, struct str token)
{
    SCOPED(buf) value = {.secret = true};
    buf_print(&value, "Bearer %.*s", STR_ARG(token));
    return http_headers_add(headers, STR("Authorization"), buf_str(&value));
}

static struct error *add_basic(struct http_headers *headers, const struct rest_auth *auth)
{
    SCOPED(buf) pair = {.secret = true};
    SCOPED(buf) value = {.secret = true};
    buf_print(&pair, "%.*s:%.*s", STR_ARG(auth->username), STR_ARG(auth->password));
    buf_add(&value, STR("Basic "));
    base64_encode(&value, buf_str(&pair));
    return http_headers_add(headers, STR("Authorization"), buf_str(&value));
}

static struct error *add_admin(struct http_headers *headers, const struct rest_auth *auth)
{
    if (auth->token.len)
        return add_bearer(headers, auth->token);
    return auth->username.len ? add_basic(headers, auth) : NULL;
}

/* Who sends it: the connections to use, with the credentials that are a header added. */
static struct error *authenticate(struct caller *caller, struct request *request,
                                  struct http_client **ret_client)
{
    const struct str token = STR("token:");
    *ret_client = caller->others;
    if (str_starts_with(request->as, token))
        return add_bearer(&request->headers, str_skip(request->as, token.len));
    if (str_eq(request->as, STR("anonymous")))
        return NULL;
    if (!str_eq(request->as, STR("admin")))
        return error_new(ERROR_INVALID, "nobody is called %.*s", STR_ARG(request->as));
    *ret_client = caller->admin;
    return add_admin(&request->headers, &caller->config->auth);
}

struct error *caller_send(struct caller *caller, struct request *request,
                          struct http_response **ret_response)
{
    SCOPED(arena) arena = {0};
    struct http_client *client;
    TRY(authenticate(caller, request, &client));
    const struct http_client_request sent = {
        .method = request->method,
        .target = url_join(&arena, &caller->config->server, request->path, request->query),
        .headers = &request->headers,
        .body = request->body,
    };
    return http_client_send(client, &sent, ret_response);
}
