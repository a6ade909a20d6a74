/*
 * Validation of the fields that /scale reads. Private to this folder.
 */
#pragma once

#include "apiserver/crd/crd.h"

/* Checks the fields at the paths: of a write to /status only those below status. */
void scale_validate(const struct crd_scale_paths *scale, const struct json_value *object,
                    bool is_status, struct field_errors *errors);
