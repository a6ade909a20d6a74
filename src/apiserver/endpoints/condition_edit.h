/* Conditions of a status, as the server itself sets them: one of each type. */
#pragma once

#include "base/error.h"
#include "base/timestamp.h"
#include "json/edit.h"
#include "json/json.h"

struct condition_edit {
    struct str type, status, reason, message; /* an empty reason or message is left out */
    int64_t observed_generation;              /* 0: left out */
    timestamp now;
    struct arena *arena; /* holds the conditions until the edit is finished */
};

/*
 * Sets status.conditions of the object: the condition of this type is replaced, or added at the
 * end. It keeps its lastTransitionTime while its status is the same.
 */
MUST_USE struct error *condition_edit_set(const struct condition_edit *condition,
                                          const struct json_value *object, struct json_edit *edit);
