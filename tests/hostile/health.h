/*
 * A healthy client beside the attacks: it reads and writes all the time, now and then over a new
 * connection, and notes how long it was kept waiting. It also looks at the server's memory.
 *
 * It is a process of its own, so that what the attackers do to themselves does not count. What it
 * notes is in memory both share.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"

struct health;

/* What it has seen since the last call of health_reset(). */
struct health_report {
    size_t exchanges;
    duration worst;
    size_t memory;       /* the most the server had, in bytes */
    const char *failure; /* of an exchange; NULL for none. Lives as long as the health */
};

/* Starts the process, which waits. To be called before there is a loop. */
struct health *health_new(void);

/* Ends it. */
void health_free(struct health *health);
DEFINE_OWNED(health)

/* From now on it looks after this server. */
void health_begin(struct health *health, const char *kubeconfig, size_t server_pid);

void health_reset(struct health *health);
void health_read(const struct health *health, struct health_report *ret_report);
