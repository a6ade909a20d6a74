/*
 * A controller of the framework and the API server it works against, in virtual time.
 *
 * The fixture of the scenarios: controller "web", owners of kind Web, and one owner, default/w1.
 * The controller speaks to the server through a proxy that notes what it asks, and answers itself
 * where it is told to. The test speaks to the server directly.
 */
#pragma once

#include "async/fiber.h"
#include "async/scope.h"
#include "client/kubeconfig/kubeconfig.h"
#include "framework/framework.h"
#include "support/proxy/desk.h"
#include "support/proxy/proxy.h"
#include "testing/sim.h"

#define RIG_GROUP       "apps.corset.dev"
#define RIG_WEBS        "/apis/" RIG_GROUP "/v1/namespaces/default/webs"
#define RIG_WEB         RIG_WEBS "/w1"
#define RIG_MAPS        "/api/v1/namespaces/default/configmaps"
#define RIG_SECRETS     "/api/v1/namespaces/default/secrets"
#define RIG_DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define RIG_MAP         RIG_MAPS "/w1-web"
#define RIG_DEPLOYMENT  RIG_DEPLOYMENTS "/w1-web"

/* A node of the graph that the controller builds. */
struct rig_node {
    const char *object; /* JSON; of a custom node NULL */
    struct graph_node_options options;
    size_t blockers[4]; /* numbers of nodes from 1 */
    struct graph_node *node;
};

struct rig {
    struct desk desk;
    struct proxy proxy;
    struct rest_config config;
    struct client *client;
    struct discovery_pool *pool;
    struct discovery *discovery;
    struct cache_set *caches;
    struct framework *framework;
    struct scope running;

    /* The controller. */
    struct rig_node nodes[8];
    size_t node_count;
    struct error *(*on_build)(struct rig *rig); /* before nodes are added; NULL: nothing */
    size_t builds;
    struct reconcile_result result; /* of the last loop */
    struct error *err;
};

/* The server, with one virtual cluster, and the kind Web. */
void rig_init(struct rig *rig);
void rig_done(struct rig *rig);

/* The controller; options may be NULL, and what they leave open is filled in. */
void rig_start(struct rig *rig, const struct framework_options *options);

/* Those of a controller that is fine. */
struct framework_options rig_options(struct rig *rig);

/* The owner, of generation 1, and a plan: ConfigMap w1-web, and Deployment w1-web blocked by it. */
void rig_create_owner(struct rig *rig);
void rig_plan(struct rig *rig);
extern const char rig_map[], rig_deployment[];

/* Caches have seen everything; then one loop by hand. What came of it is in the rig. */
void rig_settle(struct rig *rig);
void rig_loop(struct rig *rig);

/* A loop at once, whatever caches have seen. */
void rig_loop_now(struct rig *rig);

/* The last loop ended well and does not come again. */
void rig_check_done(const struct rig *rig);

/* The controller runs by itself until rig_stop(). */
void rig_run(struct rig *rig);
void rig_stop(struct rig *rig);

/* Directly to the server: the status; the answer is on the desk. PATCH is a merge patch. */
int rig_call(struct rig *rig, const char *method, const char *target, const char *body);

/* As above; fails the test unless it succeeds. */
void rig_do(struct rig *rig, const char *method, const char *target, const char *body);

/* Text or number at a path of an object on the server, as text; empty when it is not there. */
struct str rig_look(struct rig *rig, const char *target, const char *path);
struct str rig_annotation(struct rig *rig, const char *target, const char *name);

/* Condition of the owner, "True/reason/message"; "-" when it is not there. */
struct str rig_condition(struct rig *rig, const char *type);

/* Counters that make the Deployment ready, or a Deployment that is not. */
void rig_make_ready(struct rig *rig, const char *target);

/* Suspends until a look gives this text; fails the test after minutes. */
void rig_await(struct rig *rig, const char *target, const char *path, const char *text);
void rig_await_condition(struct rig *rig, const char *type, const char *text);
