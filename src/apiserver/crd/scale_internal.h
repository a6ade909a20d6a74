/*
 * What validation says about the numbers of /scale. Private to this folder.
 */
#pragma once

#include "apiserver/crd/crd.h"

/* Adds what is wrong with them: all, or those of the status only. */
void scale_validate(const struct crd_scale_paths *scale, const struct json_value *object,
                    bool is_status, struct field_errors *errors);
