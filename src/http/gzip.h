/*
 * Content-Encoding: gzip, both ways, in pieces.
 *
 * A reader bounds what comes out: in each call by the caller's room, over all by a limit, and by
 * the ratio to what went in, because a kilobyte can inflate to a megabyte of nothing.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define GZIP_LIMIT_DEFAULT (256 * MEGABYTE)
#define GZIP_RATIO_DEFAULT ((size_t)200)
/* Below this much output the ratio is not looked at: short repetitive text compresses well. */
#define GZIP_RATIO_FROM (1 * MEGABYTE)

struct gzip_reader;
struct gzip_writer;

/* Limits of the whole output; 0 means the default. */
struct gzip_reader *gzip_reader_new(size_t limit, size_t ratio);
void gzip_reader_free(struct gzip_reader *reader);
DEFINE_OWNED(gzip_reader)

/*
 * Takes bytes off *input and appends at most room bytes to out. To be repeated until the input is
 * empty and less than room came out. ERROR_PROTOCOL for data that is not gzip, ERROR_TOO_LARGE at
 * a limit.
 */
MUST_USE struct error *gzip_read(struct gzip_reader *reader, struct str *input, struct buf *out,
                                 size_t room);

/* The input has ended. ERROR_PROTOCOL "truncated ..." when that is too early. */
MUST_USE struct error *gzip_read_end(struct gzip_reader *reader);

/* Level 1 (fast) to 9 (small). */
struct gzip_writer *gzip_writer_new(int level);
void gzip_writer_free(struct gzip_writer *writer);
DEFINE_OWNED(gzip_writer)

/* Compresses all of the input; output may wait inside for more to come. */
void gzip_write(struct gzip_writer *writer, struct str input, struct buf *out);

/* Completes the stream; nothing may be written afterwards. */
void gzip_write_end(struct gzip_writer *writer, struct buf *out);
