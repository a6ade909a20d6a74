/*
 * Settings of a controller, as people write them: texts by name, the controller's own before those
 * that are common to all.
 *
 *     classname                       the class of owners it cares for; empty
 *     max-concurrent-reconciliation   owners at a time; 1
 *     <controller>-controller-disabled    true or false; false
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

struct framework_config {
    struct str class_name; /* borrowed from the settings */
    size_t workers;
    bool is_disabled;
};

/*
 * From objects of texts, such as the data of ConfigMaps; either may be NULL. What is not set has
 * its default; ERROR_INVALID for a value that cannot be read, and then the controller must not
 * start.
 */
MUST_USE struct error *framework_config_read(const struct json_value *own,
                                             const struct json_value *common, struct str controller,
                                             struct framework_config *ret_config);
