/*
 * The values of one Cluster that manifests use, each once: see value_token.h.
 *
 *     values_add(&names, &token);
 *     values_sort(&names);
 *     values_read(&names, cluster, &values);
 *     const struct value *value = values_find(&values, &token);
 *
 * A list of names has no texts; values that were read have one each, or say why there is none.
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/str.h"
#include "clusterresourceset/types/value_token.h"

/* Different values that one set may use, bytes of one value, and of all of a Cluster together. */
#define VALUES_COUNT_MAX ((size_t)64)
#define VALUES_TEXT_MAX  ((size_t)4096)
#define VALUES_TOTAL_MAX ((size_t)64 * 1024)

/* Hexadecimal digits of a digest. */
#define VALUES_DIGEST_LEN 16

enum value_problem {
    VALUE_OK,
    VALUE_MISSING,
    VALUE_NO_SCALAR,
    VALUE_TOO_LONG,
    VALUE_TOO_MUCH, /* beyond VALUES_TOTAL_MAX */
};

struct value {
    enum value_source source;
    struct str key;
    enum value_problem problem;
    struct str text; /* a number or a truth value as JSON has it */
};

/* Texts are in the arena. The zero value is an empty list. */
struct values {
    struct arena arena;
    struct value *items;
    size_t count, capacity;
};

void values_done(struct values *values);

/* Adds the name of a value. What goes beyond VALUES_COUNT_MAX is left out. */
void values_add(struct values *names, const struct value_token *token);
void values_add_all(struct values *names, const struct values *more);

/* By source and key, so that the digest does not depend on where tokens stand. */
void values_sort(struct values *names);

/* Whether a Cluster has to be read as a whole: of most only name, labels and state are kept. */
bool values_need_cluster(const struct values *names);

/* Whether all of the names are among the values. */
bool values_cover(const struct values *values, const struct values *names);

/* Reads the values of a Cluster. *ret_values is empty before. */
void values_read(const struct values *names, const struct object *cluster,
                 struct values *ret_values);

/* NULL: it is none of them. */
const struct value *values_find(const struct values *values, enum value_source source,
                                struct str key);

/* Of the values with these names, which are sorted; another one if any of them is another. */
struct str values_digest(const struct values *values, const struct values *names,
                         char text[static VALUES_DIGEST_LEN + 1]);
