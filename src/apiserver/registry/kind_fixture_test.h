/*
 * Fixture of the tests of this folder: rows of tests/support/data/kinds, where strategy.jsonl holds
 * writes that were recorded from kube-apiserver.
 *
 * Each row has the kind, the body of the request, for an update the stored object (old), and one
 * of: the answer, the causes of a Status except those about metadata, or the error of the decoder.
 * A member that is null counts as absent.
 */
#pragma once

#include "apiserver/registry/kind_builtin.h"

struct recorded {
    struct str id;
    bool is_again; /* the body is an earlier answer: nothing may change */
    struct kind kind;
    struct kind_write write;
    struct json_doc *body;
    const struct json_value *row;
};

typedef void recorded_fn(const struct recorded *recorded);

/* Calls the function for each row, with the row's id as the test case. */
void recorded_foreach(const char *file, recorded_fn *fn);

/* A built-in kind with the members that the steps use. */
struct kind recorded_kind(struct gvk gvk, bool namespaced);

/* Fails the test unless both are equal. */
void recorded_compare(const struct json_value *seen, const struct json_value *expected);

/* The row's body as it would be stored: decoded, defaulted and prepared. The caller frees it. */
struct json_doc *recorded_stored(const struct recorded *recorded);

/* Whether a type that some kind is made of has this name and member; NULL for any member. */
bool recorded_has_member(const char *type, const char *member);
