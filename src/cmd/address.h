/* "HOST:PORT", "[::1]:PORT" and ":PORT", which is every address of the machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct address {
    struct str host; /* borrowed; empty: none */
    uint16_t port;
};

/* False when it is none of them. */
bool address_read(const char *text, struct address *ret_address);

/* The same, where "" and "0" are none. */
bool address_read_optional(const char *text, struct address *ret_address);

/* Says on standard error when others than this machine can reach a server there. */
void address_warn(const struct address *address, const char *text);
