/*
 * What keeps the server from doing its work, for /readyz and for the log: a line when it begins,
 * one every minute while it lasts, and one when it is over.
 */
#pragma once

#include "base/owned.h"

struct server_health;
struct loop;

enum server_health_part {
    SERVER_HEALTH_STORE,       /* commits fail */
    SERVER_HEALTH_CONNECTIONS, /* none can be accepted */
    SERVER_HEALTH_PARTS,
};

struct server_health *server_health_new(struct loop *loop);
void server_health_free(struct server_health *health);
DEFINE_OWNED(server_health)

/* The words are for clients, too. NULL: all is well. Trouble that goes on is no news. */
void server_health_set(struct server_health *health, enum server_health_part part,
                       const char *words);

/* What is wrong with a part, or NULL. */
const char *server_health_words(const struct server_health *health, enum server_health_part part);

/* The name of a part in /readyz. */
const char *server_health_name(enum server_health_part part);
