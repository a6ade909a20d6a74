/*
 * What corset get prints: takes an answer apart while it arrives and writes rows, names, counts or
 * groups. Output goes to a buffer that the caller writes after each piece.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "fleet/list_scanner.h"

struct jsonpath;
struct json_doc;

enum get_form {
    GET_TABLE,
    GET_WIDE,
    GET_NAME,
    GET_JSON,
    GET_YAML,
    GET_JSONPATH,
    GET_COUNT,
    GET_GROUPS,
    GET_MISSING,
};

#define GET_COLUMNS_MAX 64

struct get_print {
    enum get_form form;
    struct str resource;         /* for names: "pods" */
    const struct jsonpath *path; /* of GET_JSONPATH and GET_GROUPS */
    bool has_namespaces;         /* rows show the namespace */
    struct buf *out;

    /* What was seen. */
    size_t items, clusters; /* clusters that have items */
    size_t asked, answered; /* clusters, from the end of the answer */
    struct str warning;     /* empty: every cluster answered */
    size_t missing;         /* clusters that answered and have none */

    /* private */
    struct arena arena;
    struct list_scanner scanner;
    struct buf cluster; /* of the last item */
    struct map groups;  /* value -> struct get_group */
    struct str columns[GET_COLUMNS_MAX];
    bool shows[GET_COLUMNS_MAX];
    size_t column_count, widths[GET_COLUMNS_MAX + 1];
    struct arena batch; /* rows that were not printed yet */
    struct str *cells;
    size_t cell_count, cell_capacity;
    bool has_header;
};

void get_print_init(struct get_print *print);
void get_print_done(struct get_print *print);

/* A piece of the answer; for get_source_ask(). */
MUST_USE struct error *get_print_take(void *data, struct str piece);

/* The answer is complete: what is known at its end only. */
MUST_USE struct error *get_print_end(struct get_print *print);
