/*
 * A proxy between a program under test and the API server, on the simulated network.
 *
 * It speaks plain HTTP to the program, and to the server through an http_client. It records
 * requests and injects faults. Events of a watch pass through it one by one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

struct http_client;
struct http_server;
struct network;
struct proxy;

/* A fault: what the proxy does with requests that match, instead of passing them on. */
struct proxy_fault {
    const char *method; /* NULL: any */
    const char *part;   /* of the target */
    size_t times;
    int status;              /* 0: the connection breaks */
    const char *retry_after; /* NULL: none */
    const char *body;        /* NULL: a Status that fits */
    const char *blank;       /* the server's answer goes through, without this text */
    size_t skipped;          /* so many are let through before */
    bool after;              /* the server is asked all the same, its answer is thrown away */
    bool hangs;              /* nothing comes for a long time */
};

struct proxy {
    struct http_client *behind; /* borrowed */
    const char *prefix;         /* of every target there; NULL: none */
    struct buf token;           /* sent with every request; empty: none */
    struct http_server *server;

    struct proxy_fault faults[8];
    bool holds_watches; /* events stay in the proxy */
    bool is_old;        /* the server has no aggregated discovery, as before Kubernetes 1.26 */

    /* Before a request goes on to the server; NULL: nothing. */
    void (*on_request)(struct proxy *proxy, struct str method, struct str target);
    void *data;

    struct buf asked; /* "METHOD target\n" of all requests but watches, discovery and probes */
    bool notes_paths; /* without queries */
    size_t lookups;   /* requests of discovery */
    size_t writes;
    struct buf type; /* of the last one's body, statuses apart */
    struct buf sent; /* the last one's body */

    struct buf refused; /* what the server itself did not allow, a line each */
};

/* Listens on port 80 of the host. The other fields are set by the caller before. Suspends. */
void proxy_open(struct proxy *proxy, struct network *network, struct str host);
void proxy_done(struct proxy *proxy);

/* Adds a fault; there is room for a few at a time. */
void proxy_fail(struct proxy *proxy, struct proxy_fault fault);

/* How often a text is in the recorded requests, such as "PATCH /api/". */
size_t proxy_count(const struct proxy *proxy, const char *part);
void proxy_forget(struct proxy *proxy); /* clears the recorded requests */
