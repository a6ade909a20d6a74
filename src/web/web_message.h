/*
 * The messages of a live page: what differs between two renderings, as a server-sent event. Pure.
 *
 *     id: 0123456789abcdef
 *     event: part
 *     data: {"id":"summary","html":"…","more":[{"id":"sets","html":"…"}]}
 *
 * When parts have come, gone or moved, or when more has changed than fits, the event is "reload".
 */
#pragma once

#include "base/buf.h"
#include "base/str.h"
#include "web/html.h"

#define WEB_MESSAGE_MAX (16 * KILOBYTE)

/* From one rendering to the next, whose digest differs; version is that of the next. Of the first
 * one the parts alone are read. */
void web_message_write(const struct html *from, const struct html *to, struct str version,
                       struct buf *out);

void web_message_write_reload(struct str version, struct buf *out);
