/*
 * A bounded queue of pointers between fibers. Sending to a full channel waits; nothing is dropped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/owned.h"

struct channel;

/* release is called for elements still inside when the channel is freed; NULL for none. */
struct channel *channel_new(size_t capacity, void (*release)(void *element));
void channel_free(struct channel *channel);
DEFINE_OWNED(channel)

/* Suspends while the channel is full. The element is the channel's once this has succeeded. */
MUST_USE struct error *channel_send(struct channel *channel, void *element);

/* False when the channel is full or closed. */
bool channel_try_send(struct channel *channel, void *element);

/* Suspends until there is an element; NULL when the channel is closed and empty. */
MUST_USE struct error *channel_receive(struct channel *channel, void **ret_element);

/* No more is sent; what is inside can still be received. */
void channel_close(struct channel *channel);

size_t channel_count(const struct channel *channel);
