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
enum go_type {
    GO_NIL,
    GO_BOOL,
    GO_INT,
    GO_FLOAT,
    GO_STRING,
    GO_SLICE,
    GO_MAP,
};

enum go_type go_type(const struct json_value *value);
enum go_type go_type_of_node(const struct merge_node *node);

/* "int64", "map[string]interface {}"; and the kind alone, "map". */
const char *go_type_name(enum go_type type);
const char *go_kind_name(enum go_type type);

/* As == compares: scalars of one type and value. Containers are equal to nothing. */
bool go_equal(const struct json_value *a, const struct json_value *b);
