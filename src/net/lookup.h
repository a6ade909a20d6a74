/*
 * Host names to addresses. getaddrinfo() blocks, so it runs on a worker thread, in turns
 * (lookups.h). Address literals need none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/str.h"

struct lookup_answer;
struct lookups;

#define LOOKUP_ADDRESSES_MAX 16

struct lookup_result {
    size_t count;
    struct {
        struct sockaddr_storage address;
        socklen_t len;
    } addresses[LOOKUP_ADDRESSES_MAX];
};

/* True for an address literal, in which case *ret_result holds it. */
bool lookup_literal(struct str host, uint16_t port, struct lookup_result *ret_result);

/*
 * Suspends. Returns at least one address, in the order of preference of the system. The result is
 * on the heap.
 */
MUST_USE struct error *lookup_host(struct lookups *lookups, struct str host, uint16_t port,
                                   struct lookup_result **ret_result);

/* Asks the resolver of the system and blocks: for worker threads. Ports are left out. */
void lookup_by_system(const char *host, struct lookup_answer *ret_answer);
