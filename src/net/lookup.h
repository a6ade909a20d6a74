/*
 * Names to addresses. The C library's lookup blocks, so it runs on a worker thread; address
 * literals are answered without one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/str.h"

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

/* Suspends. At least one address, in the system's order of preference. The result is on the heap.
 */
MUST_USE struct error *lookup_host(struct str host, uint16_t port,
                                   struct lookup_result **ret_result);
