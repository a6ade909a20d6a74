/*
 * The status of an owner: observedGeneration, operator, InProgress and Failed.
 *
 * Pure functions from documents to documents. Conditions of other controllers stay unchanged and
 * in their places.
 */
#pragma once

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/timestamp.h"
#include "json/json.h"

struct owner_status_writer {
    struct str controller, version, commit;
    bool no_operator;         /* status.operator is left alone */
    bool standard_conditions; /* reason, message, times and generation are always there */
    timestamp now;
    int64_t generation;  /* what is being worked on */
    bool has_generation; /* false: observedGeneration is left alone */
};

struct owner_status_condition {
    struct str type, status, reason, message;
};

/*
 * Makes a copy of the owner with a new status. ERROR_INVALID when the list of conditions is
 * malformed.
 */
MUST_USE struct error *owner_status_set(const struct owner_status_writer *writer,
                                        const struct json_value *owner,
                                        const struct owner_status_condition *conditions,
                                        size_t count, struct json_doc **ret_owner);

/* True if status.observedGeneration is this generation. */
bool owner_status_has_observed(const struct json_value *owner, int64_t generation);
