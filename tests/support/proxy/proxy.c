#include "support/proxy/proxy.h"

#include <string.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "http/client.h"
#include "http/server.h"
#include "testing/test.h"

#define PORT  80
#define PIECE 4096

static bool has_part(struct str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

/* A Status that says no. */
static void add_status(struct buf *out, int status)
{
    const enum error_code code = error_code_from_http_status(status);
    buf_print(out,
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":"
              "\"said no\",\"reason\":\"%.*s\",\"code\":%d}",
              STR_ARG(error_code_reason(code)), status);
}

static bool fits(const struct proxy_fault *fault, struct http_request *request)
{
    return fault->times && has_part(http_request_target(request), fault->part) &&
           (!fault->method || str_eq(http_request_method(request), str_from_c(fault->method)));
}

static bool find_fault(struct proxy *proxy, struct http_request *request,
                       struct proxy_fault *ret_fault)
{
    for (size_t i = 0; i < COUNT(proxy->faults); i++) {
        struct proxy_fault *fault = &proxy->faults[i];
        if (!fits(fault, request))
            continue;
        if (fault->skipped) {
            fault->skipped--;
            continue;
        }
        fault->times--;
        *ret_fault = *fault;
        return true;
    }
    return false;
}

static struct error *refuse(struct http_request *request, const struct proxy_fault *fault)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) body = {.limit = 0};
    if (fault->hangs)
        TRY(fiber_sleep(HOUR));
    if (!fault->status) {
        http_request_break(request);
        return NULL;
    }
    if (fault->body)
        buf_add(&body, str_from_c(fault->body));
    else
        add_status(&body, fault->status);
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    if (fault->retry_after)
        TRY(http_headers_add(&headers, STR("Retry-After"), str_from_c(fault->retry_after)));
    TRY(http_request_respond(request, fault->status, &headers));
    return http_request_write(request, buf_str(&body));
}

static struct str path_of(struct str target)
{
    struct str path;
    str_cut(&target, '?', &path);
    return path;
}

/* "/api", "/apis", "/api/v1" and "/apis/group/version". */
static bool is_lookup(struct str path)
{
    size_t slashes = 0;
    for (size_t i = 0; i < path.len; i++)
        slashes += path.ptr[i] == '/';
    return str_starts_with(path, STR("/api")) &&
           slashes <= (str_starts_with(path, STR("/apis")) ? 3 : 2);
}

static bool is_noted(struct proxy *proxy, struct str method, struct str target)
{
    const struct str path = path_of(target);
    if (is_lookup(path) && str_eq(method, STR("GET"))) {
        proxy->lookups++;
        return false;
    }
    return !str_eq(path, STR("/")) && !has_part(target, "watch=true");
}

static void note(struct proxy *proxy, struct http_request *request, struct str body)
{
    const struct str method = http_request_method(request), target = http_request_target(request);
    if (!is_noted(proxy, method, target))
        return;
    const struct str shown = proxy->notes_paths ? path_of(target) : target;
    buf_print(&proxy->asked, "%.*s %.*s\n", STR_ARG(method), STR_ARG(shown));
    if (str_eq(method, STR("GET")))
        return;
    proxy->writes++;
    if (has_part(target, "/status?"))
        return;
    buf_clear(&proxy->sent);
    buf_add(&proxy->sent, body);
    buf_clear(&proxy->type);
    buf_add(&proxy->type, http_headers_find(http_request_headers(request), STR("content-type")));
}

static struct error *pass_on(const struct proxy *proxy, struct http_request *request,
                             struct http_response *response)
{
    const bool is_watch = has_part(http_request_target(request), "watch=true");
    SCOPED(http_headers) headers = {0};
    char piece[PIECE];
    size_t len;
    TRY(http_headers_add(&headers, STR("Content-Type"),
                         http_headers_find(http_response_headers(response), STR("content-type"))));
    TRY(http_request_respond(request, http_response_status(response), &headers));
    for (;;) {
        TRY(http_response_read(response, piece, sizeof(piece), &len));
        if (!len)
            return NULL;
        while (is_watch && proxy->holds_watches)
            TRY(fiber_sleep(100 * MILLISECOND));
        TRY(http_request_write(request, str_from(piece, len)));
    }
}

static struct error *pass_without(const char *text, struct http_request *request,
                                  struct http_response *response)
{
    SCOPED(buf) body = {.limit = 0};
    TRY(http_response_read_all(response, &body));
    char *found = memmem(body.ptr, body.len, text, strlen(text));
    if (found)
        memset(found, ' ', strlen(text));
    return http_request_answer(request, http_response_status(response), STR("application/json"),
                               buf_str(&body));
}

/* What is not allowed is told apart: a test may want to know of it. A namespace that goes refuses
 * whoever asks. */
static struct error *pass_refusal(struct proxy *proxy, struct http_request *request,
                                  struct http_response *response)
{
    SCOPED(buf) body = {.limit = 0};
    TRY(http_response_read_all(response, &body));
    if (!has_part(buf_str(&body), "NamespaceTerminating")) {
        buf_add(&proxy->refused, str_trim(buf_str(&body)));
        buf_add_char(&proxy->refused, '\n');
    }
    return http_request_answer(request, 403, STR("application/json"), buf_str(&body));
}

/* Without this header the server answers with plain lists. */
static bool drops_accept(const struct proxy *proxy, struct str target)
{
    return proxy->is_old && is_lookup(path_of(target));
}

static struct error *ask(const struct proxy *proxy, struct http_request *request, struct str body,
                         struct http_response **ret_response)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) target = {.limit = 0};
    SCOPED(buf) bearer = {.limit = 0};
    static const char *const names[] = {"content-type", "user-agent", "accept"};
    const size_t count = drops_accept(proxy, http_request_target(request)) ? 2 : COUNT(names);
    for (size_t i = 0; i < count; i++) {
        const struct str value =
            http_headers_find(http_request_headers(request), str_from_c(names[i]));
        if (value.len)
            TRY(http_headers_add(&headers, str_from_c(names[i]), value));
    }
    if (proxy->token.len) {
        buf_print(&bearer, "Bearer %.*s", STR_ARG(buf_str(&proxy->token)));
        TRY(http_headers_add(&headers, STR("authorization"), buf_str(&bearer)));
    }
    buf_add(&target, str_from_c(proxy->prefix));
    buf_add(&target, http_request_target(request));
    const struct http_client_request on = {.method = http_request_method(request),
                                           .target = buf_str(&target),
                                           .headers = &headers,
                                           .body = body};
    return http_client_send(proxy->behind, &on, ret_response);
}

static struct error *serve(void *data, struct http_request *request)
{
    struct proxy *proxy = data;
    struct proxy_fault fault = {0};
    OWNED(http_response) response = NULL;
    SCOPED(buf) body = {.limit = 0};
    TRY(http_request_read_all(request, &body));
    note(proxy, request, buf_str(&body));
    const bool is_fault = find_fault(proxy, request, &fault);
    if (is_fault && !fault.after && !fault.blank)
        return refuse(request, &fault);
    if (proxy->on_request)
        proxy->on_request(proxy, http_request_method(request), http_request_target(request));
    TRY(ask(proxy, request, buf_str(&body), &response));
    if (fault.after)
        return refuse(request, &fault);
    if (http_response_status(response) == 403)
        return pass_refusal(proxy, request, response);
    return fault.blank ? pass_without(fault.blank, request, response)
                       : pass_on(proxy, request, response);
}

void proxy_open(struct proxy *proxy, struct network *network, struct str host)
{
    const struct http_server_options options = {
        .network = network, .host = host, .port = PORT, .handler = serve, .data = proxy};
    CHECK_OK(http_server_new(loop_current(), &options, &proxy->server));
}

void proxy_done(struct proxy *proxy)
{
    http_server_free(proxy->server);
    buf_done(&proxy->token);
    buf_done(&proxy->asked);
    buf_done(&proxy->type);
    buf_done(&proxy->sent);
    buf_done(&proxy->refused);
}

void proxy_fail(struct proxy *proxy, struct proxy_fault fault)
{
    for (size_t i = 0; i < COUNT(proxy->faults); i++)
        if (!proxy->faults[i].times) {
            proxy->faults[i] = fault;
            return;
        }
    CHECK(false);
}

size_t proxy_count(const struct proxy *proxy, const char *part)
{
    struct str rest = buf_str(&proxy->asked), line;
    size_t count = 0;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        count += has_part(line, part);
    }
    return count;
}

void proxy_forget(struct proxy *proxy)
{
    buf_clear(&proxy->asked);
    proxy->lookups = proxy->writes = 0;
}
