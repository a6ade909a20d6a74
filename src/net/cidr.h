/*
 * Ranges of addresses: "169.254.0.0/16", "fe80::/10", "10.0.0.1" (that one alone).
 *
 * An IPv4 address is the same as its form in IPv6 (::ffff:10.0.0.1), so that neither of them gets
 * around a range of the other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/str.h"

struct cidr {
    uint8_t bytes[16];
    unsigned bits; /* that have to be equal */
    char text[64]; /* as it was given */
};

/* False for what is no range. Bits behind the prefix do not matter. */
bool cidr_read(struct str text, struct cidr *ret_cidr);

/* Ranges with commas between them. False for what is none, or for more than max. */
bool cidr_read_list(struct str text, struct cidr *ranges, size_t max, size_t *ret_count);

/* False for addresses that are neither IPv4 nor IPv6. */
bool cidr_has(const struct cidr *cidr, const struct sockaddr *address);
