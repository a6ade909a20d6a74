#include "controller/health.h"

#include "base/buf.h"
#include "base/list.h"
#include "base/log.h"
#include "base/memory.h"
#include "http/server.h"

#define CONNECTIONS_MAX 100

struct check {
    struct list_link link;
    char *name;
    health_check_fn *check;
    void *data;
};

struct health {
    struct loop *loop;
    struct health_options options;
    char *host;
    struct list checks;
    struct http_server *server;
};

struct health *health_new(struct loop *loop, const struct health_options *options)
{
    struct health *health = NEW(struct health);
    health->loop = loop;
    health->options = *options;
    health->host = mem_dup(options->host.ptr, options->host.len);
    health->options.host = str_from_c(health->host);
    list_init(&health->checks);
    return health;
}

void health_free(struct health *health)
{
    if (!health)
        return;
    http_server_free(health->server);
    LIST_FOREACH (struct check, check, &health->checks, link) {
        mem_free(check->name);
        mem_free(check);
    }
    mem_free(health->host);
    mem_free(health);
}

void health_add_ready_check(struct health *health, const char *name, health_check_fn *check,
                            void *data)
{
    struct check *added = NEW(struct check);
    *added = (struct check){.name = mem_dup(name, strlen(name)), .check = check, .data = data};
    list_append(&health->checks, &added->link);
}

/* Asks the checks of this name, all of them when it is empty, and lists them. */
static bool ask(struct health *health, struct str name, struct buf *list, size_t *ret_asked)
{
    bool ready = true;
    *ret_asked = 0;
    LIST_FOREACH (struct check, check, &health->checks, link) {
        if (name.len && !str_eq(name, str_from_c(check->name)))
            continue;
        ++*ret_asked;
        OWNED(error) err = check->check(check->data);
        if (err)
            log_v(1, "Check failed", LOG_STR("checker", str_from_c(check->name)), LOG_ERROR(err));
        buf_print(list, err ? "[-]%s failed: reason withheld\n" : "[+]%s ok\n", check->name);
        ready = ready && !err;
    }
    return ready;
}

static struct error *answer_ready(struct health *health, struct http_request *request,
                                  struct str name, bool verbose)
{
    SCOPED(buf) text = {0};
    size_t asked;
    const bool ready = ask(health, name, &text, &asked);
    if (name.len && !asked)
        return http_request_answer(request, 404, STR("text/plain"), STR("404 page not found\n"));
    if (ready && !verbose)
        buf_clear(&text);
    if (ready)
        buf_add(&text, verbose ? STR("readyz check passed\n") : STR("ok"));
    else
        buf_add(&text, STR("readyz check failed\n"));
    return http_request_answer(request, ready ? 200 : 500, STR("text/plain; charset=utf-8"),
                               buf_str(&text));
}

static struct error *handle(void *data, struct http_request *request)
{
    struct str query = http_request_target(request), path;
    str_cut(&query, '?', &path);
    if (str_eq(path, STR("/healthz")) || str_eq(path, STR("/healthz/ping")))
        return http_request_answer(request, 200, STR("text/plain; charset=utf-8"), STR("ok"));
    if (str_eq(path, STR("/readyz")))
        return answer_ready(data, request, STR(""), str_starts_with(query, STR("verbose")));
    if (str_starts_with(path, STR("/readyz/")) && path.len > STR("/readyz/").len)
        return answer_ready(data, request, str_skip(path, STR("/readyz/").len), false);
    return http_request_answer(request, 404, STR("text/plain"), STR("404 page not found\n"));
}

struct error *health_listen(struct health *health)
{
    const struct http_server_options options = {
        .network = health->options.network,
        .host = health->options.host,
        .port = health->options.port,
        .handler = handle,
        .data = health,
        .connections = CONNECTIONS_MAX,
    };
    TRY(http_server_new(health->loop, &options, &health->server), "serve health");
    return NULL;
}

uint16_t health_port(const struct health *health)
{
    return health->server ? http_server_port(health->server) : 0;
}
