/*
 * A server to send requests to: one that runs already, or one that is started for it.
 *
 *     SCOPED(peer) peer;
 *     peer_init(&peer, loop);
 *     TRY(peer_start(&peer, "build/release/corset", NULL));
 *     OWNED(caller) caller = caller_new(loop, &(struct caller_options){...});
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "client/kubeconfig/kubeconfig.h"
#include "peers/conformance/caller.h"
#include "peers/conformance/launch.h"

struct peer {
    struct loop *loop;
    struct network *network;
    struct tls_context *tls;
    struct rest_config config;
    struct launch *launch; /* NULL: it was there */
};

void peer_init(struct peer *peer, struct loop *loop);
void peer_done(struct peer *peer); /* Suspends for the loop's next turn */

/* Borrowed from the peer. */
struct caller_options peer_caller(const struct peer *peer);

/* An empty file: as kubectl looks for it. */
MUST_USE struct error *peer_open(struct peer *peer, struct str kubeconfig);

/* See launch_start(). Suspends until the program says that it is ready, for a minute at most. */
MUST_USE struct error *peer_start(struct peer *peer, const char *program, const char *history_age);
