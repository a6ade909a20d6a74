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
 * The base and all JSON values that are set must live until the end; strings are copied. The first
 * error is kept and returned by object_edit_finish(). Places without a function here are changed
 * through the json member, except for finalizers and owner references: these lists are held apart
 * and written at the end.
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

/* False when the finalizer was there already, or was not there. An empty list is removed. */
bool object_edit_add_finalizer(struct object_edit *edit, struct str finalizer);
bool object_edit_remove_finalizer(struct object_edit *edit, struct str finalizer);

/*
 * Adds an owner, or replaces the one of the same group, kind and name. False when the same
 * reference is there already, see owner_reference_eq(). A second controller fails the edit with
 * ERROR_INVALID.
 */
bool object_edit_set_owner(struct object_edit *edit, struct owner_reference owner);

/* Removes owners of the same group, kind and name. False when there was none. */
bool object_edit_remove_owner(struct object_edit *edit, struct owner_reference owner);

/* Removes metadata.managedFields, which is half of the text of many objects. */
void object_edit_drop_managed_fields(struct object_edit *edit);

/* The edit is empty afterwards; only object_edit_done() may follow. */
MUST_USE struct error *object_edit_finish(struct object_edit *edit, struct object **ret_object);
