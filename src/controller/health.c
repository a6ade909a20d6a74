/*
 * The answers are those of controller-runtime's healthz handlers. The first check, "ping", always
 * passes: an answer shows that the event loop runs. /healthz asks nothing else, because a restart
 * does not help against whatever the other checks find.
 */
#include "controller/health.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "http/server.h"

#define CONNECTIONS_MAX 100
#define TEXT            STR("text/plain; charset=utf-8")

#define CHECKS_MAX 8

struct health_check {
    const char *name;
    health_check_fn *check;
    void *data;
};

/* /healthz or /readyz, with what it asks. */
struct endpoint {
    const char *name;
    const struct health_check *checks;
    size_t count;
};

struct health {
    struct loop *loop;
    struct health_options options;
    char *host;
    struct health_check checks[CHECKS_MAX];
    size_t check_count;
    struct http_server *server;
};

static struct error *check_ping(void *data)
{
    (void)data;
    return NULL;
}

struct health *health_new(struct loop *loop, const struct health_options *options)
{
    struct health *health = NEW(struct health);
    health->loop = loop;
    health->options = *options;
    health->host = mem_dup(options->host.ptr, options->host.len);
    health->options.host = str_from_c(health->host);
    health_add_check(health, "ping", check_ping, NULL);
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

void health_add_check(struct health *health, const char *name, health_check_fn *check, void *data)
{
    assert(health->check_count < COUNT(health->checks));
    health->checks[health->check_count++] = (struct health_check){name, check, data};
}

/* Whether the query has this parameter, with the value if there is one. */
static bool has_parameter(struct str query, struct str name, struct str value)
{
    struct str part, own;
    while (query.len) {
        str_cut(&query, '&', &part);
        str_cut(&part, '=', &own);
        if (str_eq(own, name) && (!value.len || str_eq(part, value)))
            return true;
    }
    return false;
}

/* One line for each check. Reasons are withheld: anyone may ask. True if all of them passed. */
static bool run_checks(const struct endpoint *endpoint, struct str query, struct buf *lines)
{
    bool passed = true;
    for (size_t i = 0; i < endpoint->count; i++) {
        const struct health_check *check = &endpoint->checks[i];
        if (has_parameter(query, STR("exclude"), str_from_c(check->name))) {
            buf_print(lines, "[+]%s excluded: ok\n", check->name);
            continue;
        }
        OWNED(error) err = check->check(check->data);
        buf_print(lines, err ? "[-]%s failed: reason withheld\n" : "[+]%s ok\n", check->name);
        passed &= !err;
    }
    return passed;
}

static struct error *answer_all(const struct endpoint *endpoint, struct str query,
                                struct http_request *request)
{
    SCOPED(buf) text = {0};
    const bool passed = run_checks(endpoint, query, &text);
    if (passed && !has_parameter(query, STR("verbose"), STR("")))
        return http_request_answer(request, 200, TEXT, STR("ok"));
    buf_print(&text, "%s check %s\n", endpoint->name, passed ? "passed" : "failed");
    TRY(buf_check(&text));
    return http_request_answer(request, passed ? 200 : 500, TEXT, buf_str(&text));
}

/* A check that is asked for by its name tells its reason, as in Kubernetes. */
static struct error *answer_one(const struct health_check *check, struct http_request *request)
{
    SCOPED(buf) text = {0};
    OWNED(error) err = check->check(check->data);
    if (!err)
        return http_request_answer(request, 200, TEXT, STR("ok"));
    buf_print(&text, "internal server error: %s\n", err->message);
    TRY(buf_check(&text));
    return http_request_answer(request, 500, TEXT, buf_str(&text));
}

static struct error *answer_endpoint(const struct endpoint *endpoint, struct str rest,
                                     struct str query, struct http_request *request)
{
    if (!rest.len)
        return answer_all(endpoint, query, request);
    for (size_t i = 0; i < endpoint->count; i++)
        if (rest.ptr[0] == '/' && str_eq(str_skip(rest, 1), str_from_c(endpoint->checks[i].name)))
            return answer_one(&endpoint->checks[i], request);
    return http_request_answer(request, 404, STR("text/plain"), STR("404 page not found\n"));
}

static struct error *handle_health(void *data, struct http_request *request)
{
    const struct health *health = data;
    const struct endpoint endpoints[] = {
        {"healthz", health->checks, 1                  }, /* the ping */
        {"readyz",  health->checks, health->check_count},
    };
    struct str query = http_request_target(request), path;
    str_cut(&query, '?', &path);
    path = str_skip(path, path.len > 0); /* the slash */
    for (size_t i = 0; i < COUNT(endpoints); i++)
        if (str_starts_with(path, str_from_c(endpoints[i].name)))
            return answer_endpoint(&endpoints[i], str_skip(path, strlen(endpoints[i].name)), query,
                                   request);
    return http_request_answer(request, 404, STR("text/plain"), STR("404 page not found\n"));
}

struct error *health_listen(struct health *health)
{
    const struct http_server_options options = {
        .network = health->options.network,
        .host = health->options.host,
        .port = health->options.port,
        .handler = handle_health,
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
