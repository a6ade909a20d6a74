/*
 * What wakes a controller: events of owners, of what they own, and of what is mapped to them.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "json/json.h"

struct framework;

/* Finds the kinds, gets their caches and ties them to the controller. Suspends. */
MUST_USE struct error *source_open(struct framework *framework);
void source_close(struct framework *framework);

/* Whether an object is one of those this controller cares for. */
bool source_has_class(const struct framework *framework, const struct json_value *object);
