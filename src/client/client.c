/*
 * The client itself, and the sending of a single request.
 *
 * client_begin() gets the token and the authorities that are valid now, then send_and_follow()
 * sends the request and follows redirects. Each hop picks its transport: the own transport with
 * credentials as long as the request stays on the client's server, a transport without credentials
 * from the first hop that leaves it. A redirect back to the server does not bring them back.
 *
 * A 401 makes the token source read or make a new token. The request itself is not repeated: the
 * caller's next attempt uses the new token.
 */
#include "client/client.h"

#include <assert.h>
#include <string.h>

#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/base64.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "client/auth/token_source.h"
#include "client/auth/trust_source.h"
#include "client/client_internal.h"
#include "client/client_metrics.h"
#include "client/client_transport.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/rate_limit.h"
#include "client/redirect.h"
#include "net/tls.h"

#define TIMEOUT_DEFAULT    (30 * SECOND)
#define ANSWER_MAX_DEFAULT (256 * MEGABYTE)

struct client {
    struct loop *loop;
    struct client_options options;
    struct token_source *tokens;
    struct trust_source *authorities;
    struct client_transports transports;
    struct list rate_limits; /* by resource, the last one used first */
    struct rate_limit raw_limit;
    struct rate_limit large_answers; /* the allowance of the server, see answer.h */
    struct client_metrics metrics;
    struct event answered; /* a request had an answer that was no failure of the server */
    size_t awaited;        /* fibers in client_wait_answer() */
};

struct resource_limit {
    struct list_link link;
    struct gvr gvr; /* in texts */
    struct rate_limit limit;
    char texts[];
};

/*
 * The texts lie behind the entry: every client of a workload cluster has some of these, and an
 * arena for each would take a kilobyte.
 */
static struct resource_limit *resource_limit_new(struct gvr gvr)
{
    const size_t size = gvr.group.len + gvr.version.len + gvr.resource.len;
    struct resource_limit *entry = mem_alloc_zero(sizeof(*entry) + size);
    struct str *parts[] = {&gvr.group, &gvr.version, &gvr.resource};
    char *at = entry->texts;
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (parts[i]->len)
            memcpy(at, parts[i]->ptr, parts[i]->len);
        parts[i]->ptr = at;
        at += parts[i]->len;
    }
    entry->gvr = gvr;
    return entry;
}

/* Nothing is connected before the first request. */
struct client *client_new(struct loop *loop, const struct client_options *options)
{
    struct client *client = NEW(struct client);
    client->loop = loop;
    client->options = *options;
    if (!client->options.timeout)
        client->options.timeout = TIMEOUT_DEFAULT;
    if (!client->options.answer_max)
        client->options.answer_max = ANSWER_MAX_DEFAULT;
    if (!client->options.page_max)
        client->options.page_max = client->options.answer_max;
    if (!client->options.user_agent.len)
        client->options.user_agent = STR("corset");
    client->tokens = token_source_new(options->config, NULL);
    client->authorities = trust_source_new(loop, options->config, NULL);
    client_transports_init(&client->transports, loop, &client->options);
    list_init(&client->rate_limits);
    rate_limit_init(&client->raw_limit, options->qps, options->burst);
    answer_allowance_init(&client->large_answers);
    client_metrics_init(&client->metrics, options->metrics, options->config, options->metrics_host);
    return client;
}

void client_free(struct client *client)
{
    if (!client)
        return;
    client_transports_done(&client->transports);
    token_source_free(client->tokens);
    trust_source_free(client->authorities);
    LIST_FOREACH (struct resource_limit, entry, &client->rate_limits, link)
        mem_free(entry);
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
    client_transports_offer_http2(&client->transports);
}

bool client_speaks_http2(const struct client *client)
{
    return client_transports_speak_http2(&client->transports);
}

uint64_t client_dial_count(const struct client *client)
{
    return client_transports_dial_count(&client->transports);
}

struct loop *client_loop(const struct client *client)
{
    return client->loop;
}

/* A client uses few resources, mostly one at a time, so a list with the last one first is fast. */
struct rate_limit *client_rate_limit(struct client *client, struct gvr gvr)
{
    LIST_FOREACH (struct resource_limit, entry, &client->rate_limits, link)
        if (gvr_eq(entry->gvr, gvr)) {
            list_remove(&entry->link);
            list_prepend(&client->rate_limits, &entry->link);
            return &entry->limit;
        }
    struct resource_limit *entry = resource_limit_new(gvr);
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

/* The key is part of the header name, where only escaped characters are valid. */
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

/* The agent of a caller whose request is passed on comes behind ours. */
static struct error *add_user_agent(const struct client *client, struct str behind,
                                    struct http_headers *headers)
{
    SCOPED(buf) agent = {0};
    buf_add(&agent, client->options.user_agent);
    if (behind.len)
        BUF_ADD_ALL(&agent, STR(" "), behind);
    return http_headers_add(headers, STR("User-Agent"), buf_str(&agent));
}

/* Headers without credentials, which other servers may see. */
static struct error *add_headers(struct client *client, const struct client_request *request,
                                 struct http_headers *headers)
{
    TRY(add_user_agent(client, request->agent, headers));
    if (request->headers)
        return http_headers_add_all(headers, request->headers);
    TRY(http_headers_add(headers, STR("Accept"),
                         request->accept.len ? request->accept : STR("application/json")));
    if (request->content_type.len)
        TRY(http_headers_add(headers, STR("Content-Type"), request->content_type));
    if (request->if_none_match.len)
        TRY(http_headers_add(headers, STR("If-None-Match"), request->if_none_match));
    if (request->is_plain)
        TRY(http_headers_add(headers, STR("Accept-Encoding"), STR("identity")));
    return NULL;
}

/* A token wins over a user name and password. Client certificates belong to the transport. */
static struct error *add_credentials(struct client *client, const struct client_request *request,
                                     struct str token, struct http_headers *headers)
{
    const struct rest_config *config = client->options.config;
    if (token.len)
        TRY(add_bearer(headers, token));
    else if (config->auth.username.len)
        TRY(add_basic(headers, &config->auth));
    return add_impersonation(headers, request->as ? request->as : &config->impersonate);
}

/* The server is told the timeout, so that it does not work for a client that has given up. */
static struct url request_url(struct client *client, const struct client_request *request,
                              duration limit, struct arena *arena)
{
    SCOPED(buf) query = {0};
    struct url url = client->options.config->server;
    buf_add(&query, buf_str(&request->query));
    if (limit != FOREVER) {
        char text[DURATION_TEXT_MAX];
        client_query_add(&query, "timeout", duration_write(limit, text));
    }
    url.path = url_join(arena, &url, request->path, STR(""));
    url.query = arena_str(arena, buf_str(&query));
    return url;
}

/* Reads never ask may_write: a process that does not lead may read. */
static bool is_read(struct str method)
{
    return str_eq(method, STR("GET")) || str_eq(method, STR("HEAD")) ||
           str_eq(method, STR("OPTIONS"));
}

/* One request and the state of following its redirects. */
struct journey {
    struct client *client;
    const struct client_request *request;
    struct arena arena;
    struct buf token;
    struct tls_identity *identity; /* from a plugin; NULL: that of the config */
    struct tls_trust *trust;
    struct url at;     /* the URL of the next hop; in the arena */
    int redirects;     /* followed so far */
    bool is_elsewhere; /* a redirect has left the client's server: no credentials are sent */
};

static void journey_done(struct journey *journey)
{
    arena_done(&journey->arena);
    buf_done(&journey->token);
    tls_identity_free(journey->identity);
    tls_trust_free(journey->trust);
}

/* A client for a plain http server has no TLS context and cannot follow a redirect to https. */
static struct error *find_transport(struct journey *journey,
                                    struct client_transport **ret_transport)
{
    struct client *client = journey->client;
    struct tls_identity *identity = client->options.config->tls.identity;
    if (!journey->is_elsewhere)
        return client_transports_own(&client->transports,
                                     journey->identity ? journey->identity : identity,
                                     journey->trust, ret_transport);
    if (journey->at.scheme == URL_HTTP || client->options.tls)
        return client_transports_other(&client->transports, &journey->at, journey->trust,
                                       ret_transport);
    return error_new(ERROR_INTERNAL, "redirected to https, which is not set up");
}

/* The request of the next hop and its transport. The headers must outlive the request. */
static struct error *begin_hop(struct journey *journey, struct http_headers *headers,
                               struct http_client_request *ret_sent,
                               struct client_transport **ret_transport)
{
    struct client *client = journey->client;
    const struct client_request *request = journey->request;
    const struct url origin = {.path = STR("")};
    TRY(add_headers(client, request, headers));
    if (!journey->is_elsewhere)
        TRY(add_credentials(client, request, buf_str(&journey->token), headers));
    *ret_sent = (struct http_client_request){
        .method = request->method,
        .target = url_join(&journey->arena, &origin, journey->at.path, journey->at.query),
        .headers = headers,
        .body = request->body,
        .may_send = is_read(request->method) ? NULL : client->options.may_write,
        .may_send_data = client->options.may_write_data,
    };
    return find_transport(journey, ret_transport);
}

/* Sets the URL of the next hop if the response is a redirect of a GET or HEAD. */
static struct error *follow_redirect(struct journey *journey, const struct http_response *response,
                                     bool *ret_followed)
{
    const struct str location = http_headers_find(http_response_headers(response), STR("location"));
    struct url to;
    *ret_followed =
        !journey->request->no_redirect &&
        redirect_is_followed(journey->request->method, http_response_status(response), location);
    if (!*ret_followed)
        return NULL;
    if (journey->redirects++ == REDIRECTS_MAX)
        return error_new(ERROR_INTERNAL, "stopped after %d redirects", REDIRECTS_MAX);
    TRY(redirect_read(&journey->arena, &journey->at, location, &to));
    journey->at = to;
    journey->is_elsewhere |=
        !redirect_is_same_server(&journey->client->options.config->server, &to);
    return NULL;
}

/* Counts the request with all its hops. Takes the error; status 0 ("<error>"): no response. */
static struct error *end_journey(struct journey *journey, int64_t begun,
                                 const struct http_response *response, struct error *err)
{
    struct client *client = journey->client;
    const struct client_request *request = journey->request;
    const int status = err ? 0 : http_response_status(response);
    client_metrics_count(&client->metrics, request->method, status, loop_now(client->loop) - begun);
    if (err)
        return error_wrap(err, "%.*s %.*s%.*s", STR_ARG(request->method),
                          STR_ARG(client_host(client)), STR_ARG(request->path));
    if (status == 401 && journey->token.len && !journey->is_elsewhere)
        token_source_reject(client->tokens, buf_str(&journey->token));
    client_show_warnings(&client->options, http_response_headers(response));
    if (status < 500 && status != 429)
        event_wake_all(&client->answered);
    return NULL;
}

struct error *client_wait_answer(struct client *client, duration limit)
{
    FIBER_TIMEOUT(limit);
    client->awaited++;
    struct error *err = event_wait(&client->answered, "an answer of the server");
    client->awaited--;
    return err;
}

bool client_is_awaited(const struct client *client)
{
    return client->awaited > 0;
}

struct error *client_begin(struct client *client, const struct client_request *request,
                           duration limit, struct http_response **ret_response)
{
    SCOPED(journey)
    journey = {.client = client, .request = request, .token.secret = true};
    OWNED(http_response) response = NULL;
    struct error *err = NULL;
    bool goes_on = true;
    TRY(token_source_get(client->tokens, &journey.token, &journey.identity));
    TRY(trust_source_get(client->authorities, &journey.trust));
    journey.at = request_url(client, request, limit, &journey.arena);
    const int64_t begun = loop_now(client->loop);
    while (!err && goes_on) {
        SCOPED(http_headers) headers = {0};
        struct http_client_request sent;
        struct client_transport *transport = NULL;
        http_response_free(TAKE(response));
        err = begin_hop(&journey, &headers, &sent, &transport);
        if (!err) {
            struct http_client *http = client_transport_hold(transport);
            err = http_client_send(http, &sent, &response);
            client_transport_release(transport);
        }
        if (!err)
            err = follow_redirect(&journey, response, &goes_on);
    }
    TRY(end_journey(&journey, begun, response, err));
    *ret_response = TAKE(response);
    return NULL;
}

/* Raw requests share one rate limit, so that probes do not take tokens from resources. */
static struct error *exchange_raw(struct client *client, const struct client_raw_request *request,
                                  struct arena *arena, struct answer *body,
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

struct error *client_raw(struct client *client, const struct client_raw_request *request,
                         struct arena *arena, struct buf *body,
                         struct client_raw_answer *ret_answer)
{
    SCOPED(answer)
    answer = {
        .text = {.limit = body->limit, .secret = body->secret}
    };
    TRY(exchange_raw(client, request, arena, &answer, ret_answer));
    buf_add(body, buf_str(&answer.text));
    return buf_check(body);
}

struct error *client_raw_json(struct client *client, const struct client_raw_request *request,
                              size_t limit, struct arena *arena,
                              struct client_raw_answer *ret_answer, struct json_doc **ret_doc)
{
    SCOPED(answer) answer = {.text.limit = limit};
    TRY(exchange_raw(client, request, arena, &answer, ret_answer));
    return answer_read_json(&answer, ret_doc);
}

struct rate_limit *client_answer_allowance(struct client *client)
{
    return &client->large_answers;
}

const struct client_options *client_options_of(const struct client *client)
{
    return &client->options;
}
