/*
 * An API server with virtual clusters in this process, on a real socket, and its users.
 *
 * Every user has a kubeconfig, which is written and read again as one from a file would be. The
 * address of a virtual cluster has a path in it.
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

/* With so many virtual clusters and these faults; see --inject. */
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

/* A user with this token; empty: an anonymous one. */
void vc_fixture_bearer(struct vc_fixture *fixture, const char *cluster, struct str token,
                       struct vc_fixture_user *user);

/* The admin certificate of the main API, which a virtual cluster must not accept. */
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
