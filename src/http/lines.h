/*
 * Lines out of a stream that arrives in pieces, as a watch does.
 *
 * Each byte is looked at once and copied at most once, however small the pieces and however long
 * the lines: a line within one piece is a view of it, only a line cut by a border is collected.
 * Nothing is held between lines.
 *
 *     lines_feed(&lines, piece);
 *     for (;;) {
 *         TRY(lines_next(&lines, &line));
 *         if (!line.ptr)
 *             break;
 *         use(line);
 *     }
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define LINES_LIMIT_DEFAULT (16 * MEGABYTE)

struct lines {
    size_t limit; /* of one line; 0 means LINES_LIMIT_DEFAULT */
    struct str input;
    struct buf partial;
    bool delivered; /* partial was handed out and is to be forgotten */
};

void lines_done(struct lines *lines);

/* The bytes must stay until lines_next() has found no further line in them. */
void lines_feed(struct lines *lines, struct str bytes);

/*
 * The next whole line, without its "\n" or "\r\n"; valid until the next call. A NULL pointer when
 * there is none yet. ERROR_TOO_LARGE for a line past the limit; the stream is of no use then.
 */
MUST_USE struct error *lines_next(struct lines *lines, struct str *ret_line);

/* At the end of the stream: what stood behind the last line end, often nothing. */
struct str lines_rest(const struct lines *lines);
