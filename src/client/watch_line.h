/*
 * A line of a watch: an event as JSON. For watch.c and watch_stream.c. Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "client/watch.h"

/*
 * Reads the event, whose object then belongs to the caller. *ret_known is false for an event of an
 * unknown type, which must be skipped. An event of type ERROR is the error that its Status says.
 */
MUST_USE struct error *watch_line_read(struct str line, struct watch_event *ret_event,
                                       bool *ret_known);
