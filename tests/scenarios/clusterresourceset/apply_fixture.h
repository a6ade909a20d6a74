/*
 * One workload cluster to apply objects to, in virtual time.
 *
 * Objects are applied through a proxy that notes what is asked, and answers itself where it is told
 * to. The test speaks to the server directly.
 */
#pragma once

#include "client/kubeconfig/kubeconfig.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/types/failures.h"
#include "support/proxy/apiserver_fixture.h"
#include "support/proxy/proxy.h"
#include "testing/sim.h"

#define APPLY_FIXTURE_MAPS        "/api/v1/namespaces/default/configmaps"
#define APPLY_FIXTURE_NAMESPACES  "/api/v1/namespaces"
#define APPLY_FIXTURE_DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define APPLY_FIXTURE_WEBS        "/apis/apps.corset.dev/v1/namespaces/default/webs"

/* Manifests: a ConfigMap of namespace default, and of any other. */
#define APPLY_FIXTURE_MAP(name, data) APPLY_FIXTURE_MAP_IN("default", name, data)
#define APPLY_FIXTURE_MAP_IN(namespace, name, data)                                      \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"," \
    "\"namespace\":\"" namespace "\"},\"data\":{" data "}}"
#define APPLY_FIXTURE_NAMESPACE(name) \
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"" name "\"}}"

/* A kind Web, whose spec.size is a number; its plural name and a version. */
#define APPLY_FIXTURE_DEFINITION(plural, version)                                                 \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","          \
    "\"metadata\":{\"name\":\"" plural ".apps.corset.dev\"},\"spec\":{\"group\":"                 \
    "\"apps.corset.dev\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"" plural "\","          \
    "\"singular\":\"web\",\"kind\":\"Web\",\"listKind\":\"WebList\"},\"versions\":[{\"name\":"    \
    "\"" version "\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":" \
    "\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"size\":{"         \
    "\"type\":\"integer\"}}}}}}}]}}"
#define APPLY_FIXTURE_WEB(name, size)                                                        \
    "{\"apiVersion\":\"apps.corset.dev/v1\",\"kind\":\"Web\",\"metadata\":{\"name\":\"" name \
    "\",\"namespace\":\"default\"},\"spec\":{\"size\":" size "}}"

struct apply_fixture {
    struct apiserver_fixture apiserver;
    struct proxy proxy; /* notes paths */
    struct rest_config config;
    struct client *client;
    struct discovery_pool *pool;
    struct discovery *discovery;

    bool is_first; /* for apply_target */

    /* Of the last apply_fixture_apply(). */
    struct arena arena;
    struct apply_report report;
    struct apply_notices notices;
    struct failures failures;
    struct error *err;
};

void apply_fixture_init(struct apply_fixture *fixture);
void apply_fixture_done(struct apply_fixture *fixture);

/* Nobody listens, or somebody again. */
void apply_fixture_refuse(struct apply_fixture *fixture, bool refuse);

/* Manifests up to NULL, as documents of one value. What was asked before is forgotten. */
void apply_fixture_apply(struct apply_fixture *fixture, enum apply_strategy strategy,
                         const char *const *manifests);
#define APPLY_FIXTURE_APPLY(fixture, strategy, ...) \
    apply_fixture_apply(fixture, strategy, (const char *const[]){__VA_ARGS__, NULL})

/* The same with items of "ConfigMap cm1", which are in the arena. */
void apply_fixture_apply_items(struct apply_fixture *fixture, enum apply_strategy strategy,
                               const struct apply_item *items, size_t count);

/* Forgets the last apply_fixture_apply(). */
void apply_fixture_forget(struct apply_fixture *fixture);

/* Went well, and this much came of it. */
void apply_fixture_check(struct apply_fixture *fixture, size_t created, size_t changed,
                         size_t unchanged);

/* The failures as a condition tells them; empty for none. */
struct str apply_fixture_text(struct apply_fixture *fixture);

/* Directly to the server: the status; the answer is in fixture->apiserver. PATCH is a merge patch.
 */
int apply_fixture_call(struct apply_fixture *fixture, const char *method, const char *target,
                       const char *body);
void apply_fixture_do(struct apply_fixture *fixture, const char *method, const char *target,
                      const char *body);

/* Text at a path of an object on the server; empty when it is not there. */
struct str apply_fixture_look(struct apply_fixture *fixture, const char *target, const char *path);
