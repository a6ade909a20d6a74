/*
 * nginx as a server that demands a certificate from its clients.
 *
 * It serves "/who" (the client's name, the protocol, number of the connection and of the request
 * on it), "/text" (compressed for who takes it), "/upload" (answers with the file it put the body
 * into) and, below "/files/", what the test wrote into the folder "www".
 */
#pragma once

#include <stdint.h>

#include "base/owned.h"

struct interop_fixture;
struct process;

struct nginx {
    struct process *process;
    uint16_t port;
};

/* The directives are added to the server's; "" for none. A failure ends the test. */
void nginx_init(struct nginx *nginx, struct interop_fixture *fixture, const char *directives);
void nginx_done(struct nginx *nginx);
