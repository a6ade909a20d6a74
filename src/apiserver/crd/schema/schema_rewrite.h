/*
 * A document copied with changes: what pruning and defaulting share. Private to schema*.c.
 *
 * Every part is judged by a function. The document is walked once to see whether anything changes
 * and a second time to build the new one, so that the usual case copies nothing.
 */
#pragma once

#include "apiserver/crd/schema/schema_internal.h"
#include "base/buf.h"
#include "json/builder.h"

enum part_action {
    PART_KEEP,    /* as it is, with all it contains */
    PART_DESCEND, /* its own parts are judged, by the node */
    PART_DROP,
};

struct part {
    enum part_action action;
    const struct schema_node *node; /* NULL: nothing is known of what is inside */
    const struct json_value *value; /* another one than was there is a change */
};

struct rewrite_frame {
    const struct schema_node *node;
    const struct json_value *value;
    struct json_iter iter;
    size_t path_len;
    size_t next_property; /* for missing(), when the members are through */
    bool is_root;
};

struct rewrite {
    struct part (*decide)(const struct rewrite_frame *frame, struct str key,
                          const struct json_value *value);
    /* A property to add, or NULL when there is no more; may be NULL itself. */
    const struct schema_property *(*missing)(struct rewrite_frame *frame);
    /* Takes note of a part that is dropped, in the first walk; NULL for none. */
    void (*dropped)(void *data, struct str path);
    void *data;
};

/* The same document, with a reference more, when nothing changes. */
MUST_USE struct error *rewrite_doc(const struct rewrite *rewrite, const struct schema_node *root,
                                   struct json_doc *doc, struct json_doc **ret_doc);

/* Whether anything would change. */
bool rewrite_changes(const struct rewrite *rewrite, const struct schema_node *node,
                     const struct json_value *value, bool is_root);
