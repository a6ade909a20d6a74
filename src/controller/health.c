/*
 * The answers are those of controller-runtime's healthz handlers without any checks. The handler
 * neither suspends nor needs any state: an answer shows that the event loop runs.
 */
#include "controller/health.h"

#include "base/memory.h"
#include "http/server.h"

#define CONNECTIONS_MAX 100
#define TEXT            STR("text/plain; charset=utf-8")

struct health {
    struct loop *loop;
    struct health_options options;
    char *host;
    struct http_server *server;
};

struct health *health_new(struct loop *loop, const struct health_options *options)
{
    struct health *health = NEW(struct health);
    health->loop = loop;
    health->options = *options;
    health->host = mem_dup(options->host.ptr, options->host.len);
    health->options.host = str_from_c(health->host);
    return health;
}

void health_free(struct health *health)
{
    if (!health)
        return;
    http_server_free(health->server);
    mem_free(health->host);
    mem_free(health);
}

/* There are no checks that could fail, so /readyz/<name> does not exist for any name. */
static struct error *handle_health(void *data, struct http_request *request)
{
    (void)data;
    struct str query = http_request_target(request), path;
    str_cut(&query, '?', &path);
    if (str_eq(path, STR("/healthz")) || str_eq(path, STR("/healthz/ping")))
        return http_request_answer(request, 200, TEXT, STR("ok"));
    if (str_eq(path, STR("/readyz")))
        return http_request_answer(
            request, 200, TEXT,
            str_starts_with(query, STR("verbose")) ? STR("readyz check passed\n") : STR("ok"));
    return http_request_answer(request, 404, STR("text/plain"), STR("404 page not found\n"));
}

struct error *health_listen(struct health *health)
{
    const struct http_server_options options = {
        .network = health->options.network,
        .host = health->options.host,
        .port = health->options.port,
        .handler = handle_health,
        .connections = CONNECTIONS_MAX,
    };
    TRY(http_server_new(health->loop, &options, &health->server), "serve health");
    return NULL;
}

uint16_t health_port(const struct health *health)
{
    return health->server ? http_server_port(health->server) : 0;
}
