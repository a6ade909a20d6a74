/*
 * Between stored objects, documents and the format a client asked for: whole objects, a Table, or
 * their metadata alone.
 *
 * An object that is stored the way it is shown is passed on as text. Every other object is parsed,
 * presented by its kind and written again.
 */
#pragma once

#include "apimachinery/object_text.h"
#include "apiserver/endpoints/negotiate.h"
#include "apiserver/registry/kind.h"
#include "apiserver/storage/store.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/timestamp.h"
#include "json/json.h"

struct codec {
    struct response_format format;
    const struct kind *kind;
    timestamp now;
};

/*
 * A stored object as a document in the version of the kind. Does not suspend: who may need a
 * conversion webhook calls it through webhook_conversion_run().
 */
MUST_USE struct error *codec_read_stored(const struct kind *kind, const struct object_text *text,
                                         struct json_doc **ret_doc);

/* A document in the kind's version as the text that is stored: in the storage version, compact. */
MUST_USE struct error *codec_write_stored(const struct kind *kind, struct json_doc *doc,
                                          struct object_text **ret_text);

/*
 * A document as the answer of a store_edit_fn: with the revision of the change as its
 * resourceVersion, as the new object (STORE_PUT) or as the last state of a deleted one
 * (STORE_DELETE). ret_doc (may be NULL) is the document with that resourceVersion. The draft of a
 * change whose revision is not known gets a number that stands nowhere else; see store_draft.h.
 */
MUST_USE struct error *codec_write_edit(const struct kind *kind, struct json_doc *doc,
                                        enum store_action action, struct store_edit *edit,
                                        struct json_doc **ret_doc);

/*
 * One object on its own. A Table includes its column definitions when with_columns is set, which it
 * is for the first object of a stream. Suspends if the object is large and has to be parsed or
 * written: a worker thread does it. Suspends if a webhook has to convert it.
 */
MUST_USE struct error *codec_write(struct buf *out, const struct codec *codec,
                                   const struct object_text *text, bool with_columns);
MUST_USE struct error *codec_write_doc(struct buf *out, const struct codec *codec,
                                       struct json_doc *doc, bool with_columns);

/* The metadata of a list, which is written behind the items. */
struct codec_list_metadata {
    bool is_empty; /* the list has no items */
    int64_t revision;
    struct str continue_token;
    bool has_remaining;
    size_t remaining;
};

/* A list in pieces: begin, items, end. An item suspends as codec_write() does. */
void codec_list_begin(struct buf *out, const struct codec *codec);
MUST_USE struct error *codec_list_item(struct buf *out, const struct codec *codec,
                                       const struct object_text *text, bool is_first);
void codec_list_end(struct buf *out, const struct codec *codec,
                    const struct codec_list_metadata *metadata);

/* The object of a BOOKMARK event. */
void codec_bookmark(struct buf *out, const struct codec *codec, int64_t revision,
                    bool ends_initial_events);
