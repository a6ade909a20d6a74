/*
 * One log line, formatted in a buffer of fixed size. Private to log*.c.
 *
 * The last bytes of the buffer are reserved for what closes a line, so that a cut line still ends
 * well: in JSON with every quote and brace, in both formats with a newline.
 */
#pragma once

#include "base/log.h"

struct log_line {
    char *ptr;
    size_t len, capacity;
    bool cut; /* something did not fit; nothing but closing marks follows */
};

struct log_record {
    int level;
    const char *message;
    timestamp time;
    const struct log_context *context;
    const struct log_field *fields;
    size_t count;
};

/* Writes a whole line, newline included. The capacity is at least LOG_CAPACITY_MIN. */
#define LOG_CAPACITY_MIN 256
void log_line_write(struct log_line *line, enum log_format format, const struct log_record *record);
