/*
 * One workload cluster to apply objects to, in virtual time.
 *
 * Objects are applied through a proxy that notes what is asked, and answers itself where it is told
 * to. The test speaks to the server directly.
 */
#pragma once

#include "client/kubeconfig/kubeconfig.h"
#include "clusterresourceset/apply/apply.h"
#include "support/proxy/apiserver_fixture.h"
#include "support/proxy/proxy.h"
#include "testing/sim.h"

#define APPLY_RIG_MAPS        "/api/v1/namespaces/default/configmaps"
#define APPLY_RIG_NAMESPACES  "/api/v1/namespaces"
#define APPLY_RIG_DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define APPLY_RIG_WEBS        "/apis/apps.corset.dev/v1/namespaces/default/webs"

/* Manifests: a ConfigMap of namespace default, and of any other. */
#define APPLY_RIG_MAP(name, data) APPLY_RIG_MAP_IN("default", name, data)
#define APPLY_RIG_MAP_IN(namespace, name, data)                                          \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"," \
    "\"namespace\":\"" namespace "\"},\"data\":{" data "}}"
#define APPLY_RIG_NAMESPACE(name) \
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"" name "\"}}"

/* A kind Web, whose spec.size is a number; its plural name and a version. */
#define APPLY_RIG_DEFINITION(plural, version)                                                     \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","          \
    "\"metadata\":{\"name\":\"" plural ".apps.corset.dev\"},\"spec\":{\"group\":"                 \
    "\"apps.corset.dev\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"" plural "\","          \
    "\"singular\":\"web\",\"kind\":\"Web\",\"listKind\":\"WebList\"},\"versions\":[{\"name\":"    \
    "\"" version "\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":" \
    "\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"size\":{"         \
    "\"type\":\"integer\"}}}}}}}]}}"
#define APPLY_RIG_WEB(name, size)                                                            \
    "{\"apiVersion\":\"apps.corset.dev/v1\",\"kind\":\"Web\",\"metadata\":{\"name\":\"" name \
    "\",\"namespace\":\"default\"},\"spec\":{\"size\":" size "}}"

struct apply_rig {
    struct apiserver_fixture apiserver;
    struct proxy proxy; /* notes paths */
    struct rest_config config;
    struct client *client;
    struct discovery_pool *pool;
    struct discovery *discovery;

    bool is_first; /* for apply_target */

    /* Of the last apply_rig_apply(). */
    struct arena arena;
    struct apply_report report;
    struct error *err;
};

void apply_rig_init(struct apply_rig *rig);
void apply_rig_done(struct apply_rig *rig);

/* Nobody listens, or somebody again. */
void apply_rig_refuse(struct apply_rig *rig, bool refuse);

/* Manifests up to NULL, as documents of one value. What was asked before is forgotten. */
void apply_rig_apply(struct apply_rig *rig, enum apply_strategy strategy,
                     const char *const *manifests);
#define APPLY_RIG_APPLY(rig, strategy, ...) \
    apply_rig_apply(rig, strategy, (const char *const[]){__VA_ARGS__, NULL})

/* Went well, and this much came of it. */
void apply_rig_check(const struct apply_rig *rig, size_t created, size_t changed, size_t unchanged);

/* The whole text of the error; empty for none. */
struct str apply_rig_text(const struct apply_rig *rig);

/* Directly to the server: the status; the answer is in rig->apiserver. PATCH is a merge patch. */
int apply_rig_call(struct apply_rig *rig, const char *method, const char *target, const char *body);
void apply_rig_do(struct apply_rig *rig, const char *method, const char *target, const char *body);

/* Text at a path of an object on the server; empty when it is not there. */
struct str apply_rig_look(struct apply_rig *rig, const char *target, const char *path);
