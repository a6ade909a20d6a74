/*
 * /healthz and /readyz over plain HTTP, for the probes of the kubelet.
 *
 * /healthz answers "ok" as long as the event loop of the process runs. /readyz does so while the
 * checks that were added pass, and answers 500 otherwise. As in Kubernetes, ?verbose lists each
 * check, ?exclude=NAME leaves one out, and /readyz/NAME asks one. Anyone may ask.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct health;
struct loop;
struct network;

struct health_options {
    struct network *network;
    struct str host;
    uint16_t port; /* 0: any */
};

struct health *health_new(struct loop *loop, const struct health_options *options);
void health_free(struct health *health); /* Suspends. */
DEFINE_OWNED(health)

/* A check of /readyz: an error says why this process is not ready. It must not suspend. */
typedef struct error *health_check_fn(void *data);
void health_add_check(struct health *health, const char *name, health_check_fn *check, void *data);

/* Suspends until the port is open. Requests are answered from then on. */
MUST_USE struct error *health_listen(struct health *health);
uint16_t health_port(const struct health *health); /* 0 before it listens */
