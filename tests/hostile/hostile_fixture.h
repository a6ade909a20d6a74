/*
 * The fixture of all attacks: a server in its own process, objects worth stealing, and the
 * credentials of users who must not get them.
 *
 *   vault              a namespace with a Secret that only the administrator may read
 *   team               a namespace whose ServiceAccount "limited" may do everything with ConfigMaps
 *   vc-0001, vc-0002   virtual clusters with an administrator each
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/str.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/client.h"
#include "soak/crash/victim.h"
#include "testing/certs.h"

struct loop;
struct network;
struct tls_context;

/* In the data and in the metadata of the Secret, and nowhere else: no answer may have them. */
#define HOSTILE_FIXTURE_CANARY      "Q0FOQVJZLUlOLUEtTUlORQ"
#define HOSTILE_FIXTURE_CANARY_NOTE "canary-in-the-metadata"

struct hostile_fixture {
    struct loop *loop;
    struct network *network;
    struct tls_context *tls;
    struct victim *victim;
    struct arena arena;
    struct random random;
    struct rest_config config;         /* the administrator's */
    struct rest_config clusters[2];    /* of the virtual clusters' administrators */
    struct test_certs stranger;        /* certificates of an authority the server does not know */
    struct http_client *admin, *plain; /* with the administrator's certificate, without any */
    struct http_client *impostor;      /* with a certificate of the wrong authority */
    struct str limited;                /* a token */
    struct str changer;                /* another */
    struct str cluster_limited;        /* one of the first virtual cluster's */
    bool is_small;                     /* sizes for a build with sanitizers */
};

struct hostile_fixture_options {
    struct loop *loop;
    const char *program, *folder;
    bool is_small;
};

/* Starts the server and creates the objects. Suspends. */
MUST_USE struct error *hostile_fixture_init(struct hostile_fixture *fixture,
                                            const struct hostile_fixture_options *options);
void hostile_fixture_done(struct hostile_fixture *fixture); /* suspends for a moment */

/* A client of the server a kubeconfig names, with this certificate or none. */
struct http_client *hostile_fixture_connect(struct loop *loop, struct network *network,
                                            struct tls_context *tls,
                                            const struct rest_config *config,
                                            struct tls_identity *identity);

/* A request as a row of a table. What is NULL or empty is not sent. */
struct hostile_fixture_request {
    const char *method; /* NULL: GET */
    const char *path;
    const char *accept, *type, *body;
    const char *header, *value; /* one more */
    struct str token;
};

struct hostile_fixture_answer {
    int status;
    struct buf body;
};
void hostile_fixture_answer_done(struct hostile_fixture_answer *answer);

/* Suspends. A whole exchange; of the body of a stream, what came within a quarter of a second. */
MUST_USE struct error *hostile_fixture_send(struct http_client *client,
                                            const struct hostile_fixture_request *request,
                                            struct hostile_fixture_answer *ret_answer);

/* Fails unless the answer is an error without a canary. */
MUST_USE struct error *hostile_fixture_check_refused(const struct hostile_fixture_request *request,
                                                     const struct hostile_fixture_answer *answer);

/* ERROR_INVALID unless the answer has this status. */
MUST_USE struct error *hostile_fixture_expect(struct http_client *client,
                                              const struct hostile_fixture_request *request,
                                              int status);

/* Sends a request and checks that it is refused. Suspends. */
MUST_USE struct error *hostile_fixture_refused(struct http_client *client,
                                               const struct hostile_fixture_request *request);
