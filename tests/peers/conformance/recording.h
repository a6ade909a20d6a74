/*
 * A server that plays the recording back, for tests of the replay.
 *
 * It knows which exchange comes next and answers that, streams included, in the disguise of another
 * server (disguise.h). What a request should have been is checked: method, path, body, who sent it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "async/event.h"
#include "base/buf.h"
#include "client/kubeconfig/kubeconfig.h"
#include "peers/conformance/choice.h"
#include "testing/certs.h"

struct http_server;
struct network;
struct tls_context;
struct tls_server;

/* What the server does wrong, to one exchange. */
enum recording_fault {
    RECORDING_NO_FAULT,
    RECORDING_FAILS,   /* 500, as often as it is asked */
    RECORDING_BUSY,    /* 429 twice, then as recorded */
    RECORDING_SURPLUS, /* a stream has an event more than recorded */
    RECORDING_CUT,     /* a stream breaks off behind its events */
};

struct recording {
    const struct choices *choices;
    size_t next;           /* of the choices */
    size_t answered;       /* requests */
    struct buf complaints; /* about requests, a line each */
    enum recording_fault fault;
    struct str faulty; /* id of the exchange it happens to */
    size_t busy;       /* 429 given so far */
    struct event never;

    struct network *network;
    struct test_certs certs;
    struct tls_context *tls;
    struct tls_server *tls_server;
    struct http_server *server;
    struct rest_config config; /* for its administrator */
};

/* Listens when this returns. The network is taken. */
void recording_init(struct recording *recording, struct network *network, struct str host,
                    const struct choices *choices);
void recording_done(struct recording *recording);
