/*
 * Values as the messages of Kubernetes show them: Go's %v of maps, lists and scalars.
 */
#pragma once

#include "apiserver/strategicpatch/strategic_tree.h"
#include "base/buf.h"
#include "json/json.h"

/* A message is cut far below this. */
#define STRATEGIC_PRINT_MAX (64 * KILOBYTE)

/* "map[name:a ports:[80 81]]"; members are sorted. */
void strategic_print(struct buf *out, const struct json_value *value);
void strategic_print_node(struct buf *out, const struct merge_node *node);

/* How Go holds a value: null has no type, and whole numbers have another than fractions. */
enum go_kind {
    GO_KIND_NIL,
    GO_KIND_BOOL,
    GO_KIND_INT,
    GO_KIND_FLOAT,
    GO_KIND_STRING,
    GO_KIND_SLICE,
    GO_KIND_MAP,
};

enum go_kind go_kind(const struct json_value *value);
enum go_kind go_kind_of_node(const struct merge_node *node);

/* "int64", "map[string]interface {}". */
const char *go_kind_name(enum go_kind kind);

/* As == compares: scalars of one type and value. Containers are equal to nothing. */
bool go_equal(const struct json_value *a, const struct json_value *b);
