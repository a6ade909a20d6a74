/*
 * The fixture of the framework scenarios: a controller and its API server, in virtual time.
 *
 * The controller is called "web", its owners are of kind Web, and there is one owner, default/w1.
 * The controller speaks to the server through a proxy, which records requests and injects faults.
 * The test speaks to the server directly.
 */
#pragma once

#include "async/fiber.h"
#include "async/scope.h"
#include "client/kubeconfig/kubeconfig.h"
#include "framework/framework.h"
#include "support/proxy/apiserver_fixture.h"
#include "support/proxy/proxy.h"
#include "testing/sim.h"

#define FRAMEWORK_FIXTURE_GROUP       "apps.corset.dev"
#define FRAMEWORK_FIXTURE_WEBS        "/apis/" FRAMEWORK_FIXTURE_GROUP "/v1/namespaces/default/webs"
#define FRAMEWORK_FIXTURE_WEB         FRAMEWORK_FIXTURE_WEBS "/w1"
#define FRAMEWORK_FIXTURE_MAPS        "/api/v1/namespaces/default/configmaps"
#define FRAMEWORK_FIXTURE_SECRETS     "/api/v1/namespaces/default/secrets"
#define FRAMEWORK_FIXTURE_DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define FRAMEWORK_FIXTURE_MAP         FRAMEWORK_FIXTURE_MAPS "/w1-web"
#define FRAMEWORK_FIXTURE_DEPLOYMENT  FRAMEWORK_FIXTURE_DEPLOYMENTS "/w1-web"

/* A node of the graph that the controller builds. */
struct framework_fixture_node {
    const char *object; /* JSON; of a custom node NULL */
    struct graph_node_options options;
    size_t blockers[4]; /* numbers of nodes from 1 */
    struct graph_node *node;
};

struct framework_fixture {
    struct apiserver_fixture apiserver;
    struct proxy proxy;
    struct rest_config config;
    struct client *client;
    struct discovery_pool *pool;
    struct discovery *discovery;
    struct cache_set *caches;
    struct framework *framework;
    struct scope running;

    /* The controller. */
    struct framework_fixture_node nodes[8];
    size_t node_count;
    struct error *(*on_build)(
        struct framework_fixture *fixture); /* before nodes are added; NULL: nothing */
    size_t builds;
    struct reconcile_result result; /* of the last loop */
    struct error *err;
};

/* The server, with one virtual cluster, and the kind Web. */
void framework_fixture_init(struct framework_fixture *fixture);
void framework_fixture_done(struct framework_fixture *fixture);

/* The controller; options may be NULL, and what they leave open is filled in. */
void framework_fixture_start(struct framework_fixture *fixture,
                             const struct framework_options *options);

/* Those of a controller that is fine. */
struct framework_options framework_fixture_options(struct framework_fixture *fixture);

/* The owner, of generation 1, and a plan: ConfigMap w1-web, and Deployment w1-web blocked by it. */
void framework_fixture_create_owner(struct framework_fixture *fixture);
void framework_fixture_plan(struct framework_fixture *fixture);
extern const char framework_fixture_map[], framework_fixture_deployment[];

/* Caches have seen everything; then one loop by hand. The result is in the fixture. */
void framework_fixture_settle(struct framework_fixture *fixture);
void framework_fixture_loop(struct framework_fixture *fixture);

/* A loop at once, whatever caches have seen. */
void framework_fixture_loop_now(struct framework_fixture *fixture);

/* The last loop ended well and does not come again. */
void framework_fixture_check_done(const struct framework_fixture *fixture);

/* The controller runs by itself until framework_fixture_stop(). */
void framework_fixture_run(struct framework_fixture *fixture);
void framework_fixture_stop(struct framework_fixture *fixture);

/* Directly to the server: the status; the answer is in fixture->apiserver. PATCH is a merge patch.
 */
int framework_fixture_call(struct framework_fixture *fixture, const char *method,
                           const char *target, const char *body);

/* As above; fails the test unless it succeeds. */
void framework_fixture_do(struct framework_fixture *fixture, const char *method, const char *target,
                          const char *body);

/* Text or number at a path of an object on the server, as text; empty when it is not there. */
struct str framework_fixture_look(struct framework_fixture *fixture, const char *target,
                                  const char *path);
struct str framework_fixture_annotation(struct framework_fixture *fixture, const char *target,
                                        const char *name);

/* Condition of the owner, "True/reason/message"; "-" when it is not there. */
struct str framework_fixture_condition(struct framework_fixture *fixture, const char *type);

/* Counters that make the Deployment ready, or a Deployment that is not. */
void framework_fixture_make_ready(struct framework_fixture *fixture, const char *target);

/* Suspends until a look gives this text; fails the test after minutes. */
void framework_fixture_await(struct framework_fixture *fixture, const char *target,
                             const char *path, const char *text);
void framework_fixture_await_condition(struct framework_fixture *fixture, const char *type,
                                       const char *text);
