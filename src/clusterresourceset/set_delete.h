/* Deletion of a set: it is taken out of every binding of its namespace, selected or not. */
#pragma once

#include "base/error.h"

struct crs_set;

/* Bindings without other entries are deleted. The set must be closed. Suspends. */
MUST_USE struct error *set_remove_from_bindings(struct crs_set *set);
