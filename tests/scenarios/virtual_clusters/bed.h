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

#define BED_TIMEOUT (50 * SECOND)

struct bed {
    struct network *network;
    struct tls_context *tls;
    struct apiserver *server;
};

/* Three clusters unless told otherwise. */
void bed_init(struct bed *bed, size_t clusters, const char *inject);
void bed_done(struct bed *bed);

struct bed_user {
    struct rest_config config;
    struct client *client;
};

/* The main API with the admin's certificate. */
#define BED_MAIN ""

/* The admin of a cluster ("vc-0001") or of the main API. */
void bed_admin(struct bed *bed, const char *cluster, struct bed_user *user);

/* Who has this token; empty: nobody. */
void bed_bearer(struct bed *bed, const char *cluster, struct str token, struct bed_user *user);

/* The main API's admin certificate where a token of the cluster's should be. */
void bed_stranger(struct bed *bed, const char *cluster, struct bed_user *user);
void bed_user_done(struct bed_user *user);

/*
 * The HTTP status of a request that is not repeated. BED_LOST when the connection broke, BED_SILENT
 * when no answer came in time. target may have a query. The body, if wanted, is replaced. Suspends.
 */
#define BED_LOST   (-1)
#define BED_SILENT (-2)
int bed_ask(struct bed_user *user, const char *method, const char *target, const char *body,
            struct buf *answer);

/* A ConfigMap in namespace default; the status of creating it. */
int bed_put(struct bed_user *user, const char *name, const char *value);

/* What the ConfigMap holds in "key"; empty when it is not there. Into the arena. */
struct str bed_get(struct bed_user *user, struct arena *arena, const char *name);

/* The text at a path of the JSON answer to a GET; into the arena. */
struct str bed_look(struct bed_user *user, struct arena *arena, const char *target,
                    const char *path);
