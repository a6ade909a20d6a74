/*
 * /healthz and /readyz over plain HTTP, for the probes of the kubelet.
 *
 * Both answer "ok" as long as the event loop of the process runs. Nothing else is checked:
 * a manager serves them before its caches are synced, so that a slow start is not taken for a
 * failure. Anyone may ask.
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

/* Suspends until the port is open. Requests are answered from then on. */
MUST_USE struct error *health_listen(struct health *health);
uint16_t health_port(const struct health *health); /* 0 before it listens */
