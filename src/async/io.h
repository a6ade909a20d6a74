/*
 * A file descriptor whose readiness the loop watches.
 *
 * The function is called on the loop, outside any fiber, as long as one of the wanted events holds.
 * The descriptor belongs to the caller and may be closed when io_free() has returned. Only a real
 * loop has descriptors; the folders above use net/transport.h instead.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"

#define IO_READABLE 1U
#define IO_WRITABLE 2U

struct io;
struct loop;

typedef void (*io_fn)(void *data, unsigned events);

/* Watches nothing at first. */
MUST_USE struct error *io_new(struct loop *loop, int fd, io_fn fn, void *data, struct io **ret_io);
void io_free(struct io *io);
DEFINE_OWNED(io)

/* Sets the events that are wanted from now on; 0 for none. */
void io_want(struct io *io, unsigned events);
