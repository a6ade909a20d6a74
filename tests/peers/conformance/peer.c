#include "peers/conformance/peer.h"

#include "async/fiber.h"
#include "http/client.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define START_TIMEOUT (60 * SECOND)
#define LOOK_EVERY    (50 * MILLISECOND)

void peer_init(struct peer *peer, struct loop *loop)
{
    *peer = (struct peer){
        .loop = loop,
        .network = tcp_network_new(loop),
        .tls = tls_context_new(),
    };
}

void peer_done(struct peer *peer)
{
    /* Connections that were closed are gone at the loop's next turn. */
    FIBER_SHIELD(SECOND);
    error_free(fiber_yield());
    launch_free(peer->launch);
    rest_config_done(&peer->config);
    tls_context_free(peer->tls);
    network_free(peer->network);
}

struct caller_options peer_caller(const struct peer *peer)
{
    return (struct caller_options){&peer->config, peer->network, peer->tls};
}

struct error *peer_open(struct peer *peer, struct str kubeconfig)
{
    struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    if (kubeconfig.len)
        paths = (struct kubeconfig_paths){.file = kubeconfig};
    return kubeconfig_load(&paths, NULL, &peer->config);
}

static struct error *wait_ready(struct peer *peer)
{
    const struct caller_options options = peer_caller(peer);
    OWNED(caller) caller = caller_new(peer->loop, &options);
    for (;;) {
        OWNED(http_response) response = NULL;
        SCOPED(request)
        request = {.as = STR("admin"), .method = STR("GET"), .path = STR("/readyz")};
        OWNED(error) err = caller_send(caller, &request, &response);
        if (!err && http_response_status(response) == 200)
            return NULL;
        TRY(launch_check(peer->launch));
        TRY(fiber_sleep(LOOK_EVERY), "wait for the server to be ready: %s",
            err ? err->message : "it says no");
    }
}

struct error *peer_start(struct peer *peer, const char *program, const char *history_age)
{
    FIBER_TIMEOUT(START_TIMEOUT);
    TRY(launch_start(program, history_age, &peer->launch));
    TRY(peer_open(peer, launch_kubeconfig(peer->launch)));
    return wait_ready(peer);
}
