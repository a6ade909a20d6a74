/*
 * corset up --fleet in this process and in virtual time: the embedded API server with virtual
 * clusters, the controllers that connect to them, and users who ask.
 *
 * Further clusters are HTTP servers of the test, which answer whatever their handler says.
 */
#pragma once

#include "app/controller_manager.h"
#include "app/fleet_extension.h"
#include "app/standalone.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/buf.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/server.h"
#include "json/json.h"
#include "json/path.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define FLEET_P         "/apis/fleet.corset.dev/v1alpha1"
#define FLEET_ALL       FLEET_P "/fleet"
#define FLEET_ONE(name) FLEET_P "/namespaces/default/clusters/" name "/proxy"
#define FLEET_TABLE     "application/json;as=Table;v=v1;g=meta.k8s.io"

struct fleet_fixture {
    struct network *network;
    struct tls_context *tls;
    struct standalone *standalone;
    struct rest_config config; /* of the admin */
    struct controller_manager *controllers;
    struct scope running;
    struct fleet_extension *extension;
    struct client *admin;

    /* The last answer. */
    int status;
    struct buf body, clusters, warning, retry_after;
    bool is_broken; /* the stream ended with an error */
};

/* NULL: no fleet API. The clusters are connected when it returns. */
void fleet_fixture_init(struct fleet_fixture *fixture, size_t clusters,
                        const struct fleet_options *options);
void fleet_fixture_done(struct fleet_fixture *fixture);

/* A user of the main API, by impersonation of the admin; NULL: the admin. */
struct fleet_fixture_user {
    struct rest_config config;
    struct client *client;
};
void fleet_fixture_user(struct fleet_fixture *fixture, const char *name,
                        struct fleet_fixture_user *user);
void fleet_fixture_user_done(struct fleet_fixture_user *user);

/* Reads an answer that the test has asked for by itself. */
void fleet_fixture_read(struct fleet_fixture *fixture, struct http_response *response);

/* A request and its whole answer, into the fixture. accept and body may be NULL. */
int fleet_fixture_ask(struct fleet_fixture *fixture, struct client *client, const char *method,
                      const char *target, const char *accept, const char *body);
int fleet_fixture_get(struct fleet_fixture *fixture, const char *target);

/* The status of writing an object of the main API; it must be a success. */
void fleet_fixture_put(struct fleet_fixture *fixture, const char *collection, const char *object);

/* A ConfigMap in namespace default of a virtual cluster. */
void fleet_fixture_config_map(struct fleet_fixture *fixture, const char *cluster, const char *name);

/* Lets a user do verbs with the resource clusters/proxy; namespace or name may be NULL. */
void fleet_fixture_allow(struct fleet_fixture *fixture, const char *user, const char *verb,
                         const char *namespace, const char *name);

/* A Cluster in a namespace whose server is an HTTP server of the test at this host. */
struct http_server *fleet_fixture_cluster(struct fleet_fixture *fixture, const char *namespace,
                                          const char *name, const char *host,
                                          http_handler_fn handler, void *data);

/*
 * Answers what the ClusterCache itself asks of a cluster: probes, discovery, the Namespace
 * kube-system. False: another request.
 */
bool fleet_fixture_serve_basics(struct http_request *request, struct error **ret_err);

/* Waits until so many clusters are connected. */
void fleet_fixture_await(struct fleet_fixture *fixture, size_t connected);

/* How often a text is in the last answer. */
size_t fleet_fixture_count(const struct fleet_fixture *fixture, const char *text);
