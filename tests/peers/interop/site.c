#include "peers/interop/site.h"

#include "async/loop.h"
#include "http/call.h"
#include "http/gzip.h"
#include "http/server_internal.h"
#include "net/tls.h"
#include "testing/test.h"

#define TEXT_LINES  2000
#define GZIP_LEVEL  6
#define PIECE_BYTES (16 * KILOBYTE)

typedef struct error *(*page_fn)(struct site *site, struct http_request *request);

static struct error *who(struct site *site, struct http_request *request)
{
    (void)site;
    struct tls_peer peer;
    http_request_peer(request, &peer);
    SCOPED(buf) body = {0}, text = {0};
    TRY(http_request_read_all(request, &body));
    buf_print(&text, "%s|%.*s|%.*s|%zu\n", request->call->conn->http2 ? "h2" : "h1",
              STR_ARG(http_request_method(request)), STR_ARG(peer.common_name), body.len);
    return http_request_answer(request, 200, STR("text/plain"), buf_str(&text));
}

static struct error *echo(struct site *site, struct http_request *request)
{
    (void)site;
    char piece[PIECE_BYTES];
    for (;;) {
        size_t len;
        TRY(http_request_read(request, piece, sizeof(piece), &len));
        if (!http_request_has_responded(request))
            TRY(http_request_respond(request, 200, NULL));
        if (len == 0)
            return NULL;
        TRY(http_request_write(request, str_from(piece, len)));
    }
}

void site_text(struct buf *text)
{
    for (int i = 0; i < TEXT_LINES; i++)
        buf_print(text, "line %d of a text that compresses well\n", i);
}

static struct error *answer_compressed(struct http_request *request, struct str plain)
{
    OWNED(gzip_writer) writer = gzip_writer_new(GZIP_LEVEL);
    SCOPED(buf) packed = {0};
    SCOPED(http_headers) headers = {0};
    gzip_write(writer, plain, &packed);
    gzip_write_end(writer, &packed);
    TRY(http_headers_add(&headers, STR("content-encoding"), STR("gzip")));
    TRY(http_request_respond(request, 200, &headers));
    return http_request_write(request, buf_str(&packed));
}

static struct error *text(struct site *site, struct http_request *request)
{
    (void)site;
    SCOPED(buf) plain = {0};
    site_text(&plain);
    const struct http_headers *headers = http_request_headers(request);
    if (http_headers_has_token(headers, STR("accept-encoding"), STR("gzip")))
        return answer_compressed(request, buf_str(&plain));
    return http_request_answer(request, 200, STR("text/plain"), buf_str(&plain));
}

static struct error *lines(struct site *site, struct http_request *request)
{
    TRY(http_request_respond(request, 200, NULL));
    for (;;) {
        while (!site->line.len && !site->silent)
            TRY(event_wait(&site->changed, "a line to say"));
        if (!site->line.len)
            return NULL;
        TRY(http_request_write(request, site->line));
        site->line = STR("");
        event_wake_all(&site->changed);
    }
}

void site_say(struct site *site, struct str line)
{
    site->line = line;
    site->silent = !line.len;
    event_wake_all(&site->changed);
    while (site->line.len)
        CHECK_OK(event_wait(&site->changed, "a line to be said"));
}

static struct error *gather(struct site *site, struct http_request *request)
{
    site->gathered++;
    event_wake_all(&site->changed);
    while (site->gathered < site->crowd)
        TRY(event_wait(&site->changed, "the others"));
    return http_request_answer(request, 200, STR("text/plain"), STR("all here\n"));
}

static const struct {
    struct str path;
    page_fn page;
} pages[] = {
    {STR_INIT("/who"),    who   },
    {STR_INIT("/echo"),   echo  },
    {STR_INIT("/text"),   text  },
    {STR_INIT("/lines"),  lines },
    {STR_INIT("/gather"), gather},
};

static struct error *serve(void *data, struct http_request *request)
{
    struct site *site = data;
    site->requests++;
    struct str path, query = http_request_target(request);
    str_cut(&query, '?', &path);
    for (size_t i = 0; i < COUNT(pages); i++)
        if (str_eq(path, pages[i].path))
            return pages[i].page(site, request);
    return error_new(ERROR_NOT_FOUND, "no page %.*s", STR_ARG(path));
}

void site_init(struct site *site, struct ground *ground, const struct http_limits *limits)
{
    *site = (struct site){.ground = ground};
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = ground->certs.server,
                                                         .client_trust = ground->certs.trust,
                                                         .http2 = true},
                            &site->tls));
    CHECK_OK(http_server_new(loop_current(),
                             &(struct http_server_options){.network = ground->network,
                                                           .host = STR("127.0.0.1"),
                                                           .tls = site->tls,
                                                           .handler = serve,
                                                           .data = site,
                                                           .limits = *limits},
                             &site->server));
}

void site_done(struct site *site)
{
    http_server_free(site->server);
    tls_server_free(site->tls);
}

const char *site_url(struct site *site, const char *path)
{
    return arena_print(&site->ground->folder.texts, "https://127.0.0.1:%u%s",
                       http_server_port(site->server), path)
        .ptr;
}
