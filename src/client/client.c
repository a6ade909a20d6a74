#include "client/client.h"

#include <assert.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/base64.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "client/client_internal.h"
#include "client/client_metrics.h"
#include "client/kubeconfig.h"
#include "client/rate_limit.h"
#include "client/token_source.h"
#include "net/tls.h"

#define TIMEOUT_DEFAULT    (30 * SECOND)
#define ANSWER_MAX_DEFAULT (256 * MEGABYTE)

struct client {
    struct loop *loop;
    struct client_options options;
    struct token_source *tokens;
    struct client_transport *transport; /* the one in use */
    struct list stale;                  /* those that still have calls */
    struct list rate_limits;            /* by resource, the last one used first */
    struct rate_limit raw_limit;
    struct client_metrics metrics;
};

/* Connections made with one client certificate. A plugin may hand out another one at any time. */
struct client_transport {
    struct list_link link;
    struct http_client *http;
    struct tls_identity *identity;
};

struct resource_limit {
    struct list_link link;
    struct gvr gvr;
    struct arena texts;
    struct rate_limit limit;
};

static void resource_limit_free(struct resource_limit *entry)
{
    arena_done(&entry->texts);
    mem_free(entry);
}

static struct client_transport *transport_new(struct client *client, struct tls_identity *identity)
{
    const struct rest_config *config = client->options.config;
    struct client_transport *transport = NEW(struct client_transport);
    transport->identity = tls_identity_ref(identity);
    const struct http_client_options options = {
        .endpoint = {.network = client->options.network,
                     .host = config->server.host,
                     .port = config->server.port,
                     .plain = config->server.scheme == URL_HTTP,
                     .tls = client->options.tls,
                     .server_name = config->tls.server_name,
                     .identity = identity,
                     .trust = config->tls.trust,
                     .skip_verify = config->tls.skip_verify,
                     .no_http2 = client->options.no_http2,
                     .proxy = config->has_proxy ? &config->proxy : NULL},
        .connections = client->options.connections,
        .limits = client->options.limits,
        .timeouts = client->options.timeouts,
        .no_gzip = config->disable_compression,
    };
    transport->http = http_client_new(client->loop, &options);
    return transport;
}

static void transport_free_(struct client_transport *transport)
{
    list_remove(&transport->link);
    http_client_free(transport->http);
    tls_identity_free(transport->identity);
    mem_free(transport);
}

static void free_unused(struct client *client)
{
    LIST_FOREACH (struct client_transport, transport, &client->stale, link)
        if (http_client_call_count(transport->http) == 0)
            transport_free_(transport);
}

/* The connections for this identity; NULL stands for the config's own. */
static struct http_client *http_for(struct client *client, struct tls_identity *identity)
{
    if (!identity)
        identity = client->options.config->tls.identity;
    if (client->transport && client->transport->identity != identity) {
        list_append(&client->stale, &client->transport->link);
        client->transport = NULL;
    }
    free_unused(client);
    if (!client->transport)
        client->transport = transport_new(client, identity);
    return client->transport->http;
}

struct client *client_new(struct loop *loop, const struct client_options *options)
{
    struct client *client = NEW(struct client);
    client->loop = loop;
    client->options = *options;
    if (!client->options.timeout)
        client->options.timeout = TIMEOUT_DEFAULT;
    if (!client->options.answer_max)
        client->options.answer_max = ANSWER_MAX_DEFAULT;
    if (!client->options.user_agent.len)
        client->options.user_agent = STR("corset");
    client->tokens = token_source_new(options->config, NULL);
    list_init(&client->rate_limits);
    list_init(&client->stale);
    rate_limit_init(&client->raw_limit, options->qps, options->burst);
    client_metrics_init(&client->metrics, options->metrics, options->config);
    return client;
}

void client_free(struct client *client)
{
    if (!client)
        return;
    LIST_FOREACH (struct client_transport, transport, &client->stale, link)
        transport_free_(transport);
    if (client->transport)
        transport_free_(client->transport);
    token_source_free(client->tokens);
    LIST_FOREACH (struct resource_limit, entry, &client->rate_limits, link)
        resource_limit_free(entry);
    client_metrics_done(&client->metrics);
    mem_free(client);
}

struct str client_host(const struct client *client)
{
    return client->options.config->host;
}

void client_offer_http2(struct client *client)
{
    client->options.no_http2 = false;
    if (client->transport)
        http_client_offer_http2(client->transport->http, true);
}

struct loop *client_loop(const struct client *client)
{
    return client->loop;
}

/* A client deals with a few resources, mostly with one at a time, so a list is the fastest map. */
struct rate_limit *client_rate_limit(struct client *client, struct gvr gvr)
{
    LIST_FOREACH (struct resource_limit, entry, &client->rate_limits, link)
        if (gvr_eq(entry->gvr, gvr)) {
            list_remove(&entry->link);
            list_prepend(&client->rate_limits, &entry->link);
            return &entry->limit;
        }
    struct resource_limit *entry = NEW(struct resource_limit);
    entry->gvr = gvr_copy(&entry->texts, gvr);
    rate_limit_init(&entry->limit, client->options.qps, client->options.burst);
    list_prepend(&client->rate_limits, &entry->link);
    return &entry->limit;
}

static struct error *add_basic(struct http_headers *headers, const struct rest_auth *auth)
{
    SCOPED(buf) pair = {.secret = true};
    SCOPED(buf) value = {.secret = true};
    buf_add(&pair, auth->username);
    buf_add_char(&pair, ':');
    buf_add(&pair, auth->password);
    buf_add(&value, STR("Basic "));
    base64_encode(&value, buf_str(&pair));
    return http_headers_set(headers, STR("authorization"), buf_str(&value));
}

static struct error *add_bearer(struct http_headers *headers, struct str token)
{
    SCOPED(buf) value = {.secret = true};
    buf_add(&value, STR("Bearer "));
    buf_add(&value, token);
    return http_headers_set(headers, STR("authorization"), buf_str(&value));
}

static struct error *add_extra(struct http_headers *headers, const struct rest_extra *extra)
{
    SCOPED(buf) name = {0};
    buf_add(&name, STR("Impersonate-Extra-"));
    url_escape_segment(&name, extra->key);
    for (size_t i = 0; i < extra->value_count; i++)
        TRY(http_headers_add(headers, buf_str(&name), extra->values[i]));
    return NULL;
}

static struct error *add_impersonation(struct http_headers *headers,
                                       const struct rest_impersonation *as)
{
    if (!as->user.len)
        return NULL;
    TRY(http_headers_add(headers, STR("Impersonate-User"), as->user));
    if (as->uid.len)
        TRY(http_headers_add(headers, STR("Impersonate-Uid"), as->uid));
    for (size_t i = 0; i < as->group_count; i++)
        TRY(http_headers_add(headers, STR("Impersonate-Group"), as->groups[i]));
    for (size_t i = 0; i < as->extra_count; i++)
        TRY(add_extra(headers, &as->extra[i]));
    return NULL;
}

static struct error *add_headers(struct client *client, const struct client_request *request,
                                 struct str token, struct http_headers *headers)
{
    const struct rest_config *config = client->options.config;
    TRY(http_headers_add(headers, STR("Accept"),
                         request->accept.len ? request->accept : STR("application/json")));
    TRY(http_headers_add(headers, STR("User-Agent"), client->options.user_agent));
    if (request->content_type.len)
        TRY(http_headers_add(headers, STR("Content-Type"), request->content_type));
    if (request->if_none_match.len)
        TRY(http_headers_add(headers, STR("If-None-Match"), request->if_none_match));
    if (token.len)
        TRY(add_bearer(headers, token));
    else if (config->auth.username.len)
        TRY(add_basic(headers, &config->auth));
    return add_impersonation(headers, &config->impersonate);
}

static struct str request_target(struct client *client, const struct client_request *request,
                                 duration limit, struct arena *arena)
{
    SCOPED(buf) query = {0};
    buf_add(&query, buf_str(&request->query));
    if (limit != FOREVER) {
        char text[DURATION_TEXT_MAX];
        client_query_add(&query, "timeout", duration_write(limit, text));
    }
    return url_join(arena, &client->options.config->server, request->path, buf_str(&query));
}

static bool is_read(struct str method)
{
    return str_eq(method, STR("GET")) || str_eq(method, STR("HEAD")) ||
           str_eq(method, STR("OPTIONS"));
}

struct error *client_begin(struct client *client, const struct client_request *request,
                           duration limit, struct http_response **ret_response)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) token = {.secret = true};
    SCOPED(http_headers) headers = {0};
    OWNED(tls_identity) identity = NULL;
    TRY(token_source_get(client->tokens, &token, &identity));
    TRY(add_headers(client, request, buf_str(&token), &headers));
    const struct http_client_request sent = {
        .method = request->method,
        .target = request_target(client, request, limit, &arena),
        .headers = &headers,
        .body = request->body,
        .may_send = is_read(request->method) ? NULL : client->options.may_write,
        .may_send_data = client->options.may_write_data,
    };
    const int64_t begun = loop_now(client->loop);
    OWNED(http_response) response = NULL;
    struct error *err = http_client_send(http_for(client, identity), &sent, &response);
    const int status = err ? 0 : http_response_status(response);
    client_metrics_count(&client->metrics, request->method, status, loop_now(client->loop) - begun);
    if (err)
        return error_wrap(err, "%.*s %.*s%.*s", STR_ARG(request->method),
                          STR_ARG(client_host(client)), STR_ARG(request->path));
    if (status == 401 && token.len)
        token_source_reject(client->tokens, buf_str(&token));
    client_show_warnings(&client->options, http_response_headers(response));
    *ret_response = TAKE(response);
    return NULL;
}

struct error *client_raw(struct client *client, const struct client_raw_request *request,
                         struct arena *arena, struct buf *body,
                         struct client_raw_answer *ret_answer)
{
    SCOPED(client_request)
    full = {
        .method = request->method.len ? request->method : STR("GET"),
        .path = request->path,
        .accept = request->accept,
        .content_type = request->content_type,
        .body = request->body,
        .if_none_match = request->if_none_match,
        .rate_limit = request->rate_limit ? request->rate_limit : &client->raw_limit,
        .timeout = request->timeout,
        .no_retry = request->no_retry,
    };
    buf_add(&full.query, request->query);
    return client_exchange(client, &full, arena, body, ret_answer);
}

const struct client_options *client_options_of(const struct client *client)
{
    return &client->options;
}
