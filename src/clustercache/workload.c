#include "clustercache/workload.h"

#include <assert.h>

#include "async/fiber.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clustercache/clustercache_internal.h"
#include "clustercache/workload_caches.h"
#include "clustercache/workload_internal.h"
#include "net/tls.h"

#define PROBE_BODY_MAX (64 * KILOBYTE)

struct workload *workload_new(struct clustercache_config *config, struct key cluster,
                              struct rest_config *rest)
{
    struct workload *workload = NEW(struct workload);
    workload->references = 1;
    workload->config = clustercache_config_ref(config);
    workload->rest = *rest;
    *rest = (struct rest_config){0};
    workload->cluster = key_copy(&workload->rest.arena, cluster);
    rate_limit_init(&workload->probes, config->options.qps, config->options.burst);
    return workload;
}

void workload_open(struct workload *workload)
{
    const struct clustercache_options *options = &workload->config->options;
    discovery_free(TAKE(workload->discovery));
    client_free(TAKE(workload->client));
    const struct client_options client = {
        .config = &workload->rest,
        .network = options->network,
        .tls = options->tls,
        .user_agent = options->user_agent,
        .qps = options->qps,
        .burst = options->burst,
        .timeout = options->timeout,
        .no_http2 = true, /* until something is watched */
    };
    workload->client = client_new(workload->config->loop, &client);
    workload->discovery =
        discovery_new(workload->client, workload->config->pool,
                      &(struct discovery_options){.qps = options->qps, .burst = options->burst});
}

struct workload *workload_ref(struct workload *workload)
{
    workload->references++;
    return workload;
}

void workload_free(struct workload *workload)
{
    if (!workload || --workload->references > 0)
        return;
    discovery_free(workload->discovery);
    client_free(workload->client);
    workload_caches_free(workload->caches);
    rest_config_done(&workload->rest);
    clustercache_config_free(workload->config);
    mem_free(workload);
}

struct key workload_cluster(const struct workload *workload)
{
    return workload->cluster;
}

bool workload_is_connected(const struct workload *workload)
{
    return workload->caches && !workload->caches->is_ended;
}

struct client *workload_client(struct workload *workload)
{
    return workload->client;
}

struct discovery *workload_discovery(struct workload *workload)
{
    return workload->discovery;
}

const struct rest_config *workload_config(const struct workload *workload)
{
    return &workload->rest;
}

struct error *workload_server_version(struct workload *workload, struct str *ret_version)
{
    if (!workload->server_version.len) {
        SCOPED(arena) arena = {0};
        struct str version;
        FIBER_TIMEOUT(workload->config->options.timeout);
        TRY(discovery_server_version(workload->client, &arena, &version));
        if (!workload->server_version.len) /* nobody was faster */
            workload->server_version = arena_str(&workload->rest.arena, version);
    }
    *ret_version = workload->server_version;
    return NULL;
}

/* Of a probe the status alone counts; what a server says about it is anybody's text. */
static struct error *from_status(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        {400, "the server rejected our request for an unknown reason"                        },
        {401, "the server has asked for the client to provide credentials"                   },
        {403, "unknown"                                                                      },
        {404, "the server could not find the requested resource"                             },
        {405, "the server does not allow this method on the requested resource"              },
        {409, "the server reported a conflict"                                               },
        {429, "the server has received too many requests and has asked us to try again later"},
        {503, "the server is currently unable to handle the request"                         },
        {504, "the server was unable to return a response in the time allotted, but may still be "
              "processing the request"                                          },
    };
    const enum error_code code = error_code_from_http_status(status);
    struct error *err = NULL;
    for (size_t i = 0; !err && i < COUNT(texts); i++)
        if (texts[i].status == status)
            err = error_new(code, "%s", texts[i].text);
    if (!err)
        err = status >= 500 ? error_new(code,
                                        "an error on the server has prevented the request "
                                        "from succeeding (HTTP status %d)",
                                        status)
                            : error_new(code,
                                        "the server responded with the status code %d but "
                                        "did not return more information",
                                        status);
    err->http_status = status;
    return err;
}

struct error *workload_probe(struct workload *workload, duration timeout)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = PROBE_BODY_MAX};
    struct client_raw_answer answer = {0};
    const struct client_raw_request request = {
        .path = STR("/"),
        .accept = STR("application/json, */*"),
        .rate_limit = &workload->probes,
        .timeout = timeout,
    };
    FIBER_TIMEOUT(timeout);
    struct error *err = client_raw(workload->client, &request, &arena, &body, &answer);
    if (error_is(err, ERROR_TOO_LARGE) && answer.status)
        err = error_ignore(err, ERROR_TOO_LARGE); /* an answer is an answer, however long */
    const int status = err ? err->http_status : answer.status;
    if (!status || (status >= 200 && status <= 206))
        return err;
    error_free(err);
    return from_status(status);
}

bool workload_is_same_server(const struct workload *a, const struct workload *b)
{
    return str_eq(a->rest.host, b->rest.host) &&
           str_eq(a->rest.tls.server_name, b->rest.tls.server_name) &&
           a->rest.tls.skip_verify == b->rest.tls.skip_verify &&
           tls_trust_eq(a->rest.tls.trust, b->rest.tls.trust);
}

struct error *workload_begin_caches(struct workload *workload)
{
    assert(!workload->caches);
    workload->caches = workload_caches_new(workload);
    return workload_caches_begin_indexes(workload->caches);
}

void workload_take_over(struct workload *workload, struct workload *old)
{
    assert(!workload->caches);
    workload->caches = workload_caches_ref(old->caches);
    workload_caches_move(workload->caches, workload);
}

void workload_end(struct workload *workload, struct scope *endings)
{
    if (workload->caches)
        workload_caches_end(workload->caches, endings);
}
