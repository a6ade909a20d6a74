/*
 * Stored objects in the form a client asked for: whole, as a Table, or their metadata alone.
 *
 * Text in, text out. An object that is stored the way it is shown is passed on as it is; all else
 * is read, presented by its kind and written again.
 */
#pragma once

#include "apimachinery/object_text.h"
#include "apiserver/endpoints/negotiate.h"
#include "apiserver/registry/kind.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/timestamp.h"

struct form {
    struct answer_format format;
    const struct kind *kind;
    timestamp now;
};

/* A stored object as a document in the version of the kind. */
MUST_USE struct error *form_read(const struct kind *kind, const struct object_text *text,
                                 struct json_doc **ret_doc);

/* One object on its own; a Table says its columns if it is the first of a stream. */
MUST_USE struct error *form_write(struct buf *out, const struct form *form,
                                  const struct object_text *text, bool with_columns);
MUST_USE struct error *form_write_doc(struct buf *out, const struct form *form,
                                      struct json_doc *doc, bool with_columns);

/*
 * A list, piece by piece: begin, items with commas between them, end. Metadata is what the list
 * says of itself and stands behind the items.
 */
struct form_list_metadata {
    bool is_empty; /* no item was written */
    int64_t revision;
    struct str continue_token;
    bool has_remaining;
    size_t remaining;
};

void form_list_begin(struct buf *out, const struct form *form);
MUST_USE struct error *form_list_item(struct buf *out, const struct form *form,
                                      const struct object_text *text, bool is_first);
void form_list_end(struct buf *out, const struct form *form,
                   const struct form_list_metadata *metadata);

/* The object of a bookmark. */
void form_bookmark(struct buf *out, const struct form *form, int64_t revision,
                   bool ends_initial_events);
