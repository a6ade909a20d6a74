/*
 * gzip, both ways, in pieces: Content-Encoding of HTTP, and the contents of ConfigMaps.
 *
 * A reader limits its output: per call by the caller's room, in total by a limit, and by the ratio
 * of output to input, because a kilobyte can inflate to a megabyte of zeros.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define GZIP_LIMIT_DEFAULT (256 * MEGABYTE)
#define GZIP_RATIO_DEFAULT ((size_t)200)
/* The ratio is checked from this much output on: short repetitive text compresses well. */
#define GZIP_RATIO_FROM (1 * MEGABYTE)

struct gzip_reader;
struct gzip_writer;

/* Limits of the whole output; 0 means the default. */
struct gzip_reader *gzip_reader_new(size_t limit, size_t ratio);
void gzip_reader_free(struct gzip_reader *reader);
DEFINE_OWNED(gzip_reader)

/*
 * Takes bytes off *input and appends at most room bytes to out. Repeat until the input is empty and
 * less than room was appended. ERROR_PROTOCOL for data that is not gzip, ERROR_TOO_LARGE at
 * a limit.
 */
MUST_USE struct error *gzip_read(struct gzip_reader *reader, struct str *input, struct buf *out,
                                 size_t room);

/* To be called at the end of the input. ERROR_PROTOCOL "truncated ..." inside a member. */
MUST_USE struct error *gzip_read_end(struct gzip_reader *reader);

/* Level 1 (fast) to 9 (small). */
struct gzip_writer *gzip_writer_new(int level);
void gzip_writer_free(struct gzip_writer *writer);
DEFINE_OWNED(gzip_writer)

/* Compresses all of the input. zlib may hold back output until more input comes. */
void gzip_write(struct gzip_writer *writer, struct str input, struct buf *out);

/* Completes the stream; nothing may be written afterwards. */
void gzip_write_end(struct gzip_writer *writer, struct buf *out);
