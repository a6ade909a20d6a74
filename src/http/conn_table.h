/*
 * The connections of a server, and which of them makes room for another.
 *
 * A stranger is a connection of which nobody has vouched for the client of a request
 * (http_request_vouch()). When connections run out, one that is idle is closed: of the strangers
 * the one that came first, and without any of them, of the owner who has the most. The owner is the
 * share of the CPU that its requests take their turns of. A connection with a request under way
 * stays, and so do those of an exempt share.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

struct http_conn;

struct conn_table {
    struct list strangers; /* roughly the oldest first */
    struct list known;     /* roughly the oldest first */
    size_t stranger_count, known_count;
};

void conn_table_init(struct conn_table *table);

/* A connection joins as a stranger. */
void conn_table_add(struct conn_table *table, struct http_conn *conn);
void conn_table_remove(struct conn_table *table, struct http_conn *conn);
void conn_table_vouch(struct conn_table *table, struct http_conn *conn);

/* Calls fn for each connection; it may not remove any. */
void conn_table_each(struct conn_table *table, void (*fn)(struct http_conn *conn));

/*
 * Closes one stranger that is idle, and of the known connections of the largest owner a few. False:
 * none could be closed. They are gone with the next turn of the loop.
 */
bool conn_table_drop_stranger(struct conn_table *table, int64_t now);
bool conn_table_drop_known(struct conn_table *table, int64_t now);
