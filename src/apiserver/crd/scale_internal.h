/*
 * What validation says about the numbers of /scale. Private to this folder.
 */
#pragma once

#include "apiserver/crd/custom.h"

/* Adds what is wrong with them: all, or those of the status only. */
void scale_validate(const struct custom_scale *scale, const struct json_value *object,
                    bool is_status, struct field_errors *errors);
