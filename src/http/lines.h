/*
 * Splits a stream that arrives in pieces into lines, for example the events of a watch.
 *
 * Each byte is scanned once and copied at most once, for any size of pieces and lines. A line
 * inside one piece is returned as a view; only a line that spans pieces is copied. No memory is
 * held between lines.
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
    bool delivered; /* partial was returned as a line; the next call frees it */
};

void lines_done(struct lines *lines);

/* The bytes must stay until lines_next() has found no further line in them. */
void lines_feed(struct lines *lines, struct str bytes);

/*
 * Returns the next complete line, without its "\n" or "\r\n"; valid until the next call. A NULL
 * pointer when there is none yet. ERROR_TOO_LARGE for a line past the limit; the stream cannot be
 * read further.
 */
MUST_USE struct error *lines_next(struct lines *lines, struct str *ret_line);

/* At the end of the stream: the text behind the last line end, usually empty. */
struct str lines_rest(const struct lines *lines);
