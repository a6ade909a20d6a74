/*
 * /healthz and /readyz over plain HTTP, for the kubelet.
 *
 * /healthz says that the process turns. /readyz asks every check; one that fails makes it 500.
 * A single check is asked at /readyz/<name>, "?verbose" lists them all. Reasons are logged, not
 * shown: anybody may ask.
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

/* NULL says yes. Asked on a fiber of the server's; should answer quickly. */
typedef struct error *health_check_fn(void *data);

/* The name is copied. */
void health_add_ready_check(struct health *health, const char *name, health_check_fn *check,
                            void *data);

/* Suspends. Answers from then on. */
MUST_USE struct error *health_listen(struct health *health);
uint16_t health_port(const struct health *health); /* 0 before it listens */
