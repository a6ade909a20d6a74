/*
 * A walk that copies a document with changes, shared by pruning and defaulting. Private to
 * schema*.c.
 *
 * A callback decides what happens to each member and element. The document is walked once to find
 * out whether anything changes, and only then a second time to build the new document. Most
 * documents do not change and are not copied.
 */
#pragma once

#include "apiserver/crd/schema/schema_internal.h"
#include "base/buf.h"
#include "json/builder.h"

enum part_action {
    PART_KEEP,    /* copied as it is, with all it contains */
    PART_DESCEND, /* its members or elements are decided on, with the part's node */
    PART_DROP,
};

struct part {
    enum part_action action;
    const struct schema_node *node; /* NULL: no schema describes the value */
    const struct json_value *value; /* the value to write; a different pointer is a change */
};

struct rewrite_frame {
    const struct schema_node *node;
    const struct json_value *value;
    struct json_iter iter;
    size_t path_len;
    size_t next_property; /* position of missing(), which runs after the last member */
    bool *present;        /* of missing(), by property; freed by the walk */
    bool is_root;
};

struct rewrite {
    struct part (*decide)(const struct rewrite_frame *frame, struct str key,
                          const struct json_value *value);
    /* Returns a property whose default is added, or NULL when there are no more. May be NULL. */
    const struct schema_property *(*missing)(struct rewrite_frame *frame);
    /* Called in the first walk with the path of each part that is dropped. May be NULL. */
    void (*dropped)(void *data, struct str path);
    void *data;
};

/* Returns the same document, with one more reference, when nothing changes. */
MUST_USE struct error *rewrite_doc(const struct rewrite *rewrite, const struct schema_node *root,
                                   struct json_doc *doc, struct json_doc **ret_doc);

/* Whether anything would change. */
bool rewrite_changes(const struct rewrite *rewrite, const struct schema_node *node,
                     const struct json_value *value, bool is_root);
