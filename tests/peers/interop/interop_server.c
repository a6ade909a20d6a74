#include "peers/interop/interop_server.h"

#include "async/loop.h"
#include "base/gzip.h"
#include "http/call.h"
#include "http/server_internal.h"
#include "net/tls.h"
#include "testing/test.h"

#define TEXT_LINES  2000
#define GZIP_LEVEL  6
#define PIECE_BYTES (16 * KILOBYTE)

typedef struct error *(*page_fn)(struct interop_server *ours, struct http_request *request);

static struct error *who(struct interop_server *ours, struct http_request *request)
{
    (void)ours;
    struct tls_peer peer;
    http_request_peer(request, &peer);
    SCOPED(buf) body = {0}, text = {0};
    TRY(http_request_read_all(request, &body));
    buf_print(&text, "%s|%.*s|%.*s|%zu\n", request->call->conn->http2 ? "h2" : "h1",
              STR_ARG(http_request_method(request)), STR_ARG(peer.common_name), body.len);
    return http_request_answer(request, 200, STR("text/plain"), buf_str(&text));
}

static struct error *echo(struct interop_server *ours, struct http_request *request)
{
    (void)ours;
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

void interop_server_text(struct buf *text)
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

static struct error *text(struct interop_server *ours, struct http_request *request)
{
    (void)ours;
    SCOPED(buf) plain = {0};
    interop_server_text(&plain);
    const struct http_headers *headers = http_request_headers(request);
    if (http_headers_has_token(headers, STR("accept-encoding"), STR("gzip")))
        return answer_compressed(request, buf_str(&plain));
    return http_request_answer(request, 200, STR("text/plain"), buf_str(&plain));
}

static struct error *lines(struct interop_server *ours, struct http_request *request)
{
    TRY(http_request_respond(request, 200, NULL));
    for (;;) {
        while (!ours->line.len && !ours->silent)
            TRY(event_wait(&ours->changed, "a line to say"));
        if (!ours->line.len)
            return NULL;
        TRY(http_request_write(request, ours->line));
        ours->line = STR("");
        event_wake_all(&ours->changed);
    }
}

void interop_server_say(struct interop_server *ours, struct str line)
{
    ours->line = line;
    ours->silent = !line.len;
    event_wake_all(&ours->changed);
    while (ours->line.len)
        CHECK_OK(event_wait(&ours->changed, "a line to be said"));
}

static struct error *gather(struct interop_server *ours, struct http_request *request)
{
    ours->gathered++;
    event_wake_all(&ours->changed);
    while (ours->gathered < ours->crowd)
        TRY(event_wait(&ours->changed, "the others"));
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
    struct interop_server *ours = data;
    ours->requests++;
    struct str path, query = http_request_target(request);
    str_cut(&query, '?', &path);
    for (size_t i = 0; i < COUNT(pages); i++)
        if (str_eq(path, pages[i].path))
            return pages[i].page(ours, request);
    return error_new(ERROR_NOT_FOUND, "no page %.*s", STR_ARG(path));
}

void interop_server_init(struct interop_server *ours, struct interop_fixture *fixture,
                         const struct http_limits *limits)
{
    *ours = (struct interop_server){.fixture = fixture};
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = fixture->certs.server,
                                                         .client_trust = fixture->certs.trust,
                                                         .http2 = true},
                            &ours->tls));
    CHECK_OK(http_server_new(loop_current(),
                             &(struct http_server_options){.network = fixture->network,
                                                           .host = STR("127.0.0.1"),
                                                           .tls = ours->tls,
                                                           .handler = serve,
                                                           .data = ours,
                                                           .limits = *limits},
                             &ours->server));
}

void interop_server_done(struct interop_server *ours)
{
    http_server_free(ours->server);
    tls_server_free(ours->tls);
}

const char *interop_server_url(struct interop_server *ours, const char *path)
{
    return arena_print(&ours->fixture->folder.texts, "https://127.0.0.1:%u%s",
                       http_server_port(ours->server), path)
        .ptr;
}
