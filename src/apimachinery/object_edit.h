/*
 * Changes to an object, collected and then finished into a new one.
 *
 *     SCOPED(object_edit) edit;
 *     object_edit_init(&edit, object);
 *     object_edit_add_finalizer(&edit, FINALIZER);
 *     json_edit_set_str(&edit.json, JSON_PLACE_KEY("metadata.labels", key), value);
 *     json_edit_set_int(&edit.json, JSON_PLACE("status.observedGeneration"), generation);
 *     TRY(object_edit_finish(&edit, &changed), "change object");
 *
 * The base must live until the end, and so must JSON values that are set; strings are copied. The
 * first problem is kept and reported by object_edit_finish(). Changes of places that have no
 * function here go through the json member, but not those of finalizers and owner references: these
 * lists are held apart and written at the end.
 */
#pragma once

#include "apimachinery/object.h"
#include "json/edit.h"

struct object_edit_owner {
    struct owner_reference reference;
    const struct json_value *value; /* as it stands in the base; NULL for a new one */
};

struct object_edit {
    struct json_edit json;
    /* private */
    struct arena arena;
    struct str *finalizers;
    size_t finalizer_count, finalizer_capacity;
    struct object_edit_owner *owners;
    size_t owner_count, owner_capacity;
    bool finalizers_changed, owners_changed;
    struct key key; /* of the base, for messages */
};

void object_edit_init(struct object_edit *edit, const struct object *base);
void object_edit_done(struct object_edit *edit);

/* False when it was there already, or not there. Without finalizers the list itself goes. */
bool object_edit_add_finalizer(struct object_edit *edit, struct str finalizer);
bool object_edit_remove_finalizer(struct object_edit *edit, struct str finalizer);

/*
 * Adds an owner, in place of one of the same group, kind and name if there is such. False when it
 * is there already, see owner_reference_eq(). A second controller fails the edit with
 * ERROR_INVALID.
 */
bool object_edit_set_owner(struct object_edit *edit, struct owner_reference owner);

/* Removes owners of the same group, kind and name; false when there was none. */
bool object_edit_remove_owner(struct object_edit *edit, struct owner_reference owner);

/* metadata.managedFields, half of the text of many objects. */
void object_edit_drop_managed_fields(struct object_edit *edit);

/* The edit is empty afterwards and only good for object_edit_done(). */
MUST_USE struct error *object_edit_finish(struct object_edit *edit, struct object **ret_object);
