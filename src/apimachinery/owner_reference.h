/*
 * An entry of metadata.ownerReferences: an object whose deletion deletes this one, and whether that
 * object is its controller.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "json/builder.h"
#include "json/json.h"

struct owner_reference {
    struct str api_version, kind, name, uid;
    bool controller;           /* false is not written */
    bool block_owner_deletion; /* false is not written */
};

/* Borrows from the document. Members that are absent or of another type are empty. */
struct owner_reference owner_reference_from_value(const struct json_value *value);

struct owner_reference owner_reference_copy(struct arena *arena, struct owner_reference reference);

/*
 * True when a reference need not be written again. blockOwnerDeletion is not compared, because
 * admission may have set it.
 */
bool owner_reference_eq(struct owner_reference a, struct owner_reference b);

/* Same group, kind and name. Version and uid may differ, as after an upgrade or a recreation. */
bool owner_reference_same_owner(struct owner_reference a, struct owner_reference b);

/* Adds the entry as an element of the array that is open in the builder. */
void owner_reference_build(struct owner_reference reference, struct json_builder *builder);
