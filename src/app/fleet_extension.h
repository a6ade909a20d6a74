/*
 * The fleet API as a part of the embedded API server: corset up --fleet. Users, and what they may
 * do, are those of the server's own authentication and RBAC.
 */
#pragma once

#include "base/owned.h"
#include "fleet/fleet.h"

struct apiserver;
struct fleet_extension;

/* The options' authorizer is set here. The API is served from now on. */
struct fleet_extension *fleet_extension_new(struct loop *loop, struct apiserver *server,
                                            const struct fleet_options *options);

/* Ends requests that are under way. Server and ClusterCache must still be there. Suspends. */
void fleet_extension_free(struct fleet_extension *extension);
DEFINE_OWNED(fleet_extension)
