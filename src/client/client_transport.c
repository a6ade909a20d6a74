/*
 * A transport is identified by its TLS identity and trust, compared as pointers: token_source and
 * trust_source return the same object as long as the credentials do not change.
 *
 * A replaced transport cannot be closed at once, since watches may still run on it. free_unused()
 * frees it with a later request, once no call is left.
 */
#include "client/client_transport.h"

#include "base/memory.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/proxy_environment.h"
#include "net/tls.h"

struct client_transport {
    struct list_link link;
    struct http_client *http;
    struct tls_identity *identity;
    struct tls_trust *trust;
    struct str origin; /* of another server; empty: the client's server */
    struct arena texts;
    size_t sending; /* calls in client_transport_send(), which http_client does not count yet */
};

void client_transports_init(struct client_transports *transports, struct loop *loop,
                            const struct client_options *options)
{
    *transports = (struct client_transports){.loop = loop, .options = options};
    list_init(&transports->others);
}

/* The proxy-url of the kubeconfig wins over the environment, also for servers in NO_PROXY. */
static struct error *choose_proxy(const struct client_options *client, const struct url *server,
                                  struct proxy_choice *storage, struct http_endpoint *endpoint)
{
    const struct rest_config *config = client->config;
    if (config->has_proxy) {
        endpoint->proxy = &config->proxy;
        endpoint->proxy_source = "proxy-url of the kubeconfig";
        endpoint->proxy_bypass = "remove proxy-url from the kubeconfig";
    } else if (client->proxies) {
        TRY(proxy_environment_choose(client->proxies, server, storage));
        endpoint->proxy = storage->has_proxy ? &storage->url : NULL;
        endpoint->proxy_source = storage->variable;
        endpoint->proxy_bypass = "add the server to NO_PROXY";
    }
    return NULL;
}

/* The transport owns references to its credentials for as long as it has connections. */
static struct error *transport_new(const struct client_transports *transports,
                                   const struct url *server, struct str server_name,
                                   struct tls_identity *identity, struct tls_trust *trust,
                                   struct client_transport **ret_transport)
{
    const struct client_options *client = transports->options;
    const struct rest_config *config = client->config;
    struct proxy_choice proxy;
    struct http_client_options options = {
        .endpoint = {.network = client->network,
                     .host = server->host,
                     .port = server->port,
                     .plain = server->scheme == URL_HTTP,
                     .tls = client->tls,
                     .server_name = server_name,
                     .identity = identity,
                     .trust = trust,
                     .skip_verify = config->tls.skip_verify,
                     .no_http2 = client->no_http2},
        .connections = client->connections,
        .limits = client->limits,
        .timeouts = client->timeouts,
        .no_gzip = config->disable_compression,
    };
    TRY(choose_proxy(client, server, &proxy, &options.endpoint));
    struct client_transport *transport = NEW(struct client_transport);
    transport->identity = tls_identity_ref(identity);
    transport->trust = tls_trust_ref(trust);
    transport->http = http_client_new(transports->loop, &options);
    *ret_transport = transport;
    return NULL;
}

static void free_transport(struct client_transport *transport)
{
    list_remove(&transport->link);
    http_client_free(transport->http);
    tls_identity_free(transport->identity);
    tls_trust_free(transport->trust);
    arena_done(&transport->texts);
    mem_free(transport);
}

/* Called with every request, when the list is at most a few entries long. */
static void free_unused(struct client_transports *transports)
{
    LIST_FOREACH (struct client_transport, transport, &transports->others, link)
        if (transport->sending == 0 && http_client_call_count(transport->http) == 0)
            free_transport(transport);
}

void client_transports_done(struct client_transports *transports)
{
    LIST_FOREACH (struct client_transport, transport, &transports->others, link)
        free_transport(transport);
    if (transports->own)
        free_transport(transports->own);
}

uint64_t client_transports_dial_count(const struct client_transports *transports)
{
    return transports->replaced_dials +
           (transports->own ? http_client_dial_count(transports->own->http) : 0);
}

bool client_transports_speak_http2(const struct client_transports *transports)
{
    return transports->own && http_client_speaks_http2(transports->own->http);
}

void client_transports_offer_http2(struct client_transports *transports)
{
    if (transports->own)
        http_client_offer_http2(transports->own->http, true);
}

/* "others" is searched by origin for other servers only: a replaced transport has no origin. */
struct error *client_transports_own(struct client_transports *transports,
                                    struct tls_identity *identity, struct tls_trust *trust,
                                    struct client_transport **ret_transport)
{
    const struct rest_config *config = transports->options->config;
    struct client_transport *own = transports->own;
    if (own && (own->identity != identity || own->trust != trust)) {
        transports->replaced_dials += http_client_dial_count(own->http);
        list_append(&transports->others, &own->link);
        own = transports->own = NULL;
    }
    free_unused(transports);
    if (!own)
        TRY(transport_new(transports, &config->server, config->tls.server_name, identity, trust,
                          &own));
    *ret_transport = transports->own = own;
    return NULL;
}

/* The proxy and skip_verify of the config apply to other servers as well, the server name does not.
 */
struct error *client_transports_other(struct client_transports *transports,
                                      const struct url *server, struct tls_trust *trust,
                                      struct client_transport **ret_transport)
{
    SCOPED(arena) arena = {0};
    const struct str origin = url_origin(&arena, server);
    LIST_FOREACH (struct client_transport, transport, &transports->others, link)
        if (str_eq(transport->origin, origin) && transport->trust == trust) {
            *ret_transport = transport;
            return NULL;
        }
    struct client_transport *transport;
    TRY(transport_new(transports, server, STR(""), NULL, trust, &transport));
    transport->origin = arena_str(&transport->texts, origin);
    list_append(&transports->others, &transport->link);
    *ret_transport = transport;
    return NULL;
}

/* "sending" covers the time before the HTTP client counts the call, while a connection is made. */
struct http_client *client_transport_hold(struct client_transport *transport)
{
    transport->sending++;
    return transport->http;
}

void client_transport_release(struct client_transport *transport)
{
    transport->sending--;
}
