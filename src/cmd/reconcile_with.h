/* The flag --reconcile-with, of the controllers and of corset plan. */
#pragma once

#include <stdbool.h>

#include "clusterresourceset/crs_controllers.h"

#define RECONCILE_WITH_CHOICES "server-side-apply merge-patch"
#define RECONCILE_WITH_HELP    "server-side-apply|merge-patch"
#define RECONCILE_WITH_DEFAULT "server-side-apply"
#define RECONCILE_WITH_MISTAKE "--reconcile-with wants server-side-apply or merge-patch, not '%s'"

/* An empty text is the default. False for a text that names no way. */
bool reconcile_with_read(const char *text, enum crs_reconcile_with *ret_way);
