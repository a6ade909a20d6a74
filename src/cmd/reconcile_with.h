/* The flag --reconcile-with, of the controllers and of corset plan. */
#pragma once

#include <stdbool.h>

#include "clusterresourceset/crs_controllers.h"

#define RECONCILE_WITH_CHOICES "merge-patch server-side-apply"
#define RECONCILE_WITH_HELP    "merge-patch|server-side-apply"
#define RECONCILE_WITH_DEFAULT "merge-patch"
#define RECONCILE_WITH_MISTAKE "--reconcile-with wants merge-patch or server-side-apply, not '%s'"

/* An empty text is the default. False for a text that names no way. */
bool reconcile_with_read(const char *text, enum crs_reconcile_with *ret_way);
