/*
 * Rows of tests/support/data/kinds for the tests of this folder; strategy.jsonl holds recorded
 * writes.
 *
 * Each row has the kind, what was sent (body), for an update what was stored (old), and one of what
 * was answered (answer), what was found wrong below metadata (causes), or the decoder's text
 * (error). A member that is null counts as absent.
 */
#pragma once

#include "apiserver/registry/kind_builtin.h"

struct recorded {
    struct str id;
    bool is_again; /* an answer that is sent once more: nothing may change */
    struct kind kind;
    struct kind_write write;
    struct json_doc *body;
    const struct json_value *row;
};

typedef void recorded_fn(const struct recorded *recorded);

/* Calls the function for each row, with the row's id as the test case. */
void recorded_foreach(const char *file, recorded_fn *fn);

/* A built-in kind as far as the steps use it. */
struct kind recorded_kind(struct gvk gvk, bool namespaced);

/* Fails the test unless both are equal. */
void recorded_compare(const struct json_value *seen, const struct json_value *expected);

/* What would be stored of the row's body: decoded, filled in and prepared. The caller frees it. */
struct json_doc *recorded_stored(const struct recorded *recorded);

/* Whether a type that some kind is made of has this name and member; NULL for any member. */
bool recorded_has_member(const char *type, const char *member);
