/*
 * An entry of metadata.ownerReferences: whose garbage an object is, and who controls it.
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

/* Borrows from the document; what is absent or of another type stays empty. */
struct owner_reference owner_reference_from_value(const struct json_value *value);

struct owner_reference owner_reference_copy(struct arena *arena, struct owner_reference reference);

/*
 * What must agree for a reference to be in place already: all but blockOwnerDeletion, which
 * admission may have set.
 */
bool owner_reference_eq(struct owner_reference a, struct owner_reference b);

/* Same group, kind and name: version and uid may differ, as after a recreation or an upgrade. */
bool owner_reference_same_owner(struct owner_reference a, struct owner_reference b);

/* Adds the entry as an element. */
void owner_reference_build(struct owner_reference reference, struct json_builder *builder);
