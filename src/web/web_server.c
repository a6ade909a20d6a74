/*
 * A request passes serve(): where it was sent to (Host, Origin), what it wants to do (the method),
 * who sends it (web_access), and only then the address is looked at. Whatever the answer is, it has
 * the headers of `common`.
 */
#include "web/web_server.h"

#include <inttypes.h>
#include <stdio.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/ascii.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "http/server.h"
#include "http/url.h"
#include "web/page.h"
#include "web/web_access.h"
#include "web/web_files.h"
#include "web/web_json.h"
#include "web/web_live.h"
#include "web/web_source.h"

#define CONNECTIONS_MAX 256
#define SURPLUS_MAX     256 /* connections that are told 503 */
#define UNSENT_MAX      (64 * KILOBYTE)
/* Who asks too fast waits for the refusal: asking again at once costs the others nothing then. */
#define TOO_FAST_PAUSE (100 * MILLISECOND)
#define PAGE_MAX       (4 * MEGABYTE)
#define LOGIN_MAX      (32 * KILOBYTE)
#define HTML           STR("text/html; charset=utf-8")
#define JSON           STR("application/json")
#define STREAM         STR("text/event-stream")

struct web_server {
    struct loop *loop;
    struct web_source *source;
    struct web_access *access;
    struct web_live *live;
    struct http_server *http;
    char *host;
    uint16_t port;
    bool takes_any_host;
};

/* On every answer, whatever its status is. */
static const struct {
    struct str name, value;
} common[] = {
    {STR_INIT("content-security-policy"),
     STR_INIT("default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
              "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")},
    {STR_INIT("cross-origin-resource-policy"), STR_INIT("same-origin")                          },
    {STR_INIT("cache-control"),                STR_INIT("no-store")                             },
    {STR_INIT("referrer-policy"),              STR_INIT("no-referrer")                          },
    {STR_INIT("x-content-type-options"),       STR_INIT("nosniff")                              },
};

/* An answer while it is made. */
struct answer {
    int status;
    struct str type;
    struct http_headers headers;
    struct buf body;
};

static void answer_done(struct answer *answer)
{
    http_headers_done(&answer->headers);
    buf_done(&answer->body);
}

static struct error *add_common(struct http_headers *headers, struct str type)
{
    TRY(http_headers_add(headers, STR("content-type"), type));
    for (size_t i = 0; i < COUNT(common); i++)
        TRY(http_headers_add(headers, common[i].name, common[i].value));
    return NULL;
}

/* Suspends. */
static struct error *send_answer(struct http_request *request, struct answer *answer)
{
    char digits[STR_NUMBER_MAX];
    const bool is_head = str_eq(http_request_method(request), STR("HEAD"));
    TRY(add_common(&answer->headers, answer->type));
    TRY(http_headers_add(&answer->headers, STR("content-length"),
                         str_number(answer->body.len, digits)));
    TRY(http_request_respond(request, answer->status, &answer->headers));
    return is_head || !answer->body.len ? NULL
                                        : http_request_write(request, buf_str(&answer->body));
}

/* ---- what cannot be shown ---- */

static bool wants_json(const struct http_request *request)
{
    const struct str accept = http_headers_find(http_request_headers(request), STR("accept"));
    return str_contains(accept, JSON) && !str_contains(accept, STR("text/html"));
}

/* A page, or for programs an object with the same text. */
static void write_problem(const struct http_request *request, struct answer *answer, int status,
                          struct str text)
{
    answer->status = status;
    answer->type = wants_json(request) ? JSON : HTML;
    buf_clear(&answer->body);
    if (wants_json(request)) {
        buf_print(&answer->body, "{\"status\":%d,\"message\":", status);
        buf_add_json_string(&answer->body, text);
        buf_add(&answer->body, STR("}\n"));
        return;
    }
    SCOPED(html) html = {0};
    page_render_problem(&html, status, http_status_text(status), text);
    buf_add(&answer->body, buf_str(&html.out));
}

/* The words go to the log, under a number that the page names. */
static void write_internal_error(const struct web_server *server,
                                 const struct http_request *request, struct answer *answer,
                                 const struct error *err)
{
    char id[20], text[80];
    snprintf(id, sizeof(id), "%016" PRIx64, random_u64(loop_random(server->loop)));
    log_error("Page failed", LOG_ERROR(err), LOG_STR("id", str_from_c(id)));
    snprintf(text, sizeof(text), "This page failed. The log says why, under %s.", id);
    write_problem(request, answer, 500, str_from_c(text));
}

static struct error *retry_after(struct answer *answer, struct str seconds)
{
    return http_headers_add(&answer->headers, STR("retry-after"), seconds);
}

/* ---- pages ---- */

static struct error *render(const struct web_server *server, const struct http_request *request,
                            const struct web_query *query, const struct web_scope *scope,
                            struct answer *answer)
{
    SCOPED(arena) arena = {.limit = PAGE_MAX * 4};
    const struct web_facts *facts = web_source_facts(server->source);
    const struct web_view view = web_view_make(&arena, facts, scope, loop_wall(server->loop));
    if (facts->is_loading)
        TRY(retry_after(answer, STR("1")));
    answer->body.limit = PAGE_MAX;
    if (wants_json(request)) {
        answer->type = JSON;
        return web_json_render(&view, query, &answer->body, &answer->status);
    }
    SCOPED(html) html = {.out = {.limit = PAGE_MAX}};
    answer->type = HTML;
    answer->status = page_render(&view, query, &html);
    TRY(buf_check(&html.out));
    buf_add(&answer->body, buf_str(&html.out));
    return buf_check(&answer->body);
}

/* Suspends. */
static struct error *make_page(struct web_server *server, struct http_request *request,
                               const struct web_scope *scope, struct answer *answer)
{
    struct web_query query;
    OWNED(error)
    wrong = web_query_read(http_request_arena(request), http_request_target(request), &query);
    if (wrong) {
        const bool is_unknown = error_is(wrong, ERROR_NO_SUCH_PATH);
        write_problem(request, answer, is_unknown ? 404 : 400, str_from_c(wrong->message));
        return NULL;
    }
    TRY(web_source_want(server->source));
    if (query.page == WEB_SET && web_scope_has(scope, query.key.namespace))
        TRY(web_source_want_set(server->source, query.key));
    OWNED(error) failed = render(server, request, &query, scope, answer);
    if (failed)
        write_internal_error(server, request, answer, failed);
    return NULL;
}

/* ---- streams ---- */

/* The value of a parameter of the address; empty if there is none. */
static struct str find_parameter(struct http_request *request, struct str wanted)
{
    struct str rest = http_request_target(request), pair, name;
    str_cut(&rest, '?', &pair);
    while (rest.len) {
        str_cut(&rest, '&', &pair);
        str_cut(&pair, '=', &name);
        if (!str_eq(name, wanted))
            continue;
        OWNED(error) err = url_unescape_query(http_request_arena(request), pair, &pair);
        return err ? STR("") : pair;
    }
    return STR("");
}

/* What the reader has: a browser that connects again says so by itself. */
static struct str find_version(struct http_request *request)
{
    const struct str last = http_headers_find(http_request_headers(request), STR("last-event-id"));
    return last.len ? last : find_parameter(request, STR("version"));
}

/* Suspends until the stream ends. */
static struct error *serve_stream(struct web_server *server, struct http_request *request,
                                  const struct web_scope *scope, bool *ret_served,
                                  struct answer *answer)
{
    struct web_query query;
    SCOPED(http_headers) headers = {0};
    OWNED(error)
    wrong =
        web_query_read(http_request_arena(request), find_parameter(request, STR("page")), &query);
    if (wrong) {
        write_problem(request, answer, 400, STR("page is not the address of a page"));
        return NULL;
    }
    if (!web_live_has_room(server->live)) {
        write_problem(request, answer, 503, STR("There are as many open pages as there may be."));
        return retry_after(answer, STR("10"));
    }
    TRY(web_source_want(server->source));
    TRY(add_common(&headers, STREAM));
    *ret_served = true;
    return web_live_serve(server->live, request, &headers, &query, scope, find_version(request));
}

/* ---- what comes before the address ---- */

static bool is_address(struct str host)
{
    for (size_t i = 0; i < host.len; i++)
        if (!ascii_is_hex(host.ptr[i]) && host.ptr[i] != '.' && host.ptr[i] != ':' &&
            host.ptr[i] != '[' && host.ptr[i] != ']')
            return false;
    return host.len > 0;
}

/* Where all addresses are listened on, any address will do, but no name that others may give. */
static bool is_own_host(const struct web_server *server, struct str authority)
{
    char expected[300];
    const size_t colon = str_find_last_char(authority, ':');
    const struct str own = str_from_c(server->host);
    const bool is_ipv6 = str_find_char(own, ':') != STR_NONE;
    snprintf(expected, sizeof(expected), "localhost:%u", (unsigned)server->port);
    if (server->takes_any_host || str_eq_nocase(authority, str_from_c(expected)))
        return true;
    if (str_eq(own, STR("0.0.0.0")) || str_eq(own, STR("::")))
        return colon != STR_NONE && is_address(str_slice(authority, 0, colon));
    snprintf(expected, sizeof(expected), is_ipv6 ? "[%s]:%u" : "%s:%u", server->host,
             (unsigned)server->port);
    return str_eq_nocase(authority, str_from_c(expected));
}

/* A page of another origin says where it comes from. */
static bool is_foreign(struct http_request *request)
{
    const struct str origin = http_headers_find(http_request_headers(request), STR("origin"));
    const size_t host = str_find(origin, STR("://"));
    return origin.ptr && (host == STR_NONE || !str_eq_nocase(str_skip(origin, host + 3),
                                                             http_request_authority(request)));
}

/* The address without the key, which is used up. */
static struct error *redirect_to(struct answer *answer, struct str location, struct str cookie)
{
    answer->status = 303;
    answer->type = HTML;
    TRY(http_headers_add(&answer->headers, STR("location"), location));
    return cookie.len ? http_headers_add(&answer->headers, STR("set-cookie"), cookie) : NULL;
}

/* ---- the form for tokens ---- */

static bool is_login(const struct web_server *server, struct http_request *request)
{
    struct str rest = http_request_target(request), path;
    str_cut(&rest, '?', &path);
    return web_access_has_login(server->access) && str_eq(path, STR("/login"));
}

/* The one request that is not a question. */
static bool is_login_post(const struct web_server *server, struct http_request *request)
{
    return is_login(server, request) && str_eq(http_request_method(request), STR("POST"));
}

static void write_login(struct answer *answer, int status, struct str problem)
{
    SCOPED(html) html = {0};
    page_render_login(&html, problem);
    answer->status = status;
    answer->type = HTML;
    buf_add(&answer->body, buf_str(&html.out));
}

/* "token=…" */
static struct error *read_token(struct http_request *request, struct buf *body,
                                struct str *ret_token)
{
    struct str rest, pair, name;
    TRY(http_request_read_all(request, body));
    rest = buf_str(body);
    while (rest.len) {
        str_cut(&rest, '&', &pair);
        str_cut(&pair, '=', &name);
        if (str_eq(name, STR("token")))
            return url_unescape_query(http_request_arena(request), pair, ret_token);
    }
    return NULL;
}

/* Suspends. */
static struct error *serve_login(struct web_server *server, struct http_request *request,
                                 struct answer *answer)
{
    SCOPED(buf) body = {.limit = LOGIN_MAX, .secret = true};
    struct str token = {0};
    struct web_entry entry;
    if (!is_login_post(server, request)) {
        write_login(answer, 200, STR(""));
        return NULL;
    }
    TRY(read_token(request, &body, &token));
    TRY(web_access_login(server->access, request, token, &entry));
    if (entry.verdict == WEB_ENTERED)
        return redirect_to(answer, STR("/"), entry.cookie);
    const bool is_fast = entry.verdict == WEB_TOO_FAST;
    write_login(answer, is_fast ? 429 : 401,
                is_fast ? STR("Too many wrong tokens. Try again in a minute.")
                        : STR("The cluster does not know this token, or it has expired."));
    return is_fast ? retry_after(answer, STR("60")) : NULL;
}

/* A browser is sent to the form, a program is told what it needs. */
static struct error *ask_for_token(struct http_request *request, struct answer *answer)
{
    const struct str accept = http_headers_find(http_request_headers(request), STR("accept"));
    if (str_contains(accept, STR("text/html")))
        return redirect_to(answer, STR("/login"), STR(""));
    write_problem(request, answer, 401, STR("A bearer token is needed."));
    return http_headers_add(&answer->headers, STR("www-authenticate"), STR("Bearer"));
}

/* False: the answer is made, and says why. */
static bool is_acceptable(const struct web_server *server, struct http_request *request,
                          struct answer *answer)
{
    const struct str method = http_request_method(request);
    if (!is_own_host(server, http_request_authority(request))) {
        write_problem(request, answer, 421, STR("This server does not have that name."));
    } else if (is_foreign(request)) {
        write_problem(request, answer, 403, STR("Pages of other origins may not ask."));
    } else if (!str_eq(method, STR("GET")) && !str_eq(method, STR("HEAD")) &&
               !is_login_post(server, request)) {
        write_problem(request, answer, 405, STR("Nothing can be changed here: only GET and HEAD."));
    } else {
        return true;
    }
    return false;
}

static struct error *serve_admitted(struct web_server *server, struct http_request *request,
                                    const struct web_scope *scope, bool *ret_served,
                                    struct answer *answer)
{
    struct str rest = http_request_target(request), path;
    struct web_file file;
    str_cut(&rest, '?', &path);
    if (web_files_find(path, &file)) {
        answer->status = 200;
        answer->type = file.type;
        buf_add(&answer->body, file.bytes);
        return NULL;
    }
    return str_eq(path, STR("/live")) ? serve_stream(server, request, scope, ret_served, answer)
                                      : make_page(server, request, scope, answer);
}

static struct error *make_answer(struct web_server *server, struct http_request *request,
                                 bool *ret_served, struct answer *answer)
{
    if (http_request_is_surplus(request)) {
        http_request_retire(request);
        write_problem(request, answer, 503,
                      STR("There are as many open connections as there may be."));
        return retry_after(answer, STR("10"));
    }
    if (!is_acceptable(server, request, answer))
        return answer->status == 405
                   ? http_headers_add(&answer->headers, STR("allow"), STR("GET, HEAD"))
                   : NULL;
    struct web_entry entry;
    if (is_login(server, request))
        return serve_login(server, request, answer);
    if (web_access_has_login(server->access))
        TRY(web_source_want(server->source));
    TRY(web_access_enter(server->access, request, find_parameter(request, STR("key")),
                         server->source, &entry));
    switch (entry.verdict) {
    case WEB_ENTERED:
        return redirect_to(answer, STR("/"), entry.cookie);
    case WEB_REFUSED:
        write_problem(request, answer, 403,
                      STR("Open the address that corset web has printed. It works once: for "
                          "another browser start corset web again."));
        return NULL;
    case WEB_FORBIDDEN:
        write_problem(request, answer, 403,
                      STR("You may not list clusterresourcesets of addons.cluster.x-k8s.io in any "
                          "namespace that is shown here."));
        return NULL;
    case WEB_UNKNOWN:
        return ask_for_token(request, answer);
    case WEB_TOO_FAST:
        TRY(fiber_sleep(TOO_FAST_PAUSE));
        write_problem(request, answer, 429, STR("Too many requests at once."));
        return retry_after(answer, STR("1"));
    default:
        http_request_vouch(request);
        return serve_admitted(server, request, &entry.scope, ret_served, answer);
    }
}

/* The handler of the HTTP server. */
static struct error *serve(void *data, struct http_request *request)
{
    bool is_served = false;
    SCOPED(answer) answer = {.status = 500};
    struct error *err = make_answer(data, request, &is_served, &answer);
    if (err && !is_served && !error_is(err, ERROR_CANCELED)) {
        write_internal_error(data, request, &answer, err);
        error_free(err);
        err = NULL;
    }
    return err || is_served ? err : send_answer(request, &answer);
}

struct error *web_server_new(struct loop *loop, const struct web_server_options *options,
                             struct web_server **ret_server)
{
    OWNED(web_server) server = NEW(struct web_server);
    server->loop = loop;
    server->source = options->source;
    server->access = options->access;
    server->takes_any_host = web_access_has_login(options->access);
    server->host = mem_dup(options->host.ptr, options->host.len);
    server->live = web_live_new(loop, options->source);
    TRY(http_server_new(loop,
                        &(struct http_server_options){.network = options->network,
                                                      .host = options->host,
                                                      .port = options->port,
                                                      .tls = options->tls,
                                                      .handler = serve,
                                                      .data = server,
                                                      .connections = CONNECTIONS_MAX,
                                                      .surplus = SURPLUS_MAX,
                                                      .unsent = UNSENT_MAX},
                        &server->http));
    server->port = http_server_port(server->http);
    web_access_use_port(server->access, server->port);
    *ret_server = TAKE(server);
    return NULL;
}

/* Streams are served by handlers, so the HTTP server ends first. */
void web_server_free(struct web_server *server)
{
    if (!server)
        return;
    http_server_free(server->http);
    web_live_free(server->live);
    mem_free(server->host);
    mem_free(server);
}

uint16_t web_server_port(const struct web_server *server)
{
    return server->port;
}
