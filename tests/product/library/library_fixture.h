/*
 * The fixture of tests of libcorset: an API server and a controller, each in its own process, and a
 * client to look at what they do.
 */
#pragma once

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "peers/interop/folder.h"
#include "product/library/child.h"

#define LIBRARY_FIXTURE_PATIENCE (30 * SECOND)
#define LIBRARY_FIXTURE_POLL     (20 * MILLISECOND)

struct library_fixture {
    struct folder folder;
    struct child server, controller;
    struct rest_config config;
    struct network *network;
    struct tls_context *tls;
    struct client *client;
    struct gvr owners;
    struct key owner; /* the one that is looked at */
};

/*
 * Starts the server, then the controller, and only then makes its kind known, from YAML. More
 * arguments of the controller's end in NULL. Suspends.
 */
void library_fixture_init(struct library_fixture *fixture, const char *program,
                          const char *const *more, struct str crd, struct gvr owners,
                          struct key owner);
void library_fixture_done(struct library_fixture *fixture);

/* Starts the server alone, with so many virtual clusters. Their kubeconfigs are in clusters/. */
void library_fixture_start_server(struct library_fixture *fixture, const char *virtual_clusters);

/* Starts the controller, anew if it has been stopped. */
void library_fixture_run(struct library_fixture *fixture, const char *program,
                         const char *const *more);

/* All of these suspend, and end the test when they fail. */

void library_fixture_apply_to(struct client *client, struct gvr gvr, struct str yaml);
void library_fixture_apply(struct library_fixture *fixture, struct gvr gvr, struct str yaml);
void library_fixture_patch(struct library_fixture *fixture, struct gvr gvr, struct key key,
                           const char *subresource, const char *body);

/* NULL when there is none. */
struct object *library_fixture_get(struct library_fixture *fixture, struct gvr gvr, struct key key);

/* Until the text at a path is this one; NULL: until the object is gone. */
void library_fixture_wait(struct library_fixture *fixture, struct gvr gvr, struct key key,
                          const char *path, const char *text);

/* Until the owner's conditions are these, for the generation that it has. */
void library_fixture_wait_status(struct library_fixture *fixture, const char *in_progress,
                                 const char *failed);

/* A field of a condition; empty when absent. Lives as long as the object. */
struct str library_fixture_condition(const struct object *object, const char *type,
                                     const char *field);

/* Fails if anything is written within two seconds. */
void library_fixture_check_steady(struct library_fixture *fixture);
