/*
 * fleet_server_run() gets a certificate, listens, and then looks after both every few seconds.
 * handle_fleet() serves a request. What is known of the front proxy comes by use_front_proxy(),
 * whenever its ConfigMap changes.
 */
#include "app/fleet_server.h"

#include "apimachinery/status.h"
#include "apimachinery/wellknown.h"
#include "app/fleet_certificate.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/base64.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "controller/cache/cache.h"
#include "fleet/access_reviews.h"
#include "fleet/front_proxy.h"
#include "http/server.h"
#include "json/path.h"
#include "net/tls.h"

#define RETRY           (5 * SECOND)
#define UPKEEP          (10 * SECOND)
#define STRANGERS_MAX   1000
#define PUBLISH_TIMEOUT (10 * SECOND)
#define API_SERVICES    GVR("apiregistration.k8s.io", "v1", "apiservices")
#define API_SERVICE     FLEET_VERSION "." FLEET_GROUP

/* Members are made in this order and released in the opposite order. */
struct fleet_server {
    struct loop *loop;
    struct fleet_server_options options;
    struct cache_set *caches; /* of the front proxy's ConfigMap; no other part waits for it */
    struct cache_handler handler;
    struct front_proxy proxy;
    struct access_reviews *reviews;
    struct fleet_certificate certificate;
    struct tls_server *tls;
    struct fleet *fleet;
    struct http_server *http;
};

/* NULL trust: no client is asked for a certificate, and therefore none is known. */
static struct error *make_tls(const struct fleet_server *server, struct tls_server **ret_tls)
{
    OWNED(tls_identity) identity = NULL;
    OWNED(tls_trust) trust = NULL;
    TRY(tls_identity_read(buf_str(&server->certificate.certificate),
                          buf_str(&server->certificate.key), &identity));
    if (server->proxy.authority.len)
        TRY(tls_trust_read(server->proxy.authority, &trust),
            "requestheader-client-ca-file of ConfigMap " FRONT_PROXY_NAMESPACE
            "/" FRONT_PROXY_NAME);
    return tls_server_new(
        &(struct tls_server_options){.identity = identity, .client_trust = trust, .http2 = true},
        ret_tls);
}

/* Open connections stay; the certificates that their clients have shown are looked at anew. */
static struct error *use_tls(struct fleet_server *server)
{
    OWNED(tls_server) newer = NULL;
    TRY(make_tls(server, &newer));
    if (server->tls)
        tls_server_become(server->tls, TAKE(newer));
    else
        server->tls = TAKE(newer);
    return NULL;
}

static struct error *read_front_proxy(struct fleet_server *server, const struct object_text *text)
{
    SCOPED(front_proxy) newer = {0};
    OWNED(object) object = NULL;
    if (text) {
        TRY(object_text_read(text, &object));
        TRY(front_proxy_read(object, &newer));
    }
    front_proxy_done(&server->proxy);
    server->proxy = newer;
    newer = (struct front_proxy){0};
    return server->tls ? use_tls(server) : NULL;
}

/* While the ConfigMap cannot be used, no front proxy is trusted, nor is the one of before. */
static void use_front_proxy(void *data, const struct cache_event *event)
{
    struct fleet_server *server = data;
    OWNED(error) err = read_front_proxy(server, event->now);
    if (!err)
        return;
    log_error("Requests to clusters are refused until the front proxy is known", LOG_ERROR(err));
    front_proxy_done(&server->proxy);
    server->proxy = (struct front_proxy){0};
}

struct fleet_server *fleet_server_new(struct loop *loop, const struct fleet_server_options *options)
{
    struct fleet_server *server = NEW(struct fleet_server);
    server->loop = loop;
    server->options = *options;
    server->reviews = access_reviews_new(loop, options->client);
    server->options.fleet.authorizer =
        (struct fleet_authorizer){access_reviews_decide, server->reviews};
    return server;
}

void fleet_server_free(struct fleet_server *server)
{
    if (!server)
        return;
    fleet_certificate_done(&server->certificate);
    access_reviews_free(server->reviews);
    mem_free(server);
}

uint16_t fleet_server_port(const struct fleet_server *server)
{
    return server->http ? http_server_port(server->http) : 0;
}

static struct error *refuse(struct http_request *http, struct error *err)
{
    struct fleet_reply reply = fleet_reply_http(http);
    return fleet_reply_fail(&reply, NULL, err);
}

/* Who asks is found out before the path is looked at: strangers learn nothing. */
static struct error *handle_fleet(void *data, struct http_request *http)
{
    struct fleet_server *server = data;
    struct fleet_request request = {
        .http = http, .arena = http_request_arena(http), .target = http_request_target(http)};
    struct tls_peer peer;
    http_request_peer(http, &peer);
    if (!front_proxy_identify(&server->proxy, &peer, http_request_headers(http), request.arena,
                              &request.user))
        return refuse(http, status_unauthorized());
    http_request_vouch(http);
    if (!fleet_path_is_ours(request.target))
        return refuse(http, status_no_such_resource());
    return fleet_serve(server->fleet, &request);
}

/* Suspends. */
static struct error *renew_certificate(struct fleet_server *server)
{
    const struct fleet_server_options *options = &server->options;
    const struct fleet_certificate_options wanted = {.client = options->client,
                                                     .folder = options->cert_dir,
                                                     .secret = options->secret,
                                                     .host = options->host};
    bool is_new;
    TRY(fleet_certificate_renew(server->loop, &wanted, &server->certificate, &is_new),
        "certificate of --fleet-addr");
    return is_new || !server->tls ? use_tls(server) : NULL;
}

/* Without an APIService there is nothing to do. Suspends. */
static struct error *publish_authority(struct fleet_server *server)
{
    OWNED(object) found = NULL;
    SCOPED(buf) bundle = {0};
    SCOPED(buf) patch = {0};
    const struct key name = KEY("", API_SERVICE);
    FIBER_TIMEOUT(PUBLISH_TIMEOUT);
    struct error *err = client_get(server->options.client, API_SERVICES, name, NULL, &found);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return NULL;
    }
    TRY(err);
    base64_encode(&bundle, buf_str(&server->certificate.authority));
    if (str_eq(json_path_str(object_path(found, "spec"), "caBundle"), buf_str(&bundle)))
        return NULL;
    buf_print(&patch, "{\"spec\":{\"caBundle\":\"%s\"}}", buf_c(&bundle));
    return client_patch(server->options.client, API_SERVICES, name, CLIENT_PATCH_MERGE,
                        buf_str(&patch), NULL, NULL);
}

static bool publishes(const struct fleet_server *server)
{
    const struct fleet_options *fleet = &server->options.fleet;
    return server->options.secret.name.len && server->certificate.authority.len &&
           (!fleet->leads || fleet->leads(fleet->leads_data));
}

static struct error *await_certificate(struct fleet_server *server)
{
    for (;;) {
        OWNED(error) err = renew_certificate(server);
        if (!err || error_is(err, ERROR_CANCELED))
            return TAKE(err);
        log_error("The fleet API has no certificate yet", LOG_ERROR(err));
        TRY(fiber_sleep(RETRY));
    }
}

static struct error *keep_up(struct fleet_server *server)
{
    for (;;) {
        OWNED(error) err = publishes(server) ? publish_authority(server) : NULL;
        if (!err) {
            TRY(fiber_sleep(UPKEEP));
            err = renew_certificate(server);
        }
        if (error_is(err, ERROR_CANCELED))
            return TAKE(err);
        if (!err)
            continue;
        log_error("The certificate of the fleet API was not renewed or made known", LOG_ERROR(err));
        TRY(fiber_sleep(UPKEEP));
    }
}

static void follow_front_proxy(struct fleet_server *server)
{
    const struct cache_options wanted = {
        .gvr = GVR_CONFIG_MAPS,
        .namespace = STR(FRONT_PROXY_NAMESPACE),
        .field_selector = STR("metadata.name=" FRONT_PROXY_NAME),
    };
    server->handler = (struct cache_handler){.changed = use_front_proxy, .data = server};
    server->caches = cache_set_new(server->loop, server->options.client);
    cache_add_handler(cache_set_get(server->caches, &wanted), &server->handler);
}

static struct error *serve_until_cancelled(struct fleet_server *server)
{
    TRY(await_certificate(server));
    const struct http_server_options options = {
        .network = server->options.network,
        .host = server->options.host,
        .port = server->options.port,
        .tls = server->tls,
        .strangers = STRANGERS_MAX,
        .handler = handle_fleet,
        .data = server,
    };
    TRY(http_server_new(server->loop, &options, &server->http),
        "serve the fleet API at --fleet-addr");
    log_info("Serving the fleet API", LOG_INT("port", fleet_server_port(server)));
    return keep_up(server);
}

/* Everything that uses clients and clusters ends here, before they are released. */
struct error *fleet_server_run(void *data)
{
    struct fleet_server *server = data;
    server->fleet = fleet_new(server->loop, &server->options.fleet);
    follow_front_proxy(server);
    struct error *err = serve_until_cancelled(server);
    http_server_free(server->http);
    fleet_free(server->fleet);
    cache_set_free(server->caches);
    tls_server_free(server->tls);
    front_proxy_done(&server->proxy);
    server->http = NULL;
    server->fleet = NULL;
    server->caches = NULL;
    server->tls = NULL;
    server->proxy = (struct front_proxy){0};
    return err;
}
