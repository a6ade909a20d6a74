/* The first message of a TLS client, for clients that send it and then say no more. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "net/tls.h"

struct loop;

/* Suspends for an instant. Adds to out what a client with these options sends first. */
MUST_USE struct error *client_hello_write(struct loop *loop, struct tls_context *tls,
                                          const struct tls_client_options *options,
                                          struct buf *out);
