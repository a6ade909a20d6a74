/*
 * Addresses to listen on: "HOST:PORT", "[::1]:PORT", and ":PORT" for all addresses of the machine.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct address {
    struct str host; /* borrowed; empty: none */
    uint16_t port;
};

/* False if the text is no address. */
bool address_read(const char *text, struct address *ret_address);

/* The same, but "" and "0" mean no address. */
bool address_read_optional(const char *text, struct address *ret_address);

/* True for names and addresses of the loopback interface. */
bool address_is_local(const struct address *address);

/*
 * Puts in front of the error of a port that is in use (ERROR_ALREADY_EXISTS) what to do about it;
 * flags are those that choose the port. Takes err; other errors stay as they are.
 */
MUST_USE struct error *address_explain(struct error *err, const char *flags);

/* Warns on standard error if other machines can reach a server at the address. */
void address_warn(const struct address *address, const char *text);
