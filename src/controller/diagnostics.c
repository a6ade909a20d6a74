/*
 * Requests pass handle_diagnostics(): the method, then the access check, then the page. The access
 * check comes before the path is looked at, so that strangers cannot find out which pages exist.
 * The server is modelled after controller-runtime's metrics server and the /debug/flags/v of
 * Kubernetes components.
 */
#include "controller/diagnostics.h"

#include "async/loop.h"
#include "base/list.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "controller/reviewer.h"
#include "http/server.h"
#include "net/pki.h"
#include "net/tls.h"

#define CONNECTIONS_MAX      100
#define FLAG_MAX             16
#define CERTIFICATE_VALIDITY (HOUR * 24 * 365 * 10)
#define TEXT                 "text/plain; charset=utf-8"

/* A path and the function that writes its text. */
struct page {
    struct list_link link;
    const char *path;
    diagnostics_page_fn *write;
    void *data;
};

struct diagnostics {
    struct loop *loop;
    struct diagnostics_options options;
    char *host;
    struct list pages;
    struct reviewer *reviewer;
    struct tls_server *tls;
    struct http_server *server;
};

static void write_metrics(void *data, struct buf *out)
{
    metrics_write(data, out);
}

static void write_log_level(void *data, struct buf *out)
{
    (void)data;
    buf_print(out, "%d\n", log_level());
}

struct diagnostics *diagnostics_new(struct loop *loop, const struct diagnostics_options *options)
{
    struct diagnostics *diagnostics = NEW(struct diagnostics);
    diagnostics->loop = loop;
    diagnostics->options = *options;
    diagnostics->host = mem_dup(options->host.ptr, options->host.len);
    diagnostics->options.host = str_from_c(diagnostics->host);
    list_init(&diagnostics->pages);
    if (!options->insecure)
        diagnostics->reviewer = reviewer_new(loop, options->client);
    if (options->metrics)
        diagnostics_add_page(diagnostics, "/metrics", write_metrics, options->metrics);
    diagnostics_add_page(diagnostics, "/debug/flags/v", write_log_level, NULL);
    return diagnostics;
}

void diagnostics_free(struct diagnostics *diagnostics)
{
    if (!diagnostics)
        return;
    http_server_free(diagnostics->server);
    tls_server_free(diagnostics->tls);
    reviewer_free(diagnostics->reviewer);
    LIST_FOREACH (struct page, page, &diagnostics->pages, link)
        mem_free(page);
    mem_free(diagnostics->host);
    mem_free(diagnostics);
}

void diagnostics_add_page(struct diagnostics *diagnostics, const char *path,
                          diagnostics_page_fn *write, void *data)
{
    struct page *page = NEW(struct page);
    *page = (struct page){.path = path, .write = write, .data = data};
    list_append(&diagnostics->pages, &page->link);
}

/* Asks the reviewer with the verb of the request, "get" or "put". Suspends. */
static struct error *check_access(struct diagnostics *diagnostics, struct http_request *request,
                                  struct str path)
{
    if (diagnostics->options.insecure)
        return NULL;
    const struct str verb =
        str_eq(http_request_method(request), STR("PUT")) ? STR("put") : STR("get");
    return reviewer_check(diagnostics->reviewer, reviewer_bearer_token(request), verb, path);
}

/* The level of klog: 0 to 10. */
static struct error *set_log_level(struct http_request *request)
{
    SCOPED(buf) body = {.limit = FLAG_MAX};
    int64_t level;
    TRY(http_request_read_all(request, &body));
    if (!str_to_int64(str_trim(buf_str(&body)), &level) || level < 0 || level > 10)
        return http_request_answer(request, 400, STR(TEXT),
                                   STR("failed to set the level: not a number from 0 to 10\n"));
    log_set_level((int)level);
    return http_request_answer(request, 200, STR(TEXT), STR("successfully set the level\n"));
}

/* The text is complete before the first byte is sent, so that an error can still be answered. */
static struct error *answer_page(const struct page *page, struct http_request *request)
{
    SCOPED(buf) text = {0};
    page->write(page->data, &text);
    TRY(buf_check(&text));
    const struct str type = page->write == write_metrics ? STR(METRICS_CONTENT_TYPE) : STR(TEXT);
    return http_request_answer(request, 200, type, buf_str(&text));
}

/* Errors of the review itself are logged and not shown. Suspends. */
static struct error *answer_refusal(struct http_request *request, const struct error *err)
{
    if (error_is(err, ERROR_UNAUTHORIZED) || error_is(err, ERROR_FORBIDDEN))
        return http_request_answer(request, error_code_http_status(err->code), STR(TEXT),
                                   str_from_c(err->message));
    log_error("Authentication failed", LOG_ERROR(err));
    return http_request_answer(request, 500, STR(TEXT), STR("Authentication failed"));
}

static struct error *handle_diagnostics(void *data, struct http_request *request)
{
    struct diagnostics *diagnostics = data;
    struct str query = http_request_target(request), path;
    str_cut(&query, '?', &path);
    const struct str method = http_request_method(request);
    const bool sets = str_eq(method, STR("PUT"));
    if (!sets && !str_eq(method, STR("GET")))
        return http_request_answer(request, 405, STR(TEXT), STR("method not allowed\n"));
    OWNED(error) refused = check_access(diagnostics, request, path);
    if (refused)
        return answer_refusal(request, refused);
    http_request_vouch(request);
    LIST_FOREACH (struct page, page, &diagnostics->pages, link) {
        if (!str_eq(path, str_from_c(page->path)))
            continue;
        if (sets && page->write == write_log_level)
            return set_log_level(request);
        if (sets)
            return http_request_answer(request, 405, STR(TEXT), STR("method not allowed\n"));
        return answer_page(page, request);
    }
    return http_request_answer(request, 404, STR(TEXT), STR("404 page not found\n"));
}

/*
 * Makes a certificate and its own authority, which is thrown away: clients such as Prometheus
 * connect without verification, as to controller-runtime's self-signed certificate.
 */
static struct error *make_tls(struct diagnostics *diagnostics)
{
    OWNED(pki_authority) authority = NULL;
    OWNED(tls_identity) identity = NULL;
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    const int64_t now = loop_wall(diagnostics->loop);
    const struct str names[] = {STR("localhost"), STR("127.0.0.1")};
    TRY(pki_authority_new(STR("corset-diagnostics-ca"), now - HOUR, now + CERTIFICATE_VALIDITY,
                          &authority));
    TRY(pki_issue(authority,
                  &(struct pki_request){.common_name = STR("corset-diagnostics"),
                                        .names = names,
                                        .name_count = COUNT(names),
                                        .server = true,
                                        .not_before = now - HOUR,
                                        .not_after = now + CERTIFICATE_VALIDITY},
                  &certificate, &key));
    TRY(tls_identity_read(buf_str(&certificate), buf_str(&key), &identity));
    return tls_server_new(&(struct tls_server_options){.identity = identity, .http2 = true},
                          &diagnostics->tls);
}

/* The connection limit keeps clients that do not authenticate from using up descriptors. */
struct error *diagnostics_listen(struct diagnostics *diagnostics)
{
    if (!diagnostics->options.insecure)
        TRY(make_tls(diagnostics), "make the certificate of diagnostics");
    const struct http_server_options options = {
        .network = diagnostics->options.network,
        .host = diagnostics->options.host,
        .port = diagnostics->options.port,
        .tls = diagnostics->tls,
        .handler = handle_diagnostics,
        .data = diagnostics,
        .connections = CONNECTIONS_MAX,
    };
    TRY(http_server_new(diagnostics->loop, &options, &diagnostics->server), "serve diagnostics");
    return NULL;
}

uint16_t diagnostics_port(const struct diagnostics *diagnostics)
{
    return diagnostics->server ? http_server_port(diagnostics->server) : 0;
}
