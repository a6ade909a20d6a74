/*
 * The fleet API as a server behind kube-apiserver: corset controller --fleet-addr. kube-apiserver
 * knows it as the APIService v1alpha1.fleet.corset.dev, authenticates users and passes their
 * requests on.
 *
 * Requests are taken from the front proxy alone (fleet/front_proxy.h); what users may do is asked
 * of the management cluster (fleet/access_reviews.h). The replica that leads serves clusters and
 * writes its authority into the APIService; the others answer 503.
 */
#pragma once

#include <stdint.h>

#include "apimachinery/key.h"
#include "base/error.h"
#include "base/owned.h"
#include "fleet/fleet.h"

struct client;
struct fleet_server;
struct loop;
struct network;

struct fleet_server_options {
    struct client *client; /* of the management cluster; must not have may_write set */
    struct network *network;
    struct str host;
    uint16_t port;              /* 0: any; see fleet_server_port() */
    struct str cert_dir;        /* with tls.crt and tls.key; empty: a certificate is issued */
    struct key secret;          /* of its authority, see app/fleet_certificate.h; may be empty */
    struct fleet_options fleet; /* the authorizer is set here */
};

struct fleet_server *fleet_server_new(struct loop *loop,
                                      const struct fleet_server_options *options);
void fleet_server_free(struct fleet_server *server); /* fleet_server_run() must have ended */
DEFINE_OWNED(fleet_server)

/*
 * For manager_add_runnable(): listens and serves until the fiber is cancelled. Waits for a
 * certificate as long as there is none; an address that cannot be listened on is an error.
 */
MUST_USE struct error *fleet_server_run(void *data);

uint16_t fleet_server_port(const struct fleet_server *server); /* 0 before it listens */
