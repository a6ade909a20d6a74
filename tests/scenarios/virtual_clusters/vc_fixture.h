/*
 * An API server with virtual clusters in this process, on a real socket, and those who ask it.
 *
 * Everybody comes with a kubeconfig, read as one from a file would be; the server of a virtual
 * cluster has a path in it.
 */
#pragma once

#include "apimachinery/object.h"
#include "apiserver/apiserver.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"

#define VC_FIXTURE_TIMEOUT (50 * SECOND)

struct vc_fixture {
    struct network *network;
    struct tls_context *tls;
    struct apiserver *server;
};

/* Three clusters unless told otherwise. */
void vc_fixture_init(struct vc_fixture *fixture, size_t clusters, const char *inject);
void vc_fixture_done(struct vc_fixture *fixture);

struct vc_fixture_user {
    struct rest_config config;
    struct client *client;
};

/* The main API with the admin's certificate. */
#define VC_FIXTURE_MAIN ""

/* The admin of a cluster ("vc-0001") or of the main API. */
void vc_fixture_admin(struct vc_fixture *fixture, const char *cluster,
                      struct vc_fixture_user *user);

/* Who has this token; empty: nobody. */
void vc_fixture_bearer(struct vc_fixture *fixture, const char *cluster, struct str token,
                       struct vc_fixture_user *user);

/* The main API's admin certificate where a token of the cluster's should be. */
void vc_fixture_stranger(struct vc_fixture *fixture, const char *cluster,
                         struct vc_fixture_user *user);
void vc_fixture_user_done(struct vc_fixture_user *user);

/*
 * The HTTP status of a request that is not repeated. VC_FIXTURE_LOST when the
 * connection broke, VC_FIXTURE_SILENT when no answer came in time. target may have a
 * query. The body, if wanted, is replaced. Suspends.
 */
#define VC_FIXTURE_LOST   (-1)
#define VC_FIXTURE_SILENT (-2)
int vc_fixture_ask(struct vc_fixture_user *user, const char *method, const char *target,
                   const char *body, struct buf *answer);

/* A ConfigMap in namespace default; the status of creating it. */
int vc_fixture_put(struct vc_fixture_user *user, const char *name, const char *value);

/* What the ConfigMap holds in "key"; empty when it is not there. Into the arena. */
struct str vc_fixture_get(struct vc_fixture_user *user, struct arena *arena, const char *name);

/* The text at a path of the JSON answer to a GET; into the arena. */
struct str vc_fixture_look(struct vc_fixture_user *user, struct arena *arena, const char *target,
                           const char *path);
