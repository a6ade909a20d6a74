/*
 * Changes to a document, made one by one and then finished into a new document.
 *
 *     SCOPED(json_edit) edit;
 *     json_edit_init(&edit, object);
 *     json_edit_set_int(&edit, JSON_PLACE("status.observedGeneration"), generation);
 *     json_edit_set_str(&edit, JSON_PLACE_KEY("metadata.annotations", name), value);
 *     json_edit_remove(&edit, JSON_PLACE("metadata.managedFields"));
 *     TRY(json_edit_finish(&edit, &doc), "change object");
 *
 * A place is a dotted path of known names, optionally followed by one name that comes from data.
 * Setting creates missing objects along the path; removing an absent member does nothing. The first
 * problem stops the edit, and json_edit_finish() reports it: ERROR_INVALID when a value along the
 * path is neither object nor array, ERROR_TOO_LARGE for limits. The base and values that were set
 * must live until then. Members keep their order, new members come last.
 */
#pragma once

#include "json/json.h"

struct json_place {
    const char *path;
    struct str key;
    bool has_key;
};

#define JSON_PLACE(literal) ((struct json_place){.path = "" literal})
#define JSON_PLACE_KEY(literal, name) \
    ((struct json_place){.path = "" literal, .key = (name), .has_key = true})

struct json_edit {
    struct patch_tree *tree; /* private */
    struct error *err;
};

/* NULL starts from an empty object. */
void json_edit_init(struct json_edit *edit, const struct json_value *base);
void json_edit_done(struct json_edit *edit);

void json_edit_set(struct json_edit *edit, struct json_place place, const struct json_value *value);
void json_edit_set_str(struct json_edit *edit, struct json_place place, struct str s);
void json_edit_set_int(struct json_edit *edit, struct json_place place, int64_t number);
void json_edit_set_bool(struct json_edit *edit, struct json_place place, bool truth);

/* Sets a list or an object, or removes the member when the container is empty. */
void json_edit_set_unless_empty(struct json_edit *edit, struct json_place place,
                                const struct json_value *container);

/* Removes a member or an element; later elements move up. */
void json_edit_remove(struct json_edit *edit, struct json_place place);

/* Appends to the array at the place. An absent array is created. */
void json_edit_append(struct json_edit *edit, struct json_place place,
                      const struct json_value *value);

/* The edit is empty afterwards and only good for json_edit_done(). */
MUST_USE struct error *json_edit_finish(struct json_edit *edit, struct json_doc **ret_doc);
