/*
 * One item of a cluster's answer, checked and written again with the name of its cluster. The
 * cluster is not trusted: whatever it says about its own name is replaced.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

#define FLEET_CLUSTER_ANNOTATION "fleet.corset.dev/cluster"

/* What an item must be; empty texts are not checked. */
struct fleet_item_rules {
    struct str kind;      /* of the item, if it says one */
    struct str namespace; /* of its metadata */
};

/*
 * Appends the object with the annotation. ERROR_PARSE for what is no object with metadata, or not
 * what the rules say.
 */
MUST_USE struct error *fleet_item_write(struct buf *out, const struct json_value *object,
                                        const struct fleet_item_rules *rules, struct str cluster);

/* The columns of a Table by name; those of the first answer are those of the merged one. */
struct fleet_columns {
    struct str *names;
    size_t count;
};

/* ERROR_PARSE for what is no list of column definitions. Names live in the arena. */
MUST_USE struct error *fleet_columns_read(struct arena *arena, const struct json_value *definitions,
                                          struct fleet_columns *ret_columns);

/* Appends the definitions with "Cluster" in front. */
void fleet_columns_write(struct buf *out, const struct json_value *definitions);

/*
 * Appends a row with the cells of the wanted columns, in their order, behind the cluster. A column
 * that the answer lacks is empty.
 */
MUST_USE struct error *fleet_row_write(struct buf *out, const struct json_value *row,
                                       const struct fleet_columns *had,
                                       const struct fleet_columns *wanted,
                                       const struct fleet_item_rules *rules, struct str cluster);
