/*
 * Takes a list apart while it arrives: the members of one JSON object, and the elements of its
 * arrays "items" and "rows" one by one.
 *
 *     struct list_scanner scanner = {.ops = &ops, .data = &answer};
 *     TRY(list_scanner_feed(&scanner, piece));
 *     TRY(list_scanner_end(&scanner));
 *
 * Only the outline is checked here: what a callback gets is balanced text of at most
 * LIST_SCANNER_VALUE_MAX bytes and LIST_SCANNER_DEPTH_MAX levels, and the callback parses it. No
 * more than one value is in memory. Errors are ERROR_PARSE and ERROR_TOO_LARGE.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define LIST_SCANNER_VALUE_MAX (4 * MEGABYTE)
#define LIST_SCANNER_DEPTH_MAX 100

struct list_scanner_ops {
    /* A member of the object that is no list of elements. */
    struct error *(*member)(void *data, struct str name, struct str value);
    /* An element of "items" or "rows". May suspend. */
    struct error *(*element)(void *data, struct str value);
};

enum list_scanner_state {
    LIST_SCANNER_START, /* zero is the beginning */
    LIST_SCANNER_FIRST_KEY,
    LIST_SCANNER_KEY,
    LIST_SCANNER_IN_KEY,
    LIST_SCANNER_COLON,
    LIST_SCANNER_VALUE,
    LIST_SCANNER_AFTER_VALUE,
    LIST_SCANNER_FIRST_ELEMENT,
    LIST_SCANNER_ELEMENT,
    LIST_SCANNER_AFTER_ELEMENT,
    LIST_SCANNER_DONE,
};

struct list_scanner {
    const struct list_scanner_ops *ops;
    void *data;
    /* private */
    enum list_scanner_state state;
    bool is_inside; /* of a value or an element */
    bool is_scalar; /* which ends before the byte that does not belong to it */
    bool is_string, is_escaped;
    size_t depth; /* of the value */
    char key[64]; /* of the member; longer ones are cut and known to none */
    size_t key_len;
    struct buf value;
};

void list_scanner_done(struct list_scanner *scanner);

MUST_USE struct error *list_scanner_feed(struct list_scanner *scanner, struct str bytes);

/* ERROR_PARSE unless the object was complete. */
MUST_USE struct error *list_scanner_end(const struct list_scanner *scanner);
