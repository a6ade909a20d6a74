/*
 * The controller under test: what examples/web does, and one input that is not its own.
 *
 *     Web ──► ConfigMap <web>-web-config     the message
 *       ├───► Deployment <web>-web-server    blocked by the ConfigMap and by the Secret "shared"
 *       └───► Service <web>-web              the port, while the Web is exposed
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "framework/framework.h"

#define WEB_GROUP   "example.corset.dev"
#define WEB_NAMES   2 /* w0 and w1 are all there can be */
#define WEB_SHARED  "shared"
#define WEB_WORKERS 2
#define WEB_WATCHES 5 /* kinds it has caches of */

/* What it has done; outlives restarts. */
struct web_counters {
    size_t builds, deletions;
};

/* What it can do besides. */
struct web_extras {
    bool prunes;    /* takes away the Service of a Web that is no longer exposed */
    bool finalizes; /* holds a Web until it has let go */
};

/* Fills in all but client, discovery and caches. */
void web_describe(struct framework_options *options, const struct web_extras *extras,
                  struct web_counters *counters);

/* The CustomResourceDefinition, JSON. */
extern const char web_definition[];
